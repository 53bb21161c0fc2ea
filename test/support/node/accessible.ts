/** What axe-core says of a page. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

type Violations = readonly (readonly [string, readonly string[]])[];

/** A colour that is on its way to another one is neither. What goes on for ever is no transition. */
const AT_REST = `(() => {
  const animations = (root) => [
    ...root.getAnimations(),
    ...[...root.querySelectorAll("*")].flatMap(({ shadowRoot }) => (shadowRoot ? animations(shadowRoot) : [])),
  ];
  const ending = animations(document).filter(({ effect }) => effect.getComputedTiming().endTime < Infinity);
  return Promise.all(ending.map(({ finished }) => finished.catch(() => {}))).then(() => {});
})()`;

/** In pixels. */
export const sidewaysScroll = (page: Page) =>
  page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");

/** Of its rules, what axe-core leaves out by itself: targets that a finger misses (WCAG 2.2, 2.5.8). */
const FOR_FINGERS = { rules: { "target-size": { enabled: true } } };

/** What axe-core finds in the page, open shadow roots included; and nothing may make it scroll sideways. */
export async function expectAccessible(page: Page, name: string, { onPhone = false } = {}): Promise<void> {
  await expect.poll(() => sidewaysScroll(page), { message: `${name} scrolls sideways` }).toBeLessThanOrEqual(0);
  await page.evaluate(AT_REST);
  await page.evaluate(axe);
  const options = JSON.stringify({ preload: false, ...(onPhone && FOR_FINGERS) });
  const violations = await page.evaluate<Violations>(
    `axe.run(${options}).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`,
  );
  expect(violations, name).toEqual([]);
}
