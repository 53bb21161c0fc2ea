/**
 * A form that was refused: because the sign-in had ended, something is gone or has changed, or a store does not answer. Its fields stay
 * on the refusing page, which sends them again. Nothing of it is stored.
 */
import type { Context } from "hono";
import { hasCredential } from "../../credentials/hide-credentials.ts";
import { readForm } from "../../http/read-body.ts";
import { isFromOwnPage } from "../../http/same-origin.ts";
import { isOwnPage } from "../../model/own-page.ts";
import { wasSignedIn } from "../identity/handed-over.ts";
import type { OwnerEnv } from "../owner-env.ts";

/** `action`: where the form goes. `page`: the page on which it was filled in. */
export type HeldForm = {
  readonly action: string;
  readonly page: string | undefined;
  readonly fields: readonly (readonly [name: string, value: string])[];
};

/** The largest form of Account Settings is that of an idea which is published with a response. */
const MAX_BYTES = 768 * 1024;

/**
 * The form of this request. Undefined when a page of another site has sent it: with its fields on a page of ours, one click would
 * send them in the owner's name. A field with a credential in it is left out.
 */
export async function heldForm(c: Context<OwnerEnv>): Promise<HeldForm | undefined> {
  if (c.req.method !== "POST" || !isFromOwnPage(c)) return undefined;
  const sent = c.get("form") ?? (await readRefused(c));
  const fields = [...(sent ?? [])].filter(([, value]) => !hasCredential(value));
  const action = c.get("asked");
  return fields.length === 0 ? undefined : { action, page: pageOf({ action, sent, referer: refererOf(c) }), fields };
}

type Sent = {
  readonly action: string;
  readonly sent: URLSearchParams | undefined;
  readonly referer: string | undefined;
};

/** Sent again by the page that refused it, a form names its page itself: what does something for other pages can only be posted to. */
function pageOf({ action, sent, referer }: Sent): string | undefined {
  const back = sent?.get("back");
  return referer === action && back && isOwnPage(back) ? back : referer;
}

/** A body is read of a person who is known, and of a browser that was signed in here. Nobody else can make an isolate read one. */
async function readRefused(c: Context<OwnerEnv>): Promise<URLSearchParams | undefined> {
  if (c.get("sender") === undefined && !(await wasSignedIn(c))) return undefined;
  return readForm(c, { maxBytes: MAX_BYTES }).catch(() => undefined);
}

/** The page of ours that the request came from. */
export function refererOf({ req }: Context<OwnerEnv>): string | undefined {
  const referer = req.header("Referer") ?? "";
  // No page of ours has a longer address, and reading a long host takes time that grows with the square of its length.
  if (referer.length > 4_096 || !URL.canParse(referer)) return undefined;
  const { origin, pathname, search } = new URL(referer);
  return origin === new URL(req.url).origin && isOwnPage(pathname + search) ? pathname + search : undefined;
}

/** The page of the platform where owners sign in, which is told where the owner wants to go. */
export function signInAddress(c: Context<OwnerEnv>): string | undefined {
  const address = c.env.SIGN_IN_URL;
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) return undefined;
  const url = new URL(address);
  const wanted = c.req.method === "GET" ? c.get("asked") : refererOf(c);
  if (wanted !== undefined && isOwnPage(wanted)) url.searchParams.set("returnTo", wanted);
  return url.href;
}
