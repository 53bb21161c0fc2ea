/** Requests that share one read of a kept value: in a Worker, where a read may die with its request. */
import { describe, expect, it, vi } from "vitest";
import { DeadlineExceeded } from "../../../src/worker/memory/deadline.ts";
import { KeptValue } from "../../../src/worker/memory/kept-value.ts";
import {
  answerOf,
  Defect,
  FRESH_MS,
  freezeTime,
  pass,
  type Read,
  readOnce,
  ScriptedStore,
} from "../../support/scripted-store.ts";

describe("a request that waits for another's read", () => {
  const joining = { joins: true, joinMs: 1_000 };
  const ignore = () => {};

  it("reads itself after a second, for the read's request may have ended; the others that waited join it", async () => {
    freezeTime();
    const store = new ScriptedStore();
    const value = new KeptValue<Read>({ now: store.now, isOutage: ScriptedStore.isOutage, ...joining });
    const read = () => value.read(store.load, 60_000, ignore);
    // Of a request that has ended, neither the read nor its deadline ever settles.
    store.way = "hang";
    vi.spyOn(globalThis, "setTimeout").mockReturnValueOnce(0);
    void read();
    const followers = [read(), read(), read()];
    await pass(999);
    store.way = "ok";
    expect(store.reads).toHaveLength(1);
    await pass(2);
    expect(await Promise.all(followers.map(answerOf))).toMatchObject([{ way: "ok" }, { way: "ok" }, { way: "ok" }]);
    expect(store.reads).toHaveLength(2);
  });

  it("has its own deadline: ten seconds in all while the store hangs, and few reads", async () => {
    freezeTime();
    const store = new ScriptedStore();
    const value = new KeptValue<Read>({ now: store.now, isOutage: ScriptedStore.isOutage, ...joining });
    store.way = "hang";
    const requests = Array.from({ length: 50 }, () =>
      expect(value.read(store.load, 60_000, ignore)).rejects.toThrow(DeadlineExceeded),
    );
    await pass(10_000);
    await Promise.all(requests);
    expect(store.reads).toHaveLength(10);
  });

  it("does not wait for one that would not be fresh", async () => {
    const { store, value } = await readOnce(joining);
    store.way = "slow";
    void value.read(store.load, 500);
    await pass(499);
    void value.read(store.load, 500);
    expect(store.reads).toHaveLength(2);
    await pass(1);
    void value.read(store.load, 500);
    expect(store.reads).toHaveLength(3);
    void value.read(store.load, 0);
    void value.read(store.load, 0);
    expect(store.reads).toHaveLength(5);
  });

  it("does not wait for one that began before a write", async () => {
    const { store, value, read } = await readOnce(joining);
    store.way = "slow";
    void read();
    await pass(100);
    store.version = 1;
    value.expire();
    const later = read();
    await pass(1_500);
    expect(await answerOf(later)).toMatchObject({ version: 1 });
  });

  it("keeps the other's request alive: its read is given to waitUntil, and rejects nothing there", async () => {
    const { store, value } = await readOnce(joining);
    store.way = "defect";
    const alive: Promise<void>[] = [];
    const failed = expect(value.read(store.load, FRESH_MS, (read) => alive.push(read))).rejects.toThrow(Defect);
    await pass(1);
    await failed;
    expect(alive).toHaveLength(1);
    await alive[0];
  });
});
