/** What the simulated world shows of a busy idea bank, in its own time: held in every run of the tests. */
import { expect, it } from "vitest";
import { measureWorld } from "./measure/world.ts";

it("nineteen of twenty readers of a busy idea bank wait for nothing, in every place", async () => {
  const plan = { seconds: 24, requests: 5_000, peerRequests: 0, writes: 20, keys: 0 };
  const world = await measureWorld({ ...plan, quiet: { seconds: 0, requests: 0, banks: 0 } }, ["changelog: ours"]);
  const places = world.outcomes.flatMap((outcome) => outcome.places);
  expect(places.map(({ place, busiest }) => [place, busiest.p95, busiest.requests > 50])).toEqual(
    places.map(({ place }) => [place, 0, true]),
  );
  expect(places).toHaveLength(6);
});
