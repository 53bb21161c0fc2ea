/** Which sessions an isolate's reads open: when one begins at the primary, and what the others must see at least. */
import { describe, expect, it, vi } from "vitest";
import type { ReadOptions } from "../../../src/worker/database/databases.ts";
import { freeze } from "../../support/clock.ts";
import { openDatabase } from "../../support/databases.ts";
import { createReplica } from "../../support/lagging-replica.ts";

const START = 1_900_000_000_000;
const ANCHOR_MS = 10_000;

describe("the anchor", () => {
  const FIRST = "first-primary";

  /** Reads at given times; `takeAsked` is which sessions they have opened since. */
  async function setUp() {
    freeze(START);
    const replica = await createReplica("0");
    const database = openDatabase(replica.database);
    const read = async (ms: number, options: ReadOptions<unknown> = {}, ideaBankId = "bank") => {
      vi.setSystemTime(START + ms);
      const work = (session: D1DatabaseSession) => session.prepare("SELECT 1").first();
      await database.read({ ideaBankId }, work, options);
    };
    const readAhead = (ms: number) => read(ms, { isAhead: true });
    /** A write elsewhere, so that every anchor has a bookmark of its own. */
    const write = () => replica.write("UPDATE accounts SET status = status");
    const takeAsked = () => replica.asked.splice(0);
    return { replica, database, read, readAhead, write, takeAsked };
  }

  it("is as old as the opening of its session, not as its answer", async () => {
    const { database, read, takeAsked } = await setUp();
    const primary = database.atPrimary();
    await primary.session.prepare("SELECT 1").first();
    vi.setSystemTime(START + 5_000);
    primary.noteRead();
    takeAsked();
    await read(ANCHOR_MS - 1);
    await read(ANCHOR_MS);
    expect(takeAsked()).toEqual(["00000001", FIRST]);
  });

  it("is made by no session that failed, and by none that began at a replica", async () => {
    const { read, database, takeAsked } = await setUp();
    await read(0);
    await read(7_000);
    vi.setSystemTime(START + ANCHOR_MS);
    const fail = () => Promise.reject(new Error("no"));
    await expect(database.read({ ideaBankId: "bank" }, fail)).rejects.toThrow("no");
    await read(ANCHOR_MS + 1);
    await read(ANCHOR_MS + 2);
    expect(takeAsked()).toEqual([FIRST, "00000001", FIRST, FIRST, "00000001"]);
  });

  it("is made ahead, every third of nearly all the time, by a read that nobody waits for", async () => {
    const { read, readAhead, takeAsked } = await setUp();
    await read(0);
    await readAhead(2_999);
    await read(3_000);
    expect(takeAsked()).toEqual([FIRST, "00000001", "00000001"]);
    await readAhead(3_000);
    await readAhead(5_999);
    expect(takeAsked()).toEqual([FIRST, "00000001"]);
  });

  it("is the floor only when replicas had the time to come so far: the oldest that is young enough", async () => {
    const { read, readAhead, write, takeAsked } = await setUp();
    await read(0);
    for (const ms of [3_000, 6_000]) {
      await write();
      await readAhead(ms);
    }
    takeAsked();
    await read(9_000);
    await read(ANCHOR_MS - 1);
    await read(ANCHOR_MS);
    await read(ANCHOR_MS + 2_999);
    expect(takeAsked()).toEqual(["00000001", "00000001", "00000002", "00000002"]);
  });

  it("is made by one read at a time", async () => {
    const { read, readAhead, takeAsked } = await setUp();
    await read(0);
    await Promise.all([readAhead(3_000), readAhead(3_000), readAhead(3_000)]);
    expect(takeAsked()).toEqual([FIRST, FIRST, "00000001", "00000001"]);
  });

  it("is not made by a clock that has stepped back", async () => {
    const { read, takeAsked } = await setUp();
    await read(60_000);
    await read(0);
    await read(1);
    await read(ANCHOR_MS);
    expect(takeAsked()).toEqual([FIRST, FIRST, "00000001", FIRST]);
  });

  it("of a write through this isolate is the floor at once: of its idea bank, or of all when it is to none", async () => {
    const { database, read, write, takeAsked } = await setUp();
    await read(0);
    const noteWrite = async (ideaBankId: string | undefined) => {
      await write();
      const primary = database.atPrimary();
      await primary.session.prepare("SELECT 1").first();
      primary.noteWrite(ideaBankId);
      takeAsked();
    };
    await noteWrite("bank");
    await read(1);
    await read(1, {}, "another");
    expect(takeAsked()).toEqual(["00000002", "00000001"]);
    await noteWrite(undefined);
    await read(2);
    await read(2, {}, "another");
    expect(takeAsked()).toEqual(["00000003", "00000003"]);
  });

  it("of what a panelist has read is the floor of the same panelist's later reads, and of no other's", async () => {
    const { replica, database, read, write, takeAsked } = await setUp();
    await read(0);
    await write();
    await replica.catchUp();
    const work = (session: D1DatabaseSession) => session.prepare("SELECT 1").first();
    const readAs = (panelistId: string) => database.read({ ideaBankId: "bank", panelistId }, work);
    await readAs("one");
    await readAs("one");
    await readAs("two");
    expect(takeAsked()).toEqual([FIRST, "00000001", "00000002", "00000001"]);
  });

  it("of what was written is kept when more idea banks are written to than are remembered", async () => {
    const { database, read, write, takeAsked } = await setUp();
    await read(0);
    await write();
    const primary = database.atPrimary();
    await primary.session.prepare("SELECT 1").first();
    for (let index = 0; index <= 10_000; index++) primary.noteWrite(`bank ${index}`);
    takeAsked();
    await read(1, {}, "bank 0");
    expect(takeAsked()).toEqual(["00000002"]);
  });
});
