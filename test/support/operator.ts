/** The operator of the deployment, who has its secret. */
import { env } from "cloudflare:workers";
import type { AppEnv } from "../../src/worker/http/app-env.ts";
import { createIsolate } from "./isolate.ts";

export const OPERATOR_SECRET = "the-operator-has-this-secret-in-tests";
export type Bindings = AppEnv["Bindings"];
export const withSecret: Bindings = { ...env, OPERATOR_SECRET };

/** Sends as the operator, through an isolate of its own. A body that is not a string is sent as JSON. */
export const sendAsOperator = (
  method: string,
  path: string,
  body?: object | string,
  bindings: Bindings = withSecret,
  secret = OPERATOR_SECRET,
) =>
  createIsolate(bindings).request(path, {
    method,
    headers: { Authorization: `Bearer ${secret}`, ...(body !== undefined && { "Content-Type": "application/json" }) },
    body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
  });
