/** `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), and the answer to a POST that carries one. */
import type { Context } from "hono";
import { hasCredential } from "../credentials/hide-credentials.ts";
import type { IdempotencyKey, IdempotentResult } from "../model/idempotency-key.ts";
import { Problem } from "../problem.ts";
import type { AppEnv } from "./app-env.ts";
import { respondNew, type Version } from "./etag.ts";
import { hashOf } from "./hash-of.ts";
import { invalid } from "./invalid-request.ts";
import { canonicalQuery, type Parameters } from "./query.ts";

const HEADER = "Idempotency-Key";
/** The draft's quoted string, or the unquoted text that most clients send. */
const KEY = /^(?:"([\x20\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x7e]{1,255}))$/;

/** A key belongs to these, besides the method and the path. */
type SentInput = {
  readonly parameters: Parameters;
  readonly json: { readonly text: string; readonly value: unknown } | undefined;
};

/**
 * The request's key, with a hash of its method, path, query and body; undefined without the header. The order of parameters and of
 * names in the body does not matter, nor does white space. `client` names the sender: `tenant` for all of a tenant's API keys, the
 * ids of the idea bank and the panelist, or `account` for an owner. Throws `invalid-request`.
 */
export async function readIdempotencyKey<E extends AppEnv>(
  c: Context<E>,
  client: string,
  { parameters, json }: SentInput,
): Promise<IdempotencyKey | undefined> {
  const header = c.req.header(HEADER);
  if (header === undefined) return undefined;
  const [, quoted, bare] = KEY.exec(header) ?? [];
  const key = quoted ?? bare;
  if (key === undefined) throw invalid([{ path: HEADER, message: "must have 1 to 255 visible ASCII characters" }]);
  if (hasCredential(key, c.env.OPERATOR_SECRET))
    throw invalid([{ path: HEADER, message: "must not hold a credential" }]);
  const { method, path } = c.req;
  const query = canonicalQuery(parameters);
  return {
    key: `${client} ${key}`,
    requestHash: await hashOf(JSON.stringify([method, path, query, canonicalJson(json?.value)])),
    // A request with a query has none: 1.0.0 left the query out, so its hash could be that of another request.
    ...(query === "" && { formerHash: await hashOf(`${method} ${path}\n${json?.text ?? ""}`) }),
    now: Date.now(),
  };
}

/** One text for all ways to write the value. The value has been checked by a schema, so it is not deep. */
const canonicalJson = (value: unknown): string | undefined =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : part,
  );

/**
 * 201 with the body, for a replay too: a resource with its ETag, and its address, which is beneath the path. `refusal` makes the problem for a POST that did nothing. Throws `idempotency-key-reused`
 * when the key came with another request before.
 */
export async function respondCreated<E extends AppEnv, Outcome>(
  c: Context<E>,
  {
    result,
    toBody,
    refusal = () => new Problem("forbidden"),
    version,
  }: {
    readonly result: IdempotentResult<Outcome>;
    readonly toBody: (
      outcome: Outcome,
    ) => Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>;
    readonly refusal?: () => Problem | undefined;
    readonly version?: Version;
  },
): Promise<Response> {
  const respond = async (outcome: Outcome) =>
    respondNew(c, { collection: c.req.path, body: await toBody(outcome), version });
  switch (result.kind) {
    case "reused":
      throw new Problem("idempotency-key-reused");
    case "refused":
      throw refusal();
    case "replayed":
      c.header("Idempotency-Replayed", "true");
      return respond(result.outcome);
    case "done":
      return respond(result.outcome);
  }
}
