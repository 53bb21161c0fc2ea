/**
 * Finds the account owner: the person whom the platform's own server has signed in (sign-in.tsx), otherwise the one whom
 * Cloudflare Access has authenticated for `/account/*`. The platform's comes first because its person was chosen last;
 * signing out leads back.
 *
 * A person is known by e-mail address. A script comes with an Access service token, known by its Client ID, which the setting
 * SERVICE_TOKEN_OWNERS maps to the owner that it acts for. (The field for it is `service_token_id`, of what Access answers at
 * `/cdn-cgi/access/get-identity`; `common_name` there is a client certificate's.)
 */
import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { findMembership } from "../../database/members/members.ts";
import { isId } from "../../model/id.ts";
import { foldAddress } from "../../model/member.ts";
import { Problem } from "../../problem.ts";
import { noMember, requireChoice } from "../account-databases.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { handedOver } from "./handed-over.ts";
import { requireOwnPage } from "./same-origin.ts";

/** The account's address, and the person or script that acts. */
export type Identity = { readonly email: string; readonly actor: string };

type RequestContext = Pick<Context, "executionCtx"> & {
  readonly env: Pick<Env, "ACCESS_AUD" | "SERVICE_TOKEN_OWNERS">;
  readonly req: { readonly url: string };
};
export type Identify = (c: RequestContext) => Promise<Identity | undefined>;

/** The same page, for a chosen account. */
export function inAccount(path: string, accountId: string): string {
  const [, before = "", fragment = ""] = /^([^#]*)(#.*)?$/.exec(path) ?? [];
  return `${before}${before.includes("?") ? "&" : "?"}account=${accountId}${fragment}`;
}

/** The audience of `[access.dev]` in wrangler.toml, which plays Access under `wrangler dev`. A real one is 64 hex digits. */
const STAND_IN = "local";

/** Cloudflare Access's data about a request; undefined where Access did not authenticate it. */
const accessOf = (c: Pick<Context, "executionCtx">) => (c.executionCtx as ExecutionContext).access;

/** Throws `forbidden` when the stand-in is reached under another host than this machine's. */
export const identifyByAccess: Identify = async (c) => {
  const access = accessOf(c);
  if (access === undefined) return undefined;
  if (access.aud === STAND_IN) requireLocalHost(c.req.url);
  else if (c.env.ACCESS_AUD !== "" && access.aud !== c.env.ACCESS_AUD) return undefined;
  const identity = await access.getIdentity();
  const person = toAddress(identity?.email);
  if (person !== undefined) return { email: person, actor: person };
  const token = identity?.service_token_id;
  if (typeof token !== "string") return undefined;
  const email = toAddress(serviceTokenOwners(c.env.SERVICE_TOKEN_OWNERS).get(token));
  return email === undefined ? undefined : { email, actor: token };
};

const toAddress = (email: unknown): string | undefined => (typeof email === "string" ? foldAddress(email) : undefined);

const serviceTokenOwners = (setting: string): Map<string, string> =>
  new Map(
    setting
      .split(",")
      .map((entry) => entry.split("=").map((part) => part.trim()))
      .flatMap(([token, email]) => (token && email ? [[token, email] as const] : [])),
  );

/**
 * A foreign page can make its own name resolve to this machine (DNS rebinding) and is then of the same origin as the server
 * here. It cannot do so with an address, or with a name that browsers never look up.
 */
function requireLocalHost(url: string): void {
  const { hostname } = new URL(url);
  if (/^(?:(?:.+\.)?localhost|[\d.]+|\[.+\])$/.test(hostname)) return;
  throw new Problem("forbidden", {
    detail: `On a developer's machine the owner is signed in at localhost, not at ${hostname}.`,
  });
}

/** Nobody is signed in. A page says it in an owner's words. */
export class SignedOut extends Problem {
  constructor(detail: string) {
    super("forbidden", { detail });
  }
}

const NOT_SIGNED_IN =
  "You are not signed in, or your session has expired. Go back to where you came from and open Account Settings again. For the operator: " +
  "Turn Cloudflare Access on for the path /account of this host (Zero Trust, Access, Applications), or sign owners in by POST /operator/sign-ins.";
const NOT_KNOWN =
  "Cloudflare Access signed you in, but not as an owner here. An email address must be visible ASCII, a service token's Client ID must be in " +
  "the setting SERVICE_TOKEN_OWNERS, and the Access application must be the one in ACCESS_AUD, if it is set.";

/** The statuses that may also result from the wrong account: not found, a conflict, too many. */
const REFUSED = [404, 409, 429];

/** The actors of a person's events: the person, and the service tokens that act for the person. */
export const actorsOf = ({ env }: Pick<Context<OwnerEnv>, "env">, person: string): readonly string[] => [
  person,
  ...[...serviceTokenOwners(env.SERVICE_TOKEN_OWNERS)]
    .filter(([, email]) => toAddress(email) === person)
    .map(([token]) => token),
];

/** Throws `forbidden` if the person is not a member. */
async function findAccount(c: Context<OwnerEnv>, accountId: string, person: string) {
  const database = isId(accountId) ? c.var.databases.of(c, accountId) : undefined;
  const email = database && isId(accountId) && (await findMembership(database.withoutSession(), accountId, person));
  if (!email || !isId(accountId)) throw noMember();
  return { email, accountId };
}

const CHOICE = "account";

/** Remembers the choice for a year, in this browser. It is not used once the person is not a member. */
export const rememberChoice = (c: Context<OwnerEnv>, accountId: string): void =>
  setCookie(c, CHOICE, accountId, {
    prefix: "host",
    path: "/",
    secure: true,
    httpOnly: true,
    sameSite: "Lax",
    maxAge: 31_536_000,
  });

/** The account that the person has chosen in this browser. It applies to pages; a script names its account. */
async function chosenAccount(c: Context<OwnerEnv>, person: string): Promise<string | undefined> {
  if (c.req.method !== "GET" || c.req.path.startsWith("/account/api/")) return undefined;
  const chosen = getCookie(c, CHOICE, "host");
  const session = chosen !== undefined && isId(chosen) && c.var.databases.of(c, chosen)?.withoutSession();
  return session && (await findMembership(session, chosen, person)) !== undefined ? chosen : undefined;
}

/**
 * Throws the real cause of a refusal, if it is not the request itself: an account that was not chosen, or members that have
 * changed meanwhile.
 */
async function explainRefusal(c: Context<OwnerEnv>): Promise<void> {
  const { person, email, accountId } = c.var.owner;
  if (accountId === undefined) {
    if (c.res.status === 404) await requireChoice(c, person);
  } else if ((await findAccount(c, accountId, person)).email !== email) {
    throw new Problem("service-unavailable", {
      detail: "The account's creator was removed in the meantime. Nothing was changed: send the request again.",
      headers: { "Retry-After": "1" },
    });
  }
}

/**
 * Middleware that sets `owner`, or answers 403 and tells how to turn Access on. `?account=` chooses another account of which the
 * person is a member; it is removed from the URL for everything after.
 */
export function authenticateOwner(identify: Identify): MiddlewareHandler<OwnerEnv> {
  return async function authenticateOwner(c, next) {
    const person = await handedOver(c);
    if (person !== undefined) requireOwnPage(c);
    c.set("isHandedOver", person !== undefined);
    const identity = person === undefined ? await identify(c) : { email: person, actor: person };
    if (identity === undefined) {
      if (accessOf(c) === undefined) throw new SignedOut(NOT_SIGNED_IN);
      throw new Problem("forbidden", { detail: NOT_KNOWN });
    }
    c.set("sender", identity.email);
    const owner = { ...identity, person: identity.email, address: c.req.header("CF-Connecting-IP") ?? null };
    const url = new URL(c.req.url);
    const accountId = url.searchParams.get("account");
    const chosen = accountId === null ? await chosenAccount(c, owner.person) : undefined;
    if (chosen !== undefined) return c.redirect(inAccount(url.pathname + url.search, chosen), 303);
    if (accountId === null) c.set("owner", owner);
    else {
      c.set("owner", { ...owner, ...(await findAccount(c, accountId, owner.person)) });
      url.searchParams.delete("account");
      c.req.raw = new Request(url, c.req.raw);
    }
    c.set("whose", { account: c.var.owner.accountId ?? c.var.ownAccounts.get(owner.email) });
    c.set("listsOf", c.var.owner.email);
    await next();
    if (REFUSED.includes(c.res.status)) await explainRefusal(c);
    const location = c.res.headers.get("Location");
    if (accountId !== null && location?.startsWith("/account"))
      c.res.headers.set("Location", inAccount(location, accountId));
  };
}
