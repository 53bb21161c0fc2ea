/** The demo account: created once. Later starts keep the developer's changes and print a key and a token that work. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createApiKey, verifyApiKey } from "../credentials/api-key.ts";
import { secureRandomBytes } from "../credentials/base62.ts";
import { issueToken } from "../credentials/compound-token.ts";
import type { SigningKeys } from "../credentials/envelope.ts";
import { createId } from "../credentials/id.ts";
import { SCOPES } from "../model/scope.ts";
import { seedIdeaBank } from "./demo-idea-bank.ts";
import { seedUsage } from "./demo-usage.ts";

const ACCOUNT_ID = "0DemoAccount";
const PANELIST_ID = "0DemoPanel00";
const IDEA_BANK_ID = "0DemoBank000";
const KEY_NAME = "Demo key";
/** Older than the use that it is seen in. */
const KEY_AGE_MS = 9 * 86_400_000;
const TOKEN_DAYS = 30;

/** `proposalId` is one to vote for, as long as the developer keeps it. */
export type DemoCredentials = { readonly apiKey: string; readonly token: string; readonly proposalId: string };

/** Creates the account if it does not exist, and returns its credentials. The key is stored in a file of `stateFolder`, outside git. */
export async function ensureDemoAccount(
  database: D1Database,
  stateFolder: string,
  keys: SigningKeys,
): Promise<DemoCredentials> {
  const now = Date.now();
  const account = await database.prepare("SELECT id FROM accounts WHERE id = ?1").bind(ACCOUNT_ID).first();
  if (account === null) await seedAccount(database, now);
  const issuedAt = Math.floor(now / 1000);
  const token = {
    ideaBankId: IDEA_BANK_ID,
    panelistId: PANELIST_ID,
    issuedAt,
    expiresAt: issuedAt + TOKEN_DAYS * 86_400,
  };
  const proposal = await database
    .prepare(
      `SELECT id FROM proposals WHERE idea_bank_id = ?1 AND listed = 1 AND status <> 'implemented'
       ORDER BY created_at DESC, id LIMIT 1`,
    )
    .bind(IDEA_BANK_ID)
    .first<{ id: string }>();
  return {
    apiKey: await ensureDemoKey(database, stateFolder, keys, now),
    token: await issueToken(token, keys),
    proposalId: proposal?.id ?? "{proposalId}",
  };
}

/** One batch, so that an interrupted start leaves nothing incomplete. */
async function seedAccount(database: D1Database, now: number): Promise<void> {
  await database.batch([
    database
      .prepare("INSERT INTO accounts (id, owner_email, created_at) VALUES (?1, 'owner@example.com', ?2)")
      .bind(ACCOUNT_ID, now),
    ...seedIdeaBank(database, { accountId: ACCOUNT_ID, ideaBankId: IDEA_BANK_ID, panelistId: PANELIST_ID }, now),
  ]);
}

/** The key of the last start if it still works, otherwise a new one that replaces it. */
async function ensureDemoKey(
  database: D1Database,
  stateFolder: string,
  keys: SigningKeys,
  now: number,
): Promise<string> {
  const file = join(stateFolder, "demo-api-key.txt");
  const kept = (await readFile(file, "utf8").catch(() => "")).trim();
  const verified = await verifyApiKey(kept, keys);
  if (verified.ok) {
    const row = await database
      .prepare("SELECT id FROM api_keys WHERE id = ?1 AND secret_hash = ?2 AND revoked_at IS NULL")
      .bind(verified.value.id, verified.value.secretHash)
      .first();
    if (row !== null) return kept;
  }
  const { id, text, secretHash } = await createApiKey(keys, secureRandomBytes, createId(ACCOUNT_ID, secureRandomBytes));
  await writeFile(file, `${text}\n`, { mode: 0o600 });
  await database.batch([
    database.prepare("DELETE FROM api_keys WHERE account_id = ?1 AND name = ?2").bind(ACCOUNT_ID, KEY_NAME),
    database
      .prepare(
        "INSERT INTO api_keys (id, account_id, name, secret_hash, last_four, scopes, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
      )
      .bind(id, ACCOUNT_ID, KEY_NAME, secretHash, text.slice(-4), JSON.stringify(SCOPES), now - KEY_AGE_MS),
    ...seedUsage(database, id, now),
  ]);
  return text;
}
