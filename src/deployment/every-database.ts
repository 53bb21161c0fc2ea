/** The D1 databases of wrangler.toml, and wrangler's commands on them. */
import { spawnSync } from "node:child_process";
import { unstable_readConfig } from "wrangler";

export type Place = "--local" | "--remote";

/** The bindings of all databases: each command here works over all of them. */
export function databaseBindings(environment: string | undefined): string[] {
  const { d1_databases } = unstable_readConfig({ config: "wrangler.toml", ...(environment && { env: environment }) });
  return d1_databases.map(({ binding }: { binding: string }) => binding);
}

/** Runs `wrangler d1 …`, with its questions and its output where the operator sees them. Throws when it fails. */
export function runD1(args: readonly string[], environment: string | undefined): void {
  const all = ["d1", ...args, ...(environment === undefined ? [] : ["--env", environment])];
  const { status, error } = spawnSync("wrangler", all, { stdio: ["inherit", "inherit", "inherit"] });
  if (error !== undefined) throw error;
  if (status !== 0) throw new CommandFailed(`wrangler ${all.join(" ")} ended with ${status}.`);
}

/** What an operator is told in one line. */
export class CommandFailed extends Error {}

/** Runs a command; what failed is one line, and anything else a defect with its stack. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}
