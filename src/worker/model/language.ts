/** The languages of pages and e-mails: those that the elements speak. Pure. */

export const LANGUAGES = ["ar", "de", "en", "es", "fr", "it", "ja", "nl", "pl", "pt", "tr", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];

/** As each calls itself. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  ar: "العربية",
  de: "Deutsch",
  en: "English",
  es: "Español",
  fr: "Français",
  it: "Italiano",
  ja: "日本語",
  nl: "Nederlands",
  pl: "Polski",
  pt: "Português",
  tr: "Türkçe",
  zh: "中文",
};

const FALLBACK: Language = "en";

/** An address that somebody made is not read further than this, nor a header: both come from anybody. */
const MAX_CHARACTERS = 400;

/** The language of a tag such as `pt-BR`. Undefined for one that no page has. */
export const languageOf = (tag: string | undefined): Language | undefined => {
  const [primary = ""] = (tag ?? "").slice(0, MAX_CHARACTERS).trim().toLowerCase().split("-");
  return LANGUAGES.find((each) => each === primary);
};

/** The first of an `Accept-Language` header that a page has, by its weight and then its place (RFC 9110, section 12.5.4). */
export function preferredLanguage(header: string | undefined): Language {
  const wanted = (header ?? "")
    .slice(0, MAX_CHARACTERS)
    .split(",")
    .map((part) => {
      const [tag, ...parameters] = part.split(";");
      const weight = parameters.map((each) => /^\s*q=([\d.]+)\s*$/i.exec(each)?.[1]).find((each) => each !== undefined);
      return { language: languageOf(tag), weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight);
  return wanted.find(({ language }) => language !== undefined)?.language ?? FALLBACK;
}

export const directionOf = (language: Language): "ltr" | "rtl" => (language === "ar" ? "rtl" : "ltr");
