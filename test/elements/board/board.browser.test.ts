/** `<idea-bank-board>` in a real browser, on a page of another origin than the API's: the list, votes and what is closed. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { BOARD_LABELS } from "../../../src/elements/board/labels.ts";
import { expectAccessible } from "../../support/node/accessible.ts";
import { answerOnce, ask, hold, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const VOTE = /\/vote$/;
const idea = (title: string, more: object = {}) => ({ title, description: `About ${title}.`, ...more });

describe("<idea-bank-board>", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  const script = () => `<script type="module" src="${stage.api}/embed/board.js"></script>`;
  const element = (token: string, more = "") => `<idea-bank-board token="${token}" ${more}></idea-bank-board>`;
  const strict = (body: string) => stage.hostPage(body, { head: script(), headers: stage.strictPolicy });
  const inState = (page: Page, state: string) => page.locator(`idea-bank-board:state(${state})`).waitFor();
  const titles = (page: Page) => page.locator("li h3").allTextContents();
  const voteFor = (page: Page, title: string) => page.getByRole("button", { name: `Vote for “${title}”` });

  async function open(token: string, options: Parameters<Stage["page"]>[0] = {}, more = "") {
    const opened = await stage.page(options);
    await opened.page.goto(strict(element(token, more)));
    return opened;
  }

  it("lists ideas under a strict Content-Security-Policy, sorted and filtered as the visitor likes", async () => {
    const bank = await stage.ideaBank({ name: "Rider ideas" }, [
      idea("Bikes", { status: "planned" }),
      idea("Dogs"),
      idea("Cats"),
    ]);
    const { page, complaints } = await open(bank.token);
    await inState(page, "ready");
    await page.getByRole("heading", { name: "Rider ideas", level: 2 }).waitFor();
    await voteFor(page, "Dogs").click();
    await page.getByRole("status").filter({ hasText: "Voted. 1 vote." }).waitFor();
    await page.getByRole("radio", { name: "Top" }).press("Space");
    await expect.poll(async () => (await titles(page))[0]).toBe("Dogs");
    await page.getByRole("radio", { name: "Top" }).press("ArrowRight");
    await expect.poll(() => titles(page)).toEqual(["Cats", "Dogs", "Bikes"]);
    await page.getByLabel("Show").selectOption("Planned");
    await expect.poll(() => titles(page)).toEqual(["Bikes"]);
    await page.getByLabel("Show").selectOption("My votes");
    await expect.poll(() => titles(page)).toEqual(["Dogs"]);
    await page.getByLabel("Show").selectOption("My ideas");
    await inState(page, "empty");
    await page.getByText("No ideas match this filter.").first().waitFor();
    expect(complaints).toEqual([]);
  });

  it("says nothing but what `labels` says, when it says everything", async () => {
    const own = Object.fromEntries(Object.keys(BOARD_LABELS).map((name) => [name, `‹${name}›`]));
    const bank = await stage.ideaBank({ name: "Zoo" }, [idea("Xylophones", { description: "Xx." })]);
    const { page, complaints } = await stage.page();
    const early = `<script>document.querySelector("idea-bank-board").labels = ${JSON.stringify(own)};</script>`;
    await page.goto(stage.hostPage(element(bank.token) + early, { head: script() }));
    const english: unknown[] = Object.values(BOARD_LABELS);
    const expectNoEnglish = async () => {
      const said = await page.evaluate<
        string[]
      >(`[...document.querySelector("idea-bank-board").shadowRoot.querySelectorAll("*")]
        .flatMap((each) => [...each.attributes].filter(({ name }) => /^(aria-label|title|placeholder)$/.test(name)).map(({ value }) => value)
          .concat([...each.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data)))`);
      expect(said.length).toBeGreaterThan(5);
      expect(said.filter((text) => english.includes(text.trim()))).toEqual([]);
    };
    await page.getByRole("heading", { name: "Xylophones" }).waitFor();
    await expectNoEnglish();
    await page.getByRole("button", { name: "‹suggest›" }).click();
    await page.getByRole("button", { name: "‹submit›" }).click();
    await page.getByText("‹required›").first().waitFor();
    await expectNoEnglish();
    await page.getByRole("button", { name: "‹cancel›" }).click();
    await page.getByRole("button", { name: "Xylophones", exact: true }).click();
    await page.getByText("‹noComments›").waitFor();
    await expectNoEnglish();
    expect(complaints).toEqual([]);
  });

  it("shows markup as text", async () => {
    const markup = `<img src=x onerror="document.title='owned'">`;
    const bank = await stage.ideaBank({ name: markup }, [
      { ...idea(markup), description: markup, response: undefined },
    ]);
    await stage.tenant("POST", `${bank.path}/proposals/${bank.ids[0]}/comments`, { body: markup });
    const { page, complaints } = await stage.page();
    await page.goto(stage.hostPage(element(bank.token), { head: script() }));
    await page.getByRole("button", { name: markup, exact: true }).click();
    await page.locator(".comment").getByText(markup).waitFor();
    await expect.poll(() => page.locator("idea-bank-board img").count()).toBe(0);
    await expect.poll(() => page.title()).toBe("A tenant's page");
    expect(complaints).toEqual([]);
  });

  it("loads more as the visitor reaches the end, without a gap and without a double", async () => {
    const bank = await stage.ideaBank(
      {},
      Array.from({ length: 45 }, (_, index) => idea(`Idea ${index}`)),
    );
    const { page } = await open(bank.token);
    await inState(page, "ready");
    for (const rows of [40, 45]) {
      await ask(page.locator("li").last(), "element.scrollIntoView()");
      await expect.poll(() => page.locator("li").count()).toBe(rows);
    }
    await expect.poll(async () => new Set(await titles(page)).size).toBe(45);
    await expect.poll(() => page.getByRole("button", { name: "Show more ideas" }).count()).toBe(0);
    await page
      .getByRole("status")
      .filter({ hasText: /^45 ideas\.$/ })
      .waitFor();

    // Where nothing is loaded by itself there is a button, and the focus goes on with the first that came.
    const { page: manual } = await stage.page();
    await manual.addInitScript("IntersectionObserver = class { observe() {} disconnect() {} }");
    await manual.goto(strict(element(bank.token)));
    await inState(manual, "ready");
    await expect.poll(() => manual.locator("li").count()).toBe(20);
    await manual.getByRole("status").filter({ hasText: "20 ideas shown, there are more." }).waitFor();
    await manual.getByRole("button", { name: "Show more ideas" }).press("Enter");
    await expect.poll(() => manual.locator("li").count()).toBe(40);
    const focused = "document.querySelector('idea-bank-board').shadowRoot.activeElement.textContent";
    const expected = (await titles(manual))[20];
    await expect.poll(() => manual.evaluate(focused)).toBe(expected);
  });

  it("counts a vote at once, and sends what the last click wanted", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const { page } = await open(bank.token);
    const button = voteFor(page, "Dogs");
    const held = await hold(page, VOTE);
    await button.press("Enter");
    await held.seen;
    await expect.poll(() => button.getAttribute("aria-pressed")).toBe("true");
    await page.getByRole("button", { name: "1 vote", exact: false }).waitFor();
    // Back and forth while the first is under way.
    await button.click();
    await button.click();
    await button.click();
    await expect.poll(() => button.getAttribute("aria-pressed")).toBe("false");
    held.release();
    await page.getByRole("status").filter({ hasText: "Vote taken back. 0 votes." }).waitFor();
    const { votes } = await stage.tenant<{ votes: number }>("GET", `${bank.path}/proposals/${bank.ids[0]}`);
    expect(votes).toBe(0);
    await button.click();
    await page.getByRole("status").filter({ hasText: "Voted. 1 vote." }).waitFor();
  });

  it("takes a vote back that was refused, and says why", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const { page, context } = await open(bank.token);
    const button = voteFor(page, "Dogs");
    const refused = async (words: RegExp) => {
      await button.click();
      await page.locator(".notice").getByText(words).waitFor();
      await expect.poll(() => button.getAttribute("aria-pressed")).toBe("false");
      await expect.poll(() => page.getByRole("status").textContent()).toMatch(words);
      await page.getByRole("button", { name: "Dismiss" }).press("Enter");
      await expect.poll(() => page.evaluate("document.activeElement.localName")).toBe("idea-bank-board");
    };
    await button.waitFor();
    await answerOnce(page, VOTE, 429, "too-many-requests", { "Retry-After": "50" });
    await refused(/Too many requests\. Try again in \d+ seconds\./);
    await context.setOffline(true);
    await refused(/No connection\./);
    await context.setOffline(false);
    await answerOnce(page, VOTE, 500, "internal-error");
    await refused(/Something went wrong\./);
    await answerOnce(page, VOTE, 403, "capability-closed");
    await refused(/That is not open any more\./);
    await stage.tenant("DELETE", `/panelists/${bank.panelistId}/tokens`);
    await refused(/Your session has ended\./);
  });

  it("shows what the idea bank allows, and nothing else", async () => {
    const bank = await stage.ideaBank({ votingEnabled: false, submissionsEnabled: false, commentsEnabled: false }, [
      idea("Dogs", { status: "planned" }),
    ]);
    const { page } = await open(bank.token);
    await inState(page, "ready");
    await expect.poll(() => voteFor(page, "Dogs").count()).toBe(0);
    await page.getByText("0 votes").waitFor({ state: "attached" });
    await expect.poll(() => page.getByRole("button", { name: "New idea" }).isVisible()).toBe(false);
    await page.getByRole("button", { name: "Dogs" }).click();
    await page.getByRole("heading", { name: "No comments yet" }).waitFor();
    await expect.poll(() => page.getByRole("textbox").count()).toBe(0);
    await expectAccessible(page, "nothing allowed");
  });

  it("is closed when the idea bank is internal, or is closed meanwhile; or the session has ended", async () => {
    const internal = await stage.ideaBank({ internal: true }, [idea("Dogs")]);
    const { page } = await open(internal.token);
    await inState(page, "closed");
    await expectAccessible(page, "closed");
    await page.goto(strict(element("ibt_nonsense")));
    await inState(page, "signed-out");

    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    await page.goto(strict(element(bank.token)));
    await inState(page, "ready");
    await stage.tenant("PATCH", bank.path, { status: "CLOSED" });
    await voteFor(page, "Dogs").click();
    await inState(page, "closed");
  });

  it("says that it could not be loaded, and tries again when it is told to", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const { page } = await stage.page();
    await answerOnce(page, /\/ideabank$/, 503, "service-unavailable");
    await page.goto(strict(element(bank.token)));
    await inState(page, "error");
    await expectAccessible(page, "error");
    await answerOnce(page, /\/proposals\?/, 503, "service-unavailable");
    await page.getByRole("button", { name: "Try again" }).press("Enter");
    await page.getByRole("radio", { name: "Trending" }).waitFor({ state: "attached" });
    await inState(page, "error");
    await page.getByRole("button", { name: "Try again" }).press("Enter");
    await inState(page, "ready");
    await expect.poll(() => page.evaluate("document.activeElement.localName")).toBe("idea-bank-board");
  });

  it("keeps its looks among hostile styles", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const hostile = `<style>
      * { all: unset; display: inline !important; font: 40px/3 cursive !important; color: red !important }
      body { text-transform: uppercase; letter-spacing: 1em; text-align: right }
      button, li, section { float: right; border: 9px solid red; background: red }
    </style>`;
    const { page } = await stage.page();
    await page.goto(stage.hostPage(element(bank.token), { head: script() + hostile }));
    await inState(page, "ready");
    const names = ["color", "textTransform", "letterSpacing", "float", "fontSize", "backgroundColor"];
    const looks = await ask<object>(
      page.locator(".idea-title"),
      `Object.fromEntries(${JSON.stringify(names)}.map((name) => [name, getComputedStyle(element)[name]]))`,
    );
    expect(looks).toEqual({
      color: "rgb(23, 26, 33)",
      textTransform: "none",
      letterSpacing: "normal",
      float: "none",
      fontSize: "16.5px",
      backgroundColor: "rgba(0, 0, 0, 0)",
    });
    await expect.poll(async () => (await page.locator("section").boundingBox())?.width).toBeGreaterThan(600);
  });
});
