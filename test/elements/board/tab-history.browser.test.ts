/** `<idea-bank-board>` in a tab whose history the page uses, too, and with a linked idea. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectAccessible } from "../../support/node/accessible.ts";
import { takeScreenshot } from "../../support/node/browser.ts";
import { ask, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const idea = (title: string, more: object = {}) => ({ title, description: `About ${title}.`, ...more });

describe("<idea-bank-board> in the tab's history", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  async function open(token: string, more = "") {
    const { page } = await stage.page();
    const body = `<input id="own"><a href="#faq">Questions</a><idea-bank-board token="${token}" ${more}></idea-bank-board>`;
    const head = `<script type="module" src="${stage.api}/embed/board.js"></script>`;
    await page.goto(stage.hostPage(body, { head, headers: stage.strictPolicy }));
    await page.locator("idea-bank-board:is(:state(ready), :state(empty))").waitFor();
    return page;
  }
  const focused = (page: Page) => page.evaluate("document.activeElement.id || document.activeElement.localName");
  const goBack = (page: Page) =>
    page.evaluate(
      "new Promise((done) => { navigation.addEventListener('currententrychange', () => done(), { once: true }); history.back() })",
    );

  const compose = async (page: Page) => {
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByLabel("Title").fill("Night buses");
  };
  const openIdea = async (page: Page, title: string) => {
    // With an address it is a link.
    await page
      .locator(".open")
      .and(page.getByText(title, { exact: true }))
      .click();
    await page.locator(".detail").waitFor();
  };
  const toList = async (page: Page) => {
    await page.getByRole("button", { name: "All ideas" }).click();
    await page.locator(".idea").first().waitFor();
  };

  it("writes no entry without `history`, and hears of none", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const page = await open(bank.token);
    const before = await page.evaluate("history.length");
    await openIdea(page, "Dogs");
    await toList(page);
    await compose(page);
    await page.evaluate("history.pushState({ dialog: 1 }, '')");
    await goBack(page);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.locator(".idea").waitFor();
    await expect.poll(() => page.evaluate("[history.length, history.state]")).toEqual([Number(before) + 1, null]);
  });

  it.each(["", "history"])("leaves a form open when the page goes to a place of its own: %j", async (attribute) => {
    const bank = await stage.ideaBank();
    const page = await open(bank.token, attribute);
    await compose(page);
    await page.getByRole("link", { name: "Questions" }).click();
    await expect.poll(() => page.evaluate("location.hash")).toBe("#faq");
    await page.getByLabel("Description").fill("Every hour.");
    await goBack(page);
    await page.getByLabel("Description").fill("Every half hour.");
    await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("Night buses");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("No ideas here yet").first().waitFor();
  });

  it("closes an idea on a page that copies the state of one entry into the next", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const page = await open(bank.token, "history");
    await openIdea(page, "Dogs");
    await page.evaluate("history.pushState({ ...history.state, dialog: 1 }, '')");
    await toList(page);
    // The list stays, and the page's entry too.
    await page.getByLabel("Show").selectOption("My ideas");
    await page.getByText("No ideas match this filter.").first().waitFor();
    await expect.poll(() => page.evaluate("history.state.dialog")).toBe(1);
    // The entry of the open idea is the one before it.
    await goBack(page);
    await page.locator(".detail").waitFor();
  });

  it("leaves what is open as it is when the page goes back in its own entries", async () => {
    const bank = await stage.ideaBank();
    const page = await open(bank.token, "history");
    await compose(page);
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Description").fill("Ten minutes of work");
    await page.evaluate("history.pushState({ ...history.state, dialog: 1 }, '')");
    await page.locator("#own").focus();
    await goBack(page);
    await expect.poll(() => page.getByLabel("Description").inputValue()).toBe("Ten minutes of work");
    await expect.poll(() => focused(page)).toBe("own");
    // Its own entry is still there.
    await goBack(page);
    await page.locator(".idea").waitFor();
  });

  it("changes no state of the page's, of whatever kind", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const page = await open(bank.token, "history");
    for (const state of ['"inbox"', "[1, 2]", "7", '{ "page": 1 }']) {
      await page.evaluate(`history.replaceState(${state}, "")`);
      await openIdea(page, "Dogs");
      await expect.poll(() => page.evaluate("history.state")).toEqual(JSON.parse(state));
      await goBack(page);
      await page.locator(".idea").waitFor();
    }
  });

  describe("with the address of an idea", () => {
    const script = (name: string) => `<script type="module" src="${stage.api}/embed/${name}.js"></script>`;
    const hostOf = (token: string, names: readonly string[], attribute = "history") => {
      const tags = names.map((name) => `<idea-bank-${name} token="${token}" ${attribute}></idea-bank-${name}>`);
      return stage.hostPage(`<a href="#faq">Questions</a>${tags.join("")}`, { head: names.map(script).join("") });
    };
    const shown = (page: Page, title: string, name = "board") =>
      page.locator(`idea-bank-${name} .detail`).getByRole("heading", { name: title }).waitFor();
    const OWN = "?q=a%20b&comment=5&flag&empty=&&x=1+2";

    it("names it while it is open, and opens it in another tab; what is the page's stays as it was written", async () => {
      const bank = await stage.ideaBank({}, [idea("Dogs"), idea("Cats")]);
      const [dogs, cats] = bank.ids;
      const address = hostOf(bank.token, ["board"]) + OWN;
      const { page } = await stage.page();
      await page.goto(`${address}#top`);
      await openIdea(page, "Dogs");
      await expect.poll(() => page.url()).toBe(`${address}&idea=${dogs}#top`);
      await goBack(page);
      await page.locator(".ideas .idea").first().waitFor();
      await expect.poll(() => page.url()).toBe(`${address}#top`);
      await page.goForward();
      await shown(page, "Dogs");
      await toList(page);
      await expect.poll(() => page.url()).toBe(`${address}#top`);
      // A form has no address, and the idea that follows it has.
      await compose(page);
      await expect.poll(() => page.url()).toBe(`${address}#top`);
      await page.getByRole("button", { name: "Submit idea" }).click();
      await shown(page, "Night buses");
      await expect.poll(() => page.url()).toMatch(/&idea=\w+#top$/);

      const { page: other } = await stage.page();
      await other.goto(`${address}&idea=${cats}#top`);
      await shown(other, "Cats");
      await toList(other);
      await expect.poll(() => other.url()).toBe(`${address}#top`);
      await other.reload();
      await other.locator(".ideas .idea").first().waitFor();
      // Closed by its address, and opened from the list.
      await openIdea(other, "Dogs");
      await other.reload();
      await shown(other, "Dogs");
      await goBack(other);
      await other.locator(".ideas .idea").first().waitFor();
    });

    it("is copied beside the idea, and shown where the browser forbids copying", async () => {
      const bank = await stage.ideaBank({}, [idea("Dogs")]);
      for (const [size, width] of [["desktop", 1000] as const, ["phone", 360] as const]) {
        const { page, context } = await stage.page({ viewport: { width, height: 700 } });
        await context.grantPermissions(["clipboard-read", "clipboard-write"]);
        const address = hostOf(bank.token, ["board"]);
        await page.goto(`${address}?idea=${bank.ids[0]}`);
        await shown(page, "Dogs");
        await expectAccessible(page, "an opened link");
        await takeScreenshot(page, `test-results/link-opened-${size}.png`);
        await page.getByRole("button", { name: "Copy link" }).click();
        await page.locator(".notice").getByText("Link copied.").waitFor();
        const copied = await page.evaluate<string>("navigator.clipboard.readText()");
        expect(copied).toBe(`${address}?idea=${bank.ids[0]}`);
        await page.evaluate("navigator.clipboard.writeText = () => Promise.reject()");
        await page.getByRole("button", { name: "Copy link" }).click();
        await page.locator(".notice").getByText(copied).waitFor();
      }
    });

    it("opens one idea of a board and a roadmap: by the first, or by the one that was there", async () => {
      const bank = await stage.ideaBank({}, [idea("Dogs", { status: "planned" })]);
      const address = hostOf(bank.token, ["roadmap", "board"]);
      const { page } = await stage.page();
      const read: string[] = [];
      page.on("request", (request) => request.url().endsWith(`/proposals/${bank.ids[0]}`) && read.push(request.url()));
      await page.goto(`${address}?idea=${bank.ids[0]}`);
      await shown(page, "Dogs", "roadmap");
      await page.locator("idea-bank-board:state(ready)").waitFor();
      expect(read).toHaveLength(1);
      await page.getByRole("button", { name: "Roadmap" }).click();
      await page.locator("idea-bank-board .open").click();
      await shown(page, "Dogs", "board");
      await expect.poll(() => page.url()).toBe(`${address}?idea=${bank.ids[0]}`);
      read.length = 0;
      await page.reload();
      await shown(page, "Dogs", "board");
      await page.locator("idea-bank-roadmap:state(ready)").waitFor();
      expect(read).toHaveLength(1);
      await goBack(page);
      await page.locator("idea-bank-board:state(ready)").waitFor();
      await expect.poll(() => page.url()).toBe(address);
    });

    it("is the page's own without `history`, and where there is no such idea the visitor is told", async () => {
      const bank = await stage.ideaBank({}, [idea("Dogs")]);
      const { page } = await stage.page();
      const address = `${hostOf(bank.token, ["board"], "")}?idea=${bank.ids[0]}`;
      await page.goto(address);
      await openIdea(page, "Dogs");
      await expect.poll(() => page.getByRole("button", { name: "Copy link" }).count()).toBe(0);
      await toList(page);
      await expect.poll(() => page.url()).toBe(address);
      await page.goto(`${hostOf(bank.token, ["board"])}?idea=../x`);
      await page.locator(".notice").getByText("This idea is no longer here.").waitFor();
      await page.locator(".ideas .idea").waitFor();
    });

    it("has what the page opens in one parameter, whatever it is", async () => {
      const bank = await stage.ideaBank({}, [idea("Dogs")]);
      const { page } = await stage.page();
      const address = hostOf(bank.token, ["board"]);
      await page.goto(address);
      await page.locator(".ideas .idea").waitFor();
      await page.evaluate(`{
        const { pushState } = history;
        window.pushed = [];
        history.pushState = (state, title, address) => {
          pushed.push(address);
          pushState.call(history, state, title, address);
        };
        document.querySelector("idea-bank-board").open({ proposal: "x&admin=1#y" });
      }`);
      await page.locator(".notice").getByText("This idea is no longer here.").waitFor();
      await expect.poll(() => page.evaluate("pushed")).toEqual([`${address}?idea=x%26admin%3D1%23y`]);
    });

    it("is read by a browser that tells entries apart by no key", async () => {
      const bank = await stage.ideaBank({}, [idea("Dogs")]);
      const { page } = await stage.page();
      await page.addInitScript("Object.defineProperty(window, 'navigation', { value: undefined })");
      const address = hostOf(bank.token, ["board"]);
      await page.goto(`${address}?idea=${bank.ids[0]}`);
      await shown(page, "Dogs");
      await toList(page);
      await expect.poll(() => page.url()).toBe(address);
      await openIdea(page, "Dogs");
      await expect.poll(() => page.url()).toBe(address);
    });
  });

  it("opens a linked idea again for a new token while it is open, and no more once it was left", async () => {
    const bank = await stage.ideaBank({}, [idea("Linked"), idea("Other")]);
    const page = await open(bank.token, `history proposal="${bank.ids[0]}"`);
    const board = page.locator("idea-bank-board");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    const renew = async (externalId: string) => {
      asked.length = 0;
      const read = page.waitForResponse(/\/proposals\?/);
      await ask(board, `(element.token = "${await bank.tokenFor(externalId)}")`);
      await read;
      await page.locator("idea-bank-board:state(ready)").waitFor();
    };
    await page.getByRole("heading", { name: "Linked" }).waitFor();
    await renew("one");
    await page.locator(".detail").getByRole("heading", { name: "Linked" }).waitFor();
    await page.getByRole("button", { name: "All ideas" }).click();
    await page.locator(".idea").first().waitFor();
    await renew("two");
    await expect.poll(() => page.locator(".idea").count()).toBe(2);
    expect(asked).not.toContain(`/ideabank/proposals/${bank.ids[0]}`);
    // Another value is another link.
    const linkOther = () => ask(board, `element.setAttribute("proposal", "${bank.ids[1]}")`);
    const shown = (title: string) => page.locator(".detail").getByRole("heading", { name: title }).waitFor();
    await linkOther();
    await shown("Other");
    // After a reload, too.
    await page.getByRole("button", { name: "All ideas" }).click();
    await page.getByRole("link", { name: "Linked", exact: true }).click();
    await page.reload();
    await shown("Linked");
    await linkOther();
    await shown("Other");
  });
});
