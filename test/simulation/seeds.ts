/** Histories that once broke a promise, as the shortest plans that were found to. */
import { readFileSync, writeFileSync } from "node:fs";
import type { Plan } from "./plan.ts";

/** `known`: it still breaks the promise. */
export type Seed = {
  readonly oracle: string;
  readonly found: string;
  readonly known: boolean;
  readonly plan: Plan;
};

/** `known` are the oracles that random histories break today; the others never. */
export type Seeds = { readonly known: readonly string[]; readonly seeds: readonly Seed[] };

const FILE = `${import.meta.dirname}/seeds.json`;

export const readSeeds = (): Seeds => JSON.parse(readFileSync(FILE, "utf8")) as Seeds;

export function keepSeed(seed: Seed): void {
  const { known, seeds } = readSeeds();
  writeFileSync(FILE, toText({ known: [...new Set([...known, seed.oracle])].toSorted(), seeds: [...seeds, seed] }));
}

/** A seed a line. */
const toText = ({ known, seeds }: Seeds): string =>
  `{"known":${JSON.stringify(known)},"seeds":[\n${seeds.map((seed) => JSON.stringify(seed)).join(",\n")}\n]}\n`;
