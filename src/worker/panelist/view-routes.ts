/** What a token reads of its idea bank without a call to a store, most of the time: the changelog, its feeds, and what the token can do. */
import type { IdeaBankMemory } from "../access/open-idea-bank.ts";
import type { AppEnv } from "../http/app-env.ts";
import type { EveryRequest } from "../http/every-request.ts";
import { routeOperations } from "../http/route-operations.ts";
import type { Routes } from "../http/routes.ts";
import { createViewAnswer } from "./answer-view.ts";
import { CHANGELOG_OPERATIONS } from "./changelog.ts";
import { FEED_OPERATIONS } from "./changelog-feeds.ts";
import { IDEA_BANK_OPERATIONS } from "./idea-bank.ts";

/** Of the panelist API. */
export const PANELIST_PATHS = ["/ideabank/*", "/public/ideabank/*", "/surveys/*"] as const;

const OPERATIONS = { ...CHANGELOG_OPERATIONS, ...FEED_OPERATIONS, ...IDEA_BANK_OPERATIONS };

export const createViewRoutes = (memory: IdeaBankMemory, everyRequest: EveryRequest): Routes<AppEnv> =>
  routeOperations(OPERATIONS, createViewAnswer(memory), everyRequest);
