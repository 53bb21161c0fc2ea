/**
 * A key in busy use is narrowed and revoked while some answers of its gate are up to six seconds late, and is used again a while after.
 * Drawn from a stream of its own, after all other commands have their numbers, so that a seed's other commands stay what they are.
 */
import { Dice } from "./dice.ts";
import type { Drawing } from "./draw-hung-sessions.ts";
import type { Command, Drawn, Manner } from "./plan.ts";
import { Source } from "./world/random.ts";

const LATEST_MS = 6_000;
/** A change is answered when the longest lease has ended. */
const CHANGED_MS = 7_000;
/** The draws of a pause, and of other addresses. */
const NARROWINGS = [0, 4];

export function drawLateAnswers({ seed, profile, isGates, lastsMs, first }: Drawing): readonly Command[] {
  const dice = new Dice(new Source(`late answers ${profile} ${seed}`));
  if (!isGates || dice.chance(0.6)) return [];
  const key = dice.number(0, 5);
  const rounds = dice.number(2, 6);
  const drawn: Drawn[] = [];
  for (let round = 0, at = dice.number(0, lastsMs); round < rounds; round++) {
    drawn.push(...drawRound(dice, key, at, round === rounds - 1));
    at += CHANGED_MS + LATEST_MS + CHANGED_MS;
  }
  return drawn.map(({ at, command }, index) => ({ id: first + index, at, ...command }));
}

/** The key's limit is made worth leases, then it is used, narrowed, and used again. */
function drawRound(dice: Dice, key: number, begins: number, isLast: boolean): readonly Drawn[] {
  const at = begins + CHANGED_MS;
  const everyMs = dice.of([15, 25, 40]);
  const count = dice.number(20, 60);
  const use = { kind: "whoami", key, isolate: dice.number(0, 3), spread: false } as const;
  const slowMs = { least: 500, most: LATEST_MS };
  const manner: Manner = { isolate: dice.number(0, 3), again: 0, idempotent: false };
  const owner = { kind: "owner", account: 0, key, draw: dice.of(NARROWINGS), ...manner } as const;
  const changedAt = at + count * everyMs + dice.number(0, 500);
  // A late answer may have come just before. Who asks after a revocation is refused for a minute, after a pause for a second.
  const [againAt, again] = isLast
    ? [changedAt + dice.number(1_000, LATEST_MS + 500), { count: 2, everyMs }]
    : [changedAt + dice.number(1_000, 2_000), { count: 6, everyMs: 1_100 }];
  return [
    { at: begins, command: { ...owner, does: "widen" } },
    { at, command: { kind: "fault", store: "gate", how: "late", forMs: count * everyMs, key, slowMs } },
    { at, command: { ...use, count, everyMs } },
    { at: changedAt, command: { ...owner, does: isLast ? "revoke" : "change" } },
    { at: againAt, command: { ...use, ...again } },
  ];
}
