/** A database that hangs: nobody waits in line for it, it is back soon after its return, and a slow call of one closes it for nobody. */
import { describe, expect, it, vi } from "vitest";
import { type Database, Databases } from "../../../src/worker/database/databases.ts";
import { DeadlineExceeded } from "../../../src/worker/memory/deadline.ts";
import { databaseOf, openDatabase } from "../../support/databases.ts";
import { interceptDatabase } from "../../support/intercept-binding.ts";
import { VirtualTime, virtually } from "../../support/virtual-time.ts";

const START = 1_900_000_000_000;
const SIGN_OF_LIFE_MS = 250;
const NEVER = Number.POSITIVE_INFINITY;
const deadline = new DeadlineExceeded(2_000);

/** A database far away, which hangs while `hangs`, and an isolate that uses it. `ask` gives whether it answered, and after how long. */
async function setUp() {
  const time = new VirtualTime(START);
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const world = { hangs: false, calls: 0 };
  const binding = interceptDatabase(databaseOf("0"), async (_, makeCall) => {
    world.calls += 1;
    await (world.hangs ? new Promise(() => {}) : virtually(SIGN_OF_LIFE_MS));
    return time.call(makeCall);
  });
  const databases = new Databases();
  const openedBy = (d1: D1Database) => openDatabase(d1, databases);
  const ask = async (database: Database = openedBy(binding)) => {
    const since = Date.now();
    const answered = await database.binding
      .prepare("SELECT 1")
      .first()
      .then(
        () => true,
        () => false,
      );
    return { answered, ms: Date.now() - since };
  };
  /** One call of a tenant that misses its deadline, as a kept value tells it. */
  const miss = (since: number) => {
    openedBy(binding).outages("it is a test").onOutage(deadline, since);
  };
  return { time, world, binding, ask, miss, openedBy };
}
describe("a database that hangs for 80 seconds", () => {
  it("is waited for by nobody from the second half second on, is asked once a second, and is back within two seconds", async () => {
    const { time, world, ask, miss } = await setUp();
    await time.until(ask());
    world.hangs = true;
    const since = Date.now();
    const early = ask();
    await time.until(virtually(2_000));
    miss(since);
    const answers: Promise<{ answered: boolean; ms: number; at: number }>[] = [];
    const calls = world.calls;
    let backAt = NEVER;
    for (let at = 0; at < 82_000; at += 100) {
      if (at === 78_000) world.hangs = false;
      answers.push(ask().then((answer) => ({ ...answer, at })));
      await time.until(virtually(100));
    }
    const ended = await time.until(Promise.all(answers));
    for (const { answered, ms, at } of ended.answer) {
      if (at >= 500 && at < 78_000) expect({ answered, at, ms }).toEqual({ answered: false, at, ms: 0 });
      if (at < 500) expect(ms).toBeLessThanOrEqual(500 - at);
      if (answered) backAt = Math.min(backAt, at);
    }
    expect(backAt).toBeLessThanOrEqual(80_000);
    expect(ended.answer.filter(({ at }) => at > 80_000).every(({ answered }) => answered)).toBe(true);
    // Five in the first half second, and a sign of life a second.
    expect(world.calls - calls).toBeLessThanOrEqual(5 + 80 + 45);
    expect((await time.until(early)).answer).toEqual({ answered: false, ms: 10_000 });
  });

  it("is known to hang though a call from before has been answered meanwhile", async () => {
    const { time, world, ask, miss } = await setUp();
    const earlier = ask();
    await time.until(virtually(SIGN_OF_LIFE_MS / 2));
    world.hangs = true;
    const since = Date.now();
    expect((await time.until(earlier)).answer.answered).toBe(true);
    await time.until(virtually(2_000));
    miss(since);
    await time.until(virtually(500));
    expect((await time.until(ask())).answer).toEqual({ answered: false, ms: 0 });
  });

  it("is known to hang though the clock has stepped back since its last answer", async () => {
    const { time, world, ask, miss } = await setUp();
    await time.until(ask());
    vi.setSystemTime(Date.now() - 60_000);
    world.hangs = true;
    const since = Date.now();
    await time.until(virtually(2_000));
    miss(since);
    await time.until(virtually(500));
    expect((await time.until(ask())).answer).toEqual({ answered: false, ms: 0 });
  });

  it("is known to hang though the clock has stepped back, since its last answer, by less than the deadline", async () => {
    const { time, world, ask, miss } = await setUp();
    await time.until(ask());
    vi.setSystemTime(Date.now() - 1_500);
    world.hangs = true;
    const since = Date.now();
    const waiting = ask();
    await time.until(virtually(2_000));
    miss(since);
    await time.until(virtually(500));
    expect((await time.until(ask())).answer).toEqual({ answered: false, ms: 0 });
    await time.until(waiting);
  });

  it("is known to hang when a read has waited first for a replica, whose deadline ends the request", async () => {
    const { time, world, ask, binding, openedBy } = await setUp();
    const read = () => time.until(openedBy(binding).read((session) => session.prepare("SELECT 1").first()));
    await read();
    world.hangs = true;
    await expect(read()).rejects.toThrow("no answer within 10000 ms");
    await time.until(virtually(500));
    expect((await time.until(ask())).answer).toEqual({ answered: false, ms: 0 });
  });

  it("is known to hang near the isolate, too, half a second after the first read there, when a gate alone has waited for it", async () => {
    const { time, world, binding, openedBy } = await setUp();
    const read = () => time.until(openedBy(binding).read((session) => session.prepare("SELECT 1").first()));
    const since = () => Date.now() - START;
    await read();
    world.hangs = true;
    await time.until(virtually(1_000));
    openedBy(binding).doubt();
    await time.until(virtually(500));
    const from = since();
    await expect(read()).rejects.toThrow("D1 does not answer");
    expect(since() - from).toBe(500);
    await expect(read()).rejects.toThrow("D1 does not answer");
    expect(since() - from).toBe(500);
  });

  it("closes no replica that answers: all who come at once are answered there", async () => {
    const { time, world, binding, openedBy } = await setUp();
    const near = interceptDatabase(databaseOf("0"), async (_, makeCall) => {
      await virtually(30);
      return time.call(makeCall);
    });
    const isNear = (constraint?: string) => constraint !== "first-primary";
    const both = new Proxy(binding, {
      get: (target, name) =>
        name === "withSession"
          ? (constraint?: string) => (isNear(constraint) ? near : binding).withSession(constraint)
          : Reflect.get(target, name),
    });
    const read = () => openedBy(both).read((session) => session.prepare("SELECT 1 AS one").first("one"));
    await time.until(read());
    world.hangs = true;
    await time.until(virtually(1_000));
    openedBy(both).doubt();
    await time.until(virtually(600));
    const { answer, elapsedMs } = await time.until(Promise.all([read(), read(), read()]));
    expect([answer, elapsedMs]).toEqual([[1, 1, 1], 30]);
  });

  it("is asked again after nobody has asked for two seconds", async () => {
    const { time, world, ask, miss } = await setUp();
    world.hangs = true;
    miss(Date.now());
    await time.until(virtually(1_000));
    expect((await time.until(ask())).answer).toEqual({ answered: false, ms: 0 });
    await time.until(virtually(2_100));
    world.hangs = false;
    expect((await time.until(ask())).answer).toEqual({ answered: true, ms: SIGN_OF_LIFE_MS });
  });
});

describe("one call that is slow", () => {
  it("closes the database for nobody: a sign of life from the other side of the world says that it lives", async () => {
    const { time, ask, miss } = await setUp();
    await time.until(virtually(2_000));
    miss(Date.now() - 2_000);
    const answers = [];
    for (let at = 0; at < 1_000; at += 50) {
      answers.push(ask());
      await time.until(virtually(50));
    }
    for (const { answered, ms } of (await time.until(Promise.all(answers))).answer)
      expect([answered, ms]).toEqual([true, SIGN_OF_LIFE_MS]);
  });

  it("asks for no sign of life when another call has begun and was answered since", async () => {
    const { time, world, ask, miss } = await setUp();
    const since = Date.now();
    await time.until(virtually(1));
    await time.until(ask());
    await time.until(virtually(2_000));
    const { calls } = world;
    miss(since);
    expect(world.calls).toBe(calls);
  });

  it("of a gate alone asks for no sign of life, when the isolate has just been answered", async () => {
    const { time, world, ask, binding, openedBy } = await setUp();
    await time.until(ask());
    const calls = world.calls;
    const doubt = () => {
      openedBy(binding).doubt();
      return [openedBy(binding).isSilent(), world.calls - calls];
    };
    await time.until(virtually(900));
    expect(doubt()).toEqual([false, 0]);
    await time.until(virtually(200));
    expect(doubt()).toEqual([true, 1]);
  });

  it("of the other database says nothing of this one", async () => {
    const { time, binding, world, miss } = await setUp();
    const databases = new Databases();
    const executionCtx = { waitUntil: () => {} };
    const open = (id: string) =>
      databases.of({ env: Object.assign({ DB: binding }, { DB_1: binding }), executionCtx }, id);
    world.hangs = true;
    open("0")?.outages("it is a test").onOutage(deadline, Date.now());
    miss(Date.now());
    await time.until(virtually(1_000));
    world.hangs = false;
    const answer = open("1")?.binding.prepare("SELECT 1 AS one").first("one");
    expect((await time.until(Promise.resolve(answer))).answer).toBe(1);
    await expect(open("0")?.binding.prepare("SELECT 1").first()).rejects.toThrow("D1 does not answer");
  });
});
