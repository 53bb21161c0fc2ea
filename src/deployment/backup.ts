/**
 * `npm run backup`: exports every database of the deployment into a folder below `backups/`, or into `--output`. `--local` takes
 * the databases of `npm run dev`. D1 answers no requests while it exports.
 */
import { parseArgs } from "node:util";
import { runCommand } from "./every-database.ts";
import { exportAll } from "./export.ts";

const { values } = parseArgs({
  options: { local: { type: "boolean" }, env: { type: "string" }, output: { type: "string" } },
});

await runCommand(async () => {
  const folder = values.output ?? `backups/${new Date().toISOString().replaceAll(":", "-")}`;
  exportAll(folder, values.local ? "--local" : "--remote", values.env);
  console.log(
    `\nThe backup is in ${folder}. It holds personal data and the hashes of API keys: keep it as you keep those.`,
  );
  console.log(`To restore it: npm run restore -- --from ${folder}${values.local ? " --local" : ""}`);
});
