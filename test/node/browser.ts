/** A real Chromium, where the machine has one. */
import { accessSync } from "node:fs";
import { chromium } from "playwright-core";

const CANDIDATES = [
  process.env.CHROMIUM,
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

export const launchBrowser = () =>
  chromium.launch({
    executablePath: chromiumPath ?? "",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--disable-background-networking",
      "--disable-component-update",
    ],
  });
