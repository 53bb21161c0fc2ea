/** A real Chromium, where the machine has one. */
import { accessSync } from "node:fs";
import { chromium, type Page } from "playwright-core";

const CANDIDATES = [
  process.env.CHROMIUM,
  // The same browser without a window: about half the processor time.
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** The browser's path, or undefined where there is none. */
export const chromiumPath = CANDIDATES.find((path) => {
  try {
    accessSync(path ?? "");
    return true;
  } catch {
    return false;
  }
});

const OPTIONS = {
  executablePath: chromiumPath ?? "",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    // Its display compositor crashes now and then where there is no GPU, and is started again; at the sixth time the browser would end.
    "--disable-gpu-process-crash-limit",
  ],
};

export const launchBrowser = () => chromium.launch(OPTIONS);

/** A browser for several processes: each connects to its address, and sees and closes only its own pages. */
export const launchSharedBrowser = () => chromium.launchServer({ ...OPTIONS, host: "127.0.0.1" });
export const connectBrowser = (address: string) => chromium.connect(address);

/**
 * A PNG of the page, or of its viewport. When its compositor has just crashed, Chromium has no frame to give ("Unable to capture
 * screenshot"); it takes the same picture when it is asked again. Any other failure, and a second refusal, is thrown.
 */
export async function takeScreenshot(page: Page, path: string, fullPage = true): Promise<void> {
  try {
    await page.screenshot({ path, fullPage });
  } catch (cause) {
    if (!String(cause).includes("Unable to capture screenshot")) throw cause;
    await page.waitForTimeout(250);
    await page.screenshot({ path, fullPage });
  }
}
