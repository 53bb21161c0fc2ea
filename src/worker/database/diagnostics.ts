/** What the operator's commands ask a database about its state: the doctor, and a rotation of the signing secret. */
import type { Session } from "../store/session.ts";
import { prepare } from "../store/statement.ts";
import { STORED_BYTES } from "./quota.ts";

/** How many webhooks of each account. */
export type ByAccount = readonly (readonly [accountId: string, webhooks: number])[];

export type Diagnostics = {
  /** Stopped, after many failures. */
  readonly failedWebhooks: ByAccount;
  /** They fail, and are tried again. */
  readonly failingWebhooks: ByAccount;
  /** The scheduled job has not come for them. */
  readonly lateWebhooks: number;
  /** More than nine tenths of the quota. */
  readonly fullAccounts: number;
};

type Row = {
  readonly failed: string;
  readonly failing: string;
  readonly lateWebhooks: number;
  readonly fullAccounts: number;
};

/** SQL: a JSON array of the accounts and how many of these webhooks each has. */
const webhooksByAccount = (where: string): string =>
  `(SELECT json_group_array(json_array(account_id, n)) FROM (
    SELECT account_id, count(*) AS n FROM webhooks WHERE ${where} GROUP BY account_id ORDER BY account_id))`;

/** Webhooks that have failed since a time count as failing, and those that were due before another as late (Unix milliseconds). */
export async function loadDiagnostics(
  session: Session,
  times: { readonly failingSince: number; readonly dueBefore: number },
): Promise<Diagnostics> {
  const row = await session.first(
    prepare<Row>(
      `SELECT ${webhooksByAccount("state = 'failed'")} AS failed,
         ${webhooksByAccount("state = 'active' AND failing_since < :failingSince")} AS failing,
         (SELECT count(*) FROM webhooks WHERE due_at < :dueBefore) AS lateWebhooks,
         (SELECT count(*) FROM accounts WHERE ${STORED_BYTES} > 0.9 * max_bytes) AS fullAccounts`,
      times,
    ),
  );
  const { failed = "[]", failing = "[]", lateWebhooks = 0, fullAccounts = 0 } = row ?? {};
  return { failedWebhooks: JSON.parse(failed), failingWebhooks: JSON.parse(failing), lateWebhooks, fullAccounts };
}

/** The addresses of owners and members, as the directory knows them. */
export async function countPeople(directory: Session): Promise<number> {
  const sql = "SELECT count(*) AS people FROM (SELECT email FROM owners UNION SELECT email FROM memberships)";
  return (await directory.first(prepare<{ people: number }>(sql)))?.people ?? 0;
}

/** Valid API keys with a secret from before a time, now or as a previous one in its grace. */
export async function countKeysFromBefore(
  session: Session,
  times: { readonly before: number; readonly now: number },
): Promise<number> {
  const row = await session.first(
    prepare<{ count: number }>(
      `SELECT count(*) AS count FROM api_keys WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)
         AND (coalesce(rotated_at, created_at) < :before OR previous_expires_at > :now)`,
      times,
    ),
  );
  return row?.count ?? 0;
}
