/** `npm run typecheck`: TypeScript, for each of the places where the project's code runs. */
import { defineCommand } from "../command-line/command.ts";
import { main } from "../command-line/main.ts";
import { runEach } from "./check.ts";

const PROJECTS = [".", "src/elements", "src/commands", "test/tsconfig.node.json"];

const typecheck = defineCommand({
  name: "typecheck",
  summary: [`Checks the types of ${PROJECTS.join(", ")}.`],
  options: {},
  run: async (_, { folder }) =>
    runEach(
      PROJECTS.map((project) => ["tsc", "-p", project]),
      folder,
    ),
});

if (import.meta.main) await main(typecheck);
