/**
 * `npm run build`: makes the generated static files. `public/openapi.json`, the page of the elements' names and the released
 * versions of the elements are committed: `--check` fails when they are stale. The reference page's script is copied from its
 * npm package, and the newest elements are built from `src/elements/`; neither is committed.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { defineCommand } from "../command-line/command.ts";
import { Failure } from "../command-line/failure.ts";
import { main } from "../command-line/main.ts";
import { buildDocument } from "../openapi/document.ts";
import { buildElements } from "./build-elements.ts";
import { buildReference, REFERENCE_PAGE } from "./elements-reference.ts";
import { faultsOfReleases } from "./released-elements.ts";

const DOCUMENT = "public/openapi.json";
const SCRIPT = "public/reference/redoc.standalone.js";

/** Writes what is committed, or checks that it is what it should be. */
async function keep(path: string, text: string, check: boolean): Promise<void> {
  if ((await readFile(path, "utf8").catch(() => "")) === text) return;
  if (check) throw new Failure(`${path} is stale: npm run build, and commit it`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

export const build = defineCommand({
  name: "build",
  summary: ["Makes the generated static files: the OpenAPI document, the reference page's script, the elements."],
  options: {
    check: { type: "boolean", default: false, help: "Fails when a committed file is stale, in place of writing it." },
  },
  run: async ({ values: { check } }) => {
    await keep(DOCUMENT, `${JSON.stringify(buildDocument(), null, 2)}\n`, check);
    await keep(REFERENCE_PAGE, await buildReference(), check);

    // The script loads its vendor's logo from a CDN. The page must work offline, so the logo is removed.
    const redoc = await readFile(createRequire(import.meta.url).resolve("redoc/bundles/redoc.standalone.js"), "utf8");
    await mkdir("public/reference", { recursive: true });
    await writeFile(SCRIPT, redoc.replaceAll(/https:\/\/cdn\.redoc\.ly\/[^"'`)]+\.svg/g, "data:,"));

    const elements = await buildElements();
    const faults = check ? await faultsOfReleases(elements) : [];
    if (faults.length > 0) throw new Failure(faults.join("\n"));
    await mkdir("public/embed", { recursive: true });
    for (const [name, text] of elements) await writeFile(`public/embed/${name}`, text);
  },
});

if (import.meta.main) await main(build);
