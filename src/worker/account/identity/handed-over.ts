/**
 * The session of an owner whom the platform's own server has signed in: a row in the directory's database, which the cookie `__Host-owner`
 * names. Ending it marks the row, so that a copy of the cookie is worth nothing.
 */
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { SIGN_IN_COOKIE, signSignIn, verifySignIn } from "../../credentials/sign-in.ts";
import { endSignIn, endSignInsOf, findSignedIn } from "../../database/members/sign-ins.ts";
import { directoryOf, directoryReaderOf } from "../account-databases.ts";
import type { OwnerEnv } from "../owner-env.ts";

const COOKIE = "owner";
/** The cookie outlives the session: a form that is sent too late is known by it, and its text is kept for the owner (held-form.ts). */
const COOKIE_SECONDS = 7 * 86_400;
const ATTRIBUTES = { prefix: "host", path: "/", secure: true, httpOnly: true, sameSite: "Lax" } as const;

/** The id of the browser's session. A cookie that this deployment did not sign costs no call to a store. */
export async function sessionIdOf(c: Context<OwnerEnv>): Promise<string | undefined> {
  return verifySignIn(SIGN_IN_COOKIE, getCookie(c, COOKIE, "host") ?? "", c.get("settings").signingKeys);
}

/** Whether the browser was signed in once, by a session that may have ended. No call to a store. */
export const wasSignedIn = async (c: Context<OwnerEnv>): Promise<boolean> => (await sessionIdOf(c)) !== undefined;

/** The person whose session the browser brings; undefined for none, and for one that has ended. */
export async function handedOver(c: Context<OwnerEnv>): Promise<string | undefined> {
  const id = await sessionIdOf(c);
  return id === undefined ? undefined : findPerson(c, id);
}

/** The person of a session. The isolate remembers it. */
export async function findPerson(c: Context<OwnerEnv>, id: string): Promise<string | undefined> {
  const signedIn = await findSignedIn(directoryReaderOf(c), id, Date.now());
  c.set("signedInUntil", signedIn?.until);
  if (signedIn === null) c.var.known.sessions.delete(id);
  else c.var.known.sessions.set(id, signedIn);
  return signedIn?.email;
}

/** The person of a session, as the isolate remembers it: to be confirmed by `findPerson`. */
export function rememberedPerson(c: Context<OwnerEnv>, id: string): string | undefined {
  const signedIn = c.var.known.sessions.get(id);
  c.set("signedInUntil", signedIn?.until);
  return signedIn?.email;
}

async function endRow(c: Context<OwnerEnv>): Promise<void> {
  const id = await sessionIdOf(c);
  if (id === undefined) return;
  c.var.known.sessions.delete(id);
  await endSignIn(directoryOf(c), id);
}

/** Replaces the browser's other session, which ends. `id` identifies a sign-in whose link was just used. */
export async function beginSession(c: Context<OwnerEnv>, id: string): Promise<void> {
  await endRow(c);
  const cookie = await signSignIn(SIGN_IN_COOKIE, id, c.get("settings").signingKeys);
  setCookie(c, COOKIE, cookie, { ...ATTRIBUTES, maxAge: COOKIE_SECONDS });
}

export async function endSession(c: Context<OwnerEnv>): Promise<void> {
  await endRow(c);
  deleteCookie(c, COOKIE, ATTRIBUTES);
}

/** Ends every session of the person, in every browser, and every link that was not used. */
export async function endSessionsOf(c: Context<OwnerEnv>, person: string): Promise<void> {
  await endSignInsOf(directoryOf(c), [person]);
  deleteCookie(c, COOKIE, ATTRIBUTES);
}
