/** One `npm run dev` and one Chromium for every file of tests in a browser: both take seconds to start. */
import { mkdir } from "node:fs/promises";
import type { TestProject } from "vitest/node";
import { chromiumPath } from "./browser.ts";
import { type SharedStage, startStage } from "./element-stage.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Undefined where there is no Chromium: then the tests are skipped. */
    stage: SharedStage | undefined;
  }
}

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (chromiumPath === undefined) {
    if (process.env.CI) throw new Error("CI needs a Chromium for the tests of pages and elements");
    console.warn(
      "SKIPPED: no Chromium found for the tests of pages and elements (install one, or name it in CHROMIUM)",
    );
    project.provide("stage", undefined);
    return undefined;
  }
  // Puppeteer writes its pictures only into a folder that exists.
  await mkdir("test-results", { recursive: true });
  const { shared, stop } = await startStage();
  project.provide("stage", shared);
  return stop;
}
