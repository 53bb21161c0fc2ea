/**
 * Why an operation does not take a field that its resource has: for somebody who reads a resource, changes it and sends all of it back. What
 * is sent is not compared with what is stored: a vote in between would be a difference, so the same code would work in a test and
 * fail on a busy board.
 */
import * as z from "zod/mini";
import type { Operation, Operations } from "./operation.ts";

type Path = readonly PropertyKey[];

/** The operation that creates what this one changes. */
export const creationOf = ({ method, path }: Operation, operations: Operations): Operation | undefined =>
  method === "PATCH"
    ? Object.values(operations).find((each) => each.method === "POST" && each.path === path.replace(/\/[^/]*$/, ""))
    : undefined;

/** What is wrong with a field that the operation's body does not have, as part of a sentence. Undefined for one that nobody knows. */
export function fixedField({ path, answer, creation, ...operation }: Operation, field: Path): string | undefined {
  if (!writesResource(operation)) return undefined;
  if (field.length === 1 && path.includes(`{${String(field[0])}}`)) return "is in the path. Leave it out";
  if (hasField(creation?.body, field)) return "can only be set on creation. Leave it out";
  return hasField(answer, field) ? "is read-only. Leave it out" : undefined;
}

/** Whether the body has fields of what the operation answers with, and not only says what to do with it. */
const writesResource = ({ method, creates, effect }: Pick<Operation, "method" | "creates" | "effect">): boolean =>
  method === "PATCH" || creates === true || (method === "POST" && effect === "adds");

function hasField(schema: z.core.$ZodType | undefined, [name, ...rest]: Path): boolean {
  if (name === undefined) return schema !== undefined;
  if (schema instanceof z.ZodMiniObject)
    return Object.hasOwn(schema.shape, name) && hasField(schema.shape[String(name)], rest);
  if (schema instanceof z.ZodMiniArray) return typeof name === "number" && hasField(schema.def.element, rest);
  const isWrapped =
    schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable || schema instanceof z.ZodMiniDefault;
  return isWrapped && hasField(schema.def.innerType, [name, ...rest]);
}
