/** The D1 databases of wrangler.toml, and wrangler's commands on them: of the deployment, or of `npm run dev` on this machine. */
import type { Context } from "../command-line/context.ts";
import { chooseAccount } from "./account.ts";
import { readConfiguration } from "./configuration.ts";
import { Wrangler } from "./wrangler.ts";

export type Row = Readonly<Record<string, unknown>>;

export type EveryDatabase = {
  readonly context: Context;
  /** Whose they are, in the words of the options: "--local --env staging". */
  readonly which: string;
  /** In the order of wrangler.toml. */
  readonly bindings: readonly string[];
  /** Needed before what follows. Throws a Failure when nobody is logged in. Nothing to do on this machine. */
  logIn(): Promise<void>;
  /** Exports a database into a file. */
  export(binding: string, file: string): Promise<void>;
  /** Runs a file of SQL: all of it, or nothing. */
  execute(binding: string, file: string): Promise<void>;
  /** Runs statements in one transaction. Returns the rows of the last one. */
  query(binding: string, ...statements: string[]): Promise<readonly Row[]>;
  /** D1 Time Travel. */
  travel(binding: string, timestamp: string): Promise<void>;
};

/** `environment` is "" for the top level. Throws a Failure when wrangler.toml has no such environment. */
export async function openEveryDatabase(context: Context, environment: string, local: boolean): Promise<EveryDatabase> {
  const wrangler = new Wrangler(context, environment);
  const { accountId, databases } = await readConfiguration(context.folder, environment);
  const place = local ? "--local" : "--remote";
  return {
    context,
    which: [place, ...(environment === "" ? [] : ["--env", environment])].join(" "),
    bindings: databases.map(({ binding }) => binding),
    async logIn() {
      if (!local) wrangler.accountId = (await chooseAccount(wrangler, accountId)).id;
    },
    async export(binding, file) {
      await wrangler.run(["d1", "export", binding, place, "--output", file, "--skip-confirmation"]);
    },
    async execute(binding, file) {
      await wrangler.run(["d1", "execute", binding, place, "--yes", "--file", file]);
    },
    async query(binding, ...statements) {
      const oneLine = statements.join("; ").replace(/\s+/g, " ");
      const answers = await wrangler.json<{ results: Row[] }[]>([
        ...["d1", "execute", binding, place, "--yes", "--json", "--command", oneLine],
      ]);
      return answers.at(-1)?.results ?? [];
    },
    async travel(binding, timestamp) {
      await wrangler.run(["d1", "time-travel", "restore", binding, `--timestamp=${timestamp}`]);
    },
  };
}
