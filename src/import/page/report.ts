/** What became of each row, as a file. */
import { disarmed } from "../../worker/model/csv.ts";
import { type Idea, noteOf } from "../ideas.ts";
import { HERE, NEW, type Outcome } from "./send.ts";

const cell = (text: string): string => `"${disarmed(text).replaceAll('"', '""')}"`;

const WORDS: ReadonlyMap<string, string> = new Map([
  [NEW, "new"],
  [HERE, "already here"],
]);

/** Of each idea: the second one with the same id is no other idea, so it is here already. */
export function outcomeOfEach(
  ready: readonly Pick<Idea, "externalId">[],
  outcomes: ReadonlyMap<string, Outcome>,
): readonly Outcome[] {
  const known = new Set<string>();
  return ready.map(({ externalId }) => {
    const outcome = outcomes.get(externalId) ?? "";
    const isAgain = known.has(externalId);
    known.add(externalId);
    return isAgain && outcome === NEW ? HERE : outcome;
  });
}

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
  const each = outcomeOfEach(ready, outcomes);
  const ofIdeas = ready.map((idea, index) => {
    const outcome = each[index] ?? "";
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
