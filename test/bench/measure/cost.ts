/** Cost: what a million requests of each path are billed, by the operations that were counted while some were made. */
import { buildMetered } from "../build.ts";
import type { Counts } from "../counts.ts";
import { Generator } from "../generator.ts";
import { dollarsPerMillion } from "../prices.ts";
import { Progress } from "../progress.ts";
import { OUR_OBJECTS, type Runtime, startRuntime } from "../runtime.ts";
import { forge, ideaBankIds, seedAccount, seedApiKeys, seedChangelogs, seedIdeaBanks, tokenFor } from "../seed.ts";
import { prepareIdeas } from "./panelist-groups.ts";

/** `dollars` are per million requests, the request itself included. */
export type CostResult = {
  readonly path: "whoami" | "changelog" | "proposals";
  readonly name: string;
  readonly counts: Counts;
  readonly dollars: number;
};

export type CostPlan = {
  /** How long keys are used at a steady rate: long enough for their gates' alarms, and for their reads of D1 once a minute. */
  readonly steadySeconds: number;
  readonly reads: number;
};

const DEFAULT_LIMIT = { limit: 600, windowSeconds: 60 };
const KEYS = 10;

export async function measureCost(plan: CostPlan): Promise<CostResult[]> {
  const script = await buildMetered("../../../src/worker/index.ts", "ApiKeyGate");
  const ours = { script, objects: OUR_OBJECTS };
  const withoutLeases = { ...ours, variables: { LEASE_SECONDS: "0" } };
  const runtime = await startRuntime([
    { name: "whoami-full", ...ours },
    { name: "whoami-tenth", ...ours },
    { name: "whoami-full-without-leases", ...withoutLeases },
    { name: "whoami-tenth-without-leases", ...withoutLeases },
    { name: "whoami-seldom", ...ours },
    { name: "refusals", ...ours },
    { name: "changelog", ...ours },
    { name: "changelog-another-isolate", ...ours },
    { name: "changelog-without-freshness", ...ours, variables: { FRESHNESS_SECONDS: "0" } },
    {
      name: "straightforward-whoami",
      script: await buildMetered("./straightforward-whoami.ts", "Counter"),
      objects: { COUNTER: "Counter" },
    },
    { name: "straightforward-changelog", script: await buildMetered("./straightforward-changelog.ts") },
    { name: "proposals", ...ours },
    { name: "straightforward-ideas", script: await buildMetered("./straightforward-ideas.ts") },
    { name: "better-auth", script: await buildMetered("./better-auth.ts") },
  ]);
  try {
    return await measure(runtime, plan);
  } finally {
    await runtime.stop();
  }
}

async function measure(runtime: Runtime, { steadySeconds, reads }: CostPlan): Promise<CostResult[]> {
  const database = await runtime.database("changelog");
  await seedAccount(database);
  const full = await seedApiKeys(database, KEYS, DEFAULT_LIMIT);
  const tenth = await seedApiKeys(database, KEYS, DEFAULT_LIMIT);
  const seldom = await seedApiKeys(database, KEYS, DEFAULT_LIMIT);
  const fullWithoutLeases = await seedApiKeys(database, KEYS, DEFAULT_LIMIT);
  const tenthWithoutLeases = await seedApiKeys(database, KEYS, DEFAULT_LIMIT);
  const peers = await seedApiKeys(database, KEYS, { limit: 10_000, windowSeconds: 60 });
  const [exhausted = ""] = await seedApiKeys(database, 1, { limit: 1, windowSeconds: 3_600 });
  const ids = ideaBankIds(1 + reads);
  await seedIdeaBanks(database, ids);
  await seedChangelogs(database, ids);
  const [token = "", ...unread] = await Promise.all(ids.map(tokenFor));
  const betterAuthKeys: string[] = await fetch(`${runtime.url("better-auth")}/setup?keys=${KEYS}`, {
    method: "POST",
  }).then((response) => response.json());

  const { reader: panelist, voters, proposal } = await prepareIdeas(database, reads);

  const progress = new Progress(21);
  const generator = new Generator();
  const generators = [generator];
  const counted = async (
    path: CostResult["path"],
    name: string,
    worker: string,
    send: () => Promise<unknown>,
  ): Promise<CostResult> => {
    const count = () => fetch(`${runtime.url(worker)}/counts`).then((response) => response.json() as Promise<Counts>);
    await count();
    await send();
    const counts = await count();
    progress.advance(`cost: ${path}, ${name}`);
    return { path, name, counts, dollars: dollarsPerMillion(counts) };
  };
  const send = (
    worker: string,
    path: string,
    headers: readonly Record<string, string>[],
    status: number,
    method: "GET" | "PUT" = "GET",
  ) =>
    generator.send({
      url: runtime.url(worker) + path,
      method,
      headers,
      status,
      connections: 4,
      until: headers.length === 1 ? { requests: reads } : "once",
    });
  const whoami = "/tenant/whoami";
  const changelog = "/public/ideabank/changelog";
  const withKeys = (keys: readonly string[]) => keys.map((key) => ({ "X-API-Key": key }));
  const repeated = <T>(values: readonly T[]): T[] =>
    Array.from({ length: reads }, (_, index) => values[index % values.length] as T);
  const reader = [{ Authorization: token }];
  const firstReads = unread.map((each) => ({ Authorization: each }));

  /** Each key at a steady rate (requests a second), after a first burst that lets its gate read its record, and D1 take its first use. */
  const steadily = async (name: string, worker: string, keys: readonly string[], rate: number) => {
    const own = new Generator();
    generators.push(own);
    const load = { url: runtime.url(worker) + whoami, headers: withKeys(keys), status: 200, connections: KEYS };
    await own.send({ ...load, rate: rate * KEYS, until: { seconds: Math.min(12, 2 * steadySeconds) } });
    return counted("whoami", name, worker, () =>
      own.send({ ...load, rate: rate * KEYS, until: { seconds: steadySeconds } }),
    );
  };

  /** A page with the most votes first, one proposal, and votes of panelists who have not voted yet. */
  const countProposals = async (name: string, worker: string, path: string, query = ""): Promise<CostResult[]> => [
    await counted("proposals", `${name}, a page by votes`, worker, () => send(worker, path + query, [panelist], 200)),
    await counted("proposals", `${name}, a proposal`, worker, () => send(worker, path + proposal, [panelist], 200)),
    await counted("proposals", `${name}, a vote`, worker, () =>
      send(worker, `${path}${proposal}/vote`, voters, 200, "PUT"),
    ),
  ];

  try {
    // What only the first request ever costs is not in the counts of the paths that are used all the time.
    await fetch(runtime.url("refusals") + whoami, { headers: { "X-API-Key": exhausted } });
    for (const [worker, path] of [
      ["changelog", changelog],
      ["changelog-without-freshness", changelog],
      ["straightforward-changelog", "/kv"],
    ] as const) {
      await fetch(runtime.url(worker) + path, { headers: { Authorization: token } });
    }
    const steady = await Promise.all([
      steadily("ours, keys near their default limit (9 requests a second each)", "whoami-full", full, 9),
      steadily("ours, keys in slow use (1 request a second each)", "whoami-tenth", tenth, 1),
      steadily("ours, keys that are asked once in six seconds", "whoami-seldom", seldom, 1 / 6),
      steadily(
        "ours, LEASE_SECONDS=0, keys near their default limit",
        "whoami-full-without-leases",
        fullWithoutLeases,
        9,
      ),
      steadily("ours, LEASE_SECONDS=0, keys in slow use", "whoami-tenth-without-leases", tenthWithoutLeases, 1),
    ]);
    return [
      ...steady,
      await counted("whoami", "ours, key over its limit", "refusals", () =>
        send("refusals", whoami, withKeys([exhausted]), 429),
      ),
      await counted("whoami", "ours, forged key", "refusals", () =>
        send("refusals", whoami, withKeys([forge(exhausted)]), 401),
      ),
      await counted("whoami", "peer: D1 look-up and a stored count each time", "straightforward-whoami", () =>
        send("straightforward-whoami", whoami, repeated(withKeys(peers)), 200),
      ),
      await counted("whoami", "peer: better-auth", "better-auth", () =>
        send("better-auth", whoami, repeated(withKeys(betterAuthKeys)), 200),
      ),
      await counted("changelog", "ours, first read of an idea bank anywhere", "changelog", () =>
        send("changelog", changelog, firstReads, 200),
      ),
      await counted("changelog", "ours, first read in an isolate, KV warm", "changelog-another-isolate", () =>
        send("changelog-another-isolate", changelog, firstReads, 200),
      ),
      await counted("changelog", "ours, fresh", "changelog", () => send("changelog", changelog, reader, 200)),
      await counted("changelog", "ours, FRESHNESS_SECONDS=0", "changelog-without-freshness", () =>
        send("changelog-without-freshness", changelog, reader, 200),
      ),
      await counted("changelog", "peer: D1 each time", "straightforward-changelog", () =>
        send("straightforward-changelog", "/d1", reader, 200),
      ),
      await counted("changelog", "peer: KV each time", "straightforward-changelog", () =>
        send("straightforward-changelog", "/kv", reader, 200),
      ),
      ...(await countProposals("ours", "proposals", "/ideabank/proposals", "?sort=top")),
      ...(await countProposals("peer: count(*) each time", "straightforward-ideas", "/proposals")),
    ];
  } finally {
    progress.finish();
    for (const each of generators) each.stop();
  }
}
