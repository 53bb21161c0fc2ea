/** What a survey may be, and how it may change. Pure. */
import { afterChange, type NewSurvey, type Survey, type SurveyChanges } from "./survey.ts";
import { type Fault, meaningFaults } from "./survey-answers.ts";
import { toMilliseconds } from "./text.ts";

type Fields = Pick<
  NewSurvey,
  "ideaBankId" | "status" | "url" | "questions" | "audience" | "anonymous" | "closesAt" | "maxResponses"
>;

/** `invalid`: it could never be so; `conflict`: it cannot be so any more. */
export type Refusal = { readonly kind: "invalid" | "conflict"; readonly faults: readonly Fault[] };

function* faultsOf({ ideaBankId, status, url, questions, audience }: Fields): Generator<Fault> {
  const isOpen = status === "OPEN";
  if (ideaBankId !== null && url !== null)
    yield { path: "url", message: "does not go with `ideaBankId`, whose panelists answer here" };
  if (ideaBankId !== null && isOpen && questions.length === 0)
    yield { path: "questions", message: "must have a question before the survey opens" };
  if (ideaBankId === null && isOpen && questions.length > 0)
    yield { path: "ideaBankId", message: "is required to open a survey with questions" };
  if (ideaBankId === null && audience !== null)
    yield { path: "audience", message: "needs `ideaBankId`, the idea bank of the proposal" };
}

const hasPassed = (closesAt: string | null, now: number): boolean =>
  closesAt !== null && toMilliseconds(closesAt) <= now;
const PAST: Fault = { path: "closesAt", message: "must be in the future" };

const invalid = (faults: readonly Fault[]): Refusal | undefined =>
  faults.length > 0 ? { kind: "invalid", faults } : undefined;
const conflict = (faults: readonly Fault[]): Refusal | undefined =>
  faults.length > 0 ? { kind: "conflict", faults } : undefined;

/** `now` is in Unix milliseconds. */
export const refusalOfNew = (survey: Fields, now: number): Refusal | undefined =>
  invalid([...faultsOf(survey), ...(hasPassed(survey.closesAt, now) ? [PAST] : [])]);

/** `was.status` is what it is now, so `CLOSED` from `closesAt` on. */
export function refusalOfChange(was: Survey, sent: SurveyChanges, now: number): Refusal | undefined {
  const after = afterChange(was, sent);
  const { maxResponses } = after;
  const faults = [...faultsOf(after)];
  const isNewEnd = sent.closesAt !== undefined && sent.closesAt !== was.closesAt;
  const isFirstOpening = was.status === "DRAFT" && after.status === "OPEN";
  if ((isNewEnd || isFirstOpening) && hasPassed(after.closesAt, now)) faults.push(PAST);
  if (sent.maxResponses !== undefined && sent.maxResponses !== was.maxResponses && isReached(maxResponses, was))
    faults.push({ path: "maxResponses", message: `must be above ${was.responses}, the number of responses` });
  return invalid(faults) ?? conflict([...conflictsOf(was, after, now)]);
}

const isReached = (maximum: number | null, { responses }: Survey): boolean => maximum !== null && maximum <= responses;

function* conflictsOf(was: Survey, after: Survey, now: number): Generator<Fault> {
  const hasBeenOpen = was.openedAt !== null;
  const isHere = was.ideaBankId !== null;
  if (hasBeenOpen && after.ideaBankId !== was.ideaBankId)
    yield { path: "ideaBankId", message: "cannot change, because the survey has been open" };
  if (hasBeenOpen && isHere && after.anonymous !== was.anonymous)
    yield { path: "anonymous", message: "cannot change, because the survey has been open" };
  if (hasBeenOpen && isHere && after.status === "DRAFT")
    yield { path: "status", message: "cannot be DRAFT, because the survey has been open. Copy it to make a draft" };
  if (hasBeenOpen && isHere) yield* meaningFaults(was.questions, after.questions);
  if (was.status !== "CLOSED" || after.status !== "OPEN" || !isHere || !hasBeenOpen) return;
  if (was.anonymous)
    yield { path: "status", message: "cannot be OPEN again, because the survey is anonymous. Copy it to ask again" };
  else if (hasPassed(after.closesAt, now))
    yield { path: "status", message: "cannot be OPEN again before `closesAt` is moved" };
  else if (isReached(after.maxResponses, was))
    yield { path: "status", message: `cannot be OPEN again before \`maxResponses\` is above ${was.responses}` };
}
