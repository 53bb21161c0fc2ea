/**
 * Account Settings in a real browser, against `npm run dev`: what an owner does, with JavaScript and without, what axe-core
 * finds, and a screenshot of each page in `test-results/`. Without a Chromium the tests are skipped, and say so.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath, launchBrowser } from "./browser.ts";
import { type DevServer, freePort, makeCheckout, startDev } from "./checkout.ts";

if (chromiumPath === undefined) {
  if (process.env.CI) throw new Error("CI needs a Chromium for the tests of Account Settings");
  console.warn("SKIPPED: no Chromium found for the tests of Account Settings (install one, or name it in CHROMIUM)");
}

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SCREENSHOTS = "test-results";

describe.runIf(chromiumPath)("Account Settings in Chromium", { timeout: 30_000 }, () => {
  let checkout: Awaited<ReturnType<typeof makeCheckout>>;
  let server: DevServer;
  let browser: Browser;
  let origin: string;

  beforeAll(async () => {
    checkout = await makeCheckout();
    const port = await freePort();
    origin = `http://localhost:${port}`;
    [server, browser] = await Promise.all([startDev(checkout.folder, "--port", String(port)), launchBrowser()]);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await checkout?.remove();
  });

  async function open(options: BrowserContextOptions = {}): Promise<{ page: Page; complaints: string[] }> {
    const context = await browser.newContext({ baseURL: origin, ...options });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    const complaints: string[] = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    return { page, complaints };
  }

  const whoami = async (key: string) =>
    (await fetch(`${origin}/tenant/whoami`, { headers: { "X-API-Key": key } })).status;
  const card = (page: Page, name: string) => page.locator("li.card", { has: page.getByRole("heading", { name }) });

  async function createKey(page: Page, name: string): Promise<string> {
    await page.goto("/account/api-keys");
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("heading", { name: "Your new API key" }).waitFor();
    return (await page.locator("#key").textContent()) ?? "";
  }

  async function revokeKey(page: Page, name: string): Promise<void> {
    await page.goto("/account/api-keys");
    await page.getByRole("link", { name: `Revoke ${name}` }).click();
    await page.getByRole("heading", { name: `Revoke “${name}”?` }).waitFor();
    await page.getByRole("button", { name: "Revoke this key" }).click();
    await page.getByRole("heading", { name: "API keys" }).waitFor();
  }

  it("creates a key, copies it, uses it, shows its usage, rotates it and revokes it", async () => {
    const { page, complaints } = await open();
    const key = await createKey(page, "CRM import");
    await page.getByRole("button", { name: "Copy the API key" }).click();
    await page.getByRole("button", { name: "Copied", exact: true }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(key);
    expect(page.url()).not.toContain("ibk_");

    for (let times = 0; times < 3; times++) expect(await whoami(key)).toBe(200);
    // The gate writes its counts to D1 some seconds after the first use.
    await expect
      .poll(
        async () => {
          await page.goto("/account/api-keys");
          return card(page, "CRM import").getByText("3 admitted").count();
        },
        { timeout: 20_000, interval: 1_000 },
      )
      .toBeGreaterThan(0);

    await page.getByLabel("Rotate CRM import").click();
    await card(page, "CRM import").getByRole("combobox").selectOption("no time at all");
    await page.getByRole("button", { name: "Rotate now" }).click();
    await page.getByRole("heading", { name: "Your key's new secret" }).waitFor();
    const rotated = (await page.locator("#key").textContent()) ?? "";
    expect(rotated.slice(0, 16)).toBe(key.slice(0, 16));
    expect([await whoami(key), await whoami(rotated)]).toEqual([401, 200]);

    await revokeKey(page, "CRM import");
    expect(await whoami(rotated)).toBe(401);
    expect(await card(page, "CRM import").getByText("revoked", { exact: true }).count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it("does not show the key again after the back button", async () => {
    const { page } = await open();
    const key = await createKey(page, "Going back");
    await page.getByRole("link", { name: /back to API keys/ }).click();
    await page.getByRole("heading", { name: "API keys" }).waitFor();
    expect(await page.content()).not.toContain(key);
    await page.goBack();
    expect(await page.content()).not.toContain(key);
    await revokeKey(page, "Going back");
  });

  it("works without JavaScript", async () => {
    const { page } = await open({ javaScriptEnabled: false });
    const key = await createKey(page, "No script");
    expect(await page.getByRole("button", { name: "Copy the API key" }).count()).toBe(0);
    expect(await whoami(key)).toBe(200);
    await page.goto("/account/api-keys");
    await page.getByLabel("Rename No script").click();
    await card(page, "No script").getByLabel("New name").fill("Still no script");
    await card(page, "No script").getByRole("button", { name: "Rename" }).click();
    await page.getByRole("heading", { name: "Still no script" }).waitFor();
    await page.getByLabel("Rotate Still no script").click();
    await page.getByRole("button", { name: "Rotate now" }).click();
    const rotated = (await page.locator("#key").textContent()) ?? "";
    expect([await whoami(key), await whoami(rotated)]).toEqual([200, 200]);
    await revokeKey(page, "Still no script");
    expect([await whoami(key), await whoami(rotated)]).toEqual([401, 401]);
  });

  it("works with the keyboard alone", async () => {
    const { page } = await open();
    await page.goto("/account/api-keys");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toContain("Skip to content");
    await page.getByLabel("Name", { exact: true }).focus();
    await page.keyboard.type("By keyboard");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Your new API key" }).waitFor();
    await revokeKey(page, "By keyboard");
  });

  it("creates one key for a double click", async () => {
    const { page } = await open();
    await page.goto("/account/api-keys");
    await page.getByLabel("Name", { exact: true }).fill("Twice");
    await page.getByRole("button", { name: "Create key" }).dblclick();
    await page.getByRole("heading", { name: "Your new API key" }).waitFor();
    await page.goto("/account/api-keys");
    expect(await card(page, "Twice").count()).toBe(1);
    await revokeKey(page, "Twice");
  });

  it("shows a name with markup as text", async () => {
    const { page, complaints } = await open();
    const name = `<img src=x onerror="document.title='owned'">`;
    await createKey(page, name);
    await page.goto("/account/api-keys");
    await page.getByRole("heading", { name }).waitFor();
    expect(await page.title()).toBe("API keys · Account Settings");
    await revokeKey(page, name);
    expect(complaints).toEqual([]);
  });

  it("passes axe-core in light and dark, wide and narrow; see the screenshots", async () => {
    const { page: owner } = await open();
    await createKey(owner, "Nightly export");
    await owner.goto("/account/api-keys");
    const revoke = (await owner.getByRole("link", { name: "Revoke Nightly export" }).getAttribute("href")) ?? "";
    for (const colorScheme of ["light", "dark"] as const) {
      for (const width of [1280, 390]) {
        const { page, complaints } = await open({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
        const look = async (name: string) => {
          await page.screenshot({ path: `${SCREENSHOTS}/${name}-${colorScheme}-${width}.png`, fullPage: true });
          const scroll = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
          expect(scroll, `${name} scrolls sideways`).toBeLessThanOrEqual(0);
          await page.evaluate(axe);
          const violations = await page.evaluate(
            "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))",
          );
          expect(violations, name).toEqual([]);
        };
        await page.goto("/account/api-keys");
        await look("api-keys");
        await page.getByLabel("Rotate Nightly export").click();
        await page.getByLabel("Rename Nightly export").click();
        await look("api-keys-open");
        await page.goto(revoke);
        await look("revoke");
        await page.goto("/account/activity");
        await look("activity");
        await page.goto("/account/api-keys");
        await page.getByLabel("Name", { exact: true }).fill(`Shown ${colorScheme} ${width}`);
        await page.getByRole("button", { name: "Create key" }).click();
        await page.getByRole("heading", { name: "Your new API key" }).waitFor();
        await look("shown-key");
        await revokeKey(page, `Shown ${colorScheme} ${width}`);
        await page.goto("/account/api-keys/000000000000/revoke");
        await look("not-found");
        expect(complaints.filter((complaint) => !complaint.includes("404"))).toEqual([]);
      }
    }
  });
});
