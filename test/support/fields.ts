/** Values for the fields of a body, made of its schema; and a resource that is sent back as it was read. */

import { expect } from "vitest";
import * as z from "zod/mini";
import type { OperationCase } from "./operations.ts";

type Schema = z.core.JSONSchema.BaseSchema;
export type Fields = Readonly<Record<string, Schema>>;
/** A resource is created with the values of the first; another with those of the second, and changed to those of the third. */
export type Round = 0 | 1 | 2;
export type Resource = Readonly<Record<string, unknown>>;

/** The fields of the resource in an operation's body. `minor` and `notify` are about the change, and the resource does not have them. */
export function fieldsOf({ operation }: OperationCase): Fields {
  if (operation.body === undefined) throw new Error("no body");
  const { properties = {} } = z.toJSONSchema(operation.body, { io: "input", unrepresentable: "any" });
  const { minor: _, notify: __, ...fields } = properties as Fields;
  return fields;
}

/** A valid value, another for each round; in the first two not the default. A new kind of field may need a line here. */
function exampleOf(name: string, schema: Schema, round: Round): unknown {
  if (schema.anyOf !== undefined) {
    const [value] = schema.anyOf.filter((each) => typeof each === "object" && each.type !== "null");
    return exampleOf(name, value as Schema, round);
  }
  if (schema.enum !== undefined) {
    const values = schema.enum.filter((value) => value !== schema.default);
    return values.at(-1 - round) ?? schema.default;
  }
  switch (schema.type) {
    case "boolean":
      return (round === 2) === (schema.default ?? false);
    case "integer":
      return (schema.minimum ?? 0) + 1 + round;
    case "array":
      return [exampleOf(name, schema.items as Schema, round)];
    case "object":
      return schema.properties === undefined || Object.keys(schema.properties).length === 0
        ? { [name]: `${name} ${round}` }
        : examplesOf(schema.properties as Fields, round);
    default:
      if (/^url$|Url$/.test(name)) return `https://${round}.example.com/`;
      if (name === "email") return `robin-${round}@example.com`;
      if (name === "allowedAddresses") return `203.0.113.${round}`;
      if (schema.format !== "date-time") return `${name} ${round}`;
      return `${name === "createdAt" ? "2020" : "2030"}-01-0${round + 1}T00:00:00.000Z`;
  }
}

/** A value for each field. */
export const examplesOf = (fields: Fields, round: Round): Resource =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, exampleOf(name, schema, round)]));

/** What an answer may say about a field that is sent back with its resource. */
const FIXED = [
  "is read-only. Leave it out",
  "can only be set on creation. Leave it out",
  "is in the path. Leave it out",
];

/**
 * All of a resource is sent as it was read, with one change. The refusal names each field that the change does not take, and says why; without
 * those it is done. `write` sends it by an operation with these `fields`. Returns the answer.
 */
export async function sendBack(
  resource: Resource,
  { fields, write }: { readonly fields: Fields; readonly write: (body: object) => Promise<Response> },
): Promise<Resource> {
  const refused = await write(resource);
  const { errors } = await refused.json<{ errors: { path: string; message: string }[] }>();
  const named = errors.map(({ path }) => path);
  expect([refused.status, named]).toEqual([
    400,
    expect.arrayContaining(Object.keys(resource).filter((name) => !(name in fields))),
  ]);
  for (const { path, message } of errors) expect(FIXED, path).toContain(message);
  const without = (value: unknown, at: string): unknown =>
    typeof value !== "object" || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(
          Object.entries(value)
            .filter(([name]) => !named.includes(at + name))
            .map(([name, each]) => [name, without(each, `${at}${name}.`)]),
        );
  const done = await write(without(resource, "") as Resource);
  const answer = await done.json<Resource>();
  expect([done.status, answer]).toEqual([200, answer]);
  return answer;
}

/** Fields that depend on one another: test/worker/tenant/surveys.test.ts. */
const TOGETHER: Readonly<Record<string, readonly string[]>> = {
  "/tenant/surveys/{surveyId}": ["ideaBankId", "audience", "questions", "url", "status", "anonymous"],
};
export const dependsOnOthers = (path: string, name: string): boolean => TOGETHER[path]?.includes(name) ?? false;
