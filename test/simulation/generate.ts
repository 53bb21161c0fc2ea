/** Plans out of seeds. A profile says what they are mostly about. */
import { Dice } from "./dice.ts";
import { drawHungSessions } from "./draw-hung-sessions.ts";
import { drawLateAnswers } from "./draw-late-answers.ts";
import { drawSurveys } from "./draw-surveys.ts";
import { drawTokens } from "./draw-tokens.ts";
import { drawUses } from "./draw-uses.ts";
import { drawApart } from "./drawn-apart.ts";
import type { Store } from "./history.ts";
import type { Drawn, Manner, Plan, PlannedAccount, Setting, TenantDoes, WebhookDoes } from "./plan.ts";
import { PANELIST, SQL, TENANT } from "./weights.ts";
import type { DatabasePart, How } from "./world/faults.ts";
import { Source } from "./world/random.ts";
import type { Mood } from "./world/receivers.ts";

export const PROFILES = ["gates", "panel", "replicas", "outage", "changes"] as const;
export type Profile = (typeof PROFILES)[number];

const HOWS: readonly How[] = ["fails", "hangs", "slow", "loses-answers"];

export function generate(seed: number, profile: Profile): Plan {
  const dice = new Dice(new Source(`plan ${profile} ${seed}`));
  const isGates = profile === "gates" || (profile === "outage" && dice.chance(0.4));
  const lastsMs = isGates ? dice.number(5_000, 90_000) : dice.number(5_000, 60_000);
  const drawn: Drawn[] = [];
  const add: Add = (command, at = dice.number(0, lastsMs)) => drawn.push({ at, command });
  const setting = drawSetting(dice, profile, isGates);
  const manner = (): Manner => ({
    isolate: dice.number(0, 3),
    again: dice.chance(0.6) ? dice.number(1, 3) : 0,
    idempotent: dice.chance(0.7),
    ...(dice.chance(0.06) && { leavesAfterMs: dice.number(2, 400) }),
    ...(dice.chance(0.05) && { losesAnswer: true }),
  });
  if (isGates) {
    drawBursts(dice, lastsMs, add);
    drawOwners(dice, lastsMs, manner, add);
    if (dice.chance(0.25)) drawUnreachable(dice, lastsMs, manner, add);
  } else {
    drawPanel(dice, lastsMs, manner, add);
    if (profile === "changes") {
      drawFollowers(dice, manner, add);
      if (dice.chance(0.7)) drawWebhooks(dice, lastsMs, manner, add);
    }
  }
  drawTrouble(dice, profile, isGates, lastsMs, add);
  const first = drawn.toSorted((one, other) => one.at - other.at);
  const commands = [...first, ...drawApart(seed, profile, isGates, lastsMs)].map(({ at, command }, id) => ({
    id,
    at,
    ...command,
  }));
  const uses = isGates ? drawUses(seed, profile, lastsMs, commands.length) : [];
  const drawnBefore = [...commands, ...uses];
  const hang = drawHungSessions({ seed, profile, isGates, lastsMs, first: drawnBefore.length });
  const withHang = [...drawnBefore, ...hang];
  const late = drawLateAnswers({ seed, profile, isGates, lastsMs, first: withHang.length });
  const withLate = [...withHang, ...late];
  const tokens = drawTokens({ seed, profile, isGates, lastsMs, first: withLate.length });
  const withTokens = [...withLate, ...tokens];
  const surveys = drawSurveys({ seed, profile, isGates, lastsMs, first: withTokens.length });
  return { seed, profile, setting, commands: [...withTokens, ...surveys].toSorted((one, other) => one.at - other.at) };
}

function drawSetting(dice: Dice, profile: Profile, isGates: boolean): Setting {
  const isolates = dice.number(1, 4);
  const accounts: PlannedAccount[] = Array.from(
    { length: isGates ? dice.number(1, 2) : dice.of([1, 1, 1, 2]) },
    (_, index) => ({
      owner: `owner${index}@example.com`,
      keys: isGates ? Array.from({ length: dice.number(1, 3) }, () => ({ ...drawLimit(dice) })) : [],
      ideaBanks: isGates ? 0 : dice.of([1, 1, 2]),
      panelists: 2,
    }),
  );
  const isFar = profile === "replicas" || dice.chance(0.4);
  return {
    places: Array.from({ length: isolates }, () => (isGates ? dice.of([0, 0, 1]) : isFar ? dice.of([0, 1, 1, 2]) : 0)),
    lag:
      profile === "replicas"
        ? dice.of([
            { least: 50, most: 3_000 },
            { least: 500, most: 20_000 },
            { least: 10, most: 200_000 },
          ])
        : { least: 20, most: 2_000 },
    newAccounts: dice.of(["0", "0", "1", "01"]),
    settings: {
      freshnessMs: dice.of([1_000, 1_000, 5_000, 0]),
      anchorMs: dice.of([10_000, 10_000, 6_000, 0]),
      leaseMs: dice.of([1_000, 1_000, 1_000, 5_000, 0]),
    },
    panelistLimits: dice.of([
      { reads: 300, writes: 30 },
      { reads: 300, writes: 30 },
      { reads: 5, writes: 3 },
    ]),
    accounts,
  };
}

const drawLimit = (dice: Dice) => ({
  limit: dice.of([1, 3, 10, 19, 20, 30, 60, 100, 400]),
  windowSeconds: dice.of([1, 2, 5, 10, 60]),
});

type Add = (command: Drawn["command"], at?: number) => void;

function drawBursts(dice: Dice, lastsMs: number, add: Add): void {
  for (let burst = dice.number(4, 16); burst > 0; burst--) {
    const count = dice.of([1, 2, 5, 10, 20, 40, 80]);
    const everyMs = dice.of([0, 0, 1, 5, 20, 50, 100, 250, 1_000]);
    add(
      { kind: "whoami", key: dice.number(0, 5), count, everyMs, isolate: dice.number(0, 3), spread: dice.chance(0.4) },
      dice.number(0, lastsMs),
    );
  }
}

function drawOwners(dice: Dice, lastsMs: number, manner: () => Manner, add: Add): void {
  for (let act = dice.number(1, 8); act > 0; act--) {
    const does = dice.weighed({ revoke: 4, rotate: 4, create: 3, change: 4, list: 2, activity: 1 });
    const command = {
      kind: "owner",
      does,
      account: dice.number(0, 1),
      key: dice.number(0, 5),
      draw: dice.draw(),
      ...manner(),
    } as const;
    const at = dice.number(0, lastsMs);
    add(command, at);
    // Sent twice at the same moment.
    if (dice.chance(0.1)) add({ ...command, ...manner() }, at);
    if (dice.chance(0.5))
      add({ kind: "whoami", key: command.key, count: 10, everyMs: 30, isolate: dice.number(0, 3), spread: true }, at);
  }
  if (dice.chance(0.4)) {
    const at = dice.number(0, lastsMs);
    add({ kind: "operator", account: dice.number(0, 1), status: "suspended", ...manner(), again: 3 }, at);
    if (dice.chance(0.7))
      add(
        { kind: "operator", account: dice.number(0, 1), status: "active", ...manner(), again: 3 },
        at + dice.number(500, 20_000),
      );
  }
  if (dice.chance(0.25)) add({ kind: "limit", key: dice.number(0, 5), ...drawLimit(dice) });
}

/** A key is revoked while its gate cannot be reached, then its account is suspended; somebody goes on using it. */
function drawUnreachable(dice: Dice, lastsMs: number, manner: () => Manner, add: Add): void {
  const key = dice.number(0, 5);
  const account = dice.number(0, 1);
  const at = dice.number(0, lastsMs);
  const forMs = dice.number(1_000, 30_000);
  const rest = { account, draw: dice.draw(), ...manner(), again: dice.number(0, 1) };
  add({ kind: "whoami", key, count: 120, everyMs: 500, isolate: dice.number(0, 3), spread: dice.chance(0.5) }, at);
  add({ kind: "fault", store: "gate", how: dice.of(HOWS), forMs, key }, at + 1_000);
  add({ kind: "owner", does: dice.of(["revoke", "change", "rotate"]), key, ...rest }, at + 1_500);
  const then = at + 1_500 + dice.number(500, 40_000);
  add({ kind: "operator", account, status: "suspended", ...manner(), again: 2 }, then);
  if (dice.chance(0.3)) add({ kind: "operator", account, status: "active", ...manner(), again: 2 }, then + 5_000);
}

function drawPanel(dice: Dice, lastsMs: number, manner: () => Manner, add: Add): void {
  for (let act = dice.number(10, 60); act > 0; act--) {
    add({
      kind: "tenant",
      does: dice.weighed(TENANT),
      account: dice.number(0, 1),
      pick: dice.draw(),
      draw: dice.draw(),
      ...manner(),
    });
  }
  for (let act = dice.number(20, 80); act > 0; act--) {
    const count = dice.of([1, 1, 1, 2, 5, 10]);
    const everyMs = dice.of([0, 0, 50, 300]);
    const command = {
      kind: "panelist",
      does: dice.weighed(PANELIST),
      token: dice.number(0, 30),
      count,
      everyMs,
      pick: dice.draw(),
      draw: dice.draw(),
      ...manner(),
    } as const;
    add(command);
  }
  for (let act = dice.number(0, 8); act > 0; act--) {
    add({ kind: "sql", does: dice.weighed(SQL), account: dice.number(0, 1), pick: dice.draw(), draw: dice.draw() });
  }
  for (let at = dice.number(0, 60_000); at < lastsMs; at += 60_000) {
    add({ kind: "scheduled" }, at);
    // Two at the same time; or one that is killed, and another in the middle of what it has left.
    if (dice.chance(0.4))
      add(
        { kind: "scheduled", ...(dice.chance(0.5) && { endsAfterMs: dice.number(5, 400) }) },
        at - dice.number(0, 300),
      );
  }
  if (dice.chance(0.3)) drawCrowd(dice, lastsMs, manner, add);
  for (let act = dice.chance(0.4) ? dice.number(2, 12) : 0; act > 0; act--) {
    const does = dice.weighed({ add: 3, remove: 2, act: 4 });
    add({ kind: "member", does, account: dice.number(0, 1), pick: dice.draw(), draw: dice.draw(), ...manner() });
  }
  if (dice.chance(0.15)) {
    const at = dice.number(0, lastsMs);
    add({ kind: "operator", account: 0, status: "suspended", ...manner(), again: 3 }, at);
    add({ kind: "operator", account: 0, status: "active", ...manner(), again: 3 }, at + dice.number(500, 20_000));
  }
}

function drawFollowers(dice: Dice, manner: () => Manner, add: Add): void {
  for (let reads = dice.number(3, 15); reads > 0; reads--) {
    const limit = dice.of([1, 2, 3, 7, 20, 100]);
    const everyMs = dice.of([0, 0, 20, 300, 3_000]);
    add({ kind: "follow", account: dice.number(0, 1), count: dice.number(1, 8), limit, everyMs, ...manner() });
  }
}

function drawWebhooks(dice: Dice, lastsMs: number, manner: () => Manner, add: Add): void {
  const mood = (): Mood => dice.of(["takes", "fails", "hangs", "changes"]);
  const act = (does: WebhookDoes, at?: number) =>
    add(
      { kind: "webhook", does, account: dice.number(0, 1), pick: dice.draw(), mood: mood(), ...manner() },
      at ?? dice.number(0, lastsMs),
    );
  for (let made = dice.number(1, 3); made > 0; made--) act("create", dice.number(0, lastsMs / 3));
  for (let more = dice.number(2, 10); more > 0; more--)
    act(dice.weighed<WebhookDoes>({ mood: 8, pause: 1, resume: 2, rotate: 1, test: 2 }));
  // Jobs beside each other, and some that are killed wherever they are.
  for (let job = dice.number(1, 5); job > 0; job--)
    add({ kind: "scheduled", ...(dice.chance(0.5) && { endsAfterMs: dice.number(5, 2_000) }) });
}

/** What is merged or deleted has more votes or comments than are moved or deleted at once; jobs do the rest. */
function drawCrowd(dice: Dice, lastsMs: number, manner: () => Manner, add: Add): void {
  const chosen = { account: dice.number(0, 1), pick: dice.draw(), draw: dice.draw() };
  const at = dice.number(0, lastsMs);
  add({ kind: "sql", does: "addVoters", ...chosen }, at);
  add({ kind: "sql", does: "addComments", ...chosen }, at);
  const does = dice.weighed<TenantDoes>({ mergeProposal: 5, deleteProposal: 2, deleteIdeaBank: 1, deletePanelist: 2 });
  add({ kind: "tenant", does, ...chosen, ...manner() }, at + dice.number(1, 2_000));
  for (let job = dice.number(0, 3); job > 0; job--)
    add(
      { kind: "scheduled", ...(dice.chance(0.5) && { endsAfterMs: dice.number(5, 400) }) },
      at + dice.number(1, 4_000),
    );
}

function drawTrouble(dice: Dice, profile: Profile, isGates: boolean, lastsMs: number, add: Add): void {
  const isOutage = profile === "outage";
  const stores = isGates ? (["gate", "gate", "d1"] as const) : (["d1", "d1", "kv", "gate", "limiter"] as const);
  for (let fault = isOutage ? dice.number(1, 4) : dice.chance(0.35) ? 1 : 0; fault > 0; fault--) {
    const store = dice.of(stores);
    const part = store === "d1" ? dice.of([undefined, "primary", "replica"] as const) : undefined;
    const how = drawHow(dice, store, part);
    const slowMs = dice.of([
      { least: 100, most: 1_500 },
      { least: 900, most: 4_000 },
      { least: 2_000, most: 25_000 },
    ]);
    const forMs = dice.of([500, 3_000, 12_000, 30_000, 80_000]);
    const key = store === "gate" && dice.chance(0.5) ? { key: dice.number(0, 5) } : {};
    const name = store === "d1" && dice.chance(0.3) ? { name: dice.of(["0", "1"]) } : {};
    add({ kind: "fault", store, how, forMs, slowMs, ...(part && { part }), ...key, ...name });
  }
  for (let end = dice.chance(0.35) ? dice.number(1, 3) : 0; end > 0 && isGates; end--) {
    add({ kind: "gate", key: dice.number(0, 5), how: dice.of(["crash", "crash", "deploy"]) });
  }
  if (dice.chance(0.15)) add({ kind: "isolate", isolate: dice.number(0, 3) });
  // Clocks that differ from the beginning, and some that step.
  for (let isolate = 0; isolate < 4; isolate++)
    if (dice.chance(0.4)) add({ kind: "clock", isolate, by: dice.number(-300, 300) }, 0);
  if (dice.chance(0.12))
    add({ kind: "clock", isolate: dice.number(0, 3), by: dice.of([-5_000, -1_000, -50, 50, 1_000, 5_000]) });
  if (isGates && dice.chance(0.06))
    add(
      { kind: "clock", key: dice.number(0, 5), by: dice.of([-5_000, -1_000, -50, 50, 1_000]) },
      dice.number(0, lastsMs),
    );
}

function drawHow(dice: Dice, store: Store, part: DatabasePart | undefined): How {
  if (part === "replica" && dice.chance(0.3)) return "stopped";
  if (store === "d1" && dice.chance(0.15)) return "full";
  if (store === "gate" && dice.chance(0.15)) return "overloads";
  return dice.of(HOWS);
}

export const isProfile = (name: string): name is Profile => PROFILES.some((profile) => profile === name);
