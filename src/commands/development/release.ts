/**
 * `npm run release`: keeps what a version of the product brings: its Worker, beside which later versions are tested
 * (test/worker/version-skew.node.slow.test.ts), its API, for docs/api-changes.md, and its elements, which other people's pages name.
 * Run it in the commit of a release, after its tests have passed.
 */
import { readFile, writeFile } from "node:fs/promises";
import { defineCommand } from "../command-line/command.ts";
import { main } from "../command-line/main.ts";
import { releaseChanges, withoutWords } from "../openapi/api-changes.ts";
import { API_CHANGES, RELEASED_DOCUMENT } from "./build.ts";
import { buildElements } from "./build-elements.ts";
import { buildWorker } from "./build-worker.ts";
import { release as releaseElements } from "./released-elements.ts";

const FOLDER = "test/fixtures/released-workers";

const release = defineCommand({
  name: "release",
  summary: [
    `Keeps today's Worker in ${FOLDER}, its API as ${RELEASED_DOCUMENT}, and its elements in public/embed.`,
    "Raise the version in package.json first. Commit what it writes with the release.",
  ],
  options: {},
  run: async (_, context) => {
    const { version } = JSON.parse(await readFile("package.json", "utf8"));
    // First: it refuses elements that have changed without a new number.
    const elements = await releaseElements(await buildElements(), { product: version });
    const worker = `${FOLDER}/${version}.js`;
    const [script = ""] = (await buildWorker({ splitting: false })).values();
    await writeFile(worker, script);
    const document = JSON.parse(await readFile("public/openapi.json", "utf8"));
    await writeFile(RELEASED_DOCUMENT, `${JSON.stringify(withoutWords(document))}\n`);
    const date = new Date().toISOString().slice(0, 10);
    await writeFile(API_CHANGES, releaseChanges(await readFile(API_CHANGES, "utf8"), { version, date }));
    context.print(
      `Released ${version} with elements ${elements}: commit ${worker}, ${RELEASED_DOCUMENT}, ${API_CHANGES}, public/embed and docs/embed.md.`,
    );
  },
});

if (import.meta.main) await main(release);
