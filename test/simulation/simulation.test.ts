import { beforeAll, describe, expect, test } from "vitest";
import { type Application, loadApplication } from "./application.ts";
import { generate, PROFILES, type Profile } from "./generate.ts";
import type { Oracle } from "./history.ts";
import { loadOracles } from "./oracles-in-use.ts";
import { play } from "./play.ts";
import { judge } from "./referee.ts";
import { readSeeds } from "./seeds.ts";

/** Of each profile. More of them: `npm run simulate`. */
const FRESH: Readonly<Record<Profile, number>> = { gates: 100, panel: 35, replicas: 35, outage: 40 };

const { known, seeds } = readSeeds();
let application: Application;
let oracles: readonly Oracle[];

beforeAll(async () => {
  application = await loadApplication();
  oracles = await loadOracles();
});

test.for(PROFILES)("a seed is one history, in the profile %s", async (profile) => {
  const plan = generate(7, profile);
  const { history } = await play(plan, application);
  expect(JSON.stringify((await play(plan, application)).history)).toBe(JSON.stringify(history));
  expect(history.events.filter(({ kind }) => kind === "answered").length).toBeGreaterThan(20);
});

test.for(PROFILES)(
  "random histories break no promise that is not known to break, in the profile %s",
  async (profile) => {
    for (let seed = 1; seed <= FRESH[profile]; seed++) {
      const { broken } = await judge(generate(seed, profile), application, oracles);
      const unknown = broken.filter(({ oracle }) => !known.includes(oracle));
      expect(unknown, `npm run simulate -- --profile ${profile} --seed ${seed}`).toEqual([]);
    }
  },
);

describe("plans that once broke a promise", () => {
  for (const { oracle, found, known: isKnown, plan } of seeds) {
    test(`${isKnown ? "known to break" : "hold now"}: ${oracle}, ${found}`, async () => {
      const { broken } = await judge(plan, application, oracles);
      const names = new Set(broken.map((each) => each.oracle));
      // When a known one holds, its issue is done: say so in seeds.json.
      expect(names.has(oracle)).toBe(isKnown);
    });
  }
});
