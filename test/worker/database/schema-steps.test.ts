/** The steps in migrations/: they make what schema.sql says. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { normalizeSql, SCHEMA_OBJECTS, type SchemaObject } from "../../../src/worker/database/schema.ts";

const files = import.meta.glob<string>("../../../migrations/*.sql", { query: "?raw", import: "default", eager: true });
const steps = Object.entries(files).toSorted(([left], [right]) => (left < right ? -1 : 1));

const schema = async () => {
  const { results } = await env.DB.prepare(SCHEMA_OBJECTS).all<SchemaObject>();
  return results.map(({ type, name, sql }) => `${type} ${name}: ${normalizeSql(sql)}`).toSorted();
};

describe("the files", () => {
  it("are numbered from 0001 without a gap", () => {
    const numbers = steps.map(([path]) => path.replace("../../../migrations/", "").slice(0, 5));
    expect(numbers).toEqual(steps.map((_, index) => `${String(index + 1).padStart(4, "0")}_`));
  });

  // D1 splits a file at semicolons on its side, and has failed on these forms: workers-sdk issues 4727, 10998, 14991.
  it.each(steps)("%s has no form that D1 has split wrongly", (_, sql) => {
    expect(sql).not.toContain("\r");
    const code = normalizeSql(sql);
    expect(code).not.toMatch(/\bCASE\b/i);
    expect(code.replaceAll(/\b(BEGIN|END)\b/g, "")).not.toMatch(/\b(begin|end)\b/i);
    expect(code).not.toMatch(/\b(BEGIN TRANSACTION|COMMIT|SAVEPOINT|PRAGMA)\b/i);
  });
});

it("the steps make the schema that schema.sql says", { tags: "slow" }, async () => {
  const whole = await schema();
  await reset();
  expect(await schema()).toEqual([]);
  for (const [, sql] of steps) await env.DB.prepare(sql).run();
  const made = await schema();
  const mend = "write a step in migrations/ that makes the same change as schema.sql (docs/schema.md)";
  expect({ inSchemaAlone: whole.filter((each) => !made.includes(each)) }, mend).toEqual({ inSchemaAlone: [] });
  expect({ inStepsAlone: made.filter((each) => !whole.includes(each)) }, mend).toEqual({ inStepsAlone: [] });
  expect(whole.length).toBeGreaterThan(50);
});
