/** Reads a request's input and validates it by its operation's definition. */
import type { Context } from "hono";
import type { AppEnv } from "./app-env.ts";
import { fixedField } from "./fixed-fields.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";
import { parseOrThrow } from "./invalid-request.ts";
import { type AnyInput, type Operation, refusesUnknown, takesIdempotencyKey } from "./operation.ts";
import { readPage } from "./pagination.ts";
import { readIds, readParameters } from "./query.ts";
import { readJsonBody } from "./read-body.ts";

/**
 * Throws the problem of the first invalid part. The format of `ids` is not checked. `client` names the sender: `tenant` for all
 * of a tenant's API keys, the ids of the idea bank and the panelist, or `account` for an owner.
 */
export async function readInput<E extends AppEnv>(
  c: Context<E>,
  operation: Operation,
  client: string,
): Promise<AnyInput> {
  const { query, options, body } = operation;
  const ids = readIds(c, operation);
  const parameters = readParameters(c, query ?? options, !refusesUnknown(operation));
  const list = query && (await readPage(c, query, parameters));
  const json = body && (await readJsonBody(c));
  return {
    ids,
    query: list?.query,
    page: list?.page,
    body: body && parseOrThrow(body, json?.value, (field) => fixedField(operation, field)),
    idempotencyKey: takesIdempotencyKey(operation)
      ? await readIdempotencyKey(c, client, { parameters, json })
      : undefined,
  };
}
