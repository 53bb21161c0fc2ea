/** A run of the tests that is stopped leaves no process behind: neither a server nor a browser nor a shell. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { endWithUs } from "../support/node/end-with-us.ts";

const support = resolve("test/support/node");

/** It starts what the tests start, says so by a file, and never ends. */
const test = (ready: string) => `
  import { writeFileSync } from "node:fs";
  import { chromiumPath, launchBrowser } from "${support}/browser.ts";
  import { freePort, makeCheckout, startDev } from "${support}/checkout.ts";
  import { firefoxPath, launchFirefox } from "${support}/firefox.ts";
  import { pasteInto } from "${support}/interactive-shell.ts";
  it("never ends", async () => {
    const { folder } = await makeCheckout();
    const shell = pasteInto("bash", "sleep 3600", folder);
    const server = startDev(folder, "--port", String(await freePort()));
    await Promise.all([server, chromiumPath && launchBrowser(), firefoxPath && launchFirefox()]);
    writeFileSync("${ready}", "");
    await shell;
  }, 600_000);`;

/** The numbers of the processes that have inherited this mark in their environment. */
const marked = (mark: string): string[] =>
  globSync("/proc/[0-9]*/environ").filter((path) => {
    try {
      return readFileSync(path, "utf8").includes(mark);
    } catch {
      // It has ended, or belongs to somebody else.
      return false;
    }
  });

describe.runIf(existsSync("/proc/self/environ"))("a run that is stopped", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("leaves no process behind after %s", async (signal) => {
    // Its servers and browsers keep their files here too, so that these go with them.
    const folder = await mkdtemp(join(tmpdir(), "stopped-run-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const ready = join(folder, "ready");
    await writeFile(join(folder, "endless.test.ts"), test(ready));
    const mark = randomUUID();
    const run = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", "--globals", "--root", folder], {
      detached: true,
      env: { ...process.env, TMPDIR: folder, MARK: mark },
      stdio: "ignore",
    });
    endWithUs(run);
    // A build, workerd and two browsers have to start first, which takes long on a busy machine.
    await expect.poll(() => existsSync(ready), { timeout: 180_000 }).toBe(true);
    const { pid = 0 } = run;
    // Ctrl-C reaches everything in the terminal.
    process.kill(signal === "SIGINT" ? -pid : pid, signal);
    await expect.poll(() => marked(mark)).toEqual([]);
  });
});
