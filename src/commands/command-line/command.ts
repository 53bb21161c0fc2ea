/**
 * A command that npm runs: its options with a sentence for each, and a function. The help, the usage and the checks of what a person
 * typed are made from the options, so that no command has its own.
 */
import { type ParseArgsOptionDescriptor, parseArgs } from "node:util";
import type { Context } from "./context.ts";
import { Failure } from "./failure.ts";
import { fileProblemOf } from "./file-problem.ts";
import { unknownWord } from "./nearest.ts";

export type Option = ParseArgsOptionDescriptor & {
  /** The placeholder of its value in the usage, such as "<folder>". A boolean has none. */
  readonly value?: string;
  /** One line of the help. */
  readonly help: string;
};

export type Options = Readonly<Record<string, Option>>;

type Parsed<O extends Options> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>;

export type Given<O extends Options> = {
  readonly values: Parsed<O>["values"];
  readonly positionals: readonly string[];
  /** The arguments that are not the command's own, in their order. Empty unless it passes them on. */
  readonly others: readonly string[];
};

export type Definition<O extends Options> = {
  /** The npm script. */
  readonly name: string;
  /** The command's effect, in whole sentences, one a line. */
  readonly summary: readonly string[];
  /** The usage of the arguments without an option, with a line of help for each. */
  readonly positionals?: { readonly usage: string; readonly help: readonly (readonly [string, string])[] };
  /** Which program gets the options that the command does not know. Without it they are refused. */
  readonly passesOnTo?: string;
  readonly options: O;
  run(given: Given<O>, context: Context): Promise<void>;
};

export type Command = {
  readonly name: string;
  readonly help: string;
  /** The exit code. A Failure is printed and makes it 1, and so does a refusal of the file system. Anything else is a defect, and thrown. */
  run(args: readonly string[], context: Context): Promise<number>;
};

export function defineCommand<const O extends Options>(definition: Definition<O>): Command {
  const { name } = definition;
  const help = helpOf(definition);
  return {
    name,
    help,
    async run(args, outside) {
      const context: Context = {
        ...outside,
        print: (line) => outside.print(printable(line)),
        complain: (line) => outside.complain(printable(line)),
      };
      if (args.includes("--help") || args.includes("-h")) {
        context.print(help);
        return 0;
      }
      try {
        await definition.run(read(definition, args, context), context);
        return 0;
      } catch (error) {
        const message = messageOf(error);
        if (message === undefined) throw error;
        context.complain(`\n${message}`);
        return 1;
      }
    },
  };
}

/** Control characters except line breaks and tabs, and characters that change the direction of a line. */
const CONTROL = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/** The text without characters that a terminal obeys, because names and texts in files, stores and answers come from other people. */
const printable = (text: string): string =>
  text.replaceAll(CONTROL, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** The message of a Failure or of an error of the file system, such as a full disk. Undefined for a defect. */
function messageOf(error: unknown): string | undefined {
  if (error instanceof Failure) return error.message;
  const problem = fileProblemOf(error);
  return problem === undefined ? undefined : `${problem}. Fix that, and run it again.`;
}

/** The values that npm may set by itself for an option of the same name. */
const NPM_DEFAULTS: Readonly<Record<string, string>> = { "dry-run": "" };

/** The way in which the option does arrive: behind `--`, and without npm. */
const LOCAL_IS_NPMS =
  "--local is npm's own option: without `--` before it, npm takes it, and the command acts on the deployment. For this machine's databases write --on-this-machine.";

/**
 * Throws a Failure for unknown arguments, and for an option that npm kept for itself: without `--` before it, `npm run
 * deploy --dry-run` would deploy, and `npm run deploy --env=staging` would deploy to production.
 */
function read<O extends Options>(definition: Definition<O>, args: readonly string[], { variables }: Context): Given<O> {
  const { options, positionals, passesOnTo } = definition;
  const kept = Object.keys(options).filter((name) => {
    const taken = variables[`npm_config_${name.replaceAll("-", "_")}`];
    // Scripts set npm's own `yes` for `npx`. If npm kept ours, the command refuses, because it may not ask.
    return name !== "yes" && taken !== undefined && taken !== NPM_DEFAULTS[name];
  });
  if (kept.length > 0)
    throw new Failure(
      `npm kept --${kept.join(", --")} for itself. Put \`--\` before the options.\n${usageOf(definition)}`,
    );
  const [own, others] = passesOnTo === undefined ? [[...args], []] : divide(args, options);
  const unknown = unknownOptions(own, options);
  if (unknown.includes("--local")) throw new Failure(`${LOCAL_IS_NPMS}\n${usageOf(definition)}`);
  if (unknown.length > 0) {
    const known = [...Object.keys(options), "help"].map((name) => `--${name}`);
    const problems = unknown.map((name) => unknownWord(name, known, "option "));
    throw new Failure(`${problems.join(" ")}\n${usageOf(definition)}`);
  }
  try {
    const given = parseArgs({ args: own, options, allowPositionals: positionals !== undefined, tokens: true });
    // A variable that is not set must not choose for the person: `--env "$TARGET"` would act on production.
    const empty = given.tokens.find((token) => token.kind === "option" && token.value === "");
    if (empty?.kind === "option")
      throw new Failure(`${empty.rawName} has no value. Is a variable not set?\n${usageOf(definition)}`);
    return { values: given.values, positionals: given.positionals, others };
  } catch (error) {
    if (error instanceof Failure) throw error;
    // Node adds a hint about arguments that begin with a dash, which no command here has.
    const [problem] = (error instanceof Error ? error.message : String(error)).split(". ");
    throw new Failure(`${problem}.\n${usageOf(definition)}`);
  }
}

/** The options among the arguments that the command does not have, as they were typed. */
function unknownOptions(args: readonly string[], options: Options): string[] {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  return tokens.flatMap((token) =>
    token.kind === "option" && !Object.hasOwn(options, token.name) ? [token.rawName] : [],
  );
}

/** The arguments that belong to the options, and the others. */
function divide(args: readonly string[], options: Options): [own: string[], others: string[]] {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const indexes = tokens.flatMap((token) => {
    if (token.kind !== "option" || !Object.hasOwn(options, token.name)) return [];
    return token.value === undefined || token.inlineValue ? [token.index] : [token.index, token.index + 1];
  });
  const isOwn = (_: string, index: number) => indexes.includes(index);
  return [args.filter(isOwn), args.filter((arg, index) => !isOwn(arg, index))];
}

/** A failure that is answered with the usage. */
export const misused = (problem: string, command: Pick<Command, "help">): Failure =>
  new Failure(`${problem}\n${command.help.split("\n", 1)[0]}`);

function usageOf({ name, positionals, options, passesOnTo }: Definition<Options>): string {
  const parts = [
    ...(positionals === undefined ? [] : [positionals.usage]),
    ...Object.entries(options).map(([option, { value }]) => `[${wordsOf(option, value)}]`),
    ...(passesOnTo === undefined ? [] : [`[options of ${passesOnTo}]`]),
  ];
  return `Usage: npm run ${name}${parts.length === 0 ? "" : ` -- ${parts.join(" ")}`}`;
}

function helpOf(definition: Definition<Options>): string {
  const rows: (readonly [string, string])[] = [
    ...(definition.positionals?.help ?? []),
    ...Object.entries(definition.options).map(([option, { value, help }]) => [wordsOf(option, value), help] as const),
    ["--help", "Prints this, and does nothing."],
  ];
  const width = Math.max(...rows.map(([words]) => words.length));
  const lines = rows.map(([words, help]) => `  ${words.padEnd(width)}  ${help}`);
  return [usageOf(definition), "", ...definition.summary, "", ...lines].join("\n");
}

const wordsOf = (option: string, value: string | undefined) => `--${option}${value === undefined ? "" : ` ${value}`}`;
