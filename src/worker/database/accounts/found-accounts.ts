/** Accounts as the operator of the deployment finds them: anybody's, in one database. Times are Unix milliseconds. */
import { foldAddress } from "../../model/member.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { STORED_BYTES } from "../quota.ts";

const DAY_MS = 86_400_000;
/** A page of the list has so many accounts. */
const PAGE = 1_000;

/** `owner` is the owner's address; the account's own identifier, when the other members have removed the owner. */
export type FoundAccount = {
  readonly id: string;
  readonly owner: string;
  readonly status: string;
  readonly storedBytes: number;
  readonly maxBytes: number;
};

export const FOUND = `id, owner_email AS owner, status, ${STORED_BYTES} AS storedBytes, max_bytes AS maxBytes`;

/** `account` is the owner's address or the account's identifier; with `orKey` also the identifier of one of its API keys. */
export function findAccount(
  session: Session,
  { account, orKey }: { readonly account: string; readonly orKey: boolean },
): Promise<FoundAccount | null> {
  const address = foldAddress(account);
  const which = address === undefined ? "id = :value" : "owner_email = :value";
  const ofKey = orKey ? " OR id = (SELECT account_id FROM api_keys WHERE id = :value)" : "";
  return session.first(
    prepare<FoundAccount>(`SELECT ${FOUND} FROM accounts WHERE ${which}${ofKey}`, { value: address ?? account }),
  );
}

/** `apiKeys` counts those that can be used. */
export type ListedAccount = FoundAccount & {
  readonly createdAt: number;
  readonly apiKeys: number;
  readonly members: number;
  readonly requestsOfLastDay: number;
};

/** Names the last row of a page. */
export type AfterAccount = { readonly createdAt: number; readonly id: string };

/** A page of this database's accounts, oldest first. `next` is undefined on the last one. */
export async function listAccounts(
  session: Session,
  { after, now }: { readonly after: AfterAccount | undefined; readonly now: number },
): Promise<{ readonly accounts: readonly ListedAccount[]; readonly next: AfterAccount | undefined }> {
  const accounts = await session.all(
    prepare<ListedAccount>(
      `SELECT ${FOUND}, created_at AS createdAt,
         (SELECT count(*) FROM api_keys WHERE account_id = a.id AND revoked_at IS NULL AND coalesce(expires_at, :now + 1) > :now) AS apiKeys,
         (SELECT count(*) FROM members WHERE account_id = a.id) AS members,
         (SELECT coalesce(sum(u.admitted + u.limited), 0) FROM api_keys k JOIN api_key_usage u ON u.api_key_id = k.id
           WHERE k.account_id = a.id AND u.hour > :now - ${DAY_MS}) AS requestsOfLastDay
       FROM accounts a WHERE id IN (
         SELECT id FROM accounts WHERE (created_at, id) > (:at, :id) ORDER BY created_at, id LIMIT ${PAGE})
       ORDER BY created_at, id`,
      { now, at: after?.createdAt ?? -1, id: after?.id ?? "" },
    ),
  );
  const last = accounts.at(-1);
  const next = last && accounts.length === PAGE ? { createdAt: last.createdAt, id: last.id } : undefined;
  return { accounts, next };
}

export type ShownKey = {
  readonly id: string;
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly revokedAt: number | null;
  readonly expiresAt: number | null;
  readonly pausedAt: number | null;
};

export type ShownWebhook = {
  readonly id: string;
  readonly url: string;
  readonly state: string;
  readonly failingSince: number | null;
  readonly dueAt: number | null;
  readonly attempts: number;
};

/** Every API key and webhook of an account, and how much else it has. */
export async function loadParts(session: Session, accountId: string) {
  const count = (table: string) => `(SELECT count(*) FROM ${table} WHERE account_id = :accountId)`;
  const { apiKeys, webhooks, counts } = await session.batch({
    apiKeys: prepare<ShownKey>(
      `SELECT id, name, rate_limit AS "limit", rate_window_seconds AS windowSeconds, revoked_at AS revokedAt, expires_at AS expiresAt,
         paused_at AS pausedAt FROM api_keys WHERE account_id = :accountId ORDER BY created_at`,
      { accountId },
    ),
    webhooks: prepare<ShownWebhook>(
      `SELECT id, shown_url AS url, state, failing_since AS failingSince, due_at AS dueAt, attempts FROM webhooks
       WHERE account_id = :accountId ORDER BY created_at, id`,
      { accountId },
    ),
    counts: prepare<{ ideaBanks: number; panelists: number; surveys: number }>(
      `SELECT ${count("idea_banks")} AS ideaBanks, ${count("panelists")} AS panelists, ${count("surveys")} AS surveys`,
      { accountId },
    ),
  });
  return { apiKeys, webhooks, ...(counts[0] ?? { ideaBanks: 0, panelists: 0, surveys: 0 }) };
}

/** An API key, as somebody asks who has found it. */
type KeyOfOwner = { readonly name: string; readonly revokedAt: number | null; readonly owner: string };

export const findKeyOfOwner = (session: Session, apiKeyId: string): Promise<KeyOfOwner | null> =>
  session.first(
    prepare<KeyOfOwner>(
      `SELECT k.name, k.revoked_at AS revokedAt, a.owner_email AS owner
       FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.id = :apiKeyId`,
      { apiKeyId },
    ),
  );
