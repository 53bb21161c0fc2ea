/** The number of ideas that wait, for the navigation. It is read with what the page shows. */
import type { Context } from "hono";
import { countPendingProposals } from "../../database/proposals/pending-proposals.ts";
import { openOwn } from "../account-databases.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { MAX_WAITING } from "./layout.tsx";

/** Undefined where it cannot be read. A page shows without the number what it can show: whatever is wrong, its own read says so. */
export function countWaiting(c: Context<OwnerEnv>): Promise<number | undefined> {
  const count = async () => {
    const { session, accountId } = await openOwn(c);
    return countPendingProposals(session, accountId, MAX_WAITING);
  };
  const waiting = c.get("waiting") ?? count().catch(() => undefined);
  c.set("waiting", waiting);
  return waiting;
}
