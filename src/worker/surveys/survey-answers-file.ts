/** Which responses are asked for, and the file of them: for the tenant API and for Account Settings. */
import { listResponses, type OfSurvey } from "../database/surveys/survey-responses.ts";
import { textFile } from "../http/csv-file.ts";
import { invalid } from "../http/invalid-request.ts";
import type { Page } from "../model/pagination.ts";
import { otherKey, pointsOf, type Question, type Questions, valueKey } from "../model/survey-answers.ts";
import { surveyCsv } from "../model/survey-csv.ts";
import type { SurveyResponse } from "../model/survey-response.ts";
import type { Session } from "../store/session.ts";

type AnswerFilter = { readonly question?: string | undefined; readonly answer?: string | undefined };

/** The key of the totals for which the wanted responses count, if the survey has such an answer. */
export const keyOf = ({ question, answer }: AnswerFilter): string | undefined =>
  question === undefined || answer === undefined ? question : valueKey(question, answer);

const valuesOf = (question: Question): readonly string[] => {
  if (question.kind === "scale") return pointsOf(question).map(String);
  return "options" in question ? question.options.map(({ id }) => id) : [];
};

/** Throws `invalid-request` for an answer that the survey does not have. */
export function requireAnswer({ question: id, answer }: AnswerFilter, questions: Questions): void {
  if (id === undefined) {
    if (answer !== undefined) throw invalid([{ path: "answer", message: "needs `question`" }]);
    return;
  }
  const question = questions.find((each) => each.id === id);
  if (question === undefined)
    throw invalid([{ path: "question", message: `must be one of ${questions.map((each) => each.id).join(", ")}` }]);
  const values = valuesOf(question);
  if (answer === undefined || values.includes(answer)) return;
  if ("options" in question && question.other && valueKey(id, answer) === otherKey(id)) return;
  const message = values.length === 0 ? "does not go with a text" : `must be one of ${values.join(", ")}`;
  throw invalid([{ path: "answer", message }]);
}

/** Responses in a part of a CSV file. */
const LINES = 1_000;
export const FIRST_LINES = { limit: LINES, after: undefined };

type WantedResponses = Parameters<typeof listResponses>[1];

/** The lines of this page and of those after it. */
async function* linesAfter(
  session: Session,
  {
    wanted,
    first,
    line,
  }: {
    readonly wanted: WantedResponses;
    readonly first: Page<SurveyResponse>;
    readonly line: (response: SurveyResponse) => string;
  },
): AsyncGenerator<string> {
  let page: Page<SurveyResponse> | undefined = first;
  while (page !== undefined) {
    yield page.items.map(line).join("");
    const { next }: Page<SurveyResponse> = page;
    page = next && (await listResponses(session, { ...wanted, request: { limit: LINES, after: next } }))?.page;
  }
}

const fileNameOf = (title: string): string =>
  title
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 60) || "survey";

/** The file that begins with this page, and its headers. Its name has the filter. `labels`: titles and labels instead of identifiers. */
export function responsesFile(
  session: Session,
  wanted: WantedResponses,
  first: OfSurvey<SurveyResponse>,
  labels: boolean,
) {
  const { key } = wanted;
  const { title, line } = surveyCsv(first.survey.questions, labels);
  return textFile({
    name: `${fileNameOf(first.survey.title)}${key === undefined ? "" : `-only-${fileNameOf(key)}`}.csv`,
    type: "text/csv",
    // The mark of UTF-8: without it Excel reads letters wrong.
    beginning: `\ufeff${title}`,
    slices: linesAfter(session, { wanted, first: first.page, line }),
  });
}
