/** Names in a real browser: long ones in the header and in the list of members, and colleagues who are offered after an @. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { sidewaysScroll } from "../../support/node/accessible.ts";
import { openStage, type Stage } from "../../support/node/element-stage.ts";
import { openPage } from "../../support/node/owner-pages.ts";

const shared = inject("stage");

const LONG = `${"a-name-without-an-end-".repeat(6)}@a-company-with-a-long-name.example.com`;

/** The pages as they are with these texts in place of others: the stage's account has one member. */
const replacing = (page: Page, texts: readonly (readonly [text: string | RegExp, by: string])[]) =>
  page.route("**/account/**", async (route) => {
    if (route.request().resourceType() !== "document") return route.continue();
    const answer = await route.fetch();
    const body = texts.reduce((html, [text, by]) => html.replaceAll(text, by), await answer.text());
    return route.fulfill({ response: answer, body });
  });

describe("names in Chromium", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  it("leave the header one line on a laptop, and the members as wide as a phone", async () => {
    const { page } = await openPage(stage, { viewport: { width: 1280, height: 900 } });
    const header = () => page.evaluate<number>("document.querySelector('header').getBoundingClientRect().height");
    await page.goto("/account/members");
    const height = await header();
    await replacing(page, [
      [/owner@example\.com/g, LONG],
      [/(<a href="\/account\/accounts">a-name[^<]*<\/a>)/g, `$1<span class="hint"> in ${LONG}</span>`],
      [/<td>Admin/g, `<td>by ${LONG} Admin`],
    ]);
    await page.reload();
    await page.getByText(` in ${LONG}`).waitFor();
    await expect.poll(header).toBe(height);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => sidewaysScroll(page)).toBeLessThanOrEqual(0);
  });

  it("of colleagues are offered while one is typed after an @, and stand below the box without a script", async () => {
    const { path, ids } = await stage.ideaBank({ name: "Names" }, [{ title: "Quay lights" }]);
    const idea = `/account/idea-banks/${path.split("/").at(-1)}/ideas/${ids[0]}`;
    const { page, complaints } = await openPage(stage);
    await replacing(page, [
      [/data-names="[^"]*"/g, `data-names="${JSON.stringify(["@Ana Ortiz", "@Ben"]).replaceAll('"', "&quot;")}"`],
    ]);
    await page.goto(idea);
    const box = page.getByLabel("Note", { exact: true });
    await box.pressSequentially("Ask x@a and @a");
    const offered = page.locator(".internal [data-offered] button");
    await expect.poll(() => offered.allTextContents()).toEqual(["@Ana Ortiz"]);
    // The next key after the box.
    await page.keyboard.press("Tab");
    while ((await page.evaluate("document.activeElement.textContent")) === "Discard") await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => box.inputValue()).toBe("Ask x@a and @Ana Ortiz ");
    await expect.poll(() => offered.count()).toBe(0);
    await box.pressSequentially("and @");
    await expect.poll(() => offered.allTextContents()).toEqual(["@Ana Ortiz", "@Ben"]);
    await box.pressSequentially("x");
    await expect.poll(() => offered.count()).toBe(0);
    expect(complaints).toEqual([]);
    await stage.tenant("DELETE", path);
  });
});
