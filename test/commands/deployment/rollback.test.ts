/** `npm run rollback` against an account of the stand-in for wrangler. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAccount, type StandInAccount } from "../../support/node/stand-in/account.ts";

let account: StandInAccount;

beforeEach(async () => {
  account = await openAccount();
  for (const _ of ["the first version", "the second"]) expect(await account.run("deploy")).toMatchObject({ code: 0 });
  account.calls();
});
afterEach(() => account.close());

const worker = () => account.state().workers["edge-access-api"];
const accountWorker = () => account.state().workers["edge-access-api-account"];

it("returns to the version before, and tests it where an address is named", async () => {
  const ran = await account.run("rollback", "--url", account.origin);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("Smoke test   GET /health: 200") });
  expect(account.calls()).toEqual([
    "whoami --json",
    "deployments list --json",
    "versions view version-1 --json",
    "versions deploy version-1@100% --yes --message npm run rollback",
    "deployments list --json --config wrangler.account.json",
    "versions deploy version-1@100% --yes --message npm run rollback --config wrangler.account.json",
  ]);
  expect([worker, accountWorker].map((one) => one()?.deployments.at(-1)?.version)).toEqual(["version-1", "version-1"]);
});

it("returns to the version that is named, as an operator types it", async () => {
  const ran = await account.runNpm("rollback", "version-1");
  expect([ran.code, ran.stderr]).toEqual([0, ""]);
  expect(ran.stdout).toContain("edge-access-api was rolled back to version-1.");
  expect(ran.stdout).toContain("edge-access-api-account was rolled back to version-1.");
  expect(worker()?.deployments.at(-1)?.version).toBe("version-1");
});

it("says so when there is no version before", async () => {
  const { secrets, deployments } = worker() ?? { secrets: {}, deployments: [] };
  account.change({ workers: { "edge-access-api": { secrets, deployments: deployments.slice(0, 1) } } });
  expect(await account.run("rollback")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("no version before"),
  });
});

it("passes on what else Cloudflare refuses", async () => {
  account.change({ failures: ["versions deploy"] });
  const { code, stderr } = await account.run("rollback");
  expect([code, stderr]).toEqual([1, expect.stringContaining("Nothing was changed:\n✘ [ERROR] A request to")]);
});

describe("Account Settings", () => {
  it("stays as it is when it had its version then, as before a rotation", async () => {
    await account.run("rotate-secret", "--wait", "0");
    const before = accountWorker();
    const version = worker()?.deployments.at(-2)?.version ?? "";
    const { code, stdout } = await account.run("rollback", version, "--older-secrets");
    expect([code, stdout]).toEqual([0, expect.stringContaining("edge-access-api-account stays as it is.")]);
    expect(accountWorker()).toEqual(before);
  });

  it("stays as it is for a version from before it was a Worker", async () => {
    const { "edge-access-api-account": its, ...workers } = account.state().workers;
    const deployments = (its?.deployments ?? []).map((one) => ({ ...one, at: one.at + 100 }));
    account.change({ workers: { ...workers, "edge-access-api-account": { secrets: {}, deployments } } });
    expect((await account.run("rollback", "version-1")).stdout).toContain("edge-access-api-account stays as it is.");
  });

  it("that could not be rolled back is named, and running it again completes it", async () => {
    account.change({ failures: ["versions deploy version-1@100% --yes --message npm run rollback --config"] });
    const { code, stderr } = await account.run("rollback");
    expect([code, stderr]).toEqual([1, expect.stringContaining("To try again: npm run rollback -- version-1")]);
    expect((await account.run("rollback", "version-1")).stdout).toContain("edge-access-api-account was rolled back to");
  });
});

describe("past a rotation", () => {
  beforeEach(async () => {
    expect((await account.run("rotate-secret", "--wait", "0")).stderr).toBe("");
  });

  it("refuses, with the reason and the way on: a secret that leaked would sign again", async () => {
    const before = worker();
    const { code, stderr } = await account.run("rollback", "version-2");
    expect(code).toBe(1);
    expect(stderr).toContain("signs with CREDENTIAL_SECRETS, and wrangler.toml says CREDENTIAL_SECRETS_2");
    expect(stderr).toContain("npm run rollback -- version-2 --older-secrets");
    expect(worker()).toEqual(before);
  });

  it("refuses a version with the same slot, whose other secret was ended since", async () => {
    const version = worker()?.deployments.at(-1)?.version ?? "";
    await account.run("rotate-secret", "--end-old", "--now");
    const before = worker();
    const { code, stderr } = await account.run("rollback", version);
    expect([code, stderr]).toEqual([1, expect.stringContaining("it would bring the older ones back")]);
    expect(worker()).toEqual(before);
  });

  it("does it with --older-secrets, and says what wrangler.toml needs then", async () => {
    const { code, stdout } = await account.run("rollback", "version-2", "--older-secrets");
    expect([code, stdout]).toEqual([0, expect.stringContaining('Write SIGNING_SECRETS = "CREDENTIAL_SECRETS" there')]);
    expect(Object.keys(worker()?.secrets ?? {})).toEqual(["CREDENTIAL_SECRETS"]);
    expect(await readFile(join(account.checkout, "wrangler.toml"), "utf8")).toContain('"CREDENTIAL_SECRETS_2" # since');
  });
});
