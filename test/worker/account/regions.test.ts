/** Where a key's limit is counted: where it is first used, or in the region that its owner has chosen. */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { REGIONS } from "../../../src/worker/model/api-key.ts";
import { countStores, failStores } from "../../support/intercept.ts";
import { createOwner } from "../../support/owner.ts";

/** The environment, and the location hint of each stub that was made: an object is made with its first call, and stays there. */
function watchHints() {
  const hints: (string | undefined)[] = [];
  const gates = new Proxy(env.API_KEY_GATE, {
    get(target, property) {
      if (property === "get")
        return (id: DurableObjectId, options?: DurableObjectNamespaceGetDurableObjectOptions) => {
          hints.push(options?.locationHint);
          return target.get(id, options);
        };
      const value: unknown = Reflect.get(target, property);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { env: { ...env, API_KEY_GATE: gates }, hints };
}

it("nothing calls a key's gate before the key's first use", { tags: "slow" }, async () => {
  const { env: counted, counts } = countStores(env);
  const owner = createOwner(undefined, counted);
  const { apiKey, key } = await owner.create("First");
  const form = await (await owner.page("/api-keys")).text();
  const newKeyId = /name="newKeyId" value="([^"]+)"/.exec(form)?.[1] ?? "";
  const fields = { newKeyId, name: "By form", scopes: ["surveys:read"], rate: "600/60", region: "" };
  expect((await owner.submit("/api-keys", fields)).status).toBe(201);
  expect((await owner.json("PATCH", `/keys/${apiKey.id}`, { name: "Second" })).status).toBe(200);
  const was = "scopes=surveys%3Aread&limit=600&windowSeconds=60";
  const renamed = { was, name: "Third", scopes: ["surveys:read"], rate: "600/60" };
  expect((await owner.submit(`/api-keys/${apiKey.id}/change`, renamed)).status).toBe(303);
  expect((await owner.keys()).map(({ name }) => name)).toEqual(expect.arrayContaining(["Third", "By form"]));
  await owner.page(`/api-keys/${apiKey.id}/revoke`);
  await owner.events();
  expect(counts.gate).toBe(0);
  expect(await owner.whoami(key)).toBe(200);
  expect(counts.gate).toBe(1);
});

it.each(REGIONS)("with the region %s its gate is made there at once, once", async (region) => {
  const { env: watched, hints } = watchHints();
  const owner = createOwner(undefined, watched);
  const { apiKey, key } = await owner.create("Placed", { region });
  expect(apiKey.region).toBe(region);
  expect(hints).toEqual([region]);
  expect(await owner.whoami(key)).toBe(200);
  expect(hints).toEqual([region, undefined]);
});

it("a hint is given only when a region was chosen", async () => {
  const { env: watched, hints } = watchHints();
  const owner = createOwner(undefined, watched);
  const { apiKey, key } = await owner.create();
  await owner.whoami(key);
  await owner.json("POST", `/keys/${apiKey.id}/rotate`, { graceSeconds: 0 });
  expect(new Set(hints)).toEqual(new Set([undefined]));
});

it("the region is shown in JSON and on the page", async () => {
  const owner = createOwner();
  await owner.create("Placed", { region: "weur" });
  expect((await owner.keys()).map(({ region }) => region)).toEqual(["weur"]);
  const fact = /<dt>Region<\/dt><dd>([^<]*)/g;
  const shown = async () =>
    [...(await (await owner.page("/api-keys")).text()).matchAll(fact)].map(([, words]) => words);
  expect(await shown()).toEqual(["Western Europe"]);
  await owner.create("Anywhere");
  expect((await owner.keys()).map(({ region }) => region)).toEqual(expect.arrayContaining(["weur", null]));
  expect(await shown()).toEqual(expect.arrayContaining(["Western Europe", "Automatic"]));
});

it.each(["mars", "WEUR", "", 1])("the region %j is refused, and no key is made", async (region) => {
  const owner = createOwner();
  const answer = await owner.json("POST", "/keys", { name: "Nowhere", region });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: "invalid-request", errors: [{ path: "region" }] });
  expect(await owner.keys()).toEqual([]);
});

it("a region cannot be changed", async () => {
  const owner = createOwner();
  const { apiKey } = await owner.create("Placed", { region: "weur" });
  expect((await owner.json("PATCH", `/keys/${apiKey.id}`, { name: "Moved", region: "enam" })).status).toBe(400);
  expect((await owner.keys())[0]).toMatchObject({ name: "Placed", region: "weur" });
});

it("a key is made although its gate cannot be: that is made where it is first used", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const cutOff = createOwner(undefined, failStores(env, "gate"));
  const answer = await cutOff.json("POST", "/keys", { name: "Placed", region: "weur" });
  expect(answer.status).toBe(201);
  const { key } = await answer.json<{ key: string }>();
  expect(await createOwner(cutOff.email).whoami(key)).toBe(200);
});
