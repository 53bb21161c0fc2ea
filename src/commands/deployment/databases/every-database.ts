/** The D1 databases of wrangler.toml, and wrangler's commands on them: of the deployment, or of `npm run dev` on this machine. */
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { resolve } from "node:path";
import type { Session } from "../../../worker/store/session.ts";
import type { Context } from "../../command-line/context.ts";
import { Failure } from "../../command-line/failure.ts";
import { commandLine, type Here, ON_THIS_MACHINE, PERSIST_TO, stateFolderOf } from "../arguments.ts";
import { type Account, chooseAccount } from "../cloudflare/account.ts";
import { type Resource, readConfiguration } from "../cloudflare/configuration.ts";
import { Wrangler } from "../cloudflare/wrangler.ts";
import { onOneLine, type Row, sessionOver } from "./wrangler-session.ts";

/** Has the directories of owners, members and invited people. */
export const DIRECTORY = "DB";

const LOCAL_TRIES = 4;

/** How a database without tables gets them. */
export const MADE_HERE = "`npm run dev` creates the databases of this machine, in .wrangler/state.";
export const madeBy = (environment: string): string => `\`${commandLine("deploy", environment)}\` creates the schema.`;

/** `environment` is "" for the top level of wrangler.toml. `account` is null for the databases of this machine. */
export type DatabaseOwner = { readonly environment: string; readonly account: Account | null };

export type EveryDatabase = {
  readonly context: Context;
  /** The owner of the databases, in the words of wrangler's options: "--local --env staging". */
  readonly which: string;
  /** In the order of wrangler.toml. */
  readonly bindings: readonly string[];
  readonly resources: readonly Resource[];
  /**
   * Must be called before the other functions. Returns the owner of the databases. Throws a Failure when nobody is logged in.
   * Does nothing on this machine.
   */
  logIn(): Promise<DatabaseOwner>;
  /** Exports a database into a file. */
  export(binding: string, file: string): Promise<void>;
  /** Runs a file of SQL: all of it, or nothing. */
  execute(binding: string, file: string): Promise<void>;
  /** Runs a statement, or several with semicolons between them as one transaction. Returns the rows of the first one. */
  query(binding: string, sql: string): Promise<readonly Row[]>;
  /** The same. Returns the rows of each statement. */
  queryAll(binding: string, sql: string): Promise<readonly (readonly Row[])[]>;
  /** For the Worker's own SQL. */
  session(binding: string): Session;
  /** D1 Time Travel. */
  travel(binding: string, timestamp: string): Promise<void>;
};

/**
 * `environment` is "" for the top level. Throws a Failure when wrangler.toml has no such environment, and for a folder of `here`
 * that has no data. Wrangler takes that folder for queries alone.
 */
export async function openEveryDatabase(context: Context, environment: string, here: Here): Promise<EveryDatabase> {
  const local = here[ON_THIS_MACHINE];
  const state = stateFolderOf(context, here);
  const wrangler = new Wrangler(context, environment);
  const { accountId, databases } = await readConfiguration(context.folder, environment);
  const place = local ? "--local" : "--remote";
  const places = state === undefined ? [place] : [place, `--${PERSIST_TO}`, state];
  const send = async (binding: string, sql: string): Promise<readonly (readonly Row[])[]> => {
    const call = ["d1", "execute", binding, ...places, "--yes", "--json", "--command", sql];
    const answers = await wrangler.json<{ results?: Row[] }[]>(call).catch((error: unknown) => {
      const [, kind, name] = (error instanceof Failure && /no such (table|column): ([\w.]+)/.exec(error.message)) || [];
      if (kind === undefined) throw error;
      // Without accounts there is nothing at all.
      if (kind === "table" && name !== "accounts")
        throw new Failure(
          `${binding} has no table ${name}. \`npm run doctor\` says what else is missing, and what to do.`,
        );
      const state = kind === "table" ? "has no tables yet" : "has an older schema than this version";
      throw new Failure(`${binding} ${state}. ${local ? MADE_HERE : madeBy(environment)}`);
    });
    return answers.map(({ results }) => results ?? []);
  };
  const queryAll: EveryDatabase["queryAll"] = (binding, sql) => send(binding, onOneLine(sql));
  return {
    context,
    which: [place, ...(environment === "" ? [] : ["--env", environment])].join(" "),
    bindings: databases.map(({ binding }) => binding),
    resources: databases,
    async logIn() {
      if (local) return { environment, account: null };
      const account = await chooseAccount(wrangler, accountId);
      wrangler.accountId = account.id;
      return { environment, account };
    },
    async export(binding, file) {
      const args = ["d1", "export", binding, place, "--output", file, "--skip-confirmation"];
      await wrangler.run(args);
      if (!local) return;
      // On Cloudflare, D1 answers no requests while it exports. Here a server may write between two tables, so the export is
      // repeated until nothing has changed in between.
      const path = resolve(context.folder, file);
      let before = digestOf(path);
      for (let tries = 1; tries <= LOCAL_TRIES; tries++) {
        await wrangler.run(args);
        const now = digestOf(path);
        if (now === before) return;
        before = now;
      }
      throw new Failure(
        `A server keeps writing to ${binding}, so its export would not be of a single moment. Stop \`npm run dev\` and try again.`,
      );
    },
    async execute(binding, file) {
      await wrangler.run(["d1", "execute", binding, place, "--yes", "--file", file]);
    },
    query: async (binding, sql) => (await queryAll(binding, sql))[0] ?? [],
    queryAll,
    session: (binding) => sessionOver((sql) => send(binding, sql)),
    async travel(binding, timestamp) {
      await wrangler.run(["d1", "time-travel", "restore", binding, `--timestamp=${timestamp}`]);
    },
  };
}

/** The digest of a file of any size. */
function digestOf(path: string): string {
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(1_048_576);
  const descriptor = openSync(path, "r");
  try {
    for (let read = readSync(descriptor, buffer); read > 0; read = readSync(descriptor, buffer))
      hash.update(buffer.subarray(0, read));
  } finally {
    closeSync(descriptor);
  }
  return hash.digest("hex");
}
