/** What a text of one line may hold: names, titles, external ids. What cannot be seen must not make two of them different. */
import { describe, expect, it } from "vitest";
import { ExternalId } from "../../../src/worker/model/panelist.ts";
import { Description, Name, Title } from "../../../src/worker/model/text.ts";

const lines = { Name, Title, ExternalId };

describe.each(Object.entries(lines))("%s", (_, schema) => {
  it.each([
    ["a right-to-left override", "invoice\u202egpj.exe"],
    ["an isolate", "\u2066admin\u2069"],
    ["an Arabic letter mark", "a\u061cb"],
    ["a left-to-right mark", "a\u200eb"],
    ["a zero-width space", "ad\u200bmin"],
    ["a zero-width joiner between Latin letters", "ad\u200dmin"],
    ["a zero-width non-joiner between Latin letters", "ad\u200cmin"],
    ["a word joiner", "ad\u2060min"],
    ["a byte order mark inside", "ad\ufeffmin"],
    ["a soft hyphen", "ad\u00admin"],
    ["an invisible filler", "ad\u3164min"],
    ["a variation selector after a letter", "ad\ufe0fmin"],
    ["tag characters", "admin\u{e0041}\u{e0042}"],
  ])("refuses %s", (_title, text) => {
    expect(schema.safeParse(text).error?.issues.map(({ message }) => message)).toEqual([
      "must not contain invisible characters or bidirectional controls",
    ]);
  });

  it.each([
    ["a line separator", "one\u2028two"],
    ["a paragraph separator", "one\u2029two"],
    ["a line feed", "one\ntwo"],
  ])("refuses %s", (_title, text) => {
    expect(schema.safeParse(text).success).toBe(false);
  });

  it.each([
    ["a family, joined by zero-width joiners", "Family 👨‍👩‍👧‍👦 and 🏳️‍🌈"],
    ["an emoji with a skin tone", "Hello 👋🏽, ❤️ and 1️⃣"],
    ["Persian with a zero-width non-joiner", "می\u200cخواهم"],
    ["Sinhala with a zero-width joiner", "ශ්\u200dරී"],
    ["a Japanese name with a variant of a character", "葛\u{e0100}城"],
    ["Hebrew and Latin", "שלום CRM"],
    ["accents, combined", "Cafe\u0301"],
  ])("takes %s", (_title, text) => {
    expect(schema.parse(text)).toBe(text);
  });
});

it("prose may hold them: it is not compared with the eye", () => {
  expect(Description.parse("a\u200bb\u2028c")).toBe("a\u200bb\u2028c");
});
