/**
 * What of `src/client` follows from the OpenAPI document: its methods and its types. Neither is committed. Whatever needs them makes
 * them first, if they are stale: `npm run build`, the tests, `npm run typecheck`, `npm run build:client` and `npm run import`.
 */
import { createHash } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeMethods } from "./client-methods.ts";
import { clientSchemas, writeTypes } from "./client-types.ts";

const PROJECT = join(import.meta.dirname, "../../..");
const METHODS = "src/client/tenant-api.ts";
const TYPES = "src/client/tenant-types.ts";

/** The first line names what it was made of: making the types takes a second. */
const firstLine = (source: string) =>
  `/** Made by \`npm run build\` of public/openapi.json: ${createHash("sha256").update(source).digest("hex")} */\n`;

const isMissing = (error: Error) => "code" in error && error.code === "ERR_MODULE_NOT_FOUND";

/** Without the packages for development there is no compiler that would read the types: they are not made. */
export async function makeClientSource(project = PROJECT): Promise<void> {
  const document = JSON.parse(await readFile(join(project, "public/openapi.json"), "utf8"));
  const methods = writeMethods(document);
  await keep(join(project, METHODS), firstLine(methods), () => methods);
  const schemas = clientSchemas(document);
  await keep(join(project, TYPES), firstLine(JSON.stringify(schemas)), () => writeTypes(schemas)).catch((error) => {
    if (!isMissing(error)) throw error;
  });
}

/** Whoever reads it meanwhile has the one before. */
async function keep(path: string, first: string, write: () => string | Promise<string>): Promise<void> {
  const before = await readFile(path, "utf8").catch(() => "");
  if (before.startsWith(first)) return;
  const made = `${path}.${process.pid}`;
  await writeFile(made, first + (await write()));
  await rename(made, path);
}
