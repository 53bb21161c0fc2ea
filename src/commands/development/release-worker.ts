/**
 * `npm run release:worker`: keeps today's Worker as the previous release, for test/worker/version-skew.node.test.ts. Run it in the commit of
 * a release, after its tests have passed.
 */
import { writeFile } from "node:fs/promises";
import { buildWorker } from "./build-worker.ts";

const FIXTURE = "test/fixtures/previous-worker.js";

await writeFile(FIXTURE, await buildWorker());
console.log(`${FIXTURE} is today's Worker now.`);
