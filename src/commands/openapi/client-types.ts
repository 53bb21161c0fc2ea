/**
 * The types of the package `@edge-access-api/client`: `src/client/tenant-types.ts`, with what its methods take and return, and what a
 * webhook delivers.
 */
import type { OpenAPI3 } from "openapi-typescript";
import { type Document, nameOf, type Schema, tenantOperations } from "./client-methods.ts";

/** What a webhook delivers, which no tenant operation names. */
const BESIDES = ["Change"];

/** The schemas that the methods name, and those that they name in turn, without the examples. */
export function clientSchemas(document: Document): Readonly<Record<string, Schema>> {
  const found = new Map<string, Schema>();
  const withoutExamples = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withoutExamples);
    return typeof value === "object" && value !== null ? take(value) : value;
  };
  const take = (schema: object): Schema =>
    Object.fromEntries(
      Object.entries(schema).flatMap(([key, part]) => {
        if (key === "example" || key === "examples") return [];
        if (key === "$ref") add(nameOf({ $ref: String(part) }));
        return [[key, withoutExamples(part)]];
      }),
    );
  const add = (name: string, schema = document.components.schemas[name]) => {
    if (found.has(name) || schema === undefined) return;
    found.set(name, {});
    found.set(name, take(schema));
  };
  const operations = tenantOperations(document);
  for (const { takes } of operations) if (takes) add(takes.name, takes.schema);
  for (const { answer } of operations) if (answer) add(answer);
  for (const name of BESIDES) add(name);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Loads a compiler: it takes a second. Rejects where the packages for development are not installed. */
export async function writeTypes(schemas: Readonly<Record<string, Schema>>): Promise<string> {
  const { default: openapiTS, astToString } = await import("openapi-typescript");
  const types = await openapiTS(
    { openapi: "3.1.0", info: { title: "", version: "" }, paths: {}, components: { schemas } } as OpenAPI3,
    { defaultNonNullable: false, rootTypes: true, rootTypesNoSchemaPrefix: true },
  );
  return astToString(types)
    .replaceAll(/^export (?:type (?:paths|webhooks|\$defs|operations) = .*;|interface \w+ \{\s*\})\n/gm, "")
    .replace(/^ {4}(?:responses|parameters|requestBodies|headers|pathItems): never;\n/gm, "");
}
