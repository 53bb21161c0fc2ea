/** The client of the package as the import uses it: so many requests at a time, and its problems in words for who runs the command. */
import { type CallOptions, type Endpoint, toRequest } from "../../client/call.ts";
import { Client } from "../../client/client.ts";
import { ApiProblem } from "../../client/problem.ts";
import { Failure } from "../command-line/failure.ts";
import { whyNoAnswer } from "../command-line/no-answer.ts";

/** For a request without an answer, or with a 5xx. A limit is waited for as often as it comes. */
const ATTEMPTS = 6;
/** A request mostly waits for its answer. More of them than this wait for each other in D1. */
export const IN_FLIGHT = 20;

type Options = {
  readonly url: string;
  readonly apiKey: string;
  /** Ends waits and requests: the person has had enough. */
  readonly signal: AbortSignal;
  readonly complain: (line: string) => void;
  /** The waiting itself. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
};

/** A call throws a Failure with its ApiProblem as `cause`. */
export class ImportClient extends Client {
  readonly #url: string;
  readonly #signal: AbortSignal;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor({ signal, complain, ...options }: Options) {
    super({
      ...options,
      attempts: ATTEMPTS,
      limitSeconds: Number.POSITIVE_INFINITY,
      onWait: sayOnce(complain, options.url),
    });
    this.#url = options.url;
    this.#signal = signal;
  }

  /** One that waits as the API asks for keeps its place, so that a limit holds the others back. */
  protected override async send<Answer>(endpoint: Endpoint, given: object, options: CallOptions = {}): Promise<Answer> {
    if (this.#underWay === IN_FLIGHT) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#underWay += 1;
    try {
      this.#signal.throwIfAborted();
      // A key is a row in the database, and most writes of an import are safe to repeat without one.
      const takesKey = options.idempotencyKey !== undefined;
      return await super.send<Answer>({ ...endpoint, takesKey }, given, { ...options, signal: this.#signal });
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      throw new Failure(this.#wordsOf(error, `${endpoint.method} ${toRequest(endpoint, given, options).path}`), {
        cause: error,
      });
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#underWay -= 1;
      else next();
    }
  }

  #wordsOf(problem: ApiProblem, request: string): string {
    const { status, error, detail, errors } = problem;
    if (status === 0 || status >= 500)
      return `${reasonOf(problem, this.#url)}. What was written stays: run the same command again to go on.`;
    const more = error === "unexpected-answer" ? ` --url is ${this.#url}.` : "";
    return `${request}: ${status} ${detail}${more}${errors.length > 0 ? ` ${JSON.stringify(errors)}` : ""}`;
  }
}

/** Requests in flight wait for the same reason: one line while that lasts. An import that is at its limit stays there, and is told so once. */
function sayOnce(complain: (line: string) => void, url: string): (seconds: number, problem: ApiProblem) => void {
  const saidUntil = new Map<string, number>();
  return (seconds, problem) => {
    const reason = reasonOf(problem, url);
    if ((saidUntil.get(reason) ?? 0) > Date.now()) return;
    const isLimit = problem.status === 429;
    saidUntil.set(reason, isLimit ? Number.POSITIVE_INFINITY : Date.now() + seconds * 1000);
    const wait = `${reason}: waiting for ${seconds} s.`;
    complain(
      isLimit ? `${wait} The import goes on like this. To speed it up, raise the limit in Account Settings.` : wait,
    );
  };
}

function reasonOf({ status, detail, cause }: ApiProblem, url: string): string {
  if (status === 0) return `${url} does not answer (${whyNoAnswer(cause).words})`;
  if (status === 429) return "The API key's rate limit is reached";
  return status === 409 ? detail : `${url} answered ${status}`;
}
