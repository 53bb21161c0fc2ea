/** The entry of a command: `if (import.meta.main) await main(command)`. */
import { createInterface } from "node:readline/promises";
import { type Command, type Definition, defineCommand, type Given, type Options } from "./command.ts";
import { spawnWrangler } from "./run-wrangler.ts";

/** Back to the line's beginning, and without what stands there. */
const ERASE = "\r\u001b[K";

export async function main(command: Command): Promise<void> {
  let isShown = false;
  const showProgress = (line: string) => {
    process.stderr.write(ERASE + line);
    isShown = line !== "";
  };
  const after = (write: (line: string) => void) => (line: string) => {
    if (isShown) showProgress("");
    write(line);
  };
  process.exitCode = await command.run(process.argv.slice(2), {
    folder: process.cwd(),
    variables: process.env,
    // Lines that go into a file leave the terminal's one alone.
    print: process.stdout.isTTY ? after((line) => console.log(line)) : (line) => console.log(line),
    complain: after((line) => console.error(line)),
    showProgress: process.stderr.isTTY ? showProgress : undefined,
    ask: process.stdin.isTTY && process.stdout.isTTY ? ask : undefined,
    runWrangler: spawnWrangler,
  });
  if (isShown) showProgress("");
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
