/**
 * `/b/<id>/token`: the token with which the page's elements ask. It is the one place that gives away what that browser has in the cookie of
 * a person: so it answers pages of this origin alone.
 */
import type { Context } from "hono";
import { type IdeaBankMemory, openByToken } from "../../access/open-idea-bank.ts";
import { CLOCKS_APART_SECONDS, issueToken } from "../../credentials/compound-token.ts";
import { hashHandle } from "../../credentials/page-sign-in.ts";
import { endCodes } from "../../database/pages/sign-in-codes.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { refuseOtherSites, requireOwnPage } from "../../http/same-origin.ts";
import { logError } from "../../log.ts";
import { isId } from "../../model/id.ts";
import type { IdeaBankState } from "../../model/idea-bank.ts";
import { Problem } from "../../problem.ts";
import { type OpenPage, openPage } from "../open-page.ts";
import { respondNothing } from "../respond.tsx";
import { limitSender } from "./by-email.ts";
import { forgetAsking, forgetPerson, keepAsking, readAsking, readPerson } from "./cookies.ts";
import { openSignIn, type SignInBoard } from "./sign-in-board.ts";

type C = Context<AppEnv>;

/** In seconds. A page that is open for longer asks again. */
const VISITOR_FOR = 3_600;

/** `GET /b/<id>/token` */
export const showToken = (memory: IdeaBankMemory) => async (c: C) => {
  refuseOtherSites(c);
  const page = await openPage(c, memory, c.req.param("id") ?? "");
  if (page === undefined) return respondNothing(c);
  const person = readPerson(c, page.id);
  const isGood = await isSignedIn(c, memory, page);
  if (person !== undefined && !isGood) forgetPerson(c, page.id);
  c.header("Cache-Control", "no-store");
  c.header("Vary", "Cookie");
  c.header("Cross-Origin-Resource-Policy", "same-origin");
  if (person === undefined || !isGood) return c.text(await visitorToken(c, page));
  c.header("Signed-In-As", encodeURIComponent(person.name ?? ""));
  return c.text(person.token);
};

/** Whether this browser has a person's token for the board that is still good. */
export async function isSignedIn(c: C, memory: IdeaBankMemory, board: Pick<OpenPage, "id">): Promise<boolean> {
  const person = readPerson(c, board.id);
  return person !== undefined && (await openPerson(c, memory, { page: board, token: person.token })) !== undefined;
}

/** The content of a person's token for this board; undefined for any other text. */
export async function openPerson(
  c: C,
  memory: IdeaBankMemory,
  { page, token: text }: { readonly page: Pick<OpenPage, "id">; readonly token: string },
) {
  const question = {
    ...{ text, sent: undefined, address: c.req.header("CF-Connecting-IP") ?? "" },
    ...{ capability: null, store: undefined, consistencyToken: undefined },
  };
  try {
    const { token } = await openByToken(memory, { caller: c, settings: c.get("settings"), question });
    return token.ideaBankId === page.id && token.panelistId !== null ? token : undefined;
  } catch (error) {
    if (error instanceof Problem && error.code === "unauthorized") return undefined;
    throw error;
  }
}

/**
 * Signed from memory. It is dated so that it is valid after every end that the view knows (database/tokens/token-dates.ts), and otherwise
 * some seconds ago, because D1's clock dates the next end and may be behind.
 */
function visitorToken(c: C, { id, ideaBank }: Pick<OpenPage, "id" | "ideaBank">): Promise<string> {
  const issuedAt = Math.max(Math.floor(Date.now() / 1000) - CLOCKS_APART_SECONDS, lastEndOf(ideaBank) + 1);
  const token = { ideaBankId: id, panelistId: null, issuedAt, expiresAt: issuedAt + VISITOR_FOR };
  return issueToken(token, c.get("settings").signingKeys);
}

/** In Unix seconds; 0 when nothing was ended. */
const lastEndOf = ({ visitorTokensEndedAt, tokensEndedAt }: IdeaBankState): number =>
  Math.floor(Math.max(visitorTokensEndedAt ?? 0, tokensEndedAt ?? 0) / 1000);

/** `POST /b/<id>/sign-out`: here, and nowhere else. Nobody is signed in again before somebody asks for it. */
export const signOut = (memory: IdeaBankMemory) => async (c: C) => {
  requireOwnPage(c);
  // Also of a board that is closed by now: whoever leaves a computer to others is signed out.
  const id = c.req.param("id") ?? "";
  if (isId(id)) forgetPerson(c, id);
  const board = await openSignIn(c, memory, undefined);
  if (board === undefined) return respondNothing(c);
  await endAsking(c, memory, board);
  return c.redirect(board.home, 303);
};

/** What this browser has asked for ends too, with the address and the name. The handle and its proof stay. */
async function endAsking(c: C, memory: IdeaBankMemory, { id }: SignInBoard): Promise<void> {
  const asking = readAsking(c, id);
  if (asking === undefined) return;
  try {
    await limitSender(c);
    const browser = await hashHandle(asking.handle);
    const session = memory.databases.of(c, id)?.primary().session;
    if (session !== undefined) await endCodes(session, { ideaBankId: id, browser, now: Date.now() });
    keepAsking(c, id, { ...asking, name: "" });
  } catch (error) {
    // Signing out waits for nothing. Without the handle nobody finds the code.
    forgetAsking(c, id);
    if (!(error instanceof Problem)) logError("the codes of a browser that signs out were not ended", error, id);
  }
}
