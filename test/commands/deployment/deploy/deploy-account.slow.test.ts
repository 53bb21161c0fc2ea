/** `npm run deploy`: for which account of Cloudflare. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAccount, type StandInAccount } from "../../../support/node/stand-in/account.ts";

let account: StandInAccount;

beforeEach(async () => {
  account = await openAccount();
});
afterEach(() => account.close());

const deploy = () => account.run("deploy");

async function edit(change: (toml: string) => string): Promise<void> {
  const file = join(account.checkout, "wrangler.toml");
  await writeFile(file, change(await readFile(file, "utf8")));
}

describe("the account", () => {
  it("not logged in: says how, and touches nothing", async () => {
    account.change({ loggedIn: false });
    const { code, stderr } = await deploy();
    expect([code, stderr]).toEqual([1, expect.stringContaining("npx wrangler login")]);
    expect(account.calls()).toEqual(["whoami --json"]);
  });

  const two = [
    { id: "account-1", name: "Example Ltd" },
    { id: "account-2", name: "Example Inc" },
  ];

  it("several, none chosen: lists them and touches nothing", async () => {
    account.change({ accounts: two });
    const { code, stderr } = await deploy();
    expect([code, stderr]).toEqual([1, expect.stringContaining("  account-2  Example Inc")]);
    expect(stderr).toContain('account_id = "…"');
    expect(account.calls()).toEqual(["whoami --json"]);
  });

  it("several, one chosen in wrangler.toml: every call is for that one", async () => {
    account.change({ accounts: two });
    await edit((toml) => toml.replace(/^main = /m, 'account_id = "account-2"\nmain = '));
    expect(await deploy()).toMatchObject({ code: 0, stderr: "" });
    const [, ...calls] = account.state().calls;
    expect(new Set(calls.map((call) => call.account))).toEqual(new Set(["account-2"]));
  });

  it("chosen in wrangler.toml and otherwise in CLOUDFLARE_ACCOUNT_ID: refuses, for wrangler would act on the first", async () => {
    account.change({ accounts: two });
    await edit((toml) => toml.replace(/^main = /m, 'account_id = "account-2"\nmain = '));
    const { code, stderr } = await account.runWith({ CLOUDFLARE_ACCOUNT_ID: "account-1" }, "deploy");
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("names the account account-2, and CLOUDFLARE_ACCOUNT_ID account-1"),
    ]);
    expect(account.calls()).toEqual([]);
    for (const id of ["account-2", ""])
      expect(await account.runWith({ CLOUDFLARE_ACCOUNT_ID: id }, "deploy")).toMatchObject({ code: 0, stderr: "" });
  });

  it("cannot be asked for another reason: shows what wrangler says", async () => {
    account.change({ failures: ["whoami"] });
    const { code, stderr } = await deploy();
    expect([code, stderr]).toEqual([1, expect.stringContaining("A request to the Cloudflare API failed.")]);
    expect(stderr).not.toContain("You are not logged in");
  });

  it("chosen, and not one of the login's: says so", async () => {
    await edit((toml) => toml.replace(/^main = /m, 'account_id = "account-3"\nmain = '));
    expect((await deploy()).stderr).toContain("no access to the account account-3");
  });

  it("whose stores are not those of wrangler.toml: refuses, and creates none", async () => {
    await edit((toml) => toml.replace('binding = "DB"', 'binding = "DB"\ndatabase_id = "of-another-account"'));
    expect((await deploy()).stderr).toContain("names the D1 database of-another-account for DB");
    expect(account.state().databases).toEqual([]);
  });
});
