/** Requests to the panelist API, from any page's origin. */
import { RequestFailure } from "./request-failure.ts";
import { recall, remember } from "./storage.ts";
import { DEADLINE_MS, isToken, nextToken, type TokenProvider, useTokens } from "./tokens.ts";

/** Both are null for 204 and 304. */
export type Reply<Body> = { readonly body: Body | null; readonly etag: string | null };

export type RequestOptions = {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends this request alone. */
  readonly signal?: AbortSignal;
};

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

export class Connection {
  readonly #base: string;
  readonly #provider: () => TokenProvider | undefined;
  readonly #signal: AbortSignal;
  #token: string | undefined;
  /** The one of the last request. */
  #sent = "";

  /** `signal` ends every request, when its answer is no longer needed. `provider` is looked up whenever a token is needed. */
  constructor(
    base: string,
    {
      token,
      provider,
      signal,
    }: {
      readonly token: string | undefined;
      readonly provider: () => TokenProvider | undefined;
      readonly signal: AbortSignal;
    },
  ) {
    this.#base = base.replace(/\/+$/, "");
    this.#provider = provider;
    this.#signal = signal;
    this.#token = isToken(token) ? token : undefined;
    useTokens(signal);
  }

  /**
   * The holder of the last request's token: its idea bank and its panelist, which are the first part of a token and do not change
   * with each issue. The browser's memory is kept apart by it. For visitors who are not signed in it is the idea bank.
   */
  get who(): string {
    return this.isVisitor ? this.bank : `${this.#base}:${this.#sent.slice(4, 28)}`;
  }

  /** The idea bank of the last request. */
  get bank(): string {
    return `${this.#base}:${this.#sent.slice(4, 16)}`;
  }

  /** Whether the token of the last request only reads. */
  get isVisitor(): boolean {
    return this.#sent.startsWith("ibv_");
  }

  /** Rejects with a `RequestFailure`; with the signal's reason when the request was ended. */
  async send<Body>(method: string, path: string, options: RequestOptions = {}): Promise<Reply<Body>> {
    const { body, headers, signal = this.#signal } = options;
    const ended = AbortSignal.any([this.#signal, signal]);
    const ask = async (token: string) => {
      this.#sent = token;
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
      const next = async (refused: string | undefined, code: string) => {
        this.#token = await nextToken(this.#provider(), refused, code);
        return this.#token;
      };
      const token = this.#token ?? (await next(undefined, "not-signed-in"));
      let response = await ask(token);
      // Of several requests that met the same expired token, the first one renews it.
      if (response.status === 401) response = await ask(await next(token, "unauthorized"));
      const { ok, status } = response;
      if (status === 204 || status === 304) return { body: null, etag: null };
      // An answer that was cut off is none.
      if (ok) return { body: await response.json(), etag: response.headers.get("ETag") };
      // A proxy between the page and the API answers without a problem document.
      const problem = await response.json().catch(() => ({}));
      const code = typeof problem?.error === "string" ? problem.error : "failed";
      const errors = Array.isArray(problem?.errors) ? problem.errors : [];
      throw new RequestFailure(code, Number(response.headers.get("Retry-After")) || 0, errors);
    } catch (error) {
      throw ended.aborted || error instanceof RequestFailure ? error : new RequestFailure();
    }
  }
}
