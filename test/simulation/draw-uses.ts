/**
 * Who else uses a key, and when its owner looks at it: drawn from a stream of its own, after all other commands have their numbers,
 * so that a seed's other commands stay what they are.
 */
import { Dice } from "./dice.ts";
import type { Command, UseDoes } from "./plan.ts";
import { Source } from "./world/random.ts";

type Without<C> = C extends unknown ? Omit<C, "id" | "at"> : never;

const USES: Readonly<Record<UseDoes, number>> = {
  whoami: 4,
  listSurveys: 3,
  listPanelists: 2,
  getSurvey: 2,
  createSurvey: 2,
};
/** An owner looks while the key is used, and when what was used last must be shown. */
const LOOKS_AFTER_MS = 90_000;

export function drawUses(seed: number, profile: string, lastsMs: number, first: number): Command[] {
  const dice = new Dice(new Source(`uses ${profile} ${seed}`));
  const drawn: (Without<Command> & { readonly at: number })[] = [];
  for (let use = dice.number(1, 8); use > 0; use--) {
    drawn.push({
      kind: "use",
      at: dice.number(0, lastsMs),
      does: dice.weighed(USES),
      secret: dice.weighed({ held: 5, any: 4, forged: 1 }),
      key: dice.number(0, 5),
      count: dice.of([1, 1, 2, 5, 20]),
      everyMs: dice.of([0, 20, 300, 1_000]),
      isolate: dice.number(0, 3),
      spread: dice.chance(0.4),
      draw: dice.draw(),
    });
  }
  for (let look = dice.number(3, 10); look > 0; look--) {
    drawn.push({
      kind: "owner",
      does: "look",
      at: dice.number(0, lastsMs + LOOKS_AFTER_MS),
      account: 0,
      key: dice.number(0, 5),
      draw: 0,
      isolate: dice.number(0, 3),
      again: 0,
      idempotent: false,
    });
  }
  return drawn.map((command, index) => ({ ...command, id: first + index }));
}
