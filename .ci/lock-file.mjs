// Every package of a lock file has a SHA-512 hash, so that npm installs the bytes that were tested, and nothing else.
// Runs before `npm ci`, on the machine's own Node: no dependency, no TypeScript.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/**
 * Binaries of other platforms, all optional. The registry did not have these versions when the lock file was written, so
 * their hash is not known. Where the registry has one: `npm view <name>@<version> dist.integrity`, write it into the lock
 * file, and delete the line here.
 */
export const HASH_UNKNOWN = [
  "@biomejs/cli-android-arm64@2.6.8",
  "@biomejs/cli-android-x64@2.6.8",
  "@biomejs/cli-darwin-arm64@2.6.8",
  "@biomejs/cli-darwin-x64@2.6.8",
  "@biomejs/cli-linux-arm64-musl@2.6.8",
  "@biomejs/cli-linux-x64-musl@2.6.8",
  "@biomejs/cli-win32-arm64@2.6.8",
  "@biomejs/cli-win32-x64@2.6.8",
  "@cloudflare/workerd-darwin-64@1.20261102.1",
  "@cloudflare/workerd-darwin-arm64@1.20261102.1",
  "@cloudflare/workerd-windows-64@1.20261102.1",
];

/**
 * The names and versions of the packages that have no SHA-512 hash. A link and what is bundled within another package are not
 * downloaded by themselves.
 *
 * @param {string} text a package-lock.json of version 2 or 3
 * @returns {string[]}
 */
export function packagesWithoutHash(text) {
  /** @type {{ packages: Record<string, { version?: string, integrity?: string, link?: boolean, inBundle?: boolean }> }} */
  const { packages } = JSON.parse(text);
  return Object.entries(packages)
    .filter(([path, { link, inBundle }]) => path !== "" && !link && !inBundle)
    .filter(([, { integrity = "" }]) => !/(^|\s)sha512-/.test(integrity))
    .map(
      ([path, { version }]) => `${path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)}@${version}`,
    );
}

/**
 * What is wrong with these lock files, a sentence each: a package without a hash, or an exception that is no longer needed.
 *
 * @param {string[]} texts
 * @param {string[]} exceptions
 * @returns {string[]}
 */
export function findFaults(texts, exceptions) {
  const found = texts.flatMap(packagesWithoutHash);
  return [
    ...found.filter((name) => !exceptions.includes(name)).map((name) => `${name} has no SHA-512 hash in its lock file`),
    ...exceptions.filter((name) => !found.includes(name)).map((name) => `${name} is an exception without need`),
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const faults = findFaults(
    process.argv.slice(2).map((file) => readFileSync(file, "utf8")),
    HASH_UNKNOWN,
  );
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
