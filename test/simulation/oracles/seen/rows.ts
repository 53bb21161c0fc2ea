import type { Committed, History, Row } from "../../history.ts";
import { append } from "./calls.ts";

/**
 * What was committed, at every moment. A moment is the number of the last commit that it includes: two commits of one millisecond are
 * two moments. -1 is before the first. Rows that no commit touched are those of the settled tables.
 */
export type Rows = {
  readonly commits: readonly Committed[];
  readonly row: (table: string, key: string, moment: number) => Row | null;
  readonly versions: (table: string, key: string) => readonly Version[];
  readonly keys: (table: string) => readonly string[];
  /** The keys of rows that ever had this value in this column. */
  readonly having: (table: string, column: string, value: string) => readonly string[];
  /** The moments at which an account's rows can be told apart and that were the state at some time in [from, to]. */
  readonly span: (account: string, from: number, to: number) => readonly number[];
  /** The last moment whose commit is not after `at`. */
  readonly momentAt: (at: number) => number;
};
export type Version = { readonly moment: number; readonly at: number; readonly row: Row | null };

const KEYS: Readonly<Record<string, readonly string[]>> = {
  owners: ["email"],
  api_key_usage: ["api_key_id", "hour"],
  undo_texts: ["event_id"],
  proposal_steps: ["proposal_id", "number"],
  idempotency_keys: ["account_id", "key"],
  token_revocations: ["panelist_id"],
  votes: ["proposal_id", "panelist_id"],
  merges: ["source_id"],
  survey_responses: ["survey_id", "respondent"],
  survey_texts: ["survey_id", "question_id", "place", "step"],
  survey_former: ["survey_id", "step", "id"],
};

export const rowKey = (table: string, row: Row): string =>
  (KEYS[table] ?? ["id"]).map((column) => row[column]).join("/");
export const accountIdOf = (table: string, row: Row): string | undefined => {
  const id = table === "accounts" ? row.id : row.account_id;
  return typeof id === "string" ? id : undefined;
};

const known = new WeakMap<History, Rows>();

export const rowsOf = (history: History): Rows => {
  const before = known.get(history);
  if (before !== undefined) return before;
  const rows = build(history);
  known.set(history, rows);
  return rows;
};

const build = (history: History): Rows => {
  const tables = new Map<string, Map<string, Version[]>>();
  const touched = new Map<string, number[]>();
  const commits = history.events.filter((event) => event.kind === "committed");
  const add = (table: string, key: string, version: Version): void => {
    const rows = tables.get(table) ?? new Map<string, Version[]>();
    tables.set(table, rows);
    append(rows, key, version);
  };
  commits.forEach((commit, moment) => {
    for (const { table, before, after } of commit.changes) {
      const row = after ?? before;
      if (row === null) continue;
      const key = rowKey(table, row);
      const left = before === null ? key : rowKey(table, before);
      if (before !== null && !tables.get(table)?.has(left))
        add(table, left, { moment: -1, at: -Infinity, row: before });
      // A row that gets another key, such as a vote that moves, is gone from where it was.
      if (left !== key) add(table, left, { moment, at: commit.at, row: null });
      add(table, key, { moment, at: commit.at, row: after });
      const account = accountIdOf(table, row);
      if (account !== undefined) append(touched, account, moment);
    }
  });
  for (const database of Object.values(history.settled)) {
    for (const [table, rows] of Object.entries(database)) {
      for (const row of rows) {
        const key = rowKey(table, row);
        if (!tables.get(table)?.has(key)) add(table, key, { moment: -1, at: -Infinity, row });
      }
    }
  }
  const versions = (table: string, key: string): readonly Version[] => tables.get(table)?.get(key) ?? [];
  const indexes = new Map<string, Map<string, string[]>>();
  return {
    commits,
    versions,
    row: (table, key, moment) => {
      const list = versions(table, key);
      return list[countWhile(list, (version) => version.moment <= moment) - 1]?.row ?? null;
    },
    keys: (table) => [...(tables.get(table)?.keys() ?? [])],
    having: (table, column, value) => {
      const name = `${table}.${column}`;
      let index = indexes.get(name);
      if (index === undefined) {
        index = new Map();
        for (const [key, list] of tables.get(table) ?? []) {
          for (const found of new Set(list.map((version) => version.row?.[column]))) {
            if (typeof found === "string") append(index, found, key);
          }
        }
        indexes.set(name, index);
      }
      return index.get(value) ?? [];
    },
    span: (account, from, to) => {
      const first = countWhile(commits, (commit) => commit.at < from) - 1;
      const last = countWhile(commits, (commit) => commit.at <= to) - 1;
      const own = touched.get(account) ?? [];
      const after = own.slice(
        countWhile(own, (moment) => moment <= first),
        countWhile(own, (moment) => moment <= last),
      );
      return [...new Set([first, ...after])];
    },
    momentAt: (at) => countWhile(commits, (commit) => commit.at <= at) - 1,
  };
};

/** How many values at the start of a list hold, when those that hold come first: a binary search. */
const countWhile = <T>(list: readonly T[], holds: (value: T) => boolean): number => {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = list[middle];
    if (value !== undefined && holds(value)) low = middle + 1;
    else high = middle;
  }
  return low;
};
