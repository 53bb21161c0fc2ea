/** The words of the sign-in pages and of the e-mail with a code, in the languages of the pages. */
import type { Language } from "../../model/language.ts";
import words from "./words.json" with { type: "json" };

export type Label = keyof typeof words;

/** `values` by the names of the placeholders: `{board}`. */
export type Say = (label: Label, values?: Readonly<Record<string, string>>) => string;

export const wordsOf =
  (language: Language): Say =>
  (label, values = {}) =>
    words[label][language].replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);

/** `14:32 CET`: in the visitor's time zone, as far as Cloudflare knows it, and with the zone's name. `at` is in Unix milliseconds. */
export function timeInWords(at: number, language: Language, timeZone: string | undefined): string {
  const format = (zone: string) =>
    new Intl.DateTimeFormat(language === "ar" ? "ar-u-nu-latn" : language, {
      ...{ hour: "2-digit", minute: "2-digit", second: "2-digit", timeZone: zone, timeZoneName: "short" },
    }).format(at);
  try {
    return format(timeZone ?? "UTC");
  } catch {
    return format("UTC");
  }
}
