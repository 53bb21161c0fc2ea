/** Reads a request's input and validates it by its operation's entry. */
import type { Context } from "hono";
import type { IdempotencyKey } from "../model/idempotency-key.ts";
import type { PageRequest } from "../model/pagination.ts";
import type { AppEnv } from "./app-env.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";
import { parseOrThrow } from "./invalid-request.ts";
import { type Operation, type Output, type PathParameter, takesIdempotencyKey } from "./operation.ts";
import { readPage } from "./pagination.ts";
import { readJsonBody } from "./read-body.ts";

/** `ids` are the path's parameters; `page` is set if the operation has a query. */
export type Input<O extends Operation> = {
  readonly ids: Record<PathParameter<O["path"]>, string>;
  readonly query: Output<O, "query">;
  readonly page: PageRequest;
  readonly body: Output<O, "body">;
  readonly idempotencyKey: IdempotencyKey | undefined;
};

/**
 * Throws the problem of the first invalid part. The format of `ids` is not checked. `client` is who sends
 * the request: the id of the API key, those of the idea bank and the panelist, or `account` for an owner.
 */
export async function readInput<E extends AppEnv, O extends Operation>(
  c: Context<E>,
  operation: O,
  client: string,
): Promise<Input<O>> {
  const { query, body } = operation;
  const page = query && (await readPage(c, query));
  const json = body && (await readJsonBody(c.req.raw));
  return {
    ids: c.req.param(),
    ...page,
    body: body && parseOrThrow(body, json?.value),
    idempotencyKey: takesIdempotencyKey(operation) ? await readIdempotencyKey(c, client, json?.text ?? "") : undefined,
  } as Input<O>;
}
