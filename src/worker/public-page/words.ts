/** The words of the page around the elements, which bring their own. */
import type { Language } from "../model/language.ts";
import words from "./words.json" with { type: "json" };

type Word = keyof typeof words;

/** Each language has each word: the compiler checks it. */
const WORDS: Readonly<Record<Word, Readonly<Record<Language, string>>>> = words;

export type Say = (word: Word) => string;

export const wordsOf =
  (language: Language): Say =>
  (word) =>
    WORDS[word][language];
