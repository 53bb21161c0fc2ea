/** `<idea-bank-changelog>` beyond the recent entries: the older ones by month, and the address of each. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectAccessible } from "../../support/node/accessible.ts";
import { takeScreenshot } from "../../support/node/browser.ts";
import { answerOnce, ask, hold, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const ENTRIES = /\/ideabank\/changelog\/entries/;
const CHANGELOG = /\/public\/ideabank\/changelog$/;
type Listed = { readonly items: readonly { readonly id: string; readonly title: string }[] };

describe("the older entries of <idea-bank-changelog>", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  const script = () => `<script type="module" src="${stage.api}/embed/changelog.js"></script>`;
  const host = (token: string, more = "history", around = "") =>
    stage.hostPage(`${around}<idea-bank-changelog token="${token}" ${more}></idea-bank-changelog>`, {
      head: script(),
      headers: stage.strictPolicy,
    });
  const ready = (page: Page) => page.locator("idea-bank-changelog:state(ready)").waitFor();
  const titles = (page: Page) => page.locator(".entry-title").allTextContents();
  const more = (page: Page) => page.getByRole("button", { name: "Older" });
  const comeBack = (page: Page) =>
    page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  const focused = (page: Page) =>
    page.evaluate<string>("document.querySelector('idea-bank-changelog').shadowRoot.activeElement?.textContent");

  /** So many entries, ten in each month from January on, of which the changelog itself shows two. */
  async function createBank(count: number) {
    const entries = Array.from({ length: count }, (_, at) => {
      const createdAt = new Date(Date.UTC(2025, Math.floor(at / 10), 1 + (at % 10), 12)).toISOString();
      return { title: `Entry ${at + 1}`, description: "Done.", status: "implemented", createdAt };
    });
    const bank = await stage.ideaBank({ changelogMaxEntries: 2 }, entries);
    const answer = await fetch(`${stage.api}/ideabank/changelog/entries?limit=100`, {
      headers: { Authorization: bank.token },
    });
    const { items } = (await answer.json()) as Listed;
    const addressOf = (title: string) =>
      items.find((item) => item.title === title)?.id.replace("urn:uuid:", "update=") ?? "";
    return { ...bank, addressOf };
  }
  const numbers = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, at) => `Entry ${from - at}`);

  it("come below the recent ones, by month, until there are no more; the focus goes on with the first of them", async () => {
    const bank = await createBank(26);
    const { page, complaints } = await stage.page({ timezoneId: "UTC" });
    await page.goto(host(bank.token, ""));
    await ready(page);
    await more(page).waitFor();
    await expect.poll(() => titles(page)).toEqual(numbers(26, 25));
    await more(page).press("Enter");
    await expect.poll(() => titles(page)).toEqual(numbers(26, 5));
    await expect.poll(() => focused(page)).toContain("Entry 24");
    await page.getByRole("status").getByText("22 updates").waitFor();
    await expectAccessible(page, "older entries");
    await takeScreenshot(page, "test-results/changelog-older.png");
    await more(page).press("Enter");
    await expect.poll(() => titles(page)).toEqual(numbers(26, 1));
    await expect.poll(() => more(page).isVisible()).toBe(false);
    await expect.poll(() => focused(page)).toContain("Entry 4");
    const months = page.getByRole("heading", { level: 3 }).filter({ hasText: "2025" });
    await expect.poll(() => months.allTextContents()).toEqual(["March 2025", "February 2025", "January 2025"]);
    await expect.poll(() => page.locator("time a, a time").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("are not offered where there are none, and not asked for while nobody sees the changelog", async () => {
    const bank = await createBank(2);
    const { page } = await stage.page();
    const asked: string[] = [];
    page.on("request", (request) => ENTRIES.test(request.url()) && asked.push(request.url()));
    await page.goto(host(bank.token, `id="own" history hidden`));
    await expect.poll(() => page.locator(".entry").count()).toBe(2);
    expect(asked).toEqual([]);
    await ask(page.locator("#own"), "(element.hidden = false)");
    await expect.poll(() => asked.length).toBe(1);
    await expect.poll(() => page.locator("a[href*=update]").count()).toBe(2);
    await expect.poll(() => more(page).isVisible()).toBe(false);
  });

  it("stand once each when a new entry comes, and one moves up, between two pages", async () => {
    const bank = await createBank(26);
    const { page } = await stage.page();
    await page.goto(host(bank.token));
    await ready(page);
    await more(page).click();
    await expect.poll(() => titles(page)).toEqual(numbers(26, 5));
    await stage.tenant("POST", `${bank.path}/proposals`, { title: "Brand new", status: "implemented" });
    await stage.tenant("PATCH", `${bank.path}/proposals/${bank.ids[9]}`, { description: "Changed." });
    await comeBack(page);
    const now = ["Entry 10", "Brand new", ...numbers(26, 11), ...numbers(9, 5)];
    await expect.poll(() => titles(page)).toEqual(now);
    await more(page).click();
    await expect.poll(() => titles(page)).toEqual([...now, ...numbers(4, 1)]);
  });

  it("keep the place and an unfolded text while more come", async () => {
    const bank = await createBank(40);
    const { page } = await stage.page({ viewport: { width: 600, height: 500 } });
    await page.goto(host(bank.token));
    await ready(page);
    await more(page).click();
    await expect.poll(() => titles(page)).toHaveLength(22);
    await page.locator(".entry").nth(15).scrollIntoViewIfNeeded();
    const top = () => ask<number>(page.locator(".entry").nth(15), "Math.round(element.getBoundingClientRect().top)");
    const before = await top();
    await ask(more(page), "(element.click(), 1)");
    await expect.poll(() => titles(page)).toHaveLength(40);
    await expect.poll(top).toBe(before);
  });

  it("say why they could not be read, and are read when asked again", async () => {
    const bank = await createBank(6);
    const { page } = await stage.page();
    await page.goto(host(bank.token));
    await ready(page);
    await more(page).waitFor();
    await answerOnce(page, ENTRIES, 503, "service-unavailable");
    await more(page).click();
    await page.locator(".note").getByText("That isn’t possible right now.").waitFor();
    await more(page).click();
    await expect.poll(() => titles(page)).toEqual(numbers(6, 1));
    await expect.poll(() => page.locator(".note").count()).toBe(0);
  });

  describe("with addresses", () => {
    it("leads to each from its date: a plain click marks it and writes its address, and the rest stays the page's", async () => {
      const bank = await createBank(6);
      const { page, context } = await stage.page();
      await page.goto(`${host(bank.token)}?lang=en&flag#news`);
      await ready(page);
      const before = await page.evaluate("history.length");
      const link = page.locator(".entry").nth(1).getByRole("link");
      await link.click();
      await expect.poll(() => page.url()).toMatch(new RegExp(`\\?lang=en&flag&${bank.addressOf("Entry 5")}#news$`));
      await expect.poll(() => page.locator(".target .entry-title").allTextContents()).toEqual(["Entry 5"]);
      await expect.poll(() => page.evaluate("history.length")).toBe(before);
      await page.locator(".entry").first().getByRole("link").click();
      await expect.poll(() => page.locator(".target .entry-title").allTextContents()).toEqual(["Entry 6"]);
      // Another click opens it in another tab.
      const opened = context.waitForEvent("page");
      await link.click({ modifiers: ["ControlOrMeta"] });
      const other = await opened;
      await other.locator(".target").getByText("Entry 5").waitFor();
    });

    it("opens an older one: read until it is there, in view, marked, with the focus", async () => {
      const bank = await createBank(60);
      const { page } = await stage.page({ viewport: { width: 600, height: 500 } });
      const asked: string[] = [];
      page.on("request", (request) => ENTRIES.test(request.url()) && asked.push(request.url()));
      await page.goto(`${host(bank.token)}?${bank.addressOf("Entry 3")}`);
      const entry = page.locator(".target");
      await entry.getByText("Entry 3").waitFor();
      await expect
        .poll(() =>
          ask<boolean>(
            entry,
            "element.getBoundingClientRect().top < innerHeight && element.getBoundingClientRect().top > 0",
          ),
        )
        .toBe(true);
      await expect.poll(() => focused(page)).toContain("Entry 3");
      expect(asked).toHaveLength(2);
      await expectAccessible(page, "an entry that was opened by its address");
    });

    it("says that it is gone, and shows the others", async () => {
      const bank = await createBank(6);
      await stage.tenant("PATCH", `${bank.path}/proposals/${bank.ids[0]}`, { visibility: "hidden" });
      const { page } = await stage.page();
      await page.goto(`${host(bank.token)}?${bank.addressOf("Entry 1")}`);
      await page.locator(".note").getByText("This update was not found.").waitFor();
      await page.getByRole("status").getByText("This update was not found.").waitFor();
      await expect.poll(() => titles(page)).toEqual(numbers(6, 2));
    });

    it("does not read the address without `history`, nor take the focus from a field of the page", async () => {
      const bank = await createBank(4);
      const { page } = await stage.page();
      await page.goto(`${host(bank.token, "")}?${bank.addressOf("Entry 1")}`);
      await more(page).waitFor();
      await expect.poll(() => titles(page)).toEqual(numbers(4, 3));
      const held = await hold(page, CHANGELOG);
      await page.goto(`${host(bank.token, "history", `<input id="own">`)}?${bank.addressOf("Entry 1")}`);
      await held.seen;
      await page.locator("#own").focus();
      held.release();
      await page.locator(".target").getByText("Entry 1").waitFor();
      await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("own");
    });

    it("opens an entry of the second changelog of a page, and the first says nothing", async () => {
      const [one, other] = [await createBank(4), await createBank(6)];
      const element = (token: string) => `<idea-bank-changelog token="${token}" history></idea-bank-changelog>`;
      const { page } = await stage.page();
      const address = stage.hostPage(element(one.token) + element(other.token), { head: script() });
      await page.goto(`${address}?${other.addressOf("Entry 2")}`);
      await page.locator("idea-bank-changelog:nth-of-type(1) .entry").first().scrollIntoViewIfNeeded();
      await expect.poll(() => page.locator("idea-bank-changelog:nth-of-type(1) .entry").count()).toBe(4);
      await page.locator("idea-bank-changelog:nth-of-type(2) .entry").first().scrollIntoViewIfNeeded();
      await page.locator("idea-bank-changelog:nth-of-type(2) .target").getByText("Entry 2").waitFor();
      await expect.poll(() => page.locator(".note").count()).toBe(0);
    });
  });
});
