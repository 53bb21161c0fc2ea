/**
 * What a text of one line may hold. What no screen shows is dropped from texts for people (names, titles, tags), because their authors do
 * not see it either; it is refused in texts for programs (external ids), which must stay what they are.
 */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { ProposalExternalId } from "../../../src/worker/model/external-id.ts";
import { ExternalId } from "../../../src/worker/model/panelist.ts";
import { Tag } from "../../../src/worker/model/tag.ts";
import { Description, Moment, Name, Title, withoutInvisible } from "../../../src/worker/model/text.ts";

const forPeople = { Name, Title, Tag };
const forPrograms = { ExternalId, ProposalExternalId };
const lines = { ...forPeople, ...forPrograms };
/** These are kept as sent. */
const asSent: readonly object[] = [Name, Title];

/** A text, and what is left of it where that is not simply every visible character. */
const INVISIBLE: readonly (readonly [title: string, text: string, left?: string])[] = [
  ["a right-to-left override", "invoice\u202egpj.exe"],
  ["an isolate", "\u2066admin\u2069"],
  ["an Arabic letter mark", "a\u061cb"],
  ["a left-to-right mark", "a\u200eb"],
  ["a zero-width space", "ad\u200bmin"],
  ["a zero-width joiner between Latin letters", "ad\u200dmin"],
  ["a zero-width non-joiner between Latin letters", "ad\u200cmin"],
  ["a zero-width joiner after a Latin letter, before a virama", "ad\u200d\u094dmin"],
  ["two zero-width joiners after a letter of Arabic", "\u0647\u200d\u200d", "\u0647\u200d"],
  ["a zero-width space at the end of Khmer", "\u1781\u200b"],
  ["a word joiner", "ad\u2060min"],
  ["a byte order mark inside", "ad\ufeffmin"],
  ["a soft hyphen", "ad\u00admin"],
  ["an invisible filler", "ad\u3164min"],
  ["a variation selector after a letter", "ad\ufe0fmin"],
  ["tag characters", "admin\u{e0041}\u{e0042}"],
  ["tag characters after an emoji that is no flag", "\u{1f600}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"],
  ["the flag of a subdivision that has none", "\u{1f3f4}\u{e0075}\u{e0073}\u{e0074}\u{e0078}\u{e007f}"],
  ["the flag of England without its end", "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}"],
  ["a style after a digit", "1\ufe0f"],
  ["a style twice", "\u2764\ufe0f\ufe0e", "\u2764\ufe0f"],
  ["a Mongolian variation selector between Latin letters", "ad\u180bmin"],
  ["a Mongolian vowel separator at the end", "\u1828\u1820\u180e"],
];

it("an external id that is far too long is refused before it is normalized, which would take a second", () => {
  const normalize = vi.spyOn(String.prototype, "normalize");
  const found = ExternalId.safeParse(`a${"\u0301".repeat(16_000)}${"\u0316".repeat(16_000)}`);
  expect(found.error?.issues).toMatchObject([{ message: "must have 1 to 200 characters" }]);
  expect(normalize).not.toHaveBeenCalled();
});

describe.each(Object.entries(forPeople))("%s", (_, schema) => {
  it.each(INVISIBLE)("drops what is not seen: %s", (_title, text = "", left = text.replace(/\p{DI}/gu, "")) => {
    expect(schema.parse(text)).toBe(left);
  });

  it("is trimmed after that, and has its length then", () => {
    expect(schema.parse("\u200e \u200bDark mode\u00ad \u200f")).toBe("Dark mode");
    expect(schema.parse(`${"a\u00ad".repeat(32)}`)).toBe("a".repeat(32));
    expect(schema.safeParse("\u200b\u00ad").error?.issues[0]?.message).toMatch(
      /^must have 1 to \d+ characters after trimming$/,
    );
  });
});

describe.each(Object.entries(forPrograms))("%s", (_, schema) => {
  it.each(INVISIBLE)("refuses %s", (_title, text) => {
    expect(schema.safeParse(text).error?.issues.map(({ message }) => message)).toEqual([
      "must not contain invisible characters or bidirectional controls",
    ]);
  });
});

it("nothing is left to drop, in whatever order the characters come", () => {
  const pieces = [
    ..."\u200b\u200c\u200d\u00ad\ufe0f\ufe0e\u180e\u180b\u115f\u034f\u{e0067}\u{e0062}\u{e007f}",
    "a",
    "1",
    "\u20e3",
    "❤",
    "🏴",
    "👩",
    "ه",
    "ក",
    "क",
    "\u094d",
    "葛",
    "ᠨ",
    "ᠠ",
  ];
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((each) => each.join(""));
  fc.assert(
    fc.property(texts, (text) => {
      const left = withoutInvisible(text);
      expect(withoutInvisible(left)).toBe(left);
      expect(left.replace(/\p{DI}/gu, "")).toBe(text.replace(/\p{DI}/gu, ""));
    }),
    { numRuns: 2_000 },
  );
});

describe.each(Object.entries(lines))("%s", (_, schema) => {
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
    // An id is taken in the one form in which it stays.
    const sent = Object.values<object>(forPrograms).includes(schema) ? text.normalize("NFC") : text;
    expect(schema.parse(sent)).toBe(asSent.includes(schema) ? sent : sent.normalize("NFC"));
  });
});

describe("by Unicode's properties", () => {
  const points = Array.from({ length: 0x110000 }, (_, point) => String.fromCodePoint(point));
  const BREAKS_OR_HALF = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;
  const NOT_SHOWN = /[\p{DI}\p{Bidi_Control}\p{NChar}\ufff9-\ufffb]/u;
  const breaking = points.filter((point) => BREAKS_OR_HALF.test(point));
  const hidden = points.filter((point) => NOT_SHOWN.test(point));
  const refused = [...breaking, ...hidden];

  it("refuses each code point that breaks a line or is half a character", () => {
    expect(breaking.length).toBeGreaterThan(2_000);
    expect(breaking.filter((point) => Name.safeParse(`a${point}b`).success)).toEqual([]);
  });

  it("drops each one that shows nothing from a name, and refuses it in an id", () => {
    expect(hidden.length).toBeGreaterThan(4_000);
    expect(hidden.filter((point) => Name.safeParse(`a${point}b`).data !== "ab")).toEqual([]);
    expect(hidden.filter((point) => ExternalId.safeParse(`a${point}b`).success)).toEqual([]);
  });

  it("takes all other characters", { tags: "slow" }, () => {
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

describe("a time that a client sends", () => {
  it.each([
    "2026-11-20T12:00:00Z",
    "2026-11-20T12:00:00+02:00",
    "2026-11-20T12:00:00.123456-11:30",
    "2026-11-20T12:00:00.1Z",
  ])("may be %s", (text) => expect(Moment.safeParse(text).success).toBe(true));
  it.each([
    "2026-11-20",
    "2026-11-20T12:00:00",
    "2026-02-30T12:00:00Z",
    "2026-11-20T24:00:00Z",
    "2026-11-20T12:00:00+25:00",
    "tomorrow",
  ])("may not be %s", (text) => expect(Moment.safeParse(text).success).toBe(false));
});
