/**
 * A real Firefox, where the machine has one: 140 or later, the ESR of Debian 12 and 13. Puppeteer drives it by WebDriver BiDi.
 * Playwright cannot yet: its channel `moz-firefox` always sends `emulation.setMediaFeaturesOverride`, which Firefox 153 does not
 * know, and `network.addDataCollector`, which 140 does not (playwright-core 1.65.1).
 */
import { existsSync } from "node:fs";
import { type Browser, launch, type Page } from "puppeteer-core";
import { expect } from "vitest";
import { endWithUs } from "./end-with-us.ts";

const CANDIDATES = [
  process.env.FIREFOX ?? "",
  "/usr/bin/firefox-esr",
  "/usr/bin/firefox",
  "/Applications/Firefox.app/Contents/MacOS/firefox",
];

/** The browser's path, or undefined where there is none. */
export const firefoxPath = CANDIDATES.find((path) => existsSync(path));

export async function launchFirefox(): Promise<Browser> {
  const executablePath = firefoxPath ?? "";
  const browser = await launch({ browser: "firefox", executablePath, headless: true, protocolTimeout: 300_000 });
  const leader = browser.process();
  if (leader) endWithUs(leader);
  return browser;
}

/**
 * Puppeteer sets the orientation of the screen along with the size, which Firefox 140 does not know: it sets the size and refuses
 * the other. Any other failure is thrown, and so is a size that is not set.
 */
export async function setWidth(page: Page, width: number): Promise<void> {
  await page.setViewport({ width, height: 900 }).catch((cause: Error) => {
    if (!cause.message.includes("emulation.setScreenOrientationOverride")) throw cause;
  });
  await becomesTrue(page, `innerWidth === ${width}`);
}

/** In Firefox 140 a page's Content-Security-Policy stops puppeteer's own `waitForFunction`, which makes its function of text. */
export const becomesTrue = (page: Page, expression: string) =>
  expect.poll(() => page.evaluate(expression), { message: expression }).toBe(true);
