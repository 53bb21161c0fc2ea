/**
 * The words of titles, by which proposals are found. Words are equal regardless of case, accents and width.
 *
 * A script without spaces has words that only a dictionary can separate, so pairs of neighbouring characters take
 * their place. A long word in Latin letters is also found by its last part, because a compound ends with its kind
 * ("Fahrradständer" is a "Ständer").
 */

/** A title writes at most this many rows. */
const STORED_AT_MOST = 12;
/** A search looks up at most this many words. */
const SOUGHT_AT_MOST = 6;
const CHARACTERS_AT_MOST = 32;
const TELLS_ENOUGH = 5;

/** Letters that no normalization takes apart, with the letters that people type for them. */
const SAME: Readonly<Record<string, string>> = {
  ...{ ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ı: "i", ς: "σ" },
  ...{ ة: "ه", ى: "ي", ی: "ي", ک: "ك", ـ: "" },
};

function fold(text: string): string {
  // Accents in scripts that can be read without them. In other scripts a mark is a letter, and voiced kana are different sounds.
  const accents = /(?![\u3099\u309a])(?=\p{M})[\p{sc=Zinh}\p{sc=Hebr}\p{sc=Arab}]/gu;
  const letters = text.normalize("NFKD").toLowerCase().replace(accents, "");
  return letters.replace(/[ßæœøłđıςةىیکـ]/g, (letter) => SAME[letter] ?? letter).normalize("NFC");
}

/** Made at its first use: the tables of scripts take milliseconds of an isolate's start. */
let made: { readonly LETTERS: RegExp; readonly UNSPACED: RegExp; readonly RUNS: RegExp } | undefined;

function patterns(): NonNullable<typeof made> {
  if (made) return made;
  const UNSPACED = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;
  const RUNS = new RegExp(`${UNSPACED.source}+|[^${UNSPACED.source.slice(1)}+`, "gu");
  made = { LETTERS: /[\p{L}\p{N}\p{M}]+/gu, UNSPACED, RUNS };
  return made;
}
/** "The", also after "and", "with", "like" and "for": Arabic writes them in one word with the noun. */
const ARABIC_ARTICLE = /^(?:[وبفك]?ال|لل)(?=...)/u;

function pairsOf(run: string): string[] {
  const characters = [...run];
  return characters.length === 1
    ? [run]
    : characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

const wordOf = (run: string): string => [...run.replace(ARABIC_ARTICLE, "")].slice(0, CHARACTERS_AT_MOST).join("");

/** The words in the order of the text, with repetitions. */
function allWords(text: string): string[] {
  const { LETTERS, UNSPACED, RUNS } = patterns();
  return (fold(text).match(LETTERS) ?? [])
    .flatMap((letters) => letters.match(RUNS) ?? [])
    .flatMap((run) => (UNSPACED.test(run) ? pairsOf(run) : wordOf(run)));
}

/** How specific a word is. Long words are rare; pairs in Hiragana are mostly grammar. */
const specificity = (word: string): number =>
  patterns().UNSPACED.test(word) ? 6 - 2 * (word.match(/\p{sc=Hira}/gu)?.length ?? 0) : word.length;

const byTelling = (words: readonly string[]): string[] =>
  words.toSorted((left, right) => specificity(right) - specificity(left));

/** The last part of a compound can begin between two consonants. */
const LAST_PARTS = /(?<=^[a-z]{2,}[^aeiouy])(?=[^aeiouy][a-z]{3,}$)/g;
const lastPartsOf = (word: string): string[] =>
  /^[a-z]{8,}$/.test(word) ? [...word.matchAll(LAST_PARTS)].map(({ index }) => word.slice(index)) : [];

/** The stored words of a title: a JSON array of at most 12 different ones, the most specific. */
export function titleWords(title: string): string {
  const words = byTelling(allWords(title));
  return JSON.stringify([...new Set([...words, ...words.flatMap(lastPartsOf)])].slice(0, STORED_AT_MOST));
}

/**
 * A word to look up; its beginning, because a word with the same beginning counts half (it may be incomplete, or have another
 * ending); and how specific it is, up to 1, because in a small idea bank even articles are rare.
 */
type Term = readonly [word: string, beginning: string, tells: number];

/** The words of a search that are looked up. */
export const searchTerms = (search: string): readonly Term[] =>
  byTelling([...new Set(allWords(search))])
    .slice(0, SOUGHT_AT_MOST)
    .map((word) => [word, beginningOf(word), Math.min(1, specificity(word) / TELLS_ENOUGH) ** 2]);

/** A word without its last two letters, but at least four letters; "exporting" also finds "export". */
const beginningOf = (word: string): string => {
  const [, verb] = /^([a-z]{4,})ings?$/.exec(word) ?? [];
  if (verb !== undefined) return verb;
  const letters = [...word];
  return letters.slice(0, Math.max(4, letters.length - 2)).join("");
};
