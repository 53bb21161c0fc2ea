/** What was written through an isolate shows in every later answer of it, however far the replica that answers is behind. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { freeze } from "../../support/clock.ts";
import { bindingOf, databaseOf } from "../../support/databases.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createReplica } from "../../support/lagging-replica.ts";
import { createOwner } from "../../support/owner.ts";
import { addOneOfEverything, createTenant } from "../../support/tenant.ts";
import { addIdeaBank, tokenFor } from "../../support/world.ts";

/** An isolate that has not read the idea bank, before a replica that stays where it is. */
async function setUp() {
  const ids = await addOneOfEverything();
  const token = await tokenFor(ids.ideaBankId, ids.panelistId);
  const replica = await createReplica(ids.accountId);
  const binding = bindingOf(ids.accountId);
  const bindings: Env = { ...env, [binding]: replica.database, FRESHNESS_SECONDS: "0" };
  const isolate = createIsolate(bindings);
  const tenant = await createTenant({ accountId: ids.accountId }, isolate);
  const panelist = (method: string, path: string, body?: object) =>
    isolate.request(path, {
      method,
      headers: { Authorization: token, ...(body && { "Content-Type": "application/json" }) },
      body: body ? JSON.stringify(body) : null,
    });
  const titles = async () =>
    (await (await panelist("GET", "/public/ideabank/changelog")).json<{ items: { title: string }[] }>()).items.map(
      ({ title }) => title,
    );
  return { ids, token, replica, bindings, isolate, tenant, panelist, titles };
}

const nameIn = async (response: Response) => (await response.json<{ name: string | null }>()).name;

describe("an isolate that never read the idea bank shows", () => {
  it("a change to it", async () => {
    const { ids, tenant, panelist } = await setUp();
    const change = await tenant.send("PATCH", `/tenant/ideabanks/${ids.ideaBankId}`, { name: "Renamed" });
    expect(change.status).toBe(200);
    expect(await nameIn(await panelist("GET", "/ideabank"))).toBe("Renamed");
  });

  it("that it was closed", async () => {
    const { ids, tenant, panelist } = await setUp();
    await tenant.send("PATCH", `/tenant/ideabanks/${ids.ideaBankId}`, { status: "CLOSED" });
    expect((await panelist("GET", "/public/ideabank/changelog")).status).toBe(404);
  });

  it("a change to a proposal of it", async () => {
    const { ids, tenant, titles } = await setUp();
    const path = `/tenant/ideabanks/${ids.ideaBankId}/proposals/${ids.proposalId}`;
    await tenant.send("PATCH", path, { title: "Edited" });
    expect(await titles()).toEqual(["Edited"]);
  });

  it("that a panelist's tokens were revoked", async () => {
    const { ids, tenant, panelist } = await setUp();
    expect((await tenant.send("DELETE", `/tenant/panelists/${ids.panelistId}/tokens`)).status).toBe(204);
    expect((await panelist("GET", "/public/ideabank/changelog")).status).toBe(401);
  });

  it("what a panelist wrote", async () => {
    const { panelist, titles, ids } = await setUp();
    const submitted = await panelist("POST", "/ideabank/proposals", { title: "Mine", description: "A wish." });
    expect(submitted.status).toBe(201);
    const list = await (await panelist("GET", "/ideabank/proposals")).json<{ items: { title: string }[] }>();
    expect(list.items.map(({ title }) => title)).toContain("Mine");
    await databaseOf(ids.proposalId)
      .prepare("UPDATE proposals SET title = 'Commented' WHERE id = ?1")
      .bind(ids.proposalId)
      .run();
    await panelist("POST", `/ideabank/proposals/${ids.proposalId}/comments`, { body: "A comment" });
    expect(await titles()).toEqual(["Commented"]);
  });
});

it("a comment that was refused makes nobody read the changelog anew", async () => {
  freeze(1_900_000_000_000);
  const { ids, replica, token, bindings } = await setUp();
  await replica.write("UPDATE idea_banks SET comments_enabled = 0 WHERE id = ?1", ids.ideaBankId);
  const isolate = createIsolate({ ...bindings, FRESHNESS_SECONDS: "60" });
  const headers = { Authorization: token, "Content-Type": "application/json" };
  const read = async () => (await isolate.request("/public/ideabank/changelog", { headers })).status;
  expect(await read()).toBe(200);
  const comment = { method: "POST", headers, body: JSON.stringify({ body: "A comment" }) };
  const path = `/ideabank/proposals/${ids.proposalId}/comments`;
  expect((await isolate.request(path, comment)).status).toBe(403);
  replica.asked.length = 0;
  expect(await read()).toBe(200);
  expect(replica.asked).toEqual([]);
});

it("what the isolate of another reader wrote may be shown later, never earlier than this one's own reads", async () => {
  const { ids, replica, panelist } = await setUp();
  // The first read is at the primary; later ones, for a while, are not.
  expect(await nameIn(await panelist("GET", "/ideabank"))).toBe("An idea bank");
  await replica.write("UPDATE idea_banks SET name = 'Elsewhere' WHERE id = ?1", ids.ideaBankId);
  expect(await nameIn(await panelist("GET", "/ideabank"))).toBe("An idea bank");
  await replica.catchUp();
  expect(await nameIn(await panelist("GET", "/ideabank"))).toBe("Elsewhere");
});

describe("what another isolate wrote is shown at once, whatever the replica says,", () => {
  it("to a tenant", async () => {
    const { ids, replica, tenant } = await setUp();
    const read = async () => nameIn(await tenant.send("GET", `/tenant/ideabanks/${ids.ideaBankId}`));
    expect(await read()).toBe("An idea bank");
    await replica.write("UPDATE idea_banks SET name = 'Elsewhere' WHERE id = ?1", ids.ideaBankId);
    expect(await read()).toBe("Elsewhere");
  });

  it("to an account owner", async () => {
    const owner = createOwner();
    const { apiKey } = await owner.create("first");
    const replica = await createReplica(apiKey.id);
    const here = createOwner(owner.email, { ...env, [bindingOf(apiKey.id)]: replica.database });
    const { apiKey: second } = await owner.create("second");
    expect((await here.keys()).map(({ name }) => name)).toEqual(["second", "first"]);
    expect((await here.page(`/api-keys/${second.id}/revoke`)).status).toBe(200);
  });
});

describe("the bookmark", () => {
  it("of one database is never the floor of the other", async () => {
    const { tenant, ids, bindings, replica } = await setUp();
    const elsewhere = await addIdeaBank({ digit: "0" });
    expect([bindingOf(ids.accountId), bindingOf(elsewhere.id)]).toEqual(["DB_1", "DB"]);
    const asked: string[] = [];
    const watched = new Proxy(env.DB, {
      get(target, name) {
        if (name !== "withSession") return Reflect.get(target, name);
        return (constraint: string) => {
          asked.push(constraint);
          return target.withSession(constraint);
        };
      },
    });
    const isolate = createIsolate({ ...bindings, DB: watched });
    const key = { "X-API-Key": tenant.text, "Content-Type": "application/json" };
    const change = { method: "PATCH", headers: key, body: JSON.stringify({ name: "Renamed" }) };
    expect((await isolate.request(`/tenant/ideabanks/${ids.ideaBankId}`, change)).status).toBe(200);
    for (const path of ["/public/ideabank/changelog", "/ideabank/proposals"]) {
      asked.length = 0;
      expect((await isolate.request(path, { headers: { Authorization: elsewhere.token } })).status).toBe(200);
      expect(asked.length).toBeGreaterThan(0);
      expect(asked).not.toContain("00000002");
    }
    const own = await isolate.request("/ideabank", {
      headers: { Authorization: await tokenFor(ids.ideaBankId, ids.panelistId) },
    });
    expect([await nameIn(own), replica.asked.at(-1)]).toEqual(["Renamed", "00000002"]);
  });
});
