/** `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), and the answer to a POST that carries one. */
import type { Context } from "hono";
import type { IdempotencyKey, IdempotentResult } from "../model/idempotency-key.ts";
import { Problem } from "../problem.ts";
import type { AppEnv } from "./app-env.ts";
import { invalid } from "./invalid-request.ts";

const HEADER = "Idempotency-Key";
/** The draft's quoted string, or the unquoted text that most clients send. */
const KEY = /^(?:"([\x20\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x7e]{1,255}))$/;

/**
 * The request's key, with a hash of its method, path and body; undefined without the header. `client` names the sender: `tenant`
 * for all of a tenant's API keys, the ids of the idea bank and the panelist, or `account` for an owner. Throws `invalid-request`.
 */
export async function readIdempotencyKey<E extends AppEnv>(
  c: Context<E>,
  client: string,
  body: string,
): Promise<IdempotencyKey | undefined> {
  const header = c.req.header(HEADER);
  if (header === undefined) return undefined;
  const [, quoted, bare] = KEY.exec(header) ?? [];
  const key = quoted ?? bare;
  if (key === undefined) throw invalid([{ path: HEADER, message: "must have 1 to 255 visible ASCII characters" }]);
  const request = new TextEncoder().encode(`${c.req.method} ${c.req.path}\n${body}`);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", request));
  return { key: `${client} ${key}`, requestHash: btoa(String.fromCharCode(...digest)), now: Date.now() };
}

/**
 * 201 with the body, for a replay too. `refusal` makes the problem for a POST that did nothing. Throws `idempotency-key-reused`
 * when the key came with another request before.
 */
export async function respondCreated<E extends AppEnv, Outcome>(
  c: Context<E>,
  {
    result,
    toBody,
    refusal = () => new Problem("forbidden"),
  }: {
    readonly result: IdempotentResult<Outcome>;
    readonly toBody: (outcome: Outcome) => object | Promise<object>;
    readonly refusal?: () => Problem | undefined;
  },
): Promise<Response> {
  switch (result.kind) {
    case "reused":
      throw new Problem("idempotency-key-reused");
    case "refused":
      throw refusal();
    case "replayed":
      c.header("Idempotency-Replayed", "true");
      return c.json(await toBody(result.outcome), 201);
    case "done":
      return c.json(await toBody(result.outcome), 201);
  }
}
