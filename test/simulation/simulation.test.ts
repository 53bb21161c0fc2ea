import { expect, test } from "vitest";
import { loadApplication } from "./application.ts";
import { generate, PROFILES } from "./generate.ts";
import { play } from "./play.ts";

test.for(PROFILES)("a seed is one history, in the profile %s", async (profile) => {
  const application = await loadApplication();
  const plan = generate(7, profile);
  const { history } = await play(plan, application);
  expect(JSON.stringify((await play(plan, application)).history)).toBe(JSON.stringify(history));
  expect(history.events.filter(({ kind }) => kind === "answered").length).toBeGreaterThan(20);
});
