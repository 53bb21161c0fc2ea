// Every package of a lock file has a SHA-512 hash, so that npm installs the bytes that were tested, and nothing else: what a package
// downloads in a script when it is installed has none.
// Runs before `npm ci`, on the machine's own Node: no dependency, no TypeScript.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/**
 * Packages whose script was read: it downloads only where the binary of the platform, a package of its own, is missing. They work
 * without it, and `allowScripts` in package.json keeps it from running.
 */
export const SCRIPTS_READ = ["esbuild@0.28.2", "workerd@1.20261102.1"];

/** @typedef {{ version?: string, resolved?: string, integrity?: string, link?: boolean, inBundle?: boolean, hasInstallScript?: boolean }} Entry */

/** @param {string} text */
const entriesOf = (text) => {
  /** @type {{ packages: Record<string, Entry> }} */
  const { packages } = JSON.parse(text);
  return Object.entries(packages).filter(([path]) => path !== "");
};

/** @param {[string, Entry]} entry */
const nameOf = ([path, { version }]) =>
  `${path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)}@${version}`;

/**
 * The names and versions of the packages that run a script when they are installed, or do not come from the registry.
 *
 * @param {string} text a package-lock.json of version 2 or 3
 * @returns {{ scripts: string[], elsewhere: string[] }}
 */
export function downloadsAtInstall(text) {
  const entries = entriesOf(text);
  return {
    scripts: entries.filter(([, { hasInstallScript }]) => hasInstallScript).map(nameOf),
    // .npmrc leaves the registry's own addresses out of the lock file.
    elsewhere: entries.filter(([, { resolved, link }]) => !link && resolved).map(nameOf),
  };
}

/**
 * The names and versions of the packages that have no SHA-512 hash. A link and what is bundled within another package are not
 * downloaded by themselves.
 *
 * @param {string} text a package-lock.json of version 2 or 3
 * @returns {string[]}
 */
export function packagesWithoutHash(text) {
  return entriesOf(text)
    .filter(([, { link, inBundle }]) => !link && !inBundle)
    .filter(([, { integrity = "" }]) => !/(^|\s)sha512-/.test(integrity))
    .map(nameOf);
}

/**
 * The faults of these lock files, a sentence each: a package without a hash, a download that has none, or an exception that is no
 * longer needed.
 *
 * @param {string[]} texts
 * @param {string[]} scriptsRead
 * @returns {string[]}
 */
export function findFaults(texts, scriptsRead = SCRIPTS_READ) {
  const downloads = texts.map(downloadsAtInstall);
  const scripts = downloads.flatMap((each) => each.scripts);
  return [
    ...texts.flatMap(packagesWithoutHash).map((name) => `${name} has no SHA-512 hash in its lock file`),
    ...scripts
      .filter((name) => !scriptsRead.includes(name))
      .map((name) => `${name} runs a script when it is installed, and what that downloads has no hash`),
    ...downloads.flatMap(({ elsewhere }) => elsewhere).map((name) => `${name} does not come from the registry`),
    ...scriptsRead.filter((name) => !scripts.includes(name)).map((name) => `${name} is an exception without need`),
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const faults = findFaults(process.argv.slice(2).map((file) => readFileSync(file, "utf8")));
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
