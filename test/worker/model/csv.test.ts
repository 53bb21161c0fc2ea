/** Cells of a CSV file: no spreadsheet takes one for a formula, and our own import has the text as it was. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { disarmed, textOfCell, toCsvLine } from "../../../src/worker/model/csv.ts";

it.each([
  ["=1+1", "'=1+1"],
  ["＝1+1", "'＝1+1"],
  ["＋1", "'＋1"],
  ["－1", "'－1"],
  ["＠SUM", "'＠SUM"],
  ["'=1", "''=1"],
  // A spreadsheet that separates by `;` or tabs begins another cell there, and another row after a line break.
  ["x;=cmd|' /C calc'!A0;y", "x;'=cmd|' /C calc'!A0;y"],
  ["x\t-1+1", "x\t'-1+1"],
  ["x;@SUM(A1)", "x;'@SUM(A1)"],
  ["x\n=1+1", "x\n'=1+1"],
  ["x\n-1+1", "x\n'-1+1"],
  ["x;'=1", "x;''=1"],
  // Plain texts and numbers stay as they are.
  ["-5", "-5"],
  ["a; b = c", "a; b = c"],
  ["Pros:\n- fast\n+ cheap", "Pros:\n- fast\n+ cheap"],
])("%j is %j", (text, cell) => {
  expect(disarmed(text)).toBe(cell);
});

it("in is what was out", () => {
  const part = fc.constantFrom("=", "+", "-", "@", "＝", "＠", "'", ";", "\t", "\n", "\r", " ", "1", "x", ",", '"');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = parts.join("");
      expect(textOfCell(disarmed(text))).toBe(text);
    }),
    { numRuns: 2_000 },
  );
});

it("a line has quotes only where it needs them", () => {
  expect(toCsvLine(["a;=1", 'say "hi"', -5])).toBe('a;\'=1,"say ""hi""",-5\r\n');
});
