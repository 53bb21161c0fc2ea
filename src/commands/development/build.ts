/**
 * `npm run build`: makes the generated static files. `public/openapi.json`, the page of the elements' names and the released
 * versions of the elements are committed: `--check` fails when they are stale. The reference page's script is copied from its
 * npm package, and the newest elements are built from `src/elements/`; neither is committed.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { buildDocument } from "../openapi/document.ts";
import { buildElements } from "./build-elements.ts";
import { buildReference, REFERENCE_PAGE } from "./elements-reference.ts";
import { faultsOfReleases } from "./released-elements.ts";

const DOCUMENT = "public/openapi.json";
const SCRIPT = "public/reference/redoc.standalone.js";

/** Writes what is committed; with `--check` fails when it is not what it should be. */
async function keep(path: string, text: string): Promise<void> {
  if ((await readFile(path, "utf8").catch(() => "")) === text) return;
  if (process.argv.includes("--check")) throw new Error(`${path} is stale: npm run build, and commit it`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

await keep(DOCUMENT, `${JSON.stringify(buildDocument(), null, 2)}\n`);
await keep(REFERENCE_PAGE, await buildReference());

// The script loads its vendor's logo from a CDN. The page must work offline, so the logo is removed.
const redoc = await readFile(createRequire(import.meta.url).resolve("redoc/bundles/redoc.standalone.js"), "utf8");
await mkdir("public/reference", { recursive: true });
await writeFile(SCRIPT, redoc.replaceAll(/https:\/\/cdn\.redoc\.ly\/[^"'`)]+\.svg/g, "data:,"));

const elements = await buildElements();
if (process.argv.includes("--check")) {
  const faults = await faultsOfReleases(elements);
  if (faults.length > 0) throw new Error(faults.join("\n"));
}
await mkdir("public/embed", { recursive: true });
for (const [name, text] of elements) await writeFile(`public/embed/${name}`, text);
