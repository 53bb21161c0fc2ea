/** A real Firefox, where the machine has one. Playwright cannot drive the one that people use; puppeteer can, by WebDriver BiDi. */
import { existsSync } from "node:fs";
import { launch } from "puppeteer-core";

const CANDIDATES = [
  process.env.FIREFOX ?? "",
  "/usr/bin/firefox-esr",
  "/usr/bin/firefox",
  "/Applications/Firefox.app/Contents/MacOS/firefox",
];

/** The browser's path, or undefined where there is none. */
export const firefoxPath = CANDIDATES.find((path) => existsSync(path));

export const launchFirefox = () =>
  launch({ browser: "firefox", executablePath: firefoxPath ?? "", headless: true, protocolTimeout: 300_000 });
