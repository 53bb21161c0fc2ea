/** The log as its reader gets it: what a tail Worker receives has gone through JSON, in which an error is `{}`. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { runWithTail } from "../support/node/tail.ts";

let runtime: Awaited<ReturnType<typeof runWithTail>>;
beforeAll(async () => {
  runtime = await runWithTail();
});
afterAll(() => runtime.stop());

/** All texts of the log that has this text in it, with their line breaks. */
const logWith = (text: string) =>
  expect.poll(async () => {
    const logged = (await runtime.logged()).find((line) => line.includes(text));
    return logged?.replaceAll("\\n", "\n");
  });

const KEY = { "X-API-Key": `ibk_${"0".repeat(47)}` };

it("a 500 says which error it was, where, and what caused it", async () => {
  const { status } = await runtime.send("/account/api/keys", { "X-Fault": "defect", "X-Request-Id": "a-500" });
  expect(status).toBe(500);
  await logWith("a-500").toMatch(
    /Error: D1_ERROR: injected defect: SQLITE_ERROR\n +at .*\ncaused by: Error: what is wrong inside\n +at /s,
  );
});

it("a 503 says what the store said", async () => {
  const { status } = await runtime.send("/account/api/keys", { "X-Fault": "outage", "X-Request-Id": "a-503" });
  expect(status).toBe(503);
  await logWith("a-503").toMatch(
    /DatabaseOutage: D1 does not answer\n +at .*caused by: Error: injected outage\n +at /s,
  );
});

it("a failed slice and a failed delivery of the scheduled job say why", async () => {
  await runtime.send("/job", { "X-Fault": "outage" });
  const why = /DatabaseOutage: D1 does not answer\n.*caused by: Error: injected outage\n +at /s;
  await logWith("could not do a slice").toMatch(why);
  await logWith("could not deliver to webhooks").toMatch(
    /AggregateError: some deliveries were not made.*one of its errors: /s,
  );
  await logWith("could not deliver to webhooks").toMatch(why);
});

it("a wrong setting is named, and its value is not shown", async () => {
  const { status } = await runtime.send("/tenant/whoami", {
    ...KEY,
    "X-Fault": "setting",
    "X-Request-Id": "a-setting",
  });
  expect(status).toBe(500);
  await logWith("a-setting").toMatch(/FRESHNESS_SECONDS.*CREDENTIAL_SECRETS/s);
  await logWith("a-setting").not.toMatch(/soon|too-short/);
});
