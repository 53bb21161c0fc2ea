/** How long a read waits for a replica before the primary is asked, too, and which of the two is believed. */
import { describe, expect, it, vi } from "vitest";
import { Databases, type ReadOptions } from "../../../src/worker/database/databases.ts";
import { Patience } from "../../../src/worker/database/patience.ts";
import { DeadlineExceeded, hasHung } from "../../../src/worker/memory/deadline.ts";
import { openDatabase } from "../../support/databases.ts";
import { interceptDatabase } from "../../support/intercept-binding.ts";
import { createReplica } from "../../support/lagging-replica.ts";
import { VirtualTime, virtually } from "../../support/virtual-time.ts";

const START = 1_900_000_000_000;
const ANCHOR_MS = 10_000;
const NEVER = Number.POSITIVE_INFINITY;
const isPrimary = (constraint: string) => constraint === "first-primary";

/** A replica and a primary so many milliseconds away; one that is `NEVER` there hangs. `read` gives who was asked, and how long it took. */
async function setUp(ms: { replica: number; primary: number }) {
  const { database, asked } = await createReplica("0");
  const time = new VirtualTime(START);
  const databases = new Databases();
  databases.anchorMs = ANCHOR_MS;
  const failing: Record<"replica" | "primary", boolean | Error> = { replica: false, primary: false };
  const away = new Proxy(database, {
    get(target, name) {
      if (name !== "withSession") return Reflect.get(target, name);
      return (constraint: string) => {
        const where = isPrimary(constraint) ? "primary" : "replica";
        return interceptDatabase(target.withSession(constraint), async (_, makeCall) => {
          await (ms[where] === NEVER ? new Promise(() => {}) : virtually(ms[where]));
          if (failing[where]) throw failing[where] === true ? new Error(`the ${where} is down`) : failing[where];
          return time.call(makeCall);
        });
      };
    },
  });
  const read = async (options: ReadOptions<unknown> = {}) => {
    asked.length = 0;
    const work = (session: D1DatabaseSession) => session.prepare("SELECT 1 AS one").first<number>("one");
    const { answer, elapsedMs } = await time.until(openDatabase(away, databases).read(work, options));
    expect(answer).toBe(1);
    return [...asked.map((constraint) => (isPrimary(constraint) ? "primary" : "replica")), elapsedMs];
  };
  expect(await read()).toEqual(["primary", ms.primary]);
  return { ms, failing, read };
}

describe("a read waits for a replica", () => {
  it("200 ms at first", async () => {
    const { read } = await setUp({ replica: NEVER, primary: 90 });
    expect(await read()).toEqual(["replica", "primary", 290]);
  });

  it("50 ms longer than replicas have taken, when one is near", async () => {
    const { ms, read } = await setUp({ replica: 4, primary: 90 });
    for (let times = 0; times < 3; times++) expect(await read()).toEqual(["replica", 4]);
    ms.replica = NEVER;
    expect(await read()).toEqual(["replica", "primary", 54 + 90]);
  });

  it("half as long again as they have taken, when the nearest is far: its reads are not made twice", async () => {
    const { ms, read } = await setUp({ replica: 300, primary: 350 });
    expect(await read()).toEqual(["replica", "primary", 300]);
    for (let times = 0; times < 3; times++) expect(await read()).toEqual(["replica", 300]);
    ms.replica = NEVER;
    expect(await read()).toEqual(["replica", "primary", 450 + 350]);
  });

  it("no longer because some waited for their bookmark, or because the primary was faster", async () => {
    const { ms, read } = await setUp({ replica: 4, primary: 90 });
    for (let times = 0; times < 8; times++) await read();
    for (const replica of [100, 120, NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, 100]) {
      ms.replica = replica;
      await read();
    }
    ms.replica = NEVER;
    expect(await read()).toEqual(["replica", "primary", 54 + 90]);
  });

  it("no longer because of reads that wait for somebody's write", async () => {
    const { ms, read } = await setUp({ replica: 4, primary: 90 });
    for (let times = 0; times < 3; times++) await read();
    ms.replica = 100;
    for (let times = 0; times < 30; times++) await read({ floor: "00000002" });
    ms.replica = NEVER;
    expect(await read()).toEqual(["replica", "primary", 54 + 90]);
  });

  it("as the last ones say, not those of long ago", async () => {
    const { ms, read } = await setUp({ replica: 300, primary: 350 });
    for (let times = 0; times < 30; times++) await read();
    ms.replica = 4;
    for (let times = 0; times < 8; times++) await read();
    ms.replica = NEVER;
    expect(await read()).toEqual(["replica", "primary", 54 + 350]);
  });

  it("no longer because of large reads, which are made twice only until it is known how long those of their idea bank take", async () => {
    const { ms, read } = await setUp({ replica: 4, primary: 90 });
    const large = { largeOf: "large" };
    for (let times = 0; times < 3; times++) await read();
    Object.assign(ms, { replica: 205, primary: 300 });
    expect(await read(large)).toEqual(["replica", "primary", 205]);
    for (let times = 0; times < 20; times++) expect(await read(large)).toEqual(["replica", 205]);
    ms.replica = NEVER;
    expect(await read()).toEqual(["replica", "primary", 54 + 300]);
    expect(await read({ largeOf: "another" })).toEqual(["replica", "primary", 200 + 300]);
  });

  it("50 ms when the clock has stepped back", () => {
    const patience = new Patience();
    patience.note(-5_000, START);
    expect(patience.milliseconds).toBe(50);
  });

  it("a second at most", async () => {
    const { ms, read } = await setUp({ replica: 900, primary: 1_100 });
    await read();
    ms.replica = NEVER;
    expect(await read()).toEqual(["replica", "primary", 1_000 + 1_100]);
  });
});

describe("a replica that loses to the primary most of the time", () => {
  async function setUpLosing() {
    const world = await setUp({ replica: 500, primary: 150 });
    vi.setSystemTime(START);
    for (let times = 0; times < 8; times++) {
      expect(await world.read()).toEqual(["replica", "primary", 350]);
    }
    return world;
  }

  it("is not asked for ten seconds after it has lost", async () => {
    const { read } = await setUpLosing();
    const lostAt = Date.now();
    for (let times = 0; times < 20; times++) expect(await read()).toEqual(["primary", 150]);
    vi.setSystemTime(lostAt + 9_999);
    expect(await read()).toEqual(["primary", 150]);
    vi.setSystemTime(lostAt + 10_000);
    expect(await read()).toEqual(["replica", "primary", 350]);
    expect(await read()).toEqual(["primary", 150]);
  });

  it("is asked first again once it answers in time", async () => {
    const { ms, read } = await setUpLosing();
    vi.setSystemTime(Date.now() + 10_001);
    expect(await read()).toEqual(["primary", 150]);
    ms.replica = 4;
    for (let times = 0; times < 20; times++) expect(await read()).toEqual(["replica", 4]);
  });

  it("answers when the primary fails, or takes longer still, unless the primary has to confirm it", async () => {
    const { ms, failing, read } = await setUpLosing();
    failing.primary = true;
    expect(await read()).toEqual(["primary", "replica", 650]);
    const needsPrimary = () => true;
    await expect(read({ needsPrimary })).rejects.toHaveProperty("cause.message", "the primary is down");
    failing.primary = false;
    Object.assign(ms, { replica: 4, primary: NEVER });
    expect(await read()).toEqual(["primary", "replica", 1_504]);
  });
});

describe("of the replica and the primary", () => {
  it("the one that answers is taken when the other fails late", async () => {
    const { ms, failing, read } = await setUp({ replica: 500, primary: 10 });
    failing.primary = true;
    expect(await read()).toEqual(["replica", "primary", 500]);
    Object.assign(failing, { primary: false, replica: true });
    Object.assign(ms, { replica: 760, primary: 90 });
    expect(await read()).toEqual(["replica", "primary", 750 + 90]);
  });

  it("the primary is asked at once when the replica fails early, and once", async () => {
    const { failing, read } = await setUp({ replica: 5, primary: 90 });
    failing.replica = true;
    expect(await read()).toEqual(["replica", "primary", 5 + 90]);
    expect(await read({ needsPrimary: () => true })).toEqual(["replica", "primary", 5 + 90]);
  });

  it("the failure is told when both fail", async () => {
    const { failing, read } = await setUp({ replica: 500, primary: 10 });
    Object.assign(failing, { primary: true, replica: true });
    await expect(read()).rejects.toHaveProperty("cause.message", expect.stringContaining("is down"));
  });

  it.each(["replica", "primary"] as const)(
    "a missed deadline is told, and no failure of long before: the %s's",
    async (slow) => {
      const { ms, failing, read } = await setUp({ replica: 500, primary: 10 });
      // A replica that has lost often enough is asked second.
      for (let times = 0; times < 8 && slow === "primary"; times++) await read();
      const fast = slow === "replica" ? "primary" : "replica";
      Object.assign(ms, { [slow]: 9_900, [fast]: 10 });
      Object.assign(failing, { [slow]: new DeadlineExceeded(9_900), [fast]: true });
      await expect(read()).rejects.toSatisfy(hasHung);
    },
  );

  it("the primary is asked once, although the replica is late and then has to be confirmed", async () => {
    const { read } = await setUp({ replica: 250, primary: 300 });
    expect(await read({ needsPrimary: () => true })).toEqual(["replica", "primary", 500]);
  });
});

describe("the read that is to make an anchor", () => {
  const DUE = START + 3_500;
  const isAhead = true;

  it("asks the primary, however far that is, and although it was asked a moment ago in place of a late replica", async () => {
    const { ms, read } = await setUp({ replica: 250, primary: 1_200 });
    vi.setSystemTime(DUE);
    ms.primary = NEVER;
    expect(await read()).toEqual(["replica", "primary", 250]);
    ms.primary = 1_200;
    expect(await read({ isAhead })).toEqual(["primary", 1_200]);
  });

  it("asks the replica when the primary fails, or takes longer still", async () => {
    const { ms, failing, read } = await setUp({ replica: 4, primary: 90 });
    vi.setSystemTime(DUE);
    failing.primary = true;
    expect(await read({ isAhead })).toEqual(["primary", "replica", 94]);
    vi.setSystemTime(DUE + 2_000);
    ms.primary = NEVER;
    expect(await read({ isAhead })).toEqual(["primary", "replica", 1_504]);
  });

  it("fails with the primary once the last anchor is too old: what a replica says may be older than is promised", async () => {
    const { failing, read } = await setUp({ replica: 4, primary: 90 });
    vi.setSystemTime(START + ANCHOR_MS);
    failing.primary = true;
    await expect(read({ isAhead })).rejects.toHaveProperty("cause.message", "the primary is down");
  });
});
