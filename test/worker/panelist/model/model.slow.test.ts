/**
 * The panelist API against a reference model of the whole idea bank. `npm run test:deep` runs more histories than `npm test`, and
 * prints its seed; `VITE_SEED=<seed> npm run test:deep` runs the same ones again.
 */
import fc from "fast-check";
import { it } from "vitest";
import { panelistCommands } from "./panelist-commands.ts";
import { System } from "./system.ts";
import { tenantCommands } from "./tenant-commands.ts";

const HISTORIES = Number(import.meta.env.VITE_HISTORIES ?? 50);
/** Thirty times what a history takes on a quiet machine. */
const HISTORY_TIMEOUT_MS = 15_000;
const SEED = Number(import.meta.env.VITE_SEED ?? Date.now() % 2 ** 31);

it(
  `every answer that panelists read is the reference model's, after each command of ${HISTORIES} histories`,
  async () => {
    console.log(`${HISTORIES} histories, seed ${SEED}`);
    const commands = fc.commands([...panelistCommands, ...tenantCommands], { maxCommands: 25, size: "max" });
    await fc.assert(
      fc.asyncProperty(commands, (history) => fc.asyncModelRun(System.start, history)),
      { numRuns: HISTORIES, seed: SEED },
    );
  },
  HISTORIES * HISTORY_TIMEOUT_MS,
);
