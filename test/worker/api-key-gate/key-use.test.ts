/** What an isolate knows of a key, where two answers of its gate arrive in either order. */
import { expect, it } from "vitest";
import { KeyUse } from "../../../src/worker/api-key-gate/key-use.ts";
import type { Admission, Refused } from "../../../src/worker/model/api-key.ts";

const START = 1_900_000_000_000;
const limited: Admission = {
  outcome: "limited",
  quota: { rateLimit: { limit: 1, windowMs: 60_000 }, remaining: 0, waitMs: 50_000 },
};
const paused: Refused = { outcome: "refused", reason: "paused" };
const at = (now: number) => ({ operation: "whoami", address: null, sent: new Request("https://api.example/"), now });

it.each([
  ["before", [paused, limited]],
  ["after", [limited, paused]],
])("a key that was refused %s it was over its limit is refused: nothing is decided by the limit", (_, answers) => {
  const use = new KeyUse("hash");
  const asks = answers.map(() => use.ask(START));
  for (const [index, ask] of asks.entries()) use.receive(ask, answers[index], START + 10);
  expect(use.decide(at(START + 20))).toBe(paused);
  // A pause that has ended is seen a second later, not when the limit would have ended.
  expect(use.decide(at(START + 1_100))).toBeUndefined();
});

it("a key over its limit is refused by itself until something leaves its window", () => {
  const use = new KeyUse("hash");
  use.receive(use.ask(START), limited, START + 10);
  expect(use.decide(at(START + 49_999))).toMatchObject({ outcome: "limited" });
  expect(use.decide(at(START + 50_000))).toBeUndefined();
});
