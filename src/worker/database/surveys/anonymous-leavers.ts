/**
 * Deletes what a person has answered in anonymous surveys. Which responses these are can be found only while a survey is open, by its salt:
 * after the close nobody can tell, also in the minute in which the job has not destroyed the salt yet.
 */
import { anonymousPlace, anonymousRespondent } from "../../credentials/anonymous-respondent.ts";
import { hasTexts, type Questions } from "../../model/survey-answers.ts";
import type { Session } from "../../store/session.ts";
import { prepare, type Statement } from "../../store/statement.ts";
import { deleteTexts, type PlaceIn } from "./survey-texts.ts";
import { NOT_OVER } from "./surveys.ts";

/** Open anonymous surveys of an account that are looked at: an idea bank has 20 at most. */
const SURVEYS = 1_000;

const OPEN = `s.salt IS NOT NULL AND ${NOT_OVER}`;
const OF_OPEN = `EXISTS (SELECT 1 FROM surveys s WHERE s.id = survey_id AND ${OPEN})`;

type SaltedRow = { id: string; salt: string; questions: string };

/** The statements for the batch that deletes the person, whose condition is `when`. One round trip. */
export async function deleteOfAnonymous(
  session: Session,
  { accountId, panelistId }: { readonly accountId: string; readonly panelistId: string },
  { when, values }: { readonly when: string; readonly values: NonNullable<Parameters<typeof prepare>[1]> },
): Promise<Statement[]> {
  const salted = await session.all(
    prepare<SaltedRow>(
      `SELECT s.id, s.salt, s.questions FROM surveys s WHERE s.account_id = :accountId AND ${OPEN} LIMIT ${SURVEYS}`,
      { accountId },
    ),
  );
  if (salted.length === 0) return [];
  const who = salted.map(async ({ id, salt }) => ({
    surveyId: id,
    respondent: await anonymousRespondent(salt, panelistId),
  }));
  const places = salted.flatMap(({ id, salt, questions }) =>
    (JSON.parse(questions) as Questions).filter(hasTexts).map(
      async (question): Promise<PlaceIn> => ({
        surveyId: id,
        questionId: question.id,
        place: await anonymousPlace(salt, panelistId, question.id),
      }),
    ),
  );
  return [
    prepare(
      `DELETE FROM survey_responses WHERE (survey_id, respondent) IN (
         SELECT value ->> 'surveyId', value ->> 'respondent' FROM json_each(:who)) AND ${OF_OPEN} AND ${when}`,
      { ...values, who: JSON.stringify(await Promise.all(who)) },
    ),
    ...deleteTexts(await Promise.all(places), { when: `${OF_OPEN} AND ${when}`, values }),
  ];
}
