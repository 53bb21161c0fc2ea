/** Reports of leaked API keys while a store fails, in each way in which stores do: said in time, and done when they are sent again. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createApp, createMemory } from "../../../src/worker/app.ts";
import { databaseOf } from "../../support/databases.ts";
import { type Fault, type Store, WAYS, type Way, withFault } from "../../support/faults.ts";
import { createGitHub } from "../../support/github.ts";
import { VirtualTime } from "../../support/virtual-time.ts";
import { addApiKey } from "../../support/world.ts";

const START = 1_900_000_000_000;
/** Of a call to D1, or to the gates. */
const DEADLINE_MS = 10_000;
let time: VirtualTime;

beforeEach(() => {
  time = new VirtualTime(START);
  for (const level of ["warn", "error"] as const) vi.spyOn(console, level).mockImplementation(() => {});
});
afterEach(() => void vi.useRealTimers());

type Answer = { readonly status: number; readonly says: string | null };
const DONE: Record<string, Answer> = {
  GitHub: { status: 200, says: null },
  somebody: { status: 303, says: "/leaks/thanks" },
};
const FAILED: Record<string, Answer> = {
  GitHub: { status: 503, says: "5" },
  somebody: { status: 303, says: "/leaks/again" },
};

async function createScene(reporter: string) {
  const github = await createGitHub();
  // The gate is told again later, and the report does not wait for that.
  const app = createApp(
    undefined,
    createMemory(() => {}),
  );
  let answeredAt = 0;
  const send = async (path: string, init: RequestInit, bindings: Env): Promise<Response> => {
    const context = createExecutionContext();
    const answer = await app.fetch(new Request(`https://api.example${path}`, init), bindings, context);
    answeredAt = Date.now();
    await waitOnExecutionContext(context);
    return answer;
  };
  // Its published keys are known: what is left to wait for are the stores.
  await github.report({ request: (path, init = {}) => send(path, init, github.bindings) }, []);
  const { id, text } = await addApiKey();
  return {
    id,
    /** When the last answer came: work after it may go on. */
    answeredAt: () => answeredAt,
    bindings: github.bindings,
    whoami: (bindings: Env) => send("/tenant/whoami", { headers: { "X-API-Key": text } }, bindings),
    report: async (bindings: Env): Promise<Answer> => {
      const body = new URLSearchParams({ key: text });
      const answer =
        reporter === "GitHub"
          ? await github.report({ request: (path, init = {}) => send(path, init, bindings) }, [
              { token: text, type: "edge_access_api_key", url: "u" },
            ])
          : await send("/leaks/reports", { method: "POST", body }, bindings);
      return { status: answer.status, says: answer.headers.get("Retry-After") ?? answer.headers.get("Location") };
    },
  };
}

const CASES = ["GitHub", "somebody"].flatMap((reporter) =>
  (["d1", "gate"] as const).flatMap((store) => WAYS.map((way): [string, Store, Way] => [reporter, store, way])),
);

it.each(CASES)("a report by %s, while %s has %s", async (reporter, store, way) => {
  const { id, bindings: working, whoami, report, answeredAt } = await createScene(reporter);
  expect((await time.until(whoami(withFault(working, time, {}).bindings))).answer.status).toBe(200);
  const fault: Fault = { store, way, active: true };
  const { bindings } = withFault(working, time, { fault });
  const start = Date.now();
  const { answer } = await time.until(report(bindings));
  expect(answer).toEqual((way === "a slow answer" ? DONE : FAILED)[reporter]);
  expect(answeredAt() - start).toBeLessThanOrEqual(DEADLINE_MS);

  fault.active = false;
  expect((await time.until(report(bindings))).answer).toEqual(DONE[reporter]);
  expect((await time.until(whoami(bindings))).answer.status).toBe(401);
  const events = await databaseOf(id)
    .prepare("SELECT id FROM audit_events WHERE api_key_id = ?1 AND changes IS NOT NULL")
    .bind(id)
    .all();
  expect(events.results).toHaveLength(1);
});
