/**
 * `npm run release:elements`: releases the present elements as the version in `src/elements/version.ts`. Commit the files that it
 * writes.
 */
import { defineCommand } from "../command-line/command.ts";
import { main } from "../command-line/main.ts";
import { buildElements } from "./build-elements.ts";
import { readReleases, release } from "./released-elements.ts";

const releaseElements = defineCommand({
  name: "release:elements",
  summary: [
    "Releases the elements, as they are now, under the version in src/elements/version.ts. Commit what it writes.",
  ],
  options: {},
  run: async (_, context) => {
    await release(await buildElements());
    const { latest } = await readReleases();
    context.print(`Released ${latest}: commit public/embed and docs/embed.md.`);
  },
});

if (import.meta.main) await main(releaseElements);
