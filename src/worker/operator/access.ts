/** `/operator/verify-key` and `/operator/verify-token`: the answers of the entrypoint `Access`, for services that are not Workers. */
import type { Context } from "hono";
import { type Asker, verifyKey, verifyToken } from "../access/answers.ts";
import type { AppEnv } from "../http/app-env.ts";
import { traceIdOf } from "../http/trace.ts";
import { KeyAccess, KeyQuestion, TokenAccess, TokenQuestion } from "../model/access.ts";
import { operation } from "./operation.ts";

const askerOf = (c: Context<AppEnv>): Asker => ({
  caller: c,
  settings: c.get("settings"),
  log: (problem) =>
    c.get("problemLog").add({ requestId: c.get("requestId"), traceId: traceIdOf(c) }, problem, Date.now()),
});

const SHARED = {
  method: "POST",
  effect: "reads",
  credential: { kind: "operator" },
  status: 200,
  problems: ["not-found"],
} as const;

export const ACCESS_OPERATIONS = {
  verifyKey: operation({
    ...SHARED,
    path: "/operator/verify-key",
    body: KeyQuestion,
    answer: KeyAccess,
    summary: "Decide a request with an API key for another service",
    description:
      "Counts one request against the key's limit, as a request of this API. 200 also for a key that is refused: `problem` is what " +
      "this API would answer.",
    handle: async (c, { body: { key, ...terms } }, memory) =>
      c.json(await verifyKey(memory, { asker: askerOf(c), key, terms })),
  }),

  verifyToken: operation({
    ...SHARED,
    path: "/operator/verify-token",
    body: TokenQuestion,
    answer: TokenAccess,
    summary: "Say what a compound token allows, for another service",
    description:
      "For a panelist's token, a visitor's, and one that a tenant's server has signed. 200 also for a token that is refused: " +
      "`problem` is what this API would answer.",
    handle: async (c, { body: { token } }, memory) => c.json(await verifyToken(memory, askerOf(c), token)),
  }),
};
