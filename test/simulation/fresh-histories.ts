/** Random histories of a profile in `npm test`: few, and always the same. `npm run simulate` plays more. */
import { expect, test } from "vitest";
import { loadApplication } from "./application.ts";
import { generate, type Profile } from "./generate.ts";
import { ORACLES } from "./oracles/index.ts";
import { judge } from "./referee.ts";
import { readSeeds } from "./seeds.ts";

/** Histories of one test: few enough for its timeout on a busy machine. */
const TOGETHER = 5;

export function testFreshHistories(profile: Profile, count: number): void {
  const { known } = readSeeds();
  const starts = Array.from({ length: Math.ceil(count / TOGETHER) }, (_, index) => 1 + index * TOGETHER);
  test.for(starts)(
    `${profile}: histories from %i on break no promise but those that are known to break`,
    async (start) => {
      const application = await loadApplication();
      for (let seed = start; seed < start + TOGETHER; seed++) {
        const { broken } = await judge(generate(seed, profile), application, ORACLES);
        const unknown = broken.filter(({ oracle }) => !known.includes(oracle));
        expect(unknown, `npm run simulate -- --profile ${profile} --seed ${seed}`).toEqual([]);
      }
    },
  );
}
