/**
 * How the operations on the idea bank itself are answered, from the isolate's view of it: first the token is checked, then the idea
 * bank is opened, then the capability that the operation declares is checked.
 */
import type { Context } from "hono";
import type { Databases } from "../database/databases.ts";
import type { AppEnv } from "../http/app-env.ts";
import { CONSISTENCY_TOKEN, readConsistencyToken } from "../http/consistency.ts";
import type { RawRequest } from "../http/raw-request.ts";
import { REQUEST_ID, requestIdOf } from "../http/request-id.ts";
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

type Settings = AppEnv["Variables"]["settings"];

const PATH = "/public/ideabank/changelog";

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
  const opened = await views.open(token, {
    ...ageOf(c.get("settings")),
    database,
    kv: capability === "canViewChangelog" ? c.env.CHANGELOGS : undefined,
    floor: await readConsistencyToken(c, [token.ideaBankId, token.panelistId]),
    capability,
    waitUntil: (promise) => c.executionCtx.waitUntil(promise),
  });
  if (opened.isRevoked) throw unauthorized("revoked");
  return opened;
}

/**
 * The changelog from memory, synchronously and before any middleware: what `getChangelog` would answer. Undefined when it is
 * another request, or when memory alone cannot answer it with 200 or 304.
 */
export function getChangelogFromMemory(
  { request, path, env, executionCtx }: RawRequest,
  { tokens, views, databases }: IdeaBankMemory,
  settings: Settings,
): Response | undefined {
  if (path !== PATH) return undefined;
  const { headers } = request;
  if (headers.has(CONSISTENCY_TOKEN)) return undefined;
  const token = tokens.peek(headers.get("Authorization"), settings.signingKeys);
  const database = token && databases.of({ env, executionCtx }, token.ideaBankId);
  if (token === undefined || database === undefined) return undefined;
  const opened = views.openFromMemory(token, {
    ...ageOf(settings),
    database,
    kv: env.CHANGELOGS,
    floor: undefined,
    capability: "canViewChangelog",
    waitUntil: (promise) => executionCtx.waitUntil(promise),
  });
  if (opened?.changelog === undefined) return undefined;
  const requestId = requestIdOf(headers.get(REQUEST_ID));
  return respondWithChangelog(opened.changelog, { requestId, ifNoneMatch: headers.get("If-None-Match") ?? undefined });
}

const ageOf = ({ freshnessMs, anchorMs }: Settings) => ({ freshMs: freshnessMs, doubtMs: freshnessMs + anchorMs });
