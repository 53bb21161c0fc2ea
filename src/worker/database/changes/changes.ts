/**
 * The log of changes (`change_log`), for the tenant API. Triggers write it in the transaction of the change, so its order is the
 * order of the commits. A reader that continues from the last number that it has read misses nothing.
 */
import { decodeBase62, encodeBase62 } from "../../credentials/base62.ts";
import type { Position } from "../../credentials/cursor.ts";
import { ID_WIDTH } from "../../credentials/id.ts";
import type { AccountEvent } from "../../model/account-event.ts";
import type { AuditEvent } from "../../model/audit-event.ts";
import { type Change, type ChangeActor, type ChangeType, NOW } from "../../model/change.ts";
import type { Comment } from "../../model/comment.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { type ChangedPanelist, withoutAddress } from "../../model/panelist.ts";
import type { Proposal } from "../../model/proposal.ts";
import type { Survey } from "../../model/survey.ts";
import type { SurveyResponse } from "../../model/survey-response.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare, type Statement } from "../../store/statement.ts";
import { selectEvents, toEvent } from "../activity/audit-events.ts";
import { COMMENT_BYTES, selectComments, toComments } from "../comments/comments.ts";
import { IDEA_BANKS } from "../idea-banks/idea-banks.ts";
import { fitOf, ITEM_BYTES } from "../pagination.ts";
import { PANELISTS } from "../panelists/panelists.ts";
import { PROPOSAL_BYTES } from "../proposals/proposal-fields.ts";
import { selectProposals, toProposals } from "../proposals/proposals.ts";
import type { ResourceRow } from "../resource.ts";
import { RESPONSE_COLUMNS, type ResponseRow, toResponse } from "../surveys/survey-responses.ts";
import { STAYS, SURVEY_BYTES, SURVEYS } from "../surveys/surveys.ts";
import { type ClaimedWebhook, selectAsClaimed } from "../webhooks/deliveries.ts";

type Place = { number: number; changed_at: number };
type ChangeRow = Place & {
  type: ChangeType;
  idea_bank_id: string | null;
  proposal_id: string | null;
  comment_id: string | null;
  panelist_id: string | null;
  actor: ChangeActor;
  survey_id: string | null;
  event_id: null;
  api_key_id: string | null;
};
type AccountRow = Place & { type: AccountEvent["type"]; actor: AccountEvent["by"]; event_id: string };
type Row = ChangeRow | AccountRow;

/** `after` is the end of the last page; undefined starts at the oldest kept change, `now` at the end of the log. */
type ChangeRequest = {
  readonly after: Position | typeof NOW | undefined;
  readonly limit: number;
  readonly withPanelists: boolean;
  readonly withSurveys: boolean;
};

/** `next` is always set, because the log continues; on an empty page it is after the skipped account events. */
type ChangePage = { readonly items: readonly Change[]; readonly next: Position };

/**
 * A place in the log: the number of the change before it, and that change's time in the place of an identifier. The time is
 * needed because after a restore from a backup another change can have the number.
 */
const toPosition = ({ number, changed_at }: Place): Position => ({
  key: number,
  id: encodeBase62(changed_at, ID_WIDTH),
});
const BEGINNING = toPosition({ number: 0, changed_at: 0 });

type Bounds = { oldest: number | null; newest: number | null; newest_at: number | null; after_at: number | null };

/** So much of the log is read at a time: account events that nobody asked for may be many. Its numbers have no gaps. */
const LOOKED_AT = 1_000;
const UNTIL = `(SELECT min(number) FROM change_log WHERE account_id = :accountId AND number > :after) + ${LOOKED_AT - 1}`;

/** `newest` is that of what is read. */
const BOUNDS = `SELECT oldest.number AS oldest, newest.number AS newest, newest.changed_at AS newest_at,
    (SELECT changed_at FROM change_log WHERE account_id = :accountId AND number = :after) AS after_at
  FROM (SELECT min(number) AS number FROM change_log WHERE account_id = :accountId) oldest
  LEFT JOIN change_log newest ON newest.account_id = :accountId
    AND newest.number = (SELECT max(number) FROM change_log WHERE account_id = :accountId AND number <= ${UNTIL})`;

/** SQL: whether a webhook with these types is sent the change. NULL: all changes, and no account event. */
export const isOfTypes = (types: string): string =>
  `(${types} IS NULL AND event_id IS NULL OR type IN (SELECT value FROM json_each(${types})))`;

/** A place is known while the change before it is kept. The beginning is known while the first change is kept. */
const isKept = ({ key, id }: Position, { oldest, after_at }: Bounds): boolean =>
  key === 0 ? oldest === null || oldest === 1 : after_at === decodeBase62(id);

const ENTRIES = `entries AS MATERIALIZED (
  SELECT * FROM change_log WHERE account_id = :accountId AND number > :after AND number <= ${UNTIL}
    AND ${isOfTypes(":types")} ORDER BY number LIMIT :rows)`;
const SIZES = `SELECT ${ITEM_BYTES} + coalesce((SELECT ${PROPOSAL_BYTES} FROM proposals WHERE id = e.proposal_id), 0)
  + coalesce((SELECT ${COMMENT_BYTES} FROM comments WHERE id = e.comment_id), 0)
  + coalesce((SELECT ${SURVEY_BYTES} FROM surveys WHERE id = e.survey_id AND e.panelist_id IS NULL), 0)
  + coalesce((SELECT octet_length(answers) FROM survey_responses WHERE survey_id = e.survey_id AND respondent = e.panelist_id), 0) AS bytes
  FROM entries e`;
const SHOWN = `${ENTRIES}, ${fitOf(SIZES)}, shown AS MATERIALIZED (
  SELECT * FROM entries ORDER BY number LIMIT (SELECT items FROM fit))`;

const byId = <Resource extends { readonly id: string }>(resources: readonly Resource[]) =>
  new Map(resources.map((resource) => [resource.id, resource]));

/** The resources that a page's changes name, by identifier. Panelists and surveys are included only if the key may read them. */
type Resources = {
  readonly ideaBanks: ReadonlyMap<string, IdeaBank>;
  readonly proposals: ReadonlyMap<string, Proposal>;
  readonly comments: ReadonlyMap<string, Comment>;
  readonly panelists: ReadonlyMap<string, ChangedPanelist> | undefined;
  readonly surveys: ReadonlyMap<string, Survey> | undefined;
  /** By `nameOfResponse`. */
  readonly responses: ReadonlyMap<string, SurveyResponse> | undefined;
};

const IS_RESPONSE = "type GLOB 'survey-response.*'";
const isResponse = ({ type }: ChangeRow): boolean => type.startsWith("survey-response.");
const nameOfResponse = (surveyId: string | null, panelistId: string | null) => `${surveyId} ${panelistId}`;

/** What a change of a response has: nobody, where the survey is anonymous. */
const partsOfResponse = ({ survey_id, panelist_id }: ChangeRow, { responses }: Resources) =>
  panelist_id !== null && responses && { response: responses.get(nameOfResponse(survey_id, panelist_id)) ?? null };

function toChange(row: ChangeRow, resources: Resources): Change {
  const { ideaBanks, proposals, comments, panelists, surveys } = resources;
  const { idea_bank_id, proposal_id, comment_id, panelist_id, survey_id } = row;
  const isOther = !isResponse(row);
  return {
    type: row.type,
    at: toTimestamp(row.changed_at),
    by: row.actor,
    apiKeyId: row.api_key_id,
    ...(idea_bank_id !== null && { ideaBankId: idea_bank_id }),
    ...(proposal_id !== null && { proposalId: proposal_id }),
    ...(comment_id !== null && { commentId: comment_id }),
    ...(panelist_id !== null && { panelistId: panelist_id }),
    ...(survey_id !== null && { surveyId: survey_id }),
    ...(isOther && idea_bank_id !== null && proposal_id === null && { ideaBank: ideaBanks.get(idea_bank_id) ?? null }),
    ...(proposal_id !== null && { proposal: proposals.get(proposal_id) ?? null }),
    ...(comment_id !== null && { comment: comments.get(comment_id) ?? null }),
    ...(isOther &&
      panelist_id !== null &&
      proposal_id === null &&
      panelists && { panelist: panelists.get(panelist_id) ?? null }),
    ...(isOther && survey_id !== null && surveys && { survey: surveys.get(survey_id) ?? null }),
    ...(isResponse(row) && partsOfResponse(row, resources)),
  };
}

const toAccountEvent = ({ type, changed_at, actor }: AccountRow, event: AuditEvent | undefined): AccountEvent => ({
  type,
  at: toTimestamp(changed_at),
  by: actor,
  event: event ?? null,
});

/** The part of the log after the number `after`. `types` is a JSON array of the wanted types; null for all changes, and no account event. */
type Stretch = {
  readonly after: number;
  readonly types: string | null;
  readonly rows: number;
  readonly withPanelists: boolean;
  readonly withoutAddresses?: true;
  readonly withSurveys: boolean;
};

/** The type of the rows that `toItems` takes. */
type RowOf<ToItems extends (rows: readonly never[]) => unknown> = Parameters<ToItems>[0][number];

/**
 * Reads the changes of a stretch, each with its row, and the bounds of the log, in one round trip. The statement `claimed` goes
 * along.
 */
async function readStretch(
  session: Session,
  {
    accountId,
    stretch: { withPanelists, withoutAddresses, withSurveys, ...stretch },
    claimed,
  }: { readonly accountId: string; readonly stretch: Stretch; readonly claimed?: Statement | undefined },
): Promise<{
  readonly claimed: readonly unknown[] | undefined;
  readonly bounds: Bounds | undefined;
  readonly found: readonly { row: Row; change: Change | AccountEvent }[];
}> {
  const values = { accountId, ...stretch };
  const on = <Found>(entries: string, sql: string) => prepare<Found>(`WITH ${entries} ${sql}`, values);
  const rows = await session.batch({
    claimed,
    bounds: prepare<Bounds>(BOUNDS, values),
    shown: on<Row>(SHOWN, "SELECT * FROM shown ORDER BY number"),
    proposals: on<RowOf<typeof toProposals>>(
      SHOWN,
      selectProposals("SELECT proposal_id FROM shown WHERE proposal_id IS NOT NULL"),
    ),
    comments: on<RowOf<typeof toComments>>(
      SHOWN,
      selectComments("SELECT comment_id FROM shown WHERE comment_id IS NOT NULL"),
    ),
    // Idea banks are small, and few changes name them, so those after the end of the page are read too.
    ideaBanks: on<ResourceRow>(
      ENTRIES,
      IDEA_BANKS.select("SELECT idea_bank_id FROM entries WHERE idea_bank_id IS NOT NULL AND proposal_id IS NULL"),
    ),
    panelists: withPanelists
      ? on<ResourceRow>(
          ENTRIES,
          PANELISTS.select(
            `SELECT panelist_id FROM entries WHERE panelist_id IS NOT NULL AND proposal_id IS NULL AND NOT ${IS_RESPONSE}`,
          ),
        )
      : undefined,
    surveys: withSurveys
      ? on<ResourceRow>(
          SHOWN,
          SURVEYS.select(`SELECT survey_id FROM shown WHERE survey_id IS NOT NULL AND NOT ${IS_RESPONSE}`),
        )
      : undefined,
    responses: withSurveys
      ? on<ResponseRow & { readonly survey_id: string }>(
          SHOWN,
          `SELECT r.survey_id, ${RESPONSE_COLUMNS} FROM shown JOIN survey_responses r
             ON r.survey_id = shown.survey_id AND r.respondent = shown.panelist_id AND r.account_id = :accountId
             AND EXISTS (SELECT 1 FROM surveys WHERE id = r.survey_id AND ${STAYS}) WHERE ${IS_RESPONSE}`,
        )
      : undefined,
    events:
      stretch.types === null
        ? undefined
        : on<Parameters<typeof toEvent>[0]>(ENTRIES, selectEvents("SELECT event_id FROM entries")),
  });
  const panelists = rows.panelists && PANELISTS.toItems(rows.panelists);
  const resources = {
    ideaBanks: byId(IDEA_BANKS.toItems(rows.ideaBanks)),
    proposals: byId(toProposals(rows.proposals)),
    comments: byId(toComments(rows.comments)),
    panelists: panelists && byId<ChangedPanelist>(withoutAddresses ? panelists.map(withoutAddress) : panelists),
    surveys: rows.surveys && byId(SURVEYS.toItems(rows.surveys)),
    responses:
      rows.responses &&
      new Map(rows.responses.map((row) => [nameOfResponse(row.survey_id, row.id), toResponse(row)] as const)),
  };
  const events = byId((rows.events ?? []).map(toEvent));
  const found = rows.shown.map((row) => ({
    row,
    change: row.event_id === null ? toChange(row, resources) : toAccountEvent(row, events.get(row.event_id)),
  }));
  return { claimed: rows.claimed, bounds: rows.bounds[0], found };
}

/** Oldest first, in one round trip. `expired` when changes after the place were deleted. */
export async function listChanges(
  session: Session,
  accountId: string,
  { after, limit, ...shown }: ChangeRequest,
): Promise<ChangePage | "expired"> {
  if (after === NOW) {
    const sql = "SELECT number, changed_at FROM change_log WHERE account_id = :accountId ORDER BY number DESC LIMIT 1";
    const newest = await session.first(prepare<Place>(sql, { accountId }));
    return { items: [], next: newest === null ? BEGINNING : toPosition(newest) };
  }
  const begin = after ?? BEGINNING;
  const stretch = { after: begin.key, types: null, rows: limit, ...shown };
  const { bounds, found } = await readStretch(session, { accountId, stretch });
  if (after !== undefined && (bounds === undefined || !isKept(after, bounds))) return "expired";
  const last = found.at(-1);
  const { newest, newest_at } = bounds ?? { newest: null, newest_at: null };
  const passed = newest === null || newest_at === null ? begin : toPosition({ number: newest, changed_at: newest_at });
  return {
    items: found.flatMap(({ change }) => ("event" in change ? [] : [change])),
    next: last === undefined ? passed : toPosition(last.row),
  };
}

const TIME_WIDTH = 8;

/** The next deliveries of a webhook. */
type Undelivered = {
  /** Oldest first. `id` identifies the change, even if its number was given to another one after a restore from a backup. */
  readonly changes: readonly { readonly number: number; readonly id: string; readonly change: Change | AccountEvent }[];
  /** Set when there are no changes to deliver: the number up to which there are none. */
  readonly passed: number;
  /** The number of changes after the webhook's place that were deleted. */
  readonly missed: number;
};

/**
 * At most `rows` changes of the types after the webhook's place, in one round trip. `types` is a JSON array, by default those of the
 * webhook. Undefined when its owner has changed it since it was claimed.
 */
export async function listUndelivered(
  session: Session,
  webhook: ClaimedWebhook,
  { rows, types = webhook.types }: { readonly rows: number; readonly types?: string | null },
): Promise<Undelivered | undefined> {
  const { accountId, number } = webhook;
  // Whoever made a webhook could choose its URL and its types, and nothing of what it may read.
  const stretch = {
    after: number,
    types,
    rows,
    withPanelists: true,
    withoutAddresses: true,
    withSurveys: true,
  } as const;
  const { claimed, bounds, found } = await readStretch(session, {
    accountId,
    stretch,
    claimed: selectAsClaimed(webhook),
  });
  if (claimed?.length !== 1) return undefined;
  const { oldest, newest } = { oldest: bounds?.oldest ?? 1, newest: bounds?.newest ?? number };
  return {
    changes: found.map(({ row, change }) => ({
      number: row.number,
      id: `chg_${accountId}_${row.number}_${encodeBase62(row.changed_at, TIME_WIDTH)}`,
      change,
    })),
    passed: Math.max(oldest - 1, newest),
    missed: Math.max(0, oldest - 1 - number),
  };
}
