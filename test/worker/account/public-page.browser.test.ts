/** “I want a page for my board, and share it”, as a person does it: the clicks are counted, and every step can be read by everybody. */
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { openStage, type Stage } from "../../support/node/element-stage.ts";
import { lookAround } from "../../support/node/look-around.ts";
import { action, copied, openPage } from "../../support/node/owner-pages.ts";

const shared = inject("stage");

describe("a board's Public page in Chromium", () => {
  let stage: Stage;
  let made: string | undefined;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(async () => {
    if (made !== undefined) await stage.tenant("DELETE", `/ideabanks/${made}`);
    await stage?.close();
  });

  it("is four clicks from a new board to the copied link", async () => {
    const { page } = await openPage(stage, { bypassCSP: true });
    await page.goto("/account/idea-banks");
    await page.getByLabel("Name").fill("Wünsche für den Bus");
    await action(page, "Create board").click();
    await page.waitForURL(/public-page$/);
    [, made] = /idea-banks\/(\w+)/.exec(page.url()) ?? [];
    await lookAround(page, "public-page-off");
    await action(page, "Turn on public page").click();
    await page.getByText("Public page is on.").waitFor();
    await lookAround(page, "public-page-on");
    await action(page, "Open board").click();
    await action(page, "Copy link").click();
    const link = await copied(page);
    expect(link).toBe(`${stage.api}/b/${made}/wunsche-fur-den-bus`);
    await expect.poll(() => page.getByRole("link", { name: "Open the page" }).getAttribute("href")).toBe(link);
    await page.getByRole("img", { name: "QR code of the link" }).waitFor();
  });

  it("works without JavaScript", async () => {
    const { path } = await stage.ideaBank();
    const { page } = await openPage(stage, { javaScriptEnabled: false });
    await page.goto(`/account${path.replace("ideabanks", "idea-banks")}/public-page`);
    await page.getByLabel("Approval").uncheck();
    await action(page, "Turn on public page").click();
    await page.getByLabel("Description").fill("Better rides");
    await page.getByLabel("Hide from search engines").check();
    await page
      .locator("form", { has: page.getByLabel("Description") })
      .getByRole("button", { name: "Save" })
      .click();
    await page.getByText("Saved. The page shows the change within a minute.").waitFor();
    expect(await stage.tenant("GET", path)).toMatchObject({
      ...{ publicPage: true, approvalRequired: false },
      ...{ description: "Better rides", hiddenFromSearch: true },
    });
  });
});
