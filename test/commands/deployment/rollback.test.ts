/** `npm run rollback` against an account of the stand-in for wrangler. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { openAccount, type StandInAccount } from "../../support/node/stand-in/account.ts";

let account: StandInAccount;

beforeEach(async () => {
  account = await openAccount();
});
afterEach(() => account.close());

it("returns to the version before, and tests it where an address is named", async () => {
  expect(await account.run("deploy")).toMatchObject({ code: 0, stderr: "" });
  await account.calls();
  const ran = await account.run("rollback", "--url", account.origin);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("Smoke test   GET /health: 200") });
  expect(await account.calls()).toEqual(["whoami --json", "rollback --yes --message npm run rollback"]);
  await account.run("rollback", "version-7");
  expect(await account.calls()).toContain("rollback version-7 --yes --message npm run rollback");
});
