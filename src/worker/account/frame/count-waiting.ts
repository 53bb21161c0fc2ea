/** The number of ideas that wait, for the navigation. It is read while the page reads what it shows; after a form, when a page answers it. */
import type { Context, MiddlewareHandler } from "hono";
import { countPendingProposals } from "../../database/proposals/pending-proposals.ts";
import { visitAccount } from "../account-databases.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { MAX_WAITING } from "./layout.tsx";

/** A page shows without the number what it can show: whatever is wrong, its own read says so. */
export const readWaiting = (c: Context<OwnerEnv>): Promise<number | undefined> =>
  visitAccount(c, (session, visit) => countPendingProposals(session, visit, MAX_WAITING)).catch(() => undefined);

export const countWaiting: MiddlewareHandler<OwnerEnv> = async (c, next) => {
  const isPage = c.req.method === "GET" && !c.req.path.startsWith("/account/api/");
  if (isPage) c.set("waiting", readWaiting(c));
  await next();
};
