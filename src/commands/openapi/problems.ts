/** The error responses of the document. An operation's definition and the table of problems decide which ones it can return. */
import type { Operation } from "../../worker/http/operation.ts";
import { refusesUnknown, takesIdempotencyKey, takesIfMatch } from "../../worker/http/operation.ts";
import { REFUSAL_REASONS } from "../../worker/model/api-key.ts";
import { PROBLEM_CODES, Problem, type ProblemCode, problemDocument, problemStatus } from "../../worker/problem.ts";
import { type HeaderName, headerReferences } from "./headers.ts";
import { type Kind as ProblemKind, unionOf } from "./open-union.ts";

const TITLE_RULE = "must have 1 to 200 characters after trimming";
const invalidTitle = {
  detail: `\`title\` ${TITLE_RULE}.`,
  extensions: { errors: [{ path: "title", message: TITLE_RULE }] },
};

/** The problem document, with the members of all codes. */
const PROBLEM = {
  description: "A problem document (RFC 9457). Decide by `error`, not by the texts.",
  properties: {
    type: {
      type: "string",
      format: "uri",
      description: "The problem's type: `about:blank`, or the address of a registered type.",
    },
    title: { type: "string", description: "The status in words." },
    status: { type: "integer", minimum: 400, description: "The HTTP status." },
    detail: { type: "string", description: "What was wrong and what to send instead, for people to read." },
    error: { type: "string", examples: PROBLEM_CODES, description: "The machine-readable code. More can be added." },
    errors: {
      type: "array",
      description:
        "The fields that break their rules, with `invalid-request`: at most 20 of them. With `conflict`: those that cannot change any more.",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: {
          path: { type: "string", description: "The field: its path, joined by dots. Empty for the whole body." },
          message: { type: "string", description: "The rule that the field breaks." },
        },
      },
    },
    reason: {
      type: "string",
      examples: REFUSAL_REASONS,
      description:
        "Why the key is refused, with `unauthorized` (`revoked`, `expired`) and `forbidden` (`paused`, `address`, `suspended`). Only who " +
        "holds the key's right secret gets it.",
    },
    duplicateOf: {
      type: "string",
      description: "The proposal that the one in the path was merged into, with `conflict`.",
    },
    stores: {
      type: "object",
      description: "Which stores answer, with `service-unavailable` of `GET /health`.",
      additionalProperties: { type: "string", examples: ["ok", "down"] },
    },
    "violated-policies": {
      type: "array",
      description: "The rate-limit policies that were exceeded, with `too-many-requests`.",
      items: { type: "string" },
    },
  },
} as const;

/** The codes whose problems have members of their own. */
const KINDS: readonly ProblemKind[] = [
  { name: "InvalidRequestProblem", words: ["invalid-request"], always: ["errors"] },
  { name: "RefusalProblem", words: ["unauthorized", "forbidden"], also: ["reason"] },
  { name: "ConflictProblem", words: ["conflict"], also: ["duplicateOf", "errors"] },
  { name: "RateLimitProblem", words: ["too-many-requests"], also: ["violated-policies"] },
  { name: "UnavailableProblem", words: ["service-unavailable"], also: ["stores"] },
] satisfies readonly (ProblemKind & { words: readonly ProblemCode[] })[];
const WITH_MEMBERS = KINDS.flatMap(({ words }) => words);

/** The problem documents, and their union `Problem`. */
export const PROBLEM_SCHEMAS = unionOf(PROBLEM, {
  name: "Problem",
  by: "error",
  every: ["type", "title", "status", "detail", "error"],
  kinds: [...KINDS, { name: "PlainProblem", words: PROBLEM_CODES.filter((code) => !WITH_MEMBERS.includes(code)) }],
  other: { name: "OtherProblem", description: "A problem with a code that was added later: decide by `status`." },
});

/** The codes that an operation can answer with: those of its credential and its input, and its own. */
function problemCodesOf(operation: Operation): ProblemCode[] {
  const { credential, path, query, options, body, problems = [] } = operation;
  const codes = new Set<ProblemCode>(["internal-error", "service-unavailable", ...problems]);
  if (credential.kind !== "access" && credential.kind !== "none") codes.add("unauthorized");
  if (credential.kind === "access" || credential.kind === "apiKey") codes.add("forbidden");
  if (credential.kind === "apiKey") codes.add("too-many-requests");
  if (credential.kind === "access" && isCounted(operation)) codes.add("too-many-requests");
  if (credential.kind === "compoundToken" && operation.effect !== "reads") codes.add("sign-in-required");
  if (credential.kind === "access" && path.includes("{")) codes.add("not-found");
  const hasInput = query !== undefined || options !== undefined || body !== undefined || path.includes("{");
  if (hasInput || refusesUnknown(operation) || takesIdempotencyKey(operation)) codes.add("invalid-request");
  if (body !== undefined) codes.add("request-timeout").add("payload-too-large").add("unsupported-media-type");
  if (takesIdempotencyKey(operation)) codes.add("idempotency-key-reused");
  if (takesIfMatch(operation)) codes.add("precondition-failed").add("invalid-request");
  const isTenants = credential.kind === "apiKey" || credential.kind === "compoundToken";
  const grows = operation.effect === "adds" || operation.effect === "overwrites";
  if ((body !== undefined && isTenants && grows) || takesIdempotencyKey(operation)) codes.add("quota-exceeded");
  return PROBLEM_CODES.filter((code) => codes.has(code));
}

/** Whether the rate of an owner's changes can refuse it: never what ends something. */
const isCounted = ({ method, path, effect }: Operation): boolean =>
  effect === "reads" || (method !== "DELETE" && path !== "/account/api/tokens/end");

/** One response for each status. Codes that share a status share a response, with an example for each. */
export function problemsByStatus(operation: Operation): Record<string, object> {
  const byStatus = Map.groupBy(problemCodesOf(operation), problemStatus);
  const { kind } = operation.credential;
  const withoutPolicy = kind !== "apiKey";
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      // The rate of a panelist, or of an owner, has no policy header: that answer is its own.
      codes.length === 1 && !(status === 429 && withoutPolicy)
        ? { $ref: `#/components/responses/${codes[0]}` }
        : toResponse(codes, {
            withoutPolicy,
            isReplay: kind === "access" && takesIdempotencyKey(operation),
            operation,
          }),
    ]),
  );
}

/** The component `responses` that operations refer to. */
export const problemResponses = (operations: readonly Operation[]) => {
  const used = JSON.stringify(operations.map(problemsByStatus));
  return Object.fromEntries(
    PROBLEM_CODES.filter((code) => used.includes(`"#/components/responses/${code}"`)).map((code) => [
      code,
      toResponse([code]),
    ]),
  );
};

/** `isReplay`: a request that was done before is a `conflict`. */
type Kind = { readonly withoutPolicy?: boolean; readonly isReplay?: boolean; readonly operation?: Operation };

function toResponse(codes: readonly ProblemCode[], kind: Kind = {}) {
  const documents = codes.map((code) => [code, problemDocument(exampleOf(code, kind))] as const);
  return {
    description: documents.map(([code, { detail }]) => `\`${code}\`: ${detail}`).join("\n\n"),
    headers: headerReferences([...new Set(codes.flatMap((code) => headersOf(code, kind)))]),
    content: {
      "application/problem+json": {
        schema: { $ref: "#/components/schemas/Problem" },
        examples: Object.fromEntries(documents.map(([code, value]) => [code, { value }])),
      },
    },
  };
}

/** The problem as a client of the operation gets it, because the texts of the table are those for an API key. */
function exampleOf(code: ProblemCode, { operation }: Kind): Problem {
  const kind = operation?.credential.kind;
  const isPanelists = kind === "compoundToken";
  if (code === "invalid-request") return new Problem(code, invalidTitle);
  if (code === "forbidden" && isPanelists)
    return new Problem(code, { detail: "Only the panelist who wrote it can change or delete it." });
  if (code !== "too-many-requests") return new Problem(code);
  if (kind === "access" && operation?.effect === "reads")
    return new Problem(code, {
      detail: "You have opened 300 pages or lists in a minute. Wait a minute, then try again.",
      extensions: { "violated-policies": ["owner-reads"] },
    });
  if (kind === "access")
    return new Problem(code, {
      detail: "You have made 120 changes in a minute, and this one was not made.",
      extensions: { "violated-policies": ["owner-writes"] },
    });
  if (!isPanelists) return new Problem(code, { extensions: { "violated-policies": ["api-key"] } });
  return new Problem(code, {
    detail: "The panelist is over its rate limit. Wait for the seconds in `Retry-After`.",
    extensions: { "violated-policies": [operation?.effect === "reads" ? "panelist-reads" : "panelist-writes"] },
  });
}

function headersOf(code: ProblemCode, { withoutPolicy = false, isReplay = false }: Kind): HeaderName[] {
  switch (code) {
    case "conflict":
      return ["X-Request-Id", ...(isReplay ? (["Idempotency-Replayed"] as const) : [])];
    case "unauthorized":
      return ["X-Request-Id", "WWW-Authenticate"];
    case "too-many-requests":
      return ["X-Request-Id", "Retry-After", ...(withoutPolicy ? [] : (["RateLimit-Policy", "RateLimit"] as const))];
    case "service-unavailable":
      return ["X-Request-Id", "Retry-After"];
    default:
      return ["X-Request-Id"];
  }
}
