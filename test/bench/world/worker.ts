/**
 * The world: the Worker's own code in several isolates in several places, or a peer's, on real local stores at a distance.
 * `POST /run` with an `Order` gives its `Outcome`. One order for each start: it leaves the clock in the future.
 */
import * as gate from "../../../src/worker/api-key-gate/api-key-gate.ts";
import { createApp } from "../../../src/worker/app.ts";
import { Random } from "../../support/random.ts";
import { type Counts, NO_COUNTS } from "../counts.ts";
import straightforwardChangelog from "../workers/straightforward-changelog.ts";
import straightforwardWhoami, * as straightforward from "../workers/straightforward-whoami.ts";
import { clock, where } from "./clock.ts";
import { ReplicatedDatabase } from "./database.ts";
import { ISOLATES, PLACES, PRIMARY, REPLICAS } from "./latencies.ts";
import { worldObject } from "./objects.ts";
import { Observations } from "./observations.ts";
import type { Order, Outcome } from "./outcome.ts";
import { distantObjects, distantStore, objectCalls } from "./stores.ts";
import { type Arrival, arrivals, changes } from "./traffic.ts";

declare global {
  interface ImportMeta {
    /** Whether better-auth is bundled. */
    readonly hasBetterAuth: boolean;
  }
}

type PeerApp = { fetch: (request: Request, env: object, context: ExecutionContext) => Response | Promise<Response> };

const WITHOUT_BETTER_AUTH: PeerApp = { fetch: () => Promise.reject(new Error("better-auth is not in this world")) };
const betterAuth: PeerApp = import.meta.hasBetterAuth
  ? (await import("../workers/better-auth.ts")).default
  : WITHOUT_BETTER_AUTH;

type WorldEnv = Env & { COUNTER: DurableObjectNamespace<straightforward.Counter> };

const OWNER = "bench@example.com";
const REVOKED_KEY = 2;
const random = new Random(3);
const counts: Counts = { ...NO_COUNTS };

let primaryTrips = 0;
let database: ReplicatedDatabase | undefined;

/** The bindings of every Worker, and of every object: how far they are depends on who calls. */
function distant(env: WorldEnv): WorldEnv {
  database ??= new ReplicatedDatabase(
    env.DB,
    new Map(
      REPLICAS.flatMap((place): [number, D1Database][] => {
        const replica: D1Database | undefined = Reflect.get(env, `REPLICA_${place}`);
        return replica === undefined ? [] : [[place, replica]];
      }),
    ),
    random,
    (results, atPrimary) => {
      counts.d1RoundTrips += 1;
      if (atPrimary) primaryTrips += 1;
      for (const { meta } of results) {
        counts.rowsRead += meta.rows_read;
        counts.rowsWritten += meta.rows_written;
      }
    },
  );
  return {
    ...env,
    DB: database.binding(),
    CHANGELOGS: distantStore(env.CHANGELOGS, random, counts),
    API_KEY_GATE: distantObjects(env.API_KEY_GATE, random, counts),
    COUNTER: distantObjects(env.COUNTER, random, counts),
  };
}

let adapted: WorldEnv | undefined;
const adapt = (env: Env): WorldEnv => (adapted ??= distant(env as WorldEnv));

export const ApiKeyGate = worldObject<Env>(gate.ApiKeyGate, "API_KEY_GATE", adapt, counts);
export const Counter = worldObject<Env>(straightforward.Counter, "COUNTER", adapt, counts);

type Fetch = (request: Request, place: number) => Promise<Response>;

/** A request's context. What it goes on with after its answer has the whole day. */
const context = (): ExecutionContext =>
  ({
    waitUntil: (promise: Promise<unknown>) => void promise.catch(() => {}),
    passThroughOnException: () => {},
    props: {},
  }) as ExecutionContext;

function ours(env: WorldEnv): Fetch {
  const isolates = PLACES.map(() =>
    Array.from({ length: ISOLATES }, () => createApp(async () => ({ email: OWNER, actor: OWNER }))),
  );
  return async (request, place) => {
    const app = isolates[place]?.[random.below(ISOLATES)];
    if (app === undefined) throw new RangeError(`no isolate in ${place}`);
    return app.fetch(request, env, context());
  };
}

async function run(order: Order, real: WorldEnv): Promise<Outcome> {
  const startedReally = performance.now();
  const env = adapt(real);
  await database?.copyVersions();
  const { subject, seconds } = order;
  const isWhoami = subject.startsWith("whoami");
  const keys = subject.includes("better-auth") ? await createBetterAuthKeys(env, order.keys.length) : order.keys;
  const start = clock.now;
  const countFrom = order.countFrom * seconds * 1_000;
  const observations = new Observations(start + countFrom);
  const under: Promise<void>[] = [];
  const at = (milliseconds: number, happen: () => Promise<void>) =>
    under.push(new Promise((resolve, reject) => clock.at(start + milliseconds, () => happen().then(resolve, reject))));
  const send = isWhoami ? prepareWhoami() : prepareChangelog();
  const day = arrivals(seconds, order.requests, isWhoami ? keys.length : order.banks.length, order.alike);
  at(countFrom, async () => forgetCounts());
  for (const arrival of day) {
    at(arrival.at, () =>
      where.run({ place: arrival.place }, async () => {
        counts.requests += 1;
        await send(arrival);
      }),
    );
  }
  await clock.runUntil(Promise.all(under));
  const { places, revocation } = observations;
  return {
    subject,
    places,
    revocation,
    counts,
    primaryTrips,
    busiestObjectCalls: Math.max(0, ...objectCalls.values()),
    busiestRequests: day.filter(({ target, at: when }) => target === 0 && when >= countFrom).length,
    seconds,
    realSeconds: (performance.now() - startedReally) / 1_000,
  };

  function prepareWhoami() {
    const isOurs = subject.includes("ours");
    const fetch = isOurs ? ours(env) : peer(subject.includes("better-auth") ? betterAuth : straightforwardWhoami, env);
    const revoked = keys[REVOKED_KEY];
    at(seconds * 500, () =>
      where.run({ place: PRIMARY }, async () => {
        const asked = clock.now;
        if (isOurs) {
          const url = `https://api.example/account/api/keys/${revoked?.id}`;
          const { status } = await fetch(new Request(url, { method: "DELETE" }), PRIMARY);
          if (status !== 200) throw new Error(`the owner's revocation was answered ${status}`);
        } else if (subject.includes("better-auth")) {
          const { id } = await whoami(fetch, revoked?.text ?? "", PRIMARY);
          await database?.write("UPDATE apikey SET enabled = 0 WHERE id = ?1", id);
        } else await database?.write("UPDATE api_keys SET revoked_at = 1 WHERE id = ?1", revoked?.id);
        observations.revoked(asked, clock.now);
      }),
    );
    return async ({ target, place }: Arrival) => {
      const begun = clock.now;
      const { status } = await whoami(fetch, keys[target]?.text ?? "", place);
      if (target === REVOKED_KEY) observations.triedRevoked(begun, status === 200);
      else if (status !== 200) throw new Error(`${subject} answers ${status}`);
      observations.answered(place, target, begun, clock.now);
    };
  }

  function prepareChangelog() {
    const path = subject.includes("KV each") ? "/kv" : subject.includes("peer") ? "/d1" : "/public/ideabank/changelog";
    const nearest = subject.includes("nearest replica");
    const fetch = subject.includes("ours") ? ours(env) : peer(straightforwardChangelog, env, nearest);
    for (const { at: when, target } of changes(seconds, order.writes, order.banks.length)) {
      at(when, async () => {
        const bank = order.banks[target];
        const write = observations.wrote(target, clock.now);
        await database?.write("UPDATE proposals SET title = ?2 WHERE id = ?1", bank?.proposalId, `write ${write}`);
        // Who serves out of KV must tell it.
        if (path === "/kv") await clock.real(() => real.CHANGELOGS.delete(`straightforward/${bank?.id}`));
      });
    }
    at(seconds * 500, async () => {
      const [busiest] = order.banks;
      await database?.write("UPDATE panelists SET active = 0 WHERE id = ?1", busiest?.leaverId);
      observations.revoked(clock.now, clock.now);
    });
    return async ({ target, place, leaver }: Arrival) => {
      const begun = clock.now;
      const bank = order.banks[target];
      const leaves = leaver && target === 0;
      const headers = { Authorization: (leaves ? bank?.leaver : bank?.token) ?? "" };
      const response = await fetch(new Request(`https://api.example${path}`, { headers }), place);
      const ended = clock.now;
      if (leaves) observations.triedRevoked(begun, response.status === 200);
      else if (response.status !== 200) throw new Error(`${subject} answers ${response.status}`);
      observations.answered(place, target, begun, ended);
      if (response.status !== 200) return;
      const body = await clock.real(() => response.text());
      const shown = /"title":"write (\d+)"/.exec(body)?.[1];
      observations.showed(place, target, begun, shown === undefined ? -1 : Number(shown));
    };
  }
}

function forgetCounts(): void {
  Object.assign(counts, NOTHING);
  primaryTrips = 0;
  objectCalls.clear();
}

const NOTHING: Counts = { ...counts };

function peer(app: PeerApp, env: WorldEnv, nearest = false): Fetch {
  return async (request) => {
    const DB = nearest ? env.DB.withSession("first-unconstrained") : env.DB;
    return app.fetch(request, { ...env, DB }, context());
  };
}

async function createBetterAuthKeys(env: WorldEnv, count: number): Promise<Order["keys"]> {
  const setUp = new Request(`https://api.example/setup?keys=${count}`, { method: "POST" });
  const made = await clock.runUntil(peer(betterAuth, env)(setUp, PRIMARY));
  const texts = await made.json<string[]>();
  return texts.map((text) => ({ text, id: "" }));
}

async function whoami(fetch: Fetch, text: string, place: number): Promise<{ status: number; id: string }> {
  const request = new Request("https://api.example/tenant/whoami", { headers: { "X-API-Key": text } });
  const response = await fetch(request, place);
  if (response.status !== 200) return { status: response.status, id: "" };
  const { apiKeyId } = await clock.real(() => response.json<{ apiKeyId: string }>());
  return { status: 200, id: apiKeyId };
}

export default {
  async fetch(request, env) {
    clock.install();
    try {
      return Response.json(await run(await request.json<Order>(), env));
    } catch (error) {
      return new Response(error instanceof Error ? error.stack : String(error), { status: 500 });
    }
  },
} satisfies ExportedHandler<WorldEnv>;
