/** `<idea-bank-changelog>` when it reads again: what is shown stays, and what is new is not lost. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { answerOnce, ask, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const CHANGELOG = /\/public\/ideabank\/changelog$/;
const done = (title: string, description = "Done.") => ({ title, description, status: "implemented" });

describe("<idea-bank-changelog> reads again", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  const address = (token: string) =>
    stage.hostPage(`<idea-bank-changelog token="${token}"></idea-bank-changelog>`, {
      head: `<script type="module" src="${stage.api}/embed/changelog.js"></script>`,
      headers: stage.strictPolicy,
    });
  const inState = (page: Page, state: string) => page.locator(`idea-bank-changelog:state(${state})`).waitFor();
  const comeBack = (page: Page) =>
    page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  const titles = (page: Page) => page.getByRole("heading", { level: 3 }).allTextContents();

  it("shows the news after an answer that was cut off", async () => {
    const bank = await stage.ideaBank({}, [done("Old")]);
    const { page } = await stage.page();
    await page.goto(address(bank.token));
    await inState(page, "ready");
    await stage.tenant("POST", `${bank.path}/proposals`, done("News"));
    const cut = Promise.withResolvers<string>();
    await page.route(CHANGELOG, async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      await route.fulfill({ response, body: text.slice(0, text.length / 2) });
      cut.resolve(text);
    });
    await comeBack(page);
    expect(await cut.promise).toContain("News");
    await page.unrouteAll({ behavior: "wait" });
    await comeBack(page);
    await expect.poll(() => titles(page)).toEqual(["News", "Old"]);
  });

  it("says that there is no connection when the first answer is cut off", async () => {
    const bank = await stage.ideaBank({}, [done("Old")]);
    const { page, complaints } = await stage.page();
    await page.route(CHANGELOG, (route) =>
      route.fulfill({ status: 200, headers: { "Access-Control-Allow-Origin": "*" }, body: '{"items":[' }),
    );
    await page.goto(address(bank.token));
    await page.getByText("No connection.").first().waitFor();
    expect(complaints).toEqual([]);
  });

  it("keeps what a repeated read has shown when the first one fails after it", async () => {
    const bank = await stage.ideaBank({}, [done("Old")]);
    const { page } = await stage.page();
    const [seen, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route(
      CHANGELOG,
      async (route) => {
        seen.resolve();
        await gate.promise;
        await route.abort();
      },
      { times: 1 },
    );
    await page.goto(address(bank.token));
    await seen.promise;
    await comeBack(page);
    await inState(page, "ready");
    const failed = page.waitForEvent("requestfailed");
    gate.resolve();
    await failed;
    const again = page.waitForResponse(CHANGELOG);
    await comeBack(page);
    expect((await again).status()).toBe(304);
    await inState(page, "ready");
    await expect.poll(() => titles(page)).toEqual(["Old"]);
  });

  it("counts what has come since the last look, not what was looked at before", async () => {
    const { token } = await stage.ideaBank();
    const { page } = await stage.page();
    await page.addInitScript(
      "addEventListener('changelog-count', ({ detail }) => (window.counts ??= []).push(detail.count))",
    );
    let times = [1];
    await page.route(CHANGELOG, (route) => {
      const items = times.map((lastModified) => ({ title: `At ${lastModified}`, description: "", lastModified }));
      return route.fulfill({ headers: { "Access-Control-Allow-Origin": "*" }, body: JSON.stringify({ items }) });
    });
    const counts = () => page.evaluate("window.counts");
    const shows = (expected: readonly number[]) =>
      expect.poll(() => titles(page)).toEqual(expected.map((time) => `At ${time}`));
    await page.goto(address(token));
    await expect.poll(() => page.evaluate("Object.keys(localStorage).length")).toBe(2);
    times = [3, 2, 1];
    await page.reload();
    await shows(times);
    await expect.poll(counts).toEqual([2, 0]);
    // In a panel that is closed again.
    await ask(page.locator("main"), "(element.style.marginTop = '-9999px')");
    times = [3, 1];
    await comeBack(page);
    await expect.poll(() => page.getByRole("status").textContent()).toBe("2 updates, 1 new");
    await expect.poll(counts).toEqual([2, 0]);
    times = [4, 3, 1];
    await comeBack(page);
    await expect.poll(counts).toEqual([2, 0, 1]);
  });

  it("keeps the focus inside when what had it is replaced", async () => {
    const bank = await stage.ideaBank({}, [done("Old")]);
    const { page } = await stage.page();
    const button = page.getByRole("button", { name: "Try again" });
    await answerOnce(page, CHANGELOG, 503, "service-unavailable");
    await page.goto(address(bank.token));
    await inState(page, "error");
    await ask(button, "(element.focus(), element.dataset.before = 1)");
    await answerOnce(page, CHANGELOG, 503, "service-unavailable");
    await comeBack(page);
    await expect.poll(() => page.locator("[data-before]").count()).toBe(0);
    await expect.poll(() => page.evaluate("document.activeElement.localName")).toBe("idea-bank-changelog");
    await button.focus();
    await comeBack(page);
    await inState(page, "ready");
    await expect.poll(() => page.evaluate("document.activeElement.localName")).toBe("idea-bank-changelog");
  });

  it("unfolds each of two long entries with one title by itself", async () => {
    const long = "A long text. ".repeat(60);
    const bank = await stage.ideaBank({}, [done("Bug fixes", long), done("Bug fixes", long)]);
    const { page } = await stage.page();
    await page.goto(address(bank.token));
    await inState(page, "ready");
    const buttons = page.locator("button.link");
    const texts = () => buttons.allTextContents();
    await buttons.nth(0).click();
    await expect.poll(texts).toEqual(["Show less", "Show more"]);
    await buttons.nth(1).click();
    await expect.poll(texts).toEqual(["Show less", "Show less"]);
    await buttons.nth(0).click();
    await expect.poll(texts).toEqual(["Show more", "Show less"]);
    // A third one above them changes neither what is unfolded nor the focus.
    await stage.tenant("POST", `${bank.path}/proposals`, done("More"));
    await buttons.nth(1).focus();
    await comeBack(page);
    await page.getByRole("heading", { name: "More" }).waitFor();
    await expect.poll(texts).toEqual(["Show more", "Show less"]);
    await expect.poll(() => ask(buttons.nth(1), "element.matches(':focus')")).toBe(true);
  });
});
