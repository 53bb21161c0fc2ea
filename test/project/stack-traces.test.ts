/** A failing test names its own line, although workerd runs compiled code. */
import { expect, it } from "vitest";
import source from "./stack-traces.test.ts?raw";

// Compiling leaves nothing of this type: the lines below it move up.
type Place = {
  readonly line: number;
  readonly column: number;
};

it("a stack trace names the line and the column of the source", () => {
  const { stack } = new Error("here");
  const lines = source.split("\n");
  const line = lines.findIndex((text) => text.includes('new Error("here")')) + 1;
  const place: Place = { line, column: (lines[line - 1]?.indexOf("new Error") ?? 0) + 1 };
  expect(stack).toContain(`test/project/stack-traces.test.ts:${place.line}:${place.column}`);
});
