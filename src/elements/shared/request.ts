/** Requests to the panelist API, from any page's origin. */
import { isRequestFailure, requestFailure } from "./request-failure.ts";
import { ownerOf } from "./token-owner.ts";
import {
  DEADLINE_MS,
  isToken,
  lastUseOf,
  mistakenFor,
  nextToken,
  type TokenProvider,
  tell,
  useTokens,
} from "./tokens.ts";

/** A longer header is asked about, too (https://fetch.spec.whatwg.org/#cors-safelisted-request-header). */
const SAFE_LENGTH = 128;

/** `body` is null for 204 and 304. */
type Reply<Body> = { readonly body: Body | null; readonly etag: string | null };

export class Connection {
  readonly #base: string;
  readonly #provider: () => TokenProvider | undefined;
  readonly #words: Promise<void>;
  readonly #signal: AbortSignal;
  /** The page's own, until the provider has given another. */
  #token: string | undefined;
  readonly #lastUse: number;
  /** Answers that came with the page, by path. They are a visitor's, and each is taken once. */
  given: Record<string, unknown> = {};
  /** The one of the last request. */
  #sent = "";

  /**
   * `signal` ends every request, when its answer is no longer needed. `provider` is looked up whenever a token is needed. No answer
   * is given before there are `words` to show it.
   */
  constructor(
    base: string,
    {
      token,
      provider,
      words,
      signal,
    }: {
      readonly token: string | undefined;
      readonly provider: () => TokenProvider | undefined;
      readonly words: Promise<void>;
      readonly signal: AbortSignal;
    },
  ) {
    this.#base = base.replace(/\/+$/, "");
    this.#words = words;
    this.#provider = provider;
    this.#signal = signal;
    this.#token = token !== undefined && !mistakenFor(token, "token") && isToken(token) ? token : undefined;
    this.#lastUse = lastUseOf(this.#token);
    useTokens(signal);
  }

  /**
   * The holder of the last request's token: its idea bank and its panelist. The browser's memory is kept apart by it. For visitors
   * who are not signed in it is the idea bank.
   */
  get who(): string {
    return this.isVisitor ? this.bank : this.bank + ownerOf(this.#sent).panelist;
  }

  /** The idea bank of the last request. */
  get bank(): string {
    return `${this.#base}:${ownerOf(this.#sent).bank}`;
  }

  /** Whether the token of the last request only reads. */
  get isVisitor(): boolean {
    return this.#sent.startsWith("ibv_");
  }

  /**
   * A token that has ended is renewed once, where the page has a provider. Rejects with a `RequestFailure`; with the signal's reason
   * when the request was ended. The signal of `init` ends this request alone. `asPanelist`: nothing is sent for who is not signed in.
   */
  async send<Body>(path: string, init: RequestInit = {}, asPanelist?: boolean): Promise<Reply<Body>> {
    const ended = AbortSignal.any([this.#signal, init.signal ?? this.#signal]);
    const ask = (token: string) => {
      this.#sent = token;
      if (token.trim().startsWith("ibk_")) {
        tell("never use an API key here.");
        throw requestFailure("unauthorized");
      }
      if (asPanelist && this.isVisitor) throw requestFailure("sign-in-required");
      const inAccept = `application/json;token=${token}`;
      // Before a request with `Authorization` a browser asks the API whether it may send it: one way there and back for each address.
      const credential = init.method || inAccept.length > SAFE_LENGTH ? { Authorization: token } : { Accept: inAccept };
      const headers = { ...credential, ...init.headers };
      const signal = AbortSignal.any([ended, AbortSignal.timeout(DEADLINE_MS)]);
      return this.fetch(path, { ...init, headers, credentials: "omit", signal });
    };
    try {
      const provider = this.#provider();
      if (provider && Date.now() >= this.#lastUse) this.#token = undefined;
      const token = this.#token ?? (await nextToken(provider, undefined, "not-signed-in"));
      let response = await ask(token);
      // Of several requests that met the same expired token, the first one renews it.
      if (response.status === 401 && provider) {
        const renewed = await nextToken(provider, token, this.isVisitor ? "not-signed-in" : "unauthorized");
        this.#token = undefined;
        response = await ask(renewed);
      }
      const { ok, status, headers } = response;
      // An answer that was cut off is none.
      if (ok || status === 304) {
        return { body: ok && status !== 204 ? await response.json() : null, etag: headers.get("ETag") };
      }
      // A proxy between the page and the API answers without a problem document.
      const problem = await response.json().catch(() => null);
      const isEnded = status === 401 && this.isVisitor;
      if (status === 401)
        tell(`${this.#base} refused the token. It has ended, or is from another deployment. Copy new code from Embed.`);
      // Visitors know of no session, so what they came for is not there.
      throw requestFailure(
        isEnded ? "idea-bank-not-found" : problem?.error,
        Number(headers.get("Retry-After")),
        problem?.errors,
      );
    } catch (error) {
      throw ended.aborted || isRequestFailure(error) ? error : requestFailure("offline");
    } finally {
      await this.#words;
    }
  }

  protected fetch(path: string, init: RequestInit): Promise<Response> {
    const given = this.isVisitor && this.given[path];
    if (!given) return fetch(this.#base + path, init);
    this.given[path] = undefined;
    return Promise.resolve(Response.json(given));
  }
}
