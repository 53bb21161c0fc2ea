/** A database that hangs: nobody waits in line for it, and it is back soon after its return. A slow replica delays no read. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Breaker } from "../../../src/worker/store/breaker.ts";
import { Databases, type ReadOptions } from "../../../src/worker/store/databases.ts";
import { DeadlineExceeded, hasHung } from "../../../src/worker/store/deadline.ts";
import { DatabaseOutage } from "../../../src/worker/store/outage.ts";
import type { Session } from "../../../src/worker/store/session.ts";
import { prepare } from "../../../src/worker/store/statement.ts";
import { openDatabase } from "../../support/databases.ts";
import { interceptDatabase } from "../../support/intercept-binding.ts";
import { createReplica } from "../../support/lagging-replica.ts";
import { freezeTime, pass } from "../../support/scripted-store.ts";
import { VirtualTime, virtually } from "../../support/virtual-time.ts";

const ONE = prepare<{ one: number }>("SELECT 1 AS one");

const START = 1_900_000_000_000;
const NEVER = Number.POSITIVE_INFINITY;

describe("a circuit breaker", () => {
  type Way = number | "hangs" | Error;

  beforeEach(freezeTime);

  /** A database that answers after so many milliseconds, never, or with an error. */
  function createBreaker() {
    const breaker = new Breaker();
    const database: { way: Way; pings: number[] } = { way: 1, pings: [] };
    const run = async (way: Way) => {
      await (way === "hangs" ? new Promise(() => {}) : virtually(typeof way === "number" ? way : 1));
      if (way instanceof Error) throw way;
    };
    const pinger = {
      ping: () => {
        database.pings.push(Date.now());
        return run(database.way);
      },
      waitUntil: () => {},
    };
    /** How a call ended by now, and after how many milliseconds. */
    const call = (way: Way = database.way) => {
      const began = Date.now();
      const ended: { how: unknown; ms: number } = { how: "waiting", ms: 0 };
      const end = (how: unknown) => Object.assign(ended, { how, ms: Date.now() - began });
      breaker
        .call(() => run(way), pinger)
        .then(
          () => end("answered"),
          (error: unknown) => end(hasHung(error) ? "missed" : error instanceof DatabaseOutage ? "outage" : error),
        );
      return ended;
    };
    /** Opens it by a call that misses its deadline. */
    const open = async () => {
      database.way = "hangs";
      const missed = call();
      await pass(10_000);
      expect(missed).toEqual({ how: "missed", ms: 10_000 });
    };
    return { breaker, database, pinger, call, open };
  }
  const REFUSED = { how: "outage", ms: 0 };

  it("opens on a missed deadline, and refuses at once from then on, also a minute later", async () => {
    const { call, open } = createBreaker();
    await open();
    for (let second = 0; second < 60; second++) {
      const refused = call();
      await pass(1);
      expect(refused).toEqual(REFUSED);
      await pass(999);
    }
  });

  it("pings once a second while it is open", async () => {
    const { database, call, open } = createBreaker();
    await open();
    await pass(1_000);
    database.pings.length = 0;
    for (let tenths = 0; tenths < 100; tenths++) {
      call();
      await pass(100);
    }
    expect(database.pings.map((at) => at - (database.pings[0] ?? 0))).toEqual(
      Array.from({ length: 10 }, (_, second) => second * 1_000),
    );
  });

  it("is closed by an answer to a ping, within a second of the return", async () => {
    const { database, call, open } = createBreaker();
    await open();
    database.way = 250;
    call();
    await pass(1_000);
    call();
    await pass(251);
    const back = call();
    await pass(250);
    expect(back).toEqual({ how: "answered", ms: 250 });
  });

  it("is closed by no call that fails after it has hung", async () => {
    const { breaker, database, pinger, call } = createBreaker();
    const hung = Promise.withResolvers<never>();
    const missed = breaker.call(() => hung.promise, pinger).catch(hasHung);
    database.way = "hangs";
    await pass(10_000);
    expect(await missed).toBe(true);
    hung.reject(new Error("Network connection lost."));
    await pass(1);
    const refused = call(1);
    await pass(1);
    expect(refused).toEqual(REFUSED);
  });

  it("is closed by an error of the statement: the database has answered", async () => {
    const { database, call, open } = createBreaker();
    await open();
    database.way = new Error("D1_ERROR: UNIQUE constraint failed: accounts.id: SQLITE_CONSTRAINT");
    await pass(1_000);
    call();
    await pass(1);
    const failed = call();
    await pass(1);
    expect(failed).toEqual({ how: database.way, ms: 1 });
  });

  it("lets the first caller after two quiet seconds wait for the ping, half a second at most", async () => {
    const { database, call, open } = createBreaker();
    await open();
    await pass(2_000);
    const first = call(1);
    const second = call(1);
    await pass(500);
    expect([first, second]).toEqual([{ how: "outage", ms: 500 }, REFUSED]);
    database.way = 400;
    await pass(2_000);
    const returned = call(1);
    await pass(401);
    expect(returned).toEqual({ how: "answered", ms: 401 });
  });

  it("stays closed when a call that began later than the missed one was answered", async () => {
    const { breaker, pinger, call } = createBreaker();
    const since = Date.now();
    call("hangs");
    await pass(1);
    call(1);
    await pass(1_999);
    breaker.missed(since, pinger);
    const answered = call(1);
    await pass(1);
    expect(answered).toEqual({ how: "answered", ms: 1 });
  });

  it.each([
    ["began earlier", 0],
    ["was answered before the clock has stepped back", -60_000],
  ])("opens although a call was answered that %s", async (_, stepMs) => {
    const { breaker, database, pinger, call } = createBreaker();
    call(10);
    await pass(1);
    vi.setSystemTime(Date.now() + stepMs);
    database.way = "hangs";
    const since = Date.now();
    call();
    await pass(2_000);
    breaker.missed(since, pinger);
    const refused = call(1);
    await pass(1);
    expect(refused).toEqual(REFUSED);
  });

  it("opens for no missed deadline of somebody who has not called it", async () => {
    const { breaker, pinger, call } = createBreaker();
    breaker.missed(Date.now(), pinger);
    const answered = call(1);
    await pass(1);
    expect(answered).toEqual({ how: "answered", ms: 1 });
  });
});

describe("of the two databases", () => {
  it("one that hangs says nothing of the other", async () => {
    const time = new VirtualTime(START);
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const { database } = await createReplica("0");
    const hung = interceptDatabase(database, () => new Promise(() => {}));
    const live = interceptDatabase(database, (_, makeCall) => time.call(makeCall));
    const databases = new Databases();
    const env = Object.assign({ DB: hung }, { DB_1: live });
    const caller = { env, executionCtx: { waitUntil: () => {} } };
    const ask = (id: string) => databases.of(caller, id)?.withoutSession().first(ONE);
    await expect(time.until(Promise.resolve(ask("0")))).rejects.toSatisfy(hasHung);
    await expect(time.until(Promise.resolve(ask("0")))).rejects.toThrow("D1 does not answer");
    expect((await time.until(Promise.resolve(ask("1")))).answer).toEqual({ one: 1 });
  });
});

describe("a read", () => {
  const ANCHOR_SECONDS = 10;
  const DUE = START + 3_500;
  const isBackground = true;
  const isPrimary = (constraint: string) => constraint === "first-primary";

  /** A replica and a primary so many milliseconds away; one that is `NEVER` there hangs. `read` gives who was asked, and how long it took. */
  async function setUp(ms: { replica: number; primary: number }) {
    const { database, asked } = await createReplica("0");
    const time = new VirtualTime(START);
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const databases = new Databases();
    const failing: Record<"replica" | "primary", boolean | Error> = { replica: false, primary: false };
    const from = (where: "replica" | "primary", d1: D1Database | D1DatabaseSession) =>
      interceptDatabase(d1 as D1Database, async (_, makeCall) => {
        await (ms[where] === NEVER ? new Promise(() => {}) : virtually(ms[where]));
        if (failing[where]) throw failing[where] === true ? new Error(`the ${where} is down`) : failing[where];
        return time.call(makeCall);
      });
    const away = new Proxy(from("primary", database), {
      get(target, name) {
        if (name !== "withSession") return Reflect.get(target, name);
        return (constraint: string) =>
          from(isPrimary(constraint) ? "primary" : "replica", database.withSession(constraint));
      },
    });
    const read = async (options: ReadOptions<unknown> = {}) => {
      asked.length = 0;
      const work = (session: Session) => session.first(ONE);
      const { answer, elapsedMs } = await time.until(openDatabase(away, databases, ANCHOR_SECONDS).read(work, options));
      expect(answer).toEqual({ one: 1 });
      return [...asked.map((constraint) => (isPrimary(constraint) ? "primary" : "replica")), elapsedMs];
    };
    expect(await read()).toEqual(["primary", ms.primary]);
    return { ms, failing, read };
  }

  it("asks the primary, too, when the replica has not answered for 250 ms, and takes the first answer", async () => {
    const { ms, read } = await setUp({ replica: 249, primary: 90 });
    expect(await read()).toEqual(["replica", 249]);
    ms.replica = 300;
    expect(await read()).toEqual(["replica", "primary", 300]);
    ms.replica = NEVER;
    expect(await read()).toEqual(["replica", "primary", 250 + 90]);
  });

  it("takes the one that answers when the other fails late", async () => {
    const { ms, failing, read } = await setUp({ replica: 500, primary: 10 });
    failing.primary = true;
    expect(await read()).toEqual(["replica", "primary", 500]);
    Object.assign(failing, { primary: false, replica: true });
    Object.assign(ms, { replica: 260, primary: 90 });
    expect(await read()).toEqual(["replica", "primary", 340]);
  });

  it("asks the primary at once, and once, when the replica fails early", async () => {
    const { failing, read } = await setUp({ replica: 5, primary: 90 });
    failing.replica = true;
    expect(await read()).toEqual(["replica", "primary", 95]);
    expect(await read({ needsPrimary: () => true })).toEqual(["replica", "primary", 95]);
  });

  it("tells the failure when both fail", async () => {
    const { failing, read } = await setUp({ replica: 500, primary: 10 });
    Object.assign(failing, { primary: true, replica: true });
    await expect(read()).rejects.toHaveProperty("cause.message", expect.stringContaining("is down"));
  });

  it("tells a missed deadline, and no failure of long before", async () => {
    const { ms, failing, read } = await setUp({ replica: 500, primary: 10 });
    Object.assign(ms, { replica: 9_900 });
    Object.assign(failing, { replica: new DeadlineExceeded(9_900), primary: true });
    await expect(read()).rejects.toSatisfy(hasHung);
  });

  it("asks the primary once, although the replica is late and then has to be confirmed", async () => {
    const { read } = await setUp({ replica: 300, primary: 300 });
    expect(await read({ needsPrimary: () => true })).toEqual(["replica", "primary", 550]);
  });

  it("that is to make an anchor asks the primary, however far that is, and although it was asked a moment ago", async () => {
    const { ms, read } = await setUp({ replica: 300, primary: 1_200 });
    vi.setSystemTime(DUE);
    ms.primary = NEVER;
    expect(await read()).toEqual(["replica", "primary", 300]);
    ms.primary = 1_200;
    expect(await read({ isBackground })).toEqual(["primary", 1_200]);
  });

  it("that is to make an anchor asks the replica when the primary fails, or takes longer still", async () => {
    const { ms, failing, read } = await setUp({ replica: 4, primary: 90 });
    vi.setSystemTime(DUE);
    failing.primary = true;
    expect(await read({ isBackground })).toEqual(["primary", "replica", 94]);
    vi.setSystemTime(DUE + 2_000);
    ms.primary = NEVER;
    expect(await read({ isBackground })).toEqual(["primary", "replica", 1_504]);
  });

  it("fails with the primary once the last anchor is too old: what a replica says may be older than is promised", async () => {
    const { failing, read } = await setUp({ replica: 4, primary: 90 });
    vi.setSystemTime(START + 1_000 * ANCHOR_SECONDS);
    failing.primary = true;
    await expect(read({ isBackground })).rejects.toHaveProperty("cause.message", "the primary is down");
  });

  it("that misses its deadline opens both breakers: the next is refused at once", async () => {
    const { ms, read } = await setUp({ replica: 4, primary: 90 });
    Object.assign(ms, { replica: NEVER, primary: NEVER });
    const began = Date.now();
    await expect(read()).rejects.toThrow("no answer within 10000 ms");
    expect(Date.now() - began).toBe(10_000);
    await expect(read()).rejects.toThrow(DatabaseOutage);
    expect(Date.now() - began).toBeLessThanOrEqual(10_500);
  });
});
