/** What a handler of Account Settings can reach: databases, what the front door hands over, and who the owner is. */
import type { SharedEnv } from "../http/app-env.ts";
import type { Owner } from "../model/account.ts";
import type { Gates, SignIn } from "./contract.ts";

/** What the front door has handed over, beside what both Workers have. */
export type Handed = Pick<Env, "ACCESS_AUD" | "NEW_ACCOUNTS" | "SERVICE_TOKEN_OWNERS"> & {
  readonly GATES: Gates;
  readonly SIGN_IN: SignIn | undefined;
};

export type AccountEnv = { Bindings: SharedEnv["Bindings"] & Handed; Variables: SharedEnv["Variables"] };

export type OwnerEnv = { Bindings: AccountEnv["Bindings"]; Variables: AccountEnv["Variables"] & { owner: Owner } };
