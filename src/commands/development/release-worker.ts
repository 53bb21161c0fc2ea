/**
 * `npm run release:worker`: keeps today's Workers as the previous release, for test/worker/version-skew.node.slow.test.ts. Run it in the
 * commit of a release, after its tests have passed.
 */
import { writeFile } from "node:fs/promises";
import { defineCommand } from "../command-line/command.ts";
import { main } from "../command-line/main.ts";
import { buildWorker } from "./build-worker.ts";

const FIXTURES = [
  ["test/fixtures/previous-worker.js", "frontDoor"],
  ["test/fixtures/previous-account.js", "account"],
] as const;

const releaseWorker = defineCommand({
  name: "release:worker",
  summary: [
    `Keeps today's Workers as ${FIXTURES.map(([file]) => file).join(" and ")}.`,
    "The next version is tested beside them. Commit them with a release.",
  ],
  options: {},
  run: async (_, context) => {
    for (const [file, which] of FIXTURES) {
      await writeFile(file, await buildWorker(which));
      context.print(`${file} is today's now.`);
    }
  },
});

if (import.meta.main) await main(releaseWorker);
