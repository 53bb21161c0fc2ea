/**
 * The environment of a handler of Account Settings: the owner, the databases of accounts, the gates of API keys, and the way to
 * the receivers of webhooks.
 */
import type { Context } from "hono";
import type { Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import type { Identifier } from "../credentials/id.ts";
import type { Waiting } from "../database/proposals/pending-proposals.ts";
import type { Send } from "../deliveries/send.ts";
import type { AppEnv } from "../http/app-env.ts";
import type { Owner } from "../model/account-key.ts";
import type { Needs, Standing } from "../model/role.ts";
import type { Databases } from "../store/databases.ts";
import type { Session } from "../store/session.ts";
import type { IdeaBankViews } from "../view/views.ts";
import type { KnownOwners } from "./known-owners.ts";

/** The owner's account, and its database. */
export type Own = { readonly session: Session; readonly accountId: Identifier };

/** A board's own page as a stranger sees it, also while it is off: for its owner alone. What shows it is loaded first. */
export type LoadPreview = () => Promise<ShowPage>;
type ShowPage = (
  c: Pick<Context<AppEnv>, "env" | "executionCtx"> & { readonly req: Pick<Context["req"], "raw"> },
  ideaBankId: string,
) => Promise<Response>;

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
    known: KnownOwners;
    /** What was remembered of the owner and is not confirmed yet. */
    unconfirmed?: readonly Promise<unknown>[];
    unconfirmedAccount?: Promise<unknown>;
    /** It was not confirmed: the page of the problem shows nothing of the owner. */
    isRefused?: true;
    /** The request's sessions, by the digit of the database. */
    sessions: Map<string, Session>;
    own?: Promise<Own>;
    /** What the owner is in the account: set with the account (`standingOf`). Undefined for one who is no member. */
    standing?: Promise<Standing | undefined>;
    /** What the page, form or operation needs. */
    needs?: Needs;
    /** For the navigation: how many ideas and comments wait for approval. */
    waiting?: Promise<Waiting | undefined>;
    gatekeeper: Gatekeeper;
    send: Send;
    databases: Databases;
    /** Of this isolate: what an owner ends is refused here at once. */
    views: IdeaBankViews;
    loadPreview: LoadPreview;
  };
};
