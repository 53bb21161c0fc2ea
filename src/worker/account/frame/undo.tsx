/**
 * `/account/undo`: takes back the last decision about ideas and comments, for a minute, with everything that was saved with it; and the
 * undo itself. A merge and the deletion of an idea are final, and their pages say so.
 */
import type { Context } from "hono";
import {
  type ChangedProposal,
  type LoadedDecision,
  loadDecision,
  type Texts,
} from "../../database/activity/audit-events.ts";
import { loadNames } from "../../database/activity/found-events.ts";
import { type KeptComment, undoComment } from "../../database/comments/comments.ts";
import { isBlockedSince } from "../../database/panelists/panelists.ts";
import { DECIDED_TEXTS, DECIDED_VALUES } from "../../database/proposals/proposal-fields.ts";
import { changeProposalFrom } from "../../database/proposals/proposals.ts";
import { parseOrThrow } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import { ProposalChanges } from "../../model/proposal.ts";
import { Problem } from "../../problem.ts";
import type { Session } from "../../store/session.ts";
import { openOwn } from "../account-databases.ts";
import { countChange } from "../identity/limit-owner.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { decide, decideTogether, type ProposalDecision } from "./decide.ts";
import type { JustDone } from "./done.tsx";
import { action } from "./page.tsx";
import { ownPage, type PageVisit, tellAt, withParameter } from "./visit.ts";

const UNDO_MS = 60_000;

type State = Readonly<Record<string, unknown>>;
const pick = (names: readonly string[], state: State) =>
  Object.fromEntries(names.filter((name) => name in state).map((name) => [name, state[name]]));

/** An undo is no news: `lastActivityAt` is as before. Undefined for an event of 1.0.0. */
function activityOf({ before, after }: { readonly before: State; readonly after: State }) {
  const [was, is] = [before, after].map(({ lastActivityAt }) => Date.parse(String(lastActivityAt)));
  return was && is ? { before: was, after: is } : undefined;
}

const nothingUndone = (detail: string) => new Problem("conflict", { detail });
const tooLate = () =>
  nothingUndone("A minute has passed, so nothing was undone. An idea’s history has Undo at any time.");
const changedSince = () => nothingUndone("It was changed in the meantime, so nothing was undone.");

/** Why nothing was undone. Called when nothing was. Throws `conflict`. */
async function whyNot({ session, accountId }: Own, ids: readonly string[], since: number): Promise<Problem> {
  return (await isBlockedSince(session, { accountId, ids, since }))
    ? nothingUndone("Its author was blocked in the meantime, so nothing was undone.")
    : changedSince();
}

/** What a page says of the decision before it. */
type Told = Pick<PageVisit, "undo" | "redo" | "here">;

type Own = { readonly session: Session; readonly accountId: string };

/** The decision that the page's link names, if the owner made it in this account in the last minute. */
export async function loadJustDone(
  { session, accountId }: Own,
  { undo, redo, here }: Told,
  now: number,
): Promise<JustDone | undefined> {
  const eventId = redo ?? undo;
  if (eventId === undefined) return undefined;
  const decision = await loadDecision(session, accountId, eventId);
  if (decision === null || Date.parse(decision.event.createdAt) < now - UNDO_MS) return undefined;
  const into = decision.event.changes?.after.duplicateOf;
  const names = typeof into === "string" ? await loadNames(session, accountId, [into]) : undefined;
  const mergedInto = names?.get(String(into));
  return { ...decision, here, isUndoable: isUndoable(decision), isUndo: redo !== undefined, mergedInto };
}

const isOfComment = ({ event }: LoadedDecision): boolean => event.event.startsWith("comment-");
const hasChanged = ({ before }: ChangedProposal): boolean => Object.keys(pick(DECIDED_VALUES, before)).length > 0;
const isUndoable = (decision: LoadedDecision): boolean =>
  isOfComment(decision) ? decision.texts !== null : decision.each.some(hasChanged) || textsOf(decision) !== undefined;

/** The texts that a decision about one proposal has changed: as they were, and as they became. */
function textsOf({ texts }: LoadedDecision) {
  const { before, after } = texts ?? {};
  if (!before || !after || !("response" in before)) return undefined;
  const changed = DECIDED_TEXTS.filter((name) => before[name] !== after[name]);
  if (changed.length === 0) return undefined;
  const at = (side: Texts) => ({
    ...pick(changed, side),
    ...(changed.includes("response") && { response: side.response === null ? null : { text: side.response } }),
  });
  return { before: at(before), after: at(after), respondedAt: Number(before.respondedAt) || undefined };
}

export const UNDO = action("/account/undo", async (c) => {
  const fields = await readForm(c);
  const [event = "", ...others] = fields.getAll("event");
  const back = ownPage(fields.get("back"), "/account/ideas");
  if (others.length > 0) return c.redirect(await undoApprovals(c, [event, ...others], back), 303);
  const undone = await undo(c, event);
  const parameter = fields.has("redo") ? "undo" : "redo";
  return c.redirect(withParameter(back, parameter, undone), 303);
});

/** Comments are approved together, each with an event of its own. Returns where it leads. Throws `conflict` when none is undone. */
async function undoApprovals(c: Context<OwnerEnv>, events: readonly string[], back: string): Promise<string> {
  for (const _ of events.slice(1)) await countChange(c);
  const undone = await Promise.allSettled(events.map((event) => undo(c, event)));
  const [failed, ...others] = undone.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  if (others.length === events.length - 1 && failed !== undefined) throw failed;
  return tellAt(back, "approvals-undone");
}

/**
 * Takes the decision back, and returns the new event's id. Values that were changed since stay. So does what people would read by it that
 * nobody of the team has read, or that is by somebody who was blocked since. Throws `conflict` when nothing is left to undo.
 */
async function undo(c: Context<OwnerEnv>, eventId: string): Promise<string> {
  const { session, accountId } = await openOwn(c);
  const now = Date.now();
  const done = await loadJustDone({ session, accountId }, { undo: eventId, redo: undefined, here: "" }, now);
  if (done === undefined) throw tooLate();
  if (!done.isUndoable) throw nothingUndone("This can’t be undone.");
  const since = Date.parse(done.event.createdAt);
  if (isOfComment(done)) return undoOfComment(c, done, since);
  const texts = textsOf(done);
  const undoing = done.each
    .filter((each) => hasChanged(each) || texts !== undefined)
    .map((each): ProposalDecision => {
      const path = { ideaBankId: each.ideaBankId, proposalId: each.id };
      const before = parseOrThrow(ProposalChanges, { ...pick(DECIDED_VALUES, each.before), ...texts?.before });
      const after = parseOrThrow(ProposalChanges, { ...pick(DECIDED_VALUES, each.after), ...texts?.after });
      const change = { accountId, path, changes: { ...before, minor: true }, now, since, activity: activityOf(each) };
      return { subject: each, statement: changeProposalFrom(after, { ...change, respondedAt: texts?.respondedAt }) };
    });
  const [one] = undoing;
  const ids = undoing.map(({ subject }) => subject.id);
  // With its texts it is a decision about one idea, which keeps them for the way back.
  if (texts === undefined || one === undefined) {
    const undone = await decideTogether(c, { session, accountId, now }, undoing);
    if (undone === undefined) throw await whyNot({ session, accountId }, ids, since);
    return undone;
  }
  const subject = { kind: "proposal", id: one.subject.id, ideaBankId: one.subject.ideaBankId } as const;
  const { answer, eventId: undone } = await decide(c, subject, (own) => own.session.all(one.statement));
  if (answer.length === 0) throw await whyNot({ session, accountId }, ids, since);
  return undone;
}

async function undoOfComment(
  c: Context<OwnerEnv>,
  { event: { subject }, texts }: JustDone,
  since: number,
): Promise<string> {
  if (subject === null || subject.ideaBankId === null || texts === null) throw changedSince();
  const { id, ideaBankId } = subject;
  const { answer, eventId } = await decide(c, { kind: "comment", id, ideaBankId }, ({ session, accountId }) =>
    undoComment(session, {
      ...{ accountId, id, since },
      before: texts.before as KeptComment | null,
      after: texts.after as KeptComment | null,
    }),
  );
  if (answer) return eventId;
  const author = (texts.before ?? texts.after)?.panelistId;
  throw await whyNot(await openOwn(c), typeof author === "string" ? [author] : [], since);
}
