/** What an owner finds and does on the pages of Account Settings. */
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import type { Stage } from "./element-stage.ts";

/** A page of the owner's, and what its console complains of. */
export async function openPage(stage: Stage, options: BrowserContextOptions = {}) {
  const context = await stage.browser.newContext({ baseURL: stage.api, ...options });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  return { page, complaints };
}

export const focused = (page: Page) => page.evaluate<string>("document.activeElement.textContent");

export const card = (page: Page, name: string) => page.locator("li.card", { has: page.getByRole("heading", { name }) });

export const action = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** What the button that has just copied copies again. Its clipboard is the browser's: another file may have copied since. */
export async function copied(page: Page): Promise<string> {
  await action(page, "Copied").click();
  return page.evaluate<string>("navigator.clipboard.readText()");
}

/** Whatever becomes of the test: an account may have few keys. */
export const revokeLater = ({ api }: Stage, name: string): void =>
  onTestFinished(async () => {
    const keys = `${api}/account/api/keys`;
    const { items }: { items: { id: string; name: string }[] } = JSON.parse(await (await fetch(keys)).text());
    for (const { id } of items.filter((key) => key.name === name)) {
      const { status } = await fetch(`${keys}/${id}`, { method: "DELETE" });
      expect(status).toBe(200);
    }
  });

/** Returns the key that is shown. It is revoked when the test ends. */
export async function createKey(stage: Stage, page: Page, name: string): Promise<string> {
  revokeLater(stage, name);
  await page.goto("/account/api-keys?create");
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("heading", { name: "Your new API key" }).waitFor();
  return (await page.locator("#key").textContent()) ?? "";
}

export async function revokeKey(page: Page, name: string): Promise<void> {
  await page.goto("/account/api-keys");
  await page.getByRole("link", { name: `Revoke ${name}` }).click();
  await page.getByRole("heading", { name: `Revoke “${name}”?` }).waitFor();
  await page.getByRole("button", { name: "Revoke key" }).click();
  await page.getByText(`“${name}” revoked.`).waitFor();
}
