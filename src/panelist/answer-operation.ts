/**
 * How every operation of the panelist API is answered: the token alone first, then the idea bank that it names, then the
 * capability that the operation declares.
 */
import type { Context } from "hono";
import type { CompoundToken } from "../credentials/compound-token.ts";
import type { AppEnv } from "../http/app-env.ts";
import type { Operation } from "../http/operation.ts";
import { capabilitiesOf } from "../idea-bank/capabilities.ts";
import type { IdeaBankSnapshots } from "../idea-bank/snapshots.ts";
import { Problem } from "../problem.ts";
import { createTokenReader, type OpenedIdeaBank, openIdeaBank } from "./authenticate-panelist.ts";

/**
 * Called with a valid token, before the idea bank is read: it may start I/O of its own. What it returns makes the answer,
 * once the idea bank has the operation's capability.
 */
export type PanelistHandler = (
  c: Context<AppEnv>,
  token: CompoundToken,
) => (ideaBank: OpenedIdeaBank) => Response | Promise<Response>;

export function createPanelistAnswer(snapshots: IdeaBankSnapshots) {
  const readToken = createTokenReader();
  return async function answer(
    c: Context<AppEnv>,
    { credential }: Operation,
    handle: PanelistHandler,
  ): Promise<Response> {
    const token = await readToken(c);
    const respond = handle(c, token);
    const opened = await openIdeaBank(c, snapshots, token);
    const capability = credential.kind === "compoundToken" ? credential.capability : null;
    if (capability !== null && !capabilitiesOf(opened.ideaBank)[capability]) throw new Problem("idea-bank-not-found");
    return respond(opened);
  };
}
