/** Every handler can use these: the Worker's bindings, and the values that the middleware has set. */
import type { Settings } from "../settings.ts";
import type { StoreCalls } from "../store/calls.ts";
import type { ProblemLog } from "./problem-log.ts";

export type AppEnv = {
  /**
   * A deployment may have these besides. REQUESTS is where a data point of each request goes. OPERATOR_SECRET is what the operator's
   * commands send; without it they are not found.
   */
  Bindings: Env & { readonly REQUESTS?: AnalyticsEngineDataset; readonly OPERATOR_SECRET?: string };
  Variables: {
    requestId: string;
    problemLog: ProblemLog;
    settings: Settings;
    operation: string | undefined;
    /** Counted for whoever observes the request. */
    calls: StoreCalls;
    /** Whose lists a cursor continues: the id of the account or of the idea bank, or the owner's e-mail address. */
    listsOf: string | undefined;
  };
};
