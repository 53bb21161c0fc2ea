/** The routes of signing in on a board's page. They stand before the pages themselves: `sign-in` is no name of a board. */
import type { Context } from "hono";
import type { IdeaBankMemory } from "../../access/open-idea-bank.ts";
import type { Send } from "../../deliveries/send.ts";
import type { AppEnv } from "../../http/app-env.ts";
import type { EveryRequest } from "../../http/every-request.ts";
import type { Routes } from "../../http/routes.ts";
import { respondNothing } from "../respond.tsx";
import { addSignInByCode } from "./by-code.ts";
import { addSignInByEmail } from "./by-email.ts";
import { beginSession, goElsewhere, showSignedIn } from "./elsewhere.tsx";
import { takeRefusal } from "./refusals.ts";
import { openSignIn, openSignInOrDown, unknownBoard } from "./sign-in-board.ts";
import { respondWithSignIn } from "./sign-in-page.tsx";
import { isSignedIn, showToken, signOut } from "./token.ts";

type Answer = (c: Context<AppEnv>) => Response | Promise<Response>;

type Surface = {
  readonly everyRequest: EveryRequest;
  /** The answer in words to what was thrown. */
  readonly failed: (c: Context<AppEnv>, error: Error) => Promise<Response>;
};

export function addSignIn(
  routes: Routes<AppEnv>,
  memory: IdeaBankMemory & { readonly send: Send },
  { everyRequest, failed }: Surface,
): void {
  const on = (method: "GET" | "POST", path: string, answer: Answer) =>
    routes.on(method, `/b/:id${path}`, (c) =>
      everyRequest(
        c,
        () => answer(c),
        (error) => failed(c, error),
      ),
    );
  const { askForCode, showCode } = addSignInByEmail(memory);
  on("GET", "/token", showToken(memory));
  on("GET", "/sign-in", async (c) => {
    const returned = c.req.query("return");
    const refused = takeRefusal(c, "/sign-in");
    // What was typed comes back all the same.
    const opened =
      refused === undefined ? await openSignIn(c, memory, returned) : await openSignInOrDown(c, memory, returned);
    const board = opened === "down" ? unknownBoard(c, returned) : opened;
    if (board === undefined || !(board.byEmail || board.elsewhere)) return respondNothing(c);
    if (refused === undefined && (await isSignedIn(c, memory, board))) return c.redirect(board.to, 303);
    // Where there is one way, nobody has to choose it.
    if (!board.byEmail) return c.redirect(board.voice.path("/sign-in/elsewhere", { return: board.to }), 302);
    const { email = "", name = "" } = refused?.typed ?? {};
    const faults = { email: refused?.email, name: refused?.name };
    return respondWithSignIn(c, board, { email, name, notice: refused?.notice, faults });
  });
  on("POST", "/sign-in", askForCode);
  on("GET", "/sign-in/code", showCode);
  on("POST", "/sign-in/code", addSignInByCode(memory));
  on("GET", "/sign-in/elsewhere", goElsewhere(memory));
  on("GET", "/signed-in", showSignedIn(memory));
  on("POST", "/session", beginSession(memory));
  on("POST", "/sign-out", signOut(memory));
}
