/** Isolates: each is one process's memory in one place, with a clock of its own. Requests run in contexts that end. */
import type { Handler } from "../application.ts";
import type { HistoryEvent } from "../history.ts";
import { type Clock, Context } from "./context.ts";
import type { Source } from "./random.ts";
import type { Timeline } from "./timeline.ts";

/** What a request may still do after its answer, or after its client has left. */
const AFTER_MS = 30_000;

export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
};

/** `owner` is whom Cloudflare Access knows. */
export type Incoming = {
  readonly call: number;
  readonly source: Source;
  readonly request: Request;
  readonly owner?: string | undefined;
};

type Handled = { readonly replied: Promise<Reply | undefined>; readonly leave: () => void };

export class Isolate {
  readonly name: string;
  readonly place: number;
  readonly clock: Clock;
  readonly #timeline: Timeline;
  readonly #env: object;
  readonly #app: Handler;
  /** What ends each request that is under way. */
  readonly #open = new Set<() => void>();

  constructor(name: string, place: number, clock: Clock, timeline: Timeline, env: object, app: Handler) {
    this.name = name;
    this.place = place;
    this.clock = clock;
    this.#timeline = timeline;
    this.#env = env;
    this.#app = app;
  }

  /** `replied` is undefined when the isolate ended, and stays open when the request was cancelled. */
  handle({ call, source, request, owner }: Incoming): Handled {
    const timeline = this.#timeline;
    const context = new Context({ timeline, clock: this.clock, source, place: this.place, call, isolate: this.name });
    const { promise: replied, resolve } = Promise.withResolvers<Reply | undefined>();
    let waits = 0;
    let isOver = false;
    const end = () => {
      context.end();
      this.#open.delete(lose);
    };
    const lose = () => {
      end();
      resolve(undefined);
    };
    const over = () => {
      if (!isOver) timeline.after(AFTER_MS, end);
      isOver = true;
      if (waits === 0) end();
    };
    const executionContext = {
      waitUntil: (promise: Promise<unknown>) => {
        waits += 1;
        const done = () => {
          waits -= 1;
          if (waits === 0 && isOver) end();
        };
        promise.then(done, done);
      },
      passThroughOnException: () => {},
      props: {},
      ...(owner !== undefined && { access: { aud: "simulated", getIdentity: async () => ({ email: owner }) } }),
    };
    const answer = async () => {
      const response = await this.#app.fetch(request, this.#env, executionContext);
      const text = await response.text();
      if (!context.isAlive) return;
      resolve({ status: response.status, headers: Object.fromEntries(response.headers), text });
      over();
    };
    this.#open.add(lose);
    context.deliver(() => {
      answer().catch((error: unknown) => {
        resolve({ status: 500, headers: {}, text: `uncaught: ${String(error)}` });
        over();
      });
    });
    return { replied, leave: over };
  }

  /** Its memory is gone, and what was under way ends. */
  end(record: (event: HistoryEvent) => void): void {
    record({ kind: "isolate-ended", at: this.#timeline.now, isolate: this.name });
    for (const lose of [...this.#open]) lose();
  }
}
