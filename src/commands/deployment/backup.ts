/**
 * `npm run backup`: exports every database of the deployment into a folder below `backups/`, or into `--output`. `--on-this-machine`
 * takes the databases of `npm run dev`. D1 answers no requests while it exports.
 */
import { defineCommand } from "../command-line/command.ts";
import { Failure } from "../command-line/failure.ts";
import { main } from "../command-line/main.ts";
import { commandLine, ENVIRONMENT, LOCAL, ON_THIS_MACHINE } from "./arguments.ts";
import { MADE_HERE, madeBy, openEveryDatabase } from "./every-database.ts";
import { exportAll } from "./export.ts";
import { describeOwner, writeManifest } from "./manifest.ts";

export const backup = defineCommand({
  name: "backup",
  summary: [
    "Exports every database, reads each file back, and says what it holds. D1 answers no requests in the meantime.",
  ],
  options: {
    output: { type: "string", value: "<folder>", help: "Where to write. Without it a new folder below backups/." },
    [ON_THIS_MACHINE]: LOCAL,
    env: ENVIRONMENT,
  },
  run: async ({ values }, context) => {
    const folder = values.output ?? `backups/${new Date().toISOString().replaceAll(":", "-")}`;
    const databases = await openEveryDatabase(context, values.env, values);
    const owner = await databases.logIn();
    context.print(`Backs up ${describeOwner(owner)}.`);
    await exportAll(databases, folder, ([without]) => {
      if (without === undefined) return;
      throw new Failure(
        `${without} has no tables: there is nothing to back up, and no backup was kept. ` +
          (values[ON_THIS_MACHINE] ? MADE_HERE : madeBy(values.env)),
      );
    });
    writeManifest(databases, { owner, folder, now: new Date() });
    context.print(
      `\nThe backup is in ${folder}. It holds personal data, the hashes of API keys and the secrets of webhooks: protect it accordingly.`,
    );
    const options = ["--from", folder, ...(values[ON_THIS_MACHINE] ? [`--${ON_THIS_MACHINE}`] : [])];
    context.print(`To restore it: ${commandLine("restore", values.env, ...options)}`);
  },
});

if (import.meta.main) await main(backup);
