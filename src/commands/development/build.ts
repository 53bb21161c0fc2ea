/**
 * `npm run build`: makes the generated files. `public/openapi.json`, what `GET /version` says, the tables of `docs/api.md` and of the settings, `docs/api-changes.md`, the page of the elements'
 * names and the released versions of the elements are committed: `--check` fails when they are stale. What is made of them for `public/` (the reference page, the document as YAML, the documents as
 * Markdown, `llms.txt`) and the newest elements, built from `src/elements/`, are not.
 */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { stringify } from "yaml";
import { defineCommand } from "../command-line/command.ts";
import { Failure } from "../command-line/failure.ts";
import { main } from "../command-line/main.ts";
import { compareApis, describeChanges } from "../openapi/api-changes.ts";
import { makeClientSource } from "../openapi/client-source.ts";
import { buildDocument } from "../openapi/document.ts";
import { errorTable, operationTable } from "../openapi/operation-tables.ts";
import { REFERENCE_HTML, renderReference } from "../openapi/reference/page.ts";
import { resourceTables } from "../openapi/resource-tables.ts";
import { buildElements, buildPage } from "./build-elements.ts";
import { buildImportPage } from "./build-import-page.ts";
import { writeWorker } from "./build-worker.ts";
import { buildReference, REFERENCE_PAGE } from "./elements-reference.ts";
import { faultsOfReleases } from "./released-elements.ts";
import { buildServedDocuments } from "./served-documents.ts";
import { settingsTable } from "./settings-table.ts";

const DOCUMENT = "public/openapi.json";
const DOCUMENT_AS_YAML = "public/openapi.yaml";
const RELEASE = "src/worker/operator/release.ts";
const API = "docs/api.md";
/** The parts of `docs/api.md` that are made here, each between `<!-- name -->` and `<!-- end of name -->`. */
const makeTables = (document: string): Readonly<Record<string, string>> => ({
  resources: resourceTables(JSON.parse(document)),
  "tenant operations": operationTable("apiKey"),
  "panelist operations": operationTable("compoundToken"),
  "account operations": operationTable("access"),
  errors: errorTable(),
});

/** The page with its tables. Throws for a table without its marks. */
const withTables = (page: string, tables: Readonly<Record<string, string>>): string =>
  Object.entries(tables).reduce((text, [name, table]) => {
    const [before, rest] = text.split(`<!-- ${name} -->\n`);
    const [, after] = rest?.split(`<!-- end of ${name} -->`) ?? [];
    if (after === undefined) throw new Error(`${API}: no marks for ${name}`);
    return `${before}<!-- ${name} -->\n\n${table}\n\n<!-- end of ${name} -->${after}`;
  }, page);

const OPERATIONS = "docs/operations.md";
/** The table of settings, which is made of wrangler.toml. */
const SETTINGS = /(?<=<!-- settings -->\n).*(?=<!-- end of settings -->)/s;

/** The changes to the API since the release whose document `npm run release` kept. */
export const API_CHANGES = "docs/api-changes.md";
export const RELEASED_DOCUMENT = "test/fixtures/released-openapi.json";
const UNRELEASED = /(?<=<!-- changes -->\n).*(?=<!-- end of changes -->)/s;

/** The version of package.json, and the number of the newest step of the schema. */
async function renderRelease(): Promise<string> {
  const { version } = JSON.parse(await readFile("package.json", "utf8"));
  const schema = Math.max(...(await readdir("migrations")).map((name) => Number.parseInt(name, 10)));
  return `/** Made by \`npm run build\`. */\nexport const RELEASE = { version: "${version}", schema: ${schema} };\n`;
}

/** Parsers of YAML 1.1 are common, and take a time without quotes for a date: what is a text in either version is quoted. */
export const toYaml = (document: object): string =>
  stringify(document, { aliasDuplicateObjects: false, version: "1.1" });

/** A folder that only runs the Worker has no documents. */
const read = (path: string) => readFile(path, "utf8").catch(() => "");

/** Writes a committed file, or checks its content. */
async function keep(path: string, text: string, check: boolean, command = "build"): Promise<void> {
  if ((await read(path)) === text) return;
  if (check) throw new Failure(`${path} is stale: npm run ${command}, and commit it`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

const build = defineCommand({
  name: "build",
  summary: [
    "Makes the generated files: the OpenAPI document, the reference page, the documents, the elements, the Worker's modules.",
  ],
  options: {
    check: { type: "boolean", default: false, help: "Fails when a committed file is stale, in place of writing it." },
  },
  run: async ({ values: { check } }, context) => {
    const document = `${JSON.stringify(buildDocument(), null, 2)}\n`;
    await keep(DOCUMENT, document, check);
    await makeClientSource();
    await writeFile(DOCUMENT_AS_YAML, toYaml(JSON.parse(document)));
    await keep(RELEASE, await renderRelease(), check);
    await writeFile(REFERENCE_HTML, await renderReference(JSON.parse(document)));
    const api = await read(API);
    if (api !== "") await keep(API, withTables(api, makeTables(document)), check);
    const operations = await read(OPERATIONS);
    const settings = settingsTable(await read("wrangler.toml"));
    await keep(
      OPERATIONS,
      operations.replace(SETTINGS, () => `\n${settings}\n\n`),
      check,
    );
    const released = await read(RELEASED_DOCUMENT);
    if (released !== "") {
      const changes = compareApis(JSON.parse(released), JSON.parse(document));
      const page = await read(API_CHANGES);
      await keep(
        API_CHANGES,
        page.replace(UNRELEASED, () => `\n${describeChanges(changes)}\n\n`),
        check,
      );
      for (const line of changes.breaking) context.complain(`The API, breaking since the last release: ${line}.`);
    }
    await keep(REFERENCE_PAGE, await buildReference(), check);
    await mkdir("public/docs/examples", { recursive: true });
    for (const [path, text] of await buildServedDocuments()) await writeFile(`public/${path}`, text);

    await buildImportPage();
    // wrangler says for which of its commands it builds.
    await writeWorker({ minify: process.env.WRANGLER_COMMAND !== "dev" });

    const elements = await buildElements();
    const faults = check ? await faultsOfReleases(elements) : [];
    if (faults.length > 0) throw new Failure(faults.join("\n"));
    await mkdir("public/embed", { recursive: true });
    for (const [name, text] of [...elements, ...(await buildPage())]) await writeFile(`public/embed/${name}`, text);
  },
});

if (import.meta.main) await main(build);
