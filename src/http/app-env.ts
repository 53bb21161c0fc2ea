/** What every handler can reach: the Worker's bindings, and what the application has found out before. */
import type { Settings } from "../settings.ts";

export type AppEnv = {
  Bindings: Env;
  Variables: { requestId: string; settings: Settings };
};
