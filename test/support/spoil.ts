/** Breaks the rules of a JSON schema one at a time, to test that a check refuses each. */
import type { Schema } from "@cfworker/json-schema";
import document from "../../public/openapi.json";
import { faultsOf } from "./document-check.ts";

/** A value that is valid but for one rule. */
export type Spoiled = { readonly rule: string; readonly value: unknown };

const named = document.components.schemas as Record<string, Schema>;

/** The valid value, broken in one place: once for each rule of its schema, below it too. */
export function spoil({ anyOf = [], ...schema }: Schema, valid: unknown): Spoiled[] {
  const option = anyOf.find((candidate) => faultsOf(candidate, valid).length === 0);
  if (option !== undefined) return spoil({ ...schema, ...option }, valid);
  if (schema.$ref) return spoil(named[schema.$ref.replace("#/components/schemas/", "")] ?? {}, valid);
  if (typeof valid === "string") return spoilString(schema, valid);
  if (typeof valid === "number") return spoilNumber(schema, valid);
  if (Array.isArray(valid)) return spoilArray(schema, valid);
  if (typeof valid === "object" && valid !== null) return spoilObject(schema, valid);
  return [{ rule: "type", value: [] }];
}

const NO_FORMAT: Record<string, string> = { "date-time": "2026-13-40T25:61:61.000Z", uri: "not a <URI>" };

function spoilString({ minLength, maxLength, ...schema }: Schema, valid: string): Spoiled[] {
  const found = [{ rule: "type", value: 1 as unknown }];
  if (schema.enum) found.push({ rule: "enum", value: `${valid}?` });
  if (schema.pattern) found.push({ rule: "pattern", value: `${valid}?` });
  if (schema.format) found.push({ rule: "format", value: NO_FORMAT[schema.format] });
  if (minLength) found.push({ rule: "minLength", value: "x".repeat(minLength - 1) });
  if (maxLength) found.push({ rule: "maxLength", value: "x".repeat(maxLength + 1) });
  return found;
}

function spoilNumber({ type, minimum, maximum }: Schema, valid: number): Spoiled[] {
  const found = [{ rule: "type", value: String(valid) as unknown }];
  if (type === "integer") found.push({ rule: "type", value: valid + 0.5 });
  if (minimum !== undefined) found.push({ rule: "minimum", value: minimum - 1 });
  if (maximum !== undefined) found.push({ rule: "maximum", value: maximum + 1 });
  return found;
}

function spoilArray({ items, minItems, maxItems }: Schema, valid: unknown[]): Spoiled[] {
  // An example may be empty.
  const [first = "x"] = valid;
  const found = [{ rule: "type", value: {} as unknown }];
  if (minItems) found.push({ rule: "minItems", value: valid.slice(0, minItems - 1) });
  if (maxItems) found.push({ rule: "maxItems", value: Array(maxItems + 1).fill(first) });
  if (valid.length === 0 || typeof items !== "object" || Array.isArray(items)) return found;
  return [...found, ...spoil(items, first).map(({ rule, value }) => ({ rule: `[0] ${rule}`, value: [value] }))];
}

const schemaOf = (schema: Schema | boolean | undefined): Schema => (typeof schema === "object" ? schema : {});

/** Names that every JavaScript object has are unknown properties too. */
const UNKNOWN = ["surprise", "constructor", "toString"];

function spoilObject({ required = [], properties = {}, additionalProperties }: Schema, valid: object): Spoiled[] {
  const fields = Object.entries(valid);
  return [
    { rule: "type", value: [] },
    // A schema that says what others may be is open on purpose.
    ...(typeof additionalProperties === "object" ? [] : UNKNOWN).map((name) => ({
      rule: `${name} additionalProperties`,
      value: { ...valid, [name]: 1 },
    })),
    ...required.map((name) => ({
      rule: `${name} required`,
      value: Object.fromEntries(fields.filter(([other]) => other !== name)),
    })),
    ...fields.flatMap(([name, field]) =>
      spoil(schemaOf(properties[name]), field).map(({ rule, value }) => ({
        rule: `${name} ${rule}`,
        value: { ...valid, [name]: value },
      })),
    ),
  ];
}
