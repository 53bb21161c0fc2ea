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
import { findMember, findMembership } from "../../database/members/members.ts";
import { requireOwnPage } from "../../http/same-origin.ts";
import { isId } from "../../model/id.ts";
import { foldAddress } from "../../model/member.ts";
import { Problem } from "../../problem.ts";
import { noMember, openOwn, readerOf, requireChoice } from "../account-databases.ts";
import { allConfirmed, confirm, heard, isPageRead, NoLongerSo } from "../confirm.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { findPerson, rememberedPerson, sessionIdOf } from "./handed-over.ts";
import { requireRoleStill } from "./role.ts";

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
async function findAccount(c: Context<OwnerEnv>, accountId: string, { email: person, actor }: Identity) {
  const reader = isId(accountId) ? readerOf(c, accountId) : undefined;
  const member = reader && isId(accountId) ? await findMember(reader, { accountId, person, actor }) : null;
  if (member === null || !isId(accountId)) throw noMember();
  return { ...member, accountId };
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

/** What was chosen in this browser, by whomever. */
export const choiceOf = (c: Context<OwnerEnv>): string | undefined => getCookie(c, CHOICE, "host");

/** The account that the person has chosen in this browser. It applies to pages; a script names its account. */
async function chosenAccount(c: Context<OwnerEnv>, person: string): Promise<string | undefined> {
  if (c.req.method !== "GET" || c.req.path.startsWith("/account/api/")) return undefined;
  const chosen = choiceOf(c);
  const reader = chosen !== undefined && isId(chosen) && readerOf(c, chosen);
  return reader && (await findMembership(reader, chosen, person)) !== undefined ? chosen : undefined;
}

/**
 * Throws the real cause of a refusal, if it is not the request itself: an account that was not chosen, or members that have
 * changed meanwhile.
 */
async function explainRefusal(c: Context<OwnerEnv>): Promise<void> {
  const { person, actor, email, accountId } = c.var.owner;
  if (accountId === undefined) {
    if (c.res.status === 404) await requireChoice(c, person);
  } else if ((await findAccount(c, accountId, { email: person, actor })).email !== email) {
    throw new Problem("service-unavailable", {
      detail: "The account's creator was removed in the meantime. Nothing was changed: send the request again.",
      headers: { "Retry-After": "1" },
    });
  }
  await requireRoleStill(c);
}

/** `remembers`: what the isolate remembers of the session and of the account is taken for true, and is confirmed meanwhile. */
type Admission = { readonly identify: Identify; readonly remembers: boolean };

/** The person who comes. Throws `forbidden` if nobody is signed in. */
async function findIdentity(c: Context<OwnerEnv>, { identify, remembers }: Admission): Promise<Identity> {
  const session = await sessionIdOf(c);
  const remembered = session !== undefined && remembers ? rememberedPerson(c, session) : undefined;
  if (session !== undefined && remembered !== undefined) confirm(c, isStill(remembered, findPerson(c, session)));
  const person = remembered ?? (session && (await findPerson(c, session)));
  if (person !== undefined) requireOwnPage(c);
  c.set("isHandedOver", person !== undefined);
  const identity = person === undefined ? await identify(c) : { email: person, actor: person };
  if (identity !== undefined) return identity;
  if (accessOf(c) === undefined) throw new SignedOut(NOT_SIGNED_IN);
  throw new Problem("forbidden", { detail: NOT_KNOWN });
}

/** The account that the URL names, with the address that finds its rows. Throws `forbidden` if the person is not a member. */
async function findNamed(c: Context<OwnerEnv>, accountId: string, identity: Identity, remembers: boolean) {
  const { addresses } = c.var.known;
  const membership = `${accountId} ${identity.email}`;
  const find = async () => {
    addresses.delete(membership);
    const found = await findAccount(c, accountId, identity);
    addresses.set(membership, found.email);
    return found;
  };
  const email = remembers && isId(accountId) ? addresses.peek(membership) : undefined;
  const found = find();
  c.set("standing", heard(found.then(({ standing }) => standing)));
  if (email === undefined || !isId(accountId)) {
    const now = await found;
    return { email: now.email, accountId: now.accountId };
  }
  const now = found.then((member) => member.email);
  confirm(c, isStill(email, now));
  return { email, accountId };
}

async function isStill(remembered: string, found: Promise<string | undefined>): Promise<void> {
  if ((await found) !== remembered) throw new NoLongerSo();
}

/** Sets `owner`. Returns where another account, chosen in this browser, has the page. */
async function admit(c: Context<OwnerEnv>, admission: Admission): Promise<string | undefined> {
  const identity = await findIdentity(c, admission);
  c.set("sender", identity.email);
  const owner = { ...identity, person: identity.email, address: c.req.header("CF-Connecting-IP") ?? null };
  const { pathname, search, searchParams } = new URL(c.get("asked"), c.req.url);
  const accountId = searchParams.get("account");
  const chosen = accountId === null ? await chosenAccount(c, owner.person) : undefined;
  if (chosen !== undefined) return inAccount(pathname + search, chosen);
  const named = accountId !== null && (await findNamed(c, accountId, identity, admission.remembers));
  c.set("owner", { ...owner, ...named });
  c.set("whose", { account: c.var.owner.accountId ?? c.var.known.accounts.get(owner.email) });
  c.set("listsOf", c.var.owner.email);
  return undefined;
}

/** Throws why the owner is not admitted; `NoLongerSo` for an owner who is admitted otherwise than was remembered. */
async function requireConfirmed(c: Context<OwnerEnv>, identify: Identify): Promise<void> {
  try {
    await allConfirmed(c);
  } catch (error) {
    if (error instanceof NoLongerSo) {
      c.set("unconfirmed", undefined);
      c.set("unconfirmedAccount", undefined);
      c.set("own", undefined);
      c.set("standing", undefined);
      await admit(c, { identify, remembers: false });
    }
    throw error;
  }
}

/**
 * Middleware that sets `owner`, or answers 403 and tells how to turn Access on. `?account=` chooses another account of which the
 * person is a member; it is removed from the URL for everything after.
 */
export function authenticateOwner(identify: Identify): MiddlewareHandler<OwnerEnv> {
  return async function authenticateOwner(c, next) {
    const elsewhere = await admit(c, { identify, remembers: true });
    const isRead = isPageRead(c) && elsewhere === undefined;
    if (!isRead) {
      if (c.get("isHandedOver") && elsewhere === undefined && c.var.known.accounts.peek(c.var.owner.email))
        openOwn(c).catch(() => undefined);
      await requireConfirmed(c, identify).catch(again);
    }
    if (elsewhere !== undefined) return c.redirect(elsewhere, 303);
    const url = new URL(c.req.url);
    const isNamed = url.searchParams.has("account");
    if (isNamed) {
      url.searchParams.delete("account");
      c.req.raw = new Request(url, c.req.raw);
    }
    await next();
    if (isRead)
      await requireConfirmed(c, identify).catch((error: unknown) => {
        c.set("isRefused", true);
        c.set("whose", {});
        throw error;
      });
    if (REFUSED.includes(c.res.status)) await explainRefusal(c);
    const location = c.res.headers.get("Location");
    if (isNamed && location?.startsWith("/account"))
      c.res.headers.set("Location", inAccount(location, c.var.owner.accountId ?? ""));
  };
}

/** The owner was admitted once more, without what was remembered. */
function again(error: unknown): void {
  if (!(error instanceof NoLongerSo)) throw error;
}
