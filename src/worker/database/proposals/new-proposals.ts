/** Creates proposals for the tenant API, also under the tenant's own id, and for a panelist. */
import type { Created, IdempotencyKey, IdempotentResult } from "../../model/idempotency-key.ts";
import type { NewProposal, Proposal, ProposalUpsert } from "../../model/proposal.ts";
import type { Seen } from "../../model/stored-state.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare, type Statement } from "../../store/statement.ts";
import { namedPanelist, namedValues, panelistExists } from "../acting-for.ts";
import { insertOnce, mapResult, notDoneBefore, toInserted } from "../idempotency.ts";
import { asSeen } from "../stored-state.ts";
import { differs, FIELD_COLUMNS, NEW_FIELDS, toNewFields } from "./proposal-fields.ts";
import {
  COLUMNS,
  changeValues,
  OWN_BY_EXTERNAL_ID,
  ordered,
  type ProposalPath,
  type ProposalRow,
  STATE,
  setChanges,
  toProposal,
} from "./proposals.ts";
import { NEW_TERMS, TERM_COLUMNS } from "./words.ts";

/**
 * The reason why a creation did nothing. `taken`: the idea bank has a proposal with this `externalId`. `not-owned`: the idea bank
 * is not the tenant's.
 */
export type NotCreated = "not-owned" | "no-panelist" | "taken";

const OWNED = "EXISTS (SELECT 1 FROM idea_banks WHERE account_id = :accountId AND id = :ideaBankId)";
const TAKEN = "EXISTS (SELECT 1 FROM proposals WHERE idea_bank_id = :ideaBankId AND external_id = :externalId)";

type Fields = ProposalUpsert & { readonly externalId?: string | null | undefined };

/** The creation time in Unix milliseconds. For an imported proposal it is the time at its origin. */
const createdAtOf = ({ createdAt }: Fields, now: number): number =>
  createdAt === undefined ? now : Date.parse(createdAt);

/** Inserts nothing if the idea bank is not the tenant's, the panelist does not exist, or the external id is taken. */
const insertInto = (fields: Fields, condition: string) =>
  `INSERT INTO proposals (id, account_id, idea_bank_id, author_id, ${FIELD_COLUMNS},
     responded_at, ${TERM_COLUMNS}, created_at, last_activity_at, by_tenant)
   SELECT :proposalId, :accountId, :ideaBankId, ${namedPanelist(fields)}, ${NEW_FIELDS},
     iif(:response IS NULL, NULL, :createdAt), ${NEW_TERMS}, :createdAt, :createdAt, ${namedPanelist(fields)} IS NULL
   WHERE ${OWNED} AND ${panelistExists(fields)} AND NOT ${TAKEN} AND ${condition}
   RETURNING id`;

/** Selects the reason why a creation did nothing. */
const selectObstacles = (fields: Fields, values: Parameters<typeof prepare>[1]): Statement<ObstacleRow> =>
  prepare(`SELECT ${OWNED} AS owned, ${panelistExists(fields)} AS panelist, ${TAKEN} AS taken`, values);

type ObstacleRow = { readonly owned: number; readonly panelist: number; readonly taken: number };

function toObstacle([row]: readonly ObstacleRow[]): NotCreated | undefined {
  if (row?.owned !== 1) return "not-owned";
  if (row.panelist !== 1) return "no-panelist";
  return row.taken === 1 ? "taken" : undefined;
}

type CreatedFor = Created & { readonly panelistId?: string | null };

type ProposalCreation = {
  readonly accountId: string;
  readonly path: ProposalPath;
  readonly fields: NewProposal;
  /** Unix milliseconds. */
  readonly now: number;
  readonly idempotencyKey: IdempotencyKey | undefined;
};

/** `obstacle` is the reason when the result is `refused`. */
export async function createProposal(
  session: Session,
  { accountId, path, fields, now, idempotencyKey }: ProposalCreation,
): Promise<{ readonly result: IdempotentResult<Proposal>; readonly obstacle: NotCreated | undefined }> {
  const values = {
    ...{ ...path, accountId },
    ...changeValues(fields, now),
    ...namedValues(fields),
    createdAt: createdAtOf(fields, now),
    idempotencyKey: idempotencyKey?.key,
  };
  const created: CreatedFor = { id: path.proposalId, at: values.createdAt };
  const details = {
    select: "SELECT json_object('panelistId', author_id) FROM proposals WHERE id = :id",
    values: { id: path.proposalId },
  };
  const insert = prepare(insertInto(fields, notDoneBefore()), values);
  const rows = await session.batch({
    obstacles: selectObstacles(fields, values),
    ...insertOnce({ accountId }, idempotencyKey, { insert, outcome: created, details }),
  });
  const result = toInserted(rows, idempotencyKey, created);
  return { obstacle: toObstacle(rows.obstacles), result: mapResult(result, (outcome) => toNew(fields, outcome)) };
}

const toNew = (fields: NewProposal, { id, at, panelistId = null }: CreatedFor): Proposal =>
  ordered({
    ...{ id, ...toNewFields(fields, at), votes: 0, comments: 0, panelistId },
    ...{ duplicateOf: null, merging: false, createdAt: toTimestamp(at), lastActivityAt: toTimestamp(at) },
  });

/** `path` names the new proposal, if it has to be created. `only`: what it may do, if not both. */
type ProposalUpsertion = Pick<ProposalCreation, "accountId" | "path" | "now"> &
  Seen & {
    readonly fields: ProposalUpsert & { readonly externalId: string };
    readonly only?: "change" | "create" | undefined;
  };

/**
 * Creates the proposal with this `externalId`, or changes it as `updateProposal` does. Two requests at the same time give one
 * proposal. `taken`: the id belongs to a proposal that is no longer accessible, because its merge target is being deleted.
 * `not-as-seen`: the proposal is in another state, or one is there, or none, which `only` forbids.
 */
export async function upsertProposal(
  session: Session,
  { accountId, path, fields, now, seen, only }: ProposalUpsertion,
): Promise<{ readonly proposal: Proposal; readonly created: boolean } | NotCreated | "not-as-seen"> {
  const values = {
    ...{ ...path, accountId },
    ...changeValues(fields, now),
    ...namedValues(fields),
    createdAt: createdAtOf(fields, now),
    ...{ seen, mayChange: only !== "create", mayCreate: only !== "change" },
  };
  const changed = `${OWN_BY_EXTERNAL_ID} AND :mayChange AND ${asSeen(STATE)}`;
  const changes = { ...fields, externalId: undefined };
  const { accepted, obstacles, inserted, found } = await session.batch({
    accepted: prepare(`SELECT 1 FROM proposals WHERE ${changed}`, values),
    updated: prepare(`UPDATE proposals SET ${setChanges(changes)} WHERE ${changed} AND ${differs(changes)}`, values),
    obstacles: selectObstacles(fields, values),
    inserted: prepare(insertInto(fields, ":mayCreate"), values),
    found: prepare<ProposalRow>(`SELECT ${COLUMNS} FROM proposals WHERE ${OWN_BY_EXTERNAL_ID}`, values),
  });
  const [row] = found;
  const created = inserted.length === 1;
  if (row !== undefined && (created || accepted.length === 1)) return { proposal: toProposal(row), created };
  const obstacle = toObstacle(obstacles);
  const isOwned = obstacle !== "not-owned";
  if (isOwned && (only === "change" || (only === "create" && row !== undefined))) return "not-as-seen";
  return obstacle ?? "not-owned";
}
