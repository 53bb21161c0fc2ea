/** The last value that a store gave, case by case; the promises over whole histories are in `kept-value.test.ts`. */
import { describe, expect, it, vi } from "vitest";
import { DeadlineExceeded } from "../../../src/worker/memory/deadline.ts";
import { KeptValue, type KeptValueOptions } from "../../../src/worker/memory/kept-value.ts";
import {
  answerOf,
  FRESH_MS,
  freezeTime,
  pass,
  type Read,
  readOnce,
  ScriptedStore,
} from "../../support/scripted-store.ts";

const isOutage = ScriptedStore.isOutage;

/** A store that takes so long for each read, and nothing kept. */
function createSlow(ms: number, options: Partial<KeptValueOptions<number>> = {}) {
  freezeTime();
  const start = Date.now();
  const began: number[] = [];
  const value = new KeptValue<number>({ now: Date.now, isOutage, ...options });
  const load = async () => {
    const at = Date.now() - start;
    began.push(at);
    await new Promise((done) => setTimeout(done, ms));
    return at;
  };
  const waited: number[] = [];
  const ask = async (freshMs = 5_000) => {
    const from = Date.now();
    await value.read({ load, freshMs, waitUntil: () => {} }).catch(() => {});
    waited.push(Date.now() - from);
  };
  return { value, began, waited, load, ask };
}

describe("many who need a read at the same time", () => {
  const cases = [1_100, 1_500, 2_500, 4_000].flatMap((ms) =>
    [5, 20, 300].flatMap((readers) => [0, 3_000].map((over) => ({ ms, readers, over }))),
  );

  it.each(cases)(
    "$readers of them over $over ms, of a store at $ms ms, are answered when the first read is",
    async (each) => {
      const { ms, readers, over } = each;
      const { began, waited, ask } = createSlow(ms);
      const asked = [];
      for (let reader = 0; reader < readers; reader++) {
        asked.push(ask());
        if (over > 0) await pass(over / readers);
      }
      await pass(10_000);
      await Promise.all(asked);
      expect(waited).toHaveLength(readers);
      expect(Math.max(...waited)).toBeLessThanOrEqual(ms + 20);
      expect(began.length).toBeLessThanOrEqual(Math.floor((ms + over) / 1_000) + 1);
      for (const [index, at] of began.entries())
        if (index > 0) expect(at - (began[index - 1] ?? 0)).toBeGreaterThanOrEqual(1_000);
    },
  );

  it.each([1_100, 2_500, 4_000])(
    "with a value that is too old, are served within two seconds of a store at %i ms",
    async (ms) => {
      const { value, began, waited, ask } = createSlow(ms);
      value.offer(-1, Date.now());
      await pass(5_001);
      for (let reader = 0; reader < 300; reader++) void ask();
      await pass(10_000);
      expect(Math.max(...waited)).toBeLessThanOrEqual(Math.min(ms + 20, 2_000));
      expect(began.length).toBeLessThanOrEqual(4);
    },
  );

  it("wait a second longer when the request that reads ends early: its read never settles", async () => {
    const { store, read } = await readOnce();
    store.way = "hang";
    void read({ freshMs: 500 });
    const followers = Array.from({ length: 20 }, () => read({ freshMs: 500 }));
    await pass(999);
    expect(store.reads).toHaveLength(2);
    store.way = "ok";
    await pass(22);
    for (const each of followers)
      expect(await answerOf(each)).toMatchObject({ way: "ok", began: store.reads[2]?.began });
    expect(store.reads).toHaveLength(3);
  });

  it("do not share the deadline: one that has nothing to fall back on waits for ten seconds", async () => {
    const { store, value, read } = await readOnce();
    value.forget();
    store.way = "hang";
    const request = expect(read()).rejects.toThrow(DeadlineExceeded);
    await pass(9_999);
    expect(store.reads).toHaveLength(11);
    await pass(1);
    await request;
  });
});

describe("a store that is late", () => {
  it("is late from its missed deadline on, until it answers", async () => {
    const { store, value, read } = await readOnce();
    store.way = "hang";
    void read();
    await pass(1_999);
    expect(value.isLate).toBe(false);
    await pass(1);
    expect(value.isLate).toBe(true);
    store.way = "ok";
    await pass(1_000);
    void read();
    await pass(1_000);
    expect(value.isLate).toBe(false);
  });

  it("is not one that fails", async () => {
    const { store, value, read } = await readOnce();
    store.way = "fail";
    void read();
    await pass(1_000);
    expect(value.isLate).toBe(false);
  });
});

describe("by age", () => {
  const waitUntil = vi.fn();
  const terms = { freshMs: 5_000, renewMs: 1_000, waitUntil };

  it("a value is answered, and from a second on read anew after the answer, once", async () => {
    const { store, read } = await readOnce();
    store.version = 1;
    await pass(-1);
    expect(await answerOf(read({ ...terms, renewMs: 2_000 }))).toMatchObject({ version: 0 });
    expect(store.reads).toHaveLength(1);
    for (let times = 0; times < 3; times++) expect(await answerOf(read(terms))).toMatchObject({ version: 0 });
    expect(store.reads).toHaveLength(2);
    await pass(1);
    expect(await answerOf(read(terms))).toMatchObject({ version: 1 });
    expect(store.reads).toHaveLength(2);
  });

  it("a value that is asked for all the time makes nobody wait, at a read a second", async () => {
    const { store, read } = await readOnce();
    store.way = "slow";
    const from = store.reads.length;
    for (let tenths = 0; tenths < 100; tenths++) {
      store.version = tenths;
      expect(await answerOf(read(terms))).not.toBe("waiting");
      await pass(100);
    }
    expect(store.reads.length - from).toBeLessThanOrEqual(10);
    expect((await read(terms)).version).toBeGreaterThan(70);
  });

  it("a store that begins to hang makes nobody wait: the read after an answer finds out, within two seconds", async () => {
    const onOutage = vi.fn();
    const { store, read } = await readOnce({ onOutage });
    store.way = "hang";
    for (let tenths = 0; tenths < 200; tenths++) {
      expect(await answerOf(read(terms))).toMatchObject({ version: 0 });
      await pass(100);
      expect(onOutage.mock.calls.length > 0).toBe(tenths >= 19);
    }
  });

  it("of nothing, each request reads, also at the same time", async () => {
    const { store, read } = await readOnce();
    const asked = [];
    for (let times = 0; times < 3; times++) {
      asked.push(read({ freshMs: 0 }));
      await pass(0);
      store.skew += 1;
    }
    await Promise.all([...asked, pass(30)]);
    expect(store.reads).toHaveLength(4);
  });

  it("a value that the request does not accept is read, whatever its age, and is the answer then", async () => {
    const { store, read } = await readOnce();
    store.version = 1;
    const accepts = ({ version }: Read) => version > 0;
    const asked = read({ freshMs: 60_000, accepts });
    await pass(1);
    expect(await answerOf(asked)).toMatchObject({ version: 1 });
    const never = read({ freshMs: 60_000, accepts: () => false });
    await pass(1);
    expect(await answerOf(never)).toMatchObject({ version: 1 });
  });

  it("paced, a second passes between two reads that have answered", async () => {
    const { began, ask, waited } = createSlow(10, { paced: true });
    for (let tenths = 0; tenths < 25; tenths++) {
      void ask(0);
      await pass(100);
    }
    await pass(2_000);
    expect(waited).toHaveLength(25);
    for (const [index, at] of began.entries())
      if (index > 0) expect(at - (began[index - 1] ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(began.length).toBeLessThanOrEqual(4);
  });
});

describe("what replaces the kept value", () => {
  const newer = (next: Read, kept: Read) => (next.version >= kept.version ? next : kept);

  it("is the read that began later, also for the caller of the one that it overtook", async () => {
    const { store, value, read } = await readOnce();
    store.way = "slow";
    const overtaken = read({ freshMs: 0 });
    await pass(100);
    store.way = "ok";
    store.version = 1;
    await Promise.all([read({ freshMs: 0 }), pass(30)]);
    await pass(1_400);
    expect(await answerOf(overtaken)).toMatchObject({ version: 1 });
    expect(value.kept?.value.version).toBe(1);
  });

  it("is up to the user: a replica that is behind replaces nothing, and its caller is served what is kept", async () => {
    const { store, value, read } = await readOnce({ newer });
    store.version = 2;
    await Promise.all([read({ freshMs: 0 }), pass(1)]);
    store.version = 1;
    await pass(FRESH_MS);
    const behind = read();
    await pass(1);
    expect(await answerOf(behind)).toMatchObject({ version: 2 });
    // What is kept is newer than that answer, so it is as fresh: nobody reads again.
    const reads = store.reads.length;
    expect(await answerOf(read())).toMatchObject({ version: 2 });
    expect([store.reads.length, value.kept?.value.version]).toEqual([reads, 2]);
  });

  it("may be one out of storage, or of another read, with its age", async () => {
    const { store, value } = await readOnce();
    const restored = new KeptValue<Read>({ now: store.now, isOutage }, value.kept);
    const offered = new KeptValue<Read>({ now: store.now, isOutage });
    if (value.kept !== undefined) offered.offer(value.kept.value, value.kept.readAt);
    for (const each of [restored, offered]) {
      expect(await answerOf(each.read({ load: store.load, freshMs: 2_000 }))).toMatchObject({ version: 0 });
      expect(await answerOf(each.read({ load: store.load, freshMs: 900 }))).toBe("waiting");
    }
  });
});

it("who reads does not read again because a later read has ended, and has not brought what is wanted", async () => {
  freezeTime();
  const answers = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
  let reads = 0;
  const value = new KeptValue<number>({ now: () => Date.now(), isOutage, newer: Math.max });
  const load = () => answers[reads++]?.promise ?? Promise.reject(new Error("a third read"));
  const first = value.read({ load, freshMs: 0, accepts: (kept) => kept >= 2 });
  await pass(10);
  const second = value.read({ load, freshMs: 0 });
  answers[1]?.resolve(1);
  await pass(10);
  expect(await second).toBe(1);
  await pass(100);
  expect(reads).toBe(2);
  answers[0]?.resolve(2);
  await pass(100);
  expect(await first).toBe(2);
});

it("a read that fails when a later one has failed already says nothing of the store: it is asked", async () => {
  freezeTime();
  const hanging = Promise.withResolvers<number>();
  const store = [() => hanging.promise, () => Promise.reject(new Error("down")), () => Promise.resolve(7)];
  const value = new KeptValue<number>({ now: Date.now, isOutage: () => true });
  const load = () => store.shift()?.() ?? Promise.reject(new Error("asked too often"));
  const early = expect(value.read({ load, freshMs: 0 })).rejects.toThrow("down");
  await pass(1_020);
  await early;
  await pass(9_000);
  hanging.reject(new Error("late"));
  await pass(10);
  expect(await value.read({ load, freshMs: 0 })).toBe(7);
});
