/** Every text of the elements in every language: none is missing, each has its placeholders, and a text for each plural form. */
import { describe, expect, it } from "vitest";
import { LABELS } from "../../../src/commands/development/elements-reference.ts";
import { LANGUAGES, translationOf } from "../../../src/elements/languages/languages.ts";
import type { Labels, Plural } from "../../../src/elements/shared/labels.ts";
import { TRANSLATED } from "../../../src/elements/shared/translation.ts";

type Text = string | Plural;
const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([found]) => found).sort();
const forms = (text: Text): string[] => (typeof text === "string" ? [text] : Object.values(text));
/** The plural forms that whole numbers up to a thousand take. */
const categories = (language: string) => {
  const rules = new Intl.PluralRules(language);
  return [...new Set(Array.from({ length: 1_001 }, (_, count) => rules.select(count)))].sort();
};
/** These say the number as a word. */
const SAYS_NUMBER = ["zero", "one", "two"];

it("every language is one that the elements load", () => {
  for (const name of LANGUAGES) {
    expect(TRANSLATED.exec(name)?.[0]).toBe(name);
    expect(TRANSLATED.exec(`${name}-XX`)?.[0]).toBe(name);
  }
  for (const other of ["en", "en-GB", "sv", "den", "zhx"]) expect(TRANSLATED.exec(other)).toBe(null);
});

describe.each(LANGUAGES)("%s", (language) => {
  const { labels: translated = {} } = translationOf(language);

  it.each(Object.entries(LABELS))("says what <%s> says", (element, english: Labels) => {
    const labels = translated[element] ?? {};
    expect(Object.keys(labels).sort()).toEqual(Object.keys(english).sort());
    for (const [name, text] of Object.entries(labels)) {
      const original = english[name] ?? "";
      const expected = placeholders(typeof original === "string" ? original : original.other);
      if (typeof original !== "string") expect(typeof text, name).toBe("object");
      if (typeof text === "object")
        expect(Object.keys(text).sort(), name).toEqual(expect.arrayContaining(categories(language)));
      for (const form of forms(text)) expect(form.trim(), name).not.toBe("");
      if (typeof text === "string") expect(placeholders(text), name).toEqual(expected);
      else {
        for (const [category, form] of Object.entries(text)) {
          const without = expected.filter((placeholder) => placeholder !== "{count}");
          const found = placeholders(form);
          if (!SAYS_NUMBER.includes(category) || found.includes("{count}")) expect(found, name).toEqual(expected);
          else expect(found, name).toEqual(without);
        }
      }
    }
  });

  it("is a translation: no sentence is as in English", () => {
    const sentences = (labels: Labels) =>
      Object.values(labels)
        .flatMap(forms)
        .filter((text) => text.includes(" ") && !/^\{\w+\} \w+\.?$/.test(text));
    const english = new Set(Object.values(LABELS).flatMap(sentences));
    expect(
      Object.values(translated)
        .flatMap(sentences)
        .filter((text) => english.has(text)),
    ).toEqual([]);
  });
});
