/** The Workers' data in D1: one account, its keys, its idea banks and their proposals. */
import { readFile } from "node:fs/promises";
import { createApiKey } from "../../src/worker/credentials/api-key.ts";
import { secureRandomBytes } from "../../src/worker/credentials/base62.ts";
import { issueToken } from "../../src/worker/credentials/compound-token.ts";
import { importSigningKeys } from "../../src/worker/credentials/envelope.ts";
import { createId } from "../../src/worker/credentials/id.ts";
import { SCOPES } from "../../src/worker/model/scope.ts";
import { makeSchema } from "../support/schema-parts.ts";
import { SECRET } from "./runtime.ts";

export const ACCOUNT_ID = "0BenchTenant";
export const OWNER_EMAIL = "bench@example.com";
const PANELIST_ID = "0BenchPanel0";
const DAY_SECONDS = 86_400;
/** Rows that one statement inserts: local D1 gives a statement 30 seconds. */
const CHUNK = 25_000;
/** A million proposals are more than the default quota. */
const MAX_BYTES = 2 ** 30;

export const signingKeys = await importSigningKeys([SECRET]);

/** The schema, an account and a panelist. */
export async function seedAccount(database: D1Database): Promise<void> {
  await makeSchema(database, await readFile("schema.sql", "utf8"));
  await database.batch([
    database
      .prepare(
        `INSERT INTO accounts (id, owner_email, created_at, max_bytes, panelist_salt) VALUES (?1, '${OWNER_EMAIL}', 1, ?2, lower(hex(randomblob(16))))`,
      )
      .bind(ACCOUNT_ID, MAX_BYTES),
    database
      .prepare("INSERT INTO panelists (id, account_id, created_at) VALUES (?1, ?2, 1)")
      .bind(PANELIST_ID, ACCOUNT_ID),
  ]);
}

/** Creates keys with a rate limit, and returns their texts. */
export const seedApiKeys = async (
  database: D1Database,
  count: number,
  rateLimit: { limit: number; windowSeconds: number },
): Promise<string[]> => (await seedKnownApiKeys(database, count, rateLimit)).map(({ text }) => text);

/** The same, with their ids. */
export async function seedKnownApiKeys(
  database: D1Database,
  count: number,
  { limit, windowSeconds }: { limit: number; windowSeconds: number },
): Promise<{ text: string; id: string }[]> {
  const keys = await Promise.all(
    Array.from({ length: count }, () =>
      createApiKey(signingKeys, secureRandomBytes, createId(ACCOUNT_ID, secureRandomBytes)),
    ),
  );
  await insertApiKeys(
    database,
    keys.map(({ id, secretHash }) => ({ id, secretHash })),
    limit,
    windowSeconds,
  );
  return keys.map(({ text, id }) => ({ text, id }));
}

/** Creates rows of keys without making the keys. */
export async function seedApiKeyRows(database: D1Database, count: number, advance: (rows: number) => void) {
  for (let from = 0; from < count; from += CHUNK) {
    const ids = Array.from({ length: Math.min(CHUNK, count - from) }, (_, index) => numbered("K", from + index));
    await insertApiKeys(
      database,
      ids.map((id) => ({ id, secretHash: id })),
      600,
      60,
    );
    advance(ids.length);
  }
}

async function insertApiKeys(
  database: D1Database,
  keys: readonly { id: string; secretHash: string }[],
  limit: number,
  windowSeconds: number,
): Promise<void> {
  await database
    .prepare(
      `INSERT INTO api_keys (id, account_id, name, secret_hash, scopes, rate_limit, rate_window_seconds, created_at)
       SELECT value ->> 'id', ?2, 'A key', value ->> 'secretHash', ?3, ?4, ?5, 1 FROM json_each(?1)`,
    )
    .bind(JSON.stringify(keys), ACCOUNT_ID, JSON.stringify(SCOPES), limit, windowSeconds)
    .run();
}

export const ideaBankIds = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => numbered("B", index));

/** Open idea banks with a changelog of at most 20 entries. */
export async function seedIdeaBanks(database: D1Database, ids: readonly string[]): Promise<void> {
  await database
    .prepare(
      `INSERT INTO idea_banks (id, account_id, name, status, changelog_enabled, created_at)
       SELECT value, ?2, 'An idea bank', 'OPEN', 1, 1 FROM json_each(?1)`,
    )
    .bind(JSON.stringify(ids), ACCOUNT_ID)
    .run();
}

/** As many implemented proposals in each idea bank as its changelog shows. */
export async function seedChangelogs(database: D1Database, ideaBankIds: readonly string[], entries = 20) {
  const banksAtOnce = Math.max(1, Math.floor(CHUNK / entries));
  for (let from = 0; from < ideaBankIds.length; from += banksAtOnce) {
    await database
      .prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
         INSERT INTO proposals (id, account_id, idea_bank_id, title, description, status, created_at, last_activity_at)
         SELECT b.value || i, ?2, b.value, ${TITLE}, ${DESCRIPTION}, 'implemented', i, 1795000000000 + i
         FROM json_each(?1) b, n`,
      )
      .bind(JSON.stringify(ideaBankIds.slice(from, from + banksAtOnce)), ACCOUNT_ID, entries)
      .run();
  }
}

/** Fills one idea bank; a quarter of its proposals are implemented. */
export async function seedProposals(
  database: D1Database,
  ideaBankId: string,
  count: number,
  advance: (rows: number) => void,
): Promise<void> {
  for (let from = 0; from < count; from += CHUNK) {
    const rows = Math.min(CHUNK, count - from);
    await database
      .prepare(
        `WITH RECURSIVE n (i) AS (SELECT ?3 + 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3 + ?4)
         INSERT INTO proposals (id, account_id, idea_bank_id, title, description, status, created_at, last_activity_at)
         SELECT printf('%.4s%08d', ?1, i), ?2, ?1, ${TITLE}, ${DESCRIPTION}, iif(i % 4, 'planned', 'implemented'), i, i FROM n`,
      )
      .bind(ideaBankId, ACCOUNT_ID, from, rows)
      .run();
    advance(rows);
  }
}

const TITLE = "'Proposal number ' || i";
const DESCRIPTION =
  "'What it is for, and for whom, in a sentence or two as people write them. This is number ' || i || '.'";

export const voterIds = (count: number): string[] => Array.from({ length: count }, (_, index) => numbered("V", index));

/** Panelists who have done nothing. */
export const seedPanelists = async (database: D1Database, ids: readonly string[]): Promise<void> => {
  await panelists(database, ids).run();
};

const panelists = (database: D1Database, ids: readonly string[]): D1PreparedStatement =>
  database
    .prepare("INSERT INTO panelists (id, account_id, created_at) SELECT value, ?2, 1 FROM json_each(?1)")
    .bind(JSON.stringify(ids), ACCOUNT_ID);

/**
 * Panelists; the `early` ones vote for proposals of an idea bank, none or some or nearly all of them for one. The same votes are
 * in `ballots`, which nothing counts, for the peer that counts them itself.
 */
export async function seedVotes(
  database: D1Database,
  ideaBankId: string,
  voters: readonly string[],
  early: number,
): Promise<void> {
  await database.batch([
    panelists(database, voters),
    database
      .prepare(
        `INSERT INTO votes (proposal_id, panelist_id, account_id, idea_bank_id, created_at)
         SELECT p.id, v.value, p.account_id, p.idea_bank_id, v.key FROM proposals p
         JOIN json_each(?2) v ON v.key < substr(p.id, 5) * 7 % ?3 WHERE p.idea_bank_id = ?1`,
      )
      .bind(ideaBankId, JSON.stringify(voters.slice(0, early)), early),
    database.prepare(
      `CREATE TABLE IF NOT EXISTS ballots
         (proposal_id TEXT NOT NULL, panelist_id TEXT NOT NULL, PRIMARY KEY (proposal_id, panelist_id)) WITHOUT ROWID`,
    ),
    database.prepare("INSERT INTO ballots SELECT proposal_id, panelist_id FROM votes"),
  ]);
}

/** A day's token of the panelist. */
export const tokenFor = (ideaBankId: string): Promise<string> => tokenOf(PANELIST_ID, ideaBankId);

/** The same, of another panelist. */
export function tokenOf(panelistId: string, ideaBankId: string): Promise<string> {
  const issuedAt = Math.floor(Date.now() / 1000);
  return issueToken({ ideaBankId, panelistId, issuedAt, expiresAt: issuedAt + DAY_SECONDS }, signingKeys);
}

/** The same credential with another last digit: its tag is wrong. */
export const forge = (credential: string): string => credential.slice(0, -1) + (credential.endsWith("0") ? "1" : "0");

const numbered = (kind: string, number: number): string => `0${kind}${String(number).padStart(10, "0")}`;
