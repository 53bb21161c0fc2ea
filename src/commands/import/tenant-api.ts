/** The tenant API as the import uses it: so many requests at a time, with the waits that the API asks for. */
import { setTimeout } from "node:timers/promises";
import { Failure } from "../command-line/failure.ts";

const DEADLINE_MS = 30_000;
/** For a request without an answer, or with a 5xx. A 429 is waited for as often as it comes. */
const TRIES = 6;
const MAX_WAIT_SECONDS = 120;
/** A request mostly waits for its answer. More of them than this wait for each other in D1. */
export const IN_FLIGHT = 20;

/** `isReplayed`: it was done before this command, and is not done again. */
export type Answer<Body> = { readonly status: number; readonly body: Body; readonly isReplayed: boolean };
export type TenantApi = ReturnType<typeof createTenantApi>;

type Options = {
  readonly origin: string;
  readonly apiKey: string;
  /** Ends waits and requests: the person has had enough. */
  readonly signal: AbortSignal;
  readonly complain: (line: string) => void;
  /** The waiting itself, in milliseconds. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
};

type Given = { readonly body?: object; readonly idempotencyKey?: string; readonly expected: readonly number[] };

const sleep: NonNullable<Options["pause"]> = (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal });

/** `send` throws a Failure for an answer without one of the `expected` statuses. Every request is safe to repeat. */
export function createTenantApi({ origin, apiKey, signal, complain, pause = sleep }: Options) {
  const wait = async (seconds: number, why: string) => {
    complain(`${why}: waiting for ${seconds} s.`);
    await pause(seconds * 1_000, signal);
  };
  let underWay = 0;
  const waiting: (() => void)[] = [];
  /** One that waits as the API asks for keeps its place, so that a limit holds the others back. */
  async function send<Body>(method: string, path: string, given: Given): Promise<Answer<Body>> {
    if (underWay === IN_FLIGHT) await new Promise<void>((resolve) => waiting.push(resolve));
    else underWay += 1;
    try {
      signal.throwIfAborted();
      return await sendNow(method, path, given);
    } finally {
      const next = waiting.shift();
      if (next === undefined) underWay -= 1;
      else next();
    }
  }

  async function sendNow<Body>(
    method: string,
    path: string,
    { body, idempotencyKey, expected }: Given,
  ): Promise<Answer<Body>> {
    for (let tries = 1; ; tries++) {
      const response = await fetch(origin + path, {
        method,
        headers: {
          "X-API-Key": apiKey,
          ...(body !== undefined && { "Content-Type": "application/json" }),
          ...(idempotencyKey !== undefined && { "Idempotency-Key": idempotencyKey }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        // A redirect is not followed: the key is for this address.
        redirect: "manual",
        signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
      })
        // An answer that breaks off counts as none: its request may have been done or not.
        .then(async (answer) => ({ status: answer.status, headers: answer.headers, text: await answer.text() }))
        .catch((error: Error) => error);
      signal.throwIfAborted();
      if (response instanceof Error || response.status >= 500) {
        const why =
          response instanceof Error
            ? `${origin} does not answer (${causeOf(response)})`
            : `${origin} answered ${response.status}`;
        if (tries === TRIES) throw new Failure(`${why}. What was written stays: run the same command again to go on.`);
        await wait(response instanceof Error ? 2 ** tries : retryAfter(response, 2 ** tries), why);
        continue;
      }
      const waits = retryAfter(response, 0);
      const json = parse(response.text);
      const answer = (json ?? {}) as Body & { detail?: string; errors?: unknown };
      if (response.status === 429 || (response.status === 409 && waits > 0)) {
        await wait(waits || 1, response.status === 429 ? "The API key's rate limit is reached" : String(answer.detail));
        continue;
      }
      const isReplayed = tries === 1 && response.headers.get("Idempotency-Replayed") === "true";
      if (json !== undefined && expected.includes(response.status))
        return { status: response.status, body: answer, isReplayed };
      throw new Failure(
        `${method} ${path}: ${response.status} ${answer.detail ?? whatElse(origin, response, json)}${answer.errors ? ` ${JSON.stringify(answer.errors)}` : ""}`,
      );
    }
  }

  /** Every item of a list. `path` ends where a parameter can follow. */
  async function* list<Item>(path: string): AsyncGenerator<Item> {
    let cursor: string | undefined;
    do {
      const query: string = cursor === undefined ? "" : `&cursor=${cursor}`;
      const { body } = await send<{ items: Item[]; nextCursor?: string }>("GET", `${path}limit=100${query}`, {
        expected: [200],
      });
      yield* body.items;
      cursor = body.nextCursor;
    } while (cursor !== undefined);
  }

  return { send, list };
}

type Received = { readonly status: number; readonly headers: Headers };

function retryAfter(response: Received, otherwise: number): number {
  const seconds = Number(response.headers.get("Retry-After") ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), MAX_WAIT_SECONDS) : otherwise;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The message for an answer without a detail. The tenant API's answers have one, or are JSON. */
function whatElse(origin: string, { headers }: Received, json: unknown): string {
  const location = headers.get("Location");
  if (location !== null) return `leads to ${location}: give the address that answers as --url`;
  return json === undefined ? `is no answer of the tenant API: is --url the deployment's address? It is ${origin}` : "";
}

/** `fetch` itself only says that it failed. */
const causeOf = (error: Error): string =>
  error.cause instanceof Error ? error.cause.message || error.message : error.message;
