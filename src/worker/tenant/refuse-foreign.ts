/** Another tenant's resource and one that does not exist return the same 403. */
import type { Context } from "hono";
import type { IdempotentResult } from "../model/idempotency-key.ts";
import { Problem } from "../problem.ts";
import type { TenantEnv } from "./operation.ts";

/** Throws `forbidden` for null. */
export function owned<Resource>(resource: Resource | null): Resource {
  if (resource === null) throw new Problem("forbidden", { cause: "not the tenant's" });
  return resource;
}

/** For a body that names a panelist who is not the tenant's, or whom there is not. */
export const noSuchPanelist = (): Problem =>
  new Problem("forbidden", { detail: "There is no such panelist. Create the panelist first." });

/** 204, for a replay too; `forbidden` when there was nothing to delete. Throws `idempotency-key-reused`. */
export function respondDeleted(c: Context<TenantEnv>, { kind }: IdempotentResult<null>): Response {
  if (kind === "reused") throw new Problem("idempotency-key-reused");
  if (kind === "refused") throw new Problem("forbidden", { cause: "not the tenant's" });
  if (kind === "replayed") c.header("Idempotency-Replayed", "true");
  return c.body(null, 204);
}
