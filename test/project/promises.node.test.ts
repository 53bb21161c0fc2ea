/** `docs/promises.md` and what holds it: `docs/promises-tests.md` is made here (`npx vitest run -u --project node test/project/promises`). */
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, it } from "vitest";
import { ORACLES } from "../simulation/oracles/index.ts";
import { readSeeds } from "../simulation/seeds.ts";
import { FOUND, TESTS } from "./promises.ts";

const promises = [...readFileSync("docs/promises.md", "utf8").matchAll(/^(\d+)\. \*\*(.*?)\.\*\* (.*)$/gm)].map(
  ([, number = "", name = "", words = ""]) => ({ number, name, words }),
);
/** "Not promised" numbers its sentences from 1 again. */
const promised = promises.slice(
  0,
  promises.findLastIndex(({ number }) => number === "1"),
);

it("promises at most 30 things, of one sentence each", () => {
  expect(promised.length).toBeGreaterThan(20);
  expect(promised.length).toBeLessThanOrEqual(30);
  expect(promised.filter(({ words }) => !/^[^.]*\.$/.test(words))).toEqual([]);
});

it("has at most 25 exceptions, each of a promise and under the reader whom it concerns", () => {
  const section = readFileSync("docs/promises.md", "utf8").split("\n## Exceptions\n")[1]?.split("\n## ")[0] ?? "";
  const [intro = "", ...readers] = section.split(/^### /m);
  expect(intro).not.toContain("- **");
  const exceptions = readers.flatMap((reader) => [...reader.matchAll(/^- (.*)$/gm)].map(([, words = ""]) => words));
  expect(exceptions.length).toBeGreaterThan(10);
  expect(exceptions.length).toBeLessThanOrEqual(25);
  const numbersOf = (words: string) => words.match(/^\*\*([\d, ]+)\.\*\* /)?.[1]?.split(", ") ?? ["none"];
  const known = new Set(promised.map(({ number }) => number));
  expect(exceptions.filter((words) => numbersOf(words).some((number) => !known.has(number)))).toEqual([]);
});

it("each promise has its tests, and each test is there", () => {
  expect(Object.keys(TESTS)).toEqual(promised.map(({ name }) => name));
  const tests = Object.values(TESTS).flat();
  expect(tests.filter((path) => !existsSync(`test/${path}`))).toEqual([]);
  expect(Object.entries(TESTS).filter(([, each]) => each.length === 0)).toEqual([]);
});

it("each invariant of the simulation holds a promise, in one sentence", () => {
  const names = promised.map(({ name }) => name);
  expect(ORACLES.filter(({ promise }) => !names.includes(promise))).toEqual([]);
  expect(ORACLES.filter(({ words }) => !/^[^.]*\.$/.test(words))).toEqual([]);
});

it("docs/security.md says how many histories are kept", () => {
  expect(readFileSync("docs/security.md", "utf8")).toContain(`keeps ${readSeeds().seeds.length} histories`);
});

/** By invariant: how many histories are kept that broke it. */
const kept = Map.groupBy(readSeeds().seeds, ({ oracle }) => oracle);

it("each invariant has found something: in a history that is kept, or when the code was changed to try it", () => {
  const names = ORACLES.map(({ name }) => name);
  const unkept = names.filter((name) => !kept.has(name));
  expect(unkept.toSorted()).toEqual(Object.keys(FOUND).toSorted());
});

const foundBy = (name: string) => FOUND[name] ?? `histories: ${kept.get(name)?.length}`;

const row = (...cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const nameOf = (path: string) => basename(path).replace(/(\.\w+)*\.ts$/, "");

it("docs/promises-tests.md is the table of today", async () => {
  const table = promised.map(({ number, name }) => {
    const links = (TESTS[name] ?? []).map((path) => `[${nameOf(path)}](../test/${path})`);
    const names = ORACLES.filter(({ promise }) => promise === name).map((oracle) => `\`${oracle.name}\``);
    return row(`${number}. ${name}`, links.join(", "), names.join(", ") || "none");
  });
  const page = [
    "# The promises and their tests",
    `Made of [test/project/promises.ts](../test/project/promises.ts) by \`npx vitest run -u --project node test/project/promises\`.
The promises are in [promises.md](promises.md). An invariant is looked for in every history that [the simulation](development.md) plays.`,
    [row("promise", "tests", "invariants"), row("---", "---", "---"), ...table].join("\n"),
    "## What each invariant says",
    "What it found: histories of the code as it was, which the tests play again; or a change of the code that was made to see whether it finds it.",
    [
      row("invariant", "what it says", "what it found"),
      row("---", "---", "---"),
      ...ORACLES.map(({ name, words }) => row(`\`${name}\``, words.replaceAll("|", "\\|"), foundBy(name))),
    ].join("\n"),
  ];
  await expect(`${page.join("\n\n")}\n`).toMatchFileSnapshot("../../docs/promises-tests.md");
});
