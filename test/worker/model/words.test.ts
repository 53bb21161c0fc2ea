/** The words of titles: what counts as the same, and how many there are. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { searchTerms, titleWords } from "../../../src/worker/model/words.ts";

const words = (title: string): string[] => JSON.parse(titleWords(title));
const sought = (search: string) => searchTerms(search).map(([word]) => word);

describe("what is equal", () => {
  it.each([
    ["case, and full-width letters", "NIGHT ｂｕｓ", ["night", "bus"]],
    ["accents", "Café-Öffnungszeiten", ["offnungszeiten", "cafe"]],
    ["ß, æ and ł", "Straße Æbler złoty", ["strasse", "aebler", "zloty"]],
    [
      "the Turkish i, with a dot and without, small and large",
      "İSTANBUL ISPARTA ışık",
      ["istanbul", "isparta", "isik"],
    ],
    ["the Greek accents, and the sigma at the end", "ΟΔΌΣ οδός", ["οδοσ"]],
    ["Arabic vowel signs, forms of alef, and the article", "الحافِلة أحمد", ["حافله", "احمد"]],
    ["Cyrillic ё", "Ещё", ["еще"]],
  ])("%s", (_, title, expected) => {
    expect(words(title)).toEqual(expect.arrayContaining(expected));
  });

  it("keeps voiced kana, vowel signs and Hangul syllables: there they are letters", () => {
    expect(words("バス")).not.toEqual(words("ハス"));
    expect(words("ｶﾞ")).toEqual(["ガ"]);
    expect(words("किताब")).toEqual(["किताब"]);
    expect(words("버스")).toEqual(["버스"]);
  });
});

it("takes pairs of characters where a script has no spaces, those that tell most first", () => {
  expect(words("駐輪場を増やす")).toEqual(
    ["駐輪", "輪場", "場を", "を増", "増や", "やす"].toSorted((a, b) => rank(a) - rank(b)),
  );
  expect(words("รถเมล์").length).toBeGreaterThan(2);
  expect(words("駅 A4")).toEqual(["a4", "駅"].toSorted((a, b) => (a === "駅" ? -1 : b === "駅" ? 1 : 0)));
});
const rank = (pair: string) => pair.match(/\p{sc=Hira}/gu)?.length ?? 0;

it("finds a compound by its last part", () => {
  expect(words("Fahrradständer")).toEqual(expect.arrayContaining(["fahrradstander", "stander"]));
  expect(words("Hauptbahnhof")).toContain("bahnhof");
});

it("has at most 12 words of a title, the longest, each once; and at most 6 of a search", () => {
  const title = "a bb ccc dddd a bb eeeee ffffff g h i j k l m n";
  expect(words(title)).toHaveLength(12);
  expect(words(title).slice(0, 6)).toEqual(["ffffff", "eeeee", "dddd", "ccc", "bb", "a"]);
  expect(sought(title)).toEqual(["ffffff", "eeeee", "dddd", "ccc", "bb", "a"]);
  expect(words("1".repeat(200))).toEqual(["1".repeat(32)]);
  expect(words("… !?")).toEqual([]);
  expect(sought("… !?")).toEqual([]);
});

it("looks up a title's own words, whatever the text; and what it stores is short JSON", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (title) => {
      const stored = words(title);
      expect(stored.length).toBeLessThanOrEqual(12);
      expect(new Set(stored).size).toBe(stored.length);
      for (const [word, beginning] of searchTerms(title)) {
        expect(stored).toContain(word);
        expect(word.startsWith(beginning)).toBe(true);
        expect([...word].length).toBeLessThanOrEqual(32);
      }
      expect(words(stored.join(" "))).toEqual(expect.arrayContaining(stored.slice(0, 1)));
    }),
  );
});
