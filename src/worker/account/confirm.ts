/**
 * An isolate remembers who an owner was: whose session a browser brings, whose an account is. A page is read with what is remembered, while
 * the databases confirm it in the same round trip. No page is answered, and nothing is changed, before all of it is confirmed.
 */
import type { Context } from "hono";
import type { OwnerEnv } from "./owner-env.ts";

/** What was remembered is no longer so. It is forgotten, and the same page is read again without it. */
export class NoLongerSo extends Error {}

/** A page that is only read can wait for this until it is answered. */
export const isPageRead = ({ req }: Pick<Context, "req">): boolean =>
  req.method === "GET" && !req.path.startsWith("/account/api/");

export function confirm(c: Context<OwnerEnv>, check: Promise<unknown>): void {
  // Whoever waits for all of them hears of it.
  check.catch(() => undefined);
  c.set("unconfirmed", [...(c.get("unconfirmed") ?? []), check]);
}

/** Throws what one of the checks has thrown. */
export const allConfirmed = (c: Context<OwnerEnv>): Promise<unknown> => Promise.all(c.get("unconfirmed") ?? []);
