/** What the operator's commands say to a stranger's options. None of these reaches wrangler. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { openAccount, type StandInAccount } from "../../support/node/stand-in/account.ts";

let account: StandInAccount;

beforeAll(async () => {
  account = await openAccount();
});
afterAll(() => account?.close());

it.each([
  ["backup", ["--nonsense"], "There is no option `--nonsense`."],
  ["deploy", ["staging"], "Unexpected argument 'staging'."],
  ["deploy", ["--env"], "Option '--env <value>' argument missing."],
  ["deploy", ["--wait", "2m"], "--wait 2m: a number of seconds, such as 120."],
  ["rotate-secret", ["--wait", "2m"], "--wait 2m: a number of seconds, such as 120."],
  ["rollback", ["version-6", "version-7"], "Name one version, not several: version-6, version-7."],
  ["suspend", [], "Name the account:"],
  ["suspend", ["a@example.com"], "Use --url https://api.example.com"],
  ["suspend", ["a@example.com", "b@example.com"], "Name one account, not several: a@example.com, b@example.com."],
] as const)("%s %j is refused in a sentence", async (command, args, message) => {
  const { code, stderr } = await account.run(command, ...args);
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(account.calls()).toEqual([]);
});

it.each([
  ["deploy", "dry_run"],
  ["rotate-secret", "end_old"],
] as const)(
  "npm run %s with an option that npm keeps (%s), for want of `--`, does nothing",
  async (command, option) => {
    const { code, stderr } = await account.runWith({ [`npm_config_${option}`]: "true" }, command);
    expect([code, stderr]).toEqual([1, expect.stringContaining("Put `--` before the options.")]);
    expect(account.calls()).toEqual([]);
  },
);

it("npm run deploy --env=staging, without `--`, as npm starts it, does not act on production", async () => {
  const ran = await account.runScript("deploy", "--env=staging");
  expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining("npm kept --env for itself.")]);
  expect(account.calls()).toEqual([]);
});

it("after a failure in an environment the advice is for that environment", async () => {
  account.answers["/health"] = { status: 503, body: "{}" };
  await account.run("deploy", "--env", "staging", "--wait", "0");
  const { stderr } = await account.run("deploy", "--env", "staging", "--wait", "0");
  expect(stderr).toContain("npx wrangler tail --env staging\n");
  expect(stderr).toContain("npm run rollback -- version-1 --env staging\n");
});

it("an operator's secret that is set before the first deployment does not keep it from making its own", async () => {
  account.answers["/health"] = { status: 200, body: "{}" };
  const worker = { secrets: { OPERATOR_SECRET: "set first" }, deployments: [] };
  account.change({ workers: { "edge-access-api": worker } });
  expect(await account.run("deploy")).toMatchObject({ code: 0, stderr: "" });
  const secrets = account.state().workers["edge-access-api"]?.secrets ?? {};
  expect(Object.keys(secrets)).toEqual(["OPERATOR_SECRET", "CREDENTIAL_SECRETS"]);
});
