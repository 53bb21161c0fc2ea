/** What `npm run dev` keeps on a developer's machine: the signing secret, the folder's lock, the demo key. */
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureDemoAccount } from "../../../src/commands/development/demo-account.ts";
import { withLocalDatabases } from "../../../src/commands/development/local-database.ts";
import { takeStateFolder } from "../../../src/commands/development/state-folder.ts";
import { importSigningKeys } from "../../../src/worker/credentials/envelope.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "developer-machine-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe(".dev.vars", () => {
  /** The secrets as a start in the folder gets them. */
  async function secretsIn(folder: string): Promise<string[]> {
    const code =
      `const { localCredentialSecrets } = await import(${JSON.stringify(resolve("src/commands/development/local-secrets.ts"))});` +
      "console.log(JSON.stringify(await localCredentialSecrets()));";
    return JSON.parse((await promisify(execFile)("node", ["--input-type=module", "-e", code], { cwd: folder })).stdout);
  }
  const file = () => join(folder, ".dev.vars");

  it.each(["OTHER=1", "OTHER=1\n", ""])(
    "that holds %j keeps it, and gets a secret on a line of its own",
    async (text) => {
      await writeFile(file(), text);
      const secrets = await secretsIn(folder);
      expect(secrets).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
      const separator = text === "OTHER=1" ? "\n" : "";
      expect(await readFile(file(), "utf8")).toBe(`${text}${separator}CREDENTIAL_SECRETS="${secrets[0]}"\n`);
      expect(await secretsIn(folder)).toEqual(secrets);
    },
  );
});

describe("the folder's lock", () => {
  const lock = () => join(folder, "dev.lock");

  it("that another start is writing is read again: the folder is that one's", async () => {
    await writeFile(lock(), "");
    const taking = takeStateFolder(folder, 1);
    setTimeout(() => writeFile(lock(), JSON.stringify({ pid: process.ppid, port: 8787 })), 100);
    await expect(taking).rejects.toThrow(`already running here, on port 8787 (process ${process.ppid})`);
  });

  it("is gone when its process has ended: the number of the process may be another's then", async () => {
    const module = JSON.stringify(resolve("src/commands/development/state-folder.ts"));
    const code = `import { takeStateFolder } from ${module}; await takeStateFolder(${JSON.stringify(folder)}, 1);`;
    await promisify(execFile)("node", ["--input-type=module", "-e", code]);
    await expect(readFile(lock(), "utf8")).rejects.toThrow("ENOENT");
  });

  it("that a crash left behind in a container, where each start has the same number, is taken over", async () => {
    await writeFile(lock(), JSON.stringify({ pid: process.pid, port: 8787 }));
    await takeStateFolder(folder, 9000);
    expect(JSON.parse(await readFile(lock(), "utf8"))).toEqual({ pid: process.pid, port: 9000 });
  });

  it("that a crash left behind, empty or not, is taken over", async () => {
    const gone = spawn("true");
    await new Promise((ended) => gone.once("close", ended));
    for (const left of ["", JSON.stringify({ pid: gone.pid, port: 8787 })]) {
      await writeFile(lock(), left);
      await takeStateFolder(folder, 9000);
      expect(JSON.parse(await readFile(lock(), "utf8"))).toEqual({ pid: process.pid, port: 9000 });
    }
  });
});

it("a demo key that the developer has revoked is replaced by one that works, and by no third one", async () => {
  const keys = await importSigningKeys(["a-secret-that-only-this-test-signs-with"]);
  await withLocalDatabases("wrangler.toml", folder, async ([local]) => {
    if (local === undefined) throw new Error("wrangler.toml has no database");
    const { database } = local;
    const start = () => ensureDemoAccount(local, { directory: database, stateFolder: folder, keys });
    const idOf = ({ apiKey }: { apiKey: string }) => apiKey.slice(4, 16);
    const first = await start();
    expect((await start()).apiKey).toBe(first.apiKey);
    await database.prepare("UPDATE api_keys SET revoked_at = 1 WHERE id = ?1").bind(idOf(first)).run();
    const second = await start();
    const { results } = await database.prepare("SELECT id, revoked_at FROM api_keys").all();
    expect(results).toEqual([{ id: idOf(second), revoked_at: null }]);
    expect((await start()).apiKey).toBe(second.apiKey);
  });
});
