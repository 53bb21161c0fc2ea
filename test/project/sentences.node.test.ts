/** The words of the documents: short sentences, no phrase that a reader stops at, no table line that nobody reads. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { listDocuments } from "../support/node/documents.ts";

/** Documents for people who use or run the service. Commands make the others, or they are for those who change the code. */
const OTHERS =
  /^docs\/(?:decisions\/|promises-tests|benchmarks|incidents|embed-reference|sql|storage|schema|development)/;
const READ = listDocuments().filter((path) => /^(?:README|CHANGELOG|docs\/)/.test(path) && !OTHERS.test(path));
/** Those that tenants read: words of our own machinery are not for them. */
const TENANTS = ["README.md", "docs/api.md", "docs/clients.md", "docs/embed.md", "docs/promises.md"];

const STUMBLES = ["which is asked", "of all", "gone with the answer", "by what was before", "whoever", "untold"];
const MACHINERY = /\b(?:surfaces?|isolates?|gates?|leases?|slices?|places?)\b/gi;
const LONGEST_SENTENCE = 30;
const LONGEST_TABLE_LINE = 300;

/** Without code blocks, comments and the targets of links. A piece of code is one word. */
const proseOf = (path: string) =>
  readFileSync(path, "utf8")
    .replaceAll(/```.*?```|<!--.*?-->/gs, "")
    .replaceAll(/\]\([^)]*\)/g, "]")
    .replaceAll(/`[^`]*`/g, "Code")
    .replaceAll("**", "");

/** An item of a list, a cell of a table, a heading and a paragraph are each read for themselves. */
const sentencesOf = (prose: string) =>
  prose
    .split(/\n\s*\n|\n(?=\s*(?:[-*|#]|\d+\.)\s?)|(?<!\\)\|/)
    .flatMap((block) => block.replaceAll(/\s+/g, " ").split(/(?<=[.!?])\s+(?=[A-Z0-9[("])/));

it("there are documents to read", () => expect(READ.length).toBeGreaterThan(6));

describe.each(READ)("%s", (path) => {
  it(`has sentences of at most ${LONGEST_SENTENCE} words`, () => {
    const long = sentencesOf(proseOf(path)).filter((each) => each.trim().split(" ").length > LONGEST_SENTENCE);
    expect(long).toEqual([]);
  });

  it("has no phrase that a reader stops at", () => {
    const prose = proseOf(path).toLowerCase();
    expect(STUMBLES.filter((phrase) => prose.includes(phrase))).toEqual([]);
  });

  it(`has table lines of at most ${LONGEST_TABLE_LINE} characters`, () => {
    const lines = readFileSync(path, "utf8").split("\n");
    expect(lines.filter((line) => line.startsWith("|") && line.length > LONGEST_TABLE_LINE)).toEqual([]);
  });
});

it.each(TENANTS)("%s has no word of the machinery", (path) => {
  expect(proseOf(path).match(MACHINERY) ?? []).toEqual([]);
});
