import type { Row } from "../../history.ts";
import { field } from "./calls.ts";
import type { Rows } from "./rows.ts";

/** What is sure to be found: what has the word in its title, while fewer ideas have a word that is alike. */
const SURE_BELOW = 20;
const BEGINNING = 4;
/** One mistake in a word is forgiven from so many letters on. */
const MISTAKES_FROM = 6;

/** Words without case and accents. */
const wordsOf = (text: unknown): readonly string[] =>
  String(text)
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Whether one is the other with letters in one place more, fewer, or changed: at most two of them. */
const isMisspelled = (one: string, other: string): boolean => {
  const most = Math.max(one.length, other.length);
  const prefix = [...one].findIndex((letter, at) => letter !== other[at]);
  const suffix = [...one].toReversed().findIndex((letter, at) => letter !== other.at(-1 - at));
  return (
    most >= MISTAKES_FROM &&
    prefix + suffix >= Math.min(one.length, other.length) - 2 &&
    most - Math.min(one.length, other.length) < 2
  );
};
const areAlike = (one: string, other: string): boolean => {
  const length = Math.min(BEGINNING, one.length, other.length);
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return (
    one.slice(0, length) === other.slice(0, length) ||
    (short.length >= BEGINNING && long.endsWith(short)) ||
    isMisspelled(one, other)
  );
};
/** Two neighbours of a title are also one word. */
const termsOf = ({ title, description }: Row): readonly string[] => {
  const words = wordsOf(title);
  return [...words, ...words.map((word, at) => word + (words[at + 1] ?? "")), ...wordsOf(description)];
};
const sharesAWord = (row: Row, sought: readonly string[]): boolean =>
  termsOf(row).some((word) => sought.some((other) => areAlike(word, other)));

/** The words of a text that was written to D1 beside the Worker come later. */
const hasItsWords = (rows: Rows, row: Row, moment: number): boolean => {
  const versions = rows.versions("proposals", String(row.id)).filter((version) => version.moment <= moment);
  const textOf = ({ row: is }: (typeof versions)[number]) => `${is?.title}\n${is?.description}`;
  const set = versions.findLastIndex((version, index) => {
    const before = versions[index - 1];
    return before === undefined || textOf(version) !== textOf(before);
  });
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

/** Whether a search may show these items: each has a word like one that is looked for. */
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
