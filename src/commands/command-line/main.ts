/** The entry of a command: `if (import.meta.main) await main(command)`. */
import { createInterface } from "node:readline/promises";
import { type Command, type Definition, defineCommand, type Given, type Options } from "./command.ts";
import { spawnWrangler } from "./run-wrangler.ts";

export async function main(command: Command): Promise<void> {
  process.exitCode = await command.run(process.argv.slice(2), {
    folder: process.cwd(),
    variables: process.env,
    print: (line) => console.log(line),
    complain: (line) => console.error(line),
    ask: process.stdin.isTTY && process.stdout.isTTY ? ask : undefined,
    runWrangler: spawnWrangler,
  });
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

/** The options of a script that is not a function. `--help`, and unknown arguments, end the process. */
export async function optionsOf<const O extends Options>(
  definition: Omit<Definition<O>, "run">,
): Promise<Given<O>["values"]> {
  const given: Given<O>[] = [];
  await main(
    defineCommand({
      ...definition,
      run: async (read) => {
        given.push(read);
      },
    }),
  );
  const [read] = given;
  if (read === undefined) process.exit();
  return read.values;
}
