/**
 * The front door's part of Account Settings, which is a Worker of its own behind the binding ACCOUNT_SETTINGS. Only this Worker knows
 * who is signed in, holds the secrets and calls the gates: it hands over what a request needs.
 */
import { RpcTarget } from "cloudflare:workers";
import type { Context, MiddlewareHandler } from "hono";
import { type AccountService, type Gates, HANDED, type SignIn } from "./account/contract.ts";
import type { Gatekeeper } from "./api-key-gate/gatekeeper.ts";
import type { AppEnv } from "./http/app-env.ts";
import { pageUnavailable } from "./http/plain-page.ts";
import { respondWithProblem, toProblem } from "./http/problem-response.ts";
import { answerWithin, type WaitUntil } from "./memory/deadline.ts";
import type { Region } from "./model/api-key.ts";
import { Problem } from "./problem.ts";

/** Its own calls have deadlines of ten seconds, one after the other: what it has to say of those must not be cut off. */
const DEADLINE_MS = 30_000;

class GatesForAccount extends RpcTarget implements Gates {
  readonly #gatekeeper: Gatekeeper;
  readonly #env: Env;
  readonly #waitUntil: WaitUntil;

  constructor(gatekeeper: Gatekeeper, env: Env, waitUntil: WaitUntil) {
    super();
    this.#gatekeeper = gatekeeper;
    this.#env = env;
    this.#waitUntil = waitUntil;
  }

  forget(apiKeyId: string): Promise<void> {
    return this.#gatekeeper.forget(this.#env, apiKeyId, this.#waitUntil);
  }

  /** In this request's context, not in the caller's, whose capability ends with its answer. */
  async place(apiKeyId: string, region: Region): Promise<void> {
    const placing = this.#gatekeeper.place(this.#env.API_KEY_GATE, apiKeyId, region);
    this.#waitUntil(placing.catch((error) => console.warn("a key's gate was not made in its region", error)));
  }
}

async function readSignIn({ access }: ExecutionContext): Promise<SignIn | undefined> {
  if (access === undefined) return undefined;
  const identity = await access.getIdentity();
  return { aud: access.aud, email: identity?.email, serviceTokenId: identity?.service_token_id };
}

/** Undefined where there is none. */
export type FindAccountSettings = (
  env: AppEnv["Bindings"],
  executionCtx: ExecutionContext,
) => AccountService | undefined;

/** The Worker that `npm run deploy` binds. Wrangler does not know the binding: wrangler.toml does not have it. */
export const boundAccountSettings: FindAccountSettings = (env) => Reflect.get(env, "ACCOUNT_SETTINGS");

/** Before all other middleware: Account Settings has its own. Goes on to the next when it does not answer. */
export function forwardAccount(gatekeeper: Gatekeeper, find: FindAccountSettings): MiddlewareHandler<AppEnv> {
  return async function forwardAccount(c, next) {
    const serve = async (): Promise<Response> => {
      const executionCtx = c.executionCtx as ExecutionContext;
      const service = find(c.env, executionCtx);
      if (service === undefined) throw new Error("there is no binding ACCOUNT_SETTINGS");
      const settings = Object.fromEntries(HANDED.map((name) => [name, Reflect.get(c.env, name)]));
      const gates = new GatesForAccount(gatekeeper, c.env, (promise) => executionCtx.waitUntil(promise));
      return service.serve(c.req.raw, { signIn: await readSignIn(executionCtx), gates, settings });
    };
    try {
      return await answerWithin(DEADLINE_MS, serve());
    } catch (error) {
      c.set("accountFailure", error);
      await next();
    }
  };
}

/** 503, for a person or a script. */
export function answerAccountFailure(c: Context<AppEnv>): Response {
  const unavailable = new Problem("service-unavailable", {
    detail: "Account Settings does not answer. Try again in a few seconds.",
    headers: { "Retry-After": "5" },
    cause: c.get("accountFailure"),
  });
  const { message, headers } = toProblem(unavailable, c);
  return c.req.path.startsWith("/account/api/")
    ? respondWithProblem(c, unavailable)
    : pageUnavailable(c, message, headers);
}
