/** Operations that write to more than one store: they are worked on to their end, also when their client has left. */
import { describe, expect, it } from "vitest";
import type { AppEnv } from "../../../src/worker/http/app-env.ts";
import type { Operation } from "../../../src/worker/http/operation.ts";
import { routeOperations } from "../../../src/worker/http/route-operations.ts";
import { countStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { bodyOf, fillPath, operationsOf } from "../../support/operations.ts";
import { OPERATOR_SECRET, withSecret } from "../../support/operator.ts";
import { createOwner } from "../../support/owner.ts";

it.each([true, undefined] as const)("with `untilDone: %s`", async (untilDone) => {
  const operation: Operation = {
    method: "PUT",
    effect: "overwrites",
    path: "/thing",
    credential: { kind: "none" },
    tag: { name: "Things", description: "Things." },
    summary: "Change the thing",
    ...(untilDone && { untilDone }),
  };
  const { promise: work, resolve: finish } = Promise.withResolvers<Response>();
  const kept: Promise<unknown>[] = [];
  const context = {
    waitUntil: (promise: Promise<unknown>) => kept.push(promise),
    passThroughOnException: () => {},
    props: {},
  };
  const routes = routeOperations<AppEnv, Operation>({ changeThing: operation }, () => work);
  const answer = routes.request("/thing", { method: "PUT" }, withSecret, context);
  let isDone = false;
  void kept[0]?.then(() => {
    isDone = true;
  });
  expect([kept.length, isDone]).toEqual([untilDone ? 1 : 0, false]);
  finish(new Response("done"));
  await answer;
  await Promise.all(kept);
  expect(isDone).toBe(untilDone === true);
});

const changes = (["access", "operator"] as const).flatMap(operationsOf).filter(({ method }) => method !== "GET");

describe.each(changes)("$name", ({ operation, method, path, parameters }) => {
  it("says `untilDone`, if it tells the gate of a key", async () => {
    const owner = createOwner();
    const { apiKey } = await owner.create();
    const { env, counts } = countStores(withSecret);
    const isolate = createIsolate(env, async () => ({ email: owner.email, actor: owner.email }));
    const body = bodyOf(operation);
    const response = await isolate.request(fillPath(path, { apiKeyId: apiKey.id }), {
      method,
      headers: { Authorization: `Bearer ${OPERATOR_SECRET}`, ...(body && { "Content-Type": "application/json" }) },
      body: body ? JSON.stringify("account" in body ? { ...body, account: owner.email } : body) : null,
    });
    if (parameters.includes("apiKeyId")) expect(counts.gate).toBeGreaterThan(0);
    if (counts.gate > 0) expect([response.ok, operation.untilDone]).toEqual([true, true]);
  });
});
