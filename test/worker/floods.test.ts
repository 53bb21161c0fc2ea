/** Many refused requests cost few log lines and few problem objects. */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { createApiKey } from "../../src/worker/credentials/api-key.ts";
import { secureRandomBytes } from "../../src/worker/credentials/base62.ts";
import { oncePer } from "../../src/worker/http/once-per.ts";
import { ProblemLog } from "../../src/worker/http/problem-log.ts";
import { Problem } from "../../src/worker/problem.ts";
import { freeze } from "../support/clock.ts";
import { countStores, failStores } from "../support/intercept.ts";
import { createIsolate } from "../support/isolate.ts";
import { createOwner } from "../support/owner.ts";
import { addApiKey, newId, signingKeys, tokenFor } from "../support/world.ts";

it("the log names the cause, at most once a second for each, with the number of lines left out", async () => {
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

it("makes a problem once for each key, and its body with it", () => {
  const make = vi.fn(
    (seconds: number) => new Problem("too-many-requests", { headers: { "Retry-After": `${seconds}` } }),
  );
  const tooManyRequests = oncePer(make);
  const [first, other, again] = [tooManyRequests(1), tooManyRequests(2), tooManyRequests(1)];
  expect(again).toBe(first);
  expect([first.headers, other.headers]).toEqual([{ "Retry-After": "1" }, { "Retry-After": "2" }]);
  expect(make).toHaveBeenCalledTimes(2);
});

it("the log groups refusals by the code's fixed texts, never by what a client sends", () => {
  const debug = vi.spyOn(console, "debug");
  const log = new ProblemLog();
  for (let client = 0; client < 5; client++)
    log.add(
      { requestId: "r" },
      new Problem("forbidden", { cause: { origin: `https://${client}.example` } }),
      3_000_000_000_000,
    );
  expect(debug).toHaveBeenCalledTimes(1);
});

it("the log has at most one line a second for each cause of a 5xx, with the number of lines left out", async () => {
  const error = vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const isolate = createIsolate(failStores(env, "d1"));
  freeze(2_000_000_000_000);
  const fresh = await tokenFor(newId(), newId(), 2_000_000_000);
  const ask = () => isolate.request("/ideabank", { headers: { Authorization: fresh } });
  for (let times = 0; times < 5; times++) expect((await ask()).status).toBe(503);
  expect(error).toHaveBeenCalledTimes(1);
  vi.setSystemTime(2_000_000_001_000);
  await ask();
  expect(error.mock.calls.at(-1)).toEqual([expect.objectContaining({ problem: "service-unavailable", unlogged: 4 })]);
});

it("the log's memory is of its isolate: another one logs the same cause at the same moment", async () => {
  const debug = vi.spyOn(console, "debug");
  freeze(2_000_000_000_000);
  for (const isolate of [createIsolate(), createIsolate()])
    await isolate.request("/tenant/whoami", { headers: { "X-API-Key": "not a key" } });
  expect(debug).toHaveBeenCalledTimes(2);
});

it.each([
  ["unknown", async () => (await createApiKey(signingKeys, secureRandomBytes, newId())).text],
  ["revoked", async () => (await addApiKey({ revokedAt: 1 })).text],
  ["expired", async () => (await addApiKey({ expiresAt: 1 })).text],
  [
    "rotated-out",
    async () => {
      const { id } = await addApiKey();
      return (await createApiKey(signingKeys, secureRandomBytes, id)).text;
    },
  ],
])(
  "an %s key costs its owner's gate one call, and one more later, and answers 401 all the same",
  async (_, makeKey) => {
    const text = await makeKey();
    const { env: counted, counts } = countStores(env);
    const isolate = createIsolate(counted);
    freeze(2_000_000_000_000);
    const flood = async (times: number) => {
      for (let each = 0; each < times; each++) {
        const response = await isolate.request("/tenant/whoami", { headers: { "X-API-Key": text } });
        expect(response.status).toBe(401);
      }
    };
    await flood(50);
    expect(counts).toEqual({ d1: 0, "kv.read": 0, "kv.write": 0, gate: 1 });
    vi.setSystemTime(2_000_000_060_000);
    await flood(50);
    expect(counts.gate).toBe(2);
  },
);

it("a new secret works at once, although the isolate remembers that the old one was refused", async () => {
  const owner = createOwner();
  const { apiKey, key } = await owner.create();
  const answer = await owner.json("POST", `/keys/${apiKey.id}/rotate`, { graceSeconds: 0 });
  const rotated = await answer.json<{ key: string }>();
  const status = async (text: string) =>
    (await owner.isolate.request("/tenant/whoami", { headers: { "X-API-Key": text } })).status;
  expect([await status(key), await status(rotated.key), await status(key)]).toEqual([401, 200, 401]);
});
