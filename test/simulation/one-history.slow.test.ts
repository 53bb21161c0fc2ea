/** A seed is one history in every profile, and its followers of changes come to their end. */
import { expect, test } from "vitest";
import { loadApplication } from "./application.ts";
import { generate, PROFILES } from "./generate.ts";
import { followersOf } from "./oracles/seen/feed.ts";
import { play } from "./play.ts";

const application = await loadApplication();

test.for(PROFILES)("a seed is one history, in the profile %s", async (profile) => {
  const plan = generate(7, profile);
  const { history } = await play(plan, application);
  expect(JSON.stringify((await play(plan, application)).history)).toBe(JSON.stringify(history));
  expect(history.events.filter(({ kind }) => kind === "answered").length).toBeGreaterThan(20);
});

test("who follows the changes comes to their end, in most histories", async () => {
  const followers = [];
  for (let seed = 1; seed <= 3; seed++) {
    followers.push(...followersOf((await play(generate(seed, "changes"), application)).history));
  }
  const atTheEnd = followers.filter(({ caughtUp, items }) => caughtUp && items.length > 20);
  expect(atTheEnd.length).toBeGreaterThanOrEqual(3);
});
