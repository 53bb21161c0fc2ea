/** The whole world of a history: stores, gates, isolates, clients, and what the referee is told of them. */
import type { Application, Handler } from "../application.ts";
import type { HistoryEvent } from "../history.ts";
import { type Clock, Context, HOME } from "./context.ts";
import { Database, type Lag } from "./database.ts";
import { Faults } from "./faults.ts";
import { Gates, type ObjectClass } from "./gates.ts";
import { Isolate, type Reply } from "./isolates.ts";
import { createKv } from "./kv.ts";
import { createLimiter } from "./limiter.ts";
import { type Source, skewed } from "./random.ts";
import { Receivers } from "./receivers.ts";
import { Timeline } from "./timeline.ts";

export const OPERATOR_SECRET = "the-operator-secret-of-every-simulated-world";
const CREDENTIAL_SECRETS = "the-secret-that-signs-in-every-simulated-world";
const HOST = "https://api.example";
/** How long a client waits for an answer. */
const CLIENT_LEAVES_MS = 40_000;

export type WorldOptions = {
  readonly source: Source;
  readonly application: Application;
  /** The place of each isolate: 0 is beside D1's primary, 1 and 2 have a replica. */
  readonly places: readonly number[];
  readonly lag: Lag;
  readonly newAccounts: string;
  readonly settings: { readonly freshnessMs: number; readonly anchorMs: number; readonly leaseMs: number };
  /** Of the rate-limiting bindings, in a minute. */
  readonly panelistLimits: { readonly reads: number; readonly writes: number };
};

/** One request of a client. `isolate` is the one that it meets. */
export type Asked = {
  readonly client: string;
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly isolate: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The body is a form of a page of this host, in place of JSON. */
  readonly isForm?: boolean;
  readonly owner?: string;
  readonly leavesAfterMs?: number | undefined;
  readonly losesAnswer?: boolean | undefined;
  readonly retries?: number;
};

export type Answer = {
  readonly call: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
};
/** Without an answer it was lost, or the client had left. */
export type Outcome = { readonly call: number; readonly answer?: Answer };

const seconds = (milliseconds: number) => String(milliseconds / 1_000);

export class World {
  readonly timeline = new Timeline();
  readonly events: HistoryEvent[] = [];
  readonly faults: Faults;
  readonly databases: readonly Database[];
  readonly gates: Gates;
  readonly isolates: Isolate[];
  readonly receivers: Receivers;
  readonly #clocks: readonly Clock[];
  readonly env: object;
  readonly #options: WorldOptions;
  /** What the next isolates run, if not the application. */
  createApp: (() => Handler) | undefined;
  #calls = 0;
  #isolatesMade = 0;

  constructor(options: WorldOptions) {
    this.#options = options;
    const { source, application, lag, settings, panelistLimits } = options;
    const { timeline } = this;
    const record = (event: HistoryEvent) => void this.events.push(event);
    this.faults = new Faults(timeline, record);
    this.receivers = new Receivers(timeline, source.of("receivers"), record);
    const { faults } = this;
    const replicas = Math.max(...options.places);
    this.databases = ["0", "1"].map(
      (digit) =>
        new Database({ digit, timeline, faults, source: source.of(`database ${digit}`), lag, replicas, record }),
    );
    this.gates = this.createGates(application.ApiKeyGate);
    const [first, second] = this.databases;
    this.env = {
      DB: first?.binding,
      DB_1: second?.binding,
      CHANGELOGS: createKv(timeline, faults, record),
      API_KEY_GATE: this.gates.binding,
      PANELIST_WRITES: createLimiter("PANELIST_WRITES", panelistLimits.writes, timeline, faults, record),
      PANELIST_READS: createLimiter("PANELIST_READS", panelistLimits.reads, timeline, faults, record),
      OWNER_WRITES: createLimiter("OWNER_WRITES", 1_000_000, timeline, faults, record),
      OWNER_READS: createLimiter("OWNER_READS", 1_000_000, timeline, faults, record),
      FRESHNESS_SECONDS: seconds(settings.freshnessMs),
      ANCHOR_SECONDS: seconds(settings.anchorMs),
      LEASE_SECONDS: seconds(settings.leaseMs),
      NEW_ACCOUNTS: options.newAccounts,
      REQUEST_LOG_SHARE: "0",
      ACCESS_AUD: "",
      SERVICE_TOKEN_OWNERS: "",
      OWN_ZONES: "",
      SIGNING_SECRETS: "CREDENTIAL_SECRETS",
      CREDENTIAL_SECRETS,
      OPERATOR_SECRET,
    };
    this.#clocks = options.places.map(() => ({ ahead: 0 }));
    this.isolates = options.places.map((_, index) => this.#makeIsolate(index));
  }

  /** Objects of a class. */
  createGates(objectClass: ObjectClass): Gates {
    const { timeline, faults } = this;
    const record = (event: HistoryEvent) => void this.events.push(event);
    const source = this.#options.source.of("gates");
    return new Gates({ objectClass, timeline, faults, source, record, env: () => this.env });
  }

  #makeIsolate(index: number): Isolate {
    const { places, application } = this.#options;
    const { send } = this.receivers;
    const createApp =
      this.createApp ?? (() => application.createApp(undefined, application.createMemory(undefined, send)));
    const name = `isolate ${index}.${this.#isolatesMade++}`;
    const clock = this.#clocks[index] ?? { ahead: 0 };
    return new Isolate(name, places[index] ?? HOME, clock, this.timeline, this.env, createApp());
  }

  /** The process ends, and another one takes its place. */
  endIsolate(index: number): void {
    const at = index % this.isolates.length;
    this.isolates[at]?.end((event) => this.events.push(event));
    this.isolates[at] = this.#makeIsolate(at);
  }

  /** `where` is the index of an isolate, or the key of a gate. */
  stepClock(where: number | string, by: number): void {
    const clock = typeof where === "string" ? this.gates.clockOf(where) : this.#clocks[where % this.#clocks.length];
    if (clock === undefined) return;
    clock.ahead += by;
    const name = typeof where === "string" ? where : (this.isolates[where % this.isolates.length]?.name ?? "");
    this.events.push({ kind: "clock-stepped", at: this.timeline.now, where: name, by });
  }

  /** The scheduled job, once. */
  async runScheduled(source: Source, endsAfterMs?: number): Promise<void> {
    const context = new Context({ timeline: this.timeline, clock: { ahead: 0 }, source, place: HOME });
    const executionCtx = { waitUntil: (promise: Promise<unknown>) => void promise.catch(() => {}) };
    await new Promise<void>((resolve) => {
      if (endsAfterMs !== undefined) this.timeline.after(endsAfterMs, resolve);
      context.deliver(() => {
        const { application } = this.#options;
        application
          .runScheduled({ env: this.env, executionCtx }, undefined, this.receivers.send)
          .then(resolve, () => resolve());
      });
    });
    context.end();
  }

  /** Sends one request, and waits for its answer as its client does. */
  async send(source: Source, asked: Asked): Promise<Outcome> {
    const { timeline, events } = this;
    const call = ++this.#calls;
    const isolate = this.isolates[asked.isolate % this.isolates.length];
    if (isolate === undefined) throw new RangeError("there is no isolate");
    const random = source.of("network").numbers();
    const headers: Record<string, string> = {
      "cf-connecting-ip": "192.0.2.1",
      ...(asked.isForm && { origin: HOST, "sec-fetch-site": "same-origin" }),
      ...asked.headers,
    };
    if (asked.body !== undefined)
      headers["content-type"] = asked.isForm ? "application/x-www-form-urlencoded" : "application/json";
    events.push({
      kind: "sent",
      at: timeline.now,
      call,
      client: asked.client,
      isolate: isolate.name,
      operation: asked.operation,
      method: asked.method,
      path: asked.path,
      headers,
      ...(asked.body !== undefined && { body: asked.body }),
      ...(asked.retries !== undefined && { retries: asked.retries }),
    });
    const { promise: left, resolve: leave } = Promise.withResolvers<undefined>();
    const leaving = timeline.after(asked.leavesAfterMs ?? CLIENT_LEAVES_MS, () => leave(undefined));
    const answered = async (): Promise<Reply | undefined> => {
      await timeline.sleep(skewed(random, 1, 30));
      const request = new Request(`${HOST}${asked.path}`, {
        method: asked.method,
        headers,
        ...(asked.body !== undefined && { body: toText(asked) }),
      });
      const country = headers["cf-ipcountry"];
      if (country !== undefined) Object.defineProperty(request, "cf", { value: { country } });
      const handled = isolate.handle({ call, source, request, owner: asked.owner });
      const reply = await Promise.race([handled.replied, left]);
      if (reply === undefined) {
        handled.leave();
        return undefined;
      }
      await timeline.sleep(skewed(random, 1, 30));
      return asked.losesAnswer ? undefined : reply;
    };
    const reply = await Promise.race([answered(), left]);
    timeline.cancel(leaving);
    if (reply === undefined) {
      events.push({ kind: "abandoned", at: timeline.now, call });
      return { call };
    }
    const { status, text } = reply;
    const body = parse(text, reply.headers["content-type"] ?? "");
    events.push({
      kind: "answered",
      at: timeline.now,
      call,
      status,
      headers: reply.headers,
      ...(body !== undefined && { body }),
    });
    return { call, answer: { call, status, headers: reply.headers, body } };
  }

  close(): void {
    for (const database of this.databases) database.close();
  }
}

const toText = ({ body, isForm }: Asked): string =>
  isForm ? new URLSearchParams(body as Readonly<Record<string, string>>).toString() : JSON.stringify(body);

function parse(text: string, type: string): unknown {
  if (text === "") return undefined;
  return type.includes("json") ? JSON.parse(text) : text;
}
