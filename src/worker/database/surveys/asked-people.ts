/** How many people a survey can ask, and what one of them has answered. */
import type { Answers, Questions } from "../../model/survey-answers.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";

/** The count stops here. */
export const PEOPLE_AT_MOST = 1_000;

/** The account's active panelists: all of its idea banks have the same. */
export async function countAskable(session: Session, accountId: string): Promise<number> {
  const row = await session.first(
    prepare<{ people: number }>(
      `SELECT count(*) AS people FROM (SELECT 1 FROM panelists WHERE account_id = :accountId AND active = 1 AND deleted_at IS NULL
         LIMIT ${PEOPLE_AT_MOST})`,
      { accountId },
    ),
  );
  return row?.people ?? 0;
}

/** The newest responses of a person. */
export const ANSWERED_AT_MOST = 20;

export type AnsweredSurvey = {
  readonly id: string;
  readonly title: string;
  readonly questions: Questions;
  readonly answers: Answers;
  readonly createdAt: string;
};
type AnsweredRow = { id: string; title: string; questions: string; answers: string; created_at: number };

/** What the person has answered, newest first. Who has answered an anonymous survey stands nowhere. */
export async function listAnswered(
  session: Session,
  accountId: string,
  panelistId: string,
): Promise<readonly AnsweredSurvey[]> {
  const rows = await session.all(
    prepare<AnsweredRow>(
      `SELECT s.id, s.title, s.questions, r.answers, r.created_at FROM survey_responses r JOIN surveys s ON s.id = r.survey_id
       WHERE r.respondent = :panelistId AND s.account_id = :accountId AND s.anonymous = 0
       ORDER BY r.created_at DESC LIMIT ${ANSWERED_AT_MOST}`,
      { accountId, panelistId },
    ),
  );
  return rows.map(({ id, title, questions, answers, created_at }) => ({
    ...{ id, title, questions: JSON.parse(questions), answers: JSON.parse(answers) },
    createdAt: toTimestamp(created_at),
  }));
}
