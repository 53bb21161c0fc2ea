/** Every rule of every body and query says itself: generated values are tried at each field of each schema. */
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { OPERATIONS } from "../../../src/commands/openapi/operations.ts";
import { parseOrThrow } from "../../../src/worker/http/invalid-request.ts";
import { Problem, problemDocument } from "../../../src/worker/problem.ts";
import { bodyOf } from "../../support/operations.ts";

type JsonSchema = {
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  additionalProperties?: JsonSchema | boolean;
};
type Path = readonly (string | number)[];

/** The paths of all fields, at any depth. */
function pathsOf({ properties = {}, items, anyOf = [], additionalProperties }: JsonSchema, path: Path = []): Path[] {
  const named = Object.entries({
    ...properties,
    ...(typeof additionalProperties === "object" && { anyName: additionalProperties }),
  });
  return [
    path,
    ...named.flatMap(([name, schema]) => pathsOf(schema, [...path, name])),
    ...(items ? pathsOf(items, [...path, 0]) : []),
    ...anyOf.flatMap((schema) => pathsOf(schema, path).slice(1)),
  ];
}

/** The same value with another at the path. */
function replaced(value: unknown, [first, ...rest]: Path, by: unknown): unknown {
  if (first === undefined) return by;
  if (typeof first === "number") return [replaced(undefined, rest, by)];
  const fields = { ...(typeof value === "object" ? value : {}) } as Record<string, unknown>;
  return { ...fields, [first]: replaced(fields[first], rest, by) };
}

const TRIED = [
  ...[undefined, null, true, 0, 1, -1, 1.5, 1e300, Number.NaN, Number.POSITIVE_INFINITY],
  ...[
    "",
    " ",
    "x",
    "x".repeat(70_000),
    "\u0000",
    "\u2028",
    "\ud800",
    "\u0301",
    "9".repeat(400),
    "..",
    "2026-02-30T00:00:00Z",
  ],
  ...[[], [null], [[]], ["x"], ["x", "x"], Array.from({ length: 2_000 }, (_, index) => `t${index}`)],
  ...[{}, { x: 1 }, { x: "y".repeat(5_000) }, { "\u0000": "" }],
];

const inputs = OPERATIONS.flatMap(({ name, ...operation }) => [
  ...(operation.body ? [{ name: `the body of ${name}`, schema: operation.body, valid: bodyOf(operation) }] : []),
  ...(operation.query ? [{ name: `the query of ${name}`, schema: operation.query, valid: {} }] : []),
]);

function problemOf(schema: z.ZodMiniType, value: unknown): Problem | undefined {
  try {
    parseOrThrow(schema, value);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** The value is of another type, so no other rule is broken besides. */
const OF_TYPE = /^must be (?:a list|a string|a number|an object|true or false)/;

const Document = z.object({
  detail: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })),
});

describe.each(inputs)("$name", ({ schema, valid }) => {
  it("names the rule that a value breaks, and its `detail` repeats the first with its path", () => {
    const paths = pathsOf(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema);
    let refused = 0;
    for (const path of paths)
      for (const tried of TRIED) {
        const problem = problemOf(schema, replaced(valid, path, tried));
        if (problem === undefined) continue;
        refused += 1;
        const { detail, errors } = z.parse(Document, problemDocument(problem));
        for (const { message } of errors) {
          expect(message, path.join(".")).toMatch(/^(must|is) \S/);
          expect(message, path.join(".")).not.toMatch(/invalid|input|expected|received|undefined|NaN|\[object/i);
        }
        const faults = errors.filter((each) => each.path === path.join("."));
        if (faults.some(({ message }) => OF_TYPE.test(message))) expect(faults, path.join(".")).toHaveLength(1);
        expect(new Set(errors.map((each) => each.path + each.message)).size, path.join(".")).toBe(errors.length);
        expect(detail).toContain(errors[0]?.message);
        expect(detail).toContain(errors[0]?.path.slice(0, 100));
      }
    expect(refused).toBeGreaterThan(paths.length);
  });
});

it("a detail is short, whatever is sent", () => {
  const schema = z.strictObject({});
  const fields = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`${index}`.padEnd(20, "x"), 1]));
  for (const value of [fields, { ["x".repeat(60_000)]: 1 }])
    expect(problemOf(schema, value)?.message.length).toBeLessThan(300);
});
