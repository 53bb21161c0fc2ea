/** A valid token that would be refused by what memory or a replica says: the primary is asked first. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Database } from "../../../src/worker/database/databases.ts";
import { MAX_LISTED } from "../../../src/worker/database/idea-bank-view.ts";
import { StoredChangelogs } from "../../../src/worker/idea-bank/stored-changelogs.ts";
import { readView, type View } from "../../../src/worker/idea-bank/view.ts";
import { freeze, freezeTimers } from "../../support/clock.ts";
import { databaseOf, openDatabase } from "../../support/databases.ts";
import { failStores } from "../../support/intercept.ts";
import { interceptDatabase, meterDatabase } from "../../support/intercept-binding.ts";
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

  it("is looked up by one question for all of its panelists, where there is no idea bank and each is known alone", async () => {
    const account = await addAccount({ digit: "1" });
    const id = newId();
    const replica = await createReplica(account);
    const { open } = createViews();
    await open(replica.database, { ideaBankId: id, capability });
    replica.asked.length = 0;
    const asks = Array.from({ length: 5 }, () =>
      open(replica.database, { ideaBankId: id, panelistId: newId(), ...young }),
    );
    for (const { ideaBank } of await Promise.all(asks)) expect(ideaBank).toBeNull();
    expect(replica.asked.filter((each) => each === "first-primary").length).toBeLessThanOrEqual(2);
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

  it("is looked up when the primary was asked meanwhile of somebody else, where each is known alone", async () => {
    freezeTimers(START);
    const bank = await addIdeaBank();
    const [one, other] = [bank.panelistId, await addPanelist(bank.accountId)];
    await fillRevocations(bank.accountId, MAX_LISTED + 1);
    for (const each of [one, other]) await databaseOf(bank.id).prepare(REVOKE).bind(each).run();
    const replica = await createReplica(bank.id);
    let held: Promise<void> | undefined;
    const database = interceptDatabase(replica.database, async (_, makeCall) => {
      const [answer, until] = [makeCall(), held];
      held = undefined;
      await answer;
      await until;
      return answer;
    });
    const { open } = createViews();
    const openFor = (panelistId: string, asked: Partial<Asked> = {}) =>
      open(database, { ideaBankId: bank.id, panelistId, capability, ...asked });
    expect((await openFor(other)).isRevoked).toBe(true);
    await replica.write("UPDATE panelists SET active = 1 WHERE account_id = ?1", bank.accountId);
    vi.setSystemTime(START + 1_000);
    const replicaAnswers = Promise.withResolvers<void>();
    held = replicaAnswers.promise;
    const opening = openFor(one, young);
    expect((await openFor(other, young)).isRevoked).toBe(false);
    replicaAnswers.resolve();
    expect((await opening).isRevoked).toBe(false);
  });

  it("is answered when another read brings what refuses nothing, while the primary is slow to say so", async () => {
    freezeTimers(START);
    const { id } = await addIdeaBank({ status: "CLOSED" });
    let held: Promise<void> | undefined;
    const database = interceptDatabase(databaseOf(id), async (_, makeCall) => {
      const [answer, until] = [makeCall(), held];
      held = undefined;
      await until;
      return answer;
    });
    const { open } = createViews();
    await open(database, { ideaBankId: id, capability });
    await databaseOf(id).prepare("UPDATE idea_banks SET status = 'OPEN' WHERE id = ?1").bind(id).run();
    const primaryAnswers = Promise.withResolvers<void>();
    held = primaryAnswers.promise;
    const doubted = open(database, { ideaBankId: id, ...young });
    vi.setSystemTime(START + 500);
    expect((await open(database, { ideaBankId: id, capability, freshMs: 0 })).ideaBank?.status).toBe("OPEN");
    const pending = Symbol("pending");
    const answer = Promise.race([doubted, scheduler.wait(500).then(() => pending)]);
    await vi.advanceTimersByTimeAsync(100);
    expect(await answer).toMatchObject({ ideaBank: { status: "OPEN" } });
    primaryAnswers.resolve();
  });

  it("is asked about on, when what a late read brought is refused by the next", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    freezeTimers(START);
    const { id } = await addIdeaBank({ status: "CLOSED" });
    const setStatus = (status: string) =>
      databaseOf(id).prepare("UPDATE idea_banks SET status = ?2 WHERE id = ?1").bind(id, status).run();
    const [isRead, late, primary] = [0, 1, 2].map(() => Promise.withResolvers<void>());
    type Call = () => Promise<unknown>;
    const atOnce = (makeCall: Call) => makeCall();
    let make = atOnce;
    const database = interceptDatabase(databaseOf(id), (_, makeCall) => make(makeCall));
    const { open } = createViews();
    const ask = { ideaBankId: id, capability, freshMs: 500 } as const;
    await open(database, ask);
    await setStatus("OPEN");
    make = async (makeCall) => {
      const answer = await makeCall();
      isRead?.resolve();
      await late?.promise;
      return answer;
    };
    vi.setSystemTime(START + 600);
    const slow = open(database, ask);
    await isRead?.promise;
    make = async (makeCall) => {
      await primary?.promise;
      return makeCall();
    };
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await slow).ideaBank?.status).toBe("CLOSED");
    const statuses: unknown[] = [];
    const doubted = open(database, { ...ask, ...young }).then(({ ideaBank }) => statuses.push(ideaBank?.status));
    await setStatus("CLOSED");
    let reads = 0;
    make = async (makeCall) => {
      const answer = await makeCall();
      reads += 1;
      return answer;
    };
    late?.resolve();
    while (reads === 0 && Date.now() < START + 8_000) await vi.advanceTimersByTimeAsync(1);
    expect(reads).toBe(1);
    await vi.advanceTimersByTimeAsync(20);
    await setStatus("OPEN");
    primary?.resolve();
    while (statuses.length === 0) await vi.advanceTimersByTimeAsync(1);
    await doubted;
    expect(statuses).toEqual(["OPEN"]);
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

it("a replica that is behind what is known is not taken for the primary", async () => {
  const { id, panelistId } = await addIdeaBank();
  const replica = await createReplica(id);
  const [here, elsewhere] = [openDatabase(replica.database), openDatabase(replica.database)];
  const read = (database: Database, previous?: View, atPrimary = false) => {
    const sources = { database, kv: undefined, stored: new StoredChangelogs(), waitUntil: () => {} };
    return readView(sources, id, { panelistId, seqs: {} }, previous, { atPrimary });
  };
  await read(here);
  await replica.write("UPDATE idea_banks SET changelog_version = changelog_version + 1 WHERE id = ?1", id);
  vi.setSystemTime(START + 100);
  const { view: previous } = await read(elsewhere, undefined, true);
  expect(previous.primaryAt).toBe(START + 100);
  const behind = await read(here, previous);
  expect(behind.view).toBe(previous);
  expect(behind.primaryAt).toBe(Number.NEGATIVE_INFINITY);
});
