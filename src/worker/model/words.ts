/**
 * The words of titles, by which proposals are found. Words are equal whatever their case, their accents and their width.
 *
 * Scripts that write no spaces have no words that can be told apart without a dictionary: theirs are pairs of neighbouring characters.
 * A long word in Latin letters is found by its last part, too: compounds end with what they are ("Fahrradständer" is a "Ständer").
 */

/** So many rows at most are written for a title. */
const STORED_AT_MOST = 12;
/** So many words of a search are looked up. */
const SOUGHT_AT_MOST = 6;
const CHARACTERS_AT_MOST = 32;
const TELLS_ENOUGH = 5;

/** Accents, of the scripts that can be read without. In the others a mark is a letter, and voiced kana are other sounds. */
const ACCENT = /(?![\u3099\u309a])(?=\p{M})[\p{sc=Zinh}\p{sc=Hebr}\p{sc=Arab}]/gu;
/** Letters that no normalization takes apart: by what is typed for them. */
const SAME: Readonly<Record<string, string>> = {
  ...{ ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ı: "i", ς: "σ" },
  ...{ ة: "ه", ى: "ي", ی: "ي", ک: "ك", ـ: "" },
};

function fold(text: string): string {
  const letters = text.normalize("NFKD").toLowerCase().replace(ACCENT, "");
  return letters.replace(/[ßæœøłđıςةىیکـ]/g, (letter) => SAME[letter] ?? letter).normalize("NFC");
}

const LETTERS = /[\p{L}\p{N}\p{M}]+/gu;
const UNSPACED = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;
const RUNS = new RegExp(`${UNSPACED.source}+|[^${UNSPACED.source.slice(1)}+`, "gu");
/** "The", also with "and", "with", "like" and "for": Arabic writes them in one with the word. */
const ARABIC_ARTICLE = /^(?:[وبفك]?ال|لل)(?=...)/u;

function pairsOf(run: string): string[] {
  const characters = [...run];
  return characters.length === 1
    ? [run]
    : characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

const wordOf = (run: string): string => [...run.replace(ARABIC_ARTICLE, "")].slice(0, CHARACTERS_AT_MOST).join("");

/** In their order, with what is repeated. */
const allWords = (text: string): string[] =>
  (fold(text).match(LETTERS) ?? [])
    .flatMap((letters) => letters.match(RUNS) ?? [])
    .flatMap((run) => (UNSPACED.test(run) ? pairsOf(run) : wordOf(run)));

/** How much a word tells: long ones are rare. Of pairs, those in Hiragana are grammar. */
const telling = (word: string): number =>
  UNSPACED.test(word) ? 6 - 2 * (word.match(/\p{sc=Hira}/gu)?.length ?? 0) : word.length;

const byTelling = (words: readonly string[]): string[] =>
  words.toSorted((left, right) => telling(right) - telling(left));

/** Where two consonants meet, the last part of a compound can begin. */
const LAST_PARTS = /(?<=^[a-z]{2,}[^aeiouy])(?=[^aeiouy][a-z]{3,}$)/g;
const lastPartsOf = (word: string): string[] =>
  /^[a-z]{8,}$/.test(word) ? [...word.matchAll(LAST_PARTS)].map(({ index }) => word.slice(index)) : [];

/** What is stored for a title: a JSON array of at most 12 different words, those that tell most. */
export function titleWords(title: string): string {
  const words = byTelling(allWords(title));
  return JSON.stringify([...new Set([...words, ...words.flatMap(lastPartsOf)])].slice(0, STORED_AT_MOST));
}

/**
 * A word that is looked up; how others begin that count half: it may not be complete, or have another ending; and how much it tells, up
 * to 1: in a small idea bank articles are rare, too.
 */
export type Term = readonly [word: string, beginning: string, tells: number];

/** The words of a search that are looked up. */
export const searchTerms = (search: string): readonly Term[] =>
  byTelling([...new Set(allWords(search))])
    .slice(0, SOUGHT_AT_MOST)
    .map((word) => [word, beginningOf(word), Math.min(1, telling(word) / TELLS_ENOUGH) ** 2]);

/** A word without the last two letters, but with four at least. */
const beginningOf = (word: string): string => {
  const letters = [...word];
  return letters.slice(0, Math.max(4, letters.length - 2)).join("");
};
