/** A long discussion in `<idea-bank-board>`: from either end, and around the comment that an address names. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectAccessible } from "../../support/node/accessible.ts";
import { takeScreenshot } from "../../support/node/browser.ts";
import { answerOnce, ask, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const COMMENTS = /\/comments\?/;

describe("a long discussion in <idea-bank-board>", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  /** An idea with so many comments, a minute apart, by their numbers. */
  async function createBank(count: number) {
    const bank = await stage.ideaBank({}, [{ title: "Dogs", description: "About dogs." }]);
    const path = `${bank.path}/proposals/${bank.ids[0]}/comments`;
    const start = Date.now() - count * 60_000;
    const ids: string[] = [];
    for (let number = 1; number <= count; number++) {
      const createdAt = new Date(start + number * 60_000).toISOString();
      ids.push((await stage.tenant("POST", path, { body: `Comment ${number}`, createdAt })).id);
    }
    const address = (comment?: number) =>
      `?idea=${bank.ids[0]}${comment === undefined ? "" : `&comment=${ids[comment - 1]}`}`;
    return { ...bank, path, commentIds: ids, address };
  }
  type Bank = Awaited<ReturnType<typeof createBank>>;

  async function open(bank: Bank, address = bank.address(), options: Parameters<Stage["page"]>[0] = {}) {
    const { page, complaints } = await stage.page(options);
    const head = `<script type="module" src="${stage.api}/embed/board.js"></script>`;
    const body = `<idea-bank-board token="${bank.token}" history></idea-bank-board>`;
    await page.goto(stage.hostPage(body, { head, headers: stage.strictPolicy }) + address);
    await page.locator(".comment .prose").first().waitFor();
    return { page, complaints };
  }
  const shown = (page: Page) => page.locator(".comment .prose").allTextContents();
  const numbers = (from: number, to: number) =>
    Array.from({ length: Math.abs(to - from) + 1 }, (_, at) => `Comment ${from + at * Math.sign(to - from || 1)}`);
  const focused = (page: Page) =>
    page.evaluate<string>("document.querySelector('idea-bank-board').shadowRoot.activeElement?.textContent");
  const comeBack = (page: Page) =>
    page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  const inView = (page: Page) =>
    ask<boolean>(
      page.locator(".target"),
      "((box) => box.top >= 0 && box.bottom <= innerHeight)(element.getBoundingClientRect())",
    );

  it("is read from its end on demand, and back", async () => {
    const bank = await createBank(45);
    const { page, complaints } = await open(bank);
    await expect.poll(() => shown(page)).toEqual(numbers(1, 20));
    const order = page.getByRole("button", { name: "Newest first" });
    await order.press("Enter");
    await expect.poll(() => shown(page)).toEqual(numbers(45, 26));
    await expect.poll(() => order.getAttribute("aria-pressed")).toBe("true");
    await expectAccessible(page, "the newest comments first");
    await takeScreenshot(page, "test-results/discussion-newest.png");
    await page.getByRole("button", { name: "Show more comments" }).press("Enter");
    await expect.poll(() => shown(page)).toEqual(numbers(45, 6));
    await expect.poll(() => focused(page)).toContain("Comment 25");
    await page.getByRole("button", { name: "Show more comments" }).click();
    await expect.poll(() => shown(page)).toEqual(numbers(45, 1));
    await expect.poll(() => page.getByRole("button", { name: "comments" }).count()).toBe(0);
    await stage.tenant("POST", bank.path, { body: "Comment 46" });
    await comeBack(page);
    await expect.poll(() => shown(page)).toEqual(numbers(46, 1));
    await order.click();
    await expect.poll(() => shown(page)).toEqual(numbers(1, 20));
    expect(complaints).toEqual([]);
  });

  it("leads to the newest comment, and from there to earlier ones without moving what is read", async () => {
    const bank = await createBank(45);
    const { page } = await open(bank, bank.address(), { viewport: { width: 700, height: 600 } });
    await page.getByRole("button", { name: "Jump to the newest" }).click();
    await expect.poll(() => shown(page)).toEqual(numbers(26, 45));
    await page.locator(".target").getByText("Comment 45").waitFor();
    await expect.poll(() => inView(page)).toBe(true);
    await expect.poll(() => focused(page)).toContain("Comment 45");
    await page.getByRole("button", { name: "Show earlier comments" }).click();
    await expect.poll(() => shown(page)).toEqual(numbers(6, 45));
    await page.getByRole("button", { name: "Show earlier comments" }).click();
    await expect.poll(() => shown(page)).toEqual(numbers(1, 45));
    await expect.poll(() => page.getByRole("button", { name: "Show earlier comments" }).isVisible()).toBe(false);
    await stage.tenant("POST", bank.path, { body: "Comment 46" });
    await comeBack(page);
    await expect.poll(() => shown(page)).toEqual(numbers(1, 46));
  });

  it("has its field at the top, too, with what was written below; what is sent from there is shown", async () => {
    const bank = await createBank(25);
    const { page } = await open(bank);
    await page.getByLabel("Add a comment").fill("Begun below");
    await page.getByRole("button", { name: "Add a comment" }).click();
    const field = page.locator(".discussion .own textarea");
    await expect.poll(() => field.inputValue()).toBe("Begun below");
    await field.fill("Mine");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await expect.poll(() => shown(page)).toEqual([...numbers(1, 20), "Mine"]);
    const own = page.locator(".comment").last();
    await expect.poll(() => ask<boolean>(own, "element.getBoundingClientRect().bottom <= innerHeight")).toBe(true);
    // And back below.
    await page.getByRole("button", { name: "Add a comment" }).click();
    await expect.poll(() => page.locator(".discussion > form").count()).toBe(1);
    await page.getByRole("button", { name: "Newest first" }).click();
    await expect.poll(async () => (await shown(page))[0]).toBe("Mine");
    await page.getByLabel("Add a comment").fill("Newer");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await expect.poll(async () => (await shown(page)).slice(0, 2)).toEqual(["Newer", "Mine"]);
  });

  it("has none of this while it fits on a page", async () => {
    const bank = await createBank(3);
    const { page } = await open(bank);
    for (const name of ["Newest first", "Jump to the newest", "Add a comment"])
      await expect.poll(() => page.getByRole("button", { name }).isVisible()).toBe(false);
  });

  it("gives each comment an address, on its time", async () => {
    const bank = await createBank(3);
    const { page, complaints } = await open(bank);
    const before = await page.evaluate("history.length");
    await page.locator(".comment").nth(1).locator("a:has(time)").click();
    await expect.poll(() => page.url().endsWith(bank.address(2))).toBe(true);
    await expect.poll(() => page.evaluate("history.length")).toBe(before);
    await expect.poll(() => page.locator(".target .prose").allTextContents()).toEqual(["Comment 2"]);
    await page.getByRole("button", { name: "All ideas" }).click();
    await page.locator(".ideas .idea").waitFor();
    await expect.poll(() => page.url()).not.toContain("comment=");
    expect(complaints).toEqual([]);
  });

  it("opens a comment by its address: around it, in view, marked; earlier and later ones follow", async () => {
    const bank = await createBank(70);
    const { page } = await open(bank, bank.address(40), { viewport: { width: 700, height: 600 } });
    await page.locator(".target").getByText("Comment 40").waitFor();
    await expect.poll(() => inView(page)).toBe(true);
    await expect.poll(() => focused(page)).toContain("Comment 40");
    await expect.poll(() => shown(page)).toEqual(numbers(40, 59));
    await expectAccessible(page, "a comment that was opened by its address");
    await page.getByRole("button", { name: "Show earlier comments" }).click();
    await expect.poll(() => shown(page)).toEqual(numbers(21, 59));
    await page.getByRole("button", { name: "Show more comments" }).click();
    await expect.poll(() => shown(page)).toEqual(numbers(21, 70));
    await page.getByRole("button", { name: "Show earlier comments" }).click();
    await expect.poll(() => shown(page)).toEqual(numbers(1, 70));
    await expect.poll(() => page.getByRole("button", { name: "Show earlier comments" }).count()).toBe(0);
  });

  it("says that a comment is gone, and shows the discussion from its beginning", async () => {
    const bank = await createBank(25);
    await stage.tenant("DELETE", `${bank.path}/${bank.commentIds[21]}`);
    for (const address of [bank.address(22), `${bank.address()}&comment=x`]) {
      const { page } = await open(bank, address);
      await page.locator(".notice").getByText("This comment is no longer here.").waitFor();
      await expect.poll(() => shown(page)).toEqual(numbers(1, 20));
    }
  });

  it("tries again what could not be read", async () => {
    const bank = await createBank(25);
    const { page } = await open(bank);
    await answerOnce(page, COMMENTS, 503, "service-unavailable");
    await page.getByRole("button", { name: "Newest first" }).click();
    await page.locator(".notice").getByText("That isn’t possible right now.").waitFor();
    await expect.poll(() => shown(page)).toEqual(numbers(1, 20));
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => shown(page)).toEqual(numbers(25, 6));
  });

  it("takes no picture, and says so; a text beside one is taken", async () => {
    const bank = await createBank(1);
    const { page } = await open(bank);
    const field = page.getByLabel("Add a comment");
    const give = (type: string, text: string) =>
      ask(
        field,
        `((data) => {
          data.items.add(new File(["x"], "cat.png", { type: "image/png" }));
          if (${JSON.stringify(text)}) data.setData("text/plain", ${JSON.stringify(text)});
          const init = { bubbles: true, cancelable: true, clipboardData: data, dataTransfer: data };
          return element.dispatchEvent(new (${type === "paste" ? "ClipboardEvent" : "DragEvent"})("${type}", init));
        })(new DataTransfer())`,
      );
    for (const type of ["paste", "drop"]) {
      const isTaken = await give(type, "");
      expect(isTaken).toBe(false);
      await page.locator("form").getByText("Pictures can’t be added here.").waitFor();
      await page.getByRole("status").getByText("Pictures can’t be added here.").waitFor();
      await field.fill("A text");
      await expect.poll(() => page.locator("form").getByText("Pictures").isVisible()).toBe(false);
    }
    const isTaken = await give("paste", "A text");
    expect(isTaken).toBe(true);
    await expect.poll(() => page.locator("form").getByText("Pictures").isVisible()).toBe(false);
  });
});
