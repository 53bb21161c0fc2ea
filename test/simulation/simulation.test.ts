import { describe, expect, test } from "vitest";
import { loadApplication } from "./application.ts";
import { generate } from "./generate.ts";
import { ORACLES } from "./oracles/index.ts";
import { oracle } from "./oracles/oracle.ts";
import { play } from "./play.ts";
import { judge, shrink } from "./referee.ts";
import { readSeeds } from "./seeds.ts";
import { toTrace } from "./trace.ts";

const application = await loadApplication();

test("while D1 sessions hang, no call in one is answered, and all others of the database are", {
  tags: "slow",
}, async () => {
  const fault = { kind: "fault", store: "d1", how: "sessions-hang", forMs: 30_000 } as const;
  const plan = generate(7, "panel");
  const others = plan.commands.filter(({ kind }) => kind !== "fault");
  const { history } = await play({ ...plan, commands: [{ id: 9_999, at: 0, ...fault }, ...others] }, application);
  const begins = history.events.find(({ kind }) => kind === "fault-began")?.at ?? 0;
  const ends = begins + fault.forMs;
  const answered = new Set(
    history.events.flatMap((event) => (event.kind === "store-answered" && event.at < ends ? [event.since] : [])),
  );
  // What was called just before the hang, or just before its end, may be answered.
  const called = history.events.flatMap((event) =>
    event.kind === "store-called" &&
    event.store === "d1" &&
    event.isolate &&
    event.at > begins &&
    event.at < ends - 1_000
      ? [event]
      : [],
  );
  const without = called.filter(({ inSession }) => !inSession);
  // A check asks both at the same moment.
  const inSession = called.filter((one) => one.inSession && !without.some(({ at }) => at === one.at));
  expect(inSession.length).toBeGreaterThan(5);
  expect(without.length).toBeGreaterThan(5);
  expect(inSession.filter(({ at }) => answered.has(at))).toEqual([]);
  expect(without.filter(({ at }) => !answered.has(at))).toEqual([]);
  expect(toTrace(history).filter((line) => line.includes("d1 all  sessions-hang"))).toHaveLength(1);
});

test("a plan is shrunk to what breaks a promise", { tags: "slow" }, async () => {
  const never = oracle(
    { name: "never-limited", promise: "None", words: "No request is refused with 429." },
    function* ({ events }) {
      for (const event of events) {
        if (event.kind === "answered" && event.status === 429)
          yield { at: event.at, found: "429", calls: [event.call] };
      }
    },
  );
  const plan = generate(1, "gates");
  const shortest = await shrink(plan, application, never);
  expect(plan.commands.length).toBeGreaterThan(10);
  expect(shortest.commands.map(({ kind }) => kind)).toEqual(["whoami"]);
  expect((await judge(shortest, application, [never])).broken).not.toEqual([]);
});

describe("plans that once broke a promise", () => {
  const { known, seeds } = readSeeds();

  for (const { oracle: name, found, known: isKnown, plan } of seeds) {
    test(`${isKnown ? "still break" : "keep"} ${name}: ${found}`, { tags: "slow" }, async () => {
      const { broken } = await judge(plan, application, ORACLES);
      // Where a known one is kept now: say so in seeds.json.
      expect(broken.some((each) => each.oracle === name)).toBe(isKnown);
    });
  }

  test("are of oracles that there are, and what is known has a plan that shows it", () => {
    const names = ORACLES.map((each) => each.name);
    expect(names).toEqual(expect.arrayContaining(seeds.map((seed) => seed.oracle)));
    const shown = seeds.filter((seed) => seed.known).map((seed) => seed.oracle);
    expect([...known].toSorted()).toEqual([...new Set(shown)].toSorted());
  });
});
