/** Refuses another tenant's resource and one that does not exist with the same 403. */
import type { Context } from "hono";
import type { IdempotentResult } from "../model/idempotency-key.ts";
import { Problem } from "../problem.ts";
import type { TenantEnv } from "./operation.ts";

/** The resource. Throws `forbidden` for null. */
export function owned<Resource>(resource: Resource | null): Resource {
  if (resource === null) throw new Problem("forbidden", { cause: "not the tenant's" });
  return resource;
}

/** For a body that names a panelist who does not exist or is another tenant's. */
export const noSuchPanelist = (): Problem =>
  new Problem("forbidden", { detail: "There is no such panelist. Create the panelist first." });

/** 204, for a replay too. Throws `forbidden` when there was nothing to delete, and `idempotency-key-reused`. */
export function respondDeleted(c: Context<TenantEnv>, { kind }: IdempotentResult<null>): Response {
  if (kind === "reused") throw new Problem("idempotency-key-reused");
  if (kind === "refused") throw new Problem("forbidden", { cause: "not the tenant's" });
  if (kind === "replayed") c.header("Idempotency-Replayed", "true");
  return c.body(null, 204);
}
