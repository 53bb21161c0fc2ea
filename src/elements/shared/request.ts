/** Requests to the panelist API, from any page's origin. */

/** Gives a valid token. Called when there is none yet, and once more when the API has refused the last one. */
export type TokenProvider = () => string | Promise<string>;

type FieldError = { readonly path: string; readonly message: string };

export class RequestFailure extends Error {
  /** The `error` of the API's problem document, or `offline`: no connection, or no answer in time. */
  readonly code: string;
  /** After `too-many-requests`: how long to wait. */
  readonly seconds: number;
  /** After `invalid-request`: what is wrong with which field. */
  readonly errors: readonly FieldError[];

  constructor(code = "offline", seconds = 0, errors: readonly FieldError[] = []) {
    super(code);
    this.code = code;
    this.seconds = seconds;
    this.errors = errors;
  }
}

/** `body` is null for 204 and 304. */
export type Reply<Body> = { readonly body: Body | null; readonly etag: string | null };

export type RequestOptions = {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends this request alone. */
  readonly signal?: AbortSignal;
};

const DEADLINE_MS = 20_000;

export class Connection {
  readonly #base: string;
  readonly #provider: () => ReturnType<TokenProvider> | undefined;
  readonly #signal: AbortSignal;
  #token: Promise<string> | undefined;
  #who = "";

  /** `signal` ends every request: nobody waits for the answers any more. `provider` gives nothing where there is none. */
  constructor(
    base: string,
    token: string | undefined,
    provider: () => ReturnType<TokenProvider> | undefined,
    signal: AbortSignal,
  ) {
    this.#base = base.replace(/\/+$/, "");
    this.#provider = provider;
    this.#signal = signal;
    this.#token = token ? Promise.resolve(token) : undefined;
  }

  /**
   * Whose the token of the last request was: its idea bank and its panelist, which a token names before what changes with each
   * issue. What the browser remembers is kept apart by it.
   */
  get who(): string {
    return `${this.#base}:${this.#who}`;
  }

  /** Rejects with a `RequestFailure`; with the signal's reason when the request was ended. */
  async send<Body>(method: string, path: string, options: RequestOptions = {}): Promise<Reply<Body>> {
    const { body, headers, signal = this.#signal } = options;
    const ended = AbortSignal.any([this.#signal, signal]);
    const ask = (token: string) => {
      this.#who = token.slice(4, 28);
      return fetch(this.#base + path, {
        method,
        headers: { Authorization: token, ...(body && { "Content-Type": "application/json" }), ...headers },
        body: body ? JSON.stringify(body) : null,
        credentials: "omit",
        signal: AbortSignal.any([ended, AbortSignal.timeout(DEADLINE_MS)]),
      });
    };
    try {
      const token = this.#token ?? this.#renew();
      let response = await ask(await token);
      if (response.status === 401) {
        // Of several requests that met the same expired token, the first one renews it.
        response = await ask(await (this.#token === token ? this.#renew() : (this.#token ?? token)));
      }
      const { ok, status } = response;
      const answer = status === 204 || status === 304 ? null : await response.json().catch(() => ({}));
      if (ok || status === 304) return { body: answer, etag: response.headers.get("ETag") };
      throw new RequestFailure(answer.error ?? "failed", Number(response.headers.get("Retry-After")), answer.errors);
    } catch (error) {
      throw ended.aborted || error instanceof RequestFailure ? error : new RequestFailure();
    }
  }

  #renew(): Promise<string> {
    const renewed = (async () => {
      const token = await this.#provider();
      if (token) return token;
      throw new RequestFailure("unauthorized");
    })();
    this.#token = renewed;
    // A provider that failed is asked again by the next request.
    renewed.catch(() => {
      if (this.#token === renewed) this.#token = undefined;
    });
    return renewed;
  }
}
