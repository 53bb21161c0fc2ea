/** Test data in D1, written directly to the tables. */
import { env } from "cloudflare:workers";
import { createApiKey } from "../../src/worker/credentials/api-key.ts";
import { secureRandomBytes } from "../../src/worker/credentials/base62.ts";
import { issueToken } from "../../src/worker/credentials/compound-token.ts";
import { importSigningKeys } from "../../src/worker/credentials/envelope.ts";
import { createId, type Identifier } from "../../src/worker/credentials/id.ts";
import { isId } from "../../src/worker/model/id.ts";
import { SCOPES, type Scope } from "../../src/worker/model/scope.ts";
import { titleWords } from "../../src/worker/model/words.ts";
import { type Digit, databaseOf, nextDigit } from "./databases.ts";

export const secrets = env.CREDENTIAL_SECRETS.split(",") as [string, ...string[]];
export const signingKeys = await importSigningKeys(secrets);
/** In the same database as `beside`, an identifier or a digit. */
export const newId = (beside = "1") => createId(beside, secureRandomBytes);

export function toId(text: string): Identifier {
  if (!isId(text)) throw new Error(`${text} is not an identifier`);
  return text;
}

/** `digit` is its database's: accounts are placed in turn. */
export async function addAccount({
  status = "active",
  digit = nextDigit(),
}: {
  status?: string;
  digit?: string | undefined;
} = {}): Promise<string> {
  const id = newId(digit);
  await databaseOf(id)
    .prepare(
      `INSERT INTO accounts (id, owner_email, status, created_at, panelist_salt)
       VALUES (?1, ?2, ?3, ?4, lower(hex(randomblob(16))))`,
    )
    .bind(id, `${id}@example.com`, status, Date.now())
    .run();
  return id;
}

export type KeyOptions = {
  accountId?: string;
  limit?: number;
  windowSeconds?: number;
  expiresAt?: number | null;
  revokedAt?: number | null;
  scopes?: readonly Scope[];
};

export async function addApiKey(options: KeyOptions = {}) {
  const { limit = 600, windowSeconds = 60, expiresAt = null, revokedAt = null, scopes = SCOPES } = options;
  const accountId = options.accountId ?? (await addAccount());
  const { id, text, secretHash } = await createApiKey(signingKeys, secureRandomBytes, newId(accountId));
  await databaseOf(id)
    .prepare(
      `INSERT INTO api_keys
       (id, account_id, name, secret_hash, scopes, rate_limit, rate_window_seconds, created_at, expires_at, revoked_at)
     VALUES (?1, ?2, 'A key', ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
    )
    .bind(id, accountId, secretHash, JSON.stringify(scopes), limit, windowSeconds, Date.now(), expiresAt, revokedAt)
    .run();
  return { id, text, accountId, secretHash };
}

export type IdeaBankOptions = {
  accountId?: string;
  /** Of the database, for an idea bank in a new account. */
  digit?: Digit;
  status?: "DRAFT" | "OPEN" | "CLOSED";
  internal?: boolean;
  changelogEnabled?: boolean;
  changelogMaxEntries?: number;
};

/** An idea bank that panelists may read, unless the options say otherwise, and a panelist with a token for it. */
export async function addIdeaBank(options: IdeaBankOptions = {}) {
  const { status = "OPEN", internal = false, changelogEnabled = true, changelogMaxEntries = 20 } = options;
  const accountId = options.accountId ?? (await addAccount({ digit: options.digit }));
  const id = newId(accountId);
  await databaseOf(id)
    .prepare(
      `INSERT INTO idea_banks (id, account_id, name, status, internal, changelog_enabled, changelog_max_entries, created_at)
     VALUES (?1, ?2, 'An idea bank', ?3, ?4, ?5, ?6, ?7)`,
    )
    .bind(id, accountId, status, Number(internal), Number(changelogEnabled), changelogMaxEntries, Date.now())
    .run();
  const panelistId = await addPanelist(accountId);
  return { id, accountId, panelistId, token: await tokenFor(id, panelistId) };
}

export async function addPanelist(accountId: string): Promise<string> {
  const id = newId(accountId);
  await databaseOf(id)
    .prepare("INSERT INTO panelists (id, account_id, created_at) VALUES (?1, ?2, ?3)")
    .bind(id, accountId, Date.now())
    .run();
  return id;
}

/** `issuedAt` is in Unix seconds. */
export const tokenFor = (ideaBankId: string, panelistId: string, issuedAt = Math.floor(Date.now() / 1000)) =>
  issueToken({ ideaBankId, panelistId, issuedAt, expiresAt: issuedAt + 86_400 }, signingKeys);

export type ProposalOptions = { title?: string; description?: string; status?: string; lastActivityAt?: number };

export async function addProposal(ideaBank: { id: string; accountId: string }, options: ProposalOptions = {}) {
  const {
    title = "A proposal",
    description = "What it is about.",
    status = "implemented",
    lastActivityAt = Date.now(),
  } = options;
  const id = newId(ideaBank.id);
  await databaseOf(id)
    .prepare(
      `INSERT INTO proposals (id, account_id, idea_bank_id, title, description, status, created_at, last_activity_at, words)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8)`,
    )
    .bind(id, ideaBank.accountId, ideaBank.id, title, description, status, lastActivityAt, titleWords(title))
    .run();
  return id;
}
