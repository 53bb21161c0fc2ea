/** The error answers of the document: which operation can give which, from the table of problems. */
import { PROBLEM_CODES, Problem, type ProblemCode, problemDocument } from "../problem.ts";
import type { DocumentedOperation } from "./operations.ts";

const fieldErrors = [{ path: "title", message: "must have 1 to 200 characters" }];

/** The problem document, of any code. */
export const PROBLEM_SCHEMA = {
  type: "object",
  description: "RFC 9457. `error` is the machine-readable code.",
  required: ["type", "title", "status", "detail", "error"],
  properties: {
    type: { type: "string", format: "uri" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    error: { type: "string", enum: PROBLEM_CODES },
    errors: {
      type: "array",
      description: "Every field that breaks its rule (`invalid-request`).",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: { path: { type: "string" }, message: { type: "string" } },
        additionalProperties: false,
      },
    },
    "violated-policies": { type: "array", items: { type: "string" } },
  },
  additionalProperties: false,
} as const;

/** The codes that an operation can answer with. */
export function problemCodesOf({ credential, path, name, method, query, body }: DocumentedOperation): ProblemCode[] {
  const codes: ProblemCode[] = ["internal-error", "service-unavailable"];
  if (credential === "compoundToken") return [...codes, "unauthorized", "idea-bank-not-found"];
  codes.push("forbidden");
  if (credential === "apiKey") codes.push("unauthorized", "too-many-requests");
  if (query !== undefined || body !== undefined) codes.push("invalid-request");
  if (body !== undefined) codes.push("payload-too-large", "unsupported-media-type");
  if (credential === "access") {
    if (path.includes("{")) codes.push("not-found");
    if (name === "createApiKey") codes.push("api-key-limit-reached");
    if (name === "rotateApiKey") codes.push("conflict");
    return codes;
  }
  if (method === "POST") codes.push("idempotency-key-reused");
  if (name === "issueToken" || (path.startsWith("/tenant/panelists") && body !== undefined)) codes.push("conflict");
  return codes;
}

/** `responses` of the components: one for each code. */
export const problemResponses = () =>
  Object.fromEntries(
    PROBLEM_CODES.map((code) => {
      const extensions = {
        ...(code === "invalid-request" && { errors: fieldErrors }),
        ...(code === "too-many-requests" && { "violated-policies": ["api-key"] }),
      };
      const example = problemDocument(new Problem(code, { extensions }));
      const headers = Object.fromEntries(
        headersOf(code).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
      );
      return [
        code,
        {
          description: example.detail,
          headers,
          content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" }, example } },
        },
      ];
    }),
  );

function headersOf(code: ProblemCode): string[] {
  switch (code) {
    case "unauthorized":
      return ["X-Request-Id", "WWW-Authenticate"];
    case "too-many-requests":
      return ["X-Request-Id", "Retry-After", "RateLimit-Policy", "RateLimit"];
    case "service-unavailable":
      return ["X-Request-Id", "Retry-After"];
    case "method-not-allowed":
      return ["X-Request-Id", "Allow"];
    default:
      return ["X-Request-Id"];
  }
}
