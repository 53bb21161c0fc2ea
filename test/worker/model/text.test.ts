/** What a text of one line may hold: names, titles, external ids. What cannot be seen must not make two of them different. */
import { describe, expect, it, vi } from "vitest";
import { ExternalId } from "../../../src/worker/model/panelist.ts";
import { Description, Name, Title } from "../../../src/worker/model/text.ts";

const lines = { Name, Title, ExternalId };

it("an external id that is far too long is refused before it is normalized, which would take a second", () => {
  const normalize = vi.spyOn(String.prototype, "normalize");
  const found = ExternalId.safeParse(`a${"\u0301".repeat(16_000)}${"\u0316".repeat(16_000)}`);
  expect(found.error?.issues).toMatchObject([{ message: "must have 1 to 200 characters" }]);
  expect(normalize).not.toHaveBeenCalled();
});

describe.each(Object.entries(lines))("%s", (_, schema) => {
  it.each([
    ["a right-to-left override", "invoice\u202egpj.exe"],
    ["an isolate", "\u2066admin\u2069"],
    ["an Arabic letter mark", "a\u061cb"],
    ["a left-to-right mark", "a\u200eb"],
    ["a zero-width space", "ad\u200bmin"],
    ["a zero-width joiner between Latin letters", "ad\u200dmin"],
    ["a zero-width non-joiner between Latin letters", "ad\u200cmin"],
    ["a zero-width joiner after a Latin letter, before a virama", "ad\u200d\u094dmin"],
    ["two zero-width joiners after a letter of Arabic", "\u0647\u200d\u200d"],
    ["a zero-width space at the end of Khmer", "\u1781\u200b"],
    ["a word joiner", "ad\u2060min"],
    ["a byte order mark inside", "ad\ufeffmin"],
    ["a soft hyphen", "ad\u00admin"],
    ["an invisible filler", "ad\u3164min"],
    ["a variation selector after a letter", "ad\ufe0fmin"],
    ["tag characters", "admin\u{e0041}\u{e0042}"],
    [
      "tag characters after an emoji that is no flag",
      "\u{1f600}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    ],
    ["the flag of a subdivision that has none", "\u{1f3f4}\u{e0075}\u{e0073}\u{e0074}\u{e0078}\u{e007f}"],
    ["the flag of England without its end", "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}"],
    ["a style after a digit", "1\ufe0f"],
    ["a style twice", "\u2764\ufe0f\ufe0e"],
    ["a Mongolian variation selector between Latin letters", "ad\u180bmin"],
    ["a Mongolian vowel separator at the end", "\u1828\u1820\u180e"],
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
    ["Bengali with a joiner before a virama", "\u09b0\u200d\u09cd\u09af\u09be\u09b2\u09bf"],
    ["Malayalam with a chillu of old at the end of a word", "\u0d05\u0d35\u0d28\u0d4d\u200d \u0d2a\u0d31"],
    ["Persian with a letter that goes on to a full stop", "\u0647\u200d.\u0634"],
    ["Khmer with what divides its words", "\u1781\u17d2\u1789\u17bb\u17c6\u200b\u1785\u1784\u17cb"],
    ["a Japanese name with a variant of a character", "葛\u{e0100}城"],
    ["Hebrew and Latin", "שלום CRM"],
    ["the flags of England, Scotland and Wales", "🏴󠁧󠁢󠁥󠁮󠁧󠁿🏴󠁧󠁢󠁳󠁣󠁴󠁿🏴󠁧󠁢󠁷󠁬󠁳󠁿"],
    ["an emoji in the style of text", "\u2764\ufe0e and \u00a9\ufe0e"],
    ["Mongolian with variation selectors", "\u182e\u180b\u1820\u180f"],
    ["Mongolian with a vowel separator", "\u182e\u1820\u1829\u180b\u180e\u1820"],
    ["a dotted letter of Khamti", "\u1000\ufe00\u1075\ufe00"],
    ["Arabic with a sign that encloses a number", "\u06dd\u0661\u0662"],
    ["Braille with a blank", "\u2801\u2800\u2803"],
    ["accents, combined", "Cafe\u0301"],
  ])("takes %s", (_title, text) => {
    expect(schema.parse(text)).toBe(schema === ExternalId ? text.normalize("NFC") : text);
  });
});

describe("by Unicode's properties", () => {
  const points = Array.from({ length: 0x110000 }, (_, point) => String.fromCodePoint(point));
  // Those that break a line, those that show nothing, those that are no characters, and halves of characters.
  const refused = points.filter((point) =>
    /[\p{Cc}\p{Zl}\p{Zp}\p{DI}\p{Bidi_Control}\p{NChar}\p{Cs}\ufff9-\ufffb]/u.test(point),
  );

  it("refuses each code point that is not seen, between letters", () => {
    expect(refused.length).toBeGreaterThan(6_000);
    expect(refused.filter((point) => Name.safeParse(`a${point}b`).success)).toEqual([]);
  });

  it("takes all other characters", () => {
    const isRefused = new Set(refused);
    const others = points
      .filter((point) => !isRefused.has(point))
      .filter((point) => !/[\s\p{Cn}\p{Co}\p{sc=Han}\p{sc=Hangul}]/u.test(point));
    const lines = Array.from({ length: Math.ceil(others.length / 190) }, (_, line) =>
      others.slice(line * 190, line * 190 + 190),
    );
    expect(lines.filter((each) => !Title.safeParse(each.join("")).success)).toEqual([]);
  });

  it.each(["\u2800", "\u2800 \u2800", "\u0301", "\u00a0\u0301\u2800"])("refuses %j: nothing in it is seen", (text) => {
    expect(Name.safeParse(text).error?.issues.map(({ message }) => message)).toEqual([
      "must contain a character that can be seen",
    ]);
  });
});

it("prose may hold them: it is not compared with the eye", () => {
  expect(Description.parse("a\u200bb\u2028c")).toBe("a\u200bb\u2028c");
});
