/** The panelist API: what a panelist's client does with its compound token. Open to every origin, without cookies. */
import { Hono, type MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { chooseDatabase } from "../database/choose-database.ts";
import type { AppEnv } from "../http/app-env.ts";
import { ifNoneMatch } from "../http/if-none-match.ts";
import type { IsolateMemory } from "../http/isolate-memory.ts";
import { capabilitiesOf } from "../idea-bank/capabilities.ts";
import { Problem } from "../problem.ts";
import { openIdeaBank, readToken } from "./authenticate-panelist.ts";

const answerPreflight = cors({
  origin: "*",
  allowMethods: ["GET", "HEAD", "POST", "PUT", "DELETE"],
  allowHeaders: ["Authorization", "Content-Type", "If-None-Match", "X-Request-Id"],
  maxAge: 86_400,
});

/** Other answers say the same in two prepared headers: see `defaultHeaders`. */
const openToAnyOrigin: MiddlewareHandler = (c, next) => {
  if (c.req.method === "OPTIONS") return answerPreflight(c, next);
  c.header("Access-Control-Allow-Origin", "*");
  c.header("Access-Control-Expose-Headers", "ETag,Retry-After,X-Request-Id");
  return next();
};

export function createPanelistRoutes(memory: IsolateMemory) {
  const { snapshots, changelogs } = memory;
  const routes = new Hono<AppEnv>();
  routes.use("/ideabank/*", openToAnyOrigin);
  routes.use("/public/ideabank/*", openToAnyOrigin);

  routes.get("/ideabank", async (c) => {
    const token = await readToken(c, memory);
    const { ideaBank } = await openIdeaBank(c, memory, token);
    return c.json({ capabilities: capabilitiesOf(ideaBank) });
  });

  routes.get("/public/ideabank/changelog", async (c) => {
    c.header("Vary", "Authorization, Origin");
    const token = await readToken(c, memory);
    const { ideaBankId } = token;
    // An isolate that meets this idea bank for the first time asks KV beside D1: the cold path is one round trip deep.
    const prefetched = snapshots.has(ideaBankId) ? undefined : changelogs.prefetch(c.env.CHANGELOGS, ideaBankId);
    const { ideaBank, bookmark } = await openIdeaBank(c, memory, token);
    if (!capabilitiesOf(ideaBank).canViewChangelog) throw new Problem("idea-bank-not-found");
    const sources = { database: chooseDatabase(c.env), bookmark, store: c.env.CHANGELOGS, prefetched };
    const changelog = await changelogs.read(sources, ideaBankId, ideaBank.changelogVersion, (storing) =>
      c.executionCtx.waitUntil(storing),
    );
    c.header("ETag", changelog.etag);
    c.header("Cache-Control", "private, no-cache");
    if (ifNoneMatch(c.req.header("If-None-Match"), changelog.etag)) return c.body(null, 304);
    return c.body(changelog.bytes, 200, { "Content-Type": "application/json" });
  });

  return routes;
}
