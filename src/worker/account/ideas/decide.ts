/**
 * The one way in which members decide about ideas: on the idea's page, in its row, for several at once, and where one is merged or
 * published. Each decision uses the functions of the tenant API, and returns the id of its event. Each throws `not-found` for what is
 * gone, and `invalid-request` with the reason, in the same words everywhere, why nothing was decided.
 */
import type { Context } from "hono";
import { type Telling, tell } from "../../database/mails/outbox.ts";
import {
  changeProposalFrom,
  deleteProposal,
  inState,
  loadProposal,
  mergeProposal,
  type ProposalFields,
  type ProposalState,
  type Submitted,
  updateProposal,
} from "../../database/proposals/proposals.ts";
import { loadQueued, type QueuedIdea } from "../../database/proposals/queue.ts";
import { invalid, parseOrThrow } from "../../http/invalid-request.ts";
import { tellsPeople } from "../../model/mail-settings.ts";
import { ProposalChanges } from "../../model/proposal.ts";
import { withoutTag } from "../../model/tag.ts";
import { NotAsOpened } from "../../problem.ts";
import { openOwn } from "../account-databases.ts";
import { decide, decideTogether, idsOf, noSuchContent, orNotFound, requireDone } from "../frame/decide.ts";
import type { OwnerEnv } from "../owner-env.ts";
import type { Chosen, Waited } from "./chosen.ts";

export type IdeaPath = { readonly ideaBankId: string; readonly proposalId: string };
export const pathOf = ({ ideaBankId, id }: Chosen): IdeaPath => ({ ideaBankId, proposalId: id });

const subjectOf = ({ ideaBankId, proposalId }: IdeaPath) => ({ kind: "proposal", id: proposalId, ideaBankId }) as const;

/** The fields of a form with the errors of deciding: the idea, and the one into which it is merged. */
export const DECISION_LABELS = { idea: "This idea", into: "The other idea" };
const refuse = (path: keyof typeof DECISION_LABELS, message: string) => invalid([{ path, message }]);

type ChangeOptions = {
  /** The decision is about an idea that waits, in the state that was seen: of several such decisions one counts. */
  readonly waited?: Waited | undefined;
  /** What the form was opened with of what it changes. */
  readonly opened?: ProposalFields | undefined;
  /** What its author wrote stays readable for the team. */
  readonly keepsSubmitted?: boolean;
  /** What the page has asked about telling people. */
  readonly tells?: Tells;
};

/** What of a decision people are told of, as the boxes of a form say; undefined where it had none. */
export type Tells = Pick<Telling, "status" | "response">;
const DEFAULT_TELLS: Tells = { status: undefined, response: undefined };

/** Undefined where the deployment sends no e-mail. */
const tellingOf = (c: Context<OwnerEnv>, tells: Tells = DEFAULT_TELLS): Telling | undefined =>
  tellsPeople(c.env) ? { ...tells, actor: c.var.owner.person } : undefined;

export async function changeIdea(
  c: Context<OwnerEnv>,
  path: IdeaPath,
  changes: ProposalChanges,
  { waited, opened, keepsSubmitted = false, tells }: ChangeOptions = {},
): Promise<string> {
  const { answer, eventId } = await decide(c, subjectOf(path), ({ session, accountId, now }) =>
    updateProposal(session, {
      ...{ accountId, path, changes, opened, now, keepsSubmitted },
      decision: decisionOf(c, waited),
      telling: tellingOf(c, tells),
    }),
  );
  if (answer === null && waited) await requireWaiting(c, path, waited);
  if (answer === null && opened) throw new NotAsOpened();
  orNotFound(answer);
  return eventId;
}

/** Its votes and comments go with it. */
export async function deleteIdea(c: Context<OwnerEnv>, path: IdeaPath): Promise<string> {
  const { answer, eventId } = await decide(c, subjectOf(path), ({ session, accountId }) =>
    deleteProposal(session, { accountId, path }),
  );
  requireDone(answer);
  return eventId;
}

/** Merges the idea into another one of its board, for good. */
export async function mergeIdea(c: Context<OwnerEnv>, path: IdeaPath, into: string, waited?: Waited): Promise<string> {
  if (into === "") throw refuse("into", "was not chosen");
  if (into === path.proposalId) throw refuse("into", "must be another idea");
  const { answer, eventId } = await decide(c, subjectOf(path), ({ session, accountId }) =>
    mergeProposal(session, { accountId, path, into, decision: decisionOf(c, waited) }),
  );
  if (answer !== null && typeof answer === "object" && "target" in answer) return eventId;
  if (waited) await requireWaiting(c, path, waited);
  if (answer === null) throw refuse("into", "was deleted in the meantime. Choose again.");
  if (answer === "busy")
    throw refuse("into", "can’t be merged yet: other merges are under way. Try again in a minute.");
  throw answer.merged === "target"
    ? refuse("into", "was merged in the meantime. Choose again.")
    : refuse("idea", "was already merged into another one.");
}

/** Without `waited` a decision has no condition. */
const decisionOf = (c: Context<OwnerEnv>, waited: Waited | undefined) =>
  waited && { person: c.var.owner.person, edits: waited.edits };

/** Says why a decision about an idea that waited was not made, if that is why. */
async function requireWaiting(c: Context<OwnerEnv>, path: IdeaPath, { edits }: Waited): Promise<void> {
  const { session, accountId } = await openOwn(c);
  const [idea] = await loadQueued(session, { accountId, ids: [path.proposalId] });
  const { visibility, duplicateOf } = orNotFound(await loadProposal(session, accountId, path));
  if (visibility !== "pending" || duplicateOf !== null)
    throw refuse("idea", "is no longer waiting for approval. Somebody has decided about it in the meantime.");
  if (idea !== undefined && edits !== undefined && edits !== idea.edits)
    throw refuse("idea", "was edited since you saw it. Read it again.");
}

/**
 * `event`: undefined when nothing was changed. `leftOut`: how many ideas wait whose present text was not seen. `meanwhile`: those that
 * somebody else has given another status than the list showed.
 */
type DecidedTogether = {
  readonly event: string | undefined;
  readonly leftOut: number;
  readonly meanwhile: readonly Chosen[];
};

type TogetherOptions = Pick<ChangeOptions, "keepsSubmitted" | "tells"> & {
  /** The texts that an idea must still have. */
  readonly seenOf?: (idea: QueuedIdea) => Partial<Submitted>;
};

/**
 * Changes several ideas with one event. An idea that waits is made public only where its whole text was seen, and is hidden there only if
 * nobody else has decided about it. A status is set only where it is as it was seen.
 */
export async function changeIdeas(
  c: Context<OwnerEnv>,
  chosen: readonly Chosen[],
  changesOf: (idea: QueuedIdea) => ProposalChanges,
  { tells, seenOf, keepsSubmitted }: TogetherOptions = {},
): Promise<DecidedTogether> {
  const { session, accountId } = await openOwn(c);
  const ideas = new Map(
    (await loadQueued(session, { accountId, ids: chosen.map(({ id }) => id) })).map((idea) => [idea.id, idea]),
  );
  if (ideas.size === 0) throw noSuchContent();
  const now = Date.now();
  let leftOut = 0;
  const meanwhile: Chosen[] = [];
  const decisions = chosen.flatMap((each) => {
    const idea = ideas.get(each.id);
    if (idea === undefined) return [];
    const changes = changesOf(idea);
    const state = { ...stateFor(changes, each), ...seenOf?.(idea) };
    if (state.status !== undefined && ![state.status, changes.status].includes(idea.status)) meanwhile.push(each);
    const path = idsOf(pathOf(each));
    if (changes.visibility === "public" && idea.visibility === "pending" && idea.edits !== each.waited?.edits)
      leftOut += 1;
    const when = inState(state, { accountId, path });
    const told = tell({ accountId, ...path }, { changes, telling: tellingOf(c, tells), now, when });
    return [
      { subject: each, told, statement: changeProposalFrom(state, { accountId, path, changes, now, keepsSubmitted }) },
    ];
  });
  return { event: await decideTogether(c, { session, accountId, now }, decisions), leftOut, meanwhile };
}

/** The state that an idea must have for its visibility or its status to be changed together with others. */
function stateFor({ visibility, status }: ProposalChanges, { waited, status: seen }: Chosen): ProposalState {
  if (status !== undefined && seen !== undefined) return { status: seen };
  if (visibility === "public")
    return waited?.edits === undefined ? { visibility: "hidden" } : { visibility: "pending", edits: waited.edits };
  return visibility === "hidden" && waited ? { visibility: "pending" } : {};
}

/** What this button of a list changes of an idea with these tags. Throws `invalid-request`. */
export function changesOf(what: string, fields: URLSearchParams, tags: readonly string[]): ProposalChanges {
  if (what === "status") return parseOrThrow(ProposalChanges, { status: fields.get("status") });
  if (what === "public" || what === "hidden") return { visibility: what };
  const [tag] = parseOrThrow(ProposalChanges, { tags: [fields.get("tag")] }).tags ?? [];
  if (tag === undefined) throw invalid([{ path: "tag", message: "is required" }]);
  return parseOrThrow(ProposalChanges, { tags: what === "untag" ? withoutTag(tags, tag) : [...tags, tag] });
}
