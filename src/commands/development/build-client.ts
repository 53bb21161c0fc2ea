/** `npm run build:client`: the package `@edge-access-api/client`, from `src/client` into `dist/client`, which is not committed. */
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { build } from "esbuild";
import { defineCommand } from "../command-line/command.ts";
import { main } from "../command-line/main.ts";
import { makeClientSource } from "../openapi/client-source.ts";
import { runEach } from "./check.ts";
import { COMPILER } from "./typecheck.ts";

const SOURCE = "src/client";
const PACKAGE = "dist/client";

const buildClient = defineCommand({
  name: "build:client",
  summary: [`Builds the package @edge-access-api/client into ${PACKAGE}: ES modules and types.`],
  options: {},
  run: async (_, { folder }) => {
    await makeClientSource();
    await rm(PACKAGE, { recursive: true, force: true });
    await mkdir(PACKAGE, { recursive: true });
    await build({
      entryPoints: [`${SOURCE}/index.ts`],
      outdir: PACKAGE,
      bundle: true,
      format: "esm",
      target: "es2022",
    });
    runEach([["node", COMPILER, "-p", SOURCE]], folder);
    const { version, license, engines } = JSON.parse(await readFile("package.json", "utf8"));
    const manifest = {
      name: "@edge-access-api/client",
      version,
      license,
      type: "module",
      exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
      sideEffects: false,
      engines,
    };
    await copyFile(`${SOURCE}/README.md`, `${PACKAGE}/README.md`);
    await writeFile(`${PACKAGE}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
  },
});

if (import.meta.main) await main(buildClient);
