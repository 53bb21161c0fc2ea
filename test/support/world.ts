/** Test data in D1, written directly to the tables. */
import { env } from "cloudflare:workers";
import { createApiKey } from "../../src/worker/credentials/api-key.ts";
import { secureRandomBytes } from "../../src/worker/credentials/base62.ts";
import { issueToken } from "../../src/worker/credentials/compound-token.ts";
import { importSigningKeys } from "../../src/worker/credentials/envelope.ts";
import { createId, type Identifier } from "../../src/worker/credentials/id.ts";
import { isId } from "../../src/worker/model/id.ts";
import { SCOPES, type Scope } from "../../src/worker/model/scope.ts";
import { textTerms, titleTerms, titleWords } from "../../src/worker/model/words.ts";
import { type Digit, databaseOf, nextDigit } from "./databases.ts";

export const secrets = env.CREDENTIAL_SECRETS.split(",") as [string, ...string[]];
export const signingKeys = await importSigningKeys(secrets);
/** In the same database as `beside`, an identifier or a digit. */
export const newId = (beside = "1") => createId(beside, secureRandomBytes);

export function toId(text: string): Identifier {
  if (!isId(text)) throw new Error(`${text} is not an identifier`);
  return text;
}

/** What is written together, in one call. */
const write = (id: string, ...rows: readonly (D1PreparedStatement | undefined)[]) =>
  databaseOf(id).batch(rows.filter((row) => row !== undefined));

type AccountOptions = { status?: string; digit?: string | undefined };

/** `digit` is its database's: accounts are placed in turn. */
function newAccount({ status = "active", digit = nextDigit() }: AccountOptions) {
  const id = newId(digit);
  const row = databaseOf(id)
    .prepare(
      `INSERT INTO accounts (id, owner_email, status, created_at, panelist_salt)
       VALUES (?1, ?2, ?3, ?4, lower(hex(randomblob(16))))`,
    )
    .bind(id, `${id}@example.com`, status, Date.now());
  return { id, row };
}

/** The account of `id`, or a new one with its row. */
const accountOf = (id: string | undefined, digit?: Digit): { id: string; row?: D1PreparedStatement } =>
  id === undefined ? newAccount({ digit }) : { id };

export async function addAccount(options: AccountOptions = {}): Promise<string> {
  const { id, row } = newAccount(options);
  await write(id, row);
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
  const { id: accountId, row: account } = accountOf(options.accountId);
  const { id, text, secretHash } = await createApiKey(signingKeys, secureRandomBytes, newId(accountId));
  const key = databaseOf(id)
    .prepare(
      `INSERT INTO api_keys
       (id, account_id, name, secret_hash, scopes, rate_limit, rate_window_seconds, created_at, expires_at, revoked_at)
     VALUES (?1, ?2, 'A key', ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
    )
    .bind(id, accountId, secretHash, JSON.stringify(scopes), limit, windowSeconds, Date.now(), expiresAt, revokedAt);
  await write(id, account, key);
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
  const { id: accountId, row: account } = accountOf(options.accountId, options.digit);
  const id = newId(accountId);
  const bank = databaseOf(id)
    .prepare(
      `INSERT INTO idea_banks (id, account_id, name, status, internal, changelog_enabled, changelog_max_entries, created_at)
     VALUES (?1, ?2, 'An idea bank', ?3, ?4, ?5, ?6, ?7)`,
    )
    .bind(id, accountId, status, Number(internal), Number(changelogEnabled), changelogMaxEntries, Date.now());
  const panelist = newPanelist(accountId);
  await write(id, account, bank, panelist.row);
  return { id, accountId, panelistId: panelist.id, token: await tokenFor(id, panelist.id) };
}

type PanelistOptions = { externalId?: string | null; displayName?: string | null };

function newPanelist(accountId: string, { externalId = null, displayName = null }: PanelistOptions = {}) {
  const id = newId(accountId);
  const row = databaseOf(id)
    .prepare(
      "INSERT INTO panelists (id, account_id, external_id, display_name, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
    )
    .bind(id, accountId, externalId, displayName, Date.now());
  return { id, row };
}

export async function addPanelist(accountId: string, options: PanelistOptions = {}): Promise<string> {
  const { id, row } = newPanelist(accountId, options);
  await write(id, row);
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
      `INSERT INTO proposals (id, account_id, idea_bank_id, title, description, status, created_at, last_activity_at, words, title_terms,
       text_terms, indexed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9, ?10, 1)`,
    )
    .bind(
      id,
      ideaBank.accountId,
      ideaBank.id,
      title,
      description,
      status,
      lastActivityAt,
      titleWords(title),
      titleTerms(title),
      textTerms(description),
    )
    .run();
  return id;
}
