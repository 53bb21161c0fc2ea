/**
 * The environment of a handler of Account Settings: the owner, the databases of accounts, the gates of API keys, and the way to
 * the receivers of webhooks.
 */
import type { Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import type { Identifier } from "../credentials/id.ts";
import type { Send } from "../deliveries/send.ts";
import type { AppEnv } from "../http/app-env.ts";
import type { BoundedMap } from "../memory/bounded-map.ts";
import type { Owner } from "../model/account-key.ts";
import type { Databases } from "../store/databases.ts";
import type { IdeaBankViews } from "../view/views.ts";

export type OwnerEnv = AppEnv & {
  Variables: {
    owner: Owner;
    /** The platform's own server has signed the owner in: the session is ours to end. */
    isHandedOver: boolean;
    /** The request was counted as a change of the owner. */
    isCounted?: boolean;
    /** The end of that session, in Unix milliseconds. */
    signedInUntil: number | undefined;
    /** The page or form that was asked for, with its whole query: the middleware and the handlers take parts of it away. */
    asked: string;
    /** The owners' own accounts that this isolate has found, by the owner's address. */
    ownAccounts: BoundedMap<Identifier>;
    /** For the navigation: how many ideas wait for approval. */
    waiting?: Promise<number | undefined>;
    gatekeeper: Gatekeeper;
    send: Send;
    databases: Databases;
    /** Of this isolate: what an owner ends is refused here at once. */
    views: IdeaBankViews;
  };
};
