/** What the pages of one survey share: the survey of the path, its status, and the navigation between them. */
import type { Context } from "hono";
import { SURVEYS as ROWS } from "../../database/surveys/surveys.ts";
import type { Survey, SurveyStatus } from "../../model/survey.ts";
import { openOwn } from "../account-databases.ts";
import { idsOf, orNotFound } from "../frame/decide.ts";
import { useMay } from "../frame/frame.ts";
import { BANK_STATUSES } from "../frame/words.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { SURVEYS } from "./survey-words.ts";

export const SURVEY = `${SURVEYS}/:surveyId`;

/** Throws `not-found`. */
export const surveyIdOf = (c: Context<OwnerEnv>): string => idsOf({ surveyId: c.req.param("surveyId") ?? "" }).surveyId;

/** The survey of the path. Throws `not-found`. */
export async function loadOwnSurvey(c: Context<OwnerEnv>): Promise<Survey> {
  const surveyId = surveyIdOf(c);
  const { session, accountId } = await openOwn(c);
  return orNotFound(await ROWS.load(session, accountId, surveyId));
}

const TONES: Record<SurveyStatus, string> = { DRAFT: "", OPEN: "good", CLOSED: "warn" };

export const SurveyStatusPill = ({ status }: { readonly status: SurveyStatus }) => (
  <span class={`pill ${TONES[status]}`}>{BANK_STATUSES[status][0]}</span>
);

type Part = "" | "texts" | "edit";

/** A draft has no results, and nothing of a survey that is answered elsewhere is edited here. */
export const SurveyNav = ({ survey, current }: { readonly survey: Survey; readonly current: Part }) => {
  const hasBeenOpen = survey.openedAt !== null;
  const parts: readonly (readonly [Part, string])[] = [
    ["", hasBeenOpen ? "Results" : "Preview"],
    ["edit", "Questions and settings"],
  ];
  if (survey.ideaBankId === null || !useMay("member")) return null;
  return (
    <nav class="bank" aria-label="Survey">
      {parts.map(([part, name]) => (
        <a
          href={`${SURVEYS}/${survey.id}${part && `/${part}`}`}
          aria-current={part === current ? "page" : part === "" && current === "texts" ? "true" : undefined}
        >
          {name}
        </a>
      ))}
    </nav>
  );
};
