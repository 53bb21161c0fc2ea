/** `npm run deploy` and the signing secrets: which it makes, and when it refuses. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAccount, type StandInAccount } from "../../../support/node/stand-in/account.ts";

let account: StandInAccount;

beforeEach(async () => {
  account = await openAccount();
});
afterEach(() => account.close());

const configuration = () => readFile(join(account.checkout, "wrangler.toml"), "utf8");
const edit = async (change: (toml: string) => string) =>
  writeFile(join(account.checkout, "wrangler.toml"), change(await configuration()));
const deploy = () => account.run("deploy");

async function deployWell() {
  const ran = await deploy();
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  return ran.stdout;
}

const SECOND = 'SIGNING_SECRETS = "CREDENTIAL_SECRETS_2"';

describe("a wrangler.toml that names another slot than the deployed version signs with", () => {
  it.each([
    ["older than the last rotation", true],
    ["newer, without its secret", false],
  ])("%s: is refused before the deployment, and says what to do", async (_, isOlder) => {
    await deployWell();
    const older = await configuration();
    if (isOlder) {
      await account.run("rotate-secret", "--wait", "0");
      await writeFile(join(account.checkout, "wrangler.toml"), older);
    } else {
      await edit((toml) => toml.replace(/^SIGNING_SECRETS = .*$/m, SECOND));
    }
    const before = account.state().workers;
    const { code, stderr } = await deploy();
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("Pull the change to wrangler.toml that the rotation made"),
    ]);
    expect(account.state().workers).toEqual(before);
  });
});

it("a slot that signs and whose secret was deleted is refused before the deployment", async () => {
  await deployWell();
  const { "edge-access-api": its, ...workers } = account.state().workers;
  account.change({
    workers: {
      ...workers,
      "edge-access-api": { secrets: { CREDENTIAL_SECRETS_2: "x" }, deployments: its?.deployments ?? [] },
    },
  });
  account.calls();
  expect((await deploy()).stderr).toContain("names CREDENTIAL_SECRETS, and the Worker has no secret of that name");
  expect(account.calls().filter((call) => call.startsWith("deploy --config"))).toEqual([]);
});

it("a new account is deployed from a wrangler.toml after a rotation, also when a run was interrupted between the secrets", async () => {
  await edit((toml) => toml.replace(/^SIGNING_SECRETS = .*$/m, SECOND));
  account.change({ failures: ["secret put CREDENTIAL_SECRETS_2"] });
  expect((await deploy()).code).toBe(1);
  expect(await deployWell()).toContain("Secret       CREDENTIAL_SECRETS_2 made and set\n");
  expect(Object.keys(account.state().workers["edge-access-api"]?.secrets ?? {})).toEqual([
    "CREDENTIAL_SECRETS",
    "CREDENTIAL_SECRETS_2",
  ]);
});
