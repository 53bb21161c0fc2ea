import type { History, Row } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { groupBy } from "./seen/calls.ts";
import { rowsOf } from "./seen/rows.ts";

const COUNTED = ["votes", "comments"] as const;

/**
 * At every commit, for the proposals that it touches, and in the settled tables. A commit's changes include those of triggers. A
 * deleted proposal, or one of a deleted idea bank, counts nothing any more.
 */
function* find(history: History): Iterable<Finding> {
  const rows = rowsOf(history);
  const counts = { votes: new Map<string, number>(), comments: new Map<string, number>() };
  const add = (table: (typeof COUNTED)[number], row: Row | null, by: number): void => {
    if (row !== null)
      counts[table].set(String(row.proposal_id), (counts[table].get(String(row.proposal_id)) ?? 0) + by);
  };
  for (const table of COUNTED) for (const key of rows.keys(table)) add(table, rows.row(table, key, -1), 1);
  for (const [moment, commit] of rows.commits.entries()) {
    const touched = new Set<string>();
    for (const { table, before, after } of commit.changes) {
      if (table === "votes" || table === "comments") {
        add(table, before, -1);
        add(table, after, 1);
        for (const row of [before, after]) if (row !== null) touched.add(String(row.proposal_id));
      } else if (table === "proposals" && after !== null) touched.add(String(after.id));
    }
    for (const id of touched) {
      const row = rows.row("proposals", id, moment);
      if (row === null || rows.row("idea_banks", String(row.idea_bank_id), moment) === null) continue;
      for (const table of COUNTED) {
        const counted = counts[table].get(id) ?? 0;
        if (row[table] === counted) continue;
        yield {
          at: commit.at,
          found: `proposal ${id} says ${row[table]} ${table}, and has ${counted}`,
          calls: commit.call === undefined ? [] : [commit.call],
        };
      }
    }
  }
  for (const tables of Object.values(history.settled)) {
    for (const table of COUNTED) {
      const settled = groupBy(tables[table] ?? [], (row) => String(row.proposal_id));
      for (const row of tables.proposals ?? []) {
        const counted = settled.get(String(row.id))?.length ?? 0;
        if (row[table] !== counted)
          yield {
            at: Infinity,
            found: `settled: proposal ${row.id} says ${row[table]} ${table}, and has ${counted}`,
            calls: [],
          };
      }
    }
  }
}

export const counters = oracle(
  {
    name: "counters-agree",
    promise: "One vote each",
    words:
      "At every commit the votes and comments that a proposal counts are the rows that there are, while it is not deleted.",
  },
  find,
);
