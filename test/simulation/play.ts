/** Plays a plan: first the accounts that it starts with, then its commands, each at its time, then quiet until all has settled. */

import { Actors } from "./actors.ts";
import type { Application } from "./application.ts";
import type { History } from "./history.ts";
import type { Command, Plan, Setting } from "./plan.ts";
import { EPOCH } from "./world/globals.ts";
import { Source } from "./world/random.ts";
import { World } from "./world/world.ts";

/** Of the plan's time, after which its commands begin. */
const SETUP_MS = 5_000;
/** Long enough for a gate to hear of all that isolates have decided, and for a replica to catch up. */
const QUIET_MS = 130_000;
/** Long enough for every gate to hand its counts to D1. */
const DAY_MS = 86_400_000;

export type Played = { readonly history: History; readonly objectMs: number };

export async function play(plan: Plan, application: Application): Promise<Played> {
  const { seed, setting, commands } = plan;
  return onStage(seed, setting, application, async ({ world, actors, source }) => {
    const begin = Math.max(SETUP_MS, Math.ceil(world.timeline.now));
    const happening = commands.map((command) =>
      happen(world, actors, source.of(`command ${command.id}`), command, begin),
    );
    await Promise.all(happening);
    await settle(world, actors, source.of("settling"));
    const history: History = {
      seed,
      epoch: EPOCH,
      settings: setting.settings,
      events: world.events,
      settled: Object.fromEntries(world.databases.map((database, digit) => [String(digit), database.dump()])),
    };
    return { history, objectMs: world.gates.busyMs };
  });
}

export type Stage = { readonly world: World; readonly actors: Actors; readonly source: Source };

/** Does the work in a new world, whose accounts are set up. Time passes until the work is done. */
export async function onStage<Result>(
  seed: number,
  setting: Setting,
  application: Application,
  work: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  const source = new Source(`seed ${seed}`);
  const world = new World({ source: source.of("world"), application, ...setting });
  try {
    const actors = new Actors(world, source.of("actors"));
    await until(world, actors.setUp(setting.accounts));
    const result = work({ world, actors, source });
    await until(world, result);
    return await result;
  } finally {
    world.close();
  }
}

/** Time passes until the promise is settled. */
async function until(world: World, work: Promise<unknown>): Promise<void> {
  let isOver = false;
  let failure: unknown;
  work.then(
    () => {
      isOver = true;
    },
    (error: unknown) => {
      isOver = true;
      failure = error;
    },
  );
  await world.timeline.run(() => isOver);
  if (failure !== undefined) throw failure;
}

async function happen(world: World, actors: Actors, source: Source, command: Command, begin: number): Promise<void> {
  await world.timeline.sleep(begin + command.at - world.timeline.now);
  await actors.perform(source, command);
}

async function settle(world: World, actors: Actors, source: Source): Promise<void> {
  const { timeline } = world;
  await timeline.sleep(QUIET_MS);
  await world.runScheduled(source.of("first"));
  await world.runScheduled(source.of("second"));
  await actors.deliverAll(source.of("delivering"));
  // The gates of the keys that this was asked with hear of it.
  if (await actors.catchUp(source.of("catching up"))) await timeline.sleep(QUIET_MS);
  await actors.lookAtAll(source.of("looking"));
  await timeline.sleep(DAY_MS);
}
