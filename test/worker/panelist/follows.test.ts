/** Following a proposal: who can, what it switches on again, and where nothing of it is shown. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { freeze } from "../../support/clock.ts";
import { databaseOf, selectEverywhere } from "../../support/databases.ts";
import { countStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createPanel, PROPOSALS, sendWith } from "../../support/panel.ts";
import { createSigner } from "../../support/signing.ts";
import { dumpDatabases } from "../../support/tenant.ts";
import { giveAddress, telling } from "../../support/told.ts";
import { newId, tokenFor } from "../../support/world.ts";

type Shown = { following?: boolean };

/** Robin and Kim have an address, Sam has none. */
async function createScene() {
  const panel = await createPanel({}, createIsolate(telling));
  const [robin, kim, sam] = [await panel.panelist("Robin"), await panel.panelist("Kim"), await panel.panelist("Sam")];
  for (const { id } of [robin, kim]) await giveAddress(id);
  const path = `${PROPOSALS}/${await panel.propose()}`;
  const set = (sql: string, ...values: unknown[]) =>
    databaseOf(panel.bank.id)
      .prepare(sql)
      .bind(...values)
      .run();
  const follows = async () =>
    (
      await selectEverywhere<{ proposal_id: string; panelist_id: string }>(
        "SELECT proposal_id, panelist_id FROM follows ORDER BY panelist_id",
      )
    ).map(({ proposal_id, panelist_id }) => [`${PROPOSALS}/${proposal_id}`, panelist_id]);
  const muteFor = (panelistId: string, ...scopes: string[]) =>
    Promise.all(
      scopes.map((scope) =>
        set(
          "INSERT INTO mutes (account_id, email, scope_id, created_at) SELECT account_id, email, ?2, ?3 FROM panelists WHERE id = ?1",
          panelistId,
          scope,
          Date.now(),
        ),
      ),
    );
  const muted = async () =>
    (await selectEverywhere<{ scope_id: string }>("SELECT scope_id FROM mutes")).map(({ scope_id }) => scope_id).sort();
  return { panel, robin, kim, sam, path, set, follows, muteFor, muted };
}

type Scene = Awaited<ReturnType<typeof createScene>>;

/** Makes the scene's proposal so. */
const becomes =
  (visibility: string) =>
  ({ panel, path }: Scene) =>
    panel.manage("PATCH", `/proposals/${path.slice(PROPOSALS.length + 1)}`, { visibility });

const errorOf = async (answer: Response) => [answer.status, (await answer.json<{ error: string }>()).error];

describe("following", () => {
  it("is 204 with an empty body, each time, and the proposal says so to this panelist", { tags: "slow" }, async () => {
    const { robin, kim, path, follows } = await createScene();
    expect(await robin.read(path)).toMatchObject({ following: false });
    for (let times = 0; times < 2; times++) {
      const answer = await robin.send("PUT", `${path}/follow`);
      expect([answer.status, await answer.text()]).toEqual([204, ""]);
    }
    expect(await robin.read(path)).toMatchObject({ following: true });
    expect(await kim.read(path)).toMatchObject({ following: false });
    expect(await follows()).toEqual([[path, robin.id]]);
    await kim.send("PUT", `${path}/follow`);
    for (let times = 0; times < 2; times++) expect((await robin.send("DELETE", `${path}/follow`)).status).toBe(204);
    expect(await robin.read(path)).toMatchObject({ following: false });
    expect(await follows()).toEqual([[path, kim.id]]);
  });

  it("is in the answers about one proposal, and in no list; no answer has an address", async () => {
    const { robin, kim } = await createScene();
    const submitted = await robin.send("POST", PROPOSALS, { title: "Mine", description: "" });
    const { id, ...mine } = await submitted.json<Shown & { id: string }>();
    expect(mine).toMatchObject({ following: false });
    const own = `${PROPOSALS}/${id}`;
    await robin.send("PUT", `${own}/follow`);
    const answers = [
      await robin.send("PATCH", own, { title: "Changed" }),
      await robin.send("GET", own),
      await robin.send("GET", PROPOSALS),
      await robin.send("GET", `${PROPOSALS}?mine=submitted`),
      await kim.send("GET", own),
    ];
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    const shown = texts.map((text) => /"following":(\w+)/.exec(text)?.[1]);
    expect(shown).toEqual(["true", "true", undefined, undefined, "false"]);
    for (const text of texts) expect(text).not.toContain("@");
  });

  it("keeps what came last when both are sent at once", async () => {
    const { robin, path, follows } = await createScene();
    const isolates = [createIsolate(telling), createIsolate(telling)];
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        sendWith(isolates[at % 2] ?? createIsolate(telling), robin.token)(at % 3 ? "PUT" : "DELETE", `${path}/follow`),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(204));
    expect(await robin.read(path)).toMatchObject({ following: (await follows()).length === 1 });
    for (const [method, following] of [
      ["PUT", true],
      ["DELETE", false],
    ] as const) {
      await robin.send(method, `${path}/follow`);
      expect(await robin.read(path)).toMatchObject({ following });
    }
  });

  it("switches e-mails about this idea on again, and nothing else", async () => {
    const { panel, robin, kim, path, muteFor, muted } = await createScene();
    const id = path.slice(PROPOSALS.length + 1);
    const [source, other] = [await panel.propose(), await panel.propose()];
    await panel.manage("POST", `/proposals/${source}/merge`, { into: id });
    await muteFor(robin.id, id, source, other, panel.bank.id);
    await muteFor(kim.id, id);
    // Reading, voting and commenting switch nothing on.
    await robin.read(path);
    await robin.send("PUT", `${path}/vote`);
    await robin.send("POST", `${path}/comments`, { body: "Yes." });
    await robin.send("DELETE", `${path}/follow`);
    expect(await muted()).toEqual([id, id, source, other, panel.bank.id].sort());
    expect((await robin.send("PUT", `${path}/follow`)).status).toBe(204);
    expect(await muted()).toEqual([id, other, panel.bank.id].sort());
    expect((await kim.send("PUT", `${path}/follow`)).status).toBe(204);
    expect(await muted()).toEqual([other, panel.bank.id].sort());
  });

  it("is a wish of its own each time: it is newer than what was switched off meanwhile", async () => {
    freeze(1_900_000_000_000);
    const { robin, path } = await createScene();
    const at = async () =>
      (await selectEverywhere<{ created_at: number }>("SELECT created_at FROM follows")).map((row) => row.created_at);
    await robin.send("PUT", `${path}/follow`);
    freeze(1_900_000_005_000);
    await robin.send("PUT", `${path}/follow`);
    expect(await at()).toEqual([1_900_000_005_000]);
  });

  it("costs a proposal that is read no round trip, and is one itself", async () => {
    const { robin, path } = await createScene();
    const { env: counted, counts } = countStores(telling);
    const send = sendWith(createIsolate(counted), robin.token);
    for (const method of ["GET", "PUT", "GET", "DELETE"]) {
      const before = counts.d1;
      await send(method, method === "GET" ? path : `${path}/follow`);
      expect(counts.d1 - before, method).toBe(1);
    }
  });
});

describe("a panelist who cannot be told", () => {
  it.each<[string, (scene: Scene) => Promise<unknown>]>([
    ["has no address", ({ robin }) => giveAddress(robin.id, null)],
    ["cannot be reached", ({ robin, set }) => set("UPDATE panelists SET unreachable_at = 1 WHERE id = ?1", robin.id)],
    ["is on a board that tells nobody", ({ set }) => set("UPDATE idea_banks SET notifies_people = 0")],
    ["is of an account that tells nobody", ({ set }) => set("UPDATE accounts SET notifies_people = 0")],
  ])("who %s sees no `following`, cannot follow, and can stop", async (_, change) => {
    const scene = await createScene();
    const { robin, path, follows, muteFor, muted } = scene;
    const id = path.slice(PROPOSALS.length + 1);
    await robin.send("PUT", `${path}/follow`);
    await muteFor(robin.id, id);
    await change(scene);
    expect(await robin.read(path)).not.toHaveProperty("following");
    const before = await dumpDatabases();
    expect(await errorOf(await robin.send("PUT", `${path}/follow`))).toEqual([403, "capability-closed"]);
    expect(await dumpDatabases()).toEqual(before);
    expect(await muted()).toEqual([id]);
    expect(await follows()).toHaveLength(1);
    expect((await robin.send("DELETE", `${path}/follow`)).status).toBe(204);
    expect(await follows()).toEqual([]);
    const submitted = await robin.send("POST", PROPOSALS, { title: "Mine", description: "" });
    expect(await submitted.json()).not.toHaveProperty("following");
  });

  it.each([
    ["no binding", env],
    ["no sender", { ...telling, NOTICES_FROM: "" }],
    ["no address of its own", { ...telling, SIGN_IN_URL: "" }],
  ])("is everybody where the deployment has %s for e-mail", async (_, bindings) => {
    const { robin, path } = await createScene();
    const send = sendWith(createIsolate(bindings), robin.token);
    expect(await (await send("GET", path)).json()).not.toHaveProperty("following");
    const before = await dumpDatabases();
    expect(await errorOf(await send("PUT", `${path}/follow`))).toEqual([403, "capability-closed"]);
    expect(await dumpDatabases()).toEqual(before);
    expect((await send("DELETE", `${path}/follow`)).status).toBe(204);
  });

  it("is one who signs with the tenant's secret and has not written yet; then the row decides", {
    tags: "slow",
  }, async () => {
    const { sign, propose, issue } = await createSigner();
    const path = `${PROPOSALS}/${await propose()}`;
    const send = sendWith(createIsolate(telling), await sign("customer-42"));
    expect(await (await send("GET", path)).json()).not.toHaveProperty("following");
    const before = await dumpDatabases();
    expect(await errorOf(await send("PUT", `${path}/follow`))).toEqual([403, "capability-closed"]);
    expect(await dumpDatabases()).toEqual(before);
    await giveAddress((await issue({ externalId: "customer-42" })).panelistId ?? "");
    expect((await send("PUT", `${path}/follow`)).status).toBe(204);
    expect(await (await send("GET", path)).json()).toMatchObject({ following: true });
  });

  it("is a visitor, who is asked to sign in", async () => {
    const { panel, path } = await createScene();
    const issued = await panel.tenant.send("POST", `/tenant/ideabanks/${panel.bank.id}/tokens`, { visitor: true });
    const send = sendWith(panel.isolate, (await issued.json<{ token: string }>()).token);
    expect(await (await send("GET", path)).json()).not.toHaveProperty("following");
    for (const method of ["PUT", "DELETE"])
      expect(await errorOf(await send(method, `${path}/follow`))).toEqual([403, "sign-in-required"]);
  });
});

describe.each(["PUT", "DELETE"])("%s …/follow", (method) => {
  const createFollowed = async () => {
    const scene = await createScene();
    await scene.kim.send("PUT", `${scene.path}/follow`);
    await scene.robin.send(method === "PUT" ? "DELETE" : "PUT", `${scene.path}/follow`);
    return scene;
  };

  it("works while voting, commenting and submitting are closed", async () => {
    const { panel, robin, path } = await createFollowed();
    const off = { votingEnabled: false, commentsEnabled: false, submissionsEnabled: false };
    await panel.manage("PATCH", "", off);
    expect((await robin.send(method, `${path}/follow`)).status).toBe(204);
    expect(await robin.read(path)).toMatchObject({ following: method === "PUT" });
  });

  it.each<[string, number, string, (scene: Scene) => Promise<unknown>]>([
    ["board is closed", 404, "idea-bank-not-found", ({ panel }) => panel.manage("PATCH", "", { status: "CLOSED" })],
    ["board is internal", 404, "idea-bank-not-found", ({ panel }) => panel.manage("PATCH", "", { internal: true })],
    ["account is suspended", 404, "idea-bank-not-found", ({ set }) => set("UPDATE accounts SET status = 'suspended'")],
    ["proposal is hidden", 404, "proposal-not-found", becomes("hidden")],
    ["proposal waits for approval", 404, "proposal-not-found", becomes("pending")],
    [
      "panelist's tokens are revoked",
      401,
      "unauthorized",
      ({ panel, robin }) => panel.tenant.send("DELETE", `/tenant/panelists/${robin.id}/tokens`),
    ],
    [
      "panelist is blocked",
      401,
      "unauthorized",
      ({ panel, robin }) => panel.tenant.send("PATCH", `/tenant/panelists/${robin.id}`, { active: false }),
    ],
  ])("writes nothing where the %s: %i %s", async (_, status, error, change) => {
    const scene = await createFollowed();
    const { panel, robin, path, muteFor } = scene;
    await muteFor(robin.id, path.slice(PROPOSALS.length + 1));
    const token = await tokenFor(panel.bank.id, robin.id);
    await change(scene);
    const before = await dumpDatabases();
    const send = sendWith(createIsolate(telling), token);
    expect(await errorOf(await send(method, `${path}/follow`))).toEqual([status, error]);
    expect(await dumpDatabases()).toEqual(before);
  });

  it("gives one answer for a proposal of another board, of another account, and none", { tags: "slow" }, async () => {
    const { panel, robin } = await createFollowed();
    const foreign = await createPanel();
    const sister = await createPanel({ accountId: panel.bank.accountId });
    const unseen = [await foreign.propose(), await sister.propose(), newId(), "x"];
    const before = await dumpDatabases();
    const answers = [];
    for (const id of unseen) answers.push(await (await robin.send(method, `${PROPOSALS}/${id}/follow`)).text());
    expect(JSON.parse(answers[0] ?? "")).toMatchObject({ status: 404, error: "proposal-not-found" });
    expect(new Set(answers).size).toBe(1);
    expect(await dumpDatabases()).toEqual(before);
  });

  it("is 409 for a merged proposal, which has no `following`, and names the other", async () => {
    const { panel, robin, kim, path, follows } = await createFollowed();
    const into = await panel.propose();
    await panel.manage("POST", `/proposals/${path.slice(PROPOSALS.length + 1)}/merge`, { into });
    const before = await follows();
    const refused = await robin.send(method, `${path}/follow`);
    expect([refused.status, await refused.json()]).toMatchObject([409, { error: "conflict", duplicateOf: into }]);
    expect(await follows()).toEqual(before);
    expect(await kim.read(path)).not.toHaveProperty("following");
    // Who follows an idea follows the one that it is merged into.
    expect(await kim.read(`${PROPOSALS}/${into}`)).toMatchObject({ following: true });
  });
});

it("a panelist follows the own proposal while it waits for approval", async () => {
  const { panel, robin } = await createScene();
  await panel.manage("PATCH", "", { approvalRequired: true });
  const path = `${PROPOSALS}/${await robin.submit()}`;
  expect((await robin.send("PUT", `${path}/follow`)).status).toBe(204);
  expect(await robin.read(path)).toMatchObject({ visibility: "pending", following: true });
});
