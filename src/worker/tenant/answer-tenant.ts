/**
 * How every operation of the tenant API is answered: 401 and 429 by the key, 403 by scope and ownership, then 400 by the
 * rules of query and body, then its handler.
 *
 * A handler's own query checks whether the path is the tenant's. Only for a request that is refused for another reason is there a
 * separate query: another tenant's resource is 403 whatever was sent, and a valid request is one round trip.
 */
import type { Context } from "hono";
import { ownsPath } from "../database/ownership.ts";
import type { Operation, Operations } from "../http/operation.ts";
import { type Input, readInput } from "../http/read-input.ts";
import type { IdeaBankSnapshots } from "../idea-bank/snapshots.ts";
import { isId } from "../model/id.ts";
import { Problem } from "../problem.ts";
import type { AuthenticateApiKey } from "./authenticate-api-key.ts";
import type { TenantEnv } from "./tenant-env.ts";

/** What a handler gets after all checks. `now` is in Unix milliseconds; `session` is at the primary, and opened when it is read. */
export type TenantRequest<O extends Operation> = Input<O> & {
  readonly accountId: string;
  readonly session: D1DatabaseSession;
  readonly now: number;
};

export type TenantHandler<O extends Operation> = (
  c: Context<TenantEnv>,
  request: TenantRequest<O>,
) => Promise<Response>;

export type TenantHandlers<Table extends Operations> = { readonly [Name in keyof Table]: TenantHandler<Table[Name]> };

export function createTenantAnswer(authenticate: AuthenticateApiKey, snapshots: IdeaBankSnapshots) {
  return async function answer<O extends Operation>(
    c: Context<TenantEnv>,
    operation: O,
    handle: TenantHandler<O>,
  ): Promise<Response> {
    const { credential, path, method } = operation;
    const { accountId, database } = await authenticate(c, credential.kind === "apiKey" ? credential.scope : null);
    const ids: Record<string, string> = c.req.param();
    if (!Object.values(ids).every(isId)) throw new Problem("forbidden", { cause: "no such identifier" });

    c.set("listsOf", accountId);
    const primary = database.atPrimary();
    const input = await readInput(c, operation, c.get("apiKeyId")).catch(async (error: unknown) => {
      if (await ownsPath(primary.session, accountId, path, ids)) throw error;
      throw new Problem("forbidden", { cause: "not the tenant's" });
    });
    const response = await handle(c, {
      ...input,
      accountId,
      get session() {
        return primary.session;
      },
      now: Date.now(),
    });
    if (method === "GET") primary.noteRead();
    else {
      // A tenant that creates many idea banks fills no memory with them.
      const isRead = ids.ideaBankId !== undefined && snapshots.has(ids.ideaBankId);
      primary.noteWrite(isRead ? ids.ideaBankId : undefined);
      expireWhatChanged(snapshots, accountId, path, ids);
    }
    return response;
  };
}

/** What panelists see of an idea bank changes by a write to it or to what is in it; whose tokens are valid, by one to a panelist. */
function expireWhatChanged(
  snapshots: IdeaBankSnapshots,
  accountId: string,
  path: string,
  { ideaBankId, panelistId }: Readonly<Record<string, string>>,
): void {
  if (panelistId !== undefined) snapshots.expireAccount(accountId);
  else if (ideaBankId !== undefined && !path.endsWith("/tokens")) snapshots.expire(ideaBankId);
}
