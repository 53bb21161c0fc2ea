/** What a handler of Account Settings can use besides: the owner, and the way to the gates of API keys. */
import type { Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import type { AppEnv } from "../http/app-env.ts";
import type { Owner } from "../model/account.ts";

export type OwnerEnv = AppEnv & { Variables: { owner: Owner; gatekeeper: Gatekeeper } };
