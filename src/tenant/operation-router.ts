/**
 * How every operation of the tenant API is answered: 401 and 429 by the key, 403 by scope and ownership, then 400 by the
 * rules of query and body, then its handler.
 *
 * A handler's own query finds out whether the path is the tenant's. Only a request that is refused for another reason asks
 * separately, so that a stranger's resource is 403 whatever was sent, and a good request is one round trip.
 */
import { type Context, Hono } from "hono";
import type * as z from "zod/mini";
import { chooseDatabase } from "../database/choose-database.ts";
import type { Retry } from "../database/idempotency.ts";
import { ownsPath } from "../database/ownership.ts";
import type { TenantEnv } from "../http/app-env.ts";
import { authenticateApiKey } from "../http/authenticate-api-key.ts";
import { parseOrThrow } from "../http/invalid-request.ts";
import type { IsolateMemory } from "../http/isolate-memory.ts";
import { readPage } from "../http/pages.ts";
import { readJsonBody } from "../http/read-body.ts";
import { isId } from "../model/id.ts";
import type { PageRequest } from "../model/page.ts";
import { Problem } from "../problem.ts";
import { readRetry } from "./idempotency-key.ts";
import type { Operation } from "./operations.ts";

type PathParameter<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParameter<Rest> : never;
type Output<O, Field extends string> =
  O extends Record<Field, infer Schema extends z.ZodMiniType> ? z.output<Schema> : undefined;

/** What a handler gets: everything checked, nothing done. `now` is in Unix milliseconds; `session` reads the primary. */
export type TenantRequest<O extends Operation> = {
  readonly accountId: string;
  readonly session: D1DatabaseSession;
  readonly now: number;
  readonly ids: Record<PathParameter<O["path"]>, string>;
  readonly query: Output<O, "query">;
  readonly page: PageRequest;
  readonly body: Output<O, "body">;
  readonly retry: Retry | undefined;
};

export type Handler<O extends Operation> = (c: Context<TenantEnv>, request: TenantRequest<O>) => Promise<Response>;

export class OperationRouter {
  readonly routes = new Hono<TenantEnv>();
  readonly memory: IsolateMemory;

  constructor(memory: IsolateMemory) {
    this.memory = memory;
  }

  on<const O extends Operation>(operation: O, handle: Handler<O>): void {
    const { method, path, scope } = operation;
    const honoPath = path.replace(/\{(\w+)\}/g, ":$1");
    this.routes.on(method, honoPath, authenticateApiKey(this.memory), async (c) => {
      const { accountId, scopes } = c.var.tenant;
      if (scope !== null && !scopes.includes(scope))
        throw new Problem("forbidden", { detail: `The API key lacks the scope ${scope}.` });
      const ids: Record<string, string> = c.req.param();
      if (!Object.values(ids).every(isId)) throw new Problem("forbidden", { cause: "no such identifier" });

      const session = chooseDatabase(c.env).withSession("first-primary");
      const input = await this.#readInput(c, operation).catch(async (error: unknown) => {
        if (await ownsPath(session, accountId, ids)) throw error;
        throw new Problem("forbidden", { cause: "not the tenant's" });
      });
      try {
        return await handle(c, { accountId, session, now: Date.now(), ids, ...input } as TenantRequest<O>);
      } finally {
        if (method !== "GET") this.memory.snapshots.expireAccount(accountId, session.getBookmark());
      }
    });
  }

  /** Query, page, body and Idempotency-Key, by the operation's rules. Throws the problem that a broken one is. */
  async #readInput(c: Context<TenantEnv>, { method, query, body }: Operation) {
    const { signingKeys } = await this.memory.readSettings(c.env);
    const paged = query && (await readPage(c, query, signingKeys));
    const json = body && (await readJsonBody(c.req.raw));
    return {
      ...paged,
      body: body && parseOrThrow(body, json?.value),
      retry: method === "POST" ? await readRetry(c, json?.text ?? "") : undefined,
    };
  }
}
