/** The place in the list of `<idea-bank-board>`: kept over an idea, a reload and Back; a new visit begins at the top. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { ask, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");

describe("the place in the list of <idea-bank-board>", () => {
  let stage: Stage;
  let token: string;
  beforeAll(async () => {
    stage = await openStage(shared);
    // 130 ideas, which no test changes.
    const bank = await stage.ideaBank();
    token = bank.token;
    for (let number = 130; number > 0; number -= 26) {
      const proposals = Array.from({ length: 26 }, (_, at) => ({
        ...{ title: `Idea ${number - at}`, description: "" },
        createdAt: new Date(Date.now() - (number - at) * 86_400_000).toISOString(),
      }));
      for (const proposal of proposals) await stage.tenant("POST", `${bank.path}/proposals`, proposal);
    }
  });

  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  /** A page with the list, of which 100 are shown. */
  async function open() {
    const { page } = await stage.page({ viewport: { width: 700, height: 600 } });
    const head = `<script type="module" src="${stage.api}/embed/board.js"></script>`;
    const body = `<idea-bank-board token="${token}" history></idea-bank-board><p id="end">End</p>`;
    const address = stage.hostPage(body, { head, headers: stage.strictPolicy });
    await page.goto(address);
    await rows(page).first().waitFor();
    for (let count = 40; count <= 100; count += 20) {
      await rows(page).last().scrollIntoViewIfNeeded();
      const more = page.getByRole("button", { name: "Show more ideas" });
      // Three pages come by themselves.
      if (count > 80) await more.click();
      await expect.poll(() => rows(page).count()).toBeGreaterThanOrEqual(count);
    }
    return { page, address };
  }
  const rows = (page: Page) => page.locator(".ideas .idea");
  const row = (page: Page, title: string) => rows(page).filter({ has: page.getByText(title, { exact: true }) });
  const isInView = (page: Page, title: string) =>
    ask<boolean>(
      row(page, title),
      "((box) => box.top >= 0 && box.bottom <= innerHeight)(element.getBoundingClientRect())",
    );

  it("is where it was after a reload, in two requests, and at the top on a new visit", async () => {
    const { page, address } = await open();
    const count = await rows(page).count();
    await ask(row(page, "Idea 70"), `element.scrollIntoView({ block: "center" })`);
    const asked: string[] = [];
    page.on("request", (request) => /\/proposals\?/.test(request.url()) && asked.push(request.url()));
    await page.reload();
    await expect.poll(() => rows(page).count()).toBeGreaterThanOrEqual(count);
    await expect.poll(() => isInView(page, "Idea 70")).toBe(true);
    expect(asked).toHaveLength(2);
    const { page: other } = { page: await page.context().newPage() };
    await other.goto(address);
    await rows(other).first().waitFor();
    await expect.poll(() => other.evaluate("scrollY")).toBe(0);
  });

  it("is where it was after an idea: by its button, by Back, and by Back after a reload", async () => {
    const { page } = await open();
    const openIdea = async () => {
      await row(page, "Idea 85").locator(".open").click();
      await page.locator(".detail").waitFor();
    };
    await openIdea();
    await page.getByRole("button", { name: "All ideas" }).click();
    await expect.poll(() => isInView(page, "Idea 85")).toBe(true);
    await openIdea();
    await page.goBack();
    await expect.poll(() => isInView(page, "Idea 85")).toBe(true);
    await openIdea();
    await page.reload();
    await page.locator(".detail").waitFor();
    await page.goBack();
    await row(page, "Idea 85").waitFor();
    await expect.poll(() => isInView(page, "Idea 85")).toBe(true);
  });

  it("is left alone while the visitor is elsewhere on the page", async () => {
    const { page } = await open();
    await page.evaluate("scrollTo(0, 0)");
    await page.reload();
    await expect.poll(() => rows(page).count()).toBeGreaterThanOrEqual(100);
    await expect.poll(() => isInView(page, "Idea 1")).toBe(true);
  });
});
