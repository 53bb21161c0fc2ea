/** What every handler can use: the Worker's bindings, and the values that the middleware has set. */
import type { Settings } from "../settings.ts";
import type { ProblemLog } from "./problem-log.ts";

/** Where a data point of each request goes. A deployment may have it. */
type Observed = { readonly REQUESTS?: AnalyticsEngineDataset };

/** In both Workers: the front door, and Account Settings. */
export type SharedEnv = {
  Bindings: Pick<
    Env,
    "DB" | "CREDENTIAL_SECRETS" | "FRESHNESS_SECONDS" | "ANCHOR_SECONDS" | "LEASE_SECONDS" | "REQUEST_LOG_SHARE"
  > &
    Observed;
  Variables: {
    requestId: string;
    problemLog: ProblemLog;
    settings: Settings;
    operation: string | undefined;
    /** Whose lists a cursor continues: the id of the account or of the idea bank, or the owner's e-mail address. */
    listsOf: string | undefined;
  };
};

/** In the front door. */
export type AppEnv = {
  /** OPERATOR_SECRET is what the operator's commands send. Without it they are not found. */
  Bindings: Env & Observed & { readonly OPERATOR_SECRET?: string };
  Variables: SharedEnv["Variables"] & {
    /** Why Account Settings did not answer. */
    accountFailure: unknown;
  };
};
