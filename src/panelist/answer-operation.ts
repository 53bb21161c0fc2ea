/**
 * How an operation on the idea bank itself is answered, from the isolate's snapshot: first the token is checked, then the idea bank
 * that it names is read, then the capability that the operation declares is checked.
 */
import type { Context } from "hono";
import type { AppEnv } from "../http/app-env.ts";
import type { Operation } from "../http/operation.ts";
import { hasCapability } from "../idea-bank/capabilities.ts";
import type { IdeaBankAsOf, IdeaBankSnapshots, OpenedIdeaBank, Prepare } from "../idea-bank/snapshots.ts";
import { Problem } from "../problem.ts";
import { openIdeaBank, type Presented, type ReadToken } from "./authenticate-panelist.ts";

/**
 * Called with a valid token, before the idea bank is read: it may start I/O of its own. `respond` makes the answer, once the
 * idea bank has the operation's capability; `prepare` fetches what answers will need, when it was read with nobody waiting.
 */
export type PanelistHandler = (
  c: Context<AppEnv>,
  presented: Presented,
) => {
  readonly respond: (opened: OpenedIdeaBank) => Response | Promise<Response>;
  readonly prepare?: Prepare;
};

export function createPanelistAnswer(readToken: ReadToken, snapshots: IdeaBankSnapshots) {
  return async function answer(
    c: Context<AppEnv>,
    { credential }: Operation,
    handle: PanelistHandler,
  ): Promise<Response> {
    const presented = await readToken(c);
    const { respond, prepare } = handle(c, presented);
    const capability = credential.kind === "compoundToken" ? credential.capability : null;
    const isClosed = ({ ideaBank }: IdeaBankAsOf) =>
      capability !== null && (ideaBank === null || !hasCapability(ideaBank, capability));
    const opened = await openIdeaBank(c, snapshots, presented, async (next) => {
      if (!isClosed(next)) await prepare?.(next);
    });
    if (isClosed(opened)) throw new Problem("idea-bank-not-found");
    return respond(opened);
  };
}
