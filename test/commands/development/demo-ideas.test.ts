/** `demo.json` is edited by hand: what does not fit together in it is found before a database holds it. */
import { expect, it } from "vitest";
import { readDemo } from "../../../src/commands/development/demo-ideas.ts";

const demo = readDemo();
const [idea] = demo.ideas;

it("the demo is read as it is", () => {
  expect(demo.ideas.length).toBeGreaterThan(40);
  expect(demo.names).toContain("Robin");
});

it.each([
  ["an idea of nobody", { author: "Nobody" }, "is by Nobody"],
  ["a comment of nobody", { comments: [{ by: "Nobody", text: "Hello" }] }, "is by Nobody"],
  ["a merge into nothing", { mergedInto: "Nothing" }, 'into "Nothing"'],
  ["an unknown status", { status: "someday" }, "must be one of"],
  ["more votes than panelists", { votes: 1_000 }, "must be an integer from 0 to 263"],
  ["an unknown field", { stars: 5 }, "stars"],
])("%s is refused", (_, change, words) => {
  expect(() => readDemo({ ...demo, ideas: [{ ...idea, ...change }] })).toThrow(words);
});

it("a title that two ideas have is refused", () => {
  expect(() => readDemo({ ...demo, ideas: [idea, idea] })).toThrow("a title twice");
});
