/** An isolate's views of idea banks: which read is made when, what is believed, and what memory may hold of whom. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { MAX_LISTED } from "../../../src/worker/database/idea-banks/idea-bank-view.ts";
import { MEMORY_BYTES } from "../../../src/worker/view/views.ts";
import { freeze } from "../../support/clock.ts";
import { bindingOf, databaseOf } from "../../support/databases.ts";
import { failStores } from "../../support/intercept.ts";
import { createReplica } from "../../support/lagging-replica.ts";
import {
  type Asked,
  createViews,
  fillLargeIdeaBanks,
  fillRevocations,
  holding,
  meter,
  revocationOf,
  START,
} from "../../support/views.ts";
import { addAccount, addIdeaBank, addProposal, newId } from "../../support/world.ts";

const REVOKE = "UPDATE panelists SET active = 0 WHERE id = ?1";

beforeEach(() => freeze(START));

const MANY = [
  ["few", 1],
  ["many", MAX_LISTED + 1],
] as const;
const warnsOfOutage = () => vi.spyOn(console, "warn").mockImplementation(() => {});

it("a view is read anew after an answer, when it is a second old: nobody waits for it", async () => {
  const { id } = await addIdeaBank();
  const { open, pending, settle } = createViews();
  const nameAt = async (ms: number) => {
    vi.setSystemTime(START + ms);
    return (await open(databaseOf(id), { ideaBankId: id })).ideaBank?.name;
  };
  await nameAt(0);
  await settle();
  await databaseOf(id).prepare("UPDATE idea_banks SET name = 'After' WHERE id = ?1").bind(id).run();
  expect([await nameAt(999), pending.length]).toEqual(["An idea bank", 0]);
  expect([await nameAt(1_000), pending.length]).toEqual(["An idea bank", 1]);
  await settle();
  expect([await nameAt(1_002), pending.length]).toEqual(["After", 0]);
});

describe("own revocations", () => {
  it.each(MANY)(
    "hold at once in an account with %s, D1 up or down, whatever a replica says",
    async (_, revocations) => {
      warnsOfOutage();
      const { id: ideaBankId, panelistId, accountId } = await addIdeaBank();
      await fillRevocations(accountId, revocations);
      const replica = await createReplica(ideaBankId);
      const { open, views } = createViews();
      const isRevoked = async (binding: D1Database) => (await open(binding, { ideaBankId, panelistId })).isRevoked;
      expect(await isRevoked(replica.database)).toBe(false);
      await replica.write(REVOKE, panelistId);
      views.noteRevocation(await revocationOf(panelistId));
      expect(await isRevoked(replica.database)).toBe(true);
      const down = failStores(env, "d1").DB_1;
      for (const ms of [0, 2_000, 6_000]) {
        vi.setSystemTime(START + ms);
        if (revocations > MAX_LISTED) await expect(isRevoked(down)).rejects.toThrow("D1 does not answer");
        else expect(await isRevoked(down)).toBe(true);
      }
    },
  );

  it.each(MANY)("in an account with %s refuse what a slow read from before them admits", async (_, revocations) => {
    const { id: ideaBankId, panelistId, accountId } = await addIdeaBank();
    await fillRevocations(accountId, revocations);
    const replica = await createReplica(ideaBankId);
    const { open, views } = createViews();
    const revokeAt = async (ms: number) => {
      vi.setSystemTime(START + ms);
      await replica.write("UPDATE panelists SET tokens_revoked_at = ?2 WHERE id = ?1", panelistId, START + ms);
      views.noteRevocation(await revocationOf(panelistId));
    };
    await revokeAt(0);
    await replica.catchUp();
    const asked = { ideaBankId, panelistId, issuedAt: START / 1000 + 1 };
    const { slow, taken, held } = holding(replica.database, () => true);
    vi.setSystemTime(START + 1_000);
    const early = open(slow, asked);
    await taken.promise;
    await revokeAt(2_000);
    held.resolve();
    expect((await early).isRevoked).toBe(true);
    expect((await open(replica.database, asked)).isRevoked).toBe(true);
  });
});

it.each([
  ["the primary", "first-primary"],
  ["a replica, which may have been six seconds behind", "00000001"],
])("a view serves through an outage, and is never older than five minutes then: one of %s", async (_, from) => {
  warnsOfOutage();
  const { id: ideaBankId, panelistId, accountId } = await addIdeaBank();
  const replica = await createReplica(ideaBankId);
  const { open } = createViews();
  // The first read is at the primary: it makes the anchor that the next one's replica must have reached.
  if (from !== "first-primary") await open(replica.database, { ideaBankId: newId(ideaBankId) });
  await open(replica.database, { ideaBankId, panelistId });
  expect(replica.asked.at(-1)).toBe(from);
  const down = failStores(env, "d1").DB_1;
  vi.setSystemTime(START + 294_000);
  expect((await open(down, { ideaBankId, panelistId })).ideaBank?.accountId).toBe(accountId);
  vi.setSystemTime(START + 294_001);
  await expect(open(down, { ideaBankId, panelistId })).rejects.toThrow();
});

it.each([
  ["an account with more than 2,000 revocations", MAX_LISTED + 1, (id: string) => id],
  ["a missing idea bank", 1, newId],
])("%s has each request ask D1, in one round trip, and nothing serves while it is down", async (_, count, idOf) => {
  const { id, accountId, panelistId } = await addIdeaBank();
  await fillRevocations(accountId, count);
  const { database, costOf } = meter(id);
  const { open } = createViews();
  const asked = { ideaBankId: idOf(id), panelistId };
  for (let times = 0; times < 3; times++)
    expect(await costOf(() => open(database, asked))).toEqual({ trips: 1, rows: expect.any(Number) });
  await expect(open(failStores(env, "d1").DB_1, asked)).rejects.toThrow("D1 does not answer");
});

it("memory gives each account a share: one with 185 idea banks of 256 KiB throws out nobody else's", async () => {
  warnsOfOutage();
  const theirs = await addIdeaBank({ digit: "1" });
  const large = await addAccount({ digit: "1" });
  await fillLargeIdeaBanks(large, 185);
  const { open } = createViews();
  const neighbour = { ideaBankId: theirs.id, panelistId: theirs.panelistId };
  const banks = Array.from({ length: 185 }, (_, index) => `bank${index + 1}`);
  await open(databaseOf(theirs.id), neighbour);
  for (const ideaBankId of banks) await open(databaseOf(large), { ideaBankId });
  const down = failStores(env, "d1")[bindingOf(large)];
  let [held, weight] = [0, 0];
  for (const ideaBankId of banks) {
    const { changelog } = (await open(down, { ideaBankId }).catch(() => undefined)) ?? {};
    if (changelog === undefined) continue;
    held += 1;
    weight += changelog.bytes.byteLength;
  }
  expect((await open(down, neighbour)).ideaBank?.accountId).toBe(theirs.accountId);
  expect(held).toBeGreaterThan(20);
  expect(weight).toBeLessThanOrEqual(MEMORY_BYTES.share);
});

it("an answer that was overtaken by a later one does not replace it, nor does a replica that is behind what memory knows", async () => {
  const bank = await addIdeaBank();
  await addProposal(bank, { title: "first" });
  const replica = await createReplica(bank.id);
  const { slow, taken, held } = holding(replica.database, () => true);
  const { open } = createViews();
  const textOf = async (binding: D1Database, terms: Partial<Asked> = {}) =>
    new TextDecoder().decode((await open(binding, { ideaBankId: bank.id, ...terms })).changelog?.bytes);
  await textOf(replica.database);
  vi.setSystemTime(START + 5_001);
  const early = textOf(slow);
  await taken.promise;
  await replica.write("UPDATE proposals SET title = 'second' WHERE idea_bank_id = ?1", bank.id);
  vi.setSystemTime(START + 5_002);
  const later = textOf(replica.database, { freshMs: 0, floor: "00000002" });
  // After a second, another request reads beside the slow one.
  vi.setSystemTime(START + 6_100);
  expect(await later).toContain("second");
  held.resolve();
  expect(await early).toContain("second");
  for (const ms of [6_101, 11_500]) {
    vi.setSystemTime(START + ms);
    expect(await textOf(replica.database, { freshMs: 0 })).toContain("second");
  }
});
