/** The words of e-mails to people, and of the page that ends them, in the languages of the pages. */
import type { Language } from "../model/language.ts";
import words from "./words.json" with { type: "json" };

type Label = keyof typeof words;

/** `values` by the names of the placeholders: `{board}`. */
export type Say = (label: Label, values?: Readonly<Record<string, string>>) => string;

export const wordsOf =
  (language: Language): Say =>
  (label, values = {}) =>
    words[label][language].replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
