/** An isolate's views of idea banks: which read is made when, what is believed, and what memory may hold of whom. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Databases } from "../../../src/worker/database/databases.ts";
import { MAX_LISTED } from "../../../src/worker/database/idea-bank-view.ts";
import { IdeaBankViews, MEMORY_BYTES, type OpenTerms } from "../../../src/worker/idea-bank/views.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf, openDatabase } from "../../support/databases.ts";
import { failStores } from "../../support/intercept.ts";
import { interceptDatabase, meterDatabase } from "../../support/intercept-binding.ts";
import { createReplica } from "../../support/lagging-replica.ts";
import { addAccount, addIdeaBank, addPanelist, addProposal, newId } from "../../support/world.ts";

const START = 1_900_000_000_000;
const DOUBT_MS = 11_000;
const LONG_AGO = START / 1000 - 3_600;
const REVOKE = "UPDATE panelists SET active = 0 WHERE id = ?1";

beforeEach(() => freeze(START));

type Asked = Partial<OpenTerms> & {
  readonly ideaBankId: string;
  readonly panelistId?: string;
  readonly issuedAt?: number;
};

/** The views of a new isolate. `pending` are the reads after answers. */
function createViews() {
  const views = new IdeaBankViews();
  const databases = new Databases();
  const pending: Promise<unknown>[] = [];
  const prepare = (binding: D1Database, asked: Asked) => {
    const { ideaBankId, panelistId = newId(ideaBankId), issuedAt = LONG_AGO, ...terms } = asked;
    return [
      { ideaBankId, panelistId, issuedAt },
      {
        database: openDatabase(binding, databases),
        kv: undefined,
        freshMs: 5_000,
        doubtMs: DOUBT_MS,
        floor: undefined,
        capability: null,
        waitUntil: (promise: Promise<unknown>) => void pending.push(promise),
        ...terms,
      },
    ] as const;
  };
  return {
    views,
    databases,
    pending,
    open: (binding: D1Database, asked: Asked) => views.open(...prepare(binding, asked)),
    fromMemory: (binding: D1Database, asked: Asked) => views.openFromMemory(...prepare(binding, asked)),
    settle: async () => void (await Promise.all(pending.splice(0))),
  };
}

const fillRevocations = (accountId: string, count: number) =>
  databaseOf(accountId)
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
       INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at) SELECT ?1, ?1 || i, 1, 1 FROM n`,
    )
    .bind(accountId, count)
    .run();

/** What is asked of the database, and D1's count of rows read. */
function meter(id: string) {
  const cost = { trips: 0, rows: 0 };
  const database = meterDatabase(databaseOf(id), (results) => {
    cost.trips += 1;
    for (const { meta } of results) cost.rows += meta.rows_read;
  });
  const costOf = async (work: () => Promise<unknown>) => {
    Object.assign(cost, { trips: 0, rows: 0 });
    await work();
    return { ...cost };
  };
  return { database, costOf };
}

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

  it("is looked up once a second for an idea bank, however many ask", async () => {
    const bank = await addIdeaBank({ status: "CLOSED" });
    const replica = await createReplica(bank.id);
    const { open } = createViews();
    const ask = () => open(replica.database, { ideaBankId: bank.id, ...young });
    await Promise.all(Array.from({ length: 20 }, ask));
    expect(replica.asked.filter((each) => each === "first-primary").length).toBeLessThanOrEqual(2);
    replica.asked.length = 0;
    vi.setSystemTime(START + 1_000);
    await Promise.all(Array.from({ length: 20 }, ask));
    expect(replica.asked.filter((each) => each === "first-primary")).toHaveLength(1);
  });

  it.each([
    ["an idea bank that is closed", async () => addIdeaBank({ status: "CLOSED" })],
    ["none that there is", async () => ({ id: newId(await addAccount({ digit: "1" })) })],
  ])("costs two reads where each request reads D1: %s", async (_, make) => {
    const { id } = await make();
    let trips = 0;
    const database = meterDatabase(databaseOf(id), () => {
      trips += 1;
      vi.setSystemTime(Date.now() + 1);
    });
    const { open } = createViews();
    await open(database, { ideaBankId: id, capability });
    trips = 0;
    await open(database, { ideaBankId: id, ...young, freshMs: 0 });
    expect(trips).toBe(2);
  });

  it.each([["missing", async (id: string) => void id, () => newId()]])(
    "is looked up when the idea bank is %s in memory",
    async (_, __, makeId) => {
      const account = await addAccount({ digit: "1" });
      const id = makeId();
      const replica = await createReplica(account);
      const { open } = createViews();
      expect((await open(replica.database, { ideaBankId: id, capability })).ideaBank).toBeNull();
      const insert =
        "INSERT INTO idea_banks (id, account_id, name, status, changelog_enabled, created_at) VALUES (?1, ?2, 'N', 'OPEN', 1, 1)";
      await replica.write(insert, id, account);
      expect((await open(replica.database, { ideaBankId: id, ...young })).ideaBank?.status).toBe("OPEN");
    },
  );

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

describe("what is known of an account", () => {
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
    await database.batch([
      database
        .prepare(
          `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 185)
           INSERT INTO idea_banks (id, account_id, name, status, changelog_enabled, changelog_max_entries, created_at)
           SELECT 'bank' || i, ?1, 'N', 'OPEN', 1, 100, 1 FROM n`,
        )
        .bind(large),
      database
        .prepare(
          `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
           INSERT INTO proposals (id, account_id, idea_bank_id, title, description, status, created_at, last_activity_at)
           SELECT b.id || 'p' || i, ?1, b.id, 'T', replace(hex(zeroblob(2500)), '0', 'x'), 'implemented', i, i
           FROM n JOIN idea_banks b ON b.account_id = ?1`,
        )
        .bind(large),
    ]);
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
