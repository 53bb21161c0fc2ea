/** Requests to the panelist API, from any page's origin. */
import { recall, remember } from "./storage.ts";

/**
 * Gives a valid token. Called when there is none yet, and once more when the API has refused the last one. What no header can carry
 * (the page of an error) is no token.
 */
export type TokenProvider = () => string | Promise<string>;

type FieldError = { readonly path: string; readonly message: string };

export class RequestFailure extends Error {
  /** The `error` of the API's problem document; `offline`: no connection, or no answer in time; `not-signed-in`: no token. */
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

/** Both are null for 204 and 304. */
export type Reply<Body> = { readonly body: Body | null; readonly etag: string | null };

export type RequestOptions = {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends this request alone. */
  readonly signal?: AbortSignal;
};

const DEADLINE_MS = 20_000;
/**
 * Reading one's own writes. The API may answer from a copy that is a moment behind; the `Consistency-Token` that came with the
 * answer to a write, sent back, asks for an answer that includes it. The last one is kept for the tab: for the other element and
 * for the next page too.
 */
const CONSISTENCY = "Consistency-Token";
/** The API ignores an older one. */
const CONSISTENCY_MS = 60_000;
/** Unix milliseconds have so many digits until the year 2286. */
const DIGITS = 13;
/** `fetch` takes the white space around it away. */
const TOKEN = /^\s*[!-~]+\s*$/;
const isToken = (text: string | undefined): text is string => TOKEN.test(text ?? "");

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
    this.#token = isToken(token) ? Promise.resolve(token) : undefined;
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
    const ask = async (token: string) => {
      this.#who = token.slice(4, 28);
      const key = `idea-bank-consistency:${this.who}`;
      // When it came, and the consistency token.
      const kept = recall(key, "sessionStorage") ?? "";
      const isYoung = Date.now() - Number(kept.slice(0, DIGITS)) < CONSISTENCY_MS;
      const answer = await fetch(this.#base + path, {
        method,
        headers: {
          Authorization: token,
          ...(body && { "Content-Type": "application/json" }),
          ...(isYoung && { [CONSISTENCY]: kept.slice(DIGITS) }),
          ...headers,
        },
        body: JSON.stringify(body),
        credentials: "omit",
        signal: AbortSignal.any([ended, AbortSignal.timeout(DEADLINE_MS)]),
      });
      const given = answer.headers.get(CONSISTENCY);
      if (given) remember(key, Date.now() + given, "sessionStorage");
      return answer;
    };
    try {
      const token = this.#token ?? this.#renew("not-signed-in");
      let response = await ask(await token);
      if (response.status === 401) {
        // Of several requests that met the same expired token, the first one renews it.
        response = await ask(await (this.#token === token ? this.#renew("unauthorized") : (this.#token ?? token)));
      }
      const { ok, status } = response;
      if (status === 204 || status === 304) return { body: null, etag: null };
      // An answer that was cut off is none.
      if (ok) return { body: await response.json(), etag: response.headers.get("ETag") };
      // What stands between the page and the API answers in its own words.
      const problem = await response.json().catch(() => ({}));
      const code = typeof problem?.error === "string" ? problem.error : "failed";
      const errors = Array.isArray(problem?.errors) ? problem.errors : [];
      throw new RequestFailure(code, Number(response.headers.get("Retry-After")) || 0, errors);
    } catch (error) {
      throw ended.aborted || error instanceof RequestFailure ? error : new RequestFailure();
    }
  }

  /** Fails with `code` where there is no other token. */
  #renew(code: string): Promise<string> {
    const renewed = (async () => {
      // What the page gives has a deadline as the API has.
      const late = new Promise<never>((_, reject) => setTimeout(reject, DEADLINE_MS));
      const token = await Promise.race([this.#provider(), late]);
      if (isToken(token)) return token;
      throw new RequestFailure(code);
    })();
    this.#token = renewed;
    // A provider that failed is asked again by the next request.
    renewed.catch(() => {
      if (this.#token === renewed) this.#token = undefined;
    });
    return renewed;
  }
}
