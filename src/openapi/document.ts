/**
 * The OpenAPI 3.1 document, built ahead of time from the schemas and operations that the Worker runs on. It is served as a
 * static asset and costs the Worker nothing.
 */
import * as z from "zod/mini";
import { problemStatus } from "../problem.ts";
import { DOCUMENTED_OPERATIONS, type DocumentedOperation } from "./operations.ts";
import { PROBLEM_SCHEMA, problemCodesOf, problemResponses } from "./problems.ts";
import { ANSWERS, REQUESTS } from "./schemas.ts";

type JsonSchema = Record<string, unknown>;

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });
const header = (description: string, example: string, type = "string") => ({ description, schema: { type }, example });

const HEADERS = {
  "X-Request-Id": header("Names the request, in our log too. Yours is kept if you send one.", "trace-42"),
  "RateLimit-Policy": header("The key's limit: `q` requests in `w` seconds.", '"api-key";q=600;w=60'),
  RateLimit: header("`r` requests are left; in `t` seconds the oldest leaves the window.", '"api-key";r=599;t=60'),
  "Retry-After": header("Seconds to wait.", "5"),
  "WWW-Authenticate": header("The scheme that is asked for.", 'ApiKey realm="tenant"'),
  "Idempotency-Replayed": header("`true` when this answer was given before.", "true"),
  ETag: header("Send it back in `If-None-Match`.", '"Fg23r3gbl+I2kog9ekqb7A=="'),
  Allow: header("The methods of this path.", "GET, HEAD"),
};

export function buildDocument() {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of DOCUMENTED_OPERATIONS) {
    const path = paths[operation.path] ?? {};
    path[operation.method.toLowerCase()] = describeOperation(operation);
    paths[operation.path] = path;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Edge access API",
      version: "1.0.0",
      description:
        "The front door of a survey and idea-collection platform. Tenants use an API key; panelists a compound token that a " +
        "tenant issued; account owners sign in with Cloudflare Access. Every error is a problem document (RFC 9457).",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "X-API-Key",
          description: "An account owner creates it in Account Settings. `ibk_` and 47 base62 digits.",
        },
        compoundToken: {
          type: "apiKey",
          in: "header",
          name: "Authorization",
          description: "The raw token, `ibt_` and 51 base62 digits; `Bearer <token>` is accepted too.",
        },
        accessClientId: {
          type: "apiKey",
          in: "header",
          name: "CF-Access-Client-Id",
          description: "A Cloudflare Access service token that acts for an account owner. A browser signs in instead.",
        },
        accessClientSecret: { type: "apiKey", in: "header", name: "CF-Access-Client-Secret" },
      },
      headers: HEADERS,
      schemas: { ...namedSchemas(REQUESTS, "input"), ...namedSchemas(ANSWERS, "output"), Problem: PROBLEM_SCHEMA },
      responses: problemResponses(),
    },
  };
}

export type OpenApiDocument = ReturnType<typeof buildDocument>;

function describeOperation(operation: DocumentedOperation) {
  const { name, tag, summary, description, scope, credential, method, body, answer } = operation;
  const scopeNote = scope ? `Needs the scope \`${scope}\`.` : "";
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: [description, scopeNote].filter(Boolean).join("\n\n") || summary,
    security: [credential === "access" ? { accessClientId: [], accessClientSecret: [] } : { [credential]: [] }],
    parameters: [...pathParameters(operation.path), ...queryParameters(operation), ...headerParameters(operation)],
    ...(body && {
      requestBody: { required: true, content: { "application/json": contentOf(REQUESTS, body) } },
    }),
    responses: {
      [answer.status]: {
        description: answer.schema ? "Done." : "Done; there is no body.",
        headers: Object.fromEntries(
          [
            "X-Request-Id",
            ...(credential === "apiKey" ? ["RateLimit-Policy", "RateLimit"] : []),
            ...(method === "POST" && credential === "apiKey" ? ["Idempotency-Replayed"] : []),
            ...(answer.conditional ? ["ETag"] : []),
          ].map((key) => [key, ref("headers", key)]),
        ),
        ...(answer.schema && { content: { "application/json": contentOf(ANSWERS, answer.schema) } }),
      },
      ...(answer.conditional && {
        304: { description: "What you have is current.", headers: { ETag: ref("headers", "ETag") } },
      }),
      ...problemsByStatus(operation),
    },
  };
}

/** One response for each status; codes that share one are named together. */
const problemsByStatus = (operation: DocumentedOperation) =>
  Object.fromEntries(problemCodesOf(operation).map((code) => [problemStatus(code), ref("responses", code)]));

const contentOf = (named: typeof REQUESTS, schema: z.ZodMiniType) => {
  const [name, entry] = Object.entries(named).find(([, candidate]) => candidate.schema === schema) ?? [];
  if (name === undefined) throw new Error("a schema of an operation has no name in schemas.ts");
  return { schema: ref("schemas", name), example: entry?.example };
};

const pathParameters = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));

const headerParameters = ({ method, credential, answer }: DocumentedOperation) => [
  ...(method === "POST" && credential === "apiKey"
    ? [
        {
          name: "Idempotency-Key",
          in: "header",
          description:
            "Makes the request safe to retry: for 24 hours the same key with the same body gives the first answer again.",
          schema: { type: "string", minLength: 1, maxLength: 257 },
        },
      ]
    : []),
  ...(answer.conditional
    ? [{ name: "If-None-Match", in: "header", description: "An `ETag` from before.", schema: { type: "string" } }]
    : []),
];

function queryParameters({ query }: DocumentedOperation) {
  if (query === undefined) return [];
  const { properties = {} } = z.toJSONSchema(query, { io: "input" }) as { properties?: Record<string, JsonSchema> };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    description: QUERY_WORDS[name] ?? name,
    schema: name === "limit" ? { type: "integer", minimum: 1, maximum: 100, default: 20 } : schema,
  }));
}

const QUERY_WORDS: Record<string, string> = {
  limit: "How many items a page holds.",
  cursor: "`nextCursor` of the page before.",
  status: "Only those of this status.",
  externalId: "Only the one that you call so.",
};

/** The schemas under their names, referring to each other. */
function namedSchemas(named: typeof REQUESTS, io: "input" | "output"): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, { schema }] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io, uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [name, schema as JsonSchema]),
  );
}
