/** What the log learns of refused requests, and how little of a flood. */
import { expect, it, vi } from "vitest";
import { freeze } from "./support/clock.ts";
import { createIsolate } from "./support/isolate.ts";

it("names why, at most once a second for each cause, and how many requests it leaves out", async () => {
  const debug = vi.spyOn(console, "debug");
  const isolate = createIsolate();
  const refuse = (id: string, apiKey: string) =>
    isolate.request("/tenant/whoami", { headers: { "X-Request-Id": id, "X-API-Key": apiKey } });
  const forged = `ibk_${"0".repeat(47)}`;

  freeze(2_000_000_000_000);
  for (const id of ["first", "second", "third"]) await refuse(id, forged);
  await refuse("other", "not a key");
  expect(debug.mock.calls.map(([line]) => line)).toEqual([
    expect.objectContaining({ requestId: "first", problem: "unauthorized", cause: "forged" }),
    expect.objectContaining({ requestId: "other", problem: "unauthorized", cause: "malformed" }),
  ]);

  debug.mockClear();
  vi.setSystemTime(2_000_000_001_000);
  await refuse("later", forged);
  expect(debug.mock.calls).toEqual([[{ requestId: "later", problem: "unauthorized", cause: "forged", unlogged: 2 }]]);
});
