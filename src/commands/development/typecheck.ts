/** `npm run typecheck`: TypeScript, for each of the places where the project's code runs. */
import { defineCommand } from "../command-line/command.ts";
import { main } from "../command-line/main.ts";
import { makeClientSource } from "../openapi/client-source.ts";
import { writeWorkerTypes } from "./build-worker.ts";
import { runEach } from "./check.ts";
import { makePageStyles } from "./page-styles.ts";
import { requireTestPackages } from "./test-packages.ts";

/** TypeScript 7 takes a quarter of the time. The generators of `npm run build` need 5.9, so 7 is installed next to it under another name. */
export const COMPILER = "node_modules/typescript-7/bin/tsc";
const PROJECTS = [".", "src/elements", "src/import", "src/commands", "src/client", "test/tsconfig.node.json"];

const typecheck = defineCommand({
  name: "typecheck",
  summary: [`Checks the types of ${PROJECTS.join(", ")}.`],
  options: {},
  run: async (_, { folder }) => {
    requireTestPackages(folder);
    await makeClientSource();
    await makePageStyles();
    await writeWorkerTypes();
    runEach(
      PROJECTS.map((project) => ["node", COMPILER, "--noEmit", "-p", project]),
      folder,
    );
  },
});

if (import.meta.main) await main(typecheck);
