/** The entrypoint `Access`: other Workers of the platform ask it over a service binding whether a key, or a token, is good. */
import { WorkerEntrypoint } from "cloudflare:workers";
import type { ProblemLog } from "../http/problem-log.ts";
import type { KeyAnswer, TokenAnswer } from "../model/access.ts";
import type { SettingsReader } from "../settings.ts";
import type { SharedByCalls } from "../store/databases.ts";
import { TimeBudget } from "../store/deadline.ts";
import { type AccessMemory, type Asker, type KeyTerms, verifyKey, verifyToken } from "./answers.ts";

/** An isolate's memory: its requests over HTTP and those of other Workers share the leases, refusals and views. */
type EntrypointMemory = AccessMemory & {
  readonly settingsReader: SettingsReader;
  readonly problemLog: ProblemLog;
};

/** Over RPC nothing checks the types: the caller only promises them. */
const textOr = (value: unknown): string | null => (typeof value === "string" ? value : null);

export const createAccess = (memory: EntrypointMemory) =>
  class Access extends WorkerEntrypoint<Env> {
    /**
     * Decides one request with an API key, and counts it against the key's limit. `scope` is the one that your operation needs.
     * `address` is your client's; without it, a key that is limited to addresses is refused.
     */
    async admit(apiKey: string | null, terms?: KeyTerms): Promise<KeyAnswer> {
      return verifyKey(memory, {
        asker: await this.#asker(),
        key: textOr(apiKey),
        terms: {
          scope: terms?.scope ?? null,
          address: textOr(terms?.address),
        },
      });
    }

    /** The claims of a compound token of any kind, and its holder's present capabilities. */
    async panelist(token: string | null): Promise<TokenAnswer> {
      return verifyToken(memory, await this.#asker(), textOr(token));
    }

    async #asker(): Promise<Asker> {
      const { env, ctx } = this;
      const { settingsReader, problemLog } = memory;
      const shared: Partial<SharedByCalls> = { budget: new TimeBudget(Date.now()) };
      return {
        caller: { env, executionCtx: ctx, get: (key) => shared[key] },
        settings: settingsReader.peek(env) ?? (await settingsReader.read(env)),
        log: (problem) => problemLog.add({ requestId: crypto.randomUUID() }, problem, Date.now()),
      };
    }
  };
