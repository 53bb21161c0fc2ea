/** The one way in which members change a survey: by its rules, with an event that has what was before and after. */
import type { Context } from "hono";
import { invalid } from "../../http/invalid-request.ts";
import type { Survey, SurveyChanges } from "../../model/survey.ts";
import type { Fault } from "../../model/survey-answers.ts";
import { NotAsOpened, Problem } from "../../problem.ts";
import { changeByRules } from "../../surveys/survey-writes.ts";
import { openOwn } from "../account-databases.ts";
import { decide, orNotFound } from "../frame/decide.ts";
import { ChangedMeanwhile } from "../frame/opened-form.tsx";
import type { OwnerEnv } from "../owner-env.ts";

/** Returns the event's id. `judge` can refuse the change. `opened`: what a form was opened with of what it changes. Throws `invalid-request`, `conflict` and `not-found`. */
export async function changeSurvey(
  c: Context<OwnerEnv>,
  id: string,
  changes: SurveyChanges,
  {
    judge,
    opened,
  }: { readonly judge?: (was: Survey) => Promise<void>; readonly opened?: Partial<Survey> | undefined } = {},
): Promise<string> {
  const { session, accountId } = await openOwn(c);
  let event = "";
  const changed = await changeByRules(
    session,
    { accountId, id, changes, opened, now: Date.now() },
    {
      ...(judge && { judge }),
      write: async (send) => {
        const { answer, eventId } = await decide(c, { kind: "survey", id }, (own) => send(own.session));
        event = eventId;
        return answer;
      },
    },
  ).catch((error: unknown) => {
    throw inTeamWords(error);
  });
  if (changed === null && opened) throw new NotAsOpened();
  orNotFound(changed);
  return event;
}

const OPENED =
  "The survey was opened in the meantime. Since then, questions can be reworded, and new ones added at the end. To ask something else, copy the survey.";

/** A page offers what is possible: a refusal means that somebody else has changed the survey, or opened others. */
function inTeamWords(error: unknown): unknown {
  if (!(error instanceof Problem) || error.code !== "conflict" || error instanceof ChangedMeanwhile) return error;
  const faults = (error.extensions.errors ?? []) as readonly Fault[];
  // The form is shown again, with what was typed.
  if (faults.some(({ path }) => path.startsWith("questions"))) return invalid([{ path: "questions", message: OPENED }]);
  const [, most] = /has (\d+) open surveys/.exec(error.message) ?? [];
  return new Problem("conflict", {
    detail:
      most === undefined
        ? "The survey was changed in the meantime, so this is no longer possible. Open its page again."
        : `The board has ${most} open surveys, the maximum. Close one first.`,
  });
}
