/** Account Settings by keyboard, in Chromium. */
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { openStage, type Stage } from "../../support/node/element-stage.ts";
import { action, card, createKey, focused, openPage, revokeLater } from "../../support/node/owner-pages.ts";

const shared = inject("stage");

describe("Account Settings by keyboard", () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  it("works with the keyboard alone", async () => {
    const { page } = await openPage(stage);
    await page.goto("/account/api-keys?create");
    await page.keyboard.press("Tab");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("Skip to content");
    await page.getByLabel("Name", { exact: true }).focus();
    await page.keyboard.type("By keyboard");
    revokeLater(stage, "By keyboard");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Your new API key" }).waitFor();
    await page.goto("/account/api-keys");
    await action(page, "Rotate By keyboard").focus();
    await page.keyboard.press("Enter");
    const grace = card(page, "By keyboard").getByRole("combobox");
    await grace.waitFor();
    await expect.poll(() => grace.evaluate((input) => input.matches(":focus"))).toBe(true);
    await page.keyboard.press("Escape");
    await expect.poll(() => grace.isVisible()).toBe(false);
    await expect.poll(() => focused(page)).toBe("Rotate");
  });

  it("selects the name of a key that is to be changed, and not over what was refused", async () => {
    const { page } = await openPage(stage);
    await createKey(stage, page, "Old name");
    await page.goto("/account/api-keys");
    await page.getByRole("link", { name: "Edit Old name" }).press("Enter");
    await page.getByRole("heading", { name: "Edit “Old name”" }).waitFor();
    await expect.poll(() => page.evaluate("getSelection().toString()")).toBe("Old name");
    await page.keyboard.type(" ");
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toContain("The key wasn’t changed.");
    await page.getByLabel("Name", { exact: true }).fill("New name");
    revokeLater(stage, "New name");
    await page.keyboard.press("Enter");
    await page.getByText("“New name” updated.").waitFor();
  });

  it.each([true, false])("keeps Tab inside a key's form (JavaScript: %s)", async (javaScriptEnabled) => {
    const { page } = await openPage(stage, { javaScriptEnabled });
    await createKey(stage, page, "Inside");
    await page.goto("/account/api-keys");
    await action(page, "Rotate Inside").click();
    await page.getByRole("dialog", { name: "Rotate Inside" }).waitFor();
    // Between the last and the first the browser itself has the focus.
    const where = () =>
      page.evaluate<string>(
        "document.activeElement === document.body ? '' : document.activeElement.closest('dialog') ? document.activeElement.textContent.trim() : 'outside'",
      );
    const seen = new Set<string>();
    for (const key of ["Tab", "Shift+Tab"]) {
      for (let times = 0; times < 6; times++) {
        await page.keyboard.press(key);
        seen.add(await where());
      }
    }
    expect([...seen]).toEqual(expect.arrayContaining(["Rotate now", "Cancel"]));
    expect([...seen]).not.toContain("outside");
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => page.getByRole("dialog", { name: "Rotate Inside" }).isVisible()).toBe(false);
  });
});
