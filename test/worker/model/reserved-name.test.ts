/** Names that nobody may take at a sign-in, however they are spelled. */
import { describe, expect, it } from "vitest";
import board from "../../../src/elements/languages/board.json" with { type: "json" };
import { isReservedName } from "../../../src/worker/model/reserved-name.ts";

const TAKEN = ["Riverline rider ideas", "Acme", "robin"];

describe("a name", () => {
  it.each([
    ...["team", "TEAM", " T e a m ", "Тeam", "te\u200bam", "ｔｅａｍ", "Téam", "T.e.a.m", "teаm", "The Team", "TΕΑM"],
    ...["Team!", "!Team", "Team|", "Team+", "+eam!", "Te+am", "T€am", "(Team)", "Admin!", "Moderators", "ŧeam", "TEΛM"],
    ...["🆃🅴🅰🅼", "🅣🅔🅐🅜", "🄣🄔🄐🄜", "🇹🇪🇦🇲", "ⓣⓔⓐⓜ", "ᴛᴇᴀᴍ", "ᵀᴱᴬᴹ", "ᎢᎬᎪᎷ", "ꓔꓰꓮꓟ", "ⲦⲈⲀⲘ"],
    ...["Acme", "ACME", "Аcme", "acme™".slice(0, 4), "Ac\u00adme", "A-c-m-e", "Acrne"],
    ...[
      "Riverline Rider Ideas",
      "RiverIine rider ideas",
      "riverlineriderideas",
      "Riverline rider ideas!",
      "Robin",
      "R0bin",
      "Robin+",
      "robin@example.com",
      "a＠b",
    ],
  ])("%j is refused", (name) => expect(isReservedName(name, TAKEN)).toBe(true));

  it.each([
    "Ana",
    "Robin Doe",
    "Teamster",
    "李雷",
    "Мария",
    "Ελένη",
    "محمد",
    "Ana 2",
    "O’Neil",
    "Tea",
    "Tim!",
    "Team A",
    "ᎠᏂ",
    "🇪🇸 Ana",
  ])("%j is anybody’s", (name) => expect(isReservedName(name, TAKEN)).toBe(false));

  it.each(["Save!", "Save", "$ave", "+Save"])("%j looks like a board that is itself written with signs", (name) =>
    expect(isReservedName(name, ["$ave+!"])).toBe(true),
  );

  it("of many signs is read in a moment", () => {
    expect(isReservedName("!|+".repeat(33), [`${"!|+".repeat(33)}x`])).toBe(false);
  });

  it("that the elements show for the team is refused in every language", () => {
    for (const name of Object.values(board.team)) expect([name, isReservedName(name, [])]).toEqual([name, true]);
  });
});
