/** The revocations of an account, however many: what a request reads, and that they are believed. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { MAX_LISTED, type TokenRevocation } from "../../../src/worker/database/idea-bank-view.ts";
import { TokenRevocations } from "../../../src/worker/idea-bank/token-revocations.ts";
import { databaseOf } from "../../support/databases.ts";
import { meterDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createTenant } from "../../support/tenant.ts";
import { addIdeaBank, addPanelist, tokenFor } from "../../support/world.ts";

/** A token that is too old to be doubted. `issuedAt` is in Unix seconds. */
const oldTokenFor = (ideaBankId: string, panelistId: string, issuedAt = Math.floor(Date.now() / 1000) - 3_600) =>
  tokenFor(ideaBankId, panelistId, issuedAt);

/** As many panelists of the account whose tokens have been revoked. */
const addRevocations = (accountId: string, count: number) =>
  databaseOf(accountId)
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
     INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at)
     SELECT ?1, ?1 || i, 1, unixepoch() * 1000 FROM n`,
    )
    .bind(accountId, count)
    .run();

const revoke = (panelistId: string) =>
  databaseOf(panelistId).prepare("UPDATE panelists SET active = 0 WHERE id = ?1").bind(panelistId).run();

/** An isolate, and what each request cost it: rows read, and round trips. */
function metered(freshnessSeconds = "0") {
  let cost = { rows: 0, trips: 0 };
  const bindings = meterDatabases(env, (results) => {
    cost.trips += 1;
    for (const { meta } of results) cost.rows += meta.rows_read;
  });
  const isolate = createIsolate({ ...bindings, FRESHNESS_SECONDS: freshnessSeconds });
  return async (token: string) => {
    cost = { rows: 0, trips: 0 };
    const { status } = await isolate.request("/ideabank", { headers: { Authorization: token } });
    return { status, ...cost };
  };
}

describe("of an account with 100,000 revocations", () => {
  it("a request reads under 2,100 rows, always in one round trip, and under 10 ordinarily", async () => {
    const bank = await addIdeaBank();
    const banks = [bank];
    for (let times = 0; times < 3; times++) banks.push(await addIdeaBank({ accountId: bank.accountId }));
    await addRevocations(bank.accountId, 100_000);
    const revoked = await addPanelist(bank.accountId);
    await revoke(revoked);
    const read = metered();
    const first = await read(bank.token);
    expect(first).toMatchObject({ status: 200, trips: 1 });
    expect(first.rows).toBeLessThan(2_100);
    for (const { id, panelistId } of banks.slice(1)) {
      const cold = await read(await oldTokenFor(id, panelistId));
      expect(cold).toMatchObject({ status: 200, trips: 1 });
      expect(cold.rows).toBeLessThan(2_100);
    }
    for (const { id, panelistId } of banks) {
      for (const [panelist, status] of [
        [panelistId, 200],
        [revoked, 401],
        [await addPanelist(bank.accountId), 200],
      ] as const) {
        const warm = await read(await oldTokenFor(id, panelist));
        expect(warm).toMatchObject({ status, trips: 1 });
        expect(warm.rows).toBeLessThan(10);
      }
    }
  });

  it("the freshness window holds for each panelist: nothing is read in it", async () => {
    const bank = await addIdeaBank();
    await addRevocations(bank.accountId, MAX_LISTED + 1);
    const read = metered("300");
    await read(bank.token);
    await read(bank.token);
    expect(await read(bank.token)).toEqual({ status: 200, rows: 0, trips: 0 });
  });
});

describe("an account that crosses 2,000 revocations while an isolate knows it", () => {
  it("has its revoked panelists refused and its others admitted, before, at and after", async () => {
    const bank = await addIdeaBank();
    const early = await addPanelist(bank.accountId);
    await revoke(early);
    await addRevocations(bank.accountId, MAX_LISTED - 2);
    const read = metered();
    const statuses = async (...panelists: string[]) => {
      const found = [];
      for (const panelist of panelists) found.push((await read(await oldTokenFor(bank.id, panelist))).status);
      return found;
    };
    const { panelistId } = bank;
    expect(await statuses(early, panelistId)).toEqual([401, 200]);
    const revoked: string[] = [early];
    for (let times = 0; times < 4; times++) {
      const next = await addPanelist(bank.accountId);
      expect(await statuses(next)).toEqual([200]);
      await revoke(next);
      revoked.push(next);
      expect(await statuses(...revoked)).toEqual(revoked.map(() => 401));
      expect(await statuses(panelistId)).toEqual([200]);
    }
    await revoke(panelistId);
    expect(await statuses(panelistId)).toEqual([401]);
  });

  it("has each panelist's next request ask D1 after a write through the isolate, for each of its idea banks", async () => {
    const bank = await addIdeaBank();
    await addRevocations(bank.accountId, MAX_LISTED + 1);
    const banks = [bank];
    for (let times = 0; times < 2; times++) banks.push(await addIdeaBank({ accountId: bank.accountId }));
    const isolate = createIsolate({ ...env, FRESHNESS_SECONDS: "300" });
    const issuedAt = Math.floor(Date.now() / 1000);
    const read = async (id: string) => {
      const Authorization = await oldTokenFor(id, bank.panelistId, issuedAt);
      return (await isolate.request("/ideabank", { headers: { Authorization } })).status;
    };
    for (let times = 0; times < 2; times++) for (const { id } of banks) expect(await read(id)).toBe(200);
    const tenant = await createTenant({ accountId: bank.accountId }, isolate);
    expect((await tenant.send("DELETE", `/tenant/panelists/${bank.panelistId}/tokens`)).status).toBe(204);
    for (const { id } of banks) expect(await read(id)).toBe(401);
  });

  it("has a panelist admitted again by a token from after the last revocation", async () => {
    const bank = await addIdeaBank();
    await addRevocations(bank.accountId, MAX_LISTED + 1);
    const read = metered();
    const now = Math.floor(Date.now() / 1000);
    await databaseOf(bank.id)
      .prepare("UPDATE panelists SET tokens_revoked_at = ?2 WHERE id = ?1")
      .bind(bank.panelistId, (now - 10) * 1000)
      .run();
    expect((await read(await oldTokenFor(bank.id, bank.panelistId, now - 20))).status).toBe(401);
    expect((await read(await oldTokenFor(bank.id, bank.panelistId, now))).status).toBe(200);
  });
});

it("an account's idea banks share one list: what one has read, the others do not read again", async () => {
  const bank = await addIdeaBank();
  await addRevocations(bank.accountId, 1_000);
  const read = metered();
  expect((await read(bank.token)).rows).toBeGreaterThan(1_000);
  const revoked = await addPanelist(bank.accountId);
  for (let times = 0; times < 3; times++) {
    const { id } = await addIdeaBank({ accountId: bank.accountId });
    await read(await oldTokenFor(id, bank.panelistId));
    expect((await read(await oldTokenFor(id, bank.panelistId))).rows).toBeLessThan(10);
  }
  await revoke(revoked);
  expect(await read(await oldTokenFor(bank.id, revoked))).toMatchObject({ status: 401, trips: 1 });
});

it.each([
  ["read", (revocations: TokenRevocations, one: TokenRevocation) => revocations.addListed([one])],
  ["written here", (revocations: TokenRevocations, one: TokenRevocation) => revocations.add(one)],
])("a list that has grown too long by what was %s is not kept, and weighs nothing", (_, add) => {
  const revocations = new TokenRevocations();
  const empty = revocations.bytes;
  const revocation = (seq: number) => ({ seq, panelistId: `p${seq}`, revokedAt: 1 });
  for (let seq = 1; seq <= MAX_LISTED; seq++) add(revocations, revocation(seq));
  expect([revocations.many, revocations.of("p1")]).toEqual([false, 1]);
  expect(revocations.bytes).toBeGreaterThan(64 * MAX_LISTED);
  add(revocations, revocation(MAX_LISTED + 1));
  expect([revocations.many, revocations.bytes]).toEqual([true, empty]);
});
