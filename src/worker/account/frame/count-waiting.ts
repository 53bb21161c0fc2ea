/** The numbers of ideas and comments that wait, for the navigation. They are read with what the page shows. */
import type { Context } from "hono";
import { countWaitingOf, type Waiting } from "../../database/proposals/pending-proposals.ts";
import { openOwn } from "../account-databases.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { MAX_WAITING } from "./layout.tsx";

/** Undefined where they cannot be read. A page shows without the numbers what it can show: whatever is wrong, its own read says so. */
export function countWaiting(c: Context<OwnerEnv>): Promise<Waiting | undefined> {
  const count = async () => {
    const { session, accountId } = await openOwn(c);
    return countWaitingOf(session, accountId, MAX_WAITING);
  };
  const waiting = c.get("waiting") ?? count().catch(() => undefined);
  c.set("waiting", waiting);
  return waiting;
}
