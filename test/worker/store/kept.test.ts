/** The last value that a store gave: every promise of `kept.ts`, case by case, in virtual time. */
import { describe, expect, it, vi } from "vitest";
import { Kept } from "../../../src/worker/store/kept.ts";
import { outcomeOf, pass, type Read, readOnce, ScriptedStore } from "../../support/scripted-store.ts";

const FIVE_MINUTES_MS = 300_000;
const waitUntil = () => {};

describe("by age", () => {
  const terms = { freshMs: 5_000, renewMs: 1_000, waitUntil };

  it("a young value is answered without a read, for as long as it is told", async () => {
    const { store, get } = await readOnce();
    await pass(-1);
    expect(await outcomeOf(get({ freshMs: 1_001 }))).toBe(0);
    expect(store.reads).toHaveLength(1);
    const older = get({ freshMs: 1_000 });
    expect(await outcomeOf(older)).toBe("waiting");
    expect(store.reads).toHaveLength(2);
  });

  it("from a second on it is read anew after the answer, once, and only where the request lets it go on", async () => {
    const { store, get } = await readOnce();
    store.version = 1;
    for (const no of [
      { ...terms, renewMs: 2_000 },
      { ...terms, waitUntil: undefined },
    ])
      expect(await outcomeOf(get(no))).toBe(0);
    expect(store.reads).toHaveLength(1);
    for (let times = 0; times < 3; times++) expect(await outcomeOf(get(terms))).toBe(0);
    expect(store.reads).toHaveLength(2);
    await pass(1);
    expect(await outcomeOf(get(terms))).toBe(1);
    expect(store.reads).toHaveLength(2);
  });

  it("a store that begins to hang makes nobody wait meanwhile: the read after an answer finds out, within two seconds", async () => {
    const onOutage = vi.fn();
    const { store, get } = await readOnce({ onOutage });
    store.way = "hang";
    for (let tenths = 0; tenths < 40; tenths++) {
      expect(await outcomeOf(get(terms))).toBe(0);
      await pass(100);
      expect(onOutage.mock.calls.length > 0).toBe(tenths >= 19);
    }
  });

  it("a value from the future is not fresh", async () => {
    const { store, get } = await readOnce();
    store.skew = -60_000;
    store.version = 1;
    const asked = get({ freshMs: 3_600_000 });
    expect(await outcomeOf(asked)).toBe("waiting");
    await pass(1);
    expect(await outcomeOf(asked)).toBe(1);
    expect(await outcomeOf(get())).toBe(1);
  });

  it("a value that the request does not accept is read, whatever its age, and is the answer then", async () => {
    const { store, get } = await readOnce();
    store.version = 1;
    for (const accepts of [({ version }: Read) => version > 0, () => false]) {
      const asked = get({ freshMs: 60_000, accepts });
      await pass(1);
      expect(await outcomeOf(asked)).toBe(1);
    }
  });
});

describe("one request reads", () => {
  it("while the others look at memory, and all are answered when it is", async () => {
    const { store, get } = await readOnce();
    store.way = "slow";
    store.version = 1;
    const began = Date.now();
    const waits: number[] = [];
    for (let times = 0; times < 100; times++) {
      void get().then(({ version }) => waits.push(version * (Date.now() - began)));
      await pass(5);
    }
    await pass(1_020);
    expect(waits).toHaveLength(100);
    // The first read does not end in a second, so there is a second one.
    expect(store.reads.map((read) => read.began - began).slice(1)).toEqual([0, 1_000]);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1_520);
  });

  it("and after a second another one does: the request of a read that never settles may have ended", async () => {
    const { store, get } = await readOnce();
    store.way = "hang";
    void get();
    const others = [get(), get(), get()];
    await pass(999);
    expect(store.reads).toHaveLength(2);
    store.way = "ok";
    store.version = 1;
    await pass(22);
    for (const each of others) expect(await outcomeOf(each)).toBe(1);
    expect(store.reads).toHaveLength(3);
  });
});

describe("after a read that failed", () => {
  it.each([
    ["fail", 1],
    ["hang", 2_000],
  ] as const)("all get the kept value for a second, and then one asks the store: %s", async (way, waitMs) => {
    const { store, get } = await readOnce();
    store.way = way;
    const first = get();
    await pass(waitMs);
    expect(await outcomeOf(first)).toBe(0);
    const before = store.reads.length;
    await pass(999);
    expect([await outcomeOf(get()), store.reads.length]).toEqual([0, before]);
    store.way = "ok";
    store.version = 1;
    await pass(1);
    const asked = [get(), get()];
    await pass(10);
    for (const each of asked) expect(await outcomeOf(each)).toBe(1);
    expect(store.reads).toHaveLength(before + 1);
  });

  it("no pause outlasts a clock that has stepped back, and there is one again after the next failure", async () => {
    const { store, get } = await readOnce();
    await pass(1_000);
    store.way = "fail";
    void get();
    await pass(1);
    store.skew = -500;
    for (let tenths = 0; tenths < 20; tenths++) {
      void get();
      await pass(100);
      expect(store.reads).toHaveLength(tenths <= 10 ? 3 : 4);
    }
  });

  it("each is told, once, with when somebody began to wait", async () => {
    const onOutage = vi.fn();
    const { store, get } = await readOnce({ onOutage });
    store.way = "lost";
    const began = Date.now();
    void get();
    await pass(1_500);
    await get();
    expect(onOutage.mock.calls.map(([, since]) => since)).toEqual([began]);
  });
});

describe("through an outage", () => {
  it.each(["fail", "hang"] as const)(
    "a value serves for five minutes, counted from its read, and then the failure is told: %s",
    async (way) => {
      const { store, kept, get } = await readOnce();
      store.way = way;
      const readAt = kept.last?.readAt ?? 0;
      const waitMs = way === "fail" ? 1 : 2_000;
      await pass(readAt + FIVE_MINUTES_MS - waitMs - Date.now());
      const last = get();
      await pass(waitMs);
      expect(await outcomeOf(last)).toBe(0);
      await pass(1);
      const error = way === "fail" ? "Outage" : "DeadlineExceeded";
      expect(await outcomeOf(get())).toBe(error);
      await pass(1_000);
      const after = get();
      void outcomeOf(after);
      await pass(way === "fail" ? 1 : 9_999);
      if (way === "hang") expect(await outcomeOf(after)).toBe("waiting");
      await pass(1);
      expect(await outcomeOf(after)).toBe(error);
    },
  );

  it("it does not serve where the request will not have it", async () => {
    const { store, get } = await readOnce();
    store.way = "fail";
    const asked = get({ servesOutage: false });
    void outcomeOf(asked);
    await pass(1);
    expect(await outcomeOf(asked)).toBe("Outage");
    expect(await outcomeOf(get())).toBe(0);
  });

  it("nothing serves for a defect: it is thrown, and a second later the store is asked again", async () => {
    const onOutage = vi.fn();
    const { store, get } = await readOnce({ onOutage });
    store.way = "defect";
    const asked = get();
    void outcomeOf(asked);
    await pass(1);
    expect(await outcomeOf(asked)).toBe("Defect");
    expect(await outcomeOf(get())).toBe("Defect");
    expect(onOutage).not.toHaveBeenCalled();
    store.way = "ok";
    store.version = 1;
    await pass(1_000);
    const next = [get(), get()];
    await pass(10);
    for (const each of next) expect(await outcomeOf(each)).toBe(1);
  });

  it("an answer that comes too late is kept all the same", async () => {
    const { store, get } = await readOnce();
    store.way = "crawl";
    store.version = 1;
    const asked = get();
    await pass(2_000);
    expect(await outcomeOf(asked)).toBe(0);
    await pass(3_000);
    expect(await outcomeOf(get({ freshMs: 60_000 }))).toBe(1);
    expect(store.reads).toHaveLength(2);
  });
});

describe("what is kept", () => {
  it("is nothing from before it was forgotten: a read under way brings nothing, and its request reads again", async () => {
    const { store, kept, get } = await readOnce();
    store.way = "slow";
    const asked = get();
    await pass(1_000);
    kept.forget();
    store.way = "hang";
    await pass(600);
    expect([kept.last, await outcomeOf(asked), store.reads.length]).toEqual([undefined, "waiting", 3]);
  });

  it("is read by one request, also when a read from before it was forgotten ends, which began in the same millisecond", async () => {
    const { store, kept, get } = await readOnce();
    void get();
    kept.forget();
    store.way = "hang";
    const asked = get();
    await pass(500);
    void get();
    await pass(100);
    expect([await outcomeOf(asked), store.reads.length]).toEqual(["waiting", 3]);
  });

  it("is read anew when it was said to have changed, and serves in an outage still", async () => {
    const { store, kept, get } = await readOnce();
    kept.expire();
    expect(kept.young({ load: store.load, freshMs: 60_000 })).toBeUndefined();
    store.way = "fail";
    const asked = get({ freshMs: 60_000 });
    await pass(1);
    expect([await outcomeOf(asked), store.reads.length]).toEqual([0, 2]);
  });

  it("is no failure from before it was forgotten either", async () => {
    const { store, kept, get } = await readOnce();
    store.way = "lost";
    void get().catch(() => {});
    await pass(1_000);
    kept.forget();
    store.way = "ok";
    await pass(501);
    expect(await outcomeOf(get())).toBe(0);
  });

  it("is the read that began later, also for the caller of the one that it overtook", async () => {
    const { store, kept, get } = await readOnce();
    store.way = "slow";
    const overtaken = get();
    await pass(1_000);
    store.way = "ok";
    store.version = 1;
    void get();
    await pass(1_000);
    expect([await outcomeOf(overtaken), kept.last?.value.version]).toEqual([1, 1]);
  });

  it("is up to its user: an older value replaces nothing, and makes what is kept as fresh as itself", async () => {
    const { store, kept, get } = await readOnce({ compare: (next, last) => next.version - last.version });
    kept.offer({ version: 2, began: 0 }, Date.now() - 1_000);
    const behind = get();
    await pass(1);
    expect(await outcomeOf(behind)).toBe(2);
    expect([await outcomeOf(get()), store.reads.length]).toEqual([2, 2]);
  });

  it("may be a value out of storage, or of another read, with its age", async () => {
    const { store, kept } = await readOnce();
    const options = { now: store.now, isOutage: ScriptedStore.isOutage };
    const offered = new Kept<Read>(options);
    if (kept.last !== undefined) offered.offer(kept.last.value, kept.last.readAt);
    for (const each of [new Kept<Read>(options, kept.last), offered]) {
      expect(await outcomeOf(each.get({ load: store.load, freshMs: 1_001 }))).toBe(0);
      expect(await outcomeOf(each.get({ load: store.load, freshMs: 1_000 }))).toBe("waiting");
    }
  });
});
