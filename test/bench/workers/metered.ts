/**
 * Counts a Worker's billed store operations: wraps its bindings and its Durable Object class, and gives
 * the counts at `GET /counts`, from zero again. Built around each Worker's own module; never timed against one that is not metered.
 */
import type { DurableObject } from "cloudflare:workers";
import {
  type Interceptor,
  interceptObjects,
  interceptStore,
  type Meter,
  meterDatabase,
} from "../../support/intercept-binding.ts";
import { type Counts, NO_COUNTS } from "../counts.ts";

const counts: Counts = { ...NO_COUNTS };

for (const level of ["log", "info", "warn", "error", "debug"] as const) {
  const write = console[level];
  console[level] = (...line: unknown[]) => {
    counts.logLines += 1;
    write(...line);
  };
}

/** The Worker, counted. `POST /render-again` with `?ideabank=` moves that changelog's version on, so that its next reader renders. */
export function metered<E extends Bindings>(worker: ExportedHandler<E>): ExportedHandler<E> {
  return {
    async fetch(request, env, context) {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === "/counts") {
        const answer = Response.json(counts);
        Object.assign(counts, NO_COUNTS);
        return answer;
      }
      if (pathname === "/render-again") {
        await env.DB.prepare("UPDATE idea_banks SET changelog_version = changelog_version + 1 WHERE id = ?1")
          .bind(searchParams.get("ideabank"))
          .run();
        return new Response(null, { status: 204 });
      }
      counts.requests += 1;
      if (worker.fetch === undefined) throw new Error("a Worker without a fetch handler");
      return worker.fetch(request, meter(env), context);
    },
  };
}

type ObjectClass<E> = new (state: DurableObjectState, env: E) => DurableObject<E>;

/** The Durable Object class, with its storage, its alarms and its own bindings counted. */
export function meteredObject<E extends Bindings>(Base: ObjectClass<E>): ObjectClass<E> {
  const awake = new WeakMap<object, { open: number; since: number }>();
  const keepAwake = (object: object, by: 1 | -1) => {
    const time = awake.get(object) ?? { open: 0, since: 0 };
    if (time.open === 0) time.since = Date.now();
    time.open += by;
    if (time.open === 0) counts.objectMs += Date.now() - time.since;
    awake.set(object, time);
  };
  class Metered extends Base {
    constructor(state: DurableObjectState, env: E) {
      const { kv } = state.storage;
      const put = kv.put.bind(kv);
      kv.put = (key, value) => {
        counts.rowsWritten += 1;
        put(key, value);
      };
      const setAlarm = state.storage.setAlarm.bind(state.storage);
      state.storage.setAlarm = (time, options) => {
        counts.rowsWritten += 1;
        return setAlarm(time, options);
      };
      super(state, meter(env));
    }

    override async alarm(info?: AlarmInvocationInfo): Promise<void> {
      counts.objectRequests += 1;
      keepAwake(this, 1);
      try {
        await super.alarm?.(info);
      } finally {
        keepAwake(this, -1);
      }
    }
  }
  for (const name of OBJECT_METHODS) {
    const method: unknown = Reflect.get(Base.prototype, name);
    if (typeof method !== "function") continue;
    Object.defineProperty(Metered.prototype, name, {
      async value(this: object, ...args: unknown[]) {
        keepAwake(this, 1);
        try {
          return await Reflect.apply(method, this, args);
        } finally {
          keepAwake(this, -1);
        }
      },
    });
  }
  return Metered;
}

type Bindings = { DB: D1Database };

const environments = new WeakMap<object, object>();

/** The same environment for the same bindings, so that what a Worker keeps for one stays good. */
function meter<E extends Bindings>(env: E): E {
  const known = environments.get(env);
  if (known !== undefined) return known as E;
  const wrapped = Object.fromEntries(Object.entries(env).map(([name, binding]) => [name, wrap(binding)])) as E;
  environments.set(env, wrapped);
  return wrapped;
}

function wrap(binding: unknown): unknown {
  if (typeof binding !== "object" || binding === null) return binding;
  if ("prepare" in binding) return meterDatabase(binding as D1Database, record);
  if ("getWithMetadata" in binding) return interceptStore(binding as KVNamespace, count);
  if ("idFromName" in binding) return interceptObjects(binding as DurableObjectNamespace, OBJECT_METHODS, count);
  return binding;
}

/** Of ours, and of the peer's. */
const OBJECT_METHODS = ["admit", "report", "forget", "count"];

const count: Interceptor = (kind, makeCall) => {
  if (kind === "kv.read") counts.kvReads += 1;
  else if (kind === "kv.write") counts.kvWrites += 1;
  else counts.objectRequests += 1;
  return makeCall();
};

const record: Meter = (results) => {
  counts.d1RoundTrips += 1;
  for (const { meta } of results) {
    counts.rowsRead += meta.rows_read;
    counts.rowsWritten += meta.rows_written;
  }
};
