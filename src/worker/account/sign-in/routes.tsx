/**
 * `/account/sign-in`: an owner comes with a link that the platform's own server has asked for; `/account/sign-out`.
 *
 * Opening the link uses it up and signs in, but only as a page that somebody visits: an image, a frame, a script of another page and
 * a browser's prefetch change nothing. It asks first where somebody else is signed in, by a link or by Access, so that no page replaces
 * an owner by another unseen. The answer is a form, which must come from this page.
 */
import type { Context } from "hono";
import { SIGN_IN_LINK, verifySignIn } from "../../credentials/sign-in.ts";
import { findOffered, findSignedIn, openSignIn } from "../../database/sign-ins.ts";
import { readForm } from "../../http/read-body.ts";
import type { Routes } from "../../http/routes.ts";
import { directoryOf } from "../account-databases.ts";
import { renderPage } from "../frame/render-page.tsx";
import { beginSession, endSession, endSessionsOf, handedOver } from "../identity/handed-over.ts";
import type { Identify } from "../identity/identity.ts";
import { requireOwnPage } from "../identity/same-origin.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { tellAccountsSoon } from "./sign-in-events.ts";
import { LinkEndedPage, SignedOutEverywherePage, SignedOutPage, SignInPage } from "./sign-in-page.tsx";

const SIGN_IN = "/account/sign-in";
const SIGN_OUT = "/account/sign-out";
const SIGN_OUT_EVERYWHERE = "/account/sign-out-everywhere";

/** The form has a link alone, and anybody can send it. */
const MAX_BYTES = 1_024;

/** Browsers of today and of before, and previews, say with one of these that nobody has come to the page yet. */
const PREFETCH = ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"];

/**
 * Whether somebody goes to this page: not a HEAD, not a part of another page, not a prefetch. Browsers say so
 * (https://www.w3.org/TR/fetch-metadata/, https://wicg.github.io/nav-speculation/prefetch.html); other clients say nothing.
 */
function isVisit({ req }: Context): boolean {
  const isPage = (req.header("Sec-Fetch-Dest") ?? "document") === "document";
  return req.method === "GET" && isPage && PREFETCH.every((name) => req.header(name) === undefined);
}

/** `identify` finds the person whom Access has signed in. */
export function addSignIn(routes: Routes<OwnerEnv>, identify: Identify): void {
  const personOf = async (c: Context<OwnerEnv>) => (await handedOver(c)) ?? (await identify(c))?.email;
  const idOf = (c: Context<OwnerEnv>, link: string | null | undefined) =>
    verifySignIn(SIGN_IN_LINK, link ?? "", c.get("settings").signingKeys);
  const refuse = (c: Context<OwnerEnv>) => renderPage(c, (frame) => <LinkEndedPage frame={frame} />, 410);
  /** While its session lasts, only the person whom the link has signed in comes back to it: anybody else had it from somewhere. */
  const refuseUsed = async (c: Context<OwnerEnv>, id: string) => {
    const person = (await findSignedIn(directoryOf(c), id, Date.now()))?.email;
    if (person !== undefined && (await personOf(c)) !== person)
      tellAccountsSoon(c, { event: "sign-in-link-used-again", person, linkId: id });
    return refuse(c);
  };

  const signIn = async (c: Context<OwnerEnv>, id: string) => {
    const opened = await openSignIn(directoryOf(c), id, Date.now());
    if (opened === null) return refuseUsed(c, id);
    await beginSession(c, id);
    tellAccountsSoon(c, { event: "signed-in", person: opened.email, linkId: id });
    return c.redirect(opened.returnTo, 303);
  };

  routes.get(SIGN_IN, async (c) => {
    const link = c.req.query("link") ?? "";
    const id = await idOf(c, link);
    const offered = id ? await findOffered(directoryOf(c), id, Date.now()) : null;
    if (!id) return refuse(c);
    if (offered === null) return isVisit(c) ? refuseUsed(c, id) : refuse(c);
    const signedIn = await personOf(c);
    if (signedIn === offered.email) return c.redirect(offered.returnTo, 303);
    if (signedIn === undefined && isVisit(c)) return signIn(c, id);
    const props = { email: offered.email, signedIn, link };
    return renderPage(c, (frame) => <SignInPage frame={frame} {...props} />);
  });

  routes.post(SIGN_IN, async (c) => {
    requireOwnPage(c);
    const id = await idOf(c, (await readForm(c, { maxBytes: MAX_BYTES })).get("link"));
    return id ? signIn(c, id) : refuse(c);
  });

  routes.post(SIGN_OUT, async (c) => {
    requireOwnPage(c);
    await endSession(c);
    return renderPage(c, (frame) => <SignedOutPage frame={frame} />);
  });

  routes.post(SIGN_OUT_EVERYWHERE, async (c) => {
    requireOwnPage(c);
    const person = await personOf(c);
    if (person !== undefined) await endSessionsOf(c, person);
    const hasAccess = (await identify(c)) !== undefined;
    return renderPage(c, (frame) => <SignedOutEverywherePage frame={frame} hasAccess={hasAccess} />);
  });
}
