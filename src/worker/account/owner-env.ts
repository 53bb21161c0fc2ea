/** What a handler of Account Settings can reach besides: who the owner is. */
import type { AppEnv } from "../http/app-env.ts";
import type { Owner } from "../model/account.ts";

export type OwnerEnv = AppEnv & { Variables: { owner: Owner } };
