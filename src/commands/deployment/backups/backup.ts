/**
 * `npm run backup`: exports every database of the deployment into a folder below `backups/`, or into `--output`. `--on-this-machine`
 * takes the databases of `npm run dev`. D1 answers no requests while it exports.
 */
import { join } from "node:path";
import { defineCommand } from "../../command-line/command.ts";
import { Failure } from "../../command-line/failure.ts";
import { main } from "../../command-line/main.ts";
import { nameSome } from "../../command-line/name-some.ts";
import { commandLine, ENVIRONMENT, LOCAL, ON_THIS_MACHINE } from "../arguments.ts";
import { MADE_HERE, madeBy, openEveryDatabase } from "../databases/every-database.ts";
import { exportAll } from "../databases/export.ts";
import { describeMissing, foreignObjects, missingObjects, readSchemaSteps } from "../databases/schema-steps.ts";
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
    const steps = await readSchemaSteps(join(context.folder, "migrations"));
    const foreign: string[] = [];
    await exportAll(databases, folder, (exported) => {
      for (const { binding, schema } of exported) {
        if (schema.objects.length === 0)
          throw new Failure(
            `${binding} has no tables: there is nothing to back up, and no backup was kept. ` +
              (values[ON_THIS_MACHINE] ? MADE_HERE : madeBy(values.env)),
          );
        const missing = missingObjects(schema, steps);
        if (missing.length > 0)
          throw new Failure(
            `${binding} is incomplete: it has ${describeMissing(missing)}. No backup was kept. ` +
              "Keep the earlier ones, which may be whole. `npm run doctor` says what to do.",
          );
        foreign.push(...foreignObjects(schema, steps).map((one) => `${one} of ${binding}`));
      }
    });
    writeManifest(databases, { owner, folder, now: new Date() });
    context.print(
      `\nThe backup is in ${folder}. It holds personal data, the hashes of API keys and the secrets of webhooks: protect it accordingly.`,
    );
    const options = ["--from", folder, ...(values[ON_THIS_MACHINE] ? [`--${ON_THIS_MACHINE}`] : [])];
    if (foreign.length > 0)
      context.print(
        `A restore refuses this backup as it is, because this version's schema has no ${nameSome(foreign)}: remove their statements from the files first.`,
      );
    context.print(`To restore it: ${commandLine("restore", values.env, ...options)}`);
  },
});

if (import.meta.main) await main(backup);
