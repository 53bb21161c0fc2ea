/** What an isolate has heard of an account's revocations is not forgotten, whatever else it reads, and whatever a replica lacks. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Databases } from "../../../src/worker/database/databases.ts";
import { IdeaBankSnapshots } from "../../../src/worker/idea-bank/snapshots.ts";
import { runLater } from "../../../src/worker/memory/deadline.ts";
import { freeze } from "../../support/clock.ts";
import { type Digit, databaseOf, openDatabase } from "../../support/databases.ts";
import { interceptDatabase } from "../../support/intercept-binding.ts";
import { createReplica } from "../../support/lagging-replica.ts";
import { addAccount, addIdeaBank, addPanelist } from "../../support/world.ts";

const START = 1_900_000_000_000;
const REVOKE = "UPDATE panelists SET active = 0 WHERE id = ?1";
const NOT_REVOKED = null;

beforeEach(() => {
  freeze(START);
});

/** When the tokens of the panelist were revoked, as an isolate of these snapshots knows. */
function readWith(snapshots: IdeaBankSnapshots, freshMs: number) {
  const databases = new Databases();
  return async (binding: D1Database, ideaBankId: string, panelistId: string) => {
    const terms = { freshMs, waitUntil: () => {} };
    const opened = await snapshots.read(openDatabase(binding, databases), { ideaBankId, panelistId }, terms);
    return opened.tokensRevokedAt;
  };
}

describe("a replica that does not know an idea bank yet", () => {
  /** An isolate that has an anchor, then a new account with an idea bank, of which the replica never hears until `catchUp`. */
  async function setUp() {
    const old = await addIdeaBank();
    const replica = await createReplica(old.id);
    const snapshots = new IdeaBankSnapshots(runLater);
    const readIdeaBank = readWith(snapshots, 1_000);
    await readIdeaBank(replica.database, old.id, old.panelistId);
    const [digit] = old.id;
    const { id, accountId } = await addIdeaBank({ digit: digit as Digit });
    const [panelist, other] = [await addPanelist(accountId), await addPanelist(accountId)];
    await replica.write("UPDATE accounts SET status = status");
    const read = (ms: number) => {
      vi.setSystemTime(START + ms);
      return readIdeaBank(replica.database, id, panelist);
    };
    return { replica, snapshots, accountId, panelist, other, read };
  }

  it("takes nothing from what is known: a revoked token is refused, also after a later revocation", async () => {
    const { replica, panelist, other, read } = await setUp();
    await replica.write(REVOKE, panelist);
    expect(await read(1_000)).not.toBe(NOT_REVOKED);
    // The replica is asked, and not believed.
    expect(await read(2_100)).not.toBe(NOT_REVOKED);
    await replica.write(REVOKE, other);
    await replica.catchUp();
    for (const ms of [3_200, 4_300, 60_000, 600_000]) expect(await read(ms)).not.toBe(NOT_REVOKED);
  });

  it("does not hide the idea bank from a revocation through this isolate", async () => {
    const { replica, snapshots, accountId, panelist, read } = await setUp();
    for (const ms of [1_000, 2_100]) expect(await read(ms)).toBe(NOT_REVOKED);
    await replica.write(REVOKE, panelist);
    await replica.catchUp();
    snapshots.expireAccount(accountId);
    expect(await read(2_100)).not.toBe(NOT_REVOKED);
  });
});

it("an idea bank that is dropped from memory while it is read is not read without its revocations", async () => {
  const { id, accountId } = await addIdeaBank();
  const [panelist, database] = [await addPanelist(accountId), databaseOf(id)];
  await database.prepare(REVOKE).bind(panelist).run();
  const snapshots = new IdeaBankSnapshots(runLater);
  const read = readWith(snapshots, 0);
  expect(await read(database, id, panelist)).not.toBe(NOT_REVOKED);

  const [taken, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = interceptDatabase(database, async (_, makeCall) => {
    const answer = await makeCall();
    taken.resolve();
    await held.promise;
    return answer;
  });
  const late = read(slow, id, panelist);
  await taken.promise;
  // Each weighs its account's 2,000 revocations: they fill the memory.
  const [digit] = id;
  const large = await addAccount({ digit });
  await database
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
       INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at) SELECT ?1, ?1 || i, 1, 1 FROM n`,
    )
    .bind(large)
    .run();
  while (snapshots.has(id)) {
    const bank = await addIdeaBank({ accountId: large });
    for (let times = 0; times < 2; times++) await read(database, bank.id, bank.panelistId);
  }
  held.resolve();
  expect(await late).not.toBe(NOT_REVOKED);
});
