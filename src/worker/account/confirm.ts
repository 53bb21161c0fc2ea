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

/** What has to be confirmed of the person who comes, and of the person's membership. */
export function confirm(c: Context<OwnerEnv>, check: Promise<unknown>): void {
  c.set("unconfirmed", [...(c.get("unconfirmed") ?? []), heard(check)]);
}

/** That the account is still the person's own: it may have to find another one, and then waits for the person. */
export function confirmAccount(c: Context<OwnerEnv>, check: Promise<unknown>): void {
  c.set("unconfirmedAccount", heard(check));
}

/** Whoever waits for it, or for all of them, hears of a failure. */
export function heard<Found>(check: Promise<Found>): Promise<Found> {
  check.catch(() => undefined);
  return check;
}

type Unconfirmed = { readonly var: Pick<OwnerEnv["Variables"], "unconfirmed"> };

/** Throws what a check of the person has thrown. */
export const personConfirmed = ({ var: { unconfirmed } }: Unconfirmed): Promise<unknown> =>
  Promise.all(unconfirmed ?? []);

/** Throws what one of the checks has thrown. */
export const allConfirmed = (c: Context<OwnerEnv>): Promise<unknown> =>
  Promise.all([personConfirmed(c), c.get("unconfirmedAccount")]);
