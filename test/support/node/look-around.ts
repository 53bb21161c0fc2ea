/** A page in light and dark, wide and narrow: a screenshot of each in `test-results/`, and what axe-core says. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { expectAccessible, sidewaysScroll } from "./accessible.ts";
import { takeScreenshot } from "./browser.ts";

/** Colours do not depend on the width, nor the structure on the colours: two of the four show axe-core everything. */
const LOOKS = [
  { colorScheme: "light", width: 1280, isExamined: true },
  { colorScheme: "light", width: 390, isExamined: false },
  { colorScheme: "dark", width: 1280, isExamined: false },
  { colorScheme: "dark", width: 390, isExamined: true },
] as const;

/** The page needs `bypassCSP`. It may not scroll sideways. */
export async function lookAround(page: Page, name: string): Promise<void> {
  for (const { colorScheme, width, isExamined } of LOOKS) {
    const look = `${name}-${colorScheme}-${width}`;
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await takeScreenshot(page, `test-results/${look}.png`);
    await expect.poll(() => sidewaysScroll(page), { message: `${look} scrolls sideways` }).toBeLessThanOrEqual(0);
    if (isExamined) await expectAccessible(page, look);
  }
}
