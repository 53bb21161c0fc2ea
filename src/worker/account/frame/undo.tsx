/** `/account/undo`: takes back the last decision about ideas, for a minute: status, visibility and tags, and with them the date in the changelog. */
import type { Context } from "hono";
import { type ChangedProposal, loadDecision } from "../../database/audit-events.ts";
import { changeProposalFrom } from "../../database/proposals.ts";
import { parseOrThrow } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import type { Routes } from "../../http/routes.ts";
import { ProposalChanges } from "../../model/proposal.ts";
import { Problem } from "../../problem.ts";
import type { Session } from "../../store/session.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { decideTogether, openOwn, type ProposalDecision } from "./decide.ts";
import type { JustDone } from "./done.tsx";
import { ownPage, type PageVisit, withParameter } from "./visit.ts";

const UNDO = "/account/undo";
const UNDO_MS = 60_000;

const UNDOABLE = ["status", "visibility", "tags"] as const;
type State = Readonly<Record<string, unknown>>;
const pick = (state: State) =>
  Object.fromEntries(UNDOABLE.filter((name) => name in state).map((name) => [name, state[name]]));

/** An undo is no news: `lastActivityAt` is as before. Undefined for an event of 1.0.0. */
function activityOf({ before, after }: { readonly before: State; readonly after: State }) {
  const [was, is] = [before, after].map(({ lastActivityAt }) => Date.parse(String(lastActivityAt)));
  return was && is ? { before: was, after: is } : undefined;
}

const tooLate = () =>
  new Problem("conflict", { detail: "A minute has passed, or it was changed since: nothing was undone." });

/** The decision that the page's link names, if the owner made it in this account in the last minute. */
export async function loadJustDone(
  { session, accountId }: { readonly session: Session; readonly accountId: string },
  { undo, here }: PageVisit,
  now: number,
): Promise<JustDone | undefined> {
  if (undo === undefined) return undefined;
  const decision = await loadDecision(session, accountId, undo);
  if (decision === null || Date.parse(decision.event.createdAt) < now - UNDO_MS) return undefined;
  return { ...decision, here, isUndoable: decision.each.some(isUndoable) };
}

const isUndoable = ({ before }: ChangedProposal): boolean => Object.keys(pick(before)).length > 0;

export function addUndo(routes: Routes<OwnerEnv>): void {
  routes.post(UNDO, async (c) => {
    const fields = await readForm(c);
    const undone = await undo(c, fields.get("event") ?? "");
    return c.redirect(withParameter(ownPage(fields.get("back"), "/account/idea-banks"), "undo", undone), 303);
  });
}

/**
 * Takes the decision back, and returns the new event's id. Values that were changed since stay. Throws `conflict` when nothing is
 * left to undo.
 */
async function undo(c: Context<OwnerEnv>, event: string): Promise<string> {
  const { session, accountId } = await openOwn(c);
  const own = { session, accountId, now: Date.now() };
  const done = await loadJustDone(own, { undo: event, here: "", back: undefined }, own.now);
  const undone = await decideTogether(
    c,
    own,
    (done?.each ?? []).filter(isUndoable).map((each): ProposalDecision => {
      const path = { ideaBankId: each.ideaBankId, proposalId: each.id };
      const before = parseOrThrow(ProposalChanges, pick(each.before));
      const after = parseOrThrow(ProposalChanges, pick(each.after));
      return {
        subject: each,
        statement: changeProposalFrom(after, {
          ...{ accountId, path, changes: { ...before, minor: true }, now: own.now },
          activity: activityOf(each),
        }),
      };
    }),
  );
  if (undone === undefined) throw tooLate();
  return undone;
}
