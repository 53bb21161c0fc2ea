/** The last value through an outage, case by case; the promises over whole histories are in `kept-value.test.ts`. */
import { describe, expect, it, vi } from "vitest";
import { DeadlineExceeded } from "../../../src/worker/memory/deadline.ts";
import { KeptValue } from "../../../src/worker/memory/kept-value.ts";
import { answerOf, Defect, FRESH_MS, pass, type Read, readOnce, ScriptedStore } from "../../support/scripted-store.ts";

describe("in an outage", () => {
  it("one request in a pause asks the store, and no other waits", async () => {
    const { store, read } = await readOnce();
    store.way = "hang";
    const first = read();
    await pass(2_000);
    expect(await answerOf(first)).toMatchObject({ version: 0 });
    expect(store.reads).toHaveLength(2);
    for (const pause of [1, 2, 3, 4]) {
      expect(await answerOf(read())).toMatchObject({ version: 0 });
      await pass(1_000);
      const asks = read();
      for (let others = 0; others < 3; others++) expect(await answerOf(read())).toMatchObject({ version: 0 });
      expect(await answerOf(asks)).toBe("waiting");
      expect(store.reads).toHaveLength(2 + pause);
      await pass(2_000);
      expect(await answerOf(asks)).toMatchObject({ version: 0 });
    }
  });

  it("long ago, every request asks the store: the kept value may be outdated", async () => {
    const { store, read } = await readOnce();
    store.way = "fail";
    await Promise.all([read(), pass(1)]);
    store.way = "ok";
    store.version = 1;
    await pass(2_000);
    const answers = Promise.all([read(), read()]);
    await pass(1);
    expect(await answers).toMatchObject([{ version: 1 }, { version: 1 }]);
  });

  it("of a slow store, the answer that comes too late is kept all the same", async () => {
    const { store, value } = await readOnce();
    const read = () => value.read(store.load, 60_000);
    await pass(60_000);
    store.way = "crawl";
    store.version = 1;
    const impatient = read();
    await pass(2_000);
    expect(await answerOf(impatient)).toMatchObject({ version: 0 });
    await pass(3_000);
    expect(await answerOf(read())).toMatchObject({ version: 1 });
    expect(store.reads).toHaveLength(2);
  });

  it("a defect is thrown, and not remembered: the next request asks the store", async () => {
    const { store, read } = await readOnce();
    store.way = "defect";
    const failed = expect(read()).rejects.toThrow(Defect);
    await pass(1);
    await failed;
    store.way = "ok";
    store.version = 1;
    const next = read();
    await pass(1);
    expect(await answerOf(next)).toMatchObject({ version: 1 });
  });

  it("a read that fails after a later one has succeeded says nothing", async () => {
    const { store, read } = await readOnce();
    store.way = "lost";
    const failing = read();
    await pass(499);
    store.way = "ok";
    store.version = 1;
    await Promise.all([read(), pass(1)]);
    await pass(1_000);
    expect(await answerOf(failing)).toMatchObject({ version: 1 });
    expect(await answerOf(read())).toBe("waiting");
  });

  it("that is over, every request asks the store again when nothing is ever fresh", async () => {
    const { store, value } = await readOnce();
    const read = () => Promise.all([value.read(store.load, 0), pass(1)]);
    store.way = "fail";
    await read();
    await pass(1_000);
    store.way = "ok";
    for (const version of [1, 2]) {
      store.version = version;
      expect(await read()).toMatchObject([{ version }, undefined]);
    }
  });

  it("each failed read is told", async () => {
    const onOutage = vi.fn();
    const { store, read } = await readOnce({ onOutage });
    store.way = "fail";
    await Promise.all([read(), pass(1)]);
    await read();
    expect(onOutage).toHaveBeenCalledTimes(1);
  });

  it("a request whose fallback is forgotten while it waits looks again", async () => {
    const { store, value, read } = await readOnce();
    store.way = "lost";
    const request = read();
    await pass(1_000);
    store.way = "ok";
    store.version = 1;
    value.forget();
    await pass(501);
    expect(await answerOf(request)).toMatchObject({ version: 1 });
  });
});

describe("refreshing ahead", () => {
  const collect = () => {
    const refreshes: Promise<void>[] = [];
    return { refreshes, waitUntil: (refresh: Promise<void>) => void refreshes.push(refresh) };
  };

  it("happens once in the second half of the freshness window, and nobody waits for it", async () => {
    const { store, read } = await readOnce();
    await Promise.all([read(), pass(1)]);
    const { refreshes, waitUntil } = collect();
    await pass(498);
    await read(waitUntil);
    expect(refreshes).toHaveLength(0);
    await pass(1);
    store.version = 1;
    for (let times = 0; times < 3; times++) expect(await answerOf(read(waitUntil))).toMatchObject({ version: 0 });
    expect(refreshes).toHaveLength(1);
    await pass(1);
    expect(await answerOf(read(waitUntil))).toMatchObject({ version: 1 });
    expect(refreshes).toHaveLength(1);
    await pass(500);
    await read(waitUntil);
    expect(refreshes).toHaveLength(2);
  });

  it.each([
    [10_000, 1],
    [60_000, 0],
  ])("is planned at most five seconds before: in a window of %i ms %i times", async (freshMs, times) => {
    const planned: number[] = [];
    const { store, value } = await readOnce({ later: (milliseconds) => planned.push(milliseconds) });
    const { refreshes, waitUntil } = collect();
    const read = () => value.read(store.load, freshMs, waitUntil);
    await pass(freshMs * 0.6);
    await read();
    await Promise.all([...refreshes, pass(1)]);
    await read();
    expect(planned).toHaveLength(times);
  });

  it("that was cancelled with its request does not stop the next", async () => {
    const { store, value } = await readOnce();
    const read = (waitUntil: (refresh: Promise<void>) => void) => value.read(store.load, 60_000, waitUntil);
    const { refreshes, waitUntil } = collect();
    await pass(29_000);
    store.way = "hang";
    // The timers of a cancelled request never fire.
    vi.spyOn(globalThis, "setTimeout").mockReturnValueOnce(0);
    await read(waitUntil);
    await pass(1_999);
    await read(waitUntil);
    expect(refreshes).toHaveLength(1);
    await pass(1);
    await read(waitUntil);
    expect(refreshes).toHaveLength(2);
  });

  it("that fails is told, and pauses", async () => {
    const onOutage = vi.fn();
    const { store, value } = await readOnce({ onOutage });
    const read = (waitUntil: (refresh: Promise<void>) => void) => value.read(store.load, 60_000, waitUntil);
    const { refreshes, waitUntil } = collect();
    await pass(29_000);
    store.way = "fail";
    await read(waitUntil);
    await pass(1);
    await read(waitUntil);
    await pass(4_999);
    await read(waitUntil);
    expect(refreshes).toHaveLength(1);
    await pass(1);
    await read(waitUntil);
    expect(refreshes).toHaveLength(2);
    expect(onOutage).toHaveBeenCalledTimes(1);
  });

  it("that meets a defect is no outage: it rejects", async () => {
    const { store, value } = await readOnce();
    const { refreshes, waitUntil } = collect();
    await pass(29_000);
    store.way = "defect";
    await value.read(store.load, 60_000, waitUntil);
    const failed = expect(refreshes[0]).rejects.toThrow();
    await pass(1);
    await failed;
  });
});

describe("requests at the same time", () => {
  it.each([
    [true, 1],
    [false, 3],
  ])("share a read where they may (%j)", async (joins, reads) => {
    const { store, read } = await readOnce({ joins });
    await Promise.all([read(), read(), read(), pass(1)]);
    expect(store.reads).toHaveLength(1 + reads);
  });

  it("do not share the deadline: one that has nothing to fall back on does not give up with one that has", async () => {
    const { store, read } = await readOnce({ joins: true });
    await pass(300_000 - 1_001);
    store.way = "crawl";
    const early = expect(read()).rejects.toThrow(DeadlineExceeded);
    await pass(1);
    const late = read();
    await pass(2_000);
    await early;
    await pass(3_000);
    expect(await answerOf(late)).toMatchObject({ way: "crawl" });
  });

  it("do not share the deadline: one that has something to fall back on does not wait with one that has not", async () => {
    const { store, read } = await readOnce({ joins: true });
    store.way = "hang";
    store.skew = 3_600_000;
    const without = read();
    store.skew = 0;
    const fallsBack = read();
    await pass(2_000);
    expect(await answerOf(fallsBack)).toMatchObject({ way: "ok" });
    expect(await answerOf(without)).toBe("waiting");
    await pass(8_000);
    expect(await answerOf(without)).toMatchObject({ way: "ok" });
  });
});

describe("what replaces the kept value", () => {
  it("is the read that began later, also for the caller of the one that it overtook", async () => {
    const { store, value, read } = await readOnce();
    store.way = "slow";
    const overtaken = read();
    await pass(100);
    store.way = "ok";
    store.version = 1;
    await Promise.all([read(), pass(1)]);
    await pass(1_400);
    expect(await answerOf(overtaken)).toMatchObject({ version: 1 });
    expect(value.kept?.value.version).toBe(1);
  });

  const supersedes = (next: Read, kept: Read) => next.version >= kept.version;

  it("is up to the caller: a replica that is behind replaces nothing, and its caller is served what is kept", async () => {
    const { store, value, read } = await readOnce({ supersedes });
    store.version = 2;
    await Promise.all([read(), pass(1)]);
    store.version = 1;
    await pass(FRESH_MS);
    const behind = read();
    await pass(1);
    expect(await answerOf(behind)).toMatchObject({ version: 2 });
    expect(value.kept?.value.version).toBe(2);
    // What is kept is newer than that answer, so it is as fresh: nobody reads again.
    const reads = store.reads.length;
    const again = read();
    await pass(1);
    expect(await answerOf(again)).toMatchObject({ version: 2 });
    expect(store.reads).toHaveLength(reads);
  });

  it("is given to the next read, so that it can ask for what is new only", async () => {
    const { store, value } = await readOnce();
    const load = vi.fn((_: Read | undefined) => store.load());
    await Promise.all([value.read(load, FRESH_MS), pass(1)]);
    value.forget();
    await Promise.all([value.read(load, FRESH_MS), pass(1)]);
    expect(load.mock.calls.map(([previous]) => previous)).toEqual([expect.objectContaining({ version: 0 }), undefined]);
  });

  it("may be one out of storage, with its age", async () => {
    const { store, value } = await readOnce();
    const restored = new KeptValue<Read>({ now: store.now, isOutage: ScriptedStore.isOutage }, value.kept);
    expect(await answerOf(restored.read(store.load, 2_000))).toMatchObject({ version: 0 });
    expect(await answerOf(restored.read(store.load, 1_000))).toBe("waiting");
  });
});
