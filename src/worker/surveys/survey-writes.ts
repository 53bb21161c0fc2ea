/** Creates and changes surveys by their rules, for the tenant API and for Account Settings. */
import { secureRandomBytes } from "../credentials/base62.ts";
import type { Change, Creation } from "../database/resource.ts";
import {
  createSurvey,
  loadSurveyState,
  type SurveyObstacle,
  type SurveyState,
  updateFreely,
  updateSurvey,
} from "../database/surveys/surveys.ts";
import { invalid } from "../http/invalid-request.ts";
import { MAX_OPEN, type NewSurvey, type Survey, type SurveyChanges } from "../model/survey.ts";
import { type Refusal, refusalOfChange, refusalOfNew } from "../model/survey-rules.ts";
import { Problem } from "../problem.ts";
import type { Session } from "../store/session.ts";

/** 128 bits in hex. */
const newSalt = (): string => Array.from(secureRandomBytes(16), (byte) => byte.toString(16).padStart(2, "0")).join("");

const obstacleProblem = (obstacle: SurveyObstacle): Problem => {
  switch (obstacle) {
    case "no-idea-bank":
      return new Problem("forbidden", { cause: "not the tenant's" });
    case "no-such-voters":
      return invalid([{ path: "audience.votersOf", message: "must be a proposal of the idea bank" }]);
    case "too-many-open":
      return new Problem("conflict", {
        detail: `The idea bank has ${MAX_OPEN} open surveys, the maximum. Close one first.`,
      });
  }
};

function refuse(refusal: Refusal | undefined): void {
  if (refusal === undefined) return;
  if (refusal.kind === "invalid") throw invalid(refusal.faults);
  const [{ path, message } = { path: "", message: "" }] = refusal.faults;
  throw new Problem("conflict", { detail: `\`${path}\` ${message}.`, extensions: { errors: refusal.faults } });
}

/** One round trip. `of`: what it is a copy of. Throws `invalid-request`, `conflict`, and `forbidden` for another tenant's idea bank. */
export async function createByRules(session: Session, creation: Creation<NewSurvey>, of?: Survey) {
  refuse(refusalOfNew(creation.input, creation.now));
  const { result, obstacle } = await createSurvey(session, creation, { salt: newSalt(), of });
  if (result.kind === "refused" && obstacle !== undefined) throw obstacleProblem(obstacle);
  return result;
}

const ATTEMPTS = 3;

/** Nothing else of the survey decides whether these can change. */
const FREE: readonly (keyof SurveyChanges)[] = ["title", "description", "thanks", "externalId", "editable"];
const isFree = ({ status, ...changes }: SurveyChanges): boolean =>
  (status === undefined || status === "CLOSED") &&
  Object.entries(changes).every(([name, value]) => value === undefined || FREE.some((free) => free === name));

const isStill = (survey: Survey, opened: Change<NewSurvey>["opened"] = {}): boolean =>
  Object.entries(survey).every(
    ([name, value]) => !Object.hasOwn(opened, name) || JSON.stringify(value) === JSON.stringify({ ...opened }[name]),
  );

type Written = Awaited<ReturnType<typeof updateSurvey | typeof updateFreely>>;
/** Makes the one round trip that changes the survey. */
type Write = (send: (session: Session) => Promise<Written>) => Promise<Written>;

/**
 * Judges the change by the survey as it is, and writes it if the survey is still so. What needs no judgement is written at once. Null for
 * another tenant's survey, and for one that is not as its client has seen or `opened` it. `write` can make the round trip in a session of its own, and
 * `judge` can refuse the change, too, unless it is written at once. Throws as `createByRules` does.
 */
export async function changeByRules(
  session: Session,
  change: Change<NewSurvey>,
  {
    write = (send) => send(session),
    judge,
  }: { readonly write?: Write; readonly judge?: (was: Survey) => Promise<void> } = {},
): Promise<Survey | null> {
  if (isFree(change.changes)) {
    const changed = await write((writing) => updateFreely(writing, change));
    return typeof changed === "string" ? null : changed;
  }
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const was: SurveyState | null = await loadSurveyState(session, change);
    if (was === null || (change.seen !== undefined && change.seen !== was.state)) return null;
    if (!isStill(was.survey, change.opened)) return null;
    await judge?.(was.survey);
    refuse(refusalOfChange(was.survey, change.changes, change.now));
    const updated = await write((writing) => updateSurvey(writing, change, { was, salt: newSalt() }));
    if (typeof updated !== "string") return updated;
    if (updated !== "changed-meanwhile") throw obstacleProblem(updated);
  }
  throw new Problem("conflict", { detail: "The survey is being changed by somebody else. Send the change again." });
}

/** A draft with its texts, questions, audience and settings: what a copy is made of. */
export function draftOf({ id: _, responses, openedAt, createdAt, updatedAt, ...fields }: Survey): NewSurvey {
  return { ...fields, status: "DRAFT", externalId: null, closesAt: null };
}
