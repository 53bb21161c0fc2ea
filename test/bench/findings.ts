/**
 * Why a target is missed, from profiles and experiments. The figures come from the run that misses it.
 * The report says "Not looked into yet." for a missed target without an entry here.
 */
import type { Results } from "./results.ts";
import type { Spread } from "./statistics.ts";

type ShareOf = (group: string, name: string) => Spread;

export const explain = (what: string, results: Results, share: ShareOf): string =>
  FINDINGS[what]?.(results, share) ?? "Not looked into yet.";

const percent = ({ median }: Spread) => `${Math.round(median * 100)} %`;

const FINDINGS: Record<string, (results: Results, share: ShareOf) => string> = {
  "whoami, key in use": (_, share) => {
    const floor = "limit: the same after one empty Durable Object call";
    return (
      "A key in busy use is decided by a lease, without a call. The rest over the bare route are the middleware, the look-ups of the key and its lease, " +
      "the answer's two rate-limit headers, and the renewals, more than one a second for each key and isolate: gate and D1 run in the same process and count. " +
      "Each turn begins with half a second that is not measured: a key gets its first lease a tenth of a second after its use has begun. " +
      `A call for each request, as with LEASE_SECONDS=0, costs more than all the rest: the bare route that first calls an object whose method is empty reaches ${percent(share("whoami, key in use", floor))} of the bare route.`
    );
  },
  "whoami and better-auth": (_, share) =>
    "Of throughput, which spreads far on a shared machine: rounds of this run lie on both sides of the target. A request of better-auth's takes " +
    `${(share("whoami, key in use", "ours").median / share("whoami, key in use", "peer: better-auth").median).toFixed(0)} times the processor time of ours.`,
  "Forged key": () =>
    "A forged key is told from a real one by its HMAC, which no memory can spare: WebCrypto's promise costs the bare route about a " +
    "tenth by itself. Mended after profiling: a log line for each refusal " +
    "(half of the whole request; now at most one a second for each cause), an error with its stack trace and its document for each refusal " +
    "(now made once for each cause), and the tag's digits divided out one by one. Tried and left out: " +
    "`node:crypto`, which signs without a promise and was no faster, and `Error.stackTraceLimit`, which cost more than the trace.",
  "Key over its limit": () =>
    "No store is asked. The rest over the bare route are the middleware, the look-ups of key and flood, a document that is made once for each " +
    "waiting time, and the rate limit's own headers.",
  "Changelog, fresh": () =>
    "Nothing is asked: the view holds the finished body. The rest over the bare route are the middleware, the look-ups of token and view, and once a second a read of D1 " +
    "after an answer, which runs in the same process and counts.",
  "Changelog, 304": () =>
    "As with the fresh changelog, and a little more: the answer is so short that every microsecond of a look-up shows.",
  "Changelog, FRESHNESS_SECONDS=0": () =>
    "Both make one round trip to D1 for each request, and the round trip is nearly all of it: the two differ by less than their spread. Ours reads four " +
    "rows where the peer reads one for each entry, which the bill shows and the clock does not. Its batch has a second statement, which selects a new " +
    "version's entries, and nothing while the version is the same: a reader far away is spared a round trip for each change. Tried: one statement (a row " +
    "less, and two trips after a change); the entries as JSON in a column of the first, which a changelog of 100 long entries does not fit.",
  "Bundle, gzipped": () =>
    "A quarter is Account Settings, a quarter the SQL, a tenth zod and hono. The platform allows 3 MB. A start of an isolate is what a user could feel of " +
    'it ("Start-up"). Account Settings as a Worker of its own would take its quarter away, and cost a second deployment.',
};
