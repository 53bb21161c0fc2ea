/** Backup and restore: end to end on this machine, and what is asked of Cloudflare, against a stand-in for wrangler. */
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, createKey, issueToken, send } from "../../endurance/scene.ts";
import { type DevServer, freePort, makeCheckout, paste, startDev } from "../../support/node/checkout.ts";

let checkout: Awaited<ReturnType<typeof makeCheckout>>;
let server: DevServer | undefined;
let url: string;
let port: number;
const start = async () => {
  server = await startDev(checkout.folder, "--port", String(port));
};
const stop = async () => {
  await server?.stop();
  server = undefined;
};
const run = (command: string) => paste(`cd '${checkout.folder}' && npm run --silent ${command} 2>&1; echo "exit $?"`);

beforeAll(async () => {
  checkout = await makeCheckout();
  port = await freePort();
  url = `http://localhost:${port}`;
});
afterAll(async () => {
  await stop();
  await checkout.remove();
});

const whoami = async (text: string) => (await send(`${url}/tenant/whoami`, { headers: { "X-API-Key": text } })).status;
const capabilities = async (token: string) =>
  (await send(`${url}/ideabank`, { headers: { Authorization: token } })).status;

it("a restore brings the data back, and no credential that had been ended", async () => {
  await start();
  const [kept, revoked] = [await createKey(url, { name: "Kept" }), await createKey(url, { name: "Revoked" })];
  const rotated = await createKey(url, { name: "Rotated" });
  const asTenant = { headers: { "X-API-Key": kept.text } };
  const { items: banks } = await ask(`${url}/tenant/ideabanks`, asTenant);
  const bank = (banks as { id: string }[])[0]?.id ?? "";
  const panelist = (name: string) => issueToken(url, kept.text, bank, name);
  const [well, tokens, off, gone] = [
    await panelist("well"),
    await panelist("tokens"),
    await panelist("off"),
    await panelist("gone"),
  ];
  const proposals = `${url}/tenant/ideabanks/${bank}/proposals`;
  const lines = 'It\'s back,\nwith "quotes"; and — ü 🚌';
  const proposal = await ask(proposals, { method: "POST", ...asTenant, body: { title: "Back", description: lines } });
  await stop();
  const backup = await run("backup -- --local --output backups/before");
  expect(backup).toMatch(/backups\/before\/DB\.sql: \d+ bytes; 1 accounts, 4 api keys, \d+ panelists, 1 idea banks/);
  expect(backup).toContain("npm run restore -- --from backups/before --local\nexit 0");

  await start();
  await ask(`${url}/account/api/keys/${revoked.id}`, { method: "DELETE" });
  const rotation = await ask(`${url}/account/api/keys/${rotated.id}/rotate`, {
    method: "POST",
    body: { graceSeconds: 0 },
  });
  await ask(`${url}/tenant/panelists/${tokens.id}/tokens`, { method: "DELETE", ...asTenant });
  await ask(`${url}/tenant/panelists/${off.id}`, { method: "PATCH", ...asTenant, body: { active: false } });
  await ask(`${url}/tenant/panelists/${gone.id}`, { method: "DELETE", ...asTenant });
  const late = await panelist("late");
  await ask(`${url}/tenant/panelists/${late.id}/tokens`, { method: "DELETE", ...asTenant });
  await ask(`${proposals}/${proposal.id}`, { method: "DELETE", ...asTenant });
  const lost = await ask(proposals, { method: "POST", ...asTenant, body: { title: "Lost" } });
  await stop();
  const restore = await run("restore -- --from backups/before --local");
  expect(restore).toContain("DB: what had been ended is ended again");
  expect(restore).toMatch(/npm run restore -- --end-again \S+ --local\n/);
  expect(restore).toContain("Now stop `npm run dev` and start it again, which empties its memory.\nexit 0");

  await start();
  expect(await ask(`${proposals}/${proposal.id}`, asTenant)).toEqual(proposal);
  expect((await send(`${proposals}/${lost.id}`, asTenant)).status).toBe(403);
  const keys = [kept.text, revoked.text, rotated.text, String(rotation.key)];
  expect(await Promise.all(keys.map(whoami))).toEqual([200, 401, 401, 200]);
  const all = [well, tokens, off, gone, late].map(({ token }) => token);
  expect(await Promise.all(all.map(capabilities))).toEqual([200, 401, 401, 401, 401]);
  const { items } = await ask(`${url}/account/api/activity`);
  const events = (items as { event: string }[]).map(({ event }) => event);
  expect(events).toEqual(expect.arrayContaining(["rotated", "revoked"]));
  await stop();
});

describe("against Cloudflare", () => {
  let standIn: string;
  beforeAll(() => {
    standIn = mkdtempSync(join(tmpdir(), "stand-in-"));
    // Records each call, and exports a database of the schema; the call named in FAIL fails.
    writeFileSync(
      join(standIn, "wrangler"),
      `#!/bin/sh
echo "$*" >> '${standIn}/calls'
case "$*" in
  *"$FAIL"*) exit 7;;
  whoami*) echo '{"loggedIn":true,"accounts":[{"id":"account-1","name":"Example Ltd"}]}';;
esac
while [ $# -gt 0 ]; do if [ "$1" = --output ]; then cp '${standIn}/export.sql' "$2"; fi; shift; done
`,
      { mode: 0o755 },
    );
    writeFileSync(join(standIn, "export.sql"), readFileSync("schema.sql"));
    appendFileSync(
      join(standIn, "export.sql"),
      "INSERT INTO accounts (id, owner_email, created_at, status) VALUES ('a1', 'o@example.com', 1, 'suspended');",
    );
  });
  afterAll(() => rmSync(standIn, { recursive: true }));

  function command(name: string, args: readonly string[], failing = "nothing fails") {
    rmSync(join(standIn, "calls"), { force: true });
    const result = spawnSync(
      process.execPath,
      [resolve(checkout.folder, `src/commands/deployment/${name}.ts`), ...args],
      {
        cwd: checkout.folder,
        encoding: "utf8",
        env: { ...process.env, PATH: `${standIn}:${process.env.PATH}`, FAIL: failing },
      },
    );
    const calls = execFileSync("sh", ["-c", `cat '${standIn}/calls' 2>/dev/null || true`], { encoding: "utf8" });
    const withoutTimes = calls.replaceAll(/\d{4}-\d\d-\d\dT[\d.-]+Z/g, "TIME").replaceAll(/ --env $/gm, "");
    return { ...result, calls: withoutTimes.split("\n").filter((line) => line.startsWith("d1 ")) };
  }

  it("a backup exports every database", () => {
    const { status, stdout, calls } = command("backup", ["--output", "backups/remote"]);
    expect(calls).toEqual(["d1 export DB --remote --output backups/remote/DB.sql --skip-confirmation"]);
    expect(stdout).toContain("backups/remote/DB.sql: ");
    expect(status).toBe(0);
  });

  it("a restore exports, travels in time, and ends again what had been ended, in this order", () => {
    const { status, calls } = command("restore", ["--timestamp", "2026-11-20T12:00:00Z"]);
    expect(calls).toEqual([
      "d1 export DB --remote --output backups/before-restore-TIME/DB.sql --skip-confirmation",
      "d1 time-travel restore DB --timestamp=2026-11-20T12:00:00Z",
      "d1 execute DB --remote --yes --file backups/before-restore-TIME/DB-end-again.sql",
    ]);
    expect(status).toBe(0);
  });

  it("that fails after the export says how to end it well", () => {
    const { status, stdout, stderr, calls } = command("restore", ["--timestamp", "2026-11-20T12:00:00Z"], "execute");
    expect(calls).toHaveLength(3);
    expect(stderr).toContain("`wrangler d1 execute DB --remote");
    expect(status).toBe(1);
    const [, folder = ""] = /npm run restore -- --end-again (\S+)/.exec(stdout) ?? [];
    const again = command("restore", ["--end-again", folder]);
    expect(again.calls).toEqual(["d1 execute DB --remote --yes --file backups/before-restore-TIME/DB-end-again.sql"]);
    expect(again.status).toBe(0);
  });

  it.each([
    [
      "without an export nothing is restored",
      ["--timestamp", "2026-11-20T12:00:00Z"],
      "export",
      "`wrangler d1 export DB",
      1,
    ],
    ["without a moment or a backup", [], "nothing fails", "Give one of --timestamp", 0],
    ["with a folder that has no backup", ["--from", "backups/none"], "nothing fails", "DB.sql is missing", 0],
    ["with a moment that is none", ["--timestamp", "yesterday"], "nothing fails", "a time such as 2026-11-20T12", 0],
    ["a local database has no Time Travel", ["--timestamp", "1", "--local"], "nothing fails", "use --from", 0],
  ])("%s", (_, args, failing, message, calls) => {
    const result = command("restore", args, failing);
    expect(result.stderr).toContain(message);
    expect([result.status, result.calls.length]).toEqual([1, calls]);
  });

  it("several databases are exported and restored, the directory's last in the export", () => {
    const file = join(checkout.folder, "wrangler.toml");
    const toml = readFileSync(file, "utf8");
    writeFileSync(file, `${toml}\n[[d1_databases]]\nbinding = "DB_1"\ndatabase_name = "second"\n`);
    const { status, calls } = command("restore", ["--timestamp", "2026-11-20T12:00:00Z"]);
    writeFileSync(file, toml);
    expect(calls.map((call) => call.replace(/(?:--output|--file|--timestamp).*/, "").trim())).toEqual([
      ...["d1 export DB_1 --remote", "d1 export DB --remote"],
      ...["d1 time-travel restore DB", "d1 time-travel restore DB_1"],
      ...["d1 execute DB --remote --yes", "d1 execute DB_1 --remote --yes"],
    ]);
    expect(status).toBe(0);
  });

  it("an export that is cut off is refused before anything changes", () => {
    const whole = readFileSync(join(standIn, "export.sql"), "utf8");
    writeFileSync(join(standIn, "export.sql"), whole.slice(0, 3_000));
    const { status, stderr, calls } = command("restore", ["--timestamp", "2026-11-20T12:00:00Z"]);
    writeFileSync(join(standIn, "export.sql"), whole);
    expect([status, calls.length]).toEqual([1, 1]);
    expect(stderr).toContain("is not a complete export");
  });
});
