/**
 * Growth, and what ends first: what was counted in the world for one request, at so many tenants. The tenant and the platform's limits
 * are stated here; everything else is counted.
 */
import { dollarsPerMillion, STORED_GIGABYTE } from "./prices.ts";
import type { Outcome } from "./world/outcome.ts";

/**
 * An assumed tenant. Rates are means over a day; the peak is three times as high. Its idea banks are read once in 50 seconds and its key
 * is used once in 10: as rarely as in the quiet part of the world, so that caches help little.
 */
export const TENANT = {
  ideaBanks: 5,
  proposals: 2_000,
  changelogsPerSecond: 0.1,
  whoamisPerSecond: 0.1,
  /** Votes, comments, proposals. */
  writesPerSecond: 0.005,
} as const;

const PEAK = 3;
/** A vote, as a budget of this project has it. */
const ROWS_PER_WRITE = 5;
const SECONDS_A_MONTH = 30 * 86_400;
const GIGABYTE = 1e9;

/**
 * https://developers.cloudflare.com/d1/platform/limits/, https://developers.cloudflare.com/durable-objects/platform/limits/ and
 * https://developers.cloudflare.com/kv/platform/limits/ as of November 2026.
 */
export const LIMITS = {
  databaseQueriesPerSecond: 1_000,
  databaseBytes: 10 * GIGABYTE,
  objectRequestsPerSecond: 1_000,
  /** To one key. */
  storeWritesPerSecond: 1,
} as const;

/** Of `ANCHOR_SECONDS` (10), when an isolate reads the primary again. */
const ANCHORED_EVERY_SECONDS = 8;

/** Of ours. A tenant is as the quiet ones; only what one busy key or idea bank can do is of the busy ones. */
export type Counted = {
  readonly changelog: Outcome;
  readonly whoami: Outcome;
  readonly busyChangelog: Outcome;
  readonly busyWhoami: Outcome;
  readonly bytesPerProposal: number;
};

export type Growth = {
  readonly databases: number;
  readonly tenants: number;
  readonly ideaBanks: number;
  readonly requestsPerSecond: number;
  readonly writesPerSecond: number;
  /** All at the peak. */
  readonly primaryPerSecond: number;
  readonly replicasPerSecond: number;
  readonly objectsPerSecond: number;
  readonly storeReadsPerSecond: number;
  readonly storeWritesPerSecond: number;
  readonly bytes: number;
  readonly dollarsPerMillion: number;
  readonly dollarsPerMonth: number;
};

const each = (operations: number, { counts }: Outcome) => operations / counts.requests;

/** At so many tenants; `databases` as many as they need, unless given. */
export function grow(counted: Counted, tenants: number, databases?: number): Growth {
  const { changelog, whoami, bytesPerProposal } = counted;
  const { changelogsPerSecond, whoamisPerSecond } = TENANT;
  /** A second, for one tenant. */
  const rate = (operations: (outcome: Outcome) => number) =>
    changelogsPerSecond * each(operations(changelog), changelog) + whoamisPerSecond * each(operations(whoami), whoami);
  const atPeak = (perTenant: number) => PEAK * perTenant * tenants;
  const requests = changelogsPerSecond + whoamisPerSecond;
  const perMillion =
    (changelogsPerSecond * dollarsPerMillion(changelog.counts) + whoamisPerSecond * dollarsPerMillion(whoami.counts)) /
    requests;
  const bytes = tenants * TENANT.proposals * bytesPerProposal;
  const primaryPerSecond = atPeak(rate(({ primaryTrips }) => primaryTrips) + TENANT.writesPerSecond);
  const writesPerSecond = tenants * TENANT.writesPerSecond;
  const dollarsOfWrites = (writesPerSecond * SECONDS_A_MONTH * (0.3 + ROWS_PER_WRITE)) / 1e6;
  return {
    databases:
      databases ??
      Math.max(
        1,
        Math.ceil(bytes / LIMITS.databaseBytes),
        Math.ceil(primaryPerSecond / LIMITS.databaseQueriesPerSecond),
      ),
    tenants,
    ideaBanks: tenants * TENANT.ideaBanks,
    requestsPerSecond: tenants * requests,
    writesPerSecond,
    primaryPerSecond,
    replicasPerSecond: atPeak(rate((outcome) => outcome.counts.d1RoundTrips - outcome.primaryTrips)),
    objectsPerSecond: atPeak(rate(({ counts }) => counts.objectRequests)),
    storeReadsPerSecond: atPeak(rate(({ counts }) => counts.kvReads)),
    storeWritesPerSecond: atPeak(rate(({ counts }) => counts.kvWrites)),
    bytes,
    dollarsPerMillion: perMillion,
    dollarsPerMonth:
      (tenants * requests * SECONDS_A_MONTH * perMillion) / 1e6 +
      dollarsOfWrites +
      (bytes / GIGABYTE) * STORED_GIGABYTE,
  };
}

/** How many tenants one database holds at the peak. */
export function tenantsPerDatabase(counted: Counted): number {
  const one = grow(counted, 1);
  return Math.floor(Math.min(LIMITS.databaseBytes / one.bytes, LIMITS.databaseQueriesPerSecond / one.primaryPerSecond));
}

export type End = {
  readonly what: string;
  /** What the benchmark counted. */
  readonly counted: string;
  readonly limit: string;
  readonly ends: string;
  readonly instead: string;
};

/** What ends, the first first: of what grows with the tenants, and then of what does not. */
export function ends(counted: Counted, isolates: number): End[] {
  const { busyChangelog, busyWhoami } = counted;
  const one = grow(counted, 1);
  const whole = (value: number) => Math.floor(value).toLocaleString("en");
  const byTenants = [
    {
      tenants: LIMITS.databaseQueriesPerSecond / one.primaryPerSecond,
      what: "queries at D1's primary",
      counted: `${one.primaryPerSecond.toFixed(4)} a second for each tenant at the peak`,
      limit: `about ${whole(LIMITS.databaseQueriesPerSecond)} a second for each database`,
      instead: "another database: an identifier says where it lives",
    },
    {
      tenants: LIMITS.databaseBytes / one.bytes,
      what: "bytes in D1",
      counted: `${(one.bytes / 1e6).toFixed(2)} MB for each tenant (${counted.bytesPerProposal.toFixed(0)} bytes a proposal)`,
      limit: `${LIMITS.databaseBytes / GIGABYTE} GB for each database`,
      instead: "another database; an account's quota bounds its own part",
    },
  ]
    .toSorted((left, right) => left.tenants - right.tenants)
    .map(({ tenants, ...end }) => ({ ...end, ends: `${whole(tenants)} tenants` }));
  const callsPerRequest = busyWhoami.busiestObjectCalls / busyWhoami.busiestRequests;
  return [
    ...byTenants,
    {
      what: "anchored reads at D1's primary",
      counted: `one in ${ANCHORED_EVERY_SECONDS} s for each isolate that reads the database`,
      limit: `about ${whole(LIMITS.databaseQueriesPerSecond)} a second for each database`,
      ends: `${whole(LIMITS.databaseQueriesPerSecond * ANCHORED_EVERY_SECONDS)} isolates`,
      instead: "a larger `ANCHOR_SECONDS`, or another database",
    },
    {
      what: "calls to one key's gate",
      counted: `${callsPerRequest.toFixed(3)} a request, of the busiest key`,
      limit: `about ${whole(LIMITS.objectRequestsPerSecond)} a second for each object`,
      ends: `${whole(LIMITS.objectRequestsPerSecond / callsPerRequest)} requests a second with one key`,
      instead: "a second key: each has its own gate",
    },
    {
      what: "KV writes of one changelog",
      counted: `${(busyChangelog.counts.kvWrites / busyChangelog.counts.requests).toFixed(4)} a request, of all changelogs and ${isolates} isolates`,
      limit: `${LIMITS.storeWritesPerSecond} a second for each idea bank`,
      ends: "10 isolates that render one idea bank, changed more often than every 10 s",
      instead: "nothing: a write that KV refuses costs a render elsewhere, never a wrong answer",
    },
  ];
}
