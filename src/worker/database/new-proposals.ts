/** Creates proposals for the tenant API, also by the tenant's own id and for a panelist. */
import type { Created, IdempotencyKey, IdempotentResult } from "../model/idempotency-key.ts";
import type { NewProposal, Proposal, ProposalUpsert } from "../model/proposal.ts";
import { toTimestamp } from "../model/text.ts";
import { namedPanelist, namedValues, panelistExists } from "./acting-for.ts";
import { insertOnce, mapResult, notDoneBefore } from "./idempotency.ts";
import { targetStays } from "./merges.ts";
import {
  CHANGES,
  COLUMNS,
  changeValues,
  IN_OWN_IDEA_BANK,
  type ProposalPath,
  type ProposalRow,
  toProposal,
  toResponse,
} from "./proposals.ts";
import { prepare, rowsOf } from "./statement.ts";

/** Why a creation did nothing. `taken`: the idea bank has a proposal with this `externalId`. `not-owned`: it is not the tenant's. */
export type NotCreated = "not-owned" | "no-panelist" | "taken";

const OWNED = "EXISTS (SELECT 1 FROM idea_banks WHERE account_id = :accountId AND id = :ideaBankId)";
const TAKEN = "EXISTS (SELECT 1 FROM proposals WHERE idea_bank_id = :ideaBankId AND external_id = :externalId)";

type Fields = ProposalUpsert & { readonly externalId?: string | null | undefined };

/** In Unix milliseconds: when an imported proposal was created where it comes from. */
const createdAtOf = ({ createdAt }: Fields, now: number): number =>
  createdAt === undefined ? now : Date.parse(createdAt);

/** Inserts nothing if the idea bank is not the tenant's, there is no such panelist, or the external id is taken. */
const insertInto = (fields: Fields, condition: string) =>
  `INSERT INTO proposals (id, account_id, idea_bank_id, author_id, title, description, status, visibility, response, responded_at,
     external_id, metadata, tags, words, created_at, last_activity_at)
   SELECT :proposalId, :accountId, :ideaBankId, ${namedPanelist(fields)}, :title, coalesce(:description, ''),
     coalesce(:status, 'submitted'), coalesce(:visibility, 'public'), :response, iif(:response IS NULL, NULL, :createdAt),
     :externalId, :metadata, :tags, :words, :createdAt, :createdAt
   WHERE ${OWNED} AND ${panelistExists(fields)} AND NOT ${TAKEN} AND ${condition}
   RETURNING id`;

/** What the statement says about a creation that did nothing. */
const selectObstacles = (fields: Fields) =>
  `SELECT ${OWNED} AS owned, ${panelistExists(fields)} AS panelist, ${TAKEN} AS taken`;

function toObstacle(result: D1Result | undefined): NotCreated | undefined {
  const [row] = rowsOf<{ owned: number; panelist: number; taken: number }>(result);
  if (row?.owned !== 1) return "not-owned";
  if (row.panelist !== 1) return "no-panelist";
  return row.taken === 1 ? "taken" : undefined;
}

type CreatedFor = Created & { readonly panelistId?: string | null };

/** `obstacle`: why the result is `refused`. */
export async function createProposal(
  session: D1DatabaseSession,
  accountId: string,
  path: ProposalPath,
  fields: NewProposal,
  now: number,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<{ readonly result: IdempotentResult<Proposal>; readonly obstacle: NotCreated | undefined }> {
  const values = {
    ...{ ...path, accountId },
    ...changeValues(fields, now),
    ...namedValues(fields),
    createdAt: createdAtOf(fields, now),
    idempotencyKey: idempotencyKey?.key,
  };
  const created: CreatedFor = { id: path.proposalId, at: values.createdAt };
  const { result, before } = await insertOnce(
    session,
    { accountId },
    idempotencyKey,
    prepare(session, insertInto(fields, notDoneBefore()), values),
    created,
    [prepare(session, selectObstacles(fields), values)],
    {
      select: "SELECT json_object('panelistId', author_id) FROM proposals WHERE id = :id",
      values: { id: path.proposalId },
    },
  );
  return { obstacle: toObstacle(before[0]), result: mapResult(result, (outcome) => toNew(fields, outcome)) };
}

const toNew = (fields: NewProposal, { id, at, panelistId = null }: CreatedFor): Proposal => ({
  id,
  title: fields.title,
  description: fields.description ?? "",
  status: fields.status ?? "submitted",
  visibility: fields.visibility ?? "public",
  votes: 0,
  comments: 0,
  panelistId,
  response: toResponse(fields.response?.text ?? null, at),
  duplicateOf: null,
  merging: false,
  tags: fields.tags ?? [],
  externalId: fields.externalId ?? null,
  metadata: fields.metadata ?? {},
  createdAt: toTimestamp(at),
  lastActivityAt: toTimestamp(at),
});

/**
 * Creates the proposal with this `externalId`, or changes it as `updateProposal` does. Two at the same time give one proposal. `taken`: a
 * proposal has the id that nobody can access any more, because what it was merged into is being deleted.
 */
export async function upsertProposal(
  session: D1DatabaseSession,
  accountId: string,
  { proposalId, ideaBankId }: ProposalPath,
  externalId: string,
  upsert: ProposalUpsert,
  now: number,
): Promise<{ readonly proposal: Proposal; readonly created: boolean } | NotCreated> {
  const fields = { ...upsert, externalId };
  const values = {
    ...{ accountId, ideaBankId, proposalId },
    ...changeValues(fields, now),
    ...namedValues(fields),
    createdAt: createdAtOf(fields, now),
  };
  const own = `${IN_OWN_IDEA_BANK} AND external_id = :externalId AND ${targetStays("proposals")}`;
  const [updated, obstacles, inserted, found] = await session.batch([
    prepare(session, `UPDATE proposals SET ${CHANGES} WHERE ${own} RETURNING id`, values),
    prepare(session, selectObstacles(fields), values),
    prepare(session, insertInto(fields, "true"), values),
    prepare(session, `SELECT ${COLUMNS} FROM proposals WHERE ${own}`, values),
  ]);
  const [row] = rowsOf<ProposalRow>(found);
  const created = inserted?.results.length === 1;
  if (row !== undefined && (created || updated?.results.length === 1)) return { proposal: toProposal(row), created };
  return toObstacle(obstacles) ?? "not-owned";
}
