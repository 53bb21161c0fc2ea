/** The load generator's input and output. */

/** What every request of a load is, in turn; `headers` go on from connection to connection. */
export type Load = {
  readonly url: string;
  readonly headers: readonly Record<string, string>[];
  readonly connections: number;
  /** How long, or how many requests: `once` sends each headers once. */
  readonly until: { readonly seconds: number } | { readonly requests: number } | "once";
  /** What every answer must be. */
  readonly status: number;
  /** A path of the same origin that is posted to before each request, untimed. */
  readonly before?: string;
  /** Requests per second, of all connections together. As many as possible when not given. */
  readonly rate?: number;
};

/** Latencies in milliseconds. `seconds` is how long it took. */
export type Measurement = {
  readonly requests: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
};
