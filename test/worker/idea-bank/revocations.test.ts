/** The revocations of an account, however many: what a request reads, and that they are believed. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { MAX_LISTED } from "../../../src/worker/database/idea-bank-view.ts";
import { MEMORY_BYTES, Revocations } from "../../../src/worker/idea-bank/revocations.ts";
import { databaseOf } from "../../support/databases.ts";
import { meterDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { fillRevocations } from "../../support/views.ts";
import { addIdeaBank, addPanelist, tokenFor } from "../../support/world.ts";

/** A token that is not young. `issuedAt` is in Unix seconds. */
const oldTokenFor = (ideaBankId: string, panelistId: string, issuedAt = Math.floor(Date.now() / 1000) - 3_600) =>
  tokenFor(ideaBankId, panelistId, issuedAt);

const revoke = (panelistId: string) =>
  databaseOf(panelistId).prepare("UPDATE panelists SET active = 0 WHERE id = ?1").bind(panelistId).run();

/** An isolate, and what each request cost it: rows read, and round trips. */
function metered() {
  let cost = { rows: 0, trips: 0 };
  const bindings = meterDatabases(env, (results) => {
    cost.trips += 1;
    for (const { meta } of results) cost.rows += meta.rows_read;
  });
  const isolate = createIsolate({ ...bindings, FRESHNESS_SECONDS: "0" });
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
    await fillRevocations(bank.accountId, 100_000);
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
});

describe("an account that crosses 2,000 revocations while an isolate knows it", () => {
  it("has its revoked panelists refused and its others admitted, before, at and after", async () => {
    const bank = await addIdeaBank();
    const early = await addPanelist(bank.accountId);
    await revoke(early);
    await fillRevocations(bank.accountId, MAX_LISTED - 2);
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

  it("has a panelist admitted again by a token from after the last revocation", async () => {
    const bank = await addIdeaBank();
    await fillRevocations(bank.accountId, MAX_LISTED + 1);
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
  await fillRevocations(bank.accountId, 1_000);
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

describe("in memory", () => {
  const revocation = (seq: number, panelistId = `p${seq}`) => ({ seq, panelistId, revokedAt: seq });
  const manyFrom = (seq: number, count: number) => Array.from({ length: count }, (_, index) => revocation(seq + index));

  it("a list that has grown too long is not kept, and D1 is asked for nothing of it", () => {
    const revocations = new Revocations();
    revocations.add("a", 0, manyFrom(1, MAX_LISTED));
    expect([revocations.revokedAt("a", "p1"), revocations.revokedAt("a", "other")]).toEqual([1, -1]);
    revocations.add("a", MAX_LISTED, manyFrom(MAX_LISTED + 1, 1));
    expect([revocations.has("a"), revocations.revokedAt("a", "p1")]).toEqual([true, undefined]);
    expect(revocations.seqOf("a")).toBe(Number.MAX_SAFE_INTEGER);
  });

  it("a list that was dropped is not taken for all after a read of the later ones, and what was revoked here stays", () => {
    const revocations = new Revocations();
    revocations.note(revocation(3, "own"));
    revocations.add("a", 0, manyFrom(1, 2));
    const seq = revocations.seqOf("a");
    for (let other = 0; other <= MEMORY_BYTES / 256; other++) revocations.add(`other ${other}`, 0, []);
    expect(revocations.has("a")).toBe(false);
    revocations.add("a", seq, []);
    expect(revocations.has("a")).toBe(false);
    expect(revocations.latest("own", undefined)).toBe(3);
  });

  it("a slow read that began between two revocations of a panelist takes the second one back from nobody", () => {
    const [first, second] = [
      { ...revocation(1, "p"), revokedAt: 100 },
      { ...revocation(2, "p"), revokedAt: 200 },
    ];
    const revocations = new Revocations();
    revocations.add("a", 0, []);
    const seq = revocations.seqOf("a");
    // The table has one row of a panelist: the slow read has found the first, another that began later the second.
    revocations.add("a", seq, [second]);
    revocations.add("a", seq, [first]);
    expect([revocations.revokedAt("a", "p"), revocations.seqOf("a")]).toEqual([200, 2]);
    // The same where both were made through this isolate, and where D1 was asked for this panelist alone.
    const here = new Revocations();
    here.note(second);
    here.note(first);
    here.add("a", 0, [first]);
    expect([here.revokedAt("a", "p"), here.latest("p", first)]).toEqual([200, 200]);
  });
});
