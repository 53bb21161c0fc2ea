/** The tenant API, called from a tenant's server. */
import { type CallOptions, type Endpoint, toRequest } from "./call.ts";
import { ApiProblem, noAnswer, readAnswer } from "./problem.ts";
import { TenantApi } from "./tenant-api.ts";
import type { ChangePage, ListChangesArguments } from "./tenant-types.ts";

export type ClientOptions = {
  /** The deployment's address, such as `https://api.example.com`. */
  readonly url: string;
  readonly apiKey: string;
  /** How often a request without an answer, or with 408 or 5xx, is sent. 5 by default; a 500 is sent twice at most. */
  readonly attempts?: number;
  /** How many seconds a call waits for the rate limit in all. 120 by default. */
  readonly limitSeconds?: number;
  /** How many seconds an answer may take. 30 by default. */
  readonly timeoutSeconds?: number;
  /** Called before each wait. What it throws ends the call. */
  readonly onWait?: (seconds: number, problem: ApiProblem) => void;
  /** The waiting itself, in milliseconds. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
  readonly fetch?: typeof fetch;
};

const NEVER = new AbortController().signal;

const sleep: NonNullable<ClientOptions["pause"]> = (milliseconds, signal) =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      // A signal can outlive many waits.
      signal.removeEventListener("abort", end);
      resolve(undefined);
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
  });

const isLimit = ({ status, retryAfter }: ApiProblem) => status === 429 || (status === 409 && retryAfter !== undefined);
const isFault = ({ status }: ApiProblem) => status === 0 || status === 408 || status >= 500;

function readOrigin(url: string): string {
  // `localhost:8787` is a URL, too: its scheme is "localhost".
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new TypeError(`url must begin with https:// or http://, as in https://api.example.com. It is "${url}".`);
  return new URL(url).origin;
}

/** A method for each operation. A list gives its items, page by page as they are asked for. A refusal is thrown as `ApiProblem`. */
export class Client extends TenantApi {
  readonly #options: Required<ClientOptions>;

  constructor(options: ClientOptions) {
    super();
    this.#options = {
      ...{ attempts: 5, limitSeconds: 120, timeoutSeconds: 30, onWait: () => {}, pause: sleep },
      // Called as a function of its own: a Worker's `fetch` refuses to be a method.
      ...{ fetch: (...args) => fetch(...args), ...options },
      url: readOrigin(options.url),
    };
  }

  protected override async send<Answer>(endpoint: Endpoint, given: object, options: CallOptions = {}): Promise<Answer> {
    const { attempts, limitSeconds, onWait, pause } = this.#options;
    const { signal = NEVER, onAnswer } = options;
    const request = toRequest(endpoint, given, options);
    let [faults, limited] = [0, 0];
    for (;;) {
      const found = await this.#ask(request, signal);
      signal.throwIfAborted();
      if (!(found instanceof ApiProblem)) {
        onAnswer?.(found.response);
        return found.json as Answer;
      }
      if (!isLimit(found) && !isFault(found)) throw found;
      const seconds = Math.max(found.retryAfter ?? (isLimit(found) ? 1 : 2 ** (faults + 1)), 1);
      if (isLimit(found)) limited += seconds;
      else faults += 1;
      if (limited > limitSeconds || faults >= (found.status === 500 ? Math.min(attempts, 2) : attempts)) throw found;
      onWait(seconds, found);
      await pause(seconds * 1_000, signal);
    }
  }

  async #ask({ path, ...request }: ReturnType<typeof toRequest>, signal: AbortSignal) {
    const { url, apiKey, timeoutSeconds, fetch } = this.#options;
    try {
      const response = await fetch(url + path, {
        ...request,
        headers: { ...request.headers, "X-API-Key": apiKey },
        // A redirect is not followed: the API key is for this address.
        redirect: "manual",
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutSeconds * 1_000)]),
      });
      // An answer that breaks off counts as none.
      return readAnswer(response, await response.text());
    } catch (error) {
      return noAnswer(error);
    }
  }

  protected override async *list<Item>(endpoint: Endpoint, given: object, options?: CallOptions): AsyncGenerator<Item> {
    let cursor: string | undefined;
    do {
      const asked = { limit: 100, ...given, ...(cursor && { cursor }) };
      const page: { items: Item[]; nextCursor?: string } = await this.send(endpoint, asked, options);
      yield* page.items;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  /**
   * The pages of changes after the cursor `after`, or from now on with `now`, or all that are kept. Store each page's `nextCursor`
   * with what you make of its items: the next run goes on there. The last page is empty; with `everySeconds` there is none, and
   * the API is asked again after so many seconds. A cursor that is too old throws an ApiProblem with `error` "cursor-expired".
   */
  async *followChanges(
    { everySeconds, ...place }: ListChangesArguments & { readonly everySeconds?: number },
    options: CallOptions = {},
  ): AsyncGenerator<ChangePage> {
    for (let asked: ListChangesArguments = { limit: 100, ...place }; ; ) {
      const page = await this.listChanges(asked, options);
      yield page;
      asked = { ...asked, after: page.nextCursor };
      if (page.items.length > 0) continue;
      if (everySeconds === undefined) return;
      await this.#options.pause(everySeconds * 1_000, options.signal ?? NEVER);
    }
  }
}
