/** `npm run rotate-secret` against an account of the stand-in for wrangler. How requests fare meanwhile: test/worker/settings.test.ts. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAccount, type StandInAccount } from "../../../support/node/stand-in/account.ts";

const [FIRST, SECOND] = ["CREDENTIAL_SECRETS", "CREDENTIAL_SECRETS_2"];
let account: StandInAccount;

beforeEach(async () => {
  account = await openAccount();
  expect((await account.run("deploy")).stderr).toBe("");
  account.calls();
});
afterEach(() => account.close());

const signing = async () =>
  (await readFile(join(account.checkout, "wrangler.toml"), "utf8")).match(/^SIGNING_SECRETS = (.*)$/m)?.[1] ?? "";
const setSigning = async (value: string) => {
  const file = join(account.checkout, "wrangler.toml");
  await writeFile(
    file,
    (await readFile(file, "utf8")).replace(/^SIGNING_SECRETS = .*$/m, `SIGNING_SECRETS = ${value}`),
  );
};
const worker = async () => account.state().workers["edge-access-api"] ?? { secrets: {}, deployments: [] };
const rotate = async (...args: string[]) => {
  const ran = await account.run("rotate-secret", "--wait", "0", ...args);
  expect(`${ran.stdout}${ran.stderr}`).not.toMatch(/[0-9a-f]{64}|\n {4}at /);
  return ran;
};
const rotateWell = async (...args: string[]) => {
  const ran = await rotate(...args);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  return ran.stdout;
};
const DAY_MS = 86_400_000;
const since = (age: number) => `# since ${new Date(Date.now() - age).toISOString()}`;

const addKey = (columns: string, values: string) => {
  const database = new DatabaseSync(join(account.folder, "d1-id-0.sqlite"));
  database.exec(`INSERT OR IGNORE INTO accounts (id, owner_email, created_at) VALUES ('a', 'o@example.com', 1);
    INSERT INTO api_keys (id, account_id, name, secret_hash, scopes, created_at ${columns})
    VALUES (hex(randomblob(6)), 'a', 'A key', 'h', '[]', 1 ${values})`);
  database.close();
};

it("sets the other slot first, deploys it second, and notes since when it signs", async () => {
  const before = await worker();
  const stdout = await rotateWell();
  const calls = account.calls().filter((call) => /^(secret put|deploy$)/.test(call));
  expect(calls).toEqual([`secret put ${SECOND}`, "deploy"]);
  const after = await worker();
  expect(after.secrets[FIRST]).toBe(before.secrets[FIRST]);
  expect(after.secrets[SECOND]).toMatch(/^[0-9a-f]{64}$/);
  expect(after.deployments.at(-1)?.vars).toMatchObject({ SIGNING_SECRETS: SECOND });
  expect(await signing()).toMatch(/^"CREDENTIAL_SECRETS_2" # since \d{4}-\d\d-\d\dT\S+Z$/);
  expect(stdout).toContain(`${SECOND} signs now.`);
});

it("as an operator types it, with wrangler in processes of its own", async () => {
  expect(await account.runNpm("rotate-secret", "--wait", "0")).toMatchObject({ code: 0, stderr: "" });
  expect((await worker()).secrets[SECOND]).toMatch(/^[0-9a-f]{64}$/);
  expect(await signing()).toMatch(/^"CREDENTIAL_SECRETS_2" # since /);
});

it("--env staging leaves the top level alone", async () => {
  await account.run("deploy", "--env", "staging");
  const before = [await worker(), await signing()];
  await rotateWell("--env", "staging");
  expect([await worker(), await signing()]).toEqual(before);
  const { workers } = account.state();
  expect(workers["edge-access-api-staging"]?.deployments.at(-1)?.vars).toMatchObject({ SIGNING_SECRETS: SECOND });
});

it("a rotation that fails anywhere is completed by running it again, and npm run deploy does not undo it", async () => {
  for (const failure of ["secret put", "secret put!", "deploy --env", "deploy --env!"]) {
    account.change({ failures: [failure] });
    expect((await rotate()).code).toBe(1);
  }
  expect(await signing()).toBe('"CREDENTIAL_SECRETS_2" # deploying');
  expect((await account.run("deploy")).code).toBe(0);
  await rotateWell();
  const { secrets, deployments } = await worker();
  expect(Object.keys(secrets)).toEqual([FIRST, SECOND]);
  expect(deployments.at(-1)?.vars).toMatchObject({ SIGNING_SECRETS: SECOND });
  expect(await signing()).toContain('"CREDENTIAL_SECRETS_2" # since ');
});

it("a rotation that is done says so, also when it cannot read what the old slot is needed for", async () => {
  account.change({
    failures: ["d1 execute DB --remote --yes --json --command SELECT count(*) AS count FROM api_keys"],
  });
  const { code, stdout } = await rotate();
  expect(code).toBe(0);
  expect(stdout).toContain(`${SECOND} signs now. Commit wrangler.toml, which says so.`);
  expect(stdout).toContain(`${FIRST} still verifies what it signed: what that is could not be read`);
  expect(account.state().failures).toEqual([]);
});

describe("while the old slot is needed", () => {
  it("by tokens, it is neither overwritten nor ended; --now does it", async () => {
    await rotateWell();
    const before = await worker();
    for (const args of [[], ["--end-old"]]) {
      const refused = await rotate(...args);
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`${FIRST} may still be needed: 0 valid API keys`),
      });
    }
    expect(await worker()).toEqual(before);
    expect(await rotateWell("--end-old", "--now")).toBe(`What ${FIRST} signed is no longer valid.\n`);
    const { secrets } = await worker();
    expect(secrets[FIRST]).not.toBe(before.secrets[FIRST]);
    expect(secrets[SECOND]).toBe(before.secrets[SECOND]);
  });

  it("by API keys that it signed and that are valid, and by no others", async () => {
    await rotateWell();
    await setSigning(`"${SECOND}" ${since(91 * DAY_MS)}`);
    addKey(", revoked_at", ", 2");
    addKey(", expires_at", ", 2");
    addKey(", rotated_at", `, ${Date.now()}`);
    // Isolates of the version before still signed for some minutes.
    addKey(", rotated_at", `, ${Date.now() - 91 * DAY_MS + 240_000}`);
    // Its newest secret is the new slot's, and the one before is in its grace; not where the key has expired.
    const grace = (until: number) => `, ${Date.now()}, 'p', ${Date.now() + until}`;
    addKey(", rotated_at, previous_secret_hash, previous_expires_at", grace(7 * DAY_MS));
    addKey(", rotated_at, previous_secret_hash, previous_expires_at", grace(-1));
    addKey(", rotated_at, previous_secret_hash, previous_expires_at, expires_at", `${grace(7 * DAY_MS)}, 2`);
    expect((await rotate()).stderr).toContain("2 valid API keys");
    expect((await rotate("--end-old")).stderr).toContain("2 valid API keys");
    const database = new DatabaseSync(join(account.folder, "d1-id-0.sqlite"));
    database.exec("UPDATE api_keys SET revoked_at = 2");
    database.close();
    expect(await rotateWell()).toContain(`${FIRST} signs now.`);
  });

  it("or if nothing says since when, it refuses", async () => {
    await rotateWell();
    await setSigning(`"${SECOND}"`);
    expect((await rotate()).stderr).toContain("does not say when it stopped signing");
  });

  it("after it was ended there is nothing to wait for", async () => {
    await rotateWell();
    await rotateWell("--end-old", "--now");
    expect(await signing()).toMatch(/^"CREDENTIAL_SECRETS_2" # since \S+; ended$/);
    expect(await rotateWell()).toContain(`${FIRST} signs now.`);
  });
});

it("a rotation that was interrupted before the deployment is not ended: the Worker signs with the slot that would be overwritten", async () => {
  account.change({ failures: ["deploy --env"] });
  expect((await rotate()).code).toBe(1);
  const before = await worker();
  const refused = await rotate("--end-old", "--now");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("Complete the rotation first")]);
  expect(await worker()).toEqual(before);
  await rotateWell();
  await rotateWell("--end-old", "--now");
});

it("of a version whose schema steps a database has not had is not deployed", async () => {
  await writeFile(join(account.checkout, "migrations/9999_new.sql"), "CREATE TABLE another (id TEXT);\n");
  const before = [await worker(), await signing()];
  const { code, stderr } = await rotate();
  expect([code, stderr]).toEqual([1, expect.stringContaining("DB has not had the schema step 9999_new.sql")]);
  expect(stderr).toContain("Run `npm run deploy` first.");
  expect([await worker(), await signing()]).toEqual(before);
});

describe("from a wrangler.toml that is older than the last rotation", () => {
  it.each([{ args: [] }, { args: ["--end-old", "--now"] }])(
    "$args is refused, and the secret that signs stays",
    async ({ args }) => {
      const older = await signing();
      await rotateWell();
      const newer = await signing();
      // As in a checkout that has neither rotation of the last months.
      await setSigning(`${older} ${since(91 * DAY_MS)}`);
      const before = await worker();
      const { code, stderr } = await rotate(...args);
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining(`signs with ${SECOND}, and wrangler.toml says ${FIRST}`),
      ]);
      expect(stderr).toContain("Pull the change to wrangler.toml");
      expect(await worker()).toEqual(before);
      await setSigning(newer);
      await rotateWell("--end-old", "--now");
    },
  );
});

it("before the first rotation there is nothing to end", async () => {
  expect(await rotateWell("--end-old")).toBe(`Nothing to end: ${SECOND} has never been set.\n`);
});

it("on a Worker without a secret it says to deploy first", async () => {
  account.change({ workers: {} });
  expect((await rotate()).stderr).toContain("Run `npm run deploy` first.");
});
