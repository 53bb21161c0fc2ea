/** Another tenant's resource and one that does not exist return the same 403. */
import type { Context } from "hono";
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

/** 204, or `forbidden` when there was nothing to delete. */
export function respondDeleted(c: Context<TenantEnv>, deleted: boolean): Response {
  if (!deleted) throw new Problem("forbidden", { cause: "not the tenant's" });
  return c.body(null, 204);
}
