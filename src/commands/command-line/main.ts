/** The entry of a command: `if (import.meta.main) await main(command)`. */
import type { Command } from "./command.ts";
import { spawnWrangler } from "./run-wrangler.ts";

export async function main(command: Command): Promise<void> {
  process.exitCode = await command.run(process.argv.slice(2), {
    folder: process.cwd(),
    variables: process.env,
    print: (line) => console.log(line),
    complain: (line) => console.error(line),
    runWrangler: spawnWrangler,
  });
}
