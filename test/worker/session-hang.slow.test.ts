/**
 * D1 sessions hang, while the database answers without them (emdash-cms/emdash#1273): every operation works again five seconds after
 * an isolate has first waited, reads and writes alike; `GET /health` names the database; and sessions are used again once they answer.
 */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { hangSessions, withFault } from "../support/faults.ts";
import { interceptDatabases } from "../support/intercept-binding.ts";
import { createIsolate } from "../support/isolate.ts";
import { operationsOf } from "../support/operations.ts";
import { createOutageIsolate } from "../support/outage-isolate.ts";
import { addTenants } from "../support/outage-world.ts";
import { telling as env } from "../support/told.ts";
import { VirtualTime, virtually } from "../support/virtual-time.ts";

const operations = [...operationsOf("apiKey"), ...operationsOf("compoundToken"), ...operationsOf("access")];
const eager: Env = { ...env, FRESHNESS_SECONDS: "0" };
let time: VirtualTime;

beforeEach(() => {
  time = new VirtualTime(1_900_000_000_000);
});
afterEach(() => void vi.useRealTimers());

/** A tenant, and an isolate whose databases have sessions that hang while `fault` is active. */
async function setUp(digit: "0" | "1" = "0") {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  for (const level of ["error", "debug"] as const) vi.spyOn(console, level).mockImplementation(() => {});
  const [tenant] = await addTenants(1, digit);
  if (tenant === undefined) throw new Error("no tenant");
  const fault = { active: true };
  const bindings = hangSessions(withFault(eager, time, {}).bindings, fault);
  return { tenant, fault, bindings, isolate: createOutageIsolate(time), warn };
}

describe.each(operations)("$name", (each) => {
  it("works five seconds after the isolate's first wait", async () => {
    const { tenant, bindings, isolate } = await setUp(operations.indexOf(each) % 2 === 0 ? "1" : "0");
    const first = isolate.call(each, tenant, 0, bindings);
    await time.until(virtually(5_000));
    const second = isolate.call(each, tenant, 1, bindings);
    const { answer, elapsedMs } = await time.until(second.answer);
    expect(answer.status).toBe(each.status);
    // A revocation waits as long as a lease can last.
    expect(elapsedMs).toBeLessThanOrEqual(1_000);
    await second.done();
    const { status } = (await time.until(first.answer)).answer;
    expect([each.status, 503]).toContain(status);
    await first.done();
  });
});

const changelog = () => {
  const found = operations.find(({ name }) => name === "getChangelog");
  if (found === undefined) throw new Error("there is no changelog");
  return found;
};

it("sessions are used again within eleven seconds of their first answer, and the log has said once a minute that they hang", async () => {
  const { tenant, fault, bindings, isolate, warn } = await setUp();
  let sessions = 0;
  const counted = interceptDatabases(bindings, () => (_, makeCall) => makeCall());
  const { DB } = counted;
  const watched: Env = {
    ...counted,
    DB: Object.assign(Object.create(DB), {
      prepare: (sql: string) => DB.prepare(sql),
      batch: DB.batch.bind(DB),
      withSession: (start?: string) => {
        sessions += 1;
        return DB.withSession(start);
      },
    }),
  };
  const ask = async () => {
    const { answer, done } = isolate.call(changelog(), tenant, 0, watched);
    const { status } = (await time.until(answer)).answer;
    await done();
    return status;
  };
  await ask();
  for (let second = 0; second < 30; second++) {
    await time.until(virtually(1_000));
    expect(await ask()).toBe(200);
  }
  const said = warn.mock.calls.filter(([text]) => String(text).startsWith("D1 sessions hang"));
  expect(said).toHaveLength(1);

  fault.active = false;
  for (let second = 0; second < 11; second++) {
    await time.until(virtually(1_000));
    expect(await ask()).toBe(200);
  }
  sessions = 0;
  await time.until(virtually(1_000));
  expect(await ask()).toBe(200);
  expect(sessions).toBeGreaterThan(0);
});

it("GET /health says that the database is down, also when the isolate uses the binding by then", async () => {
  const { bindings } = await setUp();
  const isolate = createIsolate(bindings);
  for (let times = 0; times < 3; times++) {
    const { answer } = await time.until(isolate.request("/health"));
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ stores: { DB: "down" } });
    await time.until(virtually(5_000));
  }
});
