/** Whether each store answers, asked as requests ask it: a database through a session. An isolate asks at most once in five seconds, however many ask it. */
import { allDatabases } from "../database/choose-database.ts";
import { pingDatabase } from "../database/ping.ts";
import { answerWithin, DEADLINE_MS, type WaitUntil } from "../memory/deadline.ts";
import { KeptValue } from "../memory/kept-value.ts";
import type { StoreHealth } from "../model/operator.ts";

const FRESH_MS = 5_000;
/** Names no key in KV and no API key: neither has a space. */
const NOTHING = "health check";

export class HealthCheck {
  readonly #stores = new KeptValue<StoreHealth>({
    now: () => Date.now(),
    isOutage: () => false,
    againMs: FRESH_MS,
  });

  read(env: Env, waitUntil: WaitUntil): Promise<StoreHealth> {
    return this.#stores.read({ load: () => askStores(env), freshMs: FRESH_MS, waitUntil });
  }
}

async function askStores(env: Env): Promise<StoreHealth> {
  const asked: [string, () => Promise<unknown>][] = [
    ...allDatabases(env).map(({ binding, database }): [string, () => Promise<unknown>] => [
      binding,
      () => pingDatabase(database.withSession("first-primary")),
    ]),
    ["CHANGELOGS", () => env.CHANGELOGS.get(NOTHING)],
    ["API_KEY_GATE", async () => env.API_KEY_GATE.get(env.API_KEY_GATE.idFromName(NOTHING)).ping()],
  ];
  const answers = await Promise.all(
    asked.map(async ([name, ask]) => {
      try {
        await answerWithin(DEADLINE_MS.withFallback, ask());
        return [name, "ok"] as const;
      } catch (error) {
        console.warn("the health check has no answer from a store", name, error);
        return [name, "down"] as const;
      }
    }),
  );
  return Object.fromEntries(answers);
}
