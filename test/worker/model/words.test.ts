/** The terms of titles and texts: what counts as the same, and how many there are. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { searchTerms, textTerms, titleTerms, titleWords } from "../../../src/worker/model/words.ts";

const words = (title: string): string[] => JSON.parse(titleWords(title));
const others = (title: string): string[] => JSON.parse(titleTerms(title));
const ofText = (text: string): string[] => JSON.parse(textTerms(text));
const sought = (search: string) => searchTerms(search).map(({ word }) => word);

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
    ["Hindi with and without dots, and both ways to write a nasal", "बाज़ार हिन्दी गाँव", ["बाजार", "हिंदी", "गांव"]],
    ["letters of Malayalam and Bengali that end a syllable", "സർവ സര്‍വ ৎ", ["സര്വ", "ত্"]],
    ["letters of Amharic that sound alike", "ሠላም ዐዲስ", ["ሰላም", "አዲስ"]],
    ["Armenian “and”, Icelandic þ and ð", "Երևան ԵՐԵՎԱՆ Það", ["երեվան", "thad"]],
    ["digits of all scripts", "٢٤ ۲۵ १२ ๑๓ ၄၅ 𝟗𝟖", ["24", "25", "12", "13", "45", "98"]],
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

it("takes Khmer and Burmese characters with their marks and what is stacked under them", () => {
  expect(words("ကျောင်းသား")).toEqual(["ကျောင်း", "င်းသား"]);
  expect(words("និស្សិត")).toEqual(["និស្សិ", "ស្សិត"]);
  expect(words("เเม่")).toEqual(words("แม่"));
  expect(words(`က${"ါ".repeat(400)}ခ`)).toEqual([`က${"ါ".repeat(15)}ခ`]);
});

it("looks each second pair of a long search up first: together they have all of its characters", () => {
  expect(sought("希望手机应用可以在夜间自动")).toEqual(["希望", "手机", "应用", "可以", "在夜", "间自"]);
});

it("finds a word of more than 16 letters by its first ten, or by its last ten", () => {
  const [term] = searchTerms("Geschwindigkeitsbegrenzung");
  expect([term?.beginning, term?.end]).toEqual(["geschwindi", "<gnuznergeb"]);
});

it("takes what apostrophes and hyphens join as one word, and its parts as words", () => {
  expect(words("Wi-Fi")).toEqual(["wifi", "wi", "fi"]);
  for (const apostrophe of ["'", "’", "ʼ", "`", "´"]) expect(words(`Don${apostrophe}t`)).toEqual(["dont", "don"]);
  expect(words("l’application")).toEqual(["lapplication", "application"]);
  expect(words('צה"ל')).toEqual(["צהל", "צה"]);
  expect(words("می‌خواهم")).toContain("ميخواهم");
  expect(words("ותאורה")).toEqual(["ותאורה", "תאורה"]);
  expect(words("የሌሊት")).toEqual(["የሌሊት", "ሌሊት"]);
  expect(words("Node.js, R&D")).toEqual(["nodejs", "node", "js", "rd"]);
  expect(words("“quoted” - 'so'")).toEqual(["quoted", "so"]);
});

it("takes emoji, currencies, C++, C# and .NET as words", () => {
  expect(words("C++, c# and F#")).toEqual(["c++", "c#", "f#", "and"]);
  expect(words(".NET")).toEqual([".net", "net"]);
  expect(words("…done. Next...").toSorted()).toEqual(["done", "next"]);
  expect(words("🎉 party🎉 🚴🏽‍♀️ €5 🇫🇷")).toEqual(["🎉", "party", "🚴", "♀", "€", "🇫🇷", "5"]);
  expect(words("❤️")).toEqual(words("❤"));
});

it("of a title in a script without spaces, has each pair and the last character; of Hangul, each word", () => {
  const title = "希望手机应用可以在夜间自动切换到深色模式并且支持导出通讯录数据";
  const characters = [...title];
  const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`);
  expect([...words(title), ...others(title)]).toEqual([...pairs, "据"]);
  expect(others("駅")).toEqual(["駅"].slice(1));
  expect(words("자전거 도로")).toEqual(["자전거", "도로"]);
});

describe("the other terms of a title", () => {
  it("are a long word backwards, and two short neighbours as one", () => {
    expect(others("Fahrradständer")).toContain("<rednatsdarrhaf");
    expect(others("사진내보내기")).toContain("<기내보내진사");
    expect(others("Dark mode, please")).toEqual(expect.arrayContaining(["darkmode", "modeplease"]));
    expect(others("A b long-distance")).toEqual(others("long-distance"));
  });

  it("have one in common with each misspelling of a word of six letters or more, unless its beginning finds it", () => {
    /** As the search compares the gaps (src/worker/database/proposals/words.ts). */
    const isMistake = ([first, last]: string, letters: string) =>
      first === letters[0] || last === letters.at(-1) || `${last}${first}` === letters;
    const shared = (word: string, typed: string, terms = others(word)) =>
      searchTerms(typed).some(
        ({ misspellings, beginning }) =>
          word.startsWith(beginning) ||
          Object.entries(misspellings).some(([around, letters]) =>
            terms.some((term) => term.startsWith(around) && isMistake(term.slice(-2), letters)),
          ),
      );
    const letter = fc.constantFrom(..."abcdefgh");
    const word = fc.array(letter, { minLength: 6, maxLength: 16 });
    const at = fc.nat(18);
    fc.assert(
      fc.property(word, at, letter, (letters, place, other) => {
        const index = place % letters.length;
        const next = Math.min(index, letters.length - 2);
        const terms = others(letters.join(""));
        for (const typed of [
          letters.toSpliced(index, 1),
          letters.toSpliced(index, 0, other),
          [...letters, other],
          letters.with(index, other),
          letters.with(next, letters[next + 1] ?? "").with(next + 1, letters[next] ?? ""),
        ])
          expect(shared(letters.join(""), typed.join(""), terms), typed.join("")).toBe(true);
      }),
    );
    for (const typed of ["import", "sport", "exact", "report"]) expect(shared("export", typed), typed).toBe(false);
    expect([shared("ticket", "tikcet"), shared("buses", "bsues"), shared("abc123", "acb123")]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

it("of a text has the words that tell most, each once, and no address's beginning", () => {
  expect(ofText("To see it, see https://example.com/export as CSV.")).toEqual([
    ...["=examplecom", "=example", "=export", "=see", "=com", "=csv"],
  ]);
  expect(ofText("")).toEqual([]);
  const long = Array.from({ length: 200 }, (_, index) => `word${index}`).join(" ");
  expect(ofText(long)).toHaveLength(64);
});

it("has at most 12 words of a title in the lists, the longest, each once, and 88 more terms; and at most 6 words of a search", () => {
  const title = "a bb ccc dddd a bb eeeee ffffff g h i j k l m n";
  expect(words(title)).toHaveLength(12);
  expect(words(title).slice(0, 6)).toEqual(["ffffff", "eeeee", "dddd", "ccc", "bb", "a"]);
  expect(others(title)).toEqual(expect.arrayContaining(["m", "n", "bbeeeee"]));
  expect(sought(title)).toEqual(["ffffff", "eeeee", "dddd", "ccc", "bb", "a"]);
  expect(words("1".repeat(200))).toEqual(["1".repeat(32)]);
  expect(others(Array.from({ length: 150 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join(""))).toHaveLength(
    88,
  );
  expect([words("… !?"), others("… !?"), sought("… !?")]).toEqual([[], [], []]);
});

it("looks up a title's own words, whatever the text; and what it stores is short JSON", { tags: "slow" }, () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (title) => {
      const stored = words(title);
      const all = [...stored, ...others(title)];
      expect(stored.length).toBeLessThanOrEqual(12);
      expect(all.length).toBeLessThanOrEqual(100);
      expect(ofText(title).length).toBeLessThanOrEqual(64);
      expect(new Set(all).size).toBe(all.length);
      for (const { word, beginning } of searchTerms(title)) {
        expect(all).toContain(word);
        expect(word.startsWith(beginning)).toBe(true);
        expect([...word].length).toBeLessThanOrEqual(32);
      }
      expect(words(stored.join(" "))).toEqual(expect.arrayContaining(stored.slice(0, 1)));
    }),
  );
});
