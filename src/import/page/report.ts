/** What became of each row, as a file. */
import { type Idea, noteOf } from "../ideas.ts";
import { HERE, NEW, type Outcome } from "./send.ts";

/** A spreadsheet would take these texts for formulas. */
const FORMULA = /^[=+\-@\t\r]/;
const cell = (text: string): string => `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

const WORDS: ReadonlyMap<string, string> = new Map([
  [NEW, "new"],
  [HERE, "already here"],
]);

/** CSV, with the byte order mark that spreadsheets know UTF-8 by. */
export function toReport({
  ready,
  faults,
  outcomes,
}: {
  readonly ready: readonly Idea[];
  readonly faults: readonly string[];
  readonly outcomes: ReadonlyMap<string, Outcome>;
}): string {
  const ofIdeas = ready.map((idea) => {
    const outcome = outcomes.get(idea.externalId) ?? "";
    const is = WORDS.get(outcome);
    return [idea.place, idea.title, is ?? "fault", is === undefined ? outcome : "", noteOf(idea) ?? ""];
  });
  const ofFaults = faults.map((fault) => {
    const [, place = "", why = ""] = /^(.*?): (.*)$/s.exec(fault) ?? [];
    return [place, "", "fault", why, ""];
  });
  const rows = [["Place", "Title", "Result", "Why", "Note"], ...ofIdeas, ...ofFaults];
  return `\ufeff${rows.map((cells) => cells.map(cell).join(",")).join("\r\n")}\r\n`;
}
