/** Checks every response that a test receives against the OpenAPI document. */
import { dereference, type Schema, validate } from "@cfworker/json-schema";
import document from "../../public/openapi.json";

type Content = { schema: Schema; examples?: Record<string, object> };
type DocumentedResponse = { headers?: Record<string, object>; content?: Record<string, Content> };
type Operation = { responses: Record<string, DocumentedResponse | { $ref: string }> };

const { schemas } = document.components;
const sharedResponses: Record<string, DocumentedResponse> = document.components.responses;

const PROBLEM = "application/problem+json";

/** The responses to requests that the document does not describe, such as one to an unknown path. */
const ANY_PROBLEM: DocumentedResponse = {
  headers: { "X-Request-Id": {} },
  content: { [PROBLEM]: { schema: { $ref: "#/components/schemas/Problem" } } },
};

const isRequired = (header: string): boolean =>
  Object.entries(document.components.headers).some(([name, { required }]) => name === header && required);

/** The kind of a union that only words of later have. */
const FOR_LATER = /\/Other(Change|Problem)$/;

/** Answers are described as open, for clients of later. Now they have these members and words, and no others. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.filter((each) => !FOR_LATER.test(each.$ref)).map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, each]) => [name, closed(each)]));
  const hasMembers = inner.type === "object" && typeof inner.properties === "object";
  return {
    ...inner,
    ...(hasMembers && inner.additionalProperties === undefined && { additionalProperties: false }),
    ...(inner.type === "string" && Array.isArray(inner.examples) && { enum: inner.examples }),
  };
}

/** What a reference names. */
const named = dereference({ components: { schemas: closed(schemas) } } as Schema);

/** The faults of a value by a schema of the document (JSON Schema 2020-12, formats included), one line each. */
export function faultsOf(schema: Schema, value: unknown): string[] {
  // Its own references become absolute.
  dereference(schema);
  const { errors } = validate(value, schema, "2020-12", named, false);
  return errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
}

const paths = Object.entries(document.paths).map(([template, methods]) => ({
  pattern: new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`),
  methods,
}));

function findOperation(method: string, path: string): Operation | undefined {
  for (const { pattern, methods } of paths) {
    const operation = (methods as Record<string, Operation>)[method.toLowerCase()];
    if (operation !== undefined && pattern.test(path)) return operation;
  }
  return undefined;
}

/** Throws when the document does not describe the response: its status, its headers, its media type, its body. */
export async function checkAgainstDocument(method: string, path: string, response: Response): Promise<void> {
  const operation = findOperation(method, path);
  if (operation === undefined && response.status < 400) return;
  const announced = operation === undefined ? ANY_PROBLEM : operation.responses[response.status];
  const text = await response.text();
  const faults = announced ? faultsOfResponse(announced, response, text) : ["the document does not know this status"];
  if (faults.length > 0) throw new Error(`${method} ${path} ${response.status}: ${faults.join("; ")}\n${text}`);
}

/** A response has an example for each code that it announces. */
const faultsOfCode = (announced: readonly string[], { error }: { error: string }): string[] =>
  announced.includes(error) ? [] : [`the document announces no ${error}`];

function faultsOfResponse(
  announced: DocumentedResponse | { $ref: string },
  response: Response,
  text: string,
): string[] {
  if ("$ref" in announced) {
    const shared = sharedResponses[announced.$ref.replace("#/components/responses/", "")];
    return shared ? faultsOfResponse(shared, response, text) : [`the document has no ${announced.$ref}`];
  }
  const { headers = {}, content = {} } = announced;
  const missing = Object.keys(headers).filter((name) => isRequired(name) && !response.headers.has(name));
  const mediaType = response.headers.get("Content-Type")?.split(";")[0] ?? "none";
  const { schema, examples } = content[mediaType] ?? {};
  const isAnnounced = schema !== undefined || (text === "" && Object.keys(content).length === 0);
  return [
    ...missing.map((name) => `the header ${name} is missing`),
    ...(isAnnounced ? [] : [`the document announces no ${mediaType}`]),
    ...(schema === undefined ? [] : faultsOf(schema, mediaType.endsWith("json") ? JSON.parse(text) : text)),
    ...(mediaType === PROBLEM && examples ? faultsOfCode(Object.keys(examples), JSON.parse(text)) : []),
  ];
}
