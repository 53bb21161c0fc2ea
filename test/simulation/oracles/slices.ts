import type { History, Row } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";

/** What belongs to what, and goes with it: table, column, and the table that it names. */
const BELONGS = [
  ["proposals", "idea_bank_id", "idea_banks"],
  ["comments", "proposal_id", "proposals"],
  ["votes", "proposal_id", "proposals"],
  ["votes", "panelist_id", "panelists"],
  ["merges", "source_id", "proposals"],
  ["surveys", "idea_bank_id", "idea_banks"],
  ["survey_responses", "survey_id", "surveys"],
  ["survey_texts", "survey_id", "surveys"],
  ["survey_former", "survey_id", "surveys"],
] as const;

/** The settled tables: the job has run alone, after all that interrupted it. */
function* find(history: History): Iterable<Finding> {
  const left = (what: string): Finding => ({ at: Infinity, found: `settled: ${what}`, calls: [] });
  for (const tables of Object.values(history.settled)) {
    const ids = (table: string) => new Set((tables[table] ?? []).map(({ id }) => id));
    for (const [table, column, parent] of BELONGS) {
      const parents = ids(parent);
      // A survey that is answered elsewhere is of no idea bank.
      const orphan = tables[table]?.find((row: Row) => row[column] !== null && !parents.has(row[column]));
      if (orphan !== undefined) yield left(`a row of ${table} is left of ${parent} ${orphan[column]}, which is gone`);
    }
    const deleted = tables.panelists?.find((row) => row.deleted_at !== null);
    if (deleted !== undefined) yield left(`panelist ${deleted.id} is deleted, and still there`);
    const merge = tables.merges?.[0];
    if (merge !== undefined) yield left(`the merge of ${merge.source_id} is not over`);
  }
}

export const slices = oracle(
  {
    name: "slices-end",
    promise: "Bounded",
    words:
      "At the end nothing is left that belonged to a deleted row, and no vote of a merged proposal has still to move.",
  },
  find,
);
