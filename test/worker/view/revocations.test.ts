/** The revocations of an account, however many: what a request reads, and that they are believed. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { MAX_LISTED } from "../../../src/worker/database/idea-banks/idea-bank-view.ts";
import { MEMORY_BYTES, Revocations } from "../../../src/worker/view/revocations.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { countStores } from "../../support/intercept.ts";
import { meterDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createPanel } from "../../support/panel.ts";
import { signJwt } from "../../support/sign-jwt.ts";
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
  it("a request reads under 2,100 rows, always in one round trip, and under 10 ordinarily", {
    tags: "slow",
  }, async () => {
    const bank = await addIdeaBank();
    const banks = [bank];
    for (let times = 0; times < 3; times++) banks.push(await addIdeaBank({ accountId: bank.accountId }));
    await fillRevocations(bank.accountId, 100_000);
    const revoked = await addPanelist(bank.accountId);
    await revoke(revoked);
    const ask = metered();
    freeze(Date.now());
    // A view that was read in the same millisecond answers without a round trip.
    const read = (token: string) => {
      vi.setSystemTime(Date.now() + 1);
      return ask(token);
    };
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
  it("has its revoked panelists refused and its others admitted, before, at and after", { tags: "slow" }, async () => {
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

describe("an account with more than 2,000 people who are blocked for good", () => {
  it("has tokens answered from memory that were issued after the newest 2,000 blocks began, and looks signed ones up", {
    tags: "slow",
  }, async () => {
    const panel = await createPanel();
    const { accountId, id } = panel.bank;
    const sign = async (subject: string) => {
      const { kid, secret } = await (await panel.manage("GET", "/signing-secret")).json<Record<string, string>>();
      const iat = Math.floor(Date.now() / 1000) - 60;
      return signJwt({ alg: "HS256", kid }, { iss: id, sub: subject, iat, exp: iat + 3_600 }, secret ?? "");
    };
    const body = { externalId: "blocked", active: false };
    expect((await panel.tenant.send("POST", "/tenant/panelists", body)).status).toBe(201);
    await fillRevocations(accountId, MAX_LISTED, 1_000);
    await databaseOf(id)
      .prepare("UPDATE token_revocations SET recorded_at = recorded_at - 3600000 WHERE revoked_at > 1")
      .run();
    const { env: counted, counts } = countStores(env);
    const isolate = createIsolate(counted);
    const costs = async (token: string) => {
      counts.d1 = 0;
      const { status } = await isolate.request("/ideabank", { headers: { Authorization: token } });
      return [status, counts.d1];
    };
    freeze(Date.now());
    const ours = await oldTokenFor(id, panel.bank.panelistId, Math.floor(Date.now() / 1000) - 60);
    expect(await costs(ours)).toEqual([200, 1]);
    const before = await oldTokenFor(id, panel.bank.panelistId, Math.floor(Date.now() / 1000) - 7_200);
    const [blocked, other] = [await sign("blocked"), await sign("other")];
    for (let times = 0; times < 2; times++) {
      expect(await costs(ours)).toEqual([200, 0]);
      expect(await costs(other)).toEqual([200, 1]);
      expect(await costs(blocked)).toEqual([401, 1]);
      expect(await costs(before)).toEqual([200, 1]);
    }
  });
});

describe("in memory", () => {
  const revocation = (seq: number, panelistId = `p${seq}`) => ({
    ...{ seq, panelistId },
    ...{ revokedAt: seq, recordedAt: seq * 1000 },
  });
  /** As a read lists them: newest first. */
  const manyFrom = (seq: number, count: number) =>
    Array.from({ length: count }, (_, index) => revocation(seq + count - 1 - index));
  const signed = { signed: true };

  it("a list keeps the newest 2,000, and lacks what concerns signed tokens, and tokens from before the cut", () => {
    const revocations = new Revocations();
    const revokedAt = (panelistId: string, issuedAt: number, more = {}) =>
      revocations.revokedAt("a", panelistId, { issuedAt, ...more });
    revocations.add("a", 0, manyFrom(1, MAX_LISTED));
    expect([revokedAt("p1", 0), revokedAt("other", 0), revokedAt("other", 9_999, signed)]).toEqual([1, -1, -1]);
    revocations.add("a", MAX_LISTED, manyFrom(MAX_LISTED + 1, 1));
    expect([revokedAt("p1", 0), revokedAt("p2", 0), revokedAt(`p${MAX_LISTED + 1}`, 0)]).toEqual([
      undefined,
      2,
      MAX_LISTED + 1,
    ]);
    // Second 1 is that of the newest revocation that the list lacks; D1's clock may step back by a minute.
    expect([revokedAt("other", 61), revokedAt("other", 62), revokedAt("other", 62, signed)]).toEqual([
      undefined,
      -1,
      undefined,
    ]);
    expect(revocations.seqOf("a")).toBe(MAX_LISTED + 1);
  });

  it("a read that has left some out takes the place of the older list, and never of one that is as new", () => {
    const revocations = new Revocations();
    const revokedAt = (panelistId: string) => revocations.revokedAt("a", panelistId, { issuedAt: 0 });
    revocations.add("a", 0, [revocation(1, "again"), revocation(0, "old")]);
    const cut = manyFrom(10_000, MAX_LISTED + 1);
    revocations.add("a", 1, cut);
    expect([revokedAt("old"), revokedAt("again"), revokedAt("p10000"), revokedAt("p10001")]).toEqual([
      undefined,
      undefined,
      undefined,
      10_001,
    ]);
    const { seq } = revocation(revocations.seqOf("a") + 1, "newer");
    revocations.add("a", seq - 1, [revocation(seq, "newer")]);
    revocations.add("a", 1, cut);
    expect(revokedAt("newer")).toBe(seq);
  });

  it("a list that was dropped is not taken for all after a read of the later ones, and what was revoked here stays", {
    tags: "slow",
  }, () => {
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
    expect([revocations.revokedAt("a", "p", { issuedAt: 0 }), revocations.seqOf("a")]).toEqual([200, 2]);
    // The same where both were made through this isolate, and where D1 was asked for this panelist alone.
    const here = new Revocations();
    here.note(second);
    here.note(first);
    here.add("a", 0, [first]);
    expect([here.revokedAt("a", "p", { issuedAt: 0 }), here.latest("p", first)]).toEqual([200, 200]);
  });
});
