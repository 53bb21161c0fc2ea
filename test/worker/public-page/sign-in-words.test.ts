/** The words of signing in: each language has each text, with the same placeholders, and the rules of copy. */
import { describe, expect, it } from "vitest";
import { LANGUAGES } from "../../../src/worker/model/language.ts";
import words from "../../../src/worker/public-page/sign-in/words.json" with { type: "json" };
import { timeInWords, wordsOf } from "../../../src/worker/public-page/sign-in/words.ts";

const placeholdersIn = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([each]) => each).toSorted();

describe.each(Object.entries(words))("%s", (_, texts: Record<string, string>) => {
  it("stands in every language, with the placeholders of the English text", () => {
    expect(Object.keys(texts)).toEqual([...LANGUAGES]);
    for (const [language, text] of Object.entries(texts)) {
      expect([language, placeholdersIn(text)]).toEqual([language, placeholdersIn(texts.en ?? "")]);
      expect([language, text.trim(), /['"]|\.\.\.|<|>/.test(text)]).toEqual([language, text, false]);
    }
  });

  it("is no English text elsewhere", () => {
    const english = texts.en ?? "";
    const same = Object.entries(texts).filter(([language, text]) => language !== "en" && text === english);
    if (english.split(" ").length > 1) expect(same).toEqual([]);
  });
});

it("a value is put in as it is, whatever stands in it", () => {
  expect(wordsOf("en")("back", { board: "$& {email} $1" })).toBe("Back to $& {email} $1");
});

describe("a time", () => {
  const at = Date.UTC(2026, 10, 29, 13, 32, 5);

  it("is the visitor’s, with the name of the zone, so that it can be compared with that of an e-mail", () => {
    expect(timeInWords(at, "de", "Europe/Berlin")).toMatch(/^14:32:05 (MEZ|CET)$/);
    expect(timeInWords(at, "en", "America/New_York")).toMatch(/^08:32:05\sAM EST$/);
    expect(timeInWords(at, "ja", undefined)).toMatch(/13:32:05/);
  });

  it("is UTC where nobody knows the zone", () => {
    for (const zone of [undefined, "Nowhere/Else", ""]) expect(timeInWords(at, "fr", zone)).toBe("13:32:05 UTC");
  });
});
