/** `npm run check`: generated files, lint, format and types. The tests are commands of their own. */
import { spawnSync } from "node:child_process";
import { defineCommand } from "../command-line/command.ts";
import { Failure } from "../command-line/failure.ts";
import { main } from "../command-line/main.ts";
import { requireTestPackages } from "./test-packages.ts";

const CHECKS = [
  // Before the types: wrangler builds, and writes what is stale.
  ["npm", "run", "build", "--", "--check"],
  ["npm", "run", "types", "--", "--check"],
  ["npm", "run", "lint:openapi"],
  ["node", "test/node_modules/@biomejs/biome/bin/biome", "ci", "."],
  ["npm", "run", "typecheck"],
] as const;

const check = defineCommand({
  name: "check",
  summary: ["Runs, up to the first that fails:", ...CHECKS.map((words) => `- ${words.join(" ")}`)],
  options: {},
  run: async (_, { folder }) => {
    requireTestPackages(folder);
    runEach(CHECKS, folder);
  },
});

/** Throws a Failure that names the one that failed. What they print is shown. */
export function runEach(programs: readonly (readonly string[])[], folder: string): void {
  for (const [program = "", ...args] of programs) {
    const { status } = spawnSync(program, args, { cwd: folder, stdio: "inherit", shell: process.platform === "win32" });
    if (status !== 0) throw new Failure(`${[program, ...args].join(" ")} failed.`);
  }
}

if (import.meta.main) await main(check);
