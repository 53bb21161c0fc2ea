/**
 * The rates of an owner's changes and of what an owner reads, counted by Cloudflare's rate-limiting binding: so nobody fills the activity
 * or the database of the account by a loop. A script with a service token has rates of its own.
 *
 * Whatever ends something, and does nothing else, is never refused: revoking, pausing, removing, deleting. It is bounded by what has to be
 * made or allowed before it can be ended again, and one that changes nothing is no event. Where that bounds nothing, because there are
 * thousands of people, it is counted, and beyond the rate it is done but seldom recorded (`countEnd`). docs/security.md has the table.
 */
import type { Context, MiddlewareHandler } from "hono";
import { oncePer } from "../../http/once-per.ts";
import { mayPass, PERIOD_SECONDS } from "../../http/rate-limit.ts";
import { Problem } from "../../problem.ts";
import type { OwnerEnv } from "../owner-env.ts";

/** Of the bindings OWNER_WRITES and OWNER_READS in wrangler.toml. */
const CHANGES_A_MINUTE = 120;
const READS_A_MINUTE = 300;

const tooManyChanges = oncePer(
  (policy: "owner-writes") =>
    new Problem("too-many-requests", {
      detail: `You have made ${CHANGES_A_MINUTE} changes in a minute, and this one was not made. Wait a minute, then try again. Revoking, pausing and removing still work.`,
      headers: { "Retry-After": String(PERIOD_SECONDS) },
      extensions: { "violated-policies": [policy] },
    }),
);

const tooManyReads = oncePer(
  (policy: "owner-reads") =>
    new Problem("too-many-requests", {
      detail: `You have opened ${READS_A_MINUTE} pages or lists in a minute. Wait a minute, then try again.`,
      headers: { "Retry-After": String(PERIOD_SECONDS) },
      extensions: { "violated-policies": [policy] },
    }),
);

/** What is counted apart from other changes. */
type Apart = "keys" | "imports" | "all else";

/**
 * Counts a change, once for a request. Rotating a key and changing what it may do are counted apart from all else, so that no number
 * of other changes stands in the way of an emergency; and the parts of a file that is imported, so that its member can go on working.
 * Throws `too-many-requests`.
 */
export async function limitOwner(c: Context<OwnerEnv>, of: Apart = "all else"): Promise<void> {
  if (c.get("isCounted")) return;
  c.set("isCounted", true);
  await countChange(c, of);
}

/** Counts one more change: for a request that makes several, each with an event of its own. Throws `too-many-requests`. */
export async function countChange(c: Context<OwnerEnv>, of: Apart = "all else"): Promise<void> {
  const { actor } = c.var.owner;
  if (!(await mayPass(c.env.OWNER_WRITES, of === "all else" ? actor : `${actor} ${of}`)))
    throw tooManyChanges("owner-writes");
}

/** Counts a change that is never refused. False when the owner has made too many changes: then few of them are recorded. */
export const countEnd = (c: Context<OwnerEnv>): Promise<boolean> => mayPass(c.env.OWNER_WRITES, c.var.owner.actor);

/** Counts a page that reads a hundred times as many rows as others. Throws `too-many-requests`. */
export async function limitCostly(c: Context<OwnerEnv>): Promise<void> {
  if (!(await mayPass(c.env.OWNER_WRITES, `${c.var.owner.actor} costly`))) throw tooManyReads("owner-reads");
}

const READS = ["GET", "HEAD"];
const CHANGES = ["POST", "PUT", "PATCH"];
/** These forms and their JSON end something. */
const ENDS =
  /^\/account\/(?:api\/tokens\/end|tokens\/end|api-keys\/\w+\/revoke|members\/\w+\/remove|sign-out(?:-everywhere)?)$/;
/** These may end or restrict something: only when the body has been read, the handler knows, and calls `limitOwner`. */
const MAY_END =
  /^\/account\/(?:accounts|comments|api\/keys\/\w+(?:\/rotate)?|api-keys\/\w+\/(?:change|rotate)|people\/\w+|(?:api\/)?webhooks\/\w+)$/;

/** Its requests are the parts of a file. */
const IMPORT = "/account/import";

/** Middleware that counts what is read: a page of the desk may read thousands of rows, and a search more. */
export const limitReads: MiddlewareHandler<OwnerEnv> = async (c, next) => {
  if (READS.includes(c.req.method) && !(await mayPass(c.env.OWNER_READS, c.var.owner.actor)))
    throw tooManyReads("owner-reads");
  await next();
};

/** Middleware that counts each request that changes something and ends nothing. */
export const limitChanges: MiddlewareHandler<OwnerEnv> = async (c, next) => {
  const { method, path } = c.req;
  if (CHANGES.includes(method) && !ENDS.test(path) && !MAY_END.test(path))
    await limitOwner(c, path === IMPORT ? "imports" : "all else");
  await next();
};
