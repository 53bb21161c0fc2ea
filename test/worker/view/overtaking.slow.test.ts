/** Answers of D1 that overtake each other, and what memory has dropped: an isolate does not go back. */
import { env } from "cloudflare:workers";
import { beforeEach, expect, it, vi } from "vitest";
import { freeze } from "../../support/clock.ts";
import { bindingOf } from "../../support/databases.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createReplica } from "../../support/lagging-replica.ts";
import { addOneOfEverything, createTenant } from "../../support/tenant.ts";
import { createViews, fillLargeIdeaBanks, holding, START } from "../../support/views.ts";
import { addAccount, addIdeaBank, tokenFor } from "../../support/world.ts";

beforeEach(() => freeze(START));

it("of two changes through an isolate, whose answers come in the other order, both show", async () => {
  const ids = await addOneOfEverything();
  const token = await tokenFor(ids.ideaBankId, ids.panelistId);
  const replica = await createReplica(ids.accountId);
  let writes = -1;
  const { slow, taken, held } = holding(replica.database, () => writes++ === 0);
  const isolate = createIsolate({ ...env, [bindingOf(ids.accountId)]: slow });
  const tenant = await createTenant({ accountId: ids.accountId }, isolate);
  const name = async () =>
    (await (await isolate.request("/ideabank", { headers: { Authorization: token } })).json<{ name: string }>()).name;
  expect(await name()).toBe("An idea bank");
  vi.setSystemTime(START + 2_500);
  writes = 0;
  const path = `/tenant/ideabanks/${ids.ideaBankId}`;
  const first = tenant.send("PATCH", path, { name: "First" });
  await taken.promise;
  await replica.catchUp();
  expect((await tenant.send("PATCH", path, { name: "Second" })).status).toBe(200);
  held.resolve();
  expect((await first).status).toBe(200);
  expect(await name()).toBe("Second");
});

const capability = "canViewChangelog";

/** The first read of a closed idea bank: D1 has answered it, and the answer is on its way. */
async function readClosed() {
  const bank = await addIdeaBank({ status: "CLOSED" });
  const replica = await createReplica(bank.id);
  const { slow, taken, held } = holding(replica.database, (_, count) => count === 0);
  const { open } = createViews();
  const early = open(slow, { ideaBankId: bank.id, capability });
  await taken.promise;
  return { bank, replica, open, slow, held, early };
}

it("what the primary said before a token was issued refuses nobody who has it", async () => {
  const { bank, replica, open, held, early } = await readClosed();
  vi.setSystemTime(START + 1_500);
  await replica.write("UPDATE idea_banks SET status = 'OPEN' WHERE id = ?1", bank.id);
  // Issued now, and used a moment later, in an isolate whose first read is still under way.
  vi.setSystemTime(START + 1_500);
  const { slow: slower, held: held2 } = holding(replica.database, () => true);
  const late = open(slower, { ideaBankId: bank.id, capability, issuedAt: START / 1000 + 1 });
  await new Promise((done) => setTimeout(done, 30));
  held.resolve();
  await early;
  await new Promise((done) => setTimeout(done, 50));
  held2.resolve();
  expect((await late).ideaBank?.status).toBe("OPEN");
});

it("the same, by one read that both wait for (300 ms)", async () => {
  const { bank, replica, open, slow, held, early } = await readClosed();
  await replica.write("UPDATE idea_banks SET status = 'OPEN' WHERE id = ?1", bank.id);
  vi.setSystemTime(START + 300);
  const late = open(slow, { ideaBankId: bank.id, capability, issuedAt: START / 1000 });
  await new Promise((done) => setTimeout(done, 30));
  held.resolve();
  await early;
  expect((await late).ideaBank?.status).toBe("OPEN");
});

it("a view that memory has dropped comes back no older than it was", async () => {
  const large = await addAccount({ digit: "1" });
  await fillLargeIdeaBanks(large, 30);
  const replica = await createReplica(large);
  const { open } = createViews();
  const name = async (floor?: string) => (await open(replica.database, { ideaBankId: "bank1", floor })).ideaBank?.name;
  expect(await name()).toBe("Old");
  vi.setSystemTime(START + 1_000);
  await replica.write("UPDATE idea_banks SET name = 'New' WHERE id = 'bank1'");
  // Another panelist's Consistency-Token (or a read ahead at the primary).
  expect(await name("00000002")).toBe("New");
  expect(await name()).toBe("New");
  for (let bank = 2; bank <= 30; bank++) await open(replica.database, { ideaBankId: `bank${bank}` });
  vi.setSystemTime(START + 1_100);
  expect(await name()).toBe("New");
});

it("a list shows what tenants have changed through this isolate, whichever replica it reads", async () => {
  const ids = await addOneOfEverything();
  const token = await tokenFor(ids.ideaBankId, ids.panelistId);
  const replica = await createReplica(ids.accountId);
  const isolate = createIsolate({ ...env, [bindingOf(ids.accountId)]: replica.database });
  const tenant = await createTenant({ accountId: ids.accountId }, isolate);
  const list = () => isolate.request("/ideabank/proposals", { headers: { Authorization: token } });
  expect((await list()).status).toBe(200);
  vi.setSystemTime(START + 1_000);
  const path = `/tenant/ideabanks/${ids.ideaBankId}`;
  expect((await tenant.send("POST", `${path}/proposals`, { title: "New" })).status).toBe(201);
  const { items } = await (await list()).json<{ items: { title: string }[] }>();
  expect(items.map(({ title }) => title)).toContain("New");
  expect((await tenant.send("PATCH", path, { status: "CLOSED" })).status).toBe(200);
  expect((await list()).status).toBe(404);
});
