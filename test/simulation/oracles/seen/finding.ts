import type { Row } from "../../history.ts";
import { field } from "./calls.ts";
import type { Rows } from "./rows.ts";

/** What is sure to be found: what has the word, while fewer titles have a word that begins alike. */
const SURE_BELOW = 20;
const BEGINNING = 4;

/** Words without case and accents. */
const wordsOf = (text: unknown): readonly string[] =>
  String(text)
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const areAlike = (one: string, other: string): boolean => {
  const length = Math.min(BEGINNING, one.length, other.length);
  return one.slice(0, length) === other.slice(0, length);
};
const sharesAWord = (row: Row, sought: readonly string[]): boolean =>
  wordsOf(row.title).some((word) => sought.some((other) => areAlike(word, other)));

/** The words of a title that was written to D1 beside the Worker come later. */
const hasItsWords = (rows: Rows, row: Row, moment: number): boolean => {
  const versions = rows.versions("proposals", String(row.id)).filter((version) => version.moment <= moment);
  const set = versions.findLastIndex((version, index) => version.row?.title !== versions[index - 1]?.row?.title);
  return rows.commits[versions[set]?.moment ?? -1]?.call !== undefined;
};

type Among = {
  /** Every proposal of the idea bank, and those that the list can show. */
  readonly bank: readonly Row[];
  readonly listed: readonly Row[];
  readonly moment: number;
  /** What has all the words must be shown where that is promised. */
  readonly isWhole: boolean;
};

/** Whether a search may show these items: each has a word that begins as one that is looked for. */
export const mayFind = (
  rows: Rows,
  q: string,
  shown: readonly unknown[],
  { bank, listed, moment, isWhole }: Among,
): boolean => {
  const sought = wordsOf(q);
  const ids = new Set(shown.map((item) => field(item, "id")));
  const isFit = (row: Row) => sharesAWord(row, sought) || !hasItsWords(rows, row, moment);
  if (!listed.filter(({ id }) => ids.has(id)).every(isFit)) return false;
  if (!isWhole || bank.filter(isFit).length >= SURE_BELOW) return true;
  return listed
    .filter((row) => hasItsWords(rows, row, moment) && sought.every((word) => wordsOf(row.title).includes(word)))
    .every(({ id }) => ids.has(id));
};
