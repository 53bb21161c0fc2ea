/**
 * Rows of `survey_texts`: what people wrote, by question. Those of named responses stand in the order of time. Those of anonymous ones stand
 * where a hash puts them, and are shown and taken away with the steps of their survey.
 */
import { hasTexts, type Questions } from "../../model/survey-answers.ts";
import { prepare, type Statement } from "../../store/statement.ts";

export type WrittenText = { readonly questionId: string; readonly text: string };
/** Of an anonymous respondent, for each question that can have a text. */
export type Place = { readonly questionId: string; readonly place: string };

/** SQL: the place of the texts of the named response `r`. The trigger `survey_response_removed` has the same. */
const PLACE = "printf('%015d', r.created_at) || r.respondent";

type WrittenTexts = {
  readonly surveyId: string;
  readonly respondent: string;
  /** Of the response. If it has another one, it was not written, and nothing is done. */
  readonly revision: string;
  readonly questions: Questions;
  readonly texts: readonly WrittenText[];
  /** Undefined for a named response. */
  readonly places: readonly Place[] | undefined;
};

/** Writes the texts of a response that was written before in the same batch. */
export function writeTexts({ surveyId, respondent, revision, questions, texts, places }: WrittenTexts): Statement[] {
  const asking = questions.filter(hasTexts).map(({ id }) => id);
  if (asking.length === 0) return [];
  const written = new Set(texts.map(({ questionId }) => questionId));
  const ofWritten = "r.survey_id = :surveyId AND r.respondent = :respondent AND r.revision = :revision";
  const values = { surveyId, respondent, revision };
  if (places === undefined) {
    const without = asking.filter((id) => !written.has(id));
    return [
      prepare(
        `DELETE FROM survey_texts WHERE survey_id = :surveyId AND question_id IN (SELECT value FROM json_each(:without))
           AND place = (SELECT ${PLACE} FROM survey_responses r WHERE ${ofWritten})`,
        { ...values, without: JSON.stringify(without) },
      ),
      prepare(
        `INSERT INTO survey_texts (survey_id, question_id, place, text)
         SELECT r.survey_id, t.value ->> 'questionId', ${PLACE}, t.value ->> 'text'
         FROM survey_responses r CROSS JOIN json_each(:texts) t WHERE ${ofWritten}
         ON CONFLICT DO UPDATE SET text = excluded.text WHERE survey_texts.text <> excluded.text`,
        { ...values, texts: JSON.stringify(texts) },
      ),
    ];
  }
  const step = `(SELECT r.step FROM survey_responses r WHERE ${ofWritten})`;
  const placed = texts.flatMap(({ questionId, text }) =>
    places.filter((each) => each.questionId === questionId).map(({ place }) => ({ questionId, place, text })),
  );
  return [
    prepare(`UPDATE survey_texts SET until = ${step} - 1 WHERE ${AT_PLACES} AND until IS NULL AND step < ${step}`, {
      ...values,
      places: JSON.stringify(places),
    }),
    prepare(`DELETE FROM survey_texts WHERE ${AT_PLACES} AND step = ${step}`, {
      ...values,
      places: JSON.stringify(places.filter(({ questionId }) => !written.has(questionId))),
    }),
    prepare(
      `INSERT INTO survey_texts (survey_id, question_id, place, step, text)
       SELECT r.survey_id, t.value ->> 'questionId', t.value ->> 'place', r.step, t.value ->> 'text'
       FROM survey_responses r CROSS JOIN json_each(:placed) t WHERE ${ofWritten}
       ON CONFLICT DO UPDATE SET text = excluded.text WHERE survey_texts.text <> excluded.text`,
      { ...values, placed: JSON.stringify(placed) },
    ),
  ];
}

const AT_PLACES = `survey_id = :surveyId AND (question_id, place) IN (
  SELECT value ->> 'questionId', value ->> 'place' FROM json_each(:places))`;

/** A place in a survey. */
export type PlaceIn = Place & { readonly surveyId: string };

const AT_PLACES_IN = `(survey_id, question_id, place) IN (
  SELECT value ->> 'surveyId', value ->> 'questionId', value ->> 'place' FROM json_each(:places))`;
const STEP = "(SELECT s.step FROM surveys s WHERE s.id = survey_texts.survey_id)";

/** Takes the texts of anonymous responses away, if the condition `when` holds: with the next step those that the team has seen. */
export function deleteTexts(
  places: readonly PlaceIn[],
  { when, values }: { readonly when: string; readonly values: NonNullable<Parameters<typeof prepare>[1]> },
): Statement[] {
  const all = { ...values, places: JSON.stringify(places) };
  return [
    prepare(
      `UPDATE survey_texts SET until = ${STEP} WHERE ${AT_PLACES_IN} AND until IS NULL AND step <= ${STEP} AND ${when}`,
      all,
    ),
    prepare(`DELETE FROM survey_texts WHERE ${AT_PLACES_IN} AND step > ${STEP} AND ${when}`, all),
  ];
}
