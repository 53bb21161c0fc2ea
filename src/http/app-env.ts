/** What every handler can use: the Worker's bindings, and the values that the middleware has set. */
import type { Settings } from "../settings.ts";
import type { ProblemLog } from "./problem-log.ts";

export type AppEnv = {
  Bindings: Env;
  Variables: { requestId: string; problemLog: ProblemLog; settings: Settings };
};
