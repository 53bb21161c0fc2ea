/** `npm run screenshots`: the pictures in `docs/` and of the start page's tour, light and dark, from the demo's data. */
import { writeFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { optionsOf } from "../../../src/commands/command-line/main.ts";
import { takeScreenshot } from "./browser.ts";
import { block } from "./documents.ts";
import { openStage, startStage } from "./element-stage.ts";

await optionsOf({ name: "screenshots", summary: ["Takes the pictures in docs/, from the demo's data."], options: {} });
const { shared, stop } = await startStage();
const stage = await openStage(shared);
const FONT = "<style>body { font-family: system-ui; margin: 16px } h1 { display: none }</style>";

async function take(name: string, address: string, viewport: { width: number; height: number }, ready: string) {
  for (const colorScheme of ["light", "dark"] as const) {
    const { page } = await stage.page({ colorScheme, viewport, deviceScaleFactor: 1.5, locale: "en-GB" });
    await page.goto(address);
    await page.locator(ready).first().waitFor();
    await settle(page);
    await takeScreenshot(page, `docs/${name}-${colorScheme}.png`, false);
    await stage.closePages();
  }
}

/** A picture of the start page's tour, as WebP, which a browser makes of the screenshot. */
async function takeTour(name: string, address: string, viewport: { width: number; height: number }, ready: string) {
  for (const colorScheme of ["light", "dark"] as const) {
    const deviceScaleFactor = 1440 / viewport.width;
    const { page } = await stage.page({ colorScheme, viewport, deviceScaleFactor, locale: "en-GB" });
    await page.goto(address);
    await page.locator(ready).first().waitFor();
    await settle(page);
    const picture = (await page.screenshot()).toString("base64");
    await page.goto("about:blank");
    const webp: string = await page.evaluate(`(async () => {
      const bitmap = await createImageBitmap(await (await fetch("data:image/png;base64,${picture}")).blob());
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
      canvas.getContext("2d").drawImage(bitmap, 0, 0);
      return canvas.toDataURL("image/webp", 0.8).split(",")[1];
    })()`);
    await writeFile(`public/assets/tour-${name}-${colorScheme}.webp`, Buffer.from(webp, "base64"));
    await stage.closePages();
  }
}

/** Everything that comes by itself has come. */
const settle = (page: Page) => page.waitForLoadState("networkidle");

const host = (element: string, style = "") =>
  stage.hostPage(`<idea-bank-${element} token="${stage.demoToken}"></idea-bank-${element}>`, {
    head: `<script type="module" src="${stage.api}/embed/${element}.js"></script><meta name="color-scheme" content="light dark">${FONT}${style}`,
  });

/** The looks of `docs/looks.md`, each with the background of a page that it is for. */
const LOOKS = { clear: "#fff", paper: "#f4ecdf", night: "#07090d", soft: "#e9e1fb", block: "#fff" };

async function takeLook(name: string, background: string) {
  const style = `<style>body { margin: 24px; background: ${background} } ${block("docs/looks.md", `look ${name}`)}</style>`;
  const { page } = await stage.page({ viewport: { width: 900, height: 600 }, locale: "en-GB" });
  await page.goto(host("board", style));
  await settle(page);
  // A vote that is given, and one that is not.
  const vote = page.locator("button.vote").first();
  if ((await vote.getAttribute("aria-pressed")) === "false") await vote.click();
  await page.mouse.move(0, 0);
  await settle(page);
  await takeScreenshot(page, `docs/looks/${name}.png`, false);
  await stage.closePages();
}

try {
  await take("changelog", host("changelog"), { width: 760, height: 640 }, "idea-bank-changelog:state(ready)");
  await take("idea-board", host("board"), { width: 760, height: 640 }, "idea-bank-board:state(ready)");
  const start = `${stage.api}/#token=${stage.demoToken}`;
  await take("start-page", start, { width: 1280, height: 1040 }, "idea-bank-board:state(ready)");
  for (const [name, background] of Object.entries(LOOKS)) await takeLook(name, background);
  const queue = `${stage.api}/account/ideas?status=open&sort=top`;
  await take("account-settings", queue, { width: 1120, height: 800 }, "main h1");
  const bare = "<style>:not(:defined) { display: none } body > * { --idea-bank-border-width: 0px }</style>";
  const tour = { width: 720, height: 540 };
  await takeTour("board", host("board", bare), tour, "idea-bank-board:state(ready)");
  await takeTour("queue", queue, { width: 900, height: 675 }, "main h1");
  await takeTour("changelog", host("changelog", bare), tour, "idea-bank-changelog:state(ready)");
} finally {
  await stage.close();
  await stop();
}
