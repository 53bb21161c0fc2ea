/** Describes one operation in the document, from its definition. */
import * as z from "zod/mini";
import type { Operation } from "../../worker/http/operation.ts";
import { successStatus, takesIdempotencyKey, takesIfMatch } from "../../worker/http/operation.ts";
import { HEADERS, headerReferences } from "./headers.ts";
import type { NamedOperation } from "./operations.ts";
import { problemsByStatus } from "./problems.ts";
import { exampleOf, pageNameOf, queryParameters, schemaNameOf } from "./schemas.ts";

export function describeOperation(operation: NamedOperation) {
  const { name, tag, summary, description, conditional, credential, body } = operation;
  const scope = credential.kind === "apiKey" && credential.scope;
  const paragraphs = [description ?? `${summary}.`, ...(scope ? [`Needs the scope \`${scope}\`.`] : [])];
  return {
    operationId: name,
    tags: [tag.name],
    summary,
    description: paragraphs.join("\n\n"),
    security: credential.kind === "none" ? [] : [securityOf(operation)],
    parameters: [
      ...pathParameters(operation.path),
      ...queryParameters(operation.query ?? operation.options),
      ...(takesIdempotencyKey(operation)
        ? [returnsFirstAnswer(operation) ? IDEMPOTENCY_KEY : OWNERS_IDEMPOTENCY_KEY]
        : []),
      ...(operation.feed ? [VISITOR_TOKEN] : []),
      ...(conditional ? [IF_NONE_MATCH] : []),
      ...(takesIfMatch(operation) ? [IF_MATCH] : []),
      ...(takesIfMatch(operation) && operation.creates ? [ONLY_CREATE] : []),
      ...(credential.kind === "compoundToken" ? [CONSISTENCY_TOKEN] : []),
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: { "application/json": { schema: reference(schemaNameOf(body)), example: exampleOf(body) } },
      },
    }),
    responses: {
      [successStatus(operation)]: successOf(operation, successStatus(operation)),
      ...(operation.creates && { 201: { ...successOf(operation, 201), description: "Created." } }),
      ...(conditional && {
        304: { description: "The answer has not changed.", headers: headerReferences(["X-Request-Id", "ETag"]) },
      }),
      ...problemsByStatus(operation),
    },
  };
}

const successOf = (operation: Operation, status: number) => ({
  description: operation.answer || operation.feed || operation.csv ? "Success." : "Success. There is no body.",
  headers: headerReferences([
    "X-Request-Id",
    ...(operation.credential.kind === "apiKey" ? (["RateLimit-Policy", "RateLimit"] as const) : []),
    ...(isCountedForPanelist(operation) ? (["RateLimit-Policy"] as const) : []),
    ...(returnsFirstAnswer(operation) ? (["Idempotency-Replayed"] as const) : []),
    ...(status === 201 && hasAddress(operation) ? (["Location"] as const) : []),
    ...(operation.conditional || (operation.version && operation.answer) ? (["ETag"] as const) : []),
    ...(sendsConsistencyToken(operation) ? (["Consistency-Token"] as const) : []),
  ]),
  ...(operation.answer && { content: { [operation.feed ?? "application/json"]: contentOf(operation) } }),
  ...(operation.feed && !operation.answer && { content: { [operation.feed]: { schema: { type: "string" } } } }),
  ...(operation.csv && { content: { "text/csv": { schema: { type: "string" } } } }),
});

/** A created resource has an address if it has an identifier. An owner's answer may have a secret beside the resource. */
const hasAddress = ({ answer, credential: { kind } }: Operation): boolean =>
  kind === "access" || (answer instanceof z.ZodMiniObject && "id" in answer.shape);

/** The answers about proposals, votes, comments and surveys. How many requests are left is not known there. */
const isCountedForPanelist = ({ path, credential: { kind } }: Operation): boolean =>
  kind === "compoundToken" && /^\/(ideabank|surveys)(\/|$)/.test(path) && path !== "/ideabank";

/** Account Settings does not: a secret is shown once. */
const returnsFirstAnswer = (operation: Operation): boolean =>
  takesIdempotencyKey(operation) && operation.credential.kind !== "access";

const sendsConsistencyToken = ({ effect, credential: { kind } }: Operation): boolean =>
  effect !== "reads" && (kind === "apiKey" || kind === "compoundToken");

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const securityOf = ({ credential }: Operation): Record<string, readonly []> =>
  credential.kind === "access" ? { accessClientId: [], accessClientSecret: [] } : { [credential.kind]: [] };

const CURSOR = "ibc_0Vj8aD3kb4nKb4nKb4nK1a2b3c4d";
const SEALED_CURSOR = "ibc_Hk3nQx7Rb2Lw-0tYz5VgJ8cFd1_MsPaUeNo6iKqTy4XhWrBvOjGl9SmDZCfEpuAt";

function contentOf({ query, answer, sealed }: Operation) {
  if (answer === undefined) return {};
  const example = exampleOf(answer);
  if (query === undefined) return { schema: reference(schemaNameOf(answer)), example };
  return {
    schema: reference(pageNameOf(answer)),
    example: { items: [example], nextCursor: sealed ? SEALED_CURSOR : CURSOR },
  };
}

/** `{surveyId}` is the `id` of a `Survey`. */
const pathParameters = (path: string) =>
  [...path.matchAll(/\{(\w+)Id\}/g)].map(([, noun = ""]) =>
    noun === "external"
      ? EXTERNAL_ID
      : {
          name: `${noun}Id`,
          in: "path",
          required: true,
          description: `The identifier of the ${noun.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace("api key", "API key")}.`,
          schema: { type: "string", pattern: "^[0-9A-Za-z]{12}$" },
          example: exampleIdOf(noun),
        },
  );

const EXTERNAL_ID = {
  name: "externalId",
  in: "path",
  required: true,
  description: "Your own id for it, percent-encoded.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
  example: "TRACK-42",
};

function exampleIdOf(noun: string): string {
  const name = noun.charAt(0).toUpperCase() + noun.slice(1);
  const example = exampleOf(name);
  if (typeof example !== "object" || example === null || !("id" in example)) throw new Error(`${name} has no example`);
  return String(example.id);
}

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "Makes the request safe to retry: 1 to 255 visible ASCII characters, bare or in double quotes. For 24 hours the same key with the " +
    "same body returns the first answer.",
  schema: { type: "string", minLength: 1, maxLength: 257 },
  example: "order-4711",
};

const OWNERS_IDEMPOTENCY_KEY = {
  ...IDEMPOTENCY_KEY,
  description:
    "Makes the request safe to retry: 1 to 255 visible ASCII characters, bare or in double quotes. For 24 hours the same key with the " +
    "same body does nothing again.",
};

const VISITOR_TOKEN = {
  name: "token",
  in: "query",
  description: "A visitor's token, for feed readers, which send no header. A panelist's is refused here.",
  schema: { type: "string" },
  example: "ibv_b4nKb4nKb4nK1xUgy628gQia1b2c3d4e5f6g7h8",
};

const IF_NONE_MATCH = {
  name: "If-None-Match",
  in: "header",
  description: "The `ETag` of an earlier answer. The answer is 304 while nothing has changed.",
  schema: { type: "string" },
  example: HEADERS.ETag.example,
};

const IF_MATCH = {
  name: "If-Match",
  in: "header",
  description:
    "The `ETag` of an earlier answer. If somebody has changed the resource since, nothing is written and the answer is 412. `*` is every version.",
  schema: { type: "string" },
  example: HEADERS.ETag.example,
};

const ONLY_CREATE = {
  name: "If-None-Match",
  in: "header",
  description: "`*` only creates: if there is one with this id, the answer is 412.",
  schema: { type: "string", enum: ["*"] },
  example: "*",
};

const CONSISTENCY_TOKEN = {
  name: "Consistency-Token",
  in: "header",
  description: "That of an earlier answer to a write. The answer includes what was written then.",
  schema: { type: "string" },
  example: HEADERS["Consistency-Token"].example,
};
