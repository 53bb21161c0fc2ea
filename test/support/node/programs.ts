/**
 * `node test/support/node/programs.ts slow browser`: says in one line what these tiers of tests need and do not find: the packages of
 * `test/package.json`, or programs. Without a tier it looks for the packages.
 */
import { spawnSync } from "node:child_process";
import { Failure } from "../../../src/commands/command-line/failure.ts";
import { requireTestPackages } from "../../../src/commands/development/test-packages.ts";
import { chromiumPath } from "./browser.ts";

/** A program, whether it is there, and Debian's package of it. */
type Program = {
  readonly name: string;
  readonly isThere: () => boolean | Promise<boolean>;
  readonly debianPackage: string;
};

const onPath = (name: string, debianPackage = name): Program => ({
  name,
  debianPackage,
  isThere: () => spawnSync(name, ["--version"]).error === undefined,
});
const chromium: Program = {
  name: "Chromium (or its path in CHROMIUM)",
  debianPackage: "chromium-headless-shell",
  isThere: () => chromiumPath !== undefined,
};
const firefox: Program = {
  name: "Firefox (or its path in FIREFOX)",
  debianPackage: "firefox-esr",
  // Its driver is one of the packages.
  isThere: async () => (await import("./firefox.ts")).firefoxPath !== undefined,
};

const NEEDED: Readonly<Record<string, readonly Program[]>> = {
  slow: [
    ...[onPath("git"), onPath("bash"), onPath("zsh"), onPath("curl"), onPath("jq"), onPath("ps", "procps")],
    ...[onPath("php", "php-cli"), onPath("ruby")],
  ],
  browser: [chromium, firefox],
};

async function requirePrograms(tiers: readonly string[]): Promise<void> {
  const missing: Program[] = [];
  for (const program of tiers.flatMap((tier) => NEEDED[tier] ?? [])) {
    if (!(await program.isThere())) missing.push(program);
  }
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(", ");
  const packages = missing.map(({ debianPackage }) => debianPackage).join(" ");
  throw new Failure(`These tests need ${names}. On Debian: apt-get install ${packages}`);
}

try {
  requireTestPackages(".");
  await requirePrograms(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
