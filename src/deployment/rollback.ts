/**
 * `npm run rollback`: the version before, or the one that is named. The database keeps its schema: steps are additive, so the
 * version before works with it. Options: --env, --url, --wait.
 */
import { parseArgs } from "node:util";
import { chooseAccount } from "./account.ts";
import { readConfiguration } from "./configuration.ts";
import { runCommand } from "./failure.ts";
import { smokeTest } from "./smoke-test.ts";
import { Wrangler } from "./wrangler.ts";

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    options: { env: { type: "string", default: "" }, url: { type: "string" }, wait: { type: "string", default: "60" } },
    allowPositionals: true,
  });
  const wrangler = new Wrangler(values.env);
  const { accountId, worker } = await readConfiguration(values.env);
  wrangler.accountId = (await chooseAccount(wrangler, accountId)).id;
  await wrangler.run(["rollback", ...positionals.slice(0, 1), "--yes", "--message", "npm run rollback"], {
    show: true,
  });
  if (values.url === undefined) {
    console.log(
      `\n${worker} was rolled back. To test it: npm run rollback -- <the same version> --url https://<your host>`,
    );
    return;
  }
  for (const line of await smokeTest(values.url, Number(values.wait))) console.log(`Smoke test   ${line}`);
});
