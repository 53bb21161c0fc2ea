/** Rows of `surveys`, for the tenant. Every function returns null or `refused` for a survey that is not the tenant's. */
import type { IdempotentResult } from "../../model/idempotency-key.ts";
import { afterChange, MAX_OPEN, NewSurvey, type Survey, type SurveyStatus } from "../../model/survey.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { ITEM_BYTES } from "../pagination.ts";
import { type Change, type Creation, storedResource } from "../resource.ts";

export const SURVEY_BYTES = `octet_length(title) + octet_length(description) + octet_length(thanks) + octet_length(questions)
  + coalesce(octet_length(url), 0) + ${ITEM_BYTES}`;

const NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

/** SQL: the time of the survey `s` has not come yet. */
export const NOT_OVER = `(s.closes_at IS NULL OR s.closes_at > ${NOW})`;

/** SQL: a survey is closed from `closes_at` on, though the job notes it only within a minute. */
export const STATUS = `iif(surveys.status = 'OPEN' AND surveys.closes_at <= ${NOW}, 'CLOSED', surveys.status)`;

/**
 * SQL: the number of responses that the team sees. Of an anonymous survey that is open it moves in steps; once it is closed, the number
 * names nobody.
 */
export const RESPONSES = `iif(surveys.anonymous = 1 AND ${STATUS} = 'OPEN', surveys.shown_responses, surveys.responses)`;

/** SQL: the survey is no leftover of a deleted idea bank. */
export const STAYS = "(idea_bank_id IS NULL OR EXISTS (SELECT 1 FROM idea_banks b WHERE b.id = surveys.idea_bank_id))";

export const SURVEYS = storedResource({
  table: "surveys",
  fields: NewSurvey,
  otherwise: {
    status: { selected: STATUS },
    audience: {
      column: "voters_of",
      write: (audience) => (audience as Survey["audience"])?.votersOf ?? null,
      read: (votersOf) => (votersOf === null ? null : { votersOf }),
      recorded: "json(iif(voters_of IS NULL, 'null', json_object('votersOf', voters_of)))",
    },
    closesAt: { isTime: true },
  },
  times: ["createdAt", "updatedAt"],
  bytes: SURVEY_BYTES,
  stays: STAYS,
  afterLimit: true,
  also: { opened_at: "iif(:status = 'OPEN', :now, NULL)", salt: "iif(:status = 'OPEN' AND :anonymous, :salt, NULL)" },
  computed: {
    select: { responses: RESPONSES, openedAt: "opened_at" },
    read: ({ responses, opened_at }) => ({ responses: Number(responses), openedAt: toTime(opened_at) }),
    initial: ({ status }, now) => ({ responses: 0, openedAt: status === "OPEN" ? toTimestamp(now) : null }),
  },
});

const toTime = (milliseconds: unknown): string | null =>
  milliseconds === null ? null : toTimestamp(Number(milliseconds));

/** Conditions on the values of a new or changed survey, as SQL. */
const OF_OWN_BANK =
  "(:ideaBankId IS NULL OR EXISTS (SELECT 1 FROM idea_banks WHERE id = :ideaBankId AND account_id = :accountId))";
const OF_OWN_VOTERS = `(:voters IS NULL OR EXISTS (SELECT 1 FROM proposals
  WHERE id = :voters AND idea_bank_id = :ideaBankId AND account_id = :accountId))`;
const OTHERS_OPEN = `(SELECT count(*) FROM (SELECT 1 FROM surveys o WHERE o.idea_bank_id = :ideaBankId AND o.status = 'OPEN'
  AND o.id <> :id AND (o.closes_at IS NULL OR o.closes_at > ${NOW}) LIMIT ${MAX_OPEN}))`;
const HAS_ROOM = `(:opens = 0 OR :ideaBankId IS NULL OR ${OTHERS_OPEN} < ${MAX_OPEN})`;
const FITS = `${OF_OWN_BANK} AND ${OF_OWN_VOTERS} AND ${HAS_ROOM}`;

/** Why a survey cannot be stored as it is asked for. */
export type SurveyObstacle = "no-idea-bank" | "no-such-voters" | "too-many-open";
type ObstacleRow = { bank: number; voters: number; room: number };

const selectObstacle = (values: Parameters<typeof prepare>[1]) =>
  prepare<ObstacleRow>(`SELECT ${OF_OWN_BANK} AS bank, ${OF_OWN_VOTERS} AS voters, ${HAS_ROOM} AS room`, values);

function toObstacle([row]: readonly ObstacleRow[]): SurveyObstacle | undefined {
  if (row?.bank === 0) return "no-idea-bank";
  if (row?.voters === 0) return "no-such-voters";
  return row?.room === 0 ? "too-many-open" : undefined;
}

type Placed = { readonly accountId: string; readonly id: string };
type Asked = Pick<NewSurvey, "ideaBankId" | "audience">;

/** An audience that was there before is kept, although its proposal may be gone. */
const valuesOf = (
  { accountId, id }: Placed,
  { ideaBankId, audience }: Asked,
  { opens, was }: { readonly opens: boolean; readonly was: Asked | undefined },
) => {
  const voters = audience?.votersOf === was?.audience?.votersOf ? undefined : audience?.votersOf;
  return { accountId, id, ideaBankId, audience: audience?.votersOf, voters, opens };
};

/** `salt`: 128 random bits in hex, for an anonymous survey that is open from the beginning. `of`: what it is a copy of. */
export async function createSurvey(
  session: Session,
  creation: Creation<NewSurvey>,
  { salt, of }: { readonly salt: string; readonly of?: Asked | undefined },
): Promise<{ readonly result: IdempotentResult<Survey>; readonly obstacle: SurveyObstacle | undefined }> {
  const { input } = creation;
  const values = { ...valuesOf(creation, input, { opens: input.status === "OPEN", was: of }), salt };
  const { obstacle, ...rows } = await session.batch({
    ...SURVEYS.creating(creation, { when: FITS, values }),
    obstacle: selectObstacle(values),
  });
  return { result: SURVEYS.toCreated(rows, creation), obstacle: toObstacle(obstacle) };
}

/**
 * A survey with what only its changes need. `stored`: its status as it is stored; `state`: for a write that finds it as it is.
 */
export type SurveyState = {
  readonly survey: Survey;
  readonly revision: number;
  readonly stored: SurveyStatus;
  readonly state: string;
};

/** With one round trip. */
export async function loadSurveyState(session: Session, { accountId, id }: Placed): Promise<SurveyState | null> {
  const { loaded, more } = await session.batch({
    loaded: SURVEYS.loading(accountId, id),
    more: prepare<{ revision: number; status: SurveyStatus }>(
      "SELECT revision, status FROM surveys WHERE account_id = :accountId AND id = :id",
      { accountId, id },
    ),
  });
  const [row] = loaded;
  const [{ revision, status } = { revision: 0, status: "DRAFT" as const }] = more;
  return row === undefined ? null : { survey: SURVEYS.toItem(row), revision, stored: status, state: row.state };
}

/**
 * Changes the survey if it still is as `was`, of which the change was judged: `changed-meanwhile` if it is not. A close destroys the salt
 * in the same statement, and so does an anonymous survey that has reached its maximum already.
 */
export async function updateSurvey(
  session: Session,
  change: Change<NewSurvey>,
  { was, salt }: { readonly was: SurveyState; readonly salt: string },
): Promise<Survey | SurveyObstacle | "changed-meanwhile"> {
  const { changes: sent, now } = change;
  const after = afterChange(was.survey, sent);
  const changes = was.stored === after.status ? sent : { ...sent, status: after.status };
  const opens = after.status === "OPEN";
  const isFull = "(:isFull AND responses >= :maximum)";
  const values = {
    ...valuesOf(change, after, { opens, was: was.survey }),
    ...{ revision: was.revision, salt, isAnonymous: after.anonymous, maximum: after.maxResponses },
    isFull: opens && after.anonymous && after.maxResponses !== null,
    reopens: opens && was.survey.status !== "OPEN",
  };
  const { updated, closedNow, obstacle } = await session.batch({
    updated: SURVEYS.updating(
      { ...change, changes },
      {
        set: [
          "revision = revision + 1",
          `updated_at = iif(${SURVEYS.has(changes)}, updated_at, max(updated_at, :now))`,
          "opened_at = iif(:opens, coalesce(opened_at, :now), opened_at)",
          `salt = iif(:opens AND :isAnonymous AND NOT ${isFull}, coalesce(salt, :salt), NULL)`,
          "full = iif(:reopens OR :changesStatus, 0, full)",
        ],
        when: `revision = :revision AND ${FITS} AND (:maximum IS NULL OR :isFull OR NOT :opens OR responses < :maximum)`,
        values: { ...values, now, changesStatus: sent.status !== undefined },
      },
    ),
    // An anonymous survey whose new maximum is reached by responses that the team has not seen closes at once.
    closed: values.isFull
      ? prepare(
          `UPDATE surveys SET status = 'CLOSED', full = 1, salt = NULL
           WHERE account_id = :accountId AND id = :id AND status = 'OPEN' AND responses >= :maximum`,
          values,
        )
      : undefined,
    closedNow: values.isFull ? SURVEYS.loading(change.accountId, change.id) : undefined,
    obstacle: selectObstacle(values),
  });
  const [row] = updated;
  if (row !== undefined) return SURVEYS.toItem(closedNow?.[0] ?? row);
  return toObstacle(obstacle) ?? "changed-meanwhile";
}

/** Changes what depends on nothing else: texts, and a close, which destroys the salt in the same statement. Null if it is not as seen. */
export async function updateFreely(session: Session, change: Change<NewSurvey>): Promise<Survey | null> {
  const { changes, now } = change;
  const closes = changes.status === "CLOSED";
  const [row] = await session.all(
    SURVEYS.updating(change, {
      set: [
        `revision = revision + NOT (${SURVEYS.has(changes)})`,
        `updated_at = iif(${SURVEYS.has(changes)}, updated_at, max(updated_at, :now))`,
        ...(closes ? ["salt = NULL", "full = 0"] : []),
      ],
      values: { now },
    }),
  );
  return row === undefined ? null : SURVEYS.toItem(row);
}

/** Closes a few of the surveys whose time has come, and destroys the salts of the anonymous ones. False when none is left. */
export async function closeSurveys(session: Session): Promise<boolean> {
  const closed = await session.all(
    prepare(
      `UPDATE surveys SET status = 'CLOSED', salt = NULL WHERE id IN (
         SELECT id FROM surveys WHERE status = 'OPEN' AND closes_at IS NOT NULL AND closes_at <= ${NOW} LIMIT 100) RETURNING id`,
    ),
  );
  return closed.length > 0;
}
