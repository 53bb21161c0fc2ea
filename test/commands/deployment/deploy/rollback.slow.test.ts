/** `npm run rollback` against an account of the stand-in for wrangler. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAccount, type StandInAccount } from "../../../support/node/stand-in/account.ts";

let account: StandInAccount;

beforeEach(async () => {
  account = await openAccount();
  for (const _ of ["the first version", "the second"]) expect(await account.run("deploy")).toMatchObject({ code: 0 });
  account.calls();
});
afterEach(() => account.close());

const worker = () => account.state().workers["edge-access-api"];

it("returns to the version before, and tests it where an address is named", async () => {
  const ran = await account.run("rollback", "--url", account.origin);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("Smoke test   GET /health: 200") });
  expect(account.calls()).toEqual([
    "whoami --json",
    "deployments list --json",
    "versions view version-1 --json",
    "versions deploy version-1@100% --yes --message npm run rollback",
  ]);
  expect(worker()?.deployments.at(-1)?.version).toBe("version-1");
});

it("returns to the version that is named, as an operator types it", async () => {
  const ran = await account.runNpm("rollback", "version-1");
  expect([ran.code, ran.stderr]).toEqual([0, ""]);
  expect(ran.stdout).toContain("edge-access-api was rolled back to version-1.");
  expect(worker()?.deployments.at(-1)?.version).toBe("version-1");
});

it("says so when there is no version before", async () => {
  const { secrets, deployments } = worker() ?? { secrets: {}, deployments: [] };
  // Before the first deployment there is an empty Worker, which its secret has made.
  const first = deployments.findIndex(({ version }) => version === "version-1");
  for (const start of [0, first]) {
    const made = deployments.slice(start, first + 1);
    account.change({ workers: { "edge-access-api": { secrets, deployments: made } } });
    const { code, stderr } = await account.run("rollback");
    expect([code, stderr]).toEqual([1, expect.stringContaining("There is no previous version")]);
    expect(worker()?.deployments).toEqual(made);
  }
});

describe("a rollback that failed says what is live, and how to go on", () => {
  it.each([
    ["versions deploy", [], "Nothing was changed: edge-access-api has version-2.\n✘ [ERROR] A request to", ""],
    ["versions deploy!", [], "edge-access-api has version-1 anyway.\n", ""],
    [
      "rollback version-1!",
      ["version-1", "--older-secrets"],
      "edge-access-api has version-1 anyway.\n",
      " --older-secrets",
    ],
  ])("%s", async (failure, args, live, option) => {
    account.change({ failures: [failure] });
    const { code, stderr } = await account.run("rollback", ...args);
    expect([code, stderr]).toEqual([1, expect.stringContaining(live)]);
    const again = `To try again: npm run rollback -- version-1${option}\n`;
    expect(stderr).toContain(again);
    const words = again.trim().split(" -- ")[1]?.split(" ") ?? [];
    expect((await account.run("rollback", ...words)).stdout).toContain("edge-access-api was rolled back to version-1");
    expect(worker()?.deployments.at(-1)?.version).toBe("version-1");
  });

  it("also when that cannot be read", async () => {
    account.before("versions deploy", () => account.change({ failures: ["versions deploy", "deployments list"] }));
    const { stderr } = await account.run("rollback");
    expect(stderr).toContain("Could not read which version edge-access-api has now.");
  });
});

describe("after a rollback, without a version", () => {
  it("it does not go forward to the version that was left", async () => {
    await account.run("rollback");
    const { code, stderr } = await account.run("rollback");
    expect([code, stderr]).toEqual([1, expect.stringContaining("version-1 is already live after a rollback")]);
    expect(stderr).toContain("npm run rollback -- version-1\n");
    expect(worker()?.deployments.at(-1)?.version).toBe("version-1");
  });

  it.each([
    ["that wrangler made", "Rollback", 0],
    ["to a version whose first deployment is not listed any more", "npm run rollback", 3],
  ])("nor after one %s", async (_, message, start) => {
    await account.run("rollback");
    const { "edge-access-api": its, ...workers } = account.state().workers;
    const deployments = (its?.deployments ?? [])
      .slice(start)
      .map((one) => ({ ...one, ...(one.message && { message }) }));
    account.change({ workers: { ...workers, "edge-access-api": { secrets: its?.secrets ?? {}, deployments } } });
    expect((await account.run("rollback")).stderr).toContain("is already live after a rollback");
  });

  it("a failed test of it names the version that was left", async () => {
    account.answers["/health"] = { status: 503, body: "" };
    const { stderr } = await account.run("rollback", "--url", account.origin, "--wait", "0");
    expect(stderr).toContain("To return to the previous version: npm run rollback -- version-2\n");
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
