/**
 * How the operations on the idea bank itself are answered, from the isolate's view of it: first the token is checked, then the idea
 * bank is opened, then the capability that the operation declares is checked.
 */
import type { Context } from "hono";
import type { Databases } from "../database/databases.ts";
import type { AppEnv } from "../http/app-env.ts";
import { readConsistencyToken } from "../http/consistency.ts";
import type { IdeaBankViews, OpenedIdeaBank, OpenTerms } from "../idea-bank/views.ts";
import { capabilitiesOf, hasCapability } from "../model/capabilities.ts";
import { Problem } from "../problem.ts";
import { type TokenReader, unauthorized } from "./authenticate-panelist.ts";
import { respondWithChangelog } from "./changelog.ts";

export type IdeaBankMemory = {
  readonly tokens: TokenReader;
  readonly views: IdeaBankViews;
  readonly databases: Databases;
};

/** `GET /public/ideabank/changelog` */
export async function getChangelog(c: Context<AppEnv>, memory: IdeaBankMemory): Promise<Response> {
  const { ideaBank, changelog } = await openIdeaBank(c, memory, "canViewChangelog");
  if (ideaBank === null || !hasCapability(ideaBank, "canViewChangelog")) throw new Problem("idea-bank-not-found");
  if (changelog === undefined) throw new Error("a changelog that may be viewed was not read with its idea bank");
  return respondWithChangelog(changelog, { requestId: c.get("requestId"), ifNoneMatch: c.req.header("If-None-Match") });
}

/** `GET /ideabank`: a closed, a suspended and a missing idea bank give the same answer. */
export async function getCapabilities(c: Context<AppEnv>, memory: IdeaBankMemory): Promise<Response> {
  const { ideaBank } = await openIdeaBank(c, memory, null);
  const capabilities = capabilitiesOf(ideaBank);
  const isOpen = Object.values(capabilities).includes(true);
  return c.json({ name: isOpen && ideaBank ? ideaBank.name : null, capabilities });
}

/** Throws `unauthorized` for a token that is not valid, or was revoked. */
async function openIdeaBank(
  c: Context<AppEnv>,
  { tokens, views, databases }: IdeaBankMemory,
  capability: OpenTerms["capability"],
): Promise<OpenedIdeaBank> {
  const token = await tokens.read(c);
  const database = databases.of(c, token.ideaBankId);
  if (database === undefined) throw unauthorized("of no database");
  const { freshnessMs, anchorMs } = c.get("settings");
  const opened = await views.open(token, {
    freshMs: freshnessMs,
    youngMs: freshnessMs + anchorMs,
    database,
    kv: capability === "canViewChangelog" ? c.env.CHANGELOGS : undefined,
    floor: await readConsistencyToken(c, [token.ideaBankId, token.panelistId]),
    capability,
    waitUntil: (promise) => c.executionCtx.waitUntil(promise),
  });
  if (opened.isRevoked) throw unauthorized("revoked");
  return opened;
}
