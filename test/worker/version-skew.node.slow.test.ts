/**
 * A deployment does not reach everything at once: a new Worker calls gates of the version before, and the reverse after a rollback.
 * Calls and stored state are compatible both ways. `npm run release` has kept each released version.
 */
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildWorker } from "../../src/commands/development/build-worker.ts";
import { makeState, runVersions } from "../support/node/two-versions.ts";
import { now, signJwt } from "../support/sign-jwt.ts";

const LIMIT = 10;
const current = await buildWorker();
const keptOf = (version: string) => readFile(`test/fixtures/released-workers/${version}.js`, "utf8");
const VERSIONS = { current, "1.0.0": await keptOf("1.0.0"), "1.1.0": await keptOf("1.1.0") };
type Version = keyof typeof VERSIONS;
const RELEASED = ["1.0.0", "1.1.0"] as const;
const PAIRS = RELEASED.flatMap((released): [Version, Version][] => [
  [released, "current"],
  ["current", released],
]);

it("tries every release but today’s own", async () => {
  const { version } = JSON.parse(await readFile("package.json", "utf8"));
  const kept = globSync("test/fixtures/released-workers/*.js").map((path) => basename(path, ".js"));
  expect(kept.filter((each) => each !== version).toSorted()).toEqual(RELEASED);
});

describe.each(PAIRS)("the %s Worker with gates of the %s version", (front, gates) => {
  let runtime: Awaited<ReturnType<typeof runVersions>>;
  let state: Awaited<ReturnType<typeof makeState>>;
  beforeAll(async () => {
    state = await makeState();
    runtime = await runVersions({ front: VERSIONS[front], gates: VERSIONS[gates] }, state.folder);
  });
  afterAll(async () => {
    await runtime.stop();
    await state.remove();
  });

  it("admits exactly the limit, and says when to come back", async () => {
    const { key, id } = await runtime.create({ name: "Limited", limit: LIMIT, windowSeconds: 3_600 });
    const statuses = [];
    for (let times = 0; times < LIMIT + 2; times++) statuses.push(await runtime.whoami(key));
    expect(statuses).toEqual([...Array(LIMIT).fill(200), 429, 429]);
    const { headers, json } = await runtime.send("GET", "/tenant/whoami", { "X-API-Key": key });
    expect(Number(headers.get("Retry-After"))).toBeGreaterThan(3_000);
    expect(headers.get("RateLimit-Policy")).toBe(`"api-key";q=${LIMIT};w=3600`);
    expect(json.error).toBe("too-many-requests");
    await runtime.send("DELETE", `/account/api/keys/${id}`);
  });

  it("refuses a key that is revoked, from the answer on", async () => {
    const { id, key } = await runtime.create({ name: "Revoked" });
    expect(await runtime.whoami(key)).toBe(200);
    expect((await runtime.send("DELETE", `/account/api/keys/${id}`)).status).toBe(200);
    expect(await runtime.whoami(key)).toBe(401);
  });

  it("takes a rotated key's new secret, and the old one in its grace", async () => {
    const { id, key } = await runtime.create({ name: "Rotated" });
    expect(await runtime.whoami(key)).toBe(200);
    const rotate = async (graceSeconds: number): Promise<string> =>
      (await runtime.send("POST", `/account/api/keys/${id}/rotate`, {}, { graceSeconds })).json.key;
    const second = await rotate(3_600);
    expect([await runtime.whoami(key), await runtime.whoami(second)]).toEqual([200, 200]);
    const third = await rotate(0);
    const all = [await runtime.whoami(key), await runtime.whoami(second), await runtime.whoami(third)];
    expect(all).toEqual([401, 401, 200]);
    await runtime.send("DELETE", `/account/api/keys/${id}`);
  });

  it("answers for the key's tenant and scopes", async () => {
    const { id, key } = await runtime.create({ name: "Narrow", scopes: ["surveys:read"] });
    const headers = { "X-API-Key": key };
    expect((await runtime.send("GET", "/tenant/surveys", headers)).status).toBe(200);
    expect((await runtime.send("POST", "/tenant/surveys", headers, { title: "No" })).status).toBe(403);
    await runtime.send("DELETE", `/account/api/keys/${id}`);
  });
});

it.each(PAIRS)("gates of the %s version store what those of the %s one use", async (writer, reader) => {
  const versionsOf = (name: Version) => ({ front: VERSIONS[name], gates: VERSIONS[name] });
  const state = await makeState();
  const before = await runVersions(versionsOf(writer), state.folder);
  const { id, key } = await before.create({ name: "Limited", limit: LIMIT, windowSeconds: 3_600 });
  for (let times = 0; times < LIMIT; times++) expect(await before.whoami(key)).toBe(200);
  await before.stop();
  const after = await runVersions(versionsOf(reader), state.folder);
  expect(await after.whoami(key)).toBe(429);
  expect((await after.send("DELETE", `/account/api/keys/${id}`)).status).toBe(200);
  expect(await after.whoami(key)).toBe(401);
  const fresh = await after.create({ name: "Fresh" });
  expect(await after.whoami(fresh.key)).toBe(200);
  await after.stop();
  await state.remove();
});

it.each(RELEASED)(
  "people of %s are the same in the current version, blocked ones too, and again after a rollback",
  async (released) => {
    const state = await makeState();
    const start = (name: Version) => runVersions({ front: VERSIONS[name], gates: VERSIONS[name] }, state.folder);
    let runtime = await start(released);
    const { key } = await runtime.create({ name: "Key" });
    const send = (method: string, path: string, body?: object) =>
      runtime.send(method, path, { "X-API-Key": key }, body);
    const bank = { name: "Ideas", status: "OPEN", changelogEnabled: true };
    const { id: ideaBankId } = (await send("POST", "/tenant/ideabanks", bank)).json;
    const { kid, secret } = (await send("GET", `/tenant/ideabanks/${ideaBankId}/signing-secret`)).json;
    const sign = (sub: string, iat = now()) =>
      signJwt({ alg: "HS256", kid }, { iss: ideaBankId, sub, iat, exp: iat + 600 }, secret);
    const create = async (body: object) => String((await send("POST", "/tenant/panelists", body)).json.id);
    const robin = await create({ externalId: "robin" });
    await create({ externalId: "blocked", active: false });
    const deleted = await create({ externalId: "deleted" });
    const old = await sign("deleted", now() - 5);
    expect((await send("DELETE", `/tenant/panelists/${deleted}`)).status).toBe(204);
    const statusesOf = async (token: string) => {
      const paths = ["/public/ideabank/changelog", "/ideabank", "/ideabank/proposals"];
      return Promise.all(paths.map(async (path) => (await runtime.send("GET", path, { Authorization: token })).status));
    };
    const idOf = async (sub: string) =>
      (await send("POST", `/tenant/ideabanks/${ideaBankId}/tokens`, { externalId: sub })).json.panelistId;
    const submit = async (sub: string) =>
      (await runtime.send("POST", "/ideabank/proposals", { Authorization: await sign(sub) }, { title: "An idea" }))
        .status;
    let newcomer: string | undefined;
    for (const version of [released, "current", released, "current"] as const) {
      await runtime.stop();
      runtime = await start(version);
      expect(await statusesOf(await sign("robin"))).toEqual([200, 200, 200]);
      expect(await statusesOf(await sign("blocked"))).toEqual([401, 401, 401]);
      expect(await statusesOf(old)).toEqual([401, 401, 401]);
      expect(await idOf("robin")).toBe(robin);
      expect([await submit("robin"), await submit("newcomer"), await submit("blocked")]).toEqual([201, 201, 401]);
      newcomer ??= await idOf("newcomer");
      expect(await idOf("newcomer")).toBe(newcomer);
    }
    await runtime.stop();
    await state.remove();
  },
);

/** A release, and how many steps a database had had by then. */
const STEPS = [
  ["1.0.0", 1],
  ["1.1.0", 18],
] as const;

it.each(STEPS)(
  "a database that %s filled is upgraded while it serves: all of it reads as before, also after a rollback",
  async (released, count) => {
    const steps = await Promise.all(
      globSync("migrations/*.sql")
        .toSorted()
        .map((path) => readFile(path, "utf8")),
    );
    const [first, later] = [steps.slice(0, count).join("\n"), steps.slice(count)];
    const state = await makeState();
    const start = (name: Version, sql: string) =>
      runVersions({ front: VERSIONS[name], gates: VERSIONS[name], sql }, state.folder);
    let runtime = await start(released, first);
    const { id: keyId, key } = await runtime.create({ name: "Key", limit: 500 });
    /** What it answers, which is no refusal. */
    const write = async (...request: Parameters<typeof runtime.send>) => {
      const { status, json } = await runtime.send(...request);
      expect([request, status < 300 ? "done" : json]).toEqual([request, "done"]);
      return json;
    };
    const tenant = (method: string, path: string, body: object) =>
      write(method, `/tenant${path}`, { "X-API-Key": key }, body);
    const { id: bank } = await tenant("POST", "/ideabanks", { name: "Ideas", status: "OPEN", changelogEnabled: true });
    const panelist = await tenant("POST", `/ideabanks/${bank}/tokens`, { externalId: "robin", displayName: "Robin" });
    const visitor = await tenant("POST", `/ideabanks/${bank}/tokens`, { visitor: true });
    const proposals: string[] = [];
    for (const [title, status] of [
      ["Night buses", "implemented"],
      ["Dogs", "planned"],
      ["Wi-Fi", "submitted"],
    ] as const)
      proposals.push((await tenant("POST", `/ideabanks/${bank}/proposals`, { title, status, tags: ["Bus"] })).id);
    const [shipped, dogs, wifi] = proposals;
    const asPanelist = { Authorization: panelist.token };
    await write("PUT", `/ideabank/proposals/${dogs}/vote`, asPanelist);
    await write("POST", `/ideabank/proposals/${dogs}/comments`, asPanelist, { body: "On the train, too." });
    await write("POST", "/ideabank/proposals", asPanelist, { title: "Seats for bicycles" });
    await tenant("PATCH", `/ideabanks/${bank}/proposals/${wifi}`, { response: { text: "We look into it." } });
    await tenant("POST", "/surveys", { title: "Your ride", url: "https://surveys.example.com/ride" });
    await write("POST", "/account/api/webhooks", {}, { url: "https://receiver.example.com/" });

    /** Times of use move with each request, so they are not compared. */
    const everything = async () => {
      const read = async (path: string, headers = {}) => {
        const { status, json } = await runtime.send("GET", path, headers);
        return [path, status, json] as const;
      };
      const asTenant = { "X-API-Key": key };
      return [
        await read("/tenant/whoami", asTenant),
        await read("/tenant/surveys", asTenant),
        await read("/tenant/ideabanks", asTenant),
        await read("/tenant/panelists", asTenant),
        await read(`/tenant/ideabanks/${bank}/proposals`, asTenant),
        await read(`/tenant/ideabanks/${bank}/proposals/${dogs}/comments`, asTenant),
        await read(`/tenant/ideabanks/${bank}/proposals/${dogs}/votes`, asTenant),
        await read("/tenant/changes", asTenant),
        await read("/public/ideabank/changelog", asPanelist),
        await read("/public/ideabank/changelog", { Authorization: visitor.token }),
        await read("/ideabank", asPanelist),
        await read("/ideabank/proposals?sort=top", asPanelist),
        await read(`/ideabank/proposals/${dogs}`, asPanelist),
        await read(`/ideabank/proposals/${shipped}`, { Authorization: visitor.token }),
        await read("/account/api/webhooks"),
      ];
    };
    const before = await everything();
    expect(before.filter(([, status]) => status !== 200)).toEqual([]);

    for (const step of later) {
      const [meanwhile] = await Promise.all([everything(), runtime.database.prepare(step).run()]);
      expect(meanwhile).toMatchObject(before);
    }
    const put = { status: "declined", visibility: "hidden" };
    expect(await tenant("PATCH", `/ideabanks/${bank}/proposals/${wifi}`, put)).toMatchObject(put);
    const back = { status: "submitted", visibility: "public" };
    expect(await tenant("PATCH", `/ideabanks/${bank}/proposals/${wifi}`, back)).toMatchObject(back);
    await write("POST", `/ideabank/proposals/${dogs}/comments`, asPanelist, { body: "And cats." });
    const withMore = await everything();
    await runtime.stop();

    runtime = await start("current", "SELECT 1");
    expect(await everything()).toMatchObject(withMore);
    expect(await write("DELETE", `/ideabank/proposals/${dogs}/vote`, asPanelist)).toMatchObject({
      votes: 0,
    });
    expect(await write("PUT", `/ideabank/proposals/${dogs}/vote`, asPanelist)).toMatchObject({
      votes: 1,
    });
    const find = async (q: string) =>
      (await runtime.send("GET", `/ideabank/proposals?q=${q}`, asPanelist)).json.items.map(
        ({ title }: { title: string }) => title,
      );
    const sleeping = { title: "Sleeping carriages", description: "With blankets" };
    const { id: own } = await write("POST", "/ideabank/proposals", asPanelist, sleeping);
    expect([await find("dogs"), await find("sleeping"), await find("blankets")]).toEqual([
      ["Dogs"],
      ["Sleeping carriages"],
      ["Sleeping carriages"],
    ]);
    await runtime.stop();

    runtime = await start(released, "SELECT 1");
    const again = await everything();
    expect(again.map(([path, status]) => [path, status])).toEqual(before.map(([path]) => [path, 200]));
    expect([await find("dogs"), await find("sleeping")]).toEqual([["Dogs"], ["Sleeping carriages"]]);
    await write("PATCH", `/ideabank/proposals/${own}`, asPanelist, { title: "Dining cars" });
    expect([await find("sleeping"), await find("dining")]).toEqual([[], ["Dining cars"]]);
    const unwritten = "SELECT id FROM proposals WHERE indexed IS NULL AND id = ?1";
    expect(await runtime.database.prepare(unwritten).bind(own).first("id")).toBe(own);
    expect((await runtime.send("DELETE", `/account/api/keys/${keyId}`)).status).toBe(200);
    expect(await runtime.whoami(key)).toBe(401);
    await runtime.stop();
    await state.remove();
  },
);
