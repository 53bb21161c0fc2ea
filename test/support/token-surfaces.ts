/** Every surface that a token opens, or that says whether it does. */
import type { TokenAnswer } from "../../src/worker/model/access.ts";
import type { Isolate } from "./isolate.ts";
import { OPERATOR_SECRET } from "./operator.ts";
import { CHANGELOG, PROPOSALS, sendWith } from "./panel.ts";
import { createTenant } from "./tenant.ts";

/** How each surface answers a token. The isolate has the operator's secret. */
export async function answersTo(isolate: Isolate, accountId: string, token: string) {
  const tenant = await createTenant({ accountId }, isolate);
  const status = async (path: string) => (await sendWith(isolate, token)("GET", path)).status;
  const verified = await isolate.request("/operator/verify-token", {
    method: "POST",
    headers: { Authorization: `Bearer ${OPERATOR_SECRET}`, "Content-Type": "application/json" },
    body: JSON.stringify({ token }),
  });
  const introspected = await tenant.send("POST", "/tenant/tokens/introspect", { token });
  return {
    changelog: await status(CHANGELOG),
    atom: await status(`${CHANGELOG}.atom`),
    json: await status(`${CHANGELOG}.json`),
    "GET /ideabank": await status("/ideabank"),
    proposals: await status(PROPOSALS),
    "verify-token": (await verified.json<TokenAnswer>()).ok,
    "Access.panelist": (await isolate.ask((access) => access.panelist(token))).ok,
    introspect: (await introspected.json<{ active: boolean }>()).active,
  };
}

/** The answers to a token that opens everything, or nothing. */
const all = (status: number, isGood: boolean) => ({
  ...{ changelog: status, atom: status, json: status, "GET /ideabank": status, proposals: status },
  ...{ "verify-token": isGood, "Access.panelist": isGood, introspect: isGood },
});
export const [ACCEPTED, REFUSED] = [all(200, true), all(401, false)];
