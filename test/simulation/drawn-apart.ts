/**
 * What histories got later: each draws from a stream of its own, and its commands are numbered after the others, so that what a seed drew
 * before is as it was.
 */
import { Dice } from "./dice.ts";
import type { Drawn, Manner, SyncDoes } from "./plan.ts";
import { Source } from "./world/random.ts";

type Act = (dice: Dice, lastsMs: number, manner: () => Manner) => readonly Drawn[];

export function drawApart(seed: number, profile: string, isGates: boolean, lastsMs: number): readonly Drawn[] {
  const acts: Readonly<Record<string, Act>> = isGates ? {} : { syncs: drawSyncs };
  return Object.entries(acts).flatMap(([name, act]) => {
    const dice = new Dice(new Source(`plan ${profile} ${seed} ${name}`));
    const manner = (): Manner => ({
      isolate: dice.number(0, 3),
      again: dice.chance(0.6) ? dice.number(1, 3) : 0,
      idempotent: dice.chance(0.3),
      ...(dice.chance(0.06) && { leavesAfterMs: dice.number(2, 400) }),
      ...(dice.chance(0.06) && { losesAnswer: true }),
    });
    return act(dice, lastsMs, manner);
  });
}

/** A tenant's nightly sync, and others that use the same ids meanwhile. */
function drawSyncs(dice: Dice, lastsMs: number, manner: () => Manner): readonly Drawn[] {
  if (dice.chance(0.4)) return [];
  return Array.from({ length: dice.number(3, 15) }, () => {
    const does = dice.weighed<SyncDoes>({
      upsertProposal: 12,
      createProposal: 2,
      updateProposal: 3,
      listProposals: 2,
      deleteProposal: 2,
    });
    const isMany = does === "upsertProposal" || dice.chance(0.3);
    const [count, everyMs] = isMany ? [dice.of([1, 2, 2, 3, 6]), dice.of([0, 0, 5, 100, 1_000])] : [1, 0];
    const chosen = { account: dice.number(0, 1), pick: dice.draw(), draw: dice.draw() };
    const command = { kind: "sync", does, count, everyMs, ...chosen, ...manner() } as const;
    return { at: dice.number(0, lastsMs), command };
  });
}
