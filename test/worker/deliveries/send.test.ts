/** How long a receiver has: Standard Webhooks recommends 15 to 30 seconds. */
import { expect, it, vi } from "vitest";
import { sendByFetch } from "../../../src/worker/deliveries/send.ts";

it("a receiver has 15 seconds to answer", async () => {
  const clock = new AbortController();
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(clock.signal);
  vi.spyOn(globalThis, "fetch").mockImplementation(
    (_, init) => new Promise((_, fail) => init?.signal?.addEventListener("abort", () => fail(init.signal?.reason))),
  );
  const answer = sendByFetch({ url: "https://receiver.example/", headers: {}, body: "{}" });
  expect(timeout).toHaveBeenCalledWith(15_000);
  clock.abort(new Error("too late"));
  expect(await answer).toEqual({ status: null, retryAfter: null });
});
