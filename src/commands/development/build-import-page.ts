/** The script of the desk's page that imports a file: the readers of `npm run import`, for browsers. */
import { build } from "esbuild";

/** Browsers that an owner's pages are tested with, and those of the elements. */
const TARGET = ["chrome125", "firefox126", "safari17.5"];

export async function buildImportPage(): Promise<void> {
  await build({
    entryPoints: ["src/import/page/import-page.ts"],
    outfile: "public/assets/import.js",
    bundle: true,
    minify: true,
    format: "iife",
    target: TARGET,
    // What a browser lacks of Node comes with it.
    alias: { "csv-parse": "csv-parse/browser/esm" },
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  });
}
