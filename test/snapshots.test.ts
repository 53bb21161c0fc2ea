/** An isolate's view of idea banks never goes back, and what stands behind it stays small. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { IdeaBankSnapshots } from "../src/idea-bank/snapshots.ts";
import { interceptStores } from "./support/intercept.ts";
import { addAccount, addIdeaBank, addPanelist, newId } from "./support/world.ts";

const at = (now: number) => ({ now, freshnessMs: 0 });
const switchOff = (panelistId: string) =>
  env.DB.prepare("UPDATE panelists SET active = 0 WHERE id = ?1").bind(panelistId).run();

/** D1 whose first call takes its answer and keeps it until `release`. */
function slowFirstCall() {
  const held = Promise.withResolvers<void>();
  let calls = 0;
  const { DB } = interceptStores(env, async (_, makeCall) => {
    calls += 1;
    if (calls > 1) return makeCall();
    const answer = await makeCall();
    await held.promise;
    return answer;
  });
  return { database: DB, release: held.resolve };
}

describe("a read that was overtaken", () => {
  it("by a later one does not replace it", async () => {
    const { id, panelistId } = await addIdeaBank();
    const snapshots = new IdeaBankSnapshots();
    const { database, release } = slowFirstCall();
    const early = snapshots.read(database, id, at(1_000));
    // The slow call has its answer before the revocation commits.
    await vi.waitFor(async () => expect((await env.DB.prepare("SELECT 1").first()) !== null).toBe(true));
    await switchOff(panelistId);
    expect((await snapshots.read(env.DB, id, at(2_000))).tokensRevokedAt.has(panelistId)).toBe(true);
    release();
    await early;
    const later = await snapshots.read(env.DB, id, { now: 2_001, freshnessMs: 60_000 });
    expect(later.tokensRevokedAt.has(panelistId)).toBe(true);
  });

  it("by a write through this isolate is not kept", async () => {
    const { id } = await addIdeaBank();
    const snapshots = new IdeaBankSnapshots();
    const { database, release } = slowFirstCall();
    const early = snapshots.read(database, id, at(1_000));
    snapshots.expire(id, null);
    await env.DB.prepare("UPDATE idea_banks SET status = 'CLOSED' WHERE id = ?1").bind(id).run();
    release();
    await early;
    const next = await snapshots.read(env.DB, id, { now: 1_001, freshnessMs: 60_000 });
    expect(next.ideaBank?.status).toBe("CLOSED");
  });
});

describe("the replica that answers", () => {
  /** D1 that notes from where each session starts, and answers the first with nothing when `behind`. */
  function watchSessions(behind = false) {
    const constraints: (string | undefined)[] = [];
    const database = new Proxy(env.DB, {
      get(target, property) {
        if (property !== "withSession") return Reflect.get(target, property);
        return (constraint?: string) => {
          constraints.push(constraint);
          const session = target.withSession(constraint);
          if (!behind || constraints.length > 1) return session;
          const nothing = session.prepare("SELECT ?1, ?2 WHERE 0");
          return Object.assign(session, { prepare: () => nothing });
        };
      },
    });
    return { database, constraints };
  }

  it("is the nearest at first, and then never one behind what was seen", async () => {
    const { id } = await addIdeaBank();
    const snapshots = new IdeaBankSnapshots();
    const { database, constraints } = watchSessions();
    const { bookmark } = await snapshots.read(database, id, at(1_000));
    await snapshots.read(database, id, at(2_000));
    snapshots.expire(id, "00000001-written-here");
    await snapshots.read(database, id, at(3_000)).catch(() => {});
    expect(bookmark).not.toBeNull();
    expect(constraints).toEqual(["first-unconstrained", bookmark, "00000001-written-here"]);
  });

  it("is not believed when it does not know the idea bank of a token: the primary is asked", async () => {
    const { id } = await addIdeaBank();
    const { database, constraints } = watchSessions(true);
    const snapshot = await new IdeaBankSnapshots().read(database, id, at(1_000));
    expect(snapshot.ideaBank).not.toBeNull();
    expect(constraints).toEqual(["first-unconstrained", "first-primary"]);
  });
});

describe("the table of revocations", () => {
  const LONG_AGO = Date.now() - 92 * 86_400_000;
  const add = (accountId: string, panelistId: string, recordedAt: number) =>
    env.DB.prepare(
      "INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at) VALUES (?1, ?2, 1, ?3)",
    )
      .bind(accountId, panelistId, recordedAt)
      .run();
  const listed = async () =>
    (
      await env.DB.prepare("SELECT panelist_id FROM token_revocations ORDER BY seq").all<{ panelist_id: string }>()
    ).results.map(({ panelist_id }) => panelist_id);

  it.each([
    ["switching a panelist off", "UPDATE panelists SET active = 0 WHERE id = ?1"],
    ["removing a panelist", "DELETE FROM panelists WHERE id = ?1"],
  ])("forgets two that no token outlives with each that comes, by %s", async (_, change) => {
    const accountId = await addAccount();
    const other = await addAccount();
    for (const name of ["old1", "old2", "old3"]) await add(accountId, name, LONG_AGO);
    await add(other, "theirs", LONG_AGO);
    const panelistId = await addPanelist(accountId);
    await env.DB.prepare(change).bind(panelistId).run();
    expect(await listed()).toEqual(["old3", "theirs", panelistId]);
  });

  it("keeps those that a token may outlive", async () => {
    const accountId = await addAccount();
    for (const name of ["young1", "young2"]) await add(accountId, name, Date.now() - 89 * 86_400_000);
    const panelistId = await addPanelist(accountId);
    await switchOff(panelistId);
    expect(await listed()).toEqual(["young1", "young2", panelistId]);
  });

  it("goes with its account", async () => {
    const { accountId, panelistId } = await addIdeaBank();
    await switchOff(panelistId);
    await addPanelist(accountId);
    await env.DB.prepare("DELETE FROM accounts WHERE id = ?1").bind(accountId).run();
    expect(await listed()).toEqual([]);
  });
});

it("an old comment does not take activity back", async () => {
  const bank = await addIdeaBank();
  const proposalId = newId();
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO proposals (id, account_id, idea_bank_id, title, description, status, created_at, last_activity_at)
       VALUES (?1, ?2, ?3, 'T', '', 'implemented', 1, 5000)`,
    ).bind(proposalId, bank.accountId, bank.id),
    env.DB.prepare("INSERT INTO comments VALUES (?1, ?2, ?3, NULL, 'B', 2000, 0)").bind(
      newId(),
      bank.accountId,
      proposalId,
    ),
  ]);
  expect(await env.DB.prepare("SELECT last_activity_at FROM proposals").first("last_activity_at")).toBe(5_000);
});
