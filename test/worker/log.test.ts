/** An error as the log shows it: everything that explains it, and nothing that is secret or about a person. */
import { expect, it } from "vitest";
import { textOfError } from "../../src/worker/log.ts";

const lines = (error: unknown) =>
  textOfError(error)
    .split("\n")
    .filter((line) => !line.startsWith("    at "));

it("an error is its message, its place, and what caused it, inside an AggregateError too", () => {
  const cause = new TypeError("no such table", { cause: "a text" });
  const error = new AggregateError([new Error("first", { cause }), "second"], "failed in part");
  expect(lines(error)).toEqual([
    "AggregateError: failed in part",
    "one of its errors: Error: first",
    "caused by: TypeError: no such table",
    "caused by: a text",
    "one of its errors: second",
  ]);
  expect(textOfError(error)).toMatch(/^AggregateError: failed in part\n {4}at .*log\.test\.ts/);
});

it("an error that causes itself, and one with many errors in it, have an end", () => {
  const circle = new Error("circle");
  circle.cause = circle;
  expect(lines(circle)).toHaveLength(6);
  const many = new AggregateError(
    Array.from({ length: 1_000 }, () => new Error("x".repeat(1_000))),
    "many",
  );
  expect(textOfError(many).length).toBeLessThanOrEqual(8_000);
});

it.each([null, undefined, 7, "text", Symbol("symbol"), Object.create(null), { password: "hunter2" }])(
  "what is thrown may be anything: %s",
  (thrown) => {
    expect(textOfError(thrown)).toBeTypeOf("string");
    expect(textOfError(thrown)).not.toContain("hunter2");
  },
);

const base62 = (digits: number) => "a1B2".repeat(digits / 4);

it.each([
  ["an API key", `no such key: ibk_${base62(48)}`, "no such key: ibk_…"],
  ["a token", `refused ibt_${base62(52)}.`, "refused ibt_…."],
  ["a webhook's secret", "with whsec_c2VjcmV0/c2Vj+cmV0=", "with whsec_…"],
  ["a signed token", "bad eyJhbGciOi.eyJzdWIi.c2ln", "bad eyJ…"],
  ["an e-mail address", "550 <robin.o'hara@mail.example.com> unknown", "550 <…@…> unknown"],
  ["an e-mail address in quotes", `550 'robin@mail.example'kim@mail.example'`, `550 …@……@…'`],
  ["an address of a machine", "refused by 203.0.113.7:443", "refused by (an address):443"],
  ["another address of a machine", "refused by 2001:db8::7", "refused by (an address)"],
  [
    "a text that is not JSON",
    `Unexpected token 'R', ..."name": Robin"... is not valid JSON`,
    `Unexpected token 'R', ..."…" is not valid JSON`,
  ],
  [
    "a text of two lines that is not JSON",
    `Unexpected token 'R', "Robin\n1" is not valid JSON`,
    `Unexpected token 'R', "…" is not valid JSON`,
  ],
])("%s is left out", (_, message, expected) => {
  expect(lines(new Error("outer", { cause: new Error(message) }))[1]).toBe(`caused by: Error: ${expected}`);
  expect(textOfError(message)).toBe(expected);
});

it("a line of a message that looks like a place in the code is none", () => {
  const error = new Error("refused\n    at robin@mail.example");
  expect(textOfError(error)).not.toContain("robin");
  expect(textOfError(error)).toMatch(/^Error: refused\n {4}at …@…\n {4}at .*log\.test\.ts/);
});

it("of a long message nothing is shown that its end would have hidden", () => {
  for (const secret of [
    `ibk_${base62(48)}`,
    "robin.of.a.long.name@mail.example",
    `eyJ${base62(40)}.${base62(40)}.${base62(40)}`,
  ])
    for (let at = 7_900; at < 8_200; at += 7) {
      const shown = textOfError(`${"word ".repeat(1_700).slice(0, at)} ${secret} ${"word ".repeat(100)}`);
      expect(shown).not.toMatch(/a1B2a1B2a1B2a1B2\.|ibk_a1|robin/);
    }
});
