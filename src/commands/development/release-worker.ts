/**
 * `npm run release:worker`: keeps today's Worker as the released one, for test/worker/version-skew.node.slow.test.ts, and today's API,
 * for docs/api-changes.md. Run it in the commit of a release, after its tests have passed.
 */
import { readFile, writeFile } from "node:fs/promises";
import { defineCommand } from "../command-line/command.ts";
import { main } from "../command-line/main.ts";
import { withoutWords } from "../openapi/api-changes.ts";
import { RELEASED_DOCUMENT } from "./build.ts";
import { buildWorker } from "./build-worker.ts";

const FIXTURE = "test/fixtures/released-worker.js";

const releaseWorker = defineCommand({
  name: "release:worker",
  summary: [
    `Keeps today's Worker as ${FIXTURE}, and its API as ${RELEASED_DOCUMENT}.`,
    "The next version is tested beside it. Commit it with a release.",
  ],
  options: {},
  run: async (_, context) => {
    await writeFile(FIXTURE, await buildWorker());
    const document = JSON.parse(await readFile("public/openapi.json", "utf8"));
    await writeFile(RELEASED_DOCUMENT, `${JSON.stringify(withoutWords(document))}\n`);
    context.print(`${FIXTURE} and ${RELEASED_DOCUMENT} are today's now.`);
  },
});

if (import.meta.main) await main(releaseWorker);
