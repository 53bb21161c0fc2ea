/** Refuses another tenant's resource and one that does not exist with the same 403. */
import type { Context } from "hono";
import type { Precondition } from "../http/etag.ts";
import type { IdempotentResult } from "../model/idempotency-key.ts";
import { Problem } from "../problem.ts";
import type { TenantEnv } from "./operation.ts";

/** For a write that has found nothing: another tenant's resource, or one in another state than its client has seen. */
const foundNothing = ({ wasThere }: Precondition): Problem =>
  wasThere ? new Problem("precondition-failed") : new Problem("forbidden", { cause: "not the tenant's" });

/** The resource. Throws `forbidden` or `precondition-failed` for null. */
export function owned<Resource>(resource: Resource | null, precondition: Precondition = {}): Resource {
  if (resource === null) throw foundNothing(precondition);
  return resource;
}

/** For a body that names a panelist who does not exist or is another tenant's. `place`: where in the body, if it names several. */
export const noSuchPanelist = (place?: string): Problem =>
  new Problem("forbidden", {
    detail:
      place === undefined
        ? "There is no such panelist. Create the panelist first."
        : `There is no such panelist as in ${place}. Create the panelist first. Nothing was written.`,
  });

/** 204, for a replay too. Throws as `owned` when there was nothing to delete, and `idempotency-key-reused`. */
export function respondDeleted(
  c: Context<TenantEnv>,
  { kind }: IdempotentResult<null>,
  precondition: Precondition = {},
): Response {
  if (kind === "reused") throw new Problem("idempotency-key-reused");
  if (kind === "refused") throw foundNothing(precondition);
  if (kind === "replayed") c.header("Idempotency-Replayed", "true");
  return c.body(null, 204);
}
