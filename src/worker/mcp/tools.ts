/** A tool for each operation of the tenant API, made of its definition: what an agent reads, and the request that a call becomes. */
import type * as z from "zod/mini";
import { invalid } from "../http/invalid-request.ts";
import { takesIdempotencyKey } from "../http/operation.ts";
import { JSON_TYPE } from "../http/read-body.ts";
import { descriptionOf } from "../model/describe.ts";
import type { Scope } from "../model/scope.ts";
import type { TenantOperation } from "../tenant/operation.ts";
import { TENANT_OPERATIONS } from "../tenant/routes.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

const IDEMPOTENCY_KEY = "idempotencyKey";
const OPERATIONS: Readonly<Record<string, TenantOperation>> = TENANT_OPERATIONS;

/** The operation of a tool; undefined where there is none. */
export const operationOf = (name: unknown): TenantOperation | undefined =>
  typeof name === "string" && Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;

/** Those that a key with these scopes may use, always in the same order. */
export const toolsFor = (scopes: readonly Scope[]): readonly object[] =>
  Object.entries(OPERATIONS)
    .filter(([, { credential }]) => credential.kind === "apiKey" && isAllowed(credential.scope, scopes))
    .map(([name, operation]) => toTool(name, operation));

const isAllowed = (scope: Scope | null, scopes: readonly Scope[]) => scope === null || scopes.includes(scope);

function toTool(name: string, operation: TenantOperation) {
  const { method, summary, description, idempotent = method !== "POST" } = operation;
  return {
    name,
    title: summary,
    description: description ? `${summary}. ${description}` : summary,
    inputSchema: inputSchemaOf(operation),
    annotations: {
      readOnlyHint: method === "GET",
      destructiveHint: method === "DELETE",
      idempotentHint: idempotent,
      openWorldHint: false,
    },
  };
}

const parametersOf = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

const queryOf = ({ query, options }: TenantOperation): z.ZodMiniType | undefined => query ?? options;

/** The parameters of the path, and the fields of the query or of the body, side by side: no operation has a name twice. */
function inputSchemaOf(operation: TenantOperation): JsonSchema {
  const schema = operation.body ?? queryOf(operation);
  const { properties = {}, required = [] } = schema ? toObjectSchema(schema) : {};
  const parameters = parametersOf(operation.path);
  return {
    type: "object",
    properties: {
      ...Object.fromEntries(parameters.map((name) => [name, { type: "string" }])),
      ...properties,
      ...(takesIdempotencyKey(operation) && {
        [IDEMPOTENCY_KEY]: { type: "string", description: "Makes the call safe to repeat for 24 hours." },
      }),
    },
    required: [...parameters, ...required],
    additionalProperties: false,
  };
}

type ObjectSchema = { readonly properties?: JsonSchema; readonly required?: readonly string[] };

/** The kinds and words alone: the texts have the bounds, and the operation checks them. */
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
    case "literal":
      return { type: typeof def.values[0] };
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

/**
 * The request that a call of a tool becomes. What is no parameter of the path is the query or the body, whose rules the operation
 * checks. Throws `invalid-request`. `headers` are those of the caller.
 */
export function toRequest(
  { method, path, body }: TenantOperation,
  {
    given: { [IDEMPOTENCY_KEY]: idempotencyKey, ...given },
    origin,
    headers,
  }: { readonly given: Readonly<Record<string, unknown>>; readonly origin: string; readonly headers: Headers },
): Request {
  const parameters = parametersOf(path);
  const url = new URL(
    path.replace(/\{(\w+)\}/g, (_, name: string) => toSegment(name, given[name])),
    origin,
  );
  const rest = Object.entries(given).filter(([name]) => !parameters.includes(name));
  if (idempotencyKey !== undefined) headers.set("Idempotency-Key", toHeader(idempotencyKey));
  if (body !== undefined) {
    headers.set("Content-Type", JSON_TYPE);
    return new Request(url, { method, headers, body: JSON.stringify(Object.fromEntries(rest)) });
  }
  // Not those of the URL: each change of them writes the whole URL anew.
  const query = new URLSearchParams();
  for (const [name, value] of rest)
    for (const each of [value].flat())
      if (each !== null) query.append(name, typeof each === "string" ? each : JSON.stringify(each));
  url.search = query.toString();
  return new Request(url, { method, headers });
}

/** One part of a path, whatever is in it. A URL cannot hold an empty one, and takes dots for the way up. */
function toSegment(name: string, value: unknown): string {
  if (typeof value !== "string" || /^\.{0,2}$/.test(value))
    throw invalid([{ path: name, message: "must be a string, not empty and not of dots alone" }]);
  return encodeURIComponent(value.toWellFormed());
}

/** A value that no header can hold becomes an empty one, which is refused. */
const toHeader = (value: unknown): string => (typeof value === "string" && /^[ -~]*$/.test(value) ? value : "");
