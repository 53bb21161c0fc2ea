/** `npm run release:elements`: gives the elements, as they are now, the version in `src/elements/version.ts`. Commit what it writes. */
import { buildElements } from "./build-elements.ts";
import { readReleases, release } from "./released-elements.ts";

await release(await buildElements());
const { latest } = await readReleases();
console.log(`Released ${latest}: commit public/embed and docs/embed.md.`);
