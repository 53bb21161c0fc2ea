/** A board on whose page people sign in: the ways that are set up, and where somebody comes back to. */
import type { Context } from "hono";
import type { IdeaBankMemory } from "../../access/open-idea-bank.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { pagePathOf } from "../../model/page-path.ts";
import { isDatabaseOutage } from "../../store/outage.ts";
import { waysToSignIn } from "../frame.ts";
import { openPage } from "../open-page.ts";
import { type Voice, voiceOf } from "./frame.tsx";
import { readReturn } from "./return-path.ts";

export type SignInBoard = {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** The board takes codes by e-mail, and the deployment can send them. */
  readonly byEmail: boolean;
  /** The tenant's own sign-in; null without one. */
  readonly elsewhere: string | null;
  readonly voice: Voice;
  /** The page that the visitor came from: a path of this board. */
  readonly to: string;
  readonly home: string;
};

/** The elements send the whole address of their page: what stands on this host is a path of it. */
function ownPath(c: Context<AppEnv>, returned: string | undefined): string | undefined {
  const { origin } = new URL(c.req.url);
  return returned?.startsWith(`${origin}/`) ? returned.slice(origin.length) : returned;
}

/** While the database does not answer, and nobody knows the board: what was typed can be shown all the same. */
export function unknownBoard(c: Context<AppEnv>, returned: string | undefined): SignInBoard {
  const id = c.req.param("id") ?? "";
  const voice = voiceOf(c, id);
  const home = voice.path("");
  return {
    ...{ id, home, voice, accountId: "", name: c.get("settings").brand.name },
    ...{ byEmail: true, elsewhere: null, to: readReturn(returned, id) ?? home },
  };
}

/** `returned`: what the request says of where to come back to. Undefined for a board without a page. */
export async function openSignIn(
  c: Context<AppEnv>,
  memory: IdeaBankMemory,
  returned: string | undefined,
): Promise<SignInBoard | undefined> {
  const page = await openPage(c, memory, c.req.param("id") ?? "");
  if (page === undefined) return undefined;
  const { id, ideaBank } = page;
  const voice = voiceOf(c, id);
  const home = voice.path(pagePathOf({ id, name: ideaBank.name }).slice(`/b/${id}`.length));
  return {
    ...{ id, home, name: ideaBank.name, accountId: ideaBank.accountId },
    byEmail: waysToSignIn(c, ideaBank).includes("email"),
    elsewhere: ideaBank.signInUrl,
    voice,
    to: readReturn(ownPath(c, returned), id) ?? home,
  };
}

/** As `openSignIn`, and "down" while the database does not answer and nobody knows the board. */
export const openSignInOrDown = (c: Context<AppEnv>, memory: IdeaBankMemory, returned: string | undefined) =>
  openSignIn(c, memory, returned).catch((error: unknown) => {
    if (!isDatabaseOutage(error)) throw error;
    return "down" as const;
  });
