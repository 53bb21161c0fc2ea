/**
 * What histories got later: each draws from a stream of its own, and its commands are numbered after the others, so that what a seed drew
 * before is as it was.
 */
import { Dice } from "./dice.ts";
import type { ApproverDoes, Drawn, FinderDoes, Manner, OddDoes, SyncDoes } from "./plan.ts";
import { Source } from "./world/random.ts";

type Act = (dice: Dice, lastsMs: number, manner: () => Manner) => readonly Drawn[];

export function drawApart(seed: number, profile: string, isGates: boolean, lastsMs: number): readonly Drawn[] {
  const acts: Readonly<Record<string, Act>> = {
    ...(isGates ? { leaks: drawLeaks, operator: drawOperator } : { syncs: drawSyncs, approvals: drawApprovals }),
    health: drawHealth,
    odd: isGates ? drawOddGates : drawOddPanel,
    long: isGates ? drawLongGates : drawLongPanel,
  };
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

/** Panelists submit what waits for approval, and members decide, several at once about the same. */
function drawApprovals(dice: Dice, lastsMs: number, manner: () => Manner): readonly Drawn[] {
  if (dice.chance(0.5)) return [];
  const chosen = () => ({ pick: dice.draw(), draw: dice.draw(), ...manner() });
  const at = (least = 0) => dice.number(least, lastsMs);
  const approver = (does: ApproverDoes, account: number) => {
    const [count, everyMs] = [dice.of([1, 1, 2, 2, 4]), dice.of([0, 0, 0, 5, 40])];
    return { kind: "approver", does, account, count, everyMs, ...chosen() } as const;
  };
  const submit = () => {
    const rest = { token: dice.number(0, 30), count: 1, everyMs: 0, ...chosen() };
    return { kind: "panelist", does: "submitProposal", ...rest } as const;
  };
  const many = (most: number, act: () => Drawn) => Array.from({ length: dice.number(1, most) }, act);
  return [
    ...many(3, () => ({ at: dice.number(0, 1_000), command: approver("requireApproval", dice.number(0, 1)) })),
    ...many(8, () => ({ at: at(1_000), command: submit() })),
    ...many(10, () => ({
      at: at(2_000),
      command: approver(dice.weighed<ApproverDoes>({ decide: 4, listPending: 1 }), dice.number(0, 1)),
    })),
  ];
}

/** Keys are found, and reported later: some again, some after a rotation, and while their owner has them marked. */
function drawLeaks(dice: Dice, lastsMs: number, manner: () => Manner): readonly Drawn[] {
  if (dice.chance(0.6)) return [];
  return Array.from({ length: dice.number(2, 10) }, () => {
    const does = dice.weighed<FinderDoes>({ find: 3, report: 6, mark: 1, end: 1 });
    const [count, everyMs] = [dice.of([1, 1, 2, 3]), dice.of([0, 20, 300])];
    const command = { kind: "finder", does, key: dice.number(0, 5), draw: dice.draw(), count, everyMs } as const;
    return { at: dice.number(0, lastsMs), command: { ...command, ...manner() } };
  });
}

/** The operator revokes and limits keys, which are used a while before and after. */
function drawOperator(dice: Dice, lastsMs: number, manner: () => Manner): readonly Drawn[] {
  if (dice.chance(0.5)) return [];
  return Array.from({ length: dice.number(1, 3) }, () => {
    const at = dice.number(0, lastsMs);
    const key = dice.number(0, 5);
    const limit = { limit: dice.of([1, 5, 20, 400]), windowSeconds: dice.of([1, 10, 60]) };
    const change = { kind: "operatorKey", key, ...(dice.chance(0.5) && { limit }), ...manner() } as const;
    const use = (): Drawn => ({
      at: Math.max(0, at + dice.number(-2_000, 8_000)),
      command: { kind: "whoami", key, count: 10, everyMs: 50, isolate: dice.number(0, 3), spread: dice.chance(0.5) },
    });
    return [use(), { at, command: change }, use(), use()];
  }).flat();
}

function drawHealth(dice: Dice, lastsMs: number): readonly Drawn[] {
  if (dice.chance(0.6)) return [];
  return Array.from({ length: dice.number(1, 6) }, () => {
    const [count, everyMs] = [dice.of([1, 3, 10]), dice.of([0, 300, 1_000, 4_900])];
    const command = { kind: "health", isolate: dice.number(0, 3), count, everyMs } as const;
    return { at: dice.number(0, lastsMs), command };
  });
}

const odd = (dice: Dice, does: OddDoes, manner: () => Manner) =>
  ({ kind: "odd", does, account: dice.number(0, 1), pick: dice.draw(), draw: dice.draw(), ...manner() }) as const;

function drawOddPanel(dice: Dice, lastsMs: number, manner: () => Manner): readonly Drawn[] {
  return Array.from({ length: dice.number(0, 5) }, () => ({
    at: dice.number(0, lastsMs),
    command: odd(
      dice,
      dice.weighed<OddDoes>({ trespass: 5, quota: 2, sameKey: 3, firstVisit: 1, careless: 3 }),
      manner,
    ),
  }));
}

function drawOddGates(dice: Dice, lastsMs: number, manner: () => Manner): readonly Drawn[] {
  if (dice.chance(0.5)) return [];
  return Array.from({ length: dice.number(1, 4) }, () => ({
    at: dice.number(0, lastsMs),
    command: odd(dice, dice.weighed<OddDoes>({ trespass: 3, revokeBySql: 1, firstVisit: 3 }), manner),
  }));
}

/** D1 is away for longer than what memory may be used for, and somebody goes on asking. */
function drawLong(
  dice: Dice,
  lastsMs: number,
): { readonly at: number; readonly forMs: number; readonly outage: Drawn } {
  const [at, forMs] = [dice.number(0, lastsMs), dice.number(330_000, 500_000)];
  return {
    at,
    forMs,
    outage: { at, command: { kind: "fault", store: "d1", how: dice.of(["fails", "hangs"]), forMs } },
  };
}

function drawLongPanel(dice: Dice, lastsMs: number, manner: () => Manner): readonly Drawn[] {
  if (dice.chance(0.92)) return [];
  const { at, forMs, outage } = drawLong(dice, lastsMs);
  const everyMs = dice.of([700, 2_000, 7_000]);
  const rest = { count: Math.ceil((forMs + 20_000) / everyMs), everyMs, pick: dice.draw(), draw: dice.draw() };
  const reads = (["getChangelog", "getCapabilities", "getChangelog"] as const).map((does) => ({
    at: Math.max(0, at - 3_000),
    command: { kind: "panelist", does, token: dice.number(0, 30), ...rest, ...manner(), again: 0 } as const,
  }));
  const edits = Array.from({ length: 4 }, () => ({
    at: at + dice.number(0, 20_000),
    command: {
      kind: "sql",
      does: dice.of(["editProposal", "deleteProposal", "closeIdeaBank"] as const),
      account: dice.number(0, 1),
      pick: dice.draw(),
      draw: dice.draw(),
    } as const,
  }));
  return [outage, ...reads, ...edits];
}

function drawLongGates(dice: Dice, lastsMs: number, manner: () => Manner): readonly Drawn[] {
  if (dice.chance(0.94)) return [];
  const { at, forMs, outage } = drawLong(dice, lastsMs);
  const everyMs = dice.of([400, 2_000, 9_000]);
  const pick = dice.number(0, 5);
  const burst = { key: pick, isolate: dice.number(0, 3), spread: dice.chance(0.3) };
  const count = Math.ceil((forMs + 20_000) / everyMs);
  const use = { kind: "whoami", ...burst, count, everyMs } as const;
  const revocation = { ...odd(dice, "revokeBySql", manner), pick };
  return [
    outage,
    { at: Math.max(0, at - 3_000), command: use },
    { at: at + dice.number(0, 20_000), command: revocation },
  ];
}
