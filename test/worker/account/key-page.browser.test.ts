/** A key's own page in a real browser, with and without JavaScript, and what axe-core finds. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { openStage, type Stage } from "../../support/node/element-stage.ts";
import { lookAround } from "../../support/node/look-around.ts";
import { openPage } from "../../support/node/owner-pages.ts";

const shared = inject("stage");

describe("A key's page in Chromium", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  /** The demo account's key was used for a week. */
  async function openDemoKey(page: Page): Promise<void> {
    await page.goto("/account/api-keys");
    await page.getByRole("link", { name: "Demo key", exact: true }).click();
    await page.getByRole("heading", { name: "Who uses it, and what for" }).waitFor();
  }

  it.each([true, false])("shows who uses the key, and what for (JavaScript: %s)", async (javaScript) => {
    const { page, complaints } = await openPage(stage, { javaScriptEnabled: javaScript });
    await openDemoKey(page);
    const uses = page.locator("dl.uses > div");
    // Other files of the shared server use the key, too.
    await expect
      .poll(() => uses.nth(0).textContent())
      .toMatch(/^Last use.+[a-z] from [\da-f.:]+\/(24|48), [A-Z][a-z]+/s);
    await expect
      .poll(() => uses.nth(1).textContent())
      .toMatch(/^Last refusal.+: over its limit[A-Za-z]+ from [\da-f.:]+\/(24|48), [A-Z][a-z]+/s);
    const row = page.getByRole("row", { name: /^listProposals/ });
    await expect
      .poll(() => row.getByRole("cell").allTextContents())
      .toEqual([expect.stringMatching(/^[\d,]+$/), expect.stringMatching(/^[\d,]+$/)]);
    expect(complaints).toEqual([]);
  });

  it("has nothing for axe-core to complain of, in light and dark, wide and narrow; see the screenshots", async () => {
    const { page } = await openPage(stage, { bypassCSP: true });
    await openDemoKey(page);
    await lookAround(page, "key-uses");
  });
});
