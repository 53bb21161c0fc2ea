/** The content of the deployed bundle. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildWorker } from "../../src/commands/development/build-worker.ts";
import { CHANGE_TYPES } from "../../src/worker/model/change.ts";
import { makeCheckout } from "../support/node/checkout.ts";
import { makeState, runVersions } from "../support/node/two-versions.ts";

let checkout: Awaited<ReturnType<typeof makeCheckout>>;

beforeAll(async () => {
  checkout = await makeCheckout();
});
afterAll(() => checkout.remove());

it("the bundle has no development code", async () => {
  const bundle = await buildWorker(checkout.folder);
  // The demo data.
  expect(bundle).not.toContain("contactless at the gate");
});

type Tool = { name: string; inputSchema: { properties: Record<string, { description?: string }> } };

it("the bundle has the texts of the tools' arguments and the examples that it sends", async () => {
  const bundle = await buildWorker(checkout.folder);
  const state = await makeState();
  const runtime = await runVersions({ front: bundle, gates: bundle }, state.folder);
  const { key } = await runtime.create({ name: "Agent" });
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const { json } = await runtime.send("POST", "/mcp", { "X-API-Key": key }, list);
  const tools: Tool[] = json.result.tools;
  const silent = tools.flatMap(({ name, inputSchema }) =>
    Object.entries(inputSchema.properties)
      .filter(([argument, { description }]) => description === undefined && !/[a-z]Id$/.test(argument))
      .map(([argument]) => `${name}.${argument}`),
  );
  expect([tools.length > 30, silent]).toEqual([true, []]);
  const url = "https://receiver.invalid/";
  const { webhook } = (await runtime.send("POST", "/account/api/webhooks", {}, { url })).json;
  for (const type of CHANGE_TYPES) {
    const { status } = await runtime.send("POST", `/account/api/webhooks/${webhook.id}/test?type=${type}`);
    expect([type, status]).toEqual([type, 200]);
  }
  await runtime.stop();
  await state.remove();
});
