/** One run of the scheduled job with these bindings. */
import { runScheduled } from "../../src/worker/scheduled.ts";
import type { RetentionEnv } from "../../src/worker/settings.ts";
import type { Bindings } from "../../src/worker/store/bindings.ts";
import { CONTEXT } from "./databases.ts";

export const runJob = (
  env: Bindings & RetentionEnv,
  ...rest: Parameters<typeof runScheduled> extends [unknown, ...infer Rest] ? Rest : never
) => runScheduled({ env, executionCtx: CONTEXT }, ...rest);
