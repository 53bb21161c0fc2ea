/**
 * `npm run build`: makes the generated static files. `public/openapi.json` and the released versions of the elements are
 * committed: `--check` fails when they are stale. The reference page's script is copied from its npm package, and the newest
 * elements are built from `src/elements/`; neither is committed.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { defineCommand } from "../command-line/command.ts";
import { Failure } from "../command-line/failure.ts";
import { main } from "../command-line/main.ts";
import { buildDocument } from "../openapi/document.ts";
import { buildElements } from "./build-elements.ts";
import { faultsOfReleases } from "./released-elements.ts";

const DOCUMENT = "public/openapi.json";
const SCRIPT = "public/reference/redoc.standalone.js";

export const build = defineCommand({
  name: "build",
  summary: ["Makes the generated static files: the OpenAPI document, the reference page's script, the elements."],
  options: {
    check: { type: "boolean", default: false, help: "Fails when a committed file is stale, in place of writing it." },
  },
  run: async ({ values: { check } }) => {
    const document = `${JSON.stringify(buildDocument(), null, 2)}\n`;
    const current = await readFile(DOCUMENT, "utf8").catch(() => "");
    if (check && current !== document) throw new Failure(`${DOCUMENT} is stale: npm run build, and commit it`);
    if (current !== document) await writeFile(DOCUMENT, document);

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
