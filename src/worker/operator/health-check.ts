/**
 * Whether each store answers. A database is asked through a session, as requests do it. An isolate asks the stores at most once
 * in five seconds, however many requests come.
 */

import { logWarning } from "../log.ts";
import type { StoreHealth } from "../model/operator.ts";
import type { Caller, Databases } from "../store/databases.ts";
import { answerWithin, DEADLINE_MS, isWithin, wait } from "../store/deadline.ts";

const FRESH_MS = 5_000;
/** A request waits for another's answer, and looks for it at this interval, in milliseconds. */
const LOOK_MS = 50;
/** No key in KV and no API key has this name, because neither may contain a space. */
const NOTHING = "health check";

type HealthCaller = Caller & { readonly env: Pick<Env, "CHANGELOGS" | "API_KEY_GATE"> };

export class HealthCheck {
  #last: { readonly stores: StoreHealth; readonly askedAt: number } | undefined;
  #askingSince = Number.NEGATIVE_INFINITY;

  async read(caller: HealthCaller, databases: Databases): Promise<StoreHealth> {
    for (;;) {
      const now = Date.now();
      if (this.#last !== undefined && isWithin(this.#last.askedAt, now, FRESH_MS)) return this.#last.stores;
      if (!isWithin(this.#askingSince, now, FRESH_MS)) {
        this.#askingSince = now;
        const stores = await askStores(caller, databases);
        this.#last = { stores, askedAt: now };
        return stores;
      }
      await wait(LOOK_MS);
    }
  }
}

async function askStores(caller: HealthCaller, databases: Databases): Promise<StoreHealth> {
  const { env } = caller;
  const asked: [string, () => Promise<unknown>][] = [
    ...databases
      .all(caller)
      .map(({ binding, database }): [string, () => Promise<unknown>] => [binding, () => database.ping()]),
    ["CHANGELOGS", () => env.CHANGELOGS.get(NOTHING)],
    ["API_KEY_GATE", async () => env.API_KEY_GATE.get(env.API_KEY_GATE.idFromName(NOTHING)).ping()],
  ];
  const answers = await Promise.all(
    asked.map(async ([name, ask]) => {
      try {
        await answerWithin(DEADLINE_MS.withFallback, ask());
        return [name, "ok"] as const;
      } catch (error) {
        logWarning("the health check has no answer from a store", error, name);
        return [name, "down"] as const;
      }
    }),
  );
  return Object.fromEntries(answers);
}
