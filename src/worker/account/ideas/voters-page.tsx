/** `…/ideas/{id}/voters`: lists who votes for an idea, adds votes for people who asked elsewhere, and removes votes. */
import type { Context } from "hono";
import { loadPanelist } from "../../database/panelists/panelists.ts";
import { loadProposal } from "../../database/proposals/proposals.ts";
import { listVoters, setVoteFor } from "../../database/votes/voters.ts";
import { invalid, parseOrThrow } from "../../http/invalid-request.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import { readForm } from "../../http/read-body.ts";
import { isId } from "../../model/id.ts";
import { PageQuery } from "../../model/pagination.ts";
import type { Panelist } from "../../model/panelist.ts";
import type { Proposal } from "../../model/proposal.ts";
import { NewVote, type Voter } from "../../model/voter.ts";
import { Problem } from "../../problem.ts";
import { openOwn } from "../account-databases.ts";
import { decide, idsOf, noSuchContent, orNotFound } from "../frame/decide.ts";
import { Done, type JustDone } from "../frame/done.tsx";
import { inWords } from "../frame/errors-in-words.ts";
import { ExportLink } from "../frame/export-link.tsx";
import { ErrorSummary } from "../frame/field.tsx";
import { useMay } from "../frame/frame.ts";
import { Layout } from "../frame/layout.tsx";
import { page, type SentForm } from "../frame/page.tsx";
import { Pager } from "../frame/pager.tsx";
import { Table } from "../frame/table.tsx";
import { Time } from "../frame/times.tsx";
import { loadJustDone } from "../frame/undo.tsx";
import { backTo, readVisit, withParameter } from "../frame/visit.ts";
import { counted, nameOf } from "../frame/words.ts";
import type { Own, OwnerEnv } from "../owner-env.ts";
import { NAMELESS } from "./comments.tsx";
import { readPerson, type UnknownPerson, unknownOf } from "./named-person.ts";
import { addressOf, IDEA, pathOfIdea } from "./opened-idea.ts";
import { PERSON_LABELS, PersonField } from "./person-field.tsx";

const VOTERS = `${IDEA}/voters`;
const PERSON = "panelistExternalId";

export const VOTERS_PAGE = page({
  path: VOTERS,
  load: (c) => load(c, { fields: new URLSearchParams(), errors: [] }),
  view: (props) => <VotersPage {...props} />,
  allows: "requests",

  act: async (c) => {
    const fields = await readForm(c);
    const { here } = readVisit(c);
    const { person, eventId } = await change(c, fields);
    return c.redirect(withParameter(withParameter(here, "person", person), "undo", eventId), 303);
  },

  refused: (c, sent, error) => load(c, inWords(sent), unknownOf(error)),
});

type Changed = { readonly eventId: string; readonly person: string };

/** Adds or removes a vote, and returns the event's id and the person's. Throws `invalid-request`, and `not-found`. */
async function change(c: Context<OwnerEnv>, fields: URLSearchParams): Promise<Changed> {
  const path = pathOfIdea(c);
  const requireSubject = async ({ session, accountId }: Own) =>
    orNotFound(await loadProposal(session, accountId, path));
  const voted = fields.get("do") !== "remove";
  if (voted) parseOrThrow(NewVote, { panelistExternalId: fields.get(PERSON) ?? "" });
  const person = voted
    ? await readPerson(c, { fields, requireSubject })
    : idsOf({ id: fields.get("panelistId") ?? "" });
  if (person === undefined) throw noSuchContent();
  const subject = { kind: "proposal" as const, id: path.proposalId, ideaBankId: path.ideaBankId, isOfVotes: true };
  const { answer, eventId } = await decide(c, subject, ({ session, accountId, now }) =>
    setVoteFor(session, { accountId, path, named: { panelistId: person.id }, voted, now }),
  );
  if (answer === null || answer === "no-panelist") throw noSuchContent();
  if ("duplicateOf" in answer) throw new Problem("conflict", { detail: "This idea was merged into another one." });
  if (voted && !answer.isChanged) throw invalid([{ path: PERSON, message: "has voted for this idea already" }]);
  return { eventId, person: person.id };
}

async function load(c: Context<OwnerEnv>, sent: SentForm, unknown?: UnknownPerson): Promise<Props> {
  const visit = readVisit(c);
  const { page } = await readPage(c, PageQuery);
  const path = pathOfIdea(c);
  const { session, accountId } = await openOwn(c);
  const [idea, voters, person, done] = await Promise.all([
    loadProposal(session, accountId, path),
    listVoters(session, { accountId, path, request: page }),
    isId(visit.person ?? "") ? loadPanelist(session, accountId, visit.person ?? "") : null,
    loadJustDone({ session, accountId }, visit, Date.now()),
  ]);
  const { items, next } = orNotFound(voters);
  return {
    ...{ ...sent, path: addressOf(path), idea: orNotFound(idea), voters: items, unknown, here: visit.here },
    ...{ person, done, more: await nextCursor(c, next) },
  };
}

type Props = SentForm & {
  readonly path: string;
  readonly idea: Proposal;
  readonly voters: readonly Voter[];
  readonly unknown: UnknownPerson | undefined;
  readonly more: string | undefined;
  readonly here: string;
  /** Whose vote the last decision was about. */
  readonly person: Panelist | null;
  readonly done: JustDone | undefined;
};

const VotersPage = (props: Props) => {
  const { path, idea, voters, errors, more, here, person, done } = props;
  const takesVotes = idea.duplicateOf === null;
  return (
    <Layout title="Voters" part={idea.title} current="ideas" scripts={["suggest.js"]}>
      <p>
        <a href={path}>
          Back to “<bdi>{idea.title}</bdi>”
        </a>
      </p>
      <Done done={done} {...(person && { person: nameOf(person) })} />
      {errors.length > 0 && <ErrorSummary title="No vote was added." errors={errors} labels={PERSON_LABELS} />}
      {takesVotes && <Add {...props} />}
      {voters.length === 0 && <p class="notice">No votes yet.</p>}
      {voters.length > 0 && (
        <section aria-labelledby="votes">
          <h2 id="votes">{counted(idea.votes, "vote")}</h2>
          <Table columns={["Name", "ID in your system", "Voted", { unseen: "Action" }]}>
            {voters.map((voter) => (
              <Row voter={voter} here={here} path={takesVotes ? path : undefined} />
            ))}
          </Table>
        </section>
      )}
      <Pager next={more && `${path}/voters?cursor=${more}`} label="More" />
      {voters.length > 0 && <ExportLink to={`${path}/voters/export`} what="voters" />}
    </Layout>
  );
};

type RowProps = Pick<Props, "here"> & {
  readonly voter: Voter;
  /** Of the idea, while it takes votes. */
  readonly path: string | undefined;
};

const Row = ({ voter, here, path }: RowProps) => {
  const { panelistId, displayName, externalId, at } = voter;
  const name = displayName ?? externalId ?? NAMELESS;
  return (
    <tr>
      <th scope="row">
        <a href={backTo(`/account/people/${panelistId}`, here)}>
          <bdi>{name}</bdi>
        </a>
      </th>
      <td>{externalId !== null && <code>{externalId}</code>}</td>
      <td>
        <Time at={at} />
      </td>
      <td class="number act">
        {path !== undefined && useMay("member") && (
          <form method="post" action={`${path}/voters`} class="small">
            <input type="hidden" name="panelistId" value={panelistId} />
            <button type="submit" name="do" value="remove" class="danger" aria-label={`Remove the vote of ${name}`}>
              Remove
            </button>
          </form>
        )}
      </td>
    </tr>
  );
};

const HINT = "Who asked? Name or ID";

const Add = ({ path, fields, errors, unknown }: Props) =>
  useMay("member") && (
    <section aria-labelledby="add">
      <h2 id="add">Add a voter</h2>
      <form method="post" action={`${path}/voters`} class="narrow">
        <PersonField fields={fields} hint={HINT} errors={errors} unknown={unknown} required />
        <button type="submit" name="do" value="add" class="primary">
          Add voter
        </button>
      </form>
    </section>
  );
