/**
 * How an operation on the idea bank itself is answered, from the isolate's snapshot: first the token is checked, then the idea bank
 * that it names is read, then the capability that the operation declares is checked.
 */
import type { Context } from "hono";
import type { AppEnv } from "../http/app-env.ts";
import type { Operation } from "../http/operation.ts";
import type { Changelogs } from "../idea-bank/changelogs.ts";
import type { IdeaBankSnapshots, OpenedIdeaBank } from "../idea-bank/snapshots.ts";
import { hasCapability } from "../model/capabilities.ts";
import { Problem } from "../problem.ts";
import { openIdeaBank, type PresentedToken, type ReadToken } from "./authenticate-panelist.ts";

/**
 * Called with a valid token, before the idea bank is read: it may start I/O of its own. What it returns is called once the idea
 * bank has the operation's capability.
 */
export type PanelistHandler = (
  c: Context<AppEnv>,
  presented: PresentedToken,
) => (opened: OpenedIdeaBank) => Response | Promise<Response>;

export function createPanelistAnswer(readToken: ReadToken, snapshots: IdeaBankSnapshots, changelogs: Changelogs) {
  return async function answer(
    c: Context<AppEnv>,
    { credential }: Operation,
    handle: PanelistHandler,
  ): Promise<Response> {
    const presented = await readToken(c);
    const respond = handle(c, presented);
    const waitUntil = (promise: Promise<void>) => c.executionCtx.waitUntil(promise);
    const alongside = changelogs.alongside(c.env.CHANGELOGS, presented.token.ideaBankId, waitUntil);
    const opened = await openIdeaBank(c, snapshots, presented, alongside);
    const capability = credential.kind === "compoundToken" ? credential.capability : null;
    if (capability !== null && (opened.ideaBank === null || !hasCapability(opened.ideaBank, capability)))
      throw new Problem("idea-bank-not-found");
    return respond(opened);
  };
}
