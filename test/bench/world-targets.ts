/** The targets that only the simulated world can show: what is waited for far from home, and how old an answer is. */
import type { WorldResult } from "./measure/world.ts";
import type { Verdict } from "./targets.ts";
import { outcomeOf } from "./world-report.ts";

/** `FRESHNESS_SECONDS` and `ANCHOR_SECONDS`, by default. */
const OLDEST_MS = 11_000;
/** Beyond what the bare route waits for, which is nothing. */
const BUSY_WAIT_MS = 1;

const LATE_REPLICA =
  "A session with a bookmark waits at a replica that has not reached it. When that takes longer than usual, the primary is asked, too. After 2 s without an answer of either " +
  "the read counts as an outage, and the last snapshot is served.";

const FINDINGS: Record<string, string> = {
  "whoami, a key in use, across the world":
    "A request that waits for its key's gate waits for the distance to it. `LEASE_SECONDS=0` always does; with leases, see how often the " +
    "busiest key called its gate (What ends first).",
  "Changelog, the oldest answer": LATE_REPLICA,
  "A revoked token, last admitted": LATE_REPLICA,
};

export function judgeWorld(world: WorldResult): Verdict[] {
  const whoami = outcomeOf(world, "whoami: ours");
  const changelog = outcomeOf(world, "changelog: ours");
  const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(1)} s`;
  const worst = (name: Parameters<typeof outcomeOf>[1]) =>
    Math.max(...outcomeOf(world, name).places.map(({ busiest }) => busiest.p50));
  const medians = whoami.places.map(({ busiest }) => busiest.p50);
  const apart = Math.max(...medians) - Math.min(...medians);
  const busy = Math.max(...changelog.places.map(({ busiest }) => busiest.p99));
  const oldest = Math.max(...changelog.places.map(({ visible }) => visible.max));
  const revoked = changelog.revocation.lastAdmittedMs ?? Number.POSITIVE_INFINITY;
  const verdict = (what: string, target: string, measured: string, met: boolean, beside: string): Verdict => ({
    what,
    question: "waits",
    target,
    measured,
    met,
    beside,
    ...(!met && { finding: FINDINGS[what] ?? "Not looked into yet." }),
  });
  return [
    verdict(
      "whoami, a key in use, across the world",
      "p50 as next door, within 1 ms",
      `${apart.toFixed(1)} ms apart`,
      apart <= BUSY_WAIT_MS,
      `farthest p50 of peers: D1 and a stored count ${worst("whoami: peer: D1 look-up and a stored count each time").toFixed(0)} ms, better-auth ${worst("whoami: peer: better-auth").toFixed(0)} ms`,
    ),
    verdict(
      "Changelog, a busy idea bank",
      `p99 waits ≤ ${BUSY_WAIT_MS} ms`,
      `${busy.toFixed(1)} ms`,
      busy <= BUSY_WAIT_MS,
      `farthest p50 of peers: D1 each time ${worst("changelog: peer: D1 each time").toFixed(0)} ms, KV each time ${worst("changelog: peer: KV each time").toFixed(0)} ms`,
    ),
    verdict(
      "Changelog, the oldest answer",
      `≤ ${seconds(OLDEST_MS)}`,
      seconds(oldest),
      oldest <= OLDEST_MS,
      `KV each time ${seconds(Math.max(...outcomeOf(world, "changelog: peer: KV each time").places.map(({ visible }) => visible.max)))}`,
    ),
    verdict(
      "A revoked token, last admitted",
      `≤ ${seconds(OLDEST_MS)}`,
      seconds(revoked),
      revoked <= OLDEST_MS,
      outcomeOf(world, "changelog: peer: KV each time").revocation.lastAdmittedMs === null
        ? "KV each time: to the end"
        : "",
    ),
    verdict(
      "A revoked key, admitted after the owner's answer",
      "0 requests",
      `${whoami.revocation.admittedAfter} requests`,
      whoami.revocation.admittedAfter === 0,
      `the owner waits ${seconds(whoami.revocation.answeredMs)}`,
    ),
  ];
}
