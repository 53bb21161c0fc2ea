/**
 * `npm run release:worker`: keeps today's Worker as the released one, for test/worker/version-skew.node.slow.test.ts. Run it in the commit
 * of a release, after its tests have passed.
 */
import { writeFile } from "node:fs/promises";
import { defineCommand } from "../command-line/command.ts";
import { main } from "../command-line/main.ts";
import { buildWorker } from "./build-worker.ts";

const FIXTURE = "test/fixtures/released-worker.js";

const releaseWorker = defineCommand({
  name: "release:worker",
  summary: [`Keeps today's Worker as ${FIXTURE}.`, "The next version is tested beside it. Commit it with a release."],
  options: {},
  run: async (_, context) => {
    await writeFile(FIXTURE, await buildWorker());
    context.print(`${FIXTURE} is today's now.`);
  },
});

if (import.meta.main) await main(releaseWorker);
