/**
 * Surveys, and their answers. Drawn from a stream of its own, after all other commands have their numbers, so that a seed's other commands
 * stay what they are.
 */
import { Dice } from "./dice.ts";
import type { Drawing } from "./draw-hung-sessions.ts";
import type { Command, Manner, SurveyDoes } from "./plan.ts";
import { Source } from "./world/random.ts";

type SurveyCommand = Command & { readonly kind: "survey" };

const DOES: Readonly<Record<SurveyDoes, number>> = {
  answer: 24,
  repeat: 6,
  takeBack: 5,
  look: 5,
  close: 1.5,
  reopen: 6,
  limit: 3,
  retitle: 3,
  record: 3,
  unrecord: 1,
  deletePerson: 1,
  delete: 0.5,
  open: 2,
};
const MANY: ReadonlySet<SurveyDoes> = new Set(["answer", "repeat", "takeBack", "record"]);
/** A limit is reached while others answer, and a close comes between answers. */
const AFTER_MS = [1, 5, 20, 100];

export function drawSurveys({ seed, profile, isGates, lastsMs, first }: Drawing): readonly Command[] {
  const dice = new Dice(new Source(`surveys ${profile} ${seed}`));
  if (isGates || dice.chance(0.3)) return [];
  const manner = (): Manner => ({
    isolate: dice.number(0, 3),
    again: dice.chance(0.6) ? dice.number(1, 3) : 0,
    idempotent: dice.chance(0.5),
    ...(dice.chance(0.06) && { leavesAfterMs: dice.number(2, 400) }),
    ...(dice.chance(0.06) && { losesAnswer: true }),
  });
  const command = (at: number, does: SurveyDoes, survey = dice.number(0, 5)): Omit<SurveyCommand, "id"> => ({
    ...{ kind: "survey", at, does, survey, account: dice.number(0, 1), pick: dice.draw(), draw: dice.draw() },
    ...(MANY.has(does)
      ? { count: dice.of([1, 1, 2, 3, 5]), everyMs: dice.of([0, 0, 5, 300]) }
      : { count: 1, everyMs: 0 }),
    ...manner(),
  });
  const opened = Array.from({ length: dice.number(1, 3) }, () => command(dice.number(0, 1_000), "open"));
  const then = Array.from({ length: dice.number(12, 50) }, () => {
    const at = dice.number(1_000, lastsMs);
    const drawn = command(at, dice.weighed(DOES));
    if (drawn.does !== "answer" || !dice.chance(0.25)) return [drawn];
    const meanwhile = dice.of(["close", "limit", "takeBack", "deletePerson"] as const);
    return [drawn, command(at + dice.of(AFTER_MS), meanwhile, drawn.survey)];
  }).flat();
  return [...opened, ...then].map((one, index) => ({ ...one, id: first + index }));
}
