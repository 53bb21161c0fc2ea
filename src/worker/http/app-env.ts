/** What every handler can use: the Worker's bindings, and the values that the middleware has set. */
import type { Settings } from "../settings.ts";
import type { ProblemLog } from "./problem-log.ts";

/** Bindings that a deployment may have. */
export type OptionalBindings = {
  /** What the operator's commands send. Without it they are not found. */
  readonly OPERATOR_SECRET?: string;
  /** Where a data point of each request goes. */
  readonly REQUESTS?: AnalyticsEngineDataset;
};

export type AppEnv = {
  Bindings: Env & OptionalBindings;
  Variables: {
    requestId: string;
    problemLog: ProblemLog;
    settings: Settings;
    operation: string | undefined;
    /** Whose lists a cursor continues: the id of the account or of the idea bank, or the owner's e-mail address. */
    listsOf: string | undefined;
  };
};
