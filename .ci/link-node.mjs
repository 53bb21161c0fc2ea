// After `npm ci`: npm 10 removes the link to the project's Node with the packages of the other platforms, which have one of the same name.
// Runs on the machine's own Node: no dependency, no TypeScript.
import { existsSync, readFileSync, symlinkSync } from "node:fs";

const LINK = "node_modules/.bin/node";

/** @type {{ optionalDependencies: Record<string, string> }} */
const { optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
const name = Object.keys(optionalDependencies).find((each) => existsSync(`node_modules/${each}/bin/node`));
if (name !== undefined && !existsSync(LINK)) symlinkSync(`../${name}/bin/node`, LINK);
