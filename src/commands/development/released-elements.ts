/**
 * Releases of the custom elements: `public/embed/<version>/`, and their hashes in `public/embed/releases.json`. Other people's
 * pages name a release by its hash, so what came with a version of the product never changes and never disappears. Nothing else is
 * released.
 */
import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ELEMENTS_VERSION } from "../../elements/version.ts";
import { Failure } from "../command-line/failure.ts";

const FOLDER = "public/embed";
const MANIFEST = `${FOLDER}/releases.json`;
const DOCS = "docs/embed.md";
const SNIPPET = /(?<=<!-- released -->\n)[\s\S]*?(?=<!-- \/released -->)/;

/** The hash that a page names in `integrity`, by file name. */
type Release = Readonly<Record<string, string>>;
export type Releases = { readonly latest: string; readonly releases: Readonly<Record<string, Release>> };

const integrityOf = (text: string): string => `sha384-${createHash("sha384").update(text).digest("base64")}`;

export async function readReleases(root = "."): Promise<Releases> {
  return JSON.parse(await readFile(join(root, MANIFEST), "utf8"));
}

/**
 * Releases the version in `src/elements/version.ts` with a version of the product, and returns it. Elements that have not changed since
 * keep their number. Others have the product's: rejects otherwise, and when there is a release of this number that is not the same.
 */
export async function release(
  elements: ReadonlyMap<string, string>,
  { product, root = "." }: { readonly product: string; readonly root?: string },
): Promise<string> {
  const { releases } = await readReleases(root);
  const integrity = Object.fromEntries([...elements].map(([name, text]) => [name, integrityOf(text)]));
  const before = releases[ELEMENTS_VERSION];
  if (before !== undefined && JSON.stringify(before) !== JSON.stringify(integrity))
    throw new Failure(RAISE_THE_VERSION);
  if (before === undefined && product !== ELEMENTS_VERSION)
    throw new Failure(
      `The elements in src/elements/version.ts are ${ELEMENTS_VERSION}, package.json is ${product}: a new version of the elements has the product's number.`,
    );
  const folder = join(root, FOLDER, ELEMENTS_VERSION);
  await mkdir(folder, { recursive: true });
  for (const [name, text] of elements) await writeFile(join(folder, name), text);
  const manifest: Releases = { latest: ELEMENTS_VERSION, releases: { ...releases, [ELEMENTS_VERSION]: integrity } };
  await writeFile(join(root, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  const docs = join(root, DOCS);
  await writeFile(docs, withSnippet(await readFile(docs, "utf8"), manifest));
  return ELEMENTS_VERSION;
}

const RAISE_THE_VERSION =
  `The elements differ from their release ${ELEMENTS_VERSION}, which never changes. ` +
  "Raise the version in src/elements/version.ts to the product's next; npm run release releases it.";

/** The faults of the releases below `root`, one a line. */
export async function faultsOfReleases(elements: ReadonlyMap<string, string>, root = "."): Promise<string[]> {
  const manifest = await readReleases(root);
  const faults: string[] = [];
  const known = new Set<string>();
  for (const [version, files] of Object.entries(manifest.releases)) {
    for (const [name, integrity] of Object.entries(files)) {
      const path = `${FOLDER}/${version}/${name}`;
      known.add(path);
      const text = await readFile(join(root, path), "utf8").catch(() => undefined);
      if (text === undefined || integrityOf(text) !== integrity) faults.push(`${path} is not what was released.`);
    }
  }
  for (const path of globSync(`${FOLDER}/*.*.*/*`, { cwd: root })) {
    if (!known.has(path.replaceAll("\\", "/"))) faults.push(`${path} is in no release.`);
  }
  // A version that has not been released yet is being worked on.
  const current = manifest.releases[ELEMENTS_VERSION];
  const isAsReleased = [...elements].every(([name, text]) => current?.[name] === integrityOf(text));
  if (current !== undefined && !isAsReleased) faults.push(RAISE_THE_VERSION);
  const docs = await readFile(join(root, DOCS), "utf8");
  if (docs !== withSnippet(docs, manifest)) faults.push(`${DOCS} does not show the latest release.`);
  return faults;
}

/** The tags that load the latest release, for a page to copy. */
function withSnippet(docs: string, { latest, releases }: Releases): string {
  const latestRelease = releases[latest];
  if (latestRelease === undefined) return docs;
  const scripts = Object.entries(latestRelease).filter(([name]) => name.endsWith(".js"));
  const tags = scripts.map(
    ([name, integrity]) =>
      `<script type="module" src="https://api.example/embed/${latest}/${name}"\n  integrity="${integrity}" crossorigin></script>`,
  );
  return docs.replace(SNIPPET, `\`\`\`html\n${tags.join("\n")}\n\`\`\`\n`);
}
