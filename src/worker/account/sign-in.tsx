/**
 * `/account/sign-in`: an owner comes with a link that the platform's own server has asked for; `/account/sign-out`.
 *
 * Opening the link changes nothing, so a preview or a scanner may open it, and no foreign page can sign anybody in unseen: the page names
 * the person, and its button sends a form, which must come from this page. The form uses the link up and gets a new cookie.
 */
import type { Context } from "hono";
import { SIGN_IN_LINK, verifySignIn } from "../credentials/sign-in.ts";
import { findOffered, openSignIn } from "../database/sign-ins.ts";
import { readForm } from "../http/read-body.ts";
import type { Routes } from "../http/routes.ts";
import { directoryOf } from "./account-databases.ts";
import { beginSession, endSession, handedOver } from "./handed-over.ts";
import type { OwnerEnv } from "./owner-env.ts";
import { LinkEndedPage, SignedOutPage, SignInPage } from "./pages/sign-in-page.tsx";
import { refuseMethod, renderPage } from "./render-page.tsx";
import { requireOwnPage } from "./same-origin.ts";

const SIGN_IN = "/account/sign-in";
const SIGN_OUT = "/account/sign-out";

export function addSignIn(routes: Routes<OwnerEnv>): void {
  const idOf = (c: Context<OwnerEnv>, link: string | null | undefined) =>
    verifySignIn(SIGN_IN_LINK, link ?? "", c.get("settings").signingKeys);
  const refuse = (c: Context<OwnerEnv>) => renderPage(c, (frame) => <LinkEndedPage frame={frame} />, 410);

  routes.get(SIGN_IN, async (c) => {
    const link = c.req.query("link") ?? "";
    const id = await idOf(c, link);
    const signIn = id ? await findOffered(directoryOf(c), id, Date.now()) : null;
    if (signIn === null) return refuse(c);
    const signedIn = await handedOver(c);
    if (signedIn === signIn.email) return c.redirect(signIn.returnTo, 303);
    const props = { email: signIn.email, signedIn, link };
    return renderPage(c, (frame) => <SignInPage frame={frame} {...props} />);
  });

  routes.post(SIGN_IN, async (c) => {
    requireOwnPage(c);
    const id = await idOf(c, (await readForm(c.req.raw)).get("link"));
    const signIn = id ? await openSignIn(directoryOf(c), id, Date.now()) : null;
    if (!id || signIn === null) return refuse(c);
    await beginSession(c, id);
    return c.redirect(signIn.returnTo, 303);
  });
  routes.all(SIGN_IN, refuseMethod("GET, HEAD, POST"));

  routes.post(SIGN_OUT, async (c) => {
    requireOwnPage(c);
    await endSession(c);
    return renderPage(c, (frame) => <SignedOutPage frame={frame} />);
  });
  routes.all(SIGN_OUT, refuseMethod("POST"));
}
