/**
 * Signing in at the tenant's own site: it is led to with `return` and `state`, and leads back with a token in the fragment and that `state`.
 * Without the state that this browser made a moment ago for this board a token is refused, so nobody is signed in as somebody else by a link.
 */
import type { Context } from "hono";
import * as z from "zod/mini";
import type { IdeaBankMemory } from "../../access/open-idea-bank.ts";
import { secureRandomBytes } from "../../credentials/base62.ts";
import type { VerifiedToken } from "../../credentials/compound-token.ts";
import { createHandle } from "../../credentials/page-sign-in.ts";
import { nameOfPanelist } from "../../database/pages/page-people.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { JSON_TYPE, parseJson, readBytes } from "../../http/read-body.ts";
import { isFromOwnPage } from "../../http/same-origin.ts";
import { pagesOriginOf } from "../../model/pages-origin.ts";
import { respondNothing } from "../respond.tsx";
import { keepPerson, keepState, STATE_SECONDS, takeState } from "./cookies.ts";
import { respondWithPage } from "./frame.tsx";
import { readReturn } from "./return-path.ts";
import { openSignIn, type SignInBoard } from "./sign-in-board.ts";
import { openPerson } from "./token.ts";

type C = Context<AppEnv>;

/** `GET /b/<id>/sign-in/elsewhere?return=` */
export const goElsewhere = (memory: IdeaBankMemory) => async (c: C) => {
  const board = await openSignIn(c, memory, c.req.query("return"));
  if (!board?.elsewhere) return respondNothing(c);
  const state = createHandle(secureRandomBytes);
  keepState(c, { state, ideaBankId: board.id, path: board.to, now: Date.now() });
  const back = `${pagesOriginOf(c.env, c.req.url)}/b/${board.id}/signed-in`;
  c.header("Cache-Control", "no-store");
  c.header("Referrer-Policy", "no-referrer");
  return c.redirect(withQuery(board.elsewhere, { return: back, state }), 302);
};

/** The address with more parameters. What it has stays as it is written, but for parameters of these names. */
function withQuery(address: string, more: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const name of Object.keys(more)) if (url.searchParams.has(name)) url.searchParams.delete(name);
  url.search += (url.search === "" ? "?" : "&") + new URLSearchParams(more);
  return url.href;
}

/** `GET /b/<id>/signed-in`: the page that takes the token out of its address. It is the same for everybody. */
export const showSignedIn = (memory: IdeaBankMemory) => async (c: C) => {
  const board = await openSignIn(c, memory, undefined);
  if (!board?.elsewhere) return respondNothing(c);
  const { voice } = board;
  const { say, path } = voice;
  return respondWithPage(c, {
    voice,
    title: say("signInTo", { board: board.name }),
    script: "signed-in",
    children: (
      <div data-session={`/b/${board.id}/session`}>
        <p data-waiting role="status">
          {say("signingIn")}
        </p>
        <div data-refused hidden>
          <p role="alert">{say("refused")}</p>
          <p>
            <a class="page-button primary" data-again rel="nofollow" href={path("/sign-in/elsewhere")}>
              {say("tryAgain")}
            </a>
          </p>
          <p>
            <a href={board.home}>{say("back", { board: board.name })}</a>
          </p>
        </div>
        <noscript>
          <p>{say("needsScript")}</p>
        </noscript>
      </div>
    ),
  });
};

const MAX_BYTES = 8 * 1024;
const Arrival = z.object({ token: z.string(), state: z.string() });

/** `POST /b/<id>/session`: from our own page, with JSON, which no form of another site can send. */
export const beginSession = (memory: IdeaBankMemory) => async (c: C) => {
  const board = await openSignIn(c, memory, undefined);
  if (!board?.elsewhere) return respondNothing(c);
  c.header("Cache-Control", "no-store");
  if (!isFromOwnPage(c)) return c.json({ return: null }, 403);
  const { data } = Arrival.safeParse(
    parseJson(await readBytes(c, { expectedType: JSON_TYPE, maxBytes: MAX_BYTES })).value,
  );
  const now = Date.now();
  // Used up, whatever becomes of it.
  const state = takeState(c, data?.state ?? "");
  const isOwn = state?.ideaBankId === board.id && now >= state.since && now - state.since < STATE_SECONDS * 1000;
  const path = (isOwn && readReturn(state.path, board.id)) || board.home;
  const isSignedIn = isOwn && data !== undefined && (await signIn(c, memory, { board, token: data.token, now }));
  return c.json({ return: path }, isSignedIn ? 200 : 403);
};

/** False for a text that is no person's token for this board, and for one that no cookie can hold. */
async function signIn(
  c: C,
  memory: IdeaBankMemory,
  { board, token: text, now }: { readonly board: SignInBoard; readonly token: string; readonly now: number },
): Promise<boolean> {
  const token = await openPerson(c, memory, { page: board, token: text });
  if (token === undefined) return false;
  const person = { token: text, name: await nameOf(c, memory, { board, token }) };
  return keepPerson(c, { ideaBankId: board.id, person, now, expiresAt: token.expiresAt * 1000 });
}

/** As its server has signed it, or as the panelist is called. It is only shown, so nobody waits for it while D1 does not answer. */
async function nameOf(
  c: C,
  memory: IdeaBankMemory,
  { board, token }: { readonly board: SignInBoard; readonly token: VerifiedToken },
): Promise<string | null> {
  const { panelistId, signed } = token;
  const database = memory.databases.of(c, board.id);
  if (signed?.name != null || panelistId === null || database === undefined) return signed?.name ?? null;
  const panelist = { accountId: board.accountId, panelistId };
  return database.read((session) => nameOfPanelist(session, panelist)).catch(() => null);
}
