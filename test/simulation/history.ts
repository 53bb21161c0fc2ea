/**
 * What the referee sees of a run: what clients sent and were answered, what was committed, what broke. Nothing of how the service
 * works inside. Times are milliseconds of the world's one true clock, from the beginning of the history; the clocks of isolates may
 * differ from it.
 */

/** A client has sent a request. `call` names it in all other events. */
export type Sent = {
  readonly kind: "sent";
  readonly at: number;
  readonly call: number;
  /** Who sends: one API key's holder, one panelist, one owner, the operator. The same name is the same person. */
  readonly client: string;
  /** The isolate that receives it: one process's memory. */
  readonly isolate: string;
  /** The operation's id in the OpenAPI document, such as `whoami` or `addComment`. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The call that this one repeats, because its answer was lost or said to try again. */
  readonly retries?: number;
};

/** The client has the whole answer. A call without this event had its answer lost, or its client left. */
export type Answered = {
  readonly kind: "answered";
  readonly at: number;
  readonly call: number;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed when it is JSON, else the text; undefined when there is none. */
  readonly body?: unknown;
};

/** The client has left, or the network lost the answer: what the request did may have happened all the same. */
export type Abandoned = { readonly kind: "abandoned"; readonly at: number; readonly call: number };

/** A transaction of D1's primary has committed. `call` made it; the scheduled job when it is missing. */
export type Committed = {
  readonly kind: "committed";
  readonly at: number;
  /** The digit of the database: `0` is DB, `1` is DB_1. */
  readonly database: string;
  readonly call?: number;
  readonly changes: readonly RowChange[];
};

/** A row before and after; null when there was none, or is none. Columns are those of `schema.sql`. */
export type RowChange = {
  readonly table: string;
  readonly before: Row | null;
  readonly after: Row | null;
};
export type Row = Readonly<Record<string, string | number | null>>;

/** A store was called for this request, or after its answer (`call`), or by an alarm or the scheduled job (no `call`). */
export type StoreCalled = {
  readonly kind: "store-called";
  readonly at: number;
  readonly store: Store;
  readonly call?: number;
  readonly isolate?: string;
  /** The key of a gate, the digit of a database. */
  readonly name: string;
  /** Of D1: whether it went to the primary or a replica. */
  readonly to?: "primary" | "replica";
  /** Of D1: it was called in a session. Without it, by the binding itself. */
  readonly inSession?: true;
};

/** D1 has answered a call that began at `since`, whatever with. The isolate may use the answer of a call whose request is over. */
export type StoreAnswered = {
  readonly kind: "store-answered";
  readonly at: number;
  readonly store: "d1";
  readonly since: number;
  readonly isolate: string;
  readonly name: string;
};

export type Store = "d1" | "kv" | "gate" | "limiter";

/**
 * From `at` to its `fault-ended`, calls to the store fail, hang, are slow, or do their work and lose the answer; of D1 with
 * `sessions-hang`, those that are made in a session hang.
 */
export type FaultBegan = {
  readonly kind: "fault-began";
  readonly at: number;
  readonly fault: number;
  readonly store: Store;
  readonly how:
    | "fails"
    | "hangs"
    | "slow"
    | "loses-answers"
    | "stopped"
    | "full"
    | "sessions-hang"
    | "overloads"
    | "late";
  /** Of D1, which part: undefined is both. A replica that is `stopped` catches up no more, but answers. */
  readonly part?: "primary" | "replica";
  readonly name?: string;
};
export type FaultEnded = { readonly kind: "fault-ended"; readonly at: number; readonly fault: number };

/** A gate lost its memory: `crash` at any moment, `eviction` when idle, `deploy` for new code. Its storage stays. */
export type GateEnded = {
  readonly kind: "gate-ended";
  readonly at: number;
  readonly key: string;
  readonly how: "crash" | "eviction" | "deploy";
};
/** An isolate's memory is gone; what it had under way ends. */
export type IsolateEnded = { readonly kind: "isolate-ended"; readonly at: number; readonly isolate: string };
/** An isolate's clock, or a gate's, has stepped by this many milliseconds. */
export type ClockStepped = {
  readonly kind: "clock-stepped";
  readonly at: number;
  readonly where: string;
  readonly by: number;
};

/** A webhook's receiver has a request. `request` names it in its answer; `id` is the header `webhook-id`. */
export type Received = {
  readonly kind: "received";
  readonly at: number;
  readonly request: number;
  readonly url: string;
  readonly id: string;
  readonly body: unknown;
  /** `webhook-timestamp`, `webhook-signature`, and the body as it came. */
  readonly signed?: { readonly timestamp: string; readonly signature: string; readonly text: string };
};
/** It has answered; `status` is null when it did not in time. Who has sent it may not be there any more. */
export type ReceivedAnswered = {
  readonly kind: "received-answered";
  readonly at: number;
  readonly request: number;
  readonly url: string;
  readonly id: string;
  readonly status: number | null;
};

export type HistoryEvent =
  | Sent
  | Answered
  | Abandoned
  | Committed
  | StoreCalled
  | StoreAnswered
  | FaultBegan
  | FaultEnded
  | GateEnded
  | IsolateEnded
  | ClockStepped
  | Received
  | ReceivedAnswered;

/** The deployment's settings, in milliseconds, as wrangler.toml names them. */
export type SimulatedSettings = { readonly freshnessMs: number; readonly anchorMs: number; readonly leaseMs: number };

export type History = {
  readonly seed: number;
  /** Unix milliseconds of the beginning by the true clock: of the times in rows. */
  readonly epoch?: number;
  readonly settings: SimulatedSettings;
  /** In the order in which they happened. */
  readonly events: readonly HistoryEvent[];
  /** After everything has settled: no faults, a minute of quiet, every alarm and the scheduled job run. By database digit, by table. */
  readonly settled: Readonly<Record<string, Readonly<Record<string, readonly Row[]>>>>;
};

/** A promise that a history breaks. */
export type Violation = {
  /** Its name, and the invariant's words. */
  readonly promise: string;
  readonly at: number;
  /** What happened, with the calls that show it. */
  readonly found: string;
  readonly calls: readonly number[];
};

/** An invariant, and the places of a history that break it. */
export type Oracle = {
  /** Short and unique, in kebab-case: seeds name it. */
  readonly name: string;
  /** The promise that it holds, by its name in `docs/promises.md`. */
  readonly promise: string;
  /** One sentence: what is true of every history. `docs/promises-tests.md` shows it. */
  readonly words: string;
  readonly check: (history: History) => readonly Violation[];
};
