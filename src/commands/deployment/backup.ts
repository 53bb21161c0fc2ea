/**
 * `npm run backup`: exports every database of the deployment into a folder below `backups/`, or into `--output`. `--local` takes
 * the databases of `npm run dev`. D1 answers no requests while it exports.
 */
import { commandLine, readArguments } from "./arguments.ts";
import { openEveryDatabase } from "./every-database.ts";
import { exportAll } from "./export.ts";
import { runCommand } from "./failure.ts";

const USAGE = "npm run backup -- [--output <folder>] [--env staging] [--local]";

await runCommand(async () => {
  const { values } = readArguments(USAGE, {
    options: {
      local: { type: "boolean", default: false },
      env: { type: "string", default: "" },
      output: { type: "string" },
    },
  });
  const folder = values.output ?? `backups/${new Date().toISOString().replaceAll(":", "-")}`;
  await exportAll(await openEveryDatabase(values.env, values.local), folder);
  console.log(
    `\nThe backup is in ${folder}. It holds personal data and the hashes of API keys: keep it as you keep those.`,
  );
  const options = ["--from", folder, ...(values.local ? ["--local"] : [])];
  console.log(`To restore it: ${commandLine("restore", values.env, ...options)}`);
});
