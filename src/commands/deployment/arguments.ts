/** What follows a command of this folder: read, or refused with a sentence and the command's usage. */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { Failure } from "./failure.ts";

/**
 * The options and positional arguments. `--help` prints `usage` and ends. Throws a Failure for what the command does not know, and
 * for an option that npm has taken for its own: without `--` before it, `npm run deploy --dry-run` would deploy.
 */
export function readArguments<const Config extends Omit<ParseArgsConfig, "args">>(usage: string, config: Config) {
  if (process.argv.includes("--help")) {
    console.log(`Usage: ${usage}`);
    process.exit(0);
  }
  for (const name of Object.keys(config.options ?? {})) {
    if (process.env[`npm_config_${name.replaceAll("-", "_")}`] === "true") {
      throw new Failure(`npm has kept --${name} for itself. Write \`--\` before the options.\nUsage: ${usage}`);
    }
  }
  try {
    return parseArgs(config);
  } catch (error) {
    // What Node adds is about arguments that begin with a dash: no command here has any.
    const [problem] = (error instanceof Error ? error.message : String(error)).split(". ");
    throw new Failure(`${problem}.\nUsage: ${usage}`);
  }
}

/** The number of seconds that an option has. Throws a Failure for anything else: a rotation that waits NaN seconds would not wait. */
export function secondsOf(option: string, text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new Failure(`${option} ${text}: a number of seconds, such as 120.`);
}

/** A command as a person types it, for the same environment: advice after `--env staging` must not act on production. */
export function commandLine(name: string, environment: string, ...options: readonly string[]): string {
  const all = [...options, ...(environment === "" ? [] : ["--env", environment])];
  return [`npm run ${name}`, ...(all.length === 0 ? [] : ["--", ...all])].join(" ");
}
