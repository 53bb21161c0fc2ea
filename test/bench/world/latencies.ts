/**
 * Where everything is, and how long the way is: the one table of what the simulated world injects. Milliseconds.
 *
 * - Between cities: Microsoft's monthly round trips between its regions, the 95th percentile of July 2026, which is near the median
 *   on such lines (https://learn.microsoft.com/azure/networking/azure-network-latency). Amsterdam is West Europe, Warsaw Poland Central,
 *   Virginia East US, São Paulo Brazil South, Singapore Southeast Asia, Sydney Australia East.
 * - Within a city: between two zones of one region, https://www.simonpainter.com/azure-latency-1/ (1.6 ms, rounded up).
 * - KV: hot, p99 under 5 ms since its rebuilding; cold, p99 of 200 ms before it
 *   (https://worldofsoftware.org/cloudflare-rearchitects-workers-kv-following-gcp-outage-achieves-40x-performance-gain).
 *   The medians are assumed.
 * - A replica's lag: 200 probes from Asia with a primary in North America, p50 0.8 s, p95 3.4 s, p99 6.1 s (https://gyaansetu.com/webdev/-528064).
 *   A lognormal distribution through p50 and p99 has the same p95.
 * - Assumed, for want of a published figure: what D1 and a Durable Object add to the distance, and the tail of a line.
 */

/** Of a lognormal distribution. */
export type Latency = { readonly p50: number; readonly p99: number };

/** Where clients are, each at a Cloudflare location next to it. `replica`: where the nearest copy of D1 is. */
export type Place = { readonly name: string; readonly replica: number; readonly longitude: number };

export const PLACES: readonly Place[] = [
  { name: "Amsterdam", replica: 0, longitude: 5 },
  { name: "Warsaw", replica: 1, longitude: 21 },
  { name: "Virginia", replica: 2, longitude: -78 },
  { name: "São Paulo", replica: 2, longitude: -47 },
  { name: "Singapore", replica: 4, longitude: 104 },
  { name: "Sydney", replica: 5, longitude: 151 },
];

/** Of ours, in each place. */
export const ISOLATES = 2;

/** D1's primary is here. */
export const PRIMARY = 0;

/** D1 has no region in South America: São Paulo reads Virginia's replica. */
export const REPLICAS = [...new Set(PLACES.map(({ replica }) => replica))].filter((place) => place !== PRIMARY);

const SAME_CITY = 2;

/** Round trips, one row for each place, up to itself. */
const ROUND_TRIPS: readonly (readonly number[])[] = [
  [SAME_CITY],
  [28, SAME_CITY],
  [91, 112, SAME_CITY],
  [189, 212, 121, SAME_CITY],
  [182, 201, 229, 337, SAME_CITY],
  [282, 300, 206, 298, 98, SAME_CITY],
];

/** How much longer the 99th of 100 round trips on one line takes. */
export const LINE_TAIL = 1.25;

export function roundTrip(from: number, to: number): Latency {
  const p50 = ROUND_TRIPS[Math.max(from, to)]?.[Math.min(from, to)];
  if (p50 === undefined) throw new RangeError(`no line from ${from} to ${to}`);
  return { p50, p99: p50 * LINE_TAIL };
}

/** Beyond the distance. */
export const D1_SERVICE: Latency = { p50: 2, p99: 15 };
export const OBJECT_SERVICE: Latency = { p50: 1, p99: 10 };
/** All of it: where KV's central stores are is not published. */
export const KV_HOT: Latency = { p50: 1, p99: 5 };
export const KV_COLD: Latency = { p50: 60, p99: 200 };
/** A location's copy is used for so long; a miss too. */
export const KV_CACHED_MS = 60_000;
export const REPLICA_LAG: Latency = { p50: 800, p99: 6_100 };
