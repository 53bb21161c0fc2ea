/** One `npm run dev` and one Chromium for every file of tests in a browser: both take seconds to start. */
import { mkdir } from "node:fs/promises";
import type { TestProject } from "vitest/node";
import { type SharedStage, startStage } from "./element-stage.ts";

declare module "vitest" {
  interface ProvidedContext {
    stage: SharedStage;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Puppeteer writes its pictures only into a folder that exists.
  await mkdir("test-results", { recursive: true });
  const { shared, stop } = await startStage();
  project.provide("stage", shared);
  return stop;
}
