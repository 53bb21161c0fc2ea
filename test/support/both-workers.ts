/** The front door and Account Settings in one isolate, each with a memory and bindings of its own. */
import { createAccountSettings, type OwnBindings } from "../../src/worker/account/app.ts";
import type { AccountService } from "../../src/worker/account/contract.ts";
import type { Identify } from "../../src/worker/account/identity.ts";
import { createApp } from "../../src/worker/app.ts";
import type { Send } from "../../src/worker/changes/send.ts";
import { bindingsOf } from "../../src/worker/database/choose-database.ts";
import type { AppEnv } from "../../src/worker/http/app-env.ts";
import type { Later } from "../../src/worker/memory/deadline.ts";

type Bindings = AppEnv["Bindings"];

/** `identify` finds the account owner; without it Cloudflare Access says who it is. */
export function createBothWorkers(identify?: Identify, later?: Later, send?: Send) {
  const front = createApp(later, send);
  const account = createAccountSettings(identify, send);
  return {
    routes: [...front.routes, ...account.routes],
    fetch(request: Request, env: Bindings, executionCtx: ExecutionContext): Response | Promise<Response> {
      const own: OwnBindings = {
        ...Object.fromEntries(bindingsOf(env)),
        DB: env.DB,
        ...(env.REQUESTS !== undefined && { REQUESTS: env.REQUESTS }),
      };
      const service: AccountService = { serve: (sent, call) => account.serve(sent, call, own, executionCtx) };
      return front.fetch(request, Object.assign({}, env, { ACCOUNT_SETTINGS: service }), executionCtx);
    },
  };
}
