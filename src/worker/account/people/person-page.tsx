/** `/account/people/{id}`: one panelist, with proposals, comments and votes, and the team's actions. */
import type { Context } from "hono";
import {
  deletePanelist,
  loadPanelist,
  revokePanelistTokens,
  updatePanelist,
} from "../../database/panelists/panelists.ts";
import {
  CONTRIBUTIONS_AT_MOST,
  type Contribution,
  listContributions,
  listSameMailbox,
} from "../../database/panelists/people.ts";
import { listAnswered } from "../../database/surveys/asked-people.ts";
import { invalid, parseOrThrow } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import { PanelistChanges } from "../../model/panelist.ts";
import { openOwn } from "../account-databases.ts";
import { Confirm } from "../frame/confirm.tsx";
import { decide, idsOf, orNotFound, requireDone } from "../frame/decide.ts";
import { Done } from "../frame/done.tsx";
import { inWords } from "../frame/errors-in-words.ts";
import { Fact } from "../frame/fact.tsx";
import { Layout } from "../frame/layout.tsx";
import { changedSettings } from "../frame/opened-form.tsx";
import { page, type SentForm } from "../frame/page.tsx";
import { Time } from "../frame/times.tsx";
import { loadJustDone } from "../frame/undo.tsx";
import { backTo, readVisit, withParameter } from "../frame/visit.ts";
import { nameOf } from "../frame/words.ts";
import { Written } from "../ideas/written.tsx";
import { countEnd, limitOwner } from "../identity/limit-owner.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { AnsweredSurveys } from "../surveys/answered-surveys.tsx";
import { AddressForm } from "./address-form.tsx";
import { PEOPLE } from "./people-page.tsx";
import { loadTellsOfPerson, ToldPerson } from "./told-person.tsx";

const PERSON = `${PEOPLE}/:panelistId` as const;

export const PERSON_PAGE = page({
  path: PERSON,

  load,

  view: ({ panelist, sharing, contributions, answered, tells, here, back, done, refused }) => {
    const { id, externalId, email, emailVerified, active, createdAt } = panelist;
    return (
      <Layout title={nameOf(panelist)} current="people">
        <p>
          <a href={back ?? PEOPLE}>{backInWords(back)}</a>
        </p>
        <Done done={done} person={nameOf(panelist)} />
        <dl>
          <Fact name="Status">
            {active ? "Active" : "Blocked: their tokens don’t work, and no new ones are issued"}
          </Fact>
          <Fact name="First seen">
            <Time at={createdAt} />
          </Fact>
          <Fact name="ID in your system">{externalId === null ? "None" : <code>{externalId}</code>}</Fact>
          {email !== null && (
            <Fact name="Email">
              <bdi>{email}</bdi>
              {emailVerified && <span class="hint"> Verified by signing in</span>}
            </Fact>
          )}
          {sharing.length > 0 && (
            <Fact name="Same mailbox as">
              {sharing.map((other, index) => (
                <>
                  {index > 0 && ", "}
                  <a href={`${PEOPLE}/${other.id}`}>
                    <bdi>{other.email ?? nameOf(other)}</bdi>
                  </a>
                </>
              ))}
            </Fact>
          )}
          <Fact name="Internal ID">
            <code>{id}</code>
          </Fact>
        </dl>
        <form method="post" action={here} class="actions">
          <button type="submit" name="do" value="end-tokens">
            Sign out everywhere
          </button>
          <button type="submit" name="do" value={active ? "block" : "unblock"}>
            {active ? "Block" : "Unblock"}
          </button>
          <Confirm
            says="Their votes and survey responses are deleted and their tokens stop working. Responses to closed anonymous surveys stay. You can’t undo this."
            buttons={[
              ["delete", "Delete person, keep ideas and comments"],
              ["delete-all", "Delete person, ideas and comments"],
            ]}
          />
        </form>
        <p class="hint">
          Signing out revokes all tokens. Your site gets a new one when the person comes back. Blocking also keeps them
          from getting a new one. Once unblocked, they sign in again.
        </p>
        <AddressForm panelist={panelist} action={here} refused={refused} />
        <List title="Ideas" items={contributions.proposals} here={here} canDelete />
        <List title="Comments" items={contributions.comments} here={here} canDelete />
        <List title="Votes" items={contributions.votes} here={here} />
        <AnsweredSurveys answered={answered} />
        <ToldPerson tells={tells} here={here} />
      </Layout>
    );
  },

  act: async (c) => {
    const { panelistId } = idsOf(c.req.param());
    const fields = await readForm(c);
    const what = fields.get("do") ?? "";
    const { here, back } = readVisit(c);
    const event = what === "email" ? await changeAddress(c, panelistId, fields) : await change(c, panelistId, what);
    const list = back?.split("?")[0] === PEOPLE ? back : PEOPLE;
    const to = what.startsWith("delete") ? list : backTo(here, back);
    return c.redirect(event === undefined ? to : withParameter(to, "undo", event), 303);
  },

  refused: (c, refused, error) => {
    if (refused.fields.get("do") !== "email") throw error;
    return load(c, inWords(refused));
  },
});

/** `here`: this page, which leads `back` to the list, the idea or the voters from which it was opened. */
async function load(c: Context<OwnerEnv, typeof PERSON>, refused?: SentForm) {
  const { here: path, back, ...visit } = readVisit(c);
  const { panelistId } = idsOf(c.req.param());
  const own = await openOwn(c);
  const here = backTo(path, back);
  const [panelist, sharing, contributions, answered, tells, done] = await Promise.all([
    loadPanelist(own.session, own.accountId, panelistId),
    listSameMailbox(own.session, own.accountId, panelistId),
    listContributions(own.session, own.accountId, panelistId),
    listAnswered(own.session, own.accountId, panelistId),
    loadTellsOfPerson(own, panelistId),
    loadJustDone(own, { ...visit, here }, Date.now()),
  ]);
  return { panelist: orNotFound(panelist), sharing, contributions, answered, tells, here, back, done, refused };
}

const backInWords = (back = ""): string => {
  const [path = ""] = back.split("?");
  if (/\/ideas\/\w{12}$/.test(path)) return "Back to the idea";
  return path.endsWith("/voters") ? "Back to the voters" : "Back to the list";
};

type ListProps = {
  readonly title: string;
  readonly items: readonly Contribution[];
  readonly here: string;
  readonly canDelete?: boolean;
};

const List = ({ title, items, here, canDelete = false }: ListProps) => (
  <section aria-labelledby={title}>
    <h2 id={title}>{title}</h2>
    {items.length === 0 && <p class="hint">None yet.</p>}
    <ol class="events">
      {items.map((item) => (
        <Written item={item} here={here} canDelete={canDelete} />
      ))}
    </ol>
    {items.length === CONTRIBUTIONS_AT_MOST && <p class="hint">{`Showing ${CONTRIBUTIONS_AT_MOST}.`}</p>}
  </section>
);

/**
 * Sets the address that the form's user has changed, or takes it away, and returns the event's id; undefined when nothing was changed.
 * Throws `invalid-request`, also for one that somebody else has changed in the meantime, and `not-found`.
 */
async function changeAddress(c: Context<OwnerEnv>, id: string, fields: URLSearchParams): Promise<string | undefined> {
  const addressIn = (each: URLSearchParams) => ({ email: each.get("email")?.trim() || null });
  const changes = parseOrThrow(PanelistChanges, changedSettings(fields, addressIn));
  if (changes.email === undefined) return undefined;
  await limitOwner(c);
  const { session, accountId } = await openOwn(c);
  const { email } = orNotFound(await loadPanelist(session, accountId, id));
  const was = fields.get("was");
  if (was !== null && email !== changes.email && email !== addressIn(new URLSearchParams(was)).email)
    throw invalid([{ path: "email", message: "was changed in the meantime. Save again to replace it" }]);
  const { answer, eventId } = await decide(c, { kind: "panelist", id }, (own) =>
    updatePanelist(own.session, { accountId: own.accountId, id, changes, now: own.now }),
  );
  orNotFound(answer);
  return eventId;
}

/** Makes the change, and returns the event's id. Throws `invalid-request`, and `not-found`. */
async function change(c: Context<OwnerEnv>, id: string, what: string): Promise<string> {
  // Whatever ends something is done, however many changes were made.
  if (what === "unblock") await limitOwner(c);
  const isUncounted = what !== "unblock" && !(await countEnd(c));
  const subject = { kind: "panelist", id, isUncounted } as const;
  const { answer, eventId } = await decide(c, subject, async ({ session, accountId, now }) => {
    switch (what) {
      case "end-tokens": {
        const written = await revokePanelistTokens(session, { accountId, id, now });
        requireDone(written.result);
        return written;
      }
      case "block":
      case "unblock":
        return orNotFound(
          await updatePanelist(session, { accountId, id, changes: { active: what === "unblock" }, now }),
        );
      case "delete":
      case "delete-all": {
        const deletion = { accountId, id, deletesContent: what === "delete-all", now, idempotencyKey: undefined };
        const written = await deletePanelist(session, deletion);
        requireDone(written.result);
        return written;
      }
      default:
        throw invalid([{ path: "do", message: "is not known" }]);
    }
  });
  if (answer !== "other-id" && answer.revocation !== undefined) c.var.views.noteRevocation(answer.revocation);
  return eventId;
}
