/** `/account/people/{id}`: one panelist, with proposals, comments and votes, and the team's actions. */
import type { Context } from "hono";
import {
  clearPanelist,
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
import { type Panelist, PanelistChanges } from "../../model/panelist.ts";
import { NotAsOpened, Problem } from "../../problem.ts";
import { openOwn } from "../account-databases.ts";
import { ClearPerson } from "../frame/clear-person.tsx";
import { Confirm } from "../frame/confirm.tsx";
import { decide, idsOf, noSuchContent, orNotFound, requireDone } from "../frame/decide.ts";
import { Done, Outcome } from "../frame/done.tsx";
import { inWords } from "../frame/errors-in-words.ts";
import { Fact } from "../frame/fact.tsx";
import { ForMembers } from "../frame/for-members.tsx";
import { useMayExport } from "../frame/frame.ts";
import { Layout } from "../frame/layout.tsx";
import { changedSettings, saveOpened } from "../frame/opened-form.tsx";
import { page, type SentForm } from "../frame/page.tsx";
import { Time } from "../frame/times.tsx";
import { loadJustDone } from "../frame/undo.tsx";
import { backTo, readVisit, tellAt, withParameter } from "../frame/visit.ts";
import { nameOf } from "../frame/words.ts";
import { changeNotes, isOfNotes, NOTE_SCRIPTS, takeNotesPage } from "../ideas/notes.tsx";
import { MAX_TEXT_FORM_BYTES } from "../ideas/text-fields.tsx";
import { Written } from "../ideas/written.tsx";
import { countEnd, limitOwner } from "../identity/limit-owner.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { AnsweredSurveys } from "../surveys/answered-surveys.tsx";
import { AddressForm } from "./address-form.tsx";
import { DownloadStored } from "./download-stored.tsx";
import { PEOPLE } from "./people-page.tsx";
import { loadPersonNotes, PersonNotes } from "./person-notes.tsx";
import { loadTellsOfPerson, ToldPerson } from "./told-person.tsx";

const PERSON = `${PEOPLE}/:panelistId` as const;

export const PERSON_PAGE = page({
  path: PERSON,

  load,

  view: ({ panelist, sharing, contributions, answered, tells, here, back, done, refused, told, team }) => {
    const isNote = isOfNotes(refused?.fields.get("do") ?? "");
    const { id, externalId, email, emailVerified, active, createdAt } = panelist;
    const hasWritten = contributions.proposals.length + contributions.comments.length > 0;
    return (
      <Layout title={nameOf(panelist)} current="people" scripts={NOTE_SCRIPTS}>
        <p>
          <a href={back ?? PEOPLE}>{backInWords(back)}</a>
        </p>
        <Done done={done} person={nameOf(panelist)} />
        <Outcome told={told} />
        <dl>
          <Fact name="Status">{active ? "Active" : "Blocked"}</Fact>
          <Fact name="First seen">
            <Time at={createdAt} />
          </Fact>
          <Fact name="ID in your system">{externalId === null ? "None" : <code>{externalId}</code>}</Fact>
          {email !== null && (
            <Fact name="Email">
              <a href={`mailto:${encodeURIComponent(email).replace("%40", "@")}`}>
                <bdi>{email}</bdi>
              </a>
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
        <ForMembers>
          <form method="post" action={here} class="actions">
            <button type="submit" name="do" value="end-tokens">
              Sign out everywhere
            </button>
            <button type="submit" name="do" value={active ? "block" : "unblock"}>
              {active ? "Block" : "Unblock"}
            </button>
          </form>
          <p class="hint">
            {`Blocked people can’t read, vote or write. ${hasWritten ? "What they wrote stays. " : ""}Once unblocked, they sign in again.`}
          </p>
        </ForMembers>
        <PersonNotes team={team} action={here} refused={isNote ? refused : undefined} />
        <List title="Ideas" items={contributions.proposals} here={here} canDelete />
        <List title="Comments" items={contributions.comments} here={here} canDelete />
        <List title="Votes" items={contributions.votes} here={here} />
        <AnsweredSurveys answered={answered} />
        <AddressForm panelist={panelist} action={here} refused={isNote ? undefined : refused} />
        <ToldPerson tells={tells} here={here} />
        {useMayExport("person") && <DownloadStored id={id} />}
        <ForMembers>
          <section aria-labelledby="delete">
            <h2 id="delete">Delete</h2>
            <form method="post" action={here} class="actions">
              <ClearPerson
                panelistId={id}
                back={back}
                label={active ? "Block and delete what they wrote…" : "Delete what they wrote…"}
              />
              <Confirm
                summary="Delete person…"
                says={`${active ? "They" : "This lifts the block: they"} can come back as a new person. Their votes and survey responses are deleted and their tokens stop working. Responses to closed anonymous surveys stay. You can’t undo this.`}
                buttons={[["delete", "Delete person, keep ideas and comments"]]}
              />
              <a class="button danger" href={backTo(`${PEOPLE}/${id}/clear?with=person`, back)}>
                Delete person, ideas and comments…
              </a>
            </form>
          </section>
        </ForMembers>
      </Layout>
    );
  },

  act: async (c) => {
    const { panelistId } = idsOf(c.req.param());
    const fields = await readForm(c, { maxBytes: MAX_TEXT_FORM_BYTES });
    const what = fields.get("do") ?? "";
    const { here, back } = readVisit(c);
    if (isOfNotes(what)) {
      await limitOwner(c);
      return c.redirect(tellAt(backTo(here, back), await changeNotes(c, { of: { panelistId }, what, fields })), 303);
    }
    const event = what === "email" ? await changeAddress(c, panelistId, fields) : await change(c, panelistId, what);
    const list = back?.split("?")[0] === PEOPLE ? back : PEOPLE;
    const to = what.startsWith("delete") ? list : what === "clear" && back !== undefined ? back : backTo(here, back);
    return c.redirect(event === undefined ? to : withParameter(to, "undo", event), 303);
  },

  refused: (c, refused, error) => {
    const what = refused.fields.get("do") ?? "";
    if (what !== "email" && !isOfNotes(what)) throw error;
    return load(c, inWords(refused));
  },
});

/** `here`: this page, which leads `back` to the list, the idea or the voters from which it was opened. */
async function load(c: Context<OwnerEnv, typeof PERSON>, refused?: SentForm) {
  const after = takeNotesPage(c);
  const { here: path, back, ...visit } = readVisit(c);
  const { panelistId } = idsOf(c.req.param());
  const own = await openOwn(c);
  const here = backTo(path, back);
  const [panelist, sharing, contributions, answered, tells, done, team] = await Promise.all([
    loadPanelist(own.session, own.accountId, panelistId),
    listSameMailbox(own.session, own.accountId, panelistId),
    listContributions(own.session, own.accountId, panelistId),
    listAnswered(own.session, own.accountId, panelistId),
    loadTellsOfPerson(own, panelistId),
    loadJustDone(own, { ...visit, here }, Date.now()),
    loadPersonNotes(c, panelistId, after),
  ]);
  return {
    ...{ panelist: orNotFound(panelist), sharing, contributions, answered, tells, here, back, done, refused },
    ...{ told: visit.told, team },
  };
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
 * Throws `invalid-request`, `not-found`, and `ChangedMeanwhile`.
 */
async function changeAddress(c: Context<OwnerEnv>, id: string, fields: URLSearchParams): Promise<string | undefined> {
  const addressIn = (each: URLSearchParams) => ({ email: each.get("email")?.trim() || null });
  const changes = parseOrThrow(PanelistChanges, changedSettings(fields, addressIn));
  if (changes.email === undefined) return undefined;
  await limitOwner(c);
  const { session, accountId } = await openOwn(c);
  const load = async () => orNotFound(await loadPanelist(session, accountId, id));
  const toFields = ({ email }: Panelist) => new URLSearchParams({ email: email ?? "" });
  return saveOpened({ id, fields, toSettings: addressIn, load, toFields }, async (_, opened) => {
    const { answer, eventId } = await decide(c, { kind: "panelist", id }, (own) =>
      updatePanelist(own.session, { accountId: own.accountId, id, changes, opened, now: own.now }),
    );
    if (answer === null && opened) throw new NotAsOpened();
    orNotFound(answer);
    return eventId;
  });
}

/** Throws `conflict` for somebody who is still blocked. */
function requireActive<Updated extends { readonly panelist: Panelist } | "other-id">(
  isUnblocked: boolean,
  updated: Updated,
): Updated {
  if (isUnblocked && updated !== "other-id" && !updated.panelist.active)
    throw new Problem("conflict", { detail: "What they wrote is still being deleted. Unblock them in a few minutes." });
  return updated;
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
        return requireActive(
          what === "unblock",
          orNotFound(await updatePanelist(session, { accountId, id, changes: { active: what === "unblock" }, now })),
        );
      case "clear": {
        const written = await clearPanelist(session, { accountId, id, now });
        if (!written.isCleared) throw noSuchContent();
        return written;
      }
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
