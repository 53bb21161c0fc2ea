/** `node test/support/node/programs.ts slow browser`: says in one line which programs these tiers of tests need and do not find. */
import { spawnSync } from "node:child_process";
import { chromiumPath } from "./browser.ts";
import { firefoxPath } from "./firefox.ts";

/** A program, whether it is there, and Debian's package of it. */
type Program = { readonly name: string; readonly isThere: () => boolean; readonly debianPackage: string };

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
  isThere: () => firefoxPath !== undefined,
};

const NEEDED: Readonly<Record<string, readonly Program[]>> = {
  slow: [
    ...[onPath("git"), onPath("bash"), onPath("zsh"), onPath("curl"), onPath("jq"), onPath("ps", "procps")],
    ...[onPath("php", "php-cli"), onPath("ruby")],
  ],
  browser: [chromium, firefox],
};

const needed = process.argv.slice(2).flatMap((tier) => NEEDED[tier] ?? []);
const missing = needed.filter(({ isThere }) => !isThere());
if (missing.length > 0) {
  const packages = missing.map(({ debianPackage }) => debianPackage).join(" ");
  console.error(
    `These tests need ${missing.map(({ name }) => name).join(", ")}. On Debian: apt-get install ${packages}`,
  );
  process.exitCode = 1;
}
