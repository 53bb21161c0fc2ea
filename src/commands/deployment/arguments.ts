/** Options that several commands of this folder share, and their rules. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Option } from "../command-line/command.ts";
import type { Context } from "../command-line/context.ts";
import { Failure } from "../command-line/failure.ts";

export const ENVIRONMENT = {
  type: "string",
  default: "",
  value: "<name>",
  help: "An environment of wrangler.toml, such as staging. Without it the top level.",
} as const satisfies Option;

/** `--local` is not used, because npm takes it silently, and the command would then change the deployment. */
export const ON_THIS_MACHINE = "on-this-machine";
export const LOCAL = {
  type: "boolean",
  default: false,
  help: "The databases of `npm run dev` on this machine, in .wrangler/state, instead of the deployment's.",
} as const satisfies Option;

/** The name that wrangler has for it. `wrangler d1 export` lacks the option, and so do `backup` and `restore`. */
export const PERSIST_TO = "persist-to";
export const STATE_FOLDER = {
  type: "string",
  value: "<folder>",
  help: "With --on-this-machine: the folder of its data, for a server that was started with --persist-to.",
} as const satisfies Option;

/** A place on this machine, if it is one. */
export type Here = { readonly [ON_THIS_MACHINE]: boolean; readonly [PERSIST_TO]?: string | undefined };

/** The options for the same place on this machine, for advice. */
export const hereAgain = ({ [PERSIST_TO]: state }: Here): readonly string[] => [
  `--${ON_THIS_MACHINE}`,
  ...(state === undefined ? [] : [`--${PERSIST_TO}`, state]),
];

/** The folder of the local data, if one is named. Throws a Failure for one without data: wrangler would make an empty database there. */
export function stateFolderOf({ folder }: Context, here: Here): string | undefined {
  const state = here[PERSIST_TO];
  if (state === undefined) return undefined;
  if (!here[ON_THIS_MACHINE]) throw new Failure(`--${PERSIST_TO} is for --${ON_THIS_MACHINE}.`);
  if (existsSync(join(resolve(folder, state), "v3/d1"))) return resolve(folder, state);
  throw new Failure(
    `There is no data of a local server in ${state}: it has no folder v3/d1. Name the folder that its server was started with.`,
  );
}

/** The number of seconds that an option has. Throws a Failure for anything else: a rotation that waits NaN seconds would not wait. */
export function secondsOf(option: string, text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new Failure(`${option} ${text}: a number of seconds, such as 120.`);
}

const ON_THIS_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Throws a Failure for a text that is no address of the web. One that only lacks its beginning is named with it. */
export function addressOf(option: string, url: string): URL {
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(url);
  if (hasScheme && URL.canParse(url)) return new URL(url);
  // "localhost:8787" alone is a URL with the scheme "localhost:".
  const whole = `https://${url}`;
  if (hasScheme || !URL.canParse(whole))
    throw new Failure(`${option} ${url} is not an address. Write one such as https://api.example.com.`);
  const scheme = isThisHost(new URL(whole)) ? "http" : "https";
  throw new Failure(`${option} ${url} has no ${scheme}:// in front. Write ${option} ${scheme}://${url}.`);
}

export const isThisHost = ({ hostname }: URL): boolean => ON_THIS_HOST.test(hostname);

/** Throws a Failure for a URL that cannot be called. */
export function requireAddress(option: string, url: string | undefined): void {
  if (url === undefined || /^https?:$/.test(addressOf(option, url).protocol)) return;
  throw new Failure(`${option} ${url} is not an address of the web. Write one such as https://api.example.com.`);
}

/**
 * A command as a person types it, for the same environment: advice after `--env staging` must not act on production. Its arguments
 * are quoted, because some are other people's texts.
 */
export function commandLine(name: string, environment: string, ...options: readonly string[]): string {
  const all = [...options, ...(environment === "" ? [] : ["--env", environment])];
  return [`npm run ${name}`, ...(all.length === 0 ? [] : ["--", ...all.map(shellWord)])].join(" ");
}

/** Advice with commands in it, for the same environment. */
export const inEnvironment = (advice: string, environment: string): string =>
  environment === ""
    ? advice
    : advice.replaceAll(
        /npm run [\w-]+( -- [^;,]+)?|npx wrangler [\w ]+/g,
        (command, options: string | undefined) =>
          `${command}${options === undefined && command.startsWith("npm") ? " --" : ""} --env ${shellWord(environment)}`,
      );

/** Placeholders such as `<account>` are for a person to replace. */
const HARMLESS = /^(?:[\w@%+:,./-]+|<[\w -]+>|\[<[\w -]+>\])$/;

/** An argument as a shell reads it: an address may have a backtick in it, or `$(…)`, which a shell would run. */
export const shellWord = (text: string): string => (HARMLESS.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
