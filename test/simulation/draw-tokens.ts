/**
 * Visitors, and tokens that a tenant's own server signs. Drawn from a stream of its own, after all other commands have their numbers, so
 * that a seed's other commands stay what they are.
 */
import { Dice } from "./dice.ts";
import type { Drawing } from "./draw-hung-sessions.ts";
import type { Command, Manner, TokenDoes } from "./plan.ts";
import { PANELIST } from "./weights.ts";
import { Source } from "./world/random.ts";

export function drawTokens({ seed, profile, isGates, lastsMs, first }: Drawing): readonly Command[] {
  const dice = new Dice(new Source(`tokens ${profile} ${seed}`));
  if (isGates || dice.chance(0.3)) return [];
  const manner = (): Manner => ({
    isolate: dice.number(0, 3),
    again: dice.chance(0.6) ? dice.number(1, 3) : 0,
    idempotent: dice.chance(0.3),
    ...(dice.chance(0.06) && { leavesAfterMs: dice.number(2, 400) }),
    ...(dice.chance(0.06) && { losesAnswer: true }),
  });
  const command = (id: number, at: number, does: TokenDoes): Command => ({
    ...{ id, at, kind: "token", does, act: dice.weighed(PANELIST) },
    ...{ account: dice.number(0, 1), pick: dice.draw(), draw: dice.draw() },
    ...{ count: dice.of([1, 1, 2, 4, 12]), everyMs: dice.of([0, 100, 700, 1_000]) },
    ...manner(),
  });
  const begins = Array.from({ length: 6 }, (_, index) =>
    command(first + index, dice.number(0, 2_000), index % 2 === 0 ? "issueVisitor" : "readSecret"),
  );
  const then = Array.from({ length: dice.number(10, 40) }, (_, index) => {
    const does = dice.weighed<TokenDoes>({
      useVisitor: 12,
      useSigned: 18,
      issueVisitor: 3,
      readSecret: 3,
      endVisitors: 2,
      rotateSecret: 1.5,
      revokePerson: 3,
    });
    return command(first + begins.length + index, dice.number(1_000, lastsMs), does);
  });
  return [...begins, ...then];
}
