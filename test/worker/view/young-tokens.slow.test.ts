/** A valid token that would be refused by what memory or a replica says: the primary is asked first. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { MAX_LISTED } from "../../../src/worker/database/idea-banks/idea-bank-view.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { failStores } from "../../support/intercept.ts";
import { createReplica } from "../../support/lagging-replica.ts";
import { type Asked, createViews, fillRevocations, meter, START } from "../../support/views.ts";
import { addAccount, addIdeaBank, addPanelist, newId } from "../../support/world.ts";

const REVOKE = "UPDATE panelists SET active = 0 WHERE id = ?1";

beforeEach(() => freeze(START));

describe("a token that is refused by what memory or a replica says", () => {
  const capability = "canViewChangelog";
  const young = { issuedAt: START / 1000, capability } as const;

  /** A closed idea bank that an isolate knows, before a replica that never learns that it was opened. */
  async function setUp() {
    const bank = await addIdeaBank({ status: "CLOSED" });
    const replica = await createReplica(bank.id);
    const isolate = createViews();
    await isolate.open(replica.database, { ideaBankId: bank.id, capability });
    await replica.write("UPDATE idea_banks SET status = 'OPEN' WHERE id = ?1", bank.id);
    replica.asked.length = 0;
    const open = (asked: Partial<Asked> = {}) =>
      isolate.open(replica.database, { ideaBankId: bank.id, capability, ...asked });
    return { bank, replica, open };
  }

  it("is looked up at the primary when it is young: opened elsewhere, at once", async () => {
    const { open, replica } = await setUp();
    expect((await open(young)).ideaBank?.status).toBe("OPEN");
    expect(replica.asked).toEqual(["first-primary"]);
  });

  it.each([
    ["by a second over the bound", START / 1000 - 12, []],
    ["by nothing", START / 1000 - 11, ["first-primary"]],
  ])("is refused without a question when it is too old for that %s", async (_, issuedAt, asked) => {
    const { open, replica } = await setUp();
    await open({ issuedAt });
    expect(replica.asked).toEqual(asked);
  });

  it.each([
    ["an idea bank that is closed", async () => addIdeaBank({ status: "CLOSED" })],
    ["none that there is", async () => ({ id: newId(await addAccount({ digit: "1" })) })],
  ])("costs two reads where each request reads D1: %s", async (_, make) => {
    const { id } = await make();
    const { database, costOf } = meter(id);
    const { open } = createViews();
    await open(database, { ideaBankId: id, capability });
    vi.setSystemTime(START + 1);
    const { trips } = await costOf(() => open(database, { ideaBankId: id, ...young, freshMs: 0 }));
    expect(trips).toBe(2);
  });

  it("is looked up when the idea bank is missing at the replica", async () => {
    const account = await addAccount({ digit: "1" });
    const id = newId();
    const replica = await createReplica(account);
    const { open } = createViews();
    expect((await open(replica.database, { ideaBankId: id, capability })).ideaBank).toBeNull();
    const insert =
      "INSERT INTO idea_banks (id, account_id, name, status, changelog_enabled, created_at) VALUES (?1, ?2, 'N', 'OPEN', 1, 1)";
    await replica.write(insert, id, account);
    expect((await open(replica.database, { ideaBankId: id, ...young })).ideaBank?.status).toBe("OPEN");
  });

  it.each([
    ["few", 0],
    ["many", MAX_LISTED + 1],
  ])("is looked up when its panelist was inactive, in an account with %s revocations", async (_, revocations) => {
    const bank = await addIdeaBank();
    const others = [await addPanelist(bank.accountId), bank.panelistId];
    await fillRevocations(bank.accountId, Math.max(1, revocations));
    for (const each of others) await databaseOf(bank.id).prepare(REVOKE).bind(each).run();
    const replica = await createReplica(bank.id);
    const { open } = createViews();
    for (const panelistId of others)
      expect((await open(replica.database, { ideaBankId: bank.id, panelistId, capability })).isRevoked).toBe(true);
    await replica.write("UPDATE panelists SET active = 1 WHERE account_id = ?1", bank.accountId);
    for (const panelistId of others) {
      vi.setSystemTime(Date.now() + 1_000);
      expect((await open(replica.database, { ideaBankId: bank.id, panelistId, ...young })).isRevoked).toBe(false);
    }
  });

  it("is refused at once when it was revoked: that is for good", async () => {
    const bank = await addIdeaBank();
    await databaseOf(bank.id)
      .prepare("UPDATE panelists SET tokens_revoked_at = ?2 WHERE id = ?1")
      .bind(bank.panelistId, START + 1_000)
      .run();
    const { database, costOf } = meter(bank.id);
    const { open } = createViews();
    const ask = async () =>
      expect((await open(database, { ideaBankId: bank.id, panelistId: bank.panelistId, ...young })).isRevoked).toBe(
        true,
      );
    await ask();
    expect((await costOf(ask)).trips).toBe(0);
  });

  it("is neither refused nor admitted while D1 is down", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const { id } = await addIdeaBank({ status: "CLOSED" });
    const { open } = createViews();
    await open(databaseOf(id), { ideaBankId: id, capability });
    const down = failStores(env, "d1").DB_1;
    await expect(open(down, { ideaBankId: id, ...young })).rejects.toThrow("D1 does not answer");
    expect((await open(down, { ideaBankId: id, capability })).ideaBank?.status).toBe("CLOSED");
  });
});
