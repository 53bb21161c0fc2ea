/** The changes that a restore would make, read from the databases before it begins. */
import type { EveryDatabase } from "../databases/every-database.ts";
import { CONTENT } from "../databases/read-export.ts";
import type { BackedUp } from "./read-backup.ts";

/** The accounts that exist now and are not in the backup. If a database cannot be read, the export reports it. */
export async function accountsGone(
  databases: EveryDatabase,
  backedUp: ReadonlyMap<string, BackedUp>,
): Promise<readonly string[]> {
  const gone: string[] = [];
  for (const [binding, { accounts }] of backedUp) {
    const rows = (await hasAccounts(databases, binding).catch(() => false))
      ? await databases.query(binding, "SELECT id, owner_email FROM accounts ORDER BY created_at")
      : [];
    for (const { id, owner_email } of rows) if (!accounts.has(String(id))) gone.push(`${owner_email} (${id})`);
  }
  return gone;
}

export const hasAccounts = async ({ query }: EveryDatabase, binding: string): Promise<boolean> =>
  Number(
    (await query(binding, "SELECT count(*) AS n FROM sqlite_master WHERE type = 'table' AND name = 'accounts'"))[0]?.n,
  ) > 0;

/** In the same words as `describeContent` for an export. */
export async function describePresent(databases: EveryDatabase, binding: string): Promise<string> {
  if (!(await hasAccounts(databases, binding))) return "no tables";
  const [row] = await databases.query(
    binding,
    `SELECT ${CONTENT.map(([table]) => `(SELECT count(*) FROM ${table}) AS ${table}`).join(", ")}`,
  );
  return CONTENT.map(([table, words]) => `${row?.[table]} ${words}`).join(", ");
}

export const thenOf = (words: string | undefined, timestamp: string | undefined): string =>
  words ?? (timestamp === undefined ? "the same, except for what is ended again" : `what was there at ${timestamp}`);
