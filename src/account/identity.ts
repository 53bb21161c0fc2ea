/**
 * Who the account owner is: whoever Cloudflare Access authenticated for `/account/*`. No passwords, no sessions of our own.
 *
 * A person is known by e-mail address. A script comes with an Access service token, whose common name the setting
 * SERVICE_TOKEN_OWNERS maps to the owner that it acts for.
 */
import type { Context, MiddlewareHandler } from "hono";
import type { AppEnv } from "../http/app-env.ts";
import { Problem } from "../problem.ts";
import type { OwnerEnv } from "./owner-env.ts";

/** Whose account it is, and who is acting. */
export type Identity = { readonly email: string; readonly actor: string };

export type Identify = (c: Pick<Context<AppEnv>, "executionCtx" | "env">) => Promise<Identity | undefined>;

export const identifyByAccess: Identify = async (c) => {
  const { access } = c.executionCtx as ExecutionContext;
  const identity = await access?.getIdentity();
  if (typeof identity?.email === "string" && identity.email !== "") return asPerson(identity.email);
  const commonName = identity?.common_name;
  if (typeof commonName !== "string") return undefined;
  const email = serviceTokenOwners(c.env.SERVICE_TOKEN_OWNERS).get(commonName);
  return email === undefined ? undefined : { email, actor: commonName };
};

/** E-mail addresses are one whatever their case: identity providers do not agree on it. */
const asPerson = (email: string): Identity => ({ email: email.toLowerCase(), actor: email.toLowerCase() });

const serviceTokenOwners = (setting: string): Map<string, string> =>
  new Map(
    setting
      .split(",")
      .map((entry) => entry.split("=").map((part) => part.trim()))
      .flatMap(([name, email]) => (name && email ? [[name, email.toLowerCase()] as const] : [])),
  );

/** Middleware: sets `owner`, or answers 403 and says how to turn Access on. */
export function authenticateOwner(identify: Identify): MiddlewareHandler<OwnerEnv> {
  return async function authenticateOwner(c, next) {
    const identity = await identify(c);
    if (identity === undefined) {
      throw new Problem("forbidden", {
        detail:
          "Nobody is signed in. Turn Cloudflare Access on for the path /account of this host (Zero Trust, Access, Applications).",
      });
    }
    c.set("owner", { ...identity, address: c.req.header("CF-Connecting-IP") ?? null });
    await next();
  };
}
