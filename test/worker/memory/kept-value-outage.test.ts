/** What a kept value answers while its store fails, or does not answer. */
import { describe, expect, it, vi } from "vitest";
import { answerOf, Defect, pass, type Read, readOnce } from "../../support/scripted-store.ts";

/** A store whose last read has met a defect. */
async function readDefect() {
  const scene = await readOnce();
  await pass(1);
  scene.store.way = "defect";
  const failed = expect(scene.read()).rejects.toThrow(Defect);
  await pass(1);
  await failed;
  return scene;
}

describe("in an outage", () => {
  it("one request a second asks the store, for a second at most, and no other waits", async () => {
    const { store, read } = await readOnce();
    await pass(1);
    store.way = "hang";
    const first = read();
    await pass(2_000);
    expect(await answerOf(first)).toMatchObject({ version: 0 });
    const before = store.reads.length;
    const waits: { readonly asked: Promise<Read>; readonly since: number }[] = [];
    for (let tenths = 0; tenths < 60; tenths++) {
      const asked = read();
      if ((await answerOf(asked)) === "waiting") waits.push({ asked, since: Date.now() });
      await pass(100);
      for (const each of waits.filter(({ since }) => Date.now() - since > 1_000))
        expect(await answerOf(each.asked)).toMatchObject({ version: 0 });
    }
    expect(waits.length).toBeLessThanOrEqual(5);
    expect(store.reads.length - before).toBe(5);
  });

  it("a failure of half a minute ago says nothing: who comes while the store is asked again waits for its answer", async () => {
    const { store, read } = await readOnce();
    await pass(1);
    store.way = "fail";
    await Promise.all([read(), pass(1)]);
    store.way = "slow";
    store.version = 1;
    await pass(30_000);
    const requests = [read(), read()];
    expect(await answerOf(requests[1] as Promise<Read>)).toBe("waiting");
    await pass(1_501);
    for (const each of requests) expect(await answerOf(each)).toMatchObject({ version: 1 });
  });

  it("a read that has hung for ten seconds says nothing of a store that is back: the next request asks it", async () => {
    const { store, read } = await readOnce();
    await pass(360_000);
    store.way = "hang";
    const hung = expect(read()).rejects.toThrow("no answer within 10000 ms");
    await pass(10_000);
    await hung;
    store.way = "ok";
    store.version = 1;
    const next = read();
    await pass(1);
    expect(await answerOf(next)).toMatchObject({ version: 1 });
  });

  it("a clock that steps forward has let nobody wait: the read under way is not late", async () => {
    const { store, read } = await readOnce();
    await pass(1);
    store.way = "slow";
    store.version = 1;
    const request = read();
    await pass(500);
    store.skew += 5_000;
    await pass(1_001);
    expect(await answerOf(request)).toMatchObject({ version: 1 });
  });

  it("of a slow store, the answer that comes too late is kept all the same", async () => {
    const { store, read } = await readOnce();
    await pass(60_000);
    store.way = "crawl";
    store.version = 1;
    const impatient = read({ freshMs: 60_000 });
    await pass(2_000);
    expect(await answerOf(impatient)).toMatchObject({ version: 0 });
    await pass(3_000);
    expect(await answerOf(read({ freshMs: 60_000 }))).toMatchObject({ version: 1 });
  });

  it("a defect is thrown, also where a value could serve; a second later the store is asked again", async () => {
    const { store, read } = await readDefect();
    store.way = "ok";
    store.version = 1;
    await expect(read()).rejects.toThrow(Defect);
    await pass(1_000);
    const next = read();
    await pass(1);
    expect(await answerOf(next)).toMatchObject({ version: 1 });
  });

  it("a defect serves no old value, also to those who come while the store is asked again", async () => {
    const { store, read } = await readDefect();
    await pass(1_100);
    store.way = "ok";
    store.version = 1;
    const requests = [read(), read()];
    await pass(10);
    for (const each of requests) expect(await answerOf(each)).toMatchObject({ version: 1 });
  });

  it("a store that has just failed is asked by one request also where each wants what is newer than itself", async () => {
    const { store, read } = await readOnce();
    await pass(1);
    store.way = "fail";
    await Promise.all([read({ freshMs: 0 }), pass(1)]);
    await pass(1_000);
    store.way = "hang";
    const before = store.reads.length;
    const leader = read({ freshMs: 0 });
    await pass(300);
    expect(await answerOf(read({ freshMs: 0 }))).toMatchObject({ version: 0 });
    expect([await answerOf(leader), store.reads.length - before]).toEqual(["waiting", 1]);
  });

  it("what may not serve through one is not used: the failure is told", async () => {
    const { store, read } = await readOnce();
    await pass(1);
    store.way = "fail";
    const failed = expect(read({ servesOutage: false })).rejects.toThrow();
    await pass(1);
    await failed;
  });

  it("each failed read is told, once", async () => {
    const onOutage = vi.fn();
    const { store, read } = await readOnce({ onOutage });
    await pass(1);
    store.way = "fail";
    await Promise.all([read(), pass(1)]);
    await read();
    expect(onOutage).toHaveBeenCalledTimes(1);
  });

  it("a request whose value is forgotten while it waits looks again, and is given nothing from before that", async () => {
    const { store, value, read } = await readOnce();
    await pass(1);
    store.way = "slow";
    const request = read();
    await pass(1_000);
    store.way = "ok";
    store.version = 1;
    value.forget();
    await pass(501);
    expect(await answerOf(request)).toMatchObject({ version: 1 });
    expect(value.kept?.value.version).toBe(1);
  });
});
