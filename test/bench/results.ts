/** What a run was planned to do, and what it measured. */
import type { CostPlan, CostResult } from "./measure/cost.ts";
import type { DeskPlan, DeskResult } from "./measure/desk.ts";
import type { MemoryPlan, MemoryResult } from "./measure/memory.ts";
import type { ScalePlan, ScaleResult } from "./measure/scale.ts";
import type { GroupResult, SpeedPlan } from "./measure/speed.ts";
import type { StartUpResult } from "./measure/start-up.ts";
import type { WorldPlan, WorldResult } from "./measure/world.ts";

export type Plan = {
  readonly speed: SpeedPlan;
  readonly cost: CostPlan;
  readonly scale: ScalePlan;
  readonly memory: MemoryPlan;
  readonly world: WorldPlan;
  readonly desk: DeskPlan;
  readonly starts: number;
};

export type Results = {
  readonly plan: Plan;
  readonly startedAt: Date;
  readonly minutes: number;
  readonly versions: Record<string, string>;
  readonly speed: readonly GroupResult[];
  readonly cost: readonly CostResult[];
  readonly scale: readonly ScaleResult[];
  readonly memory: MemoryResult;
  readonly world: WorldResult;
  readonly desk: DeskResult;
  readonly startUp: StartUpResult;
};
