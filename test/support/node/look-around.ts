/** A page in light and dark, wide and narrow: a screenshot of each in `test-results/`, and what axe-core says. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { expectAccessible, sidewaysScroll } from "./accessible.ts";
import { takeScreenshot } from "./browser.ts";

/** As narrow as phones are. */
const NARROW = 360;

/** Colours do not depend on the width, nor the structure on the colours: two of the four show axe-core everything. */
const LOOKS = [
  { colorScheme: "light", width: 1280, isExamined: true },
  { colorScheme: "light", width: NARROW, isExamined: false },
  { colorScheme: "dark", width: 1280, isExamined: false },
  { colorScheme: "dark", width: NARROW, isExamined: true },
] as const;

/**
 * Text that is there and cannot be read: its box is too small for it and neither grows nor scrolls. What is hidden on purpose is 1 px,
 * and what ends in an ellipsis says itself that there is more.
 */
const CUT_TEXT = `(() => {
  const isCut = (element) => {
    const { overflowX, overflowY, textOverflow } = getComputedStyle(element);
    const { clientWidth, clientHeight, scrollWidth, scrollHeight } = element;
    const hides = (overflow) => overflow === "hidden" || overflow === "clip";
    if (clientWidth <= 1 || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
    if (textOverflow === "ellipsis") return false;
    return (hides(overflowX) && scrollWidth > clientWidth + 1) || (hides(overflowY) && scrollHeight > clientHeight + 1);
  };
  return [...document.querySelectorAll("body *")]
    .filter((element) => element.innerText?.trim() && isCut(element))
    .map((element) => element.outerHTML.slice(0, 200));
})()`;

/** The page needs `bypassCSP`. It may not scroll sideways. */
export async function lookAround(page: Page, name: string): Promise<void> {
  for (const { colorScheme, width, isExamined } of LOOKS) {
    const look = `${name}-${colorScheme}-${width}`;
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await takeScreenshot(page, `test-results/${look}.png`);
    await expect.poll(() => sidewaysScroll(page), { message: `${look} scrolls sideways` }).toBeLessThanOrEqual(0);
    const onPhone = width === NARROW;
    if (onPhone)
      await expect.poll(() => page.evaluate<string[]>(CUT_TEXT), { message: `${look} cuts text off` }).toEqual([]);
    if (isExamined) await expectAccessible(page, look, { onPhone });
  }
}
