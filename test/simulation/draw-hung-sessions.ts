/**
 * D1 sessions hang while the database answers without them (emdash-cms/emdash#1273), and people go on reading and writing. Drawn from a
 * stream of its own, after all other commands have their numbers, so that a seed's other commands stay what they are.
 */
import { Dice } from "./dice.ts";
import type { Command, Drawn, Manner, PanelistDoes, TenantDoes, UseDoes } from "./plan.ts";
import { Source } from "./world/random.ts";

export type Drawing = {
  readonly seed: number;
  readonly profile: string;
  readonly isGates: boolean;
  readonly lastsMs: number;
  /** The number of the first command. */
  readonly first: number;
};

/** Somebody asks from a little before the hang until sessions are used again. */
const BEFORE_MS = 3_000;
const AFTER_MS = 25_000;
const READS: readonly PanelistDoes[] = [
  "getChangelog",
  "getCapabilities",
  "listPanelistProposals",
  "getPanelistProposal",
  "listPanelistComments",
];
const WRITES: readonly PanelistDoes[] = ["vote", "unvote", "addComment", "submitProposal"];
const CHANGES: readonly TenantDoes[] = ["updateProposal", "createProposal", "issueToken", "revokeTokens"];
const USES: readonly UseDoes[] = ["whoami", "listSurveys", "listPanelists", "createSurvey"];

export function drawHungSessions({ seed, profile, isGates, lastsMs, first }: Drawing): readonly Command[] {
  const dice = new Dice(new Source(`hung sessions ${profile} ${seed}`));
  if (!dice.chance(profile === "outage" ? 0.3 : 0.04)) return [];
  const at = dice.number(0, lastsMs);
  const forMs = dice.of([8_000, 20_000, 45_000, 90_000]);
  const name = dice.chance(0.3) ? { name: dice.of(["0", "1"]) } : {};
  const fault: Drawn = { at, command: { kind: "fault", store: "d1", how: "sessions-hang", forMs, ...name } };
  const span = { begins: Math.max(0, at - BEFORE_MS), ends: at + forMs + AFTER_MS };
  const asked = isGates ? drawTenants(dice, span) : drawPanelists(dice, span);
  return [fault, ...asked, drawHealth(dice, span)].map(({ at, command }, index) => ({
    id: first + index,
    at,
    ...command,
  }));
}

type Span = { readonly begins: number; readonly ends: number };

const many = (number: number, draw: () => Drawn): readonly Drawn[] => Array.from({ length: number }, draw);

const drawManner = (dice: Dice): Manner => ({
  isolate: dice.number(0, 3),
  again: dice.chance(0.3) ? 1 : 0,
  idempotent: dice.chance(0.5),
  ...(dice.chance(0.06) && { leavesAfterMs: dice.number(2, 400) }),
});

/** All the time, or some of it. */
const drawRepeated = (dice: Dice, { begins, ends }: Span) => {
  const at = dice.chance(0.5) ? begins : dice.number(begins, ends);
  const everyMs = dice.of([400, 1_500, 6_000]);
  return { at, everyMs, count: Math.min(60, Math.ceil((ends - at) / everyMs)) };
};

function drawPanelists(dice: Dice, span: Span): readonly Drawn[] {
  const panelist = (does: PanelistDoes): Drawn => {
    const { at, ...repeated } = drawRepeated(dice, span);
    const chosen = { token: dice.number(0, 30), pick: dice.draw(), draw: dice.draw() };
    return { at, command: { kind: "panelist", does, ...repeated, ...chosen, ...drawManner(dice) } };
  };
  const tenant = (): Drawn => {
    const chosen = { account: dice.number(0, 1), pick: dice.draw(), draw: dice.draw() };
    return {
      at: dice.number(span.begins, span.ends),
      command: { kind: "tenant", does: dice.of(CHANGES), ...chosen, ...drawManner(dice) },
    };
  };
  return [
    ...many(dice.number(2, 5), () => panelist(dice.of(READS))),
    ...many(dice.number(0, 2), () => panelist(dice.of(WRITES))),
    ...many(dice.number(0, 8), tenant),
  ];
}

function drawTenants(dice: Dice, span: Span): readonly Drawn[] {
  return many(dice.number(2, 5), () => {
    const { at, ...repeated } = drawRepeated(dice, span);
    const whose = { key: dice.number(0, 5), secret: "held", isolate: dice.number(0, 3) } as const;
    const spread = dice.chance(0.4);
    return { at, command: { kind: "use", does: dice.of(USES), ...whose, ...repeated, spread, draw: dice.draw() } };
  });
}

const drawHealth = (dice: Dice, { begins, ends }: Span): Drawn => ({
  at: begins,
  command: { kind: "health", isolate: dice.number(0, 3), everyMs: 6_000, count: Math.ceil((ends - begins) / 6_000) },
});
