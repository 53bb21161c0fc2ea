/** The operator's routes: the health check and the version, which are open to anybody, and commands, which need the operator's secret. */
import type { Context } from "hono";
import { constantTimeEqual } from "../credentials/constant-time-equal.ts";
import type { AppEnv } from "../http/app-env.ts";
import type { EveryRequest } from "../http/every-request.ts";
import { readInput } from "../http/read-input.ts";
import { routeOperations } from "../http/route-operations.ts";
import { Problem } from "../problem.ts";
import { ACCESS_OPERATIONS } from "./access.ts";
import { ACCOUNT_STATUS_OPERATIONS } from "./account-status.ts";
import { KEY_OPERATIONS } from "./api-keys.ts";
import { HEALTH_OPERATIONS } from "./health.ts";
import { HealthCheck } from "./health-check.ts";
import { MOVE_OPERATIONS } from "./move-member.ts";
import type { OperatorMemory, OperatorOperation } from "./operation.ts";
import { SCHEMA_OPERATIONS } from "./schema.ts";
import { answerSecurityText, SECURITY_PATH } from "./security-contact.ts";
import { SIGN_IN_OPERATIONS } from "./sign-ins.ts";
import { VERSION_OPERATIONS } from "./version.ts";

const MIN_SECRET_LENGTH = 32;

export const OPERATOR_OPERATIONS = {
  ...HEALTH_OPERATIONS,
  ...VERSION_OPERATIONS,
  ...SCHEMA_OPERATIONS,
  ...ACCOUNT_STATUS_OPERATIONS,
  ...KEY_OPERATIONS,
  ...SIGN_IN_OPERATIONS,
  ...MOVE_OPERATIONS,
  ...ACCESS_OPERATIONS,
};

export function createOperatorRoutes(shared: Omit<OperatorMemory, "health">, everyRequest: EveryRequest) {
  const memory = { ...shared, health: new HealthCheck() };
  const answer = async (c: Context<AppEnv>, operation: OperatorOperation) => {
    if (operation.credential.kind === "operator") authenticateOperator(c);
    return operation.handle(c, await readInput(c, operation, "operator"), memory);
  };
  const routes = routeOperations(OPERATOR_OPERATIONS, answer, everyRequest);
  routes.get(SECURITY_PATH, (c) => everyRequest(c, () => answerSecurityText(c)));
  return routes;
}

/** Without OPERATOR_SECRET the path does not exist. Throws `not-found` or `unauthorized`, without any I/O. */
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
