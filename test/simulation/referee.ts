/** Plays a plan and judges its history; shrinks a plan that breaks a promise. */
import type { Application } from "./application.ts";
import type { History, Oracle, Violation } from "./history.ts";
import { learnSalts } from "./oracles/seen/credentials.ts";
import type { Command, Plan } from "./plan.ts";
import { play } from "./play.ts";

export type Broken = { readonly oracle: string; readonly violation: Violation };
export type Judged = { readonly history: History; readonly objectMs: number; readonly broken: readonly Broken[] };

export async function judge(plan: Plan, application: Application, oracles: readonly Oracle[]): Promise<Judged> {
  const { history, objectMs } = await play(plan, application);
  learnSalts(history);
  const broken = oracles.flatMap(({ name, check }) => check(history).map((violation) => ({ oracle: name, violation })));
  return { history, objectMs, broken };
}

/** How many plans are tried at most. */
const TRIES = 400;

/**
 * The shortest plan that was found to break the same oracle: without commands, larger and larger shares of them at first, and with
 * fewer requests in those that are left.
 */
export async function shrink(plan: Plan, application: Application, oracle: Oracle): Promise<Plan> {
  let tries = 0;
  let best = plan;
  const isBroken = async (commands: readonly Command[]): Promise<boolean> => {
    tries += 1;
    const smaller = { ...plan, commands };
    if ((await judge(smaller, application, [oracle])).broken.length === 0) return false;
    best = smaller;
    return true;
  };
  for (
    let size = Math.ceil(plan.commands.length / 2);
    size >= 1 && tries < TRIES;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let from = 0; from < best.commands.length && tries < TRIES; ) {
      const without = best.commands.toSpliced(from, size);
      if (!(await isBroken(without))) from += size;
    }
  }
  for (const [index, command] of best.commands.entries()) {
    let current = command;
    while ("count" in current && current.count > 1 && tries < TRIES) {
      const smaller: Command = { ...current, count: Math.floor(current.count / 2) };
      if (!(await isBroken(best.commands.with(index, smaller)))) break;
      current = smaller;
    }
  }
  return best;
}
