/** What axe-core says of a page. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

type Violations = readonly (readonly [string, readonly string[]])[];

/** What axe-core finds in the page, open shadow roots included; and nothing may make it scroll sideways. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  expect(await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth"), name).toBeLessThanOrEqual(0);
  await page.evaluate(axe);
  const violations = await page.evaluate<Violations>(
    "axe.run({ preload: false }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))",
  );
  expect(violations, name).toEqual([]);
}
