/**
 * The cookies of people on boards' pages. Each is `__Host-`, so neither another host nor plain http can plant one, and no script reads it.
 *
 *     __Host-board-<idea bank>   since.name.token      the person who is signed in there; only `/b/<id>/token` gives it away
 *     __Host-code-<idea bank>    handle.proof.name     the browser that asks for codes there
 *     __Host-typed-<idea bank>   email.name.code       what a form had that was refused, until the next page has shown it
 *     __Host-state-<state>       idea bank.since.path  one sign-in elsewhere: several tabs have several
 *
 * They say nothing that the browser may not change: a token is signed, a proof too, and a path is read again when it is used.
 */
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { isHandle } from "../../credentials/page-sign-in.ts";
import type { AppEnv } from "../../http/app-env.ts";

type C = Context<AppEnv>;

const ATTRIBUTES = { prefix: "host", path: "/", secure: true, httpOnly: true, sameSite: "Lax" } as const;
const PREFIX = "__Host-";

/** A browser has at most so many boards' people, and the oldest goes: each request of this host carries all of them. */
const MAX_PEOPLE = 20;
/** A browser refuses a cookie of more bytes, and says nothing. */
const MAX_BYTES = 4_096;
const MAX_STATES = 10;
export const STATE_SECONDS = 600;
/** The longest that a browser keeps a cookie. */
const PROVEN_SECONDS = 400 * 86_400;
const UNPROVEN_SECONDS = 86_400;

const encode = (text: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");

/** "" for a text that `encode` has not made. */
function decode(text: string): string {
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Uint8Array.from(binary, (each) => each.charCodeAt(0)),
    );
  } catch {
    return "";
  }
}

/** The cookies whose names begin so, by the rest of their names. */
const named = (c: C, name: string): [rest: string, value: string][] =>
  Object.entries(getCookie(c)).flatMap(([each, value]) =>
    each.startsWith(PREFIX + name) ? [[each.slice(PREFIX.length + name.length), value]] : [],
  );

/** Deletes the oldest of these cookies, so that one more has room. `timeOf` reads a value. */
function makeRoom(
  c: C,
  { name, most, timeOf }: { name: string; most: number; timeOf: (value: string) => number },
): void {
  const oldestFirst = named(c, name).toSorted(([, left], [, right]) => timeOf(left) - timeOf(right));
  for (const [rest] of oldestFirst.slice(0, Math.max(0, oldestFirst.length - most + 1)))
    deleteCookie(c, name + rest, ATTRIBUTES);
}

/** A time in base 36; 0 for another text. */
const readTime = (text: string | undefined): number =>
  /^[\da-z]{1,9}$/.test(text ?? "") ? Number.parseInt(text ?? "", 36) : 0;

type Person = { readonly token: string; readonly name: string | null };

const PERSON = "board-";

export function readPerson(c: C, ideaBankId: string): Person | undefined {
  const [, name = "", ...token] = getCookie(c, PERSON + ideaBankId, "host")?.split(".") ?? [];
  return token.length === 0 ? undefined : { token: token.join("."), name: decode(name) || null };
}

/** False when a browser would not keep so long a token. `expiresAt` and `now` are in Unix milliseconds. */
export function keepPerson(
  c: C,
  { ideaBankId, person, now, expiresAt }: { ideaBankId: string; person: Person; now: number; expiresAt: number },
): boolean {
  const name = PERSON + ideaBankId;
  const value = [now.toString(36), encode(person.name ?? ""), person.token].join(".");
  if (PREFIX.length + name.length + 1 + value.length > MAX_BYTES) return false;
  if (getCookie(c, name, "host") === undefined)
    makeRoom(c, { name: PERSON, most: MAX_PEOPLE, timeOf: (each) => readTime(each.split(".")[0]) });
  setCookie(c, name, value, { ...ATTRIBUTES, maxAge: Math.max(1, Math.floor((expiresAt - now) / 1000)) });
  return true;
}

export const forgetPerson = (c: C, ideaBankId: string): void => void deleteCookie(c, PERSON + ideaBankId, ATTRIBUTES);

/** `name`: what the person typed, until the code is there. */
export type Asking = { readonly handle: string; readonly proof: string; readonly name: string };

export function readAsking(c: C, ideaBankId: string): Asking | undefined {
  const [handle = "", proof = "", name = ""] = getCookie(c, `code-${ideaBankId}`, "host")?.split(".") ?? [];
  return isHandle(handle) ? { handle, proof, name: decode(name) } : undefined;
}

export function keepAsking(c: C, ideaBankId: string, { handle, proof, name }: Asking): void {
  const maxAge = proof === "" ? UNPROVEN_SECONDS : PROVEN_SECONDS;
  setCookie(c, `code-${ideaBankId}`, [handle, proof, encode(name)].join("."), { ...ATTRIBUTES, maxAge });
}

export const forgetAsking = (c: C, ideaBankId: string): void => void deleteCookie(c, `code-${ideaBankId}`, ATTRIBUTES);

export type TypedFields = { readonly email: string; readonly name: string; readonly code: string };

/** The next page is asked for at once. */
const TYPED_SECONDS = 60;
/** Longer than any that is taken, and short enough for a cookie in any script. */
const [LONGEST_EMAIL, LONGEST_NAME, LONGEST_CODE] = [320, 400, 40];

export const keepTyped = (c: C, ideaBankId: string, { email, name, code }: TypedFields): void =>
  setCookie(
    c,
    `typed-${ideaBankId}`,
    [email.slice(0, LONGEST_EMAIL), name.slice(0, LONGEST_NAME), code.slice(0, LONGEST_CODE)].map(encode).join("."),
    { ...ATTRIBUTES, maxAge: TYPED_SECONDS },
  );

/** Undefined where a form was not refused a moment ago, or a page has shown it. */
export function takeTyped(c: C, ideaBankId: string): TypedFields | undefined {
  const value = getCookie(c, `typed-${ideaBankId}`, "host");
  if (value === undefined) return undefined;
  deleteCookie(c, `typed-${ideaBankId}`, ATTRIBUTES);
  const [email = "", name = "", code = ""] = value.split(".").map(decode);
  return { email, name, code };
}

const STATE = "state-";

export function keepState(
  c: C,
  { state, ideaBankId, path, now }: { state: string; ideaBankId: string; path: string; now: number },
): void {
  makeRoom(c, { name: STATE, most: MAX_STATES, timeOf: (each) => readTime(each.split(".")[1]) });
  const value = [ideaBankId, now.toString(36), encode(path)].join(".");
  setCookie(c, STATE + state, value, { ...ATTRIBUTES, maxAge: STATE_SECONDS });
}

/** The sign-in elsewhere that this browser has begun: it is used once. `since` is in Unix milliseconds. */
export function takeState(
  c: C,
  state: string,
): { readonly ideaBankId: string; readonly since: number; readonly path: string } | undefined {
  const value = isHandle(state) ? getCookie(c, STATE + state, "host") : undefined;
  if (value === undefined) return undefined;
  deleteCookie(c, STATE + state, ATTRIBUTES);
  const [ideaBankId = "", since, path = ""] = value.split(".");
  return { ideaBankId, since: readTime(since), path: decode(path) };
}
