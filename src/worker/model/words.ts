/**
 * The terms by which proposals are found. Words are equal regardless of case, accents, width, apostrophes and hyphens.
 *
 * A script without spaces has words that only a dictionary can separate, so pairs of neighbouring characters take
 * their place. Of a title, a long word is also found by its last part, because a compound ends with its kind
 * ("Fahrradständer" is a "Ständer"), and by a spelling with one mistake; two short words, as one.
 */

/** Of a title, these many words are in the index that 1.1.0 knows, too; all its other terms are in one of their own. */
const LISTED_AT_MOST = 12;
const OTHERS_AT_MOST = 88;
/** Of a description. */
const TEXT_TERMS_AT_MOST = 64;
/** A search looks up at most this many words. */
const SOUGHT_AT_MOST = 6;
const CHARACTERS_AT_MOST = 32;
const TELLS_ENOUGH = 5;

/** A word of this size is found by its end, and a part of this size finds it. */
const COMPOUND = { from: 7, part: 4 } as const;
/** A word of so many letters, or syllables, is found with a mistake in it; of a title, these many words. */
const SPELLED = { from: 6, syllables: 4, to: 16, words: 8 } as const;
/** A longer one is found by so many of its first letters, or of its last ones. */
const LONG_KNOWN_BY = 10;
/** Two neighbours are also one word: how long each is, and both together; and both together in a search ("wi fi"). */
const JOINED = { from: 2, to: 8, together: 12, sought: 4 } as const;

/** What a term is, other than a word of the title. No word has these signs. */
const [TEXT, END, GAP] = ["=", "<", "?"];

/** The letters from `from`, as the same number of letters from `to`. */
const lettersAs = (from: string, to: string, count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) =>
      [from, to].map((first) => String.fromCodePoint((first.codePointAt(0) ?? 0) + at)),
    ),
  );

/** Letters that no normalization takes apart, with the letters that people type for them, and signs that they leave out. */
const SAME: Readonly<Record<string, string>> = {
  ...{ ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ħ: "h", ı: "i", ς: "σ" },
  ...{ ة: "ه", ى: "ي", ی: "ي", ک: "ك", ـ: "" },
  // Hindi and Punjabi are typed without the dot, and Hindi with either sign for a nasal vowel.
  ...{ "\u093c": "", "\u0a3c": "", "\u0901": "\u0902" },
  // Letters of their own for a letter with the sign that ends it: Bengali, and Malayalam.
  ...{ ৎ: "ত\u09cd", ൺ: "ണ\u0d4d", ൻ: "ന\u0d4d", ർ: "ര\u0d4d", ൽ: "ല\u0d4d", ൾ: "ള\u0d4d", ൿ: "ക\u0d4d" },
  // Letters of Amharic that sound alike.
  ...{ ...lettersAs("ሐ", "ሀ", 7), ...lettersAs("ኀ", "ሀ", 7), ...lettersAs("ሠ", "ሰ", 7) },
  ...{ ...lettersAs("ዐ", "አ", 7), ...lettersAs("ፀ", "ጸ", 7) },
};

/** The same for two letters: Armenian "and", Thai "ae" typed as twice "e", a nasal consonant of Hindi before another one. */
const SAME_PAIRS = /եւ|เเ|[ङञणनम]\u094d(?=[क-ह])/g;
const sameOfPair = (pair: string): string => (pair === "եւ" ? "եվ" : pair === "เเ" ? "แ" : "\u0902");

/** A digit of any script as 0 to 9. Ten of them follow each other, and begin at a multiple of 16 or six after it. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  const row = code - (code % 16);
  return String(code - row - (/\p{Nd}/u.test(String.fromCodePoint(row)) ? 0 : 6));
}

/** Apostrophes of all scripts, and the signs that take their place; the sign that joins no letters joins words, too. */
const APOSTROPHES = /[`´·ʹ-ʼ‘’′׳״＇\u200c]|(?<=[א-ת])"(?=[א-ת])/g;
const INVISIBLE = /[\u00ad\u2060\ufeff]|\u200d/g;

function fold(text: string): string {
  // Accents in scripts that can be read without them. In other scripts a mark is a letter, and voiced kana are different sounds.
  const accents = /(?![\u3099\u309a])(?=\p{M})[\p{sc=Zinh}\p{sc=Hebr}\p{sc=Arab}]/gu;
  const plain = text.replace(INVISIBLE, "").replace(APOSTROPHES, "'");
  const letters = plain.normalize("NFKD").toLowerCase().replace(accents, "");
  return letters
    .replace(patterns().SAME, (letter) => SAME[letter] ?? letter)
    .replace(SAME_PAIRS, sameOfPair)
    .replace(/(?![0-9])\p{Nd}/gu, digitOf)
    .normalize("NFC");
}

type Patterns = Readonly<Record<"SAME" | "WORDS" | "LETTERS" | "UNSPACED" | "RUNS", RegExp>>;

/** Made at its first use: the tables of scripts take milliseconds of an isolate's start. */
let made: Patterns | undefined;

function patterns(): Patterns {
  if (made) return made;
  const LETTER = "[\\p{L}\\p{N}\\p{M}]";
  const UNSPACED = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;
  made = {
    SAME: new RegExp(`[${Object.keys(SAME).join("")}]`, "g"),
    // "don't", "Wi-Fi", "Node.js", "R&D"; "C++", "C#"; ".NET". Then emoji, flags among them, and currencies.
    WORDS: new RegExp(
      `(?:(?<![\\p{L}\\p{N}\\p{M}.])\\.(?=\\p{L}))?${LETTER}+(?:['._&‐-]${LETTER}+)*[+#]{0,2}|\\p{RI}{2}|[\\p{Extended_Pictographic}\\p{Sc}]`,
      "gu",
    ),
    LETTERS: new RegExp(`${LETTER}+`, "gu"),
    UNSPACED,
    RUNS: new RegExp(`${UNSPACED.source}+|[^${UNSPACED.source.slice(1)}+`, "gu"),
  };
  return made;
}

/** "The", also after "and", "with", "like" and "for": Arabic writes them in one word with the noun. */
const ARABIC_ARTICLE = /^(?:[وبفك]?ال|لل)(?=...)/u;
/** "And", "the", "in", "to", "from", "of", "that", "like", which Hebrew, Arabic and Amharic write in one word with the next one. */
const PARTICLE = /^(?:[והבלמשכ](?=[א-ת]{4})|[وفبلك](?=[ء-ي]{4})|[የበለከ](?=[ሀ-ፚ]{3}))/;
const wordOf = (run: string): string => [...run.replace(ARABIC_ARTICLE, "")].slice(0, CHARACTERS_AT_MOST).join("");

/** With the marks and the stacked letters of Khmer and Burmese: alone they are in every word. */
const charactersOf = (run: string): readonly string[] =>
  /[\p{sc=Khmr}\p{sc=Mymr}]/u.test(run)
    ? (run.match(/.(?:[\u17d2\u1039].|\p{M})*/gsu) ?? []).map((character) => character.slice(0, CHARACTERS_AT_MOST / 2))
    : [...run];

function pairsOf(run: string): string[] {
  const characters = charactersOf(run);
  return characters.length === 1
    ? [...characters]
    : characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** Of "Wi-Fi" the whole and its parts: "wifi", "wi", "fi". A single letter beside an apostrophe is no word. Of a particle and a word, the word, too. */
function spacedWords(run: string): string[] {
  const parts: string[] = run.match(patterns().LETTERS) ?? [];
  const sign = /[+#]*$/.exec(run)?.[0] ?? "";
  if (parts.length === 0) return /^['._&‐+#-]*$/.test(run) ? [] : [run];
  const words = parts.map((part, index) => (index === parts.length - 1 ? `${part}${sign}` : part));
  const all =
    words.length === 1
      ? [...(run.startsWith(".") ? [`.${words[0]}`] : []), ...words]
      : [words.join(""), ...words.filter(({ length }) => length > 1)];
  return all.map(wordOf).flatMap((word) => (PARTICLE.test(word) ? [word, word.slice(1)] : [word]));
}

/** The runs of a word in scripts with and without spaces. */
const runsOf = (word: string): readonly string[] => word.match(patterns().RUNS) ?? [];
const isUnspaced = (run: string): boolean => patterns().UNSPACED.test(run);

/** The words as they stand in the text, each with what is looked up of it. */
const tokensOf = (text: string): readonly (readonly string[])[] =>
  (fold(text).match(patterns().WORDS) ?? []).map((word) =>
    runsOf(word).flatMap((run) => (isUnspaced(run) ? pairsOf(run) : spacedWords(run))),
  );

/** A syllable of Hangul or Amharic is as much as two letters. */
const isOfSyllables = (word: string): boolean => /^[\p{sc=Hang}\p{sc=Ethi}]+$/u.test(word);
const sizeOf = (word: string): number => word.length * (isOfSyllables(word) ? 2 : 1);
const isOfLetters = (word: string): boolean => /^\p{L}[\p{L}\p{M}]*$/u.test(word) && !isUnspaced(word);

/** How specific a word is. Long words are rare; pairs in Hiragana are mostly grammar. */
function specificity(word: string): number {
  if (isUnspaced(word)) return 6 - 2 * (word.match(/\p{sc=Hira}/gu)?.length ?? 0);
  return /^[\p{L}\p{N}\p{M}]+$/u.test(word) ? sizeOf(word) : Math.max(TELLS_ENOUGH, word.length);
}

const byTelling = (words: readonly string[]): string[] =>
  [...new Set(words)]
    .map((word) => [word, specificity(word)] as const)
    .toSorted(([, left], [, right]) => right - left)
    .map(([word]) => word);

const reversed = (word: string): string => [...word].toReversed().join("");

const canBeMisspelled = (word: string, length = word.length): boolean =>
  length >= (isOfSyllables(word) ? SPELLED.syllables : SPELLED.from) && length <= SPELLED.to;

/** A word with a gap in place of some letters, and these. */
type Gapped = readonly [around: string, letters: string];

/** A gap instead of so many letters at each second place. Two words that differ by a mistake are alike around one of them. */
const withGaps = (letters: readonly string[], gap: number): Gapped[] =>
  Array.from({ length: Math.ceil(letters.length / 2) }, (_, pair) => [
    [GAP, ...letters.slice(0, 2 * pair), GAP, ...letters.slice(2 * pair + gap), GAP].join(""),
    letters.slice(2 * pair, 2 * pair + gap).join(""),
  ]);

/**
 * What a reader has in common with a word of a title who has typed it with one mistake: a letter more, one less, another one, or two in the wrong
 * order.
 */
function misspellings(word: string): Readonly<Record<string, string>> {
  const letters = [...word];
  if (!isOfLetters(word)) return {};
  const isSpelled = (length: number) => canBeMisspelled(word, length);
  const gapped = [1, 2, 3].flatMap((gap) => (isSpelled(letters.length + 2 - gap) ? withGaps(letters, gap) : []));
  // Within a pair, swapped letters are in its gap.
  const swapped = letters.slice(0, -1).flatMap((letter, at) => {
    if (at % 2 === 0) return [];
    const other = letters.with(at, letters[at + 1] ?? "").with(at + 1, letter);
    return withGaps(other, 2).slice((at - 1) / 2, (at + 1) / 2);
  });
  return Object.fromEntries([...gapped, ...(isSpelled(letters.length) ? swapped : [])]);
}

/** Two short neighbours as one: "dark mode" is found by "darkmode". */
function joined(tokens: readonly (readonly string[])[], together: number): string[] {
  const short = tokens.map(([word = "", ...others]) =>
    others.length === 0 &&
    /^[\p{L}\p{N}\p{M}]+$/u.test(word) &&
    !isUnspaced(word) &&
    word.length >= JOINED.from &&
    word.length <= JOINED.to
      ? word
      : undefined,
  );
  return short.flatMap((word, index) => {
    const next = short[index + 1];
    return word === undefined || next === undefined || word.length + next.length > together ? [] : [word + next];
  });
}

/** The last character of a run begins no pair. */
const lastCharacters = (title: string): string[] =>
  (fold(title).match(patterns().WORDS) ?? [])
    .flatMap(runsOf)
    .filter(isUnspaced)
    .map((run) => charactersOf(run).at(-1) ?? "");

/** The listed words of a title: a JSON array of at most 12 different ones, the most specific. */
export const titleWords = (title: string): string =>
  JSON.stringify(byTelling(tokensOf(title).flat()).slice(0, LISTED_AT_MOST));

/** All other terms of a title: a JSON array of at most 88 different ones. */
export function titleTerms(title: string): string {
  const tokens = tokensOf(title);
  const words = byTelling(tokens.flat());
  const listed = words.slice(0, LISTED_AT_MOST);
  const long = words.filter(isOfLetters);
  const compounds = long.filter((word) => sizeOf(word) >= COMPOUND.from);
  const spelled = long.filter((word) => canBeMisspelled(word)).slice(0, SPELLED.words);
  const terms = [
    ...words.slice(LISTED_AT_MOST),
    ...lastCharacters(title),
    ...joined(tokens, JOINED.together),
    ...compounds.map((word) => `${END}${reversed(word)}`),
    ...spelled.flatMap((word) => withGaps([...word], 2).map((gapped) => gapped.join(""))),
  ];
  return JSON.stringify([...new Set(terms)].filter((term) => !listed.includes(term)).slice(0, OTHERS_AT_MOST));
}

/** Articles and other short words are in every text, and addresses begin alike. */
const isOfText = (word: string): boolean =>
  isUnspaced(word) ? specificity(word) > 2 : (sizeOf(word) > 2 || !isOfLetters(word)) && !/^(?:https?|www)$/.test(word);

/** The terms of a description: a JSON array of at most 64 different ones, the most specific. */
export const textTerms = (description: string): string =>
  JSON.stringify(
    byTelling(tokensOf(description).flat().filter(isOfText))
      .slice(0, TEXT_TERMS_AT_MOST)
      .map((word) => `${TEXT}${word}`),
  );

type Term = {
  readonly word: string;
  /** A word with the same beginning counts less: it may be incomplete, or have another ending. */
  readonly beginning: string;
  /** How specific it is, up to 1, because in a small idea bank even articles are rare. */
  readonly tells: number;
  /** How the terms of compounds begin that end with the word. */
  readonly end: string | undefined;
  /** How gapped terms begin that are alike, and the letters that were typed in the gap. */
  readonly misspellings: Readonly<Record<string, string>>;
};

/** Of pairs, each second one has all characters; the others follow. */
const everySecondFirst = (words: readonly string[]): readonly string[] =>
  isUnspaced(words[0] ?? "") ? [0, 1].flatMap((odd) => words.filter((_, at) => at % 2 === odd)) : words;

/** The words of a search that are looked up. */
export function searchTerms(search: string): readonly Term[] {
  const tokens = tokensOf(search);
  return byTelling([...tokens.flatMap(everySecondFirst), ...joined(tokens, JOINED.sought)])
    .slice(0, SOUGHT_AT_MOST)
    .map((word) => ({
      word,
      beginning: beginningOf(word),
      tells: Math.min(1, specificity(word) / TELLS_ENOUGH) ** 2,
      end: isOfLetters(word) && sizeOf(word) >= COMPOUND.part ? `${END}${endOf(word)}` : undefined,
      misspellings: misspellings(word),
    }));
}

/** A word without its last two letters, but at least four letters; "exporting" also finds "export". A syllable is an ending. */
const beginningOf = (word: string): string => {
  const [, verb] = /^([a-z]{4,})ings?$/.exec(word) ?? [];
  if (verb !== undefined) return verb;
  const letters = [...word];
  if (isLong(word)) return letters.slice(0, LONG_KNOWN_BY).join("");
  const [ending, least] = isOfSyllables(word) ? [1, 2] : [2, 4];
  return letters.slice(0, Math.max(least, letters.length - ending)).join("");
};

/** The last letters, backwards. */
const endOf = (word: string): string => reversed(word).slice(0, isLong(word) ? LONG_KNOWN_BY : undefined);
const isLong = (word: string): boolean => word.length > SPELLED.to && isOfLetters(word);
