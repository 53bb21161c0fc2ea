/** The schemas of the document: the bodies and answers of its operations and their parts, by name, with references to each other. */
import * as z from "zod/mini";
import { CURSOR, SEALED_CURSOR } from "../../worker/credentials/cursor.ts";
import type { Operation } from "../../worker/http/operation.ts";
import { describedSchemas, descriptionOf, type SchemaDescription } from "../../worker/model/describe.ts";
import { SEVERAL } from "../../worker/model/text.ts";

export type JsonSchema = { [key: string]: unknown; properties?: Record<string, JsonSchema> };

const described = (schema: z.core.$ZodType): SchemaDescription => {
  const description = descriptionOf(schema);
  if (description === undefined) {
    const { properties = {} } = z.toJSONSchema(schema, { unrepresentable: "any" });
    throw new Error(
      `the schema of {${Object.keys(properties).join(", ")}} has no description: call describe around it`,
    );
  }
  return description;
};

export const schemaNameOf = (schema: z.core.$ZodType): string => described(schema).name;
export const pageNameOf = (item: z.core.$ZodType): string => `${schemaNameOf(item)}Page`;

/** The example of a schema, or of the schema of a name. */
export const exampleOf = (schema: z.core.$ZodType | string): unknown =>
  typeof schema === "string"
    ? [...describedSchemas().values()].find(({ name }) => name === schema)?.example
    : described(schema).example;

/** The schemas of each operation's body, answer and page, of what else is sent, and of their parts. */
export function namedSchemas(
  operations: readonly Operation[],
  sent: readonly z.ZodMiniType[],
): Record<string, JsonSchema> {
  const inputs = operations.flatMap(({ body }) => body ?? []);
  const answers = [...operations.flatMap(({ answer }) => answer ?? []), ...sent];
  const items = operations.flatMap(({ query, answer, sealed }) =>
    query && answer
      ? [{ item: answer, isFeed: !hasCursor(query), pattern: sealed ? SEALED_CURSOR : CURSOR.pattern }]
      : [],
  );
  const [ofInputs, ofAnswers] = [toJsonSchemas(inputs, "input"), toJsonSchemas(answers, "output", items)];
  const both = Object.keys(ofInputs).filter((name) => Object.hasOwn(ofAnswers, name));
  if (both.length > 0)
    throw new Error(`in requests and in answers: ${both.join(", ")}. Their rules differ: make two schemas`);
  return { ...ofInputs, ...ofAnswers };
}

/** A list ends; a feed, which takes `after` instead, continues. */
const hasCursor = (query: Operation["query"]) => queryParameters(query).some(({ name }) => name === "cursor");

type PageOf = { readonly item: z.ZodMiniType; readonly isFeed: boolean; readonly pattern: RegExp };

function toJsonSchemas(
  schemas: readonly z.ZodMiniType[],
  io: "input" | "output",
  items: readonly PageOf[] = [],
): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  // Every named schema can be referenced. Schemas that these operations do not use are left out.
  for (const [schema, { name }] of describedSchemas()) registry.add(schema, { id: name });
  for (const page of items) registry.add(pageOf(page), { id: pageNameOf(page.item) });
  const all = z.toJSONSchema(registry, {
    io,
    uri: (id) => `#/components/schemas/${id}`,
    override: withFieldTexts,
  }).schemas;
  const named: Record<string, JsonSchema> = {};
  const add = (name: string) => {
    const { $schema, $id, ...schema } = all[name] as JsonSchema;
    if (Object.hasOwn(named, name)) return;
    named[name] = io === "output" ? open(schema) : schema;
    for (const [, inner = ""] of JSON.stringify(schema).matchAll(/#\/components\/schemas\/(\w+)/g)) add(inner);
  };
  for (const schema of schemas) add(schemaNameOf(schema));
  for (const { item } of items) add(pageNameOf(item));
  return Object.fromEntries(Object.entries(named).toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

/** The rules for input. An answer may exceed them later, and generated clients check their answers. */
const RULES_OF_INPUT = ["minLength", "maxLength", "minItems", "maxItems", "maxProperties", "uniqueItems", "maximum"];

/** An answer's schema is open: words and members can be added. Those of today are examples. */
function open(schema: JsonSchema): JsonSchema {
  const rest = Object.entries(schema).filter(
    ([name, value]) =>
      !RULES_OF_INPUT.includes(name) && name !== "enum" && !(name === "additionalProperties" && value === false),
  );
  const opened = rest.map(([name, value]) => [name, name === "properties" ? openEach(value) : openBelow(value)]);
  return { ...Object.fromEntries(opened), ...(schema.enum !== undefined && { examples: schema.enum }) };
}

const openBelow = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(openBelow)
    : typeof value === "object" && value !== null
      ? open({ ...value })
      : value;

const openEach = (value: unknown) =>
  Object.fromEntries(Object.entries(value ?? {}).map(([name, schema]) => [name, openBelow(schema)]));

const cursor = (pattern: RegExp, description: string) =>
  z.string().check(z.regex(pattern)).register(z.globalRegistry, { description });

const pageOf = ({ item, isFeed, pattern }: PageOf) =>
  z.object({
    items: z.array(item).register(z.globalRegistry, { description: "The items of this page, in the list's order." }),
    nextCursor: isFeed
      ? cursor(pattern, "Send it as `after` for what comes next. Always there.")
      : z.optional(cursor(pattern, "Send it as `cursor` for the next page. Absent on the last page.")),
  });

/**
 * Adds each property's text. Removes zod's bounds of safe integers, which are not rules of this API, and a list's default, which its
 * text says: generators give it a type (a list of any strings) that its own items do not have.
 */
function withFieldTexts({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (Array.isArray(jsonSchema.default)) delete jsonSchema.default;
  const fields = descriptionOf(zodSchema)?.fields ?? {};
  for (const [name, text] of Object.entries(fields)) {
    const property = jsonSchema.properties?.[name];
    // A copy: several properties can have the same schema.
    if (typeof property === "object" && jsonSchema.properties)
      jsonSchema.properties[name] = { ...property, description: text };
  }
}

/** `limit` is a string of digits in the schema and an integer in the document. */
export function queryParameters(query: z.ZodMiniType | undefined) {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: "input", override: withFieldTexts });
  const examples = new Map(Object.entries(descriptionOf(query)?.example ?? {}));
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    ...(required.includes(name) && { required: true }),
    ...(examples.has(name) && { example: examples.get(name) }),
    description,
    ...(name === "limit"
      ? { schema: { type: "integer", minimum: 1, maximum: 100, default: 20 } }
      : wordsOf(query, name) === undefined
        ? { schema }
        : {
            schema: { type: "array", items: { type: "string", enum: wordsOf(query, name) } },
            style: "form",
            explode: true,
          }),
  }));
}

/** The words of a parameter that may be given several times. */
function wordsOf(query: z.ZodMiniType, name: string): readonly string[] | undefined {
  const field = query instanceof z.ZodMiniObject ? query.shape[name] : undefined;
  return field instanceof z.ZodMiniOptional ? SEVERAL.get(field.def.innerType)?.words : undefined;
}
