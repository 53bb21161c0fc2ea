/** Responses that a tenant records for a person: an answer that came by phone. */
import type { IdempotencyKey, IdempotentResult } from "../../model/idempotency-key.ts";
import type { Questions } from "../../model/survey-answers.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { deleteOnce, notDoneBefore, toDeleted } from "../idempotency.ts";
import type { KnownSurvey, ResponseAuthor } from "./panelist-surveys.ts";

type Person = { readonly accountId: string; readonly externalId: string; readonly newPanelistId: string };

type FoundRow = { id: string; idea_bank_id: string | null; revision: number; anonymous: number; questions: string };
type PersonRow = { id: string; active: number };

/** What recording a response needs to know. `panelistId` is the one that the person has, or will have. */
type Recordable = {
  readonly known: KnownSurvey;
  readonly ideaBankId: string | null;
  readonly panelistId: string;
  readonly isActive: boolean;
};

/** Null for another tenant's survey. One round trip. */
export async function loadRecordable(
  session: Session,
  { surveyId, ...person }: Person & { readonly surveyId: string },
): Promise<Recordable | null> {
  const rows = await session.batch({
    survey: prepare<FoundRow>(
      `SELECT id, idea_bank_id, revision, anonymous, questions FROM surveys WHERE id = :surveyId AND account_id = :accountId
         AND (idea_bank_id IS NULL OR EXISTS (SELECT 1 FROM idea_banks b WHERE b.id = surveys.idea_bank_id))`,
      { ...person, surveyId },
    ),
    person: prepare<PersonRow>(
      `SELECT id, active AND deleted_at IS NULL AS active FROM panelists
       WHERE account_id = :accountId AND (external_id = :externalId OR id = :newPanelistId) LIMIT 1`,
      person,
    ),
  });
  const [survey] = rows.survey;
  const [found] = rows.person;
  if (survey === undefined) return null;
  const { id, revision, idea_bank_id } = survey;
  const questions: Questions = JSON.parse(survey.questions);
  return {
    known: { id, revision, questions, anonymous: survey.anonymous === 1, salt: null },
    ideaBankId: idea_bank_id,
    panelistId: found?.id ?? person.newPanelistId,
    isActive: found === undefined || found.active === 1,
  };
}

/** The tenant, for a person who may have no row yet. `now` is in Unix milliseconds. */
export const tenantAuthor = (
  { accountId, externalId }: Person,
  { ideaBankId, panelistId, now }: { readonly ideaBankId: string; readonly panelistId: string; readonly now: number },
): ResponseAuthor => {
  const values = { accountId, externalId, panelistId, ideaBankId, madeAt: now };
  return {
    asker: { ideaBankId, panelistId },
    values,
    from: `SELECT b.account_id FROM idea_banks b JOIN panelists w ON w.id = :panelistId AND w.account_id = b.account_id
      AND w.active = 1 AND w.deleted_at IS NULL WHERE b.id = :ideaBankId AND b.account_id = :accountId`,
    made: (accepted) =>
      prepare(
        `INSERT INTO panelists (id, account_id, external_id, created_at, tokens_issued)
         SELECT :panelistId, :accountId, :externalId, :madeAt, 1 WHERE ${accepted.sql} ON CONFLICT DO NOTHING`,
        { ...accepted.values, ...values },
      ),
    byTenant: true,
  };
};

/** Also after the close. `refused` when there is none, or the survey is another tenant's. One round trip. */
export async function deleteRecorded(
  session: Session,
  {
    accountId,
    surveyId,
    externalId,
    idempotencyKey,
  }: Omit<Person, "newPanelistId"> & {
    readonly surveyId: string;
    readonly idempotencyKey: IdempotencyKey | undefined;
  },
): Promise<{ readonly anonymous: boolean; readonly result: IdempotentResult<null> }> {
  const values = { accountId, surveyId, externalId };
  const own = `survey_id = :surveyId AND respondent = (
      SELECT id FROM panelists WHERE account_id = :accountId AND external_id = :externalId AND deleted_at IS NULL)
    AND EXISTS (SELECT 1 FROM surveys s WHERE s.id = :surveyId AND s.account_id = :accountId AND s.anonymous = 0)`;
  const { survey, ...rows } = await session.batch({
    survey: prepare<{ anonymous: number }>(
      "SELECT anonymous FROM surveys WHERE id = :surveyId AND account_id = :accountId",
      { accountId, surveyId },
    ),
    noted: prepare(`UPDATE survey_responses SET by_tenant = 1 WHERE ${own} AND by_tenant = 0 AND ${notDoneBefore()}`, {
      ...values,
      idempotencyKey: idempotencyKey?.key,
    }),
    ...deleteOnce(accountId, {
      idempotencyKey,
      sql: `DELETE FROM survey_responses WHERE ${own} AND ${notDoneBefore()} RETURNING respondent AS id`,
      values,
    }),
  });
  return { anonymous: survey[0]?.anonymous === 1, result: toDeleted(rows, idempotencyKey) };
}
