/** The environment of every handler: the Worker's bindings, and the values that the middleware has set. */
import type { Settings } from "../settings.ts";
import type { SharedByCalls } from "../store/databases.ts";
import type { BodyShares } from "./body-shares.ts";
import type { ProblemLog } from "./problem-log.ts";

/** The tenant of a request, as far as it is known: identifiers, never a credential. */
export type Whose = { readonly account?: string | undefined; readonly apiKey?: string | undefined };

export type AppEnv = {
  Bindings: Env;
  Variables: SharedByCalls & {
    requestId: string;
    problemLog: ProblemLog;
    settings: Settings;
    operation: string | undefined;
    /** For observe.ts: undefined until somebody was recognized. */
    whose: Whose | undefined;
    /** The headers of an API key's or a panelist's rate limit, for an answer with any status. */
    limits: Readonly<Record<string, string>> | undefined;
    /** The owner of the lists that a cursor continues: the id of the account or of the idea bank, or the owner's e-mail address. */
    listsOf: string | undefined;
    /** The list that this request reads a page of, for its cursors: set by `readPage`. */
    list: string;
    bodyShares: BodyShares;
    /** A body takes from this sender's share: the id of the API key or of the idea bank, or the owner's e-mail address. */
    sender: string | undefined;
    /** Whose part of that share it is: the panelist's, or a visitor's address. */
    person: string | undefined;
    /** The form that this request has sent: set by `readForm`. */
    form: URLSearchParams | undefined;
  };
};
