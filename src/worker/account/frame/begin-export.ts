/** Begins a file: it is recorded, or refused because there were too many. */
import type { Context } from "hono";
import { stamp } from "../../database/activity/audit-events.ts";
import { recordExport } from "../../database/activity/exports.ts";
import { oncePer } from "../../http/once-per.ts";
import type { Exported } from "../../model/export.ts";
import { Problem } from "../../problem.ts";
import { openOwn } from "../account-databases.ts";
import { limitOwner } from "../identity/limit-owner.ts";
import { requireExport } from "../identity/role.ts";
import type { OwnerEnv } from "../owner-env.ts";

const tooMany = oncePer(
  (policy: "exports") =>
    new Problem("too-many-requests", {
      detail: "Your team has exported 200,000 rows in ten minutes, or 100 files today. Wait, then try again.",
      headers: { "Retry-After": "600" },
      extensions: { "violated-policies": [policy] },
    }),
);

type Begun = { readonly filter: string; readonly rows: number; readonly panelistId?: string };

/** Throws `too-many-requests`, and `forbidden`. */
export async function beginExport(c: Context<OwnerEnv>, exported: Exported, begun: Begun): Promise<void> {
  await requireExport(c, exported);
  await limitOwner(c);
  const { session, accountId } = await openOwn(c);
  const recorded = { ...stamp(accountId), accountId, owner: c.var.owner, exported, ...begun };
  if (!(await recordExport(session, recorded))) throw tooMany("exports");
}
