/** Every oracle that judges a history. */
import { existsSync } from "node:fs";
import { CHECKS } from "./checks.ts";
import type { Oracle } from "./history.ts";

export async function loadOracles(): Promise<readonly Oracle[]> {
  const index = `${import.meta.dirname}/oracles/index.ts`;
  if (!existsSync(index)) return CHECKS;
  const { ORACLES } = (await import(index)) as { readonly ORACLES: readonly Oracle[] };
  return [...CHECKS, ...ORACLES];
}
