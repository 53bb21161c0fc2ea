/** Where a text stops being JSON: V8 is the oracle, which says whether it is JSON, and often where it is not. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { indexOfFault } from "../../../src/worker/http/json-fault.ts";

/** `\u` and four digits; `false`. */
const MOST_OF_A_PART = 6;

function oracle(text: string): { isJson: boolean; at?: number } {
  try {
    JSON.parse(text);
    return { isJson: true };
  } catch (error) {
    const message = String(error);
    const position = /at position (\d+)/.exec(message)?.[1];
    if (message.includes("Unexpected end of JSON input")) return { isJson: false, at: text.length };
    return { isJson: false, ...(position !== undefined && { at: Number(position) }) };
  }
}

it.each([
  ["", 0],
  ["{", 1],
  ['{"a":1,}', 7],
  ["[1,]", 3],
  ["[1,x]", 3],
  ["01", 1],
  ['{"a" 1}', 5],
  ['{"a":}', 5],
  ["{'a':1}", 1],
  ['{"a":"x\ny"}', 7],
  ['["\\x"]', 2],
  ["{} x", 3],
  ["]", 0],
  ["[}", 1],
  ["\u00a01", 0],
  ['{"a":1', 6],
])("%j breaks at %i", (text, at) => expect(indexOfFault(text)).toBe(at));

it("any JSON with a few characters taken out, put in or changed: faulty where V8 says so", () => {
  const character = fc.constantFrom(...'{}[],:"\\ \n\t0123.eE+-truefalsn\u0001xü😀');
  const edits = fc.array(fc.tuple(fc.nat(60), fc.nat(2), character), { maxLength: 3 });
  fc.assert(
    fc.property(fc.json({ maxDepth: 3 }), edits, (json, changes) => {
      const text = changes.reduce((now, [at, taken, put]) => now.slice(0, at) + put + now.slice(at + taken), json);
      const { isJson, at } = oracle(text);
      const found = indexOfFault(text);
      expect([text, found === undefined]).toEqual([text, isJson]);
      if (found === undefined || at === undefined) return;
      // V8 names a character within a number, a word or an escape that breaks; we name where its broken part begins.
      expect([text, at - found >= 0 && at - found <= MOST_OF_A_PART]).toEqual([text, true]);
    }),
    { numRuns: 1_000 },
  );
});

it("a text of a megabyte, and one that is nested 30,000 deep", () => {
  expect(indexOfFault(`["${"x".repeat(1_000_000)}`)).toBe(1_000_002);
  expect(indexOfFault("[".repeat(30_000))).toBe(30_000);
  expect(indexOfFault("[".repeat(30_000) + "]".repeat(30_000))).toBeUndefined();
});
