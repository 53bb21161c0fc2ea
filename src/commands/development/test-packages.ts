/** The packages of `test/package.json`: lint, generators, frameworks and browsers need them, `npm run dev` and `npm test` do not. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../command-line/failure.ts";

/** Throws a Failure that says how to install them, if one is missing or has another version. */
export function requireTestPackages(folder: string): void {
  const read = (path: string) => JSON.parse(readFileSync(join(folder, "test", path), "utf8"));
  const isInstalled = ([name, version]: [string, unknown]) => {
    try {
      return read(`node_modules/${name}/package.json`).version === version;
    } catch {
      return false;
    }
  };
  if (!Object.entries(read("package.json").devDependencies).every(isInstalled))
    throw new Failure("This needs the packages of test/package.json. Run `npm ci --prefix test`.");
}
