/** What `npx wrangler deploy` uploads from a fresh checkout. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CHANGE_TYPES } from "../../src/worker/model/change.ts";
import { makeCheckout, paste } from "../support/node/checkout.ts";
import { makeState, runVersions } from "../support/node/two-versions.ts";

let checkout: Awaited<ReturnType<typeof makeCheckout>>;
/** By name; the entry is the first. */
let modules: ReadonlyMap<string, string>;
let sourceMaps: ReadonlyMap<string, string>;

beforeAll(async () => {
  checkout = await makeCheckout();
  const wrangler = `cd '${checkout.folder}' && node_modules/.bin/wrangler deploy --dry-run`;
  await paste(`${wrangler} && echo 'stale()' > dist/worker/part-app-STALE.js && ${wrangler} --outfile upload`);
  const upload = await readFile(join(checkout.folder, "upload"));
  const [, boundary = ""] = /^--(\S+)/.exec(upload.toString()) ?? [];
  const headers = { "Content-Type": `multipart/form-data; boundary=${boundary}` };
  const texts = new Map<string, string>();
  for (const [name, part] of await new Response(upload, { headers }).formData())
    if (typeof part !== "string") texts.set(name, await part.text());
  modules = new Map([...texts].filter(([name]) => name.endsWith(".js")));
  sourceMaps = new Map([...texts].filter(([name]) => name.endsWith(".map")));
});
afterAll(() => checkout.remove());

it("the modules have no development code", () => {
  // The demo data.
  expect([...modules.values()].join()).not.toContain("contactless at the gate");
});

it.each([
  ["Account Settings", "part-app", "Open Account Settings in another tab"],
  ["what most isolates are never asked for", "part-on-demand", "/operator/account-status"],
])("%s is a module of its own, which a start does not load", (_, module, sentence) => {
  const names = [...modules].filter(([, text]) => text.includes(sentence)).map(([name]) => name);
  expect(names).toEqual([expect.stringMatching(`^${module}-\\w{8}\\.js$`)]);
  expect(modules.get("index.js")).toContain(`import("./${names[0]}")`);
  for (const text of modules.values()) expect(text).not.toMatch(`from"./${names[0]}"`);
});

it("what an earlier build has left is not uploaded", () =>
  expect([...modules.keys()]).not.toContain("part-app-STALE.js"));

it("each module has a source map, by which a stack trace in the log names files of the project", () => {
  expect([...sourceMaps.keys()]).toEqual(Array.from(modules.keys(), (name) => `${name}.map`));
  const sources = [...sourceMaps.values()].flatMap((map): string[] => JSON.parse(map).sources);
  expect(sources).toEqual(expect.arrayContaining(["src/worker/index.ts", "src/worker/account/app.ts"]));
  for (const source of sources) expect(source).toMatch(/^src\/(?:worker|elements)\/|\/?node_modules\//);
});

it("docs/security.md names the packages that run in the Worker", async () => {
  const sources = [...sourceMaps.values()].flatMap((map): string[] => JSON.parse(map).sources);
  const packages = sources.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  const [, named = ""] = /These run in the Worker: (.*?)\./.exec(await readFile("docs/security.md", "utf8")) ?? [];
  expect([...new Set(packages)].toSorted()).toEqual(Array.from(named.matchAll(/`(.+?)`/g), ([, name]) => name));
});

type Tool = { name: string; inputSchema: { properties: Record<string, { description?: string }> } };

it("the modules have the texts of the tools' arguments and the examples that it sends", async () => {
  const state = await makeState();
  const runtime = await runVersions({ front: modules, gates: modules }, state.folder);
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
