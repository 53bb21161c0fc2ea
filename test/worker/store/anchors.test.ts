/** Which sessions an isolate's reads open: when one begins at the primary, and what the others must see at least. */
import { describe, expect, it, vi } from "vitest";
import { Databases, type ReadOptions } from "../../../src/worker/store/databases.ts";
import type { Session } from "../../../src/worker/store/session.ts";
import { prepare } from "../../../src/worker/store/statement.ts";
import { freeze } from "../../support/clock.ts";
import { openDatabase } from "../../support/databases.ts";
import { createReplica } from "../../support/lagging-replica.ts";

const ONE = prepare("SELECT 1");
const START = 1_900_000_000_000;
const ANCHOR_MS = 10_000;

describe("the anchor", { tags: "slow" }, () => {
  const FIRST = "first-primary";

  /** Reads at given times; `takeAsked` is which sessions they have opened since. */
  async function setUp() {
    freeze(START);
    const replica = await createReplica("0");
    const database = openDatabase(replica.database, new Databases(), ANCHOR_MS / 1_000);
    const read = async (ms: number, options: ReadOptions<unknown> = {}) => {
      vi.setSystemTime(START + ms);
      const work = (session: Session) => session.first(ONE);
      await database.read(work, options);
    };
    const readAhead = (ms: number) => read(ms, { isBackground: true });
    /** A write elsewhere, so that every anchor has a bookmark of its own. */
    const write = () => replica.write("UPDATE accounts SET status = status");
    const takeAsked = () => replica.asked.splice(0);
    return { replica, database, read, readAhead, write, takeAsked };
  }

  it("is as old as the opening of its session, not as its answer", async () => {
    const { database, read, takeAsked } = await setUp();
    const primary = database.primary();
    await primary.session.first(ONE);
    vi.setSystemTime(START + 5_000);
    primary.noteAnswer();
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
    const fail = async (session: Session) => {
      await session.first(ONE);
      throw new Error("no");
    };
    await expect(database.read(fail)).rejects.toThrow("no");
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
    expect(takeAsked().toSorted()).toEqual(["00000001", "00000001", FIRST, FIRST]);
  });

  it("is not made by a clock that has stepped back", async () => {
    const { read, takeAsked } = await setUp();
    await read(60_000);
    await read(0);
    await read(1);
    await read(ANCHOR_MS);
    expect(takeAsked()).toEqual([FIRST, FIRST, "00000001", FIRST]);
  });

  it("is raised for one read by what its answer has to include, and lowered by nothing", async () => {
    const { read, write, takeAsked } = await setUp();
    await write();
    await read(0);
    takeAsked();
    await read(1, { floor: "00000005" });
    await read(2, { floor: "00000001" });
    await read(3);
    expect(takeAsked()).toEqual(["00000005", "00000002", "00000002"]);
  });

  it("is not asked for when only the primary will do", async () => {
    const { read, takeAsked } = await setUp();
    await read(0);
    await read(1, { atPrimary: true });
    expect(takeAsked()).toEqual([FIRST, FIRST]);
  });
});
