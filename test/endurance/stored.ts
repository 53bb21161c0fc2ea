/** What the database file says after a crash, read while no server runs. Each fault is one line. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { renderChangelog } from "../../src/worker/view/render-changelog.ts";
import type { Journal } from "./journal.ts";
import { CHANGELOG_ENTRIES } from "./scene.ts";

/** The D1 database below `npm run dev`'s state folder. */
export function openDatabase(stateFolder: string): DatabaseSync {
  for (const file of globSync(join(stateFolder, "v3/d1/miniflare-D1DatabaseObject/*.sqlite"))) {
    const database = new DatabaseSync(file);
    const { n } = database.prepare("SELECT count(*) AS n FROM sqlite_master WHERE name = 'accounts'").get() ?? {};
    if (n === 1) return database;
    database.close();
  }
  throw new Error(`no database in ${stateFolder}`);
}

const SCHEMA = readFileSync(join(import.meta.dirname, "../../schema.sql"), "utf8");

const TEXT_COLUMN = { proposals: "title", comments: "body", panelists: "external_id" } as const;

/** What the schema takes from an account's counter with each row that is deleted, summed over the rows that are there, as SQL. */
function sumOf(counter: "stored_bytes" | "event_bytes"): string {
  const sums = SCHEMA.split("CREATE TRIGGER").flatMap((trigger) => {
    const [, table] = /AFTER DELETE ON (\w+)/.exec(trigger) ?? [];
    const [, bytes] =
      new RegExp(`${counter} = ${counter} - \\((.*?)\\)\\s*(WHERE id|\\+ iif)`, "s").exec(trigger) ?? [];
    if (table === undefined || bytes === undefined) return [];
    const [, counted = "1"] = /^WHEN (OLD\.\w+ IS NOT NULL)$/m.exec(trigger) ?? [];
    const sql = `SELECT coalesce(sum(${bytes}), 0) FROM ${table} WHERE account_id = a.id AND ${counted}`;
    return [`(${sql.replaceAll("OLD.", "")})`];
  });
  if (sums.length === 0) throw new Error(`the schema counts no ${counter}`);
  return sums.join(" + ");
}

/** What counts and its rows, which must agree. */
export const COUNTERS = {
  "a proposal's votes":
    "SELECT id FROM proposals p WHERE idea_bank_id IN (SELECT id FROM idea_banks) AND votes <> (SELECT count(*) FROM votes WHERE proposal_id = p.id)",
  "a proposal's comments":
    "SELECT id FROM proposals p WHERE idea_bank_id IN (SELECT id FROM idea_banks) AND comments <> (SELECT count(*) FROM comments WHERE proposal_id = p.id)",
  // A sum of sums: D1 allows few terms in a UNION.
  "an account's votes": `SELECT id FROM accounts a WHERE counted_votes <>
    (SELECT coalesce(sum(votes / 16 * 16), 0) FROM proposals WHERE account_id = a.id)`,
  "the bytes of an account's events": `SELECT id FROM accounts a WHERE event_bytes <> ${sumOf("event_bytes")}`,
  // A revocation outlives its panelist, and then counts itself.
  "an account's bytes": `SELECT id FROM accounts a WHERE stored_bytes <> ${sumOf("stored_bytes")}
    + 100 * (SELECT count(*) FROM token_revocations r WHERE account_id = a.id AND NOT EXISTS (SELECT 1 FROM panelists WHERE id = r.panelist_id))`,
};

export function faultsOfDatabase(database: DatabaseSync, journal: Journal): string[] {
  const faults: string[] = [];
  const integrity = database.prepare("PRAGMA integrity_check").get()?.integrity_check;
  if (integrity !== "ok") faults.push(`the file is damaged: ${integrity}`);
  for (const [what, sql] of Object.entries(COUNTERS)) {
    for (const { id } of database.prepare(sql).all()) faults.push(`${what} and its rows do not agree: ${id}`);
  }
  for (const { table, mark, id } of journal.creations) {
    const rows = database.prepare(`SELECT id FROM ${table} WHERE ${TEXT_COLUMN[table]} = ?`).all(mark);
    if (rows.length > 1) faults.push(`${rows.length} rows of ${table} for one request, ${mark}`);
    if (id !== undefined && rows[0]?.id !== id) faults.push(`an acknowledged row of ${table} is not there: ${id}`);
  }
  for (const { panelistId, proposalId, voted, settled } of journal.votes.values()) {
    const row = database
      .prepare("SELECT 1 FROM votes WHERE panelist_id = ? AND proposal_id = ?")
      .get(panelistId, proposalId);
    if (settled && (row !== undefined) !== voted)
      faults.push(`an acknowledged vote is not so: ${panelistId} ${proposalId}`);
  }
  for (const { id, acknowledged } of journal.endedKeys) {
    const row = database.prepare("SELECT revoked_at FROM api_keys WHERE id = ?").get(id);
    if (acknowledged && typeof row?.revoked_at !== "number") faults.push(`a revoked key is active: ${id}`);
  }
  return faults;
}

/** The body that the changelog must have, byte for byte: from the rows, without the Worker's query or caches. */
export async function referenceChangelog(database: DatabaseSync, ideaBankId: string): Promise<string> {
  const rows = database
    .prepare(
      "SELECT id, title, description, last_activity_at AS at, status, visibility, duplicate_of FROM proposals WHERE idea_bank_id = ?",
    )
    .all(ideaBankId)
    .filter(
      ({ status, visibility, duplicate_of }) =>
        status === "implemented" && visibility === "public" && duplicate_of === null,
    )
    .toSorted((left, right) => Number(right.at) - Number(left.at) || (String(left.id) < String(right.id) ? 1 : -1))
    .slice(0, CHANGELOG_ENTRIES);
  const { bytes } = await renderChangelog(
    rows.map(({ title, description, at }) => ({
      title: String(title),
      description: String(description),
      lastActivityAt: Number(at),
    })),
  );
  return new TextDecoder().decode(bytes);
}
