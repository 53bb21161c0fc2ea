/** Backup and restore, end to end on this machine, as a developer types it. Broken states: restore-states.slow.test.ts. */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spawnWrangler } from "../../../../src/commands/command-line/run-wrangler.ts";
import { restore } from "../../../../src/commands/deployment/backups/restore.ts";
import { ask, createKey, issueToken, send } from "../../../endurance/scene.ts";
import { type DevServer, freePort, makeCheckout, runCommand, startDev } from "../../../support/node/checkout.ts";

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
const run = (command: string) => runCommand(checkout.folder, command);

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
  const backup = await run("backup -- --on-this-machine --output backups/before");
  expect(backup).toMatch(/backups\/before\/DB\.sql: \d+ bytes; 1 accounts, 4 API keys, \d+ panelists, 1 idea banks/);
  expect(backup).toContain("npm run restore -- --from backups/before --on-this-machine\nexit 0");

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
  const restore = await run("restore -- --from backups/before --on-this-machine --yes");
  expect(restore).toMatch(/npm run restore -- --end-again \S+ --on-this-machine\n/);
  // What it did and what is next are the last three lines, and wrangler's answers are not shown.
  expect(restore.trimEnd().split("\n").slice(-4)).toEqual([
    expect.stringMatching(/^Restored: backups\/before \(DB: 1 accounts, 4 API keys, \d+ panelists, /),
    expect.stringMatching(/^Ended again: what had been ended \(\d+ statements\)\.$/),
    "Next: stop `npm run dev` and start it again, which empties its memory.",
    "exit 0",
  ]);
  expect(restore.trimEnd().split("\n").length).toBeLessThan(13);

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

describe("a key that is used while its revocation is undone", () => {
  /** Restores on the running server's databases. Between the restore and the end of what had been ended, the key is used. */
  async function restoreWhileUsed(text: string, more: readonly string[]) {
    const used: number[] = [];
    const printed: string[] = [];
    const bin = resolve("node_modules/.bin");
    const code = await restore.run(["--from", "backups/used", "--on-this-machine", "--yes", ...more], {
      folder: checkout.folder,
      variables: { PATH: `${bin}:${process.env.PATH}`, OPERATOR_SECRET: await operatorSecret() },
      print: (line) => void printed.push(line),
      complain: (line) => void printed.push(line),
      runWrangler: async (call) => {
        if (call.args.some((arg) => arg.endsWith("-end-again.sql"))) used.push(await whoami(text));
        return spawnWrangler(call);
      },
    });
    return { code, used, printed: printed.join("\n") };
  }
  const operatorSecret = async () =>
    parseEnv(await readFile(join(checkout.folder, ".dev.vars"), "utf8")).OPERATOR_SECRET;

  it.each([
    ["with --url is refused once the restore has ended", true, 401],
    ["without it may work for minutes, and the restore says so", false, 200],
  ])("%s", async (_, asks, status) => {
    await start();
    const key = await createKey(url, { name: "Used" });
    await stop();
    await run("backup -- --on-this-machine --output backups/used");
    await start();
    await ask(`${url}/account/api/keys/${key.id}`, { method: "DELETE" });
    const { code, used, printed } = await restoreWhileUsed(key.text, asks ? ["--url", url] : []);
    expect([code, used]).toEqual([0, [200]]);
    expect(await whoami(key.text)).toBe(status);
    expect(printed.includes("may work as before for up to 5 minutes")).toBe(!asks);
    await stop();
  });
});
