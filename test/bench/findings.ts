/**
 * Why a target is missed, from profiles and experiments. The figures come from the run that misses it.
 * The report says "Not looked into yet." for a missed target without an entry here.
 */
import type { Results } from "./results.ts";
import type { Spread } from "./statistics.ts";

export type ShareOf = (group: string, name: string) => Spread;

export const explain = (what: string, results: Results, share: ShareOf): string =>
  FINDINGS[what]?.(results, share) ?? "Not looked into yet.";

const percent = ({ median }: Spread) => `${Math.round(median * 100)} %`;

const FINDINGS: Record<string, (results: Results, share: ShareOf) => string> = {
  "whoami, key in use": (_, share) => {
    const floor = "limit: the same after one empty Durable Object call";
    return (
      "A lease decides for a busy key, without a call. The difference from the bare route is the middleware, the look-ups of the key and its lease, " +
      "the answer's two rate-limit headers, and more than one renewal a second for each key and isolate. Gate and D1 run in the same process and count. " +
      "The first half second of each turn is not measured, because a key gets its first lease a tenth of a second after it is first used. " +
      `A call for each request, as with LEASE_SECONDS=0, costs more than everything else: a bare route that first calls an object with an empty method reaches ${percent(share("whoami, key in use", floor))} of the bare route.`
    );
  },
  "whoami and better-auth": (_, share) =>
    "Of throughput, which spreads far on a shared machine: rounds of this run lie on both sides of the target. A request of better-auth's takes " +
    `${(share("whoami, key in use", "ours").median / share("whoami, key in use", "peer: better-auth").median).toFixed(0)} times the processor time of ours.`,
  "Forged key": () =>
    "A forged key is recognized by its HMAC, which no cache can avoid: WebCrypto's promise alone costs the bare route about a " +
    "tenth. The refusal's document is made once for each cause. `node:crypto`, which signs without a promise, was no faster.",
  "Key over its limit": () =>
    "No store is called. The difference from the bare route is the middleware, the look-ups of key and flood, a document that is created once for each " +
    "waiting time, and the rate limit's headers.",
  "Changelog, fresh": () =>
    "No store is called. The difference is the middleware, the look-ups of token and view, and one read of D1 a second after an answer, in the same process.",
  "Changelog, 304": () => "The same: the answer is so short that every microsecond of a look-up counts.",
  "Changelog, FRESHNESS_SECONDS=0": () =>
    "Both make one round trip to D1 for each request, and the round trip is nearly all of it: the two differ by less than their spread. Ours reads four " +
    "rows where the peer reads one for each entry, which the bill shows and the clock does not. Its batch has a second statement, which selects a new " +
    "version's entries, and nothing while the version is the same: a reader far away is spared a round trip for each change. Tried: one statement (a row " +
    "less, and two trips after a change); the entries as JSON in a column of the first, which a changelog of 100 long entries does not fit.",
  "Start-up, processor time": () =>
    "V8 reads all modules at a start, and there is twice the code of 1.0.0. With the modules alone that a start runs, 0.70 of 1.0.0 was measured. What most " +
    "isolates are never asked for runs when it is first needed.",
  "First byte of the slowest page of the desk": () =>
    "No page waits more than twice for the database, which is 170 ms. The rest is the page's own work: 20 ms on the machine of 29 November 2026, 31 ms on one " +
    "where everything takes longer.",
};
