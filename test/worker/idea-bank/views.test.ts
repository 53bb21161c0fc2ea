/** An isolate's views of idea banks: which read is made when, what is believed, and what memory may hold of whom. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { MAX_LISTED } from "../../../src/worker/database/idea-bank-view.ts";
import { MEMORY_BYTES as ACCOUNTS_BYTES } from "../../../src/worker/idea-bank/account-memory.ts";
import { MEMORY_BYTES } from "../../../src/worker/idea-bank/views.ts";
import { freeze } from "../../support/clock.ts";
import { bindingOf, databaseOf, openDatabase } from "../../support/databases.ts";
import { failStores } from "../../support/intercept.ts";
import { interceptDatabase } from "../../support/intercept-binding.ts";
import { createReplica } from "../../support/lagging-replica.ts";
import { type Asked, createViews, fillLargeIdeaBanks, fillRevocations, meter, START } from "../../support/views.ts";
import { addAccount, addIdeaBank, addProposal, newId } from "../../support/world.ts";

const REVOKE = "UPDATE panelists SET active = 0 WHERE id = ?1";

beforeEach(() => freeze(START));

describe("a renewal", () => {
  it("begins after an answer, when the view is a second old: nobody waits for it", async () => {
    const { id } = await addIdeaBank();
    const { open, fromMemory, pending, settle } = createViews();
    await open(databaseOf(id), { ideaBankId: id });
    await settle();
    await databaseOf(id).prepare("UPDATE idea_banks SET name = 'After' WHERE id = ?1").bind(id).run();
    const nameAt = (ms: number) => {
      vi.setSystemTime(START + ms);
      return fromMemory(databaseOf(id), { ideaBankId: id })?.ideaBank?.name;
    };
    expect([nameAt(999), pending.length]).toEqual(["An idea bank", 0]);
    expect([nameAt(1_000), nameAt(1_001), pending.length]).toEqual(["An idea bank", "An idea bank", 1]);
    await settle();
    expect([nameAt(1_002), pending.length]).toEqual(["After", 0]);
    expect(nameAt(6_001)).toBeUndefined();
  });
});

describe("own revocations", () => {
  it.each([
    ["few", 0],
    ["many", MAX_LISTED + 1],
  ])("hold at once in an account with %s, D1 up or down, whatever a replica says", async (_, revocations) => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const bank = await addIdeaBank();
    const { id: ideaBankId, panelistId } = bank;
    await fillRevocations(bank.accountId, Math.max(1, revocations));
    const replica = await createReplica(ideaBankId);
    const { open, views, databases } = createViews();
    const isRevoked = async (binding: D1Database) => (await open(binding, { ideaBankId, panelistId })).isRevoked;
    expect(await isRevoked(replica.database)).toBe(false);
    await replica.write(REVOKE, panelistId);
    const revocation = await databaseOf(ideaBankId)
      .prepare(
        "SELECT seq, panelist_id AS panelistId, revoked_at AS revokedAt FROM token_revocations WHERE panelist_id = ?1",
      )
      .bind(panelistId)
      .first<{ seq: number; panelistId: string; revokedAt: number }>();
    if (revocation === null) throw new Error("nothing was revoked");
    views.noteRevocation(bank.accountId, revocation, "00000002", openDatabase(replica.database, databases));
    const down = failStores(env, "d1").DB_1;
    for (const ms of [0, 2_000, 6_000, 7_500]) {
      vi.setSystemTime(START + ms);
      expect(await isRevoked(ms === 7_500 ? replica.database : down)).toBe(true);
    }
  });
});

describe("in an outage, nothing serves that may have been untrue for more than five minutes:", () => {
  it.each([
    ["the primary has given, few revocations", "primary", 1, 300_000],
    ["the primary has given, many", "primary", MAX_LISTED + 1, 300_000],
    ["a replica has given, which may have been six seconds behind, few", "replica", 1, 294_000],
    ["a replica has given, many", "replica", MAX_LISTED + 1, 294_000],
  ])("what %s", async (_, from, revocations, lastMs) => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const { id: ideaBankId, panelistId, accountId } = await addIdeaBank();
    await fillRevocations(accountId, revocations);
    const replica = await createReplica(ideaBankId);
    const { open } = createViews();
    // The first read is at the primary: it makes the anchor that the next one's replica must have reached.
    if (from === "replica") await open(replica.database, { ideaBankId: newId(ideaBankId) });
    await open(replica.database, { ideaBankId, panelistId });
    expect(replica.asked.at(-1)).toBe(from === "primary" ? "first-primary" : "00000001");
    const down = failStores(env, "d1").DB_1;
    vi.setSystemTime(START + lastMs);
    expect((await open(down, { ideaBankId, panelistId })).ideaBank?.accountId).toBe(accountId);
    vi.setSystemTime(START + lastMs + 1);
    await expect(open(down, { ideaBankId, panelistId })).rejects.toThrow();
  });
});

describe("what is known of an account", () => {
  it("and was dropped, is not taken for all when another token is revoked here: D1 up or down", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const { id, accountId, panelistId } = await addIdeaBank();
    const { open, views } = createViews();
    const revoke = (panelist: string) =>
      views.noteRevocation(
        accountId,
        { seq: 1, panelistId: panelist, revokedAt: START },
        "",
        openDatabase(databaseOf(id)),
      );
    await open(databaseOf(id), { ideaBankId: id, panelistId });
    revoke(panelistId);
    const others = ACCOUNTS_BYTES / 256 + 1;
    for (let other = 0; other < others; other++) views.noteSuspension(`other ${other}`, false, "");
    revoke(newId(accountId));
    const down = failStores(env, "d1")[bindingOf(id)];
    expect((await open(down, { ideaBankId: id, panelistId, freshMs: 0 })).isRevoked).toBe(true);
  });

  it("is not read again: a new idea bank asks for later revocations only", async () => {
    const bank = await addIdeaBank();
    await fillRevocations(bank.accountId, 1_000);
    const { database, costOf } = meter(bank.id);
    const { open } = createViews();
    expect((await costOf(() => open(database, { ideaBankId: bank.id }))).rows).toBeGreaterThan(1_000);
    const second = await addIdeaBank({ accountId: bank.accountId });
    await databaseOf(bank.id).prepare(REVOKE).bind(second.panelistId).run();
    const asked = { ideaBankId: second.id, panelistId: second.panelistId };
    const cost = await costOf(async () => expect((await open(database, asked)).isRevoked).toBe(true));
    expect(cost.rows).toBeLessThan(15);
    expect(cost.trips).toBe(1);
  });
});

describe("memory", () => {
  it("gives each account a share: one with 185 idea banks of 256 KiB throws out nobody else's", async () => {
    const theirs = await addIdeaBank();
    const large = await addAccount({ digit: "1" });
    const database = databaseOf(large);
    await fillLargeIdeaBanks(large, 185);
    const { open, fromMemory } = createViews();
    const neighbour = { ideaBankId: theirs.id, panelistId: theirs.panelistId };
    await open(databaseOf(theirs.id), neighbour);
    let [held, weight] = [0, 0];
    for (let bank = 1; bank <= 185; bank++) await open(database, { ideaBankId: `bank${bank}` });
    for (let bank = 1; bank <= 185; bank++) {
      const { changelog } = fromMemory(database, { ideaBankId: `bank${bank}` }) ?? {};
      if (changelog === undefined) continue;
      held += 1;
      weight += changelog.bytes.byteLength;
    }
    expect(fromMemory(databaseOf(theirs.id), neighbour)?.ideaBank?.accountId).toBe(theirs.accountId);
    expect(held).toBeGreaterThan(20);
    expect(weight).toBeLessThanOrEqual(MEMORY_BYTES.share);
  });
});

describe("an answer that was overtaken", () => {
  it("by a later one does not replace it, nor does a replica that is behind what memory knows", async () => {
    const bank = await addIdeaBank();
    await addProposal(bank, { title: "first" });
    const replica = await createReplica(bank.id);
    const [taken, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { open } = createViews();
    const textOf = async (binding: D1Database, terms: Partial<Asked> = {}) =>
      new TextDecoder().decode((await open(binding, { ideaBankId: bank.id, ...terms })).changelog?.bytes);
    await textOf(replica.database);
    const slow = new Proxy(replica.database, {
      get(target, name) {
        if (name !== "withSession") return Reflect.get(target, name);
        return (constraint: string) =>
          interceptDatabase(target.withSession(constraint), async (_, makeCall) => {
            const answer = await makeCall();
            taken.resolve();
            await held.promise;
            return answer;
          });
      },
    });
    vi.setSystemTime(START + 5_001);
    const early = textOf(slow);
    await taken.promise;
    await replica.write("UPDATE proposals SET title = 'second' WHERE idea_bank_id = ?1", bank.id);
    vi.setSystemTime(START + 5_002);
    expect(await textOf(replica.database, { freshMs: 0, floor: "00000002" })).toContain("second");
    held.resolve();
    expect(await early).toContain("second");
    for (const ms of [5_003, 10_500]) {
      vi.setSystemTime(START + ms);
      expect(await textOf(replica.database, { freshMs: 0 })).toContain("second");
    }
  });
});
