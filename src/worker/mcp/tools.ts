/** A tool for each operation of the tenant API, generated from its definition: the text that an agent reads. */
import type * as z from "zod/mini";
import { type Effect, isIdempotent, takesIdempotencyKey } from "../http/operation.ts";
import { descriptionOf } from "../model/describe.ts";
import type { Scope } from "../model/scope.ts";
import type { TenantOperation } from "../tenant/operation.ts";
import { TENANT_OPERATIONS } from "../tenant/routes.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** The arguments that are no input of the operation itself. */
export const IDEMPOTENCY_KEY = "idempotencyKey";
export const WHOLE_TEXTS = "wholeTexts";
/** A longer text is cut in a list. */
export const SHOWN_CHARACTERS = 500;

/** `fields` are those of the body that an agent may send; undefined for all. */
export type Tool = TenantOperation & { readonly fields?: readonly string[] };

/** An operation whose answer has a secret is no tool, because a transcript is read by others; nor is one that answers with a file. */
const TOOLS = new Map<string, Tool>(
  Object.entries<TenantOperation>(TENANT_OPERATIONS).flatMap(([name, operation]) => {
    const { forAgents = {} } = operation;
    return forAgents === "never" ? [] : [[name, { ...operation, ...forAgents }]];
  }),
);

/** Undefined where there is none. */
export const toolOf = (name: unknown): Tool | undefined => (typeof name === "string" ? TOOLS.get(name) : undefined);

/** The tools that a key with these scopes may use, always in the same order. */
export const toolsFor = (scopes: readonly Scope[]): readonly object[] =>
  [...TOOLS]
    .filter(([, { credential }]) => credential.kind === "apiKey" && isAllowed(credential.scope, scopes))
    .map(([name, tool]) => describeTool(name, tool));

const isAllowed = (scope: Scope | null, scopes: readonly Scope[]) => scope === null || scopes.includes(scope);

/** The protocol calls everything destructive that does more than add. */
const DESTRUCTIVE: readonly Effect[] = ["overwrites", "ends"];

function describeTool(name: string, tool: Tool) {
  const { summary, description, effect } = tool;
  return {
    name,
    title: summary,
    description: description ? `${summary}. ${description}` : summary,
    inputSchema: inputSchemaOf(tool),
    annotations: {
      readOnlyHint: effect === "reads",
      destructiveHint: DESTRUCTIVE.includes(effect),
      idempotentHint: isIdempotent(tool),
      openWorldHint: false,
    },
  };
}

export const parametersOf = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

/** The parameters of the path, and the fields of the query or of the body, side by side: no operation has a name twice. */
function inputSchemaOf(tool: Tool): JsonSchema {
  const schema = tool.body ?? tool.query ?? tool.options;
  const { properties = {}, required = [] } = schema ? toObjectSchema(schema) : {};
  const { fields = Object.keys(properties) } = tool;
  const parameters = parametersOf(tool.path);
  return {
    type: "object",
    properties: {
      ...Object.fromEntries(parameters.map((name) => [name, { type: "string" }])),
      ...Object.fromEntries(fields.map((name) => [name, properties[name]])),
      ...(tool.query && {
        [WHOLE_TEXTS]: {
          type: "boolean",
          description: `Without \`true\` a text is cut after ${SHOWN_CHARACTERS} characters, and its length follows. Send a small \`limit\` with it.`,
        },
      }),
      ...(takesIdempotencyKey(tool) && {
        [IDEMPOTENCY_KEY]: { type: "string", description: "Makes the call safe to repeat for 24 hours." },
      }),
    },
    required: [...parameters, ...required],
    additionalProperties: false,
  };
}

type ObjectSchema = { readonly properties?: JsonSchema; readonly required?: readonly string[] };

/** Only the types and descriptions: the descriptions state the bounds, and the operation checks them. */
function toJsonSchema(schema: z.core.$ZodType): JsonSchema {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "object":
      return toObjectSchema(schema);
    case "optional":
    case "default":
      return toJsonSchema(def.innerType);
    // Clients refuse a list of types.
    case "nullable":
      return { anyOf: [toJsonSchema(def.innerType), { type: "null" }] };
    // The text of a query becomes what is on the other side: a number, or a list.
    case "pipe":
      return toJsonSchema(def.out);
    case "array":
      return { type: "array", items: toJsonSchema(def.element) };
    case "enum":
      return { type: "string", enum: Object.values(def.entries) };
    // Of what is not a text, clients know no `enum`.
    case "literal": {
      const [value] = def.values;
      return typeof value === "string" ? { type: "string", enum: [value] } : { type: typeof value };
    }
    case "union":
      return { anyOf: def.options.map(toJsonSchema) };
    case "number":
      return { type: "integer" };
    default:
      return { type: def.type };
  }
}

function toObjectSchema(schema: z.core.$ZodType): JsonSchema & ObjectSchema {
  const { def } = (schema as z.core.$ZodObject)._zod;
  const texts: Readonly<Record<string, string>> = descriptionOf(schema)?.fields ?? {};
  const fields = Object.entries<z.core.$ZodType>(def.shape);
  return {
    type: "object",
    properties: Object.fromEntries(
      fields.map(([name, field]) => [name, { ...toJsonSchema(field), description: texts[name] }]),
    ),
    required: fields.filter(([, { _zod }]) => _zod.optin === undefined).map(([name]) => name),
    additionalProperties: def.catchall?._zod.def.type === "never" ? false : def.catchall && toJsonSchema(def.catchall),
  };
}
