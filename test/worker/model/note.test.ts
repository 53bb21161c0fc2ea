/** Whom a note names. */
import { describe, expect, it } from "vitest";
import { membersNamedIn } from "../../../src/worker/model/note.ts";

const MEMBERS = [
  { id: "ana", email: "ana@example.com", name: "Ana María López" },
  { id: "smith", email: "ana.smith@example.com", name: null },
  { id: "ben", email: "ben@one.example" },
  { id: "other-ben", email: "ben@two.example" },
  { id: "li", email: "l@example.com", name: "李雷" },
];
const named = (text: string) => membersNamedIn(text, MEMBERS);

describe("a mention", () => {
  it.each([
    ["an address's beginning", "@ana has seen it", ["ana"]],
    ["a name of several words, whatever the capitals", "Ask @ana maría lópez, please", ["ana"]],
    ["the longest match", "@ana.smith", ["smith"]],
    ["at the end of a sentence", "Thanks @ana.", ["ana"]],
    ["in brackets, and a name in another script", "(@李雷)", ["li"]],
    ["everybody who has the name", "@ben", ["ben", "other-ben"]],
    ["several, each once", "@ana @ana.smith @ANA", ["ana", "smith"]],
  ])("is %s", (_, text, ids) => expect(named(text)).toEqual(ids));

  it.each([
    ["an address", "mail ana@example.com or x@ana"],
    ["a longer name", "@anabel @ana-lena @ana.smithson @ben2"],
    ["nobody's name", "@everyone @ @@"],
  ])("is not %s", (_, text) => expect(named(text)).toEqual([]));

  it("is looked for in a time that follows from the length of the text", () => {
    expect(named("@x ".repeat(3_333))).toEqual([]);
    expect(named(`${"@ana".repeat(2_500)} `)).toEqual([]);
  });
});
