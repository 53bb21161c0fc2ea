/**
 * `npm run rollback`: the version before, or the one that is named. The database keeps its schema: steps are additive, so the
 * version before works with it.
 */
import { chooseAccount } from "./account.ts";
import { readArguments, secondsOf } from "./arguments.ts";
import { readConfiguration } from "./configuration.ts";
import { Failure, runCommand } from "./failure.ts";
import { smokeTest } from "./smoke-test.ts";
import { Wrangler } from "./wrangler.ts";

const USAGE = "npm run rollback -- [<version id>] [--url https://api.example.com] [--wait 60] [--env staging]";

await runCommand(async () => {
  const { values, positionals } = readArguments(USAGE, {
    options: { env: { type: "string", default: "" }, url: { type: "string" }, wait: { type: "string", default: "60" } },
    allowPositionals: true,
  });
  if (positionals.length > 1) throw new Failure(`Name one version.\nUsage: ${USAGE}`);
  const seconds = secondsOf("--wait", values.wait);
  const wrangler = new Wrangler(values.env);
  const { accountId, worker } = await readConfiguration(values.env);
  wrangler.accountId = (await chooseAccount(wrangler, accountId)).id;
  await wrangler.run(["rollback", ...positionals, "--yes", "--message", "npm run rollback"], {
    show: true,
  });
  if (values.url === undefined) {
    console.log(`\n${worker} was rolled back. To test it: curl https://<your host>/health`);
    return;
  }
  for (const line of await smokeTest(values.url, seconds, values.env)) console.log(`Smoke test   ${line}`);
});
