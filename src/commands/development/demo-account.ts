/** The demo account of each database: created once. Later starts keep the developer's changes and print a key and a token that work. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createApiKey, verifyApiKey } from "../../worker/credentials/api-key.ts";
import { secureRandomBytes } from "../../worker/credentials/base62.ts";
import { issueToken } from "../../worker/credentials/compound-token.ts";
import type { SigningKeys } from "../../worker/credentials/envelope.ts";
import { createId } from "../../worker/credentials/id.ts";
import { pagePathOf } from "../../worker/model/page-path.ts";
import { SCOPES } from "../../worker/model/scope.ts";
import { type DemoIds, seedIdeaBank } from "./demo-idea-bank.ts";
import { readDemo } from "./demo-ideas.ts";
import { seedSurveys } from "./demo-surveys.ts";
import { type DemoMember, demoTeam, seedTeam } from "./demo-team.ts";
import { seedUsage } from "./demo-usage.ts";
import type { LocalDatabase } from "./local-database.ts";

/** After the digit of the database. */
const ACCOUNT_ID = "DemoAccount";
const PANELIST_ID = "DemoPanel00";
const IDEA_BANK_ID = "DemoBank000";
const KEY_NAME = "Demo key";
/** Older than the use that it is seen in. */
const KEY_AGE_MS = 9 * 86_400_000;
const TOKEN_DAYS = 30;

/** `proposalId` is one to vote for, as long as the developer keeps it. */
export type DemoCredentials = {
  readonly apiKey: string;
  readonly token: string;
  readonly visitorToken: string;
  readonly proposalId: string;
  /** The path of the board's own page. */
  readonly page: string;
};

/** Creates the account if it does not exist, and returns its credentials. The key is stored in a file of `stateFolder`, outside git. */
export async function ensureDemoAccount(
  { digit, database }: LocalDatabase,
  {
    directory,
    stateFolder,
    keys,
  }: { readonly directory: D1Database; readonly stateFolder: string; readonly keys: SigningKeys },
): Promise<DemoCredentials> {
  const now = Date.now();
  const ids = { accountId: digit + ACCOUNT_ID, panelistId: digit + PANELIST_ID, ideaBankId: digit + IDEA_BANK_ID };
  const account = await database.prepare("SELECT id FROM accounts WHERE id = ?1").bind(ids.accountId).first();
  if (account === null) {
    const email = digit === "0" ? "owner@example.com" : `owner${digit}@example.com`;
    const team = demoTeam(ids.accountId, email);
    await directory.batch([
      directory.prepare("INSERT OR REPLACE INTO owners VALUES (?1, ?2)").bind(email, ids.accountId),
      ...team
        .slice(1)
        .map((member) =>
          directory
            .prepare("INSERT INTO memberships VALUES (?1, ?2) ON CONFLICT DO NOTHING")
            .bind(member.email, ids.accountId),
        ),
    ]);
    await seedAccount(database, { team, email, ids, now });
  }
  const file = join(stateFolder, digit === "0" ? "demo-api-key.txt" : `demo-api-key-${digit}.txt`);
  const issuedAt = Math.floor(now / 1000);
  const token = {
    ideaBankId: ids.ideaBankId,
    panelistId: ids.panelistId,
    issuedAt,
    expiresAt: issuedAt + TOKEN_DAYS * 86_400,
  };
  const proposal = await database
    .prepare(
      `SELECT id FROM proposals WHERE idea_bank_id = ?1 AND listed = 1 AND status <> 'implemented'
       ORDER BY created_at DESC, id LIMIT 1`,
    )
    .bind(ids.ideaBankId)
    .first<{ id: string }>();
  return {
    apiKey: await ensureDemoKey(database, { accountId: ids.accountId, file, keys, now }),
    token: await issueToken(token, keys),
    visitorToken: await issueToken({ ...token, panelistId: null }, keys),
    proposalId: proposal?.id ?? "{proposalId}",
    page: pagePathOf({ id: ids.ideaBankId, name: readDemo().ideaBank }),
  };
}

/** One batch, so that an interrupted start leaves nothing incomplete. */
async function seedAccount(
  database: D1Database,
  {
    team,
    email,
    ids,
    now,
  }: { readonly team: readonly DemoMember[]; readonly email: string; readonly ids: DemoIds; readonly now: number },
): Promise<void> {
  await database.batch([
    database
      .prepare(
        "INSERT INTO accounts (id, owner_email, created_at, panelist_salt) VALUES (?1, ?2, ?3, lower(hex(randomblob(16))))",
      )
      .bind(ids.accountId, email, now),
    ...seedTeam(database, ids.accountId, { team, now }),
    ...seedIdeaBank(database, ids, { team, now }),
    ...seedSurveys(database, ids, now),
  ]);
}

/** The key of the last start if it still works, otherwise a new one that replaces it. */
async function ensureDemoKey(
  database: D1Database,
  {
    accountId,
    file,
    keys,
    now,
  }: { readonly accountId: string; readonly file: string; readonly keys: SigningKeys; readonly now: number },
): Promise<string> {
  const kept = (await readFile(file, "utf8").catch(() => "")).trim();
  const verified = await verifyApiKey(kept, keys);
  if (verified.ok) {
    const row = await database
      .prepare("SELECT id FROM api_keys WHERE id = ?1 AND secret_hash = ?2 AND revoked_at IS NULL")
      .bind(verified.value.id, verified.value.secretHash)
      .first();
    if (row !== null) return kept;
  }
  const { id, text, secretHash } = await createApiKey(keys, secureRandomBytes, createId(accountId, secureRandomBytes));
  await writeFile(file, `${text}\n`, { mode: 0o600 });
  await database.batch([
    database.prepare("DELETE FROM api_keys WHERE account_id = ?1 AND name = ?2").bind(accountId, KEY_NAME),
    database
      .prepare(
        "INSERT INTO api_keys (id, account_id, name, secret_hash, last_four, scopes, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
      )
      .bind(id, accountId, KEY_NAME, secretHash, text.slice(-4), JSON.stringify(SCOPES), now - KEY_AGE_MS),
    ...seedUsage(database, id, now),
  ]);
  return text;
}
