/** The budgets of design section 4, counted on the real stores. */

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { loadIdeaBankView } from "../../src/worker/database/idea-banks/idea-bank-view.ts";
import { freeze } from "../support/clock.ts";
import { databaseOf, sessionOf } from "../support/databases.ts";
import { countStores, interceptGateDatabase } from "../support/intercept.ts";
import { meterDatabase, meterDatabases } from "../support/intercept-binding.ts";
import { createIsolate } from "../support/isolate.ts";
import { addApiKey, addIdeaBank, addPanelist, addProposal, tokenFor } from "../support/world.ts";

const NOTHING = { d1: 0, "kv.read": 0, "kv.write": 0, gate: 0 };

/** A request, and what it cost. */
function counting(freshnessSeconds = "1") {
  const { env: counted, counts } = countStores({ ...env, FRESHNESS_SECONDS: freshnessSeconds });
  const isolate = createIsolate(counted);
  return async (path: string, headers: Record<string, string>) => {
    Object.assign(counts, NOTHING);
    const response = await isolate.request(path, { headers });
    return { status: response.status, ...counts };
  };
}

describe("whoami", () => {
  it("with a key in use costs one Durable Object call, and no D1 call inside it either", async () => {
    const key = await addApiKey();
    const request = counting();
    await request("/tenant/whoami", { "X-API-Key": key.text });
    let insideGate = 0;
    await runInDurableObject(env.API_KEY_GATE.getByName(key.id), (instance) =>
      interceptGateDatabase(instance, env, (_, makeCall) => {
        insideGate += 1;
        return makeCall();
      }),
    );
    expect(await request("/tenant/whoami", { "X-API-Key": key.text })).toEqual({ status: 200, ...NOTHING, gate: 1 });
    expect(insideGate).toBe(0);
  });

  it("with a key over its limit calls no store", { tags: "slow" }, async () => {
    freeze(1_900_000_000_000);
    const key = await addApiKey({ limit: 1 });
    const request = counting();
    await request("/tenant/whoami", { "X-API-Key": key.text });
    expect(await request("/tenant/whoami", { "X-API-Key": key.text })).toEqual({ status: 429, ...NOTHING, gate: 1 });
    expect(await request("/tenant/whoami", { "X-API-Key": key.text })).toEqual({ status: 429, ...NOTHING });
  });
});

// A forged or malformed credential calls no store: authentication.test.ts checks this for every case of its table.

// Cold, and within the freshness window: panelist/token-costs.test.ts, with each kind of token.
describe("the changelog", () => {
  const PATH = "/public/ideabank/changelog";

  it("in a cold isolate with KV warm costs one D1 round trip and a KV read", async () => {
    const { token } = await addIdeaBank();
    await counting()(PATH, { Authorization: token });
    expect(await counting()(PATH, { Authorization: token })).toEqual({ status: 200, ...NOTHING, d1: 1, "kv.read": 1 });
  });

  it("past the window, at the same version, costs one D1 round trip", async () => {
    const { token } = await addIdeaBank();
    const request = counting("0");
    await request(PATH, { Authorization: token });
    expect(await request(PATH, { Authorization: token })).toEqual({ status: 200, ...NOTHING, d1: 1 });
  });

  it("a second old costs one D1 round trip after the answer; older than the window, before it", async () => {
    freeze(1_900_000_000_000);
    const { token } = await addIdeaBank();
    const request = counting("5");
    await request(PATH, { Authorization: token });
    for (const [ms, d1] of [
      [999, 0],
      [1_000, 1],
      [1_001, 0],
      [6_001, 1],
    ] as const) {
      vi.setSystemTime(1_900_000_000_000 + ms);
      expect(await request(PATH, { Authorization: token })).toEqual({ status: 200, ...NOTHING, d1 });
    }
  });

  it("with a new version costs one D1 round trip, and no KV while KV was written a moment ago", async () => {
    freeze(1_900_000_000_000);
    const bank = await addIdeaBank();
    const request = counting("5");
    await request(PATH, { Authorization: bank.token });
    await addProposal(bank);
    vi.setSystemTime(1_900_000_005_001);
    expect(await request(PATH, { Authorization: bank.token })).toEqual({ status: 200, ...NOTHING, d1: 1 });
  });

  it("without the capability costs no KV read once the isolate has the view", async () => {
    freeze(1_900_000_000_000);
    const { id, panelistId } = await addIdeaBank({ status: "CLOSED" });
    const token = await tokenFor(id, panelistId, 1_899_999_000);
    const request = counting();
    await request(PATH, { Authorization: token });
    expect(await request(PATH, { Authorization: token })).toEqual({ status: 404, ...NOTHING });
  });
});

describe("another service asks", () => {
  const asking = () => {
    const { env: counted, counts } = countStores({ ...env, FRESHNESS_SECONDS: "1" });
    const isolate = createIsolate(counted);
    return async (question: Parameters<typeof isolate.ask>[0]) => {
      Object.assign(counts, NOTHING);
      return { answer: await isolate.ask(question), ...counts };
    };
  };

  it("for a key: one Durable Object call, and none when the key is over its limit", async () => {
    freeze(1_900_000_000_000);
    const key = await addApiKey({ limit: 1 });
    const ask = asking();
    const admit = () => ask((access) => access.admit(key.text));
    expect(await admit()).toMatchObject({ answer: { ok: true }, ...NOTHING, gate: 1 });
    expect(await admit()).toMatchObject({ answer: { ok: false }, ...NOTHING, gate: 1 });
    expect(await admit()).toMatchObject({ answer: { ok: false }, ...NOTHING });
  });

  it("for a token: one D1 round trip in a cold isolate and no KV; no store while the view is fresh, for every panelist", async () => {
    freeze(1_900_000_000_000);
    const bank = await addIdeaBank();
    const other = await tokenFor(bank.id, await addPanelist(bank.accountId));
    const ask = asking();
    expect(await ask((access) => access.panelist(bank.token))).toMatchObject({
      answer: { ok: true },
      ...NOTHING,
      d1: 1,
    });
    for (const token of [bank.token, other])
      expect(await ask((access) => access.panelist(token))).toMatchObject({ answer: { ok: true }, ...NOTHING });
  });
});

const rowsReadBy = (results: readonly D1Result[]) => results.reduce((sum, { meta }) => sum + meta.rows_read, 0);

describe("rows read", () => {
  it("by a cold render are those of the entries, however many proposals there are", { tags: "slow" }, async () => {
    const rowsRead = async (proposals: number) => {
      const bank = await addIdeaBank({ changelogMaxEntries: 10 });
      await databaseOf(bank.id)
        .prepare(
          `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
         INSERT INTO proposals (id, account_id, idea_bank_id, title, description, status, created_at, last_activity_at)
         SELECT ?1 || i, ?2, ?1, 'T', 'D', iif(i % 2, 'implemented', 'planned'), i, i FROM n`,
        )
        .bind(bank.id, bank.accountId, proposals)
        .run();
      let rows = 0;
      const database = meterDatabase(databaseOf(bank.id), (results) => {
        rows += rowsReadBy(results);
      });
      const known = { ideaBankId: bank.id, panelistId: bank.panelistId, version: -1, seq: 0 };
      expect((await loadIdeaBankView(sessionOf(database), known)).entries).toHaveLength(10);
      return rows;
    };
    const few = await rowsRead(40);
    expect(await rowsRead(4_000)).toBe(few);
    expect(few).toBeLessThanOrEqual(4 * 10 + 6);
  });

  it("by a view do not grow with revocations that the isolate has seen", async () => {
    const bank = await addIdeaBank();
    await databaseOf(bank.id)
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
       INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at) SELECT ?1, 'p' || i, 1, 1 FROM n`,
      )
      .bind(bank.accountId)
      .run();
    const rows: number[] = [];
    const metered = meterDatabases(env, (results) => rows.push(rowsReadBy(results)));
    const isolate = createIsolate({ ...metered, FRESHNESS_SECONDS: "0" });
    const read = () => isolate.request("/ideabank", { headers: { Authorization: bank.token } });
    await read();
    await read();
    expect(rows[0]).toBeGreaterThan(500);
    expect(rows[1]).toBeLessThanOrEqual(8);
  });
});
