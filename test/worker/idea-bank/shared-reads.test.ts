/** Requests at the same time share one read of KV and one render; none gets an answer from before what it knows. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Changelogs, type Newest } from "../../../src/worker/idea-bank/changelogs.ts";
import { SharedReads } from "../../../src/worker/idea-bank/shared-reads.ts";
import { databaseOf, openDatabase } from "../../support/databases.ts";
import { interceptStores } from "../../support/intercept.ts";
import { VirtualTime } from "../../support/virtual-time.ts";
import { addIdeaBank, addProposal } from "../../support/world.ts";

const ignore = () => {};
const versionOf = async (id: string) =>
  (await databaseOf(id)
    .prepare("SELECT changelog_version FROM idea_banks WHERE id = ?1")
    .bind(id)
    .first<number>("changelog_version")) ?? Number.NaN;
const only = (version: number): Newest => ({ version, bookmark: "" });
const newestOf = async (id: string) => only(await versionOf(id));
const setStatus = (id: string, status: string) =>
  databaseOf(id).prepare("UPDATE idea_banks SET status = ?2 WHERE id = ?1").bind(id, status).run();

/** D1 whose answers are held until `release`. */
function heldDatabase() {
  const held = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  const { DB_1 } = interceptStores(env, async (_, makeCall) => {
    const answer = await makeCall();
    taken.resolve();
    await held.promise;
    return answer;
  });
  return { database: DB_1, taken: taken.promise, release: held.resolve };
}

const sourcesOf = (database: D1Database) => ({
  database: openDatabase(database),
  store: env.CHANGELOGS,
  prefetched: Promise.resolve(undefined),
});

describe("a request that shares a render", () => {
  it("renders again when it knows of a later version", async () => {
    const bank = await addIdeaBank();
    await addProposal(bank, { title: "first" });
    const changelogs = new Changelogs();
    const { database, taken, release } = heldDatabase();
    const early = changelogs.read(sourcesOf(database), bank.id, await newestOf(bank.id), ignore);
    await taken;
    await addProposal(bank, { title: "second" });
    const late = changelogs.read(sourcesOf(databaseOf(bank.id)), bank.id, await newestOf(bank.id), ignore);
    release();
    expect(new TextDecoder().decode((await early).bytes)).not.toContain("second");
    expect(new TextDecoder().decode((await late).bytes)).toContain("second");
  });

  it("renders again when the other found the idea bank closed, which it knows to be open", async () => {
    const bank = await addIdeaBank();
    const version = await versionOf(bank.id);
    const changelogs = new Changelogs();
    const { database, taken, release } = heldDatabase();
    await setStatus(bank.id, "CLOSED");
    const early = changelogs.read(sourcesOf(database), bank.id, only(version), ignore).catch(({ code }) => code);
    await taken;
    await setStatus(bank.id, "OPEN");
    const late = changelogs.read(sourcesOf(databaseOf(bank.id)), bank.id, only(version), ignore);
    release();
    expect(await early).toBe("idea-bank-not-found");
    expect((await late).version).toBe(version);
  });
});

it("an old body that KV gives late does not replace a newer one in memory, and is not served", async () => {
  const bank = await addIdeaBank();
  const old = await versionOf(bank.id);
  const fromKv = await new Changelogs().read(sourcesOf(databaseOf(bank.id)), bank.id, only(old), ignore);
  const changelogs = new Changelogs();
  const kv = Promise.withResolvers<typeof fromKv>();
  const slow = changelogs.read(
    { ...sourcesOf(databaseOf(bank.id)), prefetched: kv.promise },
    bank.id,
    only(old),
    ignore,
  );
  await addProposal(bank, { title: "new" });
  const version = await versionOf(bank.id);
  await changelogs.read(sourcesOf(databaseOf(bank.id)), bank.id, only(version), ignore);
  kv.resolve(fromKv);
  expect((await slow).version).toBe(version);
  expect((await changelogs.read(sourcesOf(databaseOf(bank.id)), bank.id, only(old), ignore)).version).toBe(version);
});

describe("shared reads", () => {
  it("are one for each key, and over when they have settled", async () => {
    const reads = new SharedReads<number>();
    let loads = 0;
    const load = async () => ++loads;
    expect(await Promise.all(["a", "a", "b"].map((key) => reads.read(key, load, ignore)))).toEqual([1, 1, 2]);
    expect(await reads.read("a", load, ignore)).toBe(3);
    const failed = reads.read("a", () => Promise.reject(new Error("lost")), ignore);
    await expect(reads.read("a", load, ignore)).rejects.toThrow("lost");
    await expect(failed).rejects.toThrow("lost");
    expect(await reads.read("a", load, ignore)).toBe(4);
  });

  it("whose request has ended are waited for a second, and by nobody after it", async () => {
    const time = new VirtualTime(1_900_000_000_000);
    const reads = new SharedReads<string>();
    void reads.read("key", () => new Promise(() => {}), ignore);
    const waiting = time.until(reads.read("key", async () => "own", ignore));
    expect(await waiting).toEqual({ answer: "own", elapsedMs: 1_000 });
    expect(await time.until(reads.read("key", async () => "later", ignore))).toEqual({ answer: "later", elapsedMs: 0 });
  });
});
