/** What of a step of an idea's history can be taken back: the same for its button and for the act (history-page.tsx). */
import type { Step } from "../../database/proposals/history.ts";
import { DECIDED_TEXTS, DECIDED_VALUES } from "../../database/proposals/proposal-fields.ts";
import type { Proposal } from "../../model/proposal.ts";

type Values = Readonly<Record<string, unknown>>;
type Side = 0 | 1;

const UNDOABLE: readonly string[] = [...DECIDED_VALUES, ...DECIDED_TEXTS];
/** As long as the trigger `step_added` leaves a text. */
const BEGINNING = 201;

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The fields as the history has them. */
export const presentOf = ({ response, ...idea }: Proposal): Values => ({ ...idea, response: response?.text ?? null });

/** The fields that Undo sets: their value before is kept whole, and they have another one now. None of a merged idea. */
export function fieldsToUndo({ changes, isCut }: Step, idea: Proposal): readonly string[] {
  if (idea.duplicateOf !== null) return [];
  const present = presentOf(idea);
  return UNDOABLE.filter((name) => {
    // What waits is approved by somebody who has read it.
    if (name === "visibility" && idea.visibility === "pending") return false;
    const sides = changes[name];
    if (sides === undefined || sides.length === 0) return false;
    const [before] = sides;
    const isWhole = !isCut || typeof before !== "string" || [...before].length !== BEGINNING;
    return isWhole && !isSame(before, present[name]);
  });
}

/** These fields as they were before the step, or became by it. */
export const sideOf = ({ changes }: Step, names: readonly string[], side: Side): Values =>
  Object.fromEntries(names.map((name) => [name, changes[name]?.[side]]));

/** These fields of a changed proposal, as a change sends them. */
export const toSent = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      name === "response" && typeof value === "string" ? { text: value } : value,
    ]),
  );

/** The fields that were changed again since the step. */
export const changedSince = (step: Step, names: readonly string[], idea: Proposal): readonly string[] => {
  const [became, present] = [sideOf(step, names, 1), presentOf(idea)];
  return names.filter((name) => !isSame(became[name], present[name]));
};
