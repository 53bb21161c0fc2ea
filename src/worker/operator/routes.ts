/** What the operator of a deployment uses: the health check, open to anybody, and commands with the operator's secret. */
import type { Context } from "hono";
import { changeOwnKey, revokeOwnKey } from "../api-key-gate/key-changes.ts";
import { constantTimeEqual } from "../credentials/constant-time-equal.ts";
import type { AppEnv } from "../http/app-env.ts";
import { readInput } from "../http/read-input.ts";
import { routeOperations } from "../http/route-operations.ts";
import { Problem } from "../problem.ts";
import { changeAccountStatus, type OperatorMemory } from "./account-status.ts";
import { actForOwnerOf } from "./api-keys.ts";
import { HealthCheck } from "./health.ts";
import { OPERATOR_OPERATIONS } from "./operations.ts";

const MIN_SECRET_LENGTH = 32;

export function createOperatorRoutes(memory: OperatorMemory) {
  const health = new HealthCheck();
  const handlers: Record<keyof typeof OPERATOR_OPERATIONS, (c: Context<AppEnv>) => Promise<Response>> = {
    getHealth: async (c) => {
      const stores = await health.read(c.env);
      if (Object.values(stores).every((store) => store === "ok")) return c.json({ stores });
      const detail = "A store does not answer.";
      throw new Problem("service-unavailable", { detail, headers: { "Retry-After": "5" }, extensions: { stores } });
    },

    setAccountStatus: async (c) => {
      const { body } = await readInput(c, OPERATOR_OPERATIONS.setAccountStatus, "operator");
      return c.json(await changeAccountStatus(c, memory, body));
    },

    limitKeyAsOperator: async (c) => {
      const { ids, body } = await readInput(c, OPERATOR_OPERATIONS.limitKeyAsOperator, "operator");
      const own = await actForOwnerOf(c, memory.databases, ids.apiKeyId);
      return c.json(await changeOwnKey({ caller: c, gatekeeper: memory.gatekeeper }, own, body));
    },

    revokeKeyAsOperator: async (c) => {
      const { ids } = await readInput(c, OPERATOR_OPERATIONS.revokeKeyAsOperator, "operator");
      const own = await actForOwnerOf(c, memory.databases, ids.apiKeyId);
      return c.json(await revokeOwnKey({ caller: c, gatekeeper: memory.gatekeeper }, own));
    },
  };
  return routeOperations<AppEnv, typeof OPERATOR_OPERATIONS>(
    OPERATOR_OPERATIONS,
    (name, { credential }) =>
      async (c) => {
        if (credential.kind === "operator") authenticateOperator(c);
        return handlers[name](c);
      },
  );
}

/** Without the setting there is no such path. Throws `not-found` or `unauthorized`, without any I/O. */
function authenticateOperator(c: Context<AppEnv>): void {
  const secret = c.env.OPERATOR_SECRET;
  if (!secret) throw new Problem("not-found");
  if (secret.length < MIN_SECRET_LENGTH) {
    throw new Error(`OPERATOR_SECRET must have at least ${MIN_SECRET_LENGTH} characters`);
  }
  const [, given = ""] = /^Bearer (\S+)$/i.exec(c.req.header("Authorization") ?? "") ?? [];
  if (constantTimeEqual(given, secret)) return;
  throw new Problem("unauthorized", {
    detail: "This needs the operator's secret in the header `Authorization: Bearer …`.",
    headers: { "WWW-Authenticate": 'Bearer realm="operator"' },
    cause: "not the operator's secret",
  });
}
