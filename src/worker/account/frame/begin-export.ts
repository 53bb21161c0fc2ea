/** Begins a file: it is recorded, or refused because there were too many. */
import type { Context } from "hono";
import { stamp } from "../../database/activity/audit-events.ts";
import { type Refused, recordExport } from "../../database/activity/exports.ts";
import type { Exported } from "../../model/export.ts";
import { Problem } from "../../problem.ts";
import { openOwn } from "../account-databases.ts";
import { limitOwner } from "../identity/limit-owner.ts";
import { requireExport } from "../identity/role.ts";
import type { OwnerEnv } from "../owner-env.ts";

const EXPORTED = { rows: "200,000 rows in ten minutes", files: "100 files in a day" } as const;

const tooMany = ({ because, waitMs }: Refused) =>
  new Problem("too-many-requests", {
    detail: `Your team has exported ${EXPORTED[because]}. Wait, then try again.`,
    headers: { "Retry-After": String(Math.ceil(waitMs / 1_000)) },
    extensions: { "violated-policies": ["exports"] },
  });

type Begun = { readonly filter: string; readonly rows: number; readonly panelistId?: string };

/** Throws `too-many-requests`, and `forbidden`. */
export async function beginExport(c: Context<OwnerEnv>, exported: Exported, begun: Begun): Promise<void> {
  await requireExport(c, exported);
  await limitOwner(c);
  const { session, accountId } = await openOwn(c);
  const recorded = { ...stamp(accountId), accountId, owner: c.var.owner, exported, ...begun };
  const refused = await recordExport(session, recorded);
  if (refused !== undefined) throw tooMany(refused);
}
