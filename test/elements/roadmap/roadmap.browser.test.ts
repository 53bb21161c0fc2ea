/** `<idea-bank-roadmap>`: what is planned, in progress and done, to vote on and to open as on the board. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectAccessible } from "../../support/node/accessible.ts";
import { takeScreenshot } from "../../support/node/browser.ts";
import { answerOnce, ask, hold, holdAnswers, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const idea = (title: string, status: string, more: object = {}) => ({
  title,
  description: `About ${title}.`,
  status,
  ...more,
});
const IDEAS = [
  idea("Buses", "planned", { tags: ["Night"] }),
  idea("Trams", "planned"),
  idea("Bikes", "in-progress", { response: { text: "Soon." } }),
  idea("Stairs", "implemented"),
  idea("Lifts", "implemented"),
  idea("Open", "submitted"),
  idea("No", "declined"),
];

describe("<idea-bank-roadmap>", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  const script = (...names: string[]) =>
    names.map((name) => `<script type="module" src="${stage.api}/embed/${name}.js"></script>`).join("");
  const tag = (token: string, more = "") => `<idea-bank-roadmap token="${token}" ${more}></idea-bank-roadmap>`;
  const host = (body: string, head = script("roadmap"), lang = "en", dir = "ltr") =>
    stage.hostPage(body, { head, lang, dir, headers: head.includes("<style>") ? {} : stage.strictPolicy });
  const inState = (page: Page, state: string) => page.locator(`idea-bank-roadmap:state(${state})`).waitFor();
  const columns = async (page: Page) => {
    const sections = await page.locator(".column").all();
    return Promise.all(
      sections.map(async (section) => [
        await section.locator("h3").textContent(),
        ...(await section.locator("h4").allTextContents()),
      ]),
    );
  };
  const comeBack = (page: Page) =>
    page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");

  it("shows a column for each status, the most wanted first, under a strict Content-Security-Policy", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const other = await bank.tokenFor("somebody-else");
    await fetch(`${stage.api}/ideabank/proposals/${bank.ids[0]}/vote`, {
      method: "PUT",
      headers: { Authorization: other },
    });
    const { page, complaints } = await stage.page();
    await page.goto(host(tag(bank.token)));
    await inState(page, "ready");
    await expect
      .poll(() => columns(page))
      .toEqual([
        ["Planned", "Buses", "Trams"],
        ["In progress", "Bikes"],
        ["Done", "Lifts", "Stairs"],
      ]);
    await expect.poll(() => page.locator(".column-head .muted").allTextContents()).toEqual(["2", "1", "2"]);
    await expect.poll(() => page.getByRole("heading", { level: 2 }).allTextContents()).toEqual(["Roadmap"]);
    await expect.poll(() => page.getByRole("button", { name: "New idea" }).isVisible()).toBe(false);
    expect(complaints).toEqual([]);
  });

  it("fits a narrow phone with text of 32 pixels, and so does the board: nothing scrolls sideways", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { token } = await stage.tenant<{ token: string }>("POST", `${bank.path}/tokens`, { visitor: true });
    const { page } = await stage.page({ viewport: { width: 360, height: 800 } });
    const board = `<idea-bank-board token="${token}" sign-in-url="/login"></idea-bank-board>`;
    const style = "<style>main { --idea-bank-font-size: 32px }</style>";
    await page.goto(host(tag(bank.token) + board, script("roadmap", "board") + style));
    await inState(page, "ready");
    await page.locator("idea-bank-board .idea").first().waitFor();
    await expect.poll(() => page.evaluate("document.scrollingElement.scrollWidth")).toBe(360);
    // The question has a line of its own.
    await page.locator("idea-bank-board button.vote").first().click();
    const question = page.locator("idea-bank-board .notice p");
    await expect.poll(async () => (await question.boundingBox())?.width).toBeGreaterThan(200);
    await page.locator("idea-bank-board .open").first().click();
    await page.locator(".detail").waitFor();
    await expect.poll(() => page.evaluate("document.scrollingElement.scrollWidth")).toBe(360);
  });

  it("votes and opens as the board does, says so to the page, and closes on Escape and Back", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page } = await stage.page();
    await page.goto(host(tag(bank.token, "history")));
    await page.evaluate(
      "window.said = [], addEventListener('voted', ({ detail }) => said.push(detail.title, detail.votes))",
    );
    const vote = page.getByRole("button", { name: /^Vote for “Trams”/ });
    await vote.click();
    await page.getByRole("button", { name: "Vote for “Trams”: 1 vote", pressed: true }).waitFor();
    await expect.poll(() => page.evaluate("said.join()")).toBe("Trams,1");
    await page.getByRole("link", { name: "Trams", exact: true }).click();
    await page.locator(".detail").getByRole("button", { name: "Vote for “Trams”: 1 vote", pressed: true }).waitFor();
    await page.getByLabel("Add a comment").fill("Every ten minutes.");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.getByRole("heading", { name: "1 comment" }).waitFor();
    await page.goBack();
    await page.locator(".column").first().waitFor();
    await page.locator(".idea").filter({ hasText: "Trams" }).getByText("1 comment").waitFor({ state: "attached" });
    await page.goForward();
    await page.getByRole("heading", { name: "Trams", level: 3 }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Trams", level: 3 }).waitFor();
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "Roadmap" }).press("Escape");
    const focused = () => page.evaluate("document.activeElement.shadowRoot.activeElement.textContent");
    await expect.poll(focused).toBe("Trams");
  });

  it("opens what the page names, and leaves the tab's history alone without `history`", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page } = await stage.page();
    await page.goto(host(tag(bank.token, `proposal="${bank.ids[2]}"`)));
    await page.getByRole("heading", { name: "Bikes", level: 3 }).waitFor();
    await page.getByText("Soon.").waitFor();
    const length = await page.evaluate("history.length");
    await page.getByRole("button", { name: "Roadmap" }).click();
    await ask(page.locator("idea-bank-roadmap"), `element.open({ proposal: "${bank.ids[3]}" })`);
    await page.getByRole("heading", { name: "Stairs", level: 3 }).waitFor();
    await ask(page.locator("idea-bank-roadmap"), `element.open({ view: "list" })`);
    await page.locator(".column").first().waitFor();
    await expect.poll(() => page.evaluate("history.length")).toBe(length);
  });

  it("tells the page that a visitor wants to vote, and asks who has signed in there by another way", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { token } = await stage.tenant<{ token: string }>("POST", `${bank.path}/tokens`, { visitor: true });
    const { page } = await stage.page();
    let current = token;
    await page.route("**/my/token", (route) => route.fulfill({ body: current }));
    const body = `<idea-bank-roadmap token-url="/my/token"></idea-bank-roadmap>`;
    await page.goto(stage.hostPage(body, { head: script("roadmap") }));
    await page.evaluate("window.said = [], addEventListener('sign-in', ({ detail }) => said.push(detail.proposal))");
    await page.getByRole("button", { name: /^Vote for “Bikes”/ }).click();
    await page.locator(".notice").getByText("Sign in on this site to vote and suggest ideas.").waitFor();
    await expect.poll(() => page.evaluate("said.join()")).toBe(bank.ids[2]);
    current = bank.token;
    await page.reload();
    await page.locator(".notice").getByText("Vote for “Bikes”?").waitFor();
    await page.getByRole("button", { name: "Yes" }).click();
    await page.getByRole("heading", { name: "Bikes", level: 3 }).waitFor();
    await page.getByRole("button", { name: "Vote for “Bikes”: 1 vote", pressed: true }).waitFor();
  });

  it("says that nothing is planned, that a column is empty, that it is closed, and what went wrong once", async () => {
    const empty = await stage.ideaBank();
    const closed = await stage.ideaBank({ internal: true });
    const one = await stage.ideaBank({}, [idea("Buses", "planned")]);
    const { page } = await stage.page();
    await page.goto(host(tag(empty.token)));
    await inState(page, "empty");
    await page.getByRole("status").filter({ hasText: "Nothing is planned yet" }).waitFor();
    await expectAccessible(page, "empty");
    await page.goto(host(tag(closed.token)));
    await inState(page, "closed");
    await page.goto(host(tag(one.token)));
    await inState(page, "ready");
    await expect
      .poll(() =>
        page
          .locator(".column")
          .allTextContents()
          .then((texts) => texts.filter((text) => text.includes("Nothing yet")).length),
      )
      .toBe(2);
    await expectAccessible(page, "two empty columns");
    await answerOnce(page, /status=in-progress/, 503, "service-unavailable");
    await page.reload();
    await inState(page, "error");
    await expectAccessible(page, "error");
    await page.getByRole("button", { name: "Try again" }).click();
    await inState(page, "ready");
  });

  it("shows more of a column when it is told to, and reads again when the tab comes back", async () => {
    const bank = await stage.ideaBank(
      {},
      Array.from({ length: 25 }, (_, at) => idea(`Idea ${at}`, "planned")),
    );
    const { page } = await stage.page();
    await page.goto(host(tag(bank.token)));
    await expect.poll(() => page.locator(".column .idea").count()).toBe(10);
    await stage.tenant("PATCH", `${bank.path}/proposals/${bank.ids[24]}`, { status: "implemented" });
    await comeBack(page);
    await expect.poll(async () => (await columns(page)).map((titles) => titles.length)).toEqual([11, 1, 2]);
    await page.getByRole("button", { name: "Show more ideas" }).press("Enter");
    await expect.poll(() => page.locator(".column .idea").count()).toBe(21);
    await page.getByRole("button", { name: "Show more ideas" }).press("Enter");
    await expect.poll(() => page.locator(".column .idea").count()).toBe(25);
    await expect.poll(() => page.getByRole("button", { name: "Show more ideas" }).isVisible()).toBe(false);
  });

  it("is made of the board: its own script, or that of a page that has both", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const board = `<idea-bank-board token="${bank.token}"></idea-bank-board>`;
    for (const names of [["roadmap"], ["board", "roadmap"], ["roadmap", "board"]]) {
      const { page, complaints } = await stage.page();
      const loaded: string[] = [];
      page.on("request", (request) => request.url().endsWith(".js") && loaded.push(request.url().replace(/.*\//, "")));
      await page.goto(host(tag(bank.token) + board, script(...names)));
      await inState(page, "ready");
      await page.locator("idea-bank-board:state(ready)").waitFor();
      expect(loaded.sort()).toEqual(["board.js", "roadmap.js"]);
      expect(complaints).toEqual([]);
    }
  });

  it("opens in a launcher, which opens an idea in it", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page } = await stage.page();
    await page.goto(host(`<idea-bank-launcher>${tag(bank.token)}</idea-bank-launcher>`, script("roadmap", "launcher")));
    await page.getByRole("button", { name: "Roadmap", exact: true }).click();
    await page.getByRole("dialog", { name: "Roadmap" }).waitFor();
    await page.getByRole("heading", { name: "Buses" }).waitFor();
    await expectAccessible(page, "roadmap in a launcher");
    await ask(page.locator("idea-bank-launcher"), `element.open({ proposal: "${bank.ids[0]}" })`);
    await page.getByRole("heading", { name: "Buses", level: 3 }).waitFor();
  });

  it("keeps a vote that was given while it was read again, and the focus", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page } = await stage.page();
    await page.goto(host(tag(bank.token)));
    await inState(page, "ready");
    await stage.tenant("PATCH", `${bank.path}/proposals/${bank.ids[0]}`, { title: "Big buses" });
    const vote = page.getByRole("button", { name: /^Vote for “Trams”/ });
    const readAgain = async (act: () => Promise<void>) => {
      const held = await holdAnswers(page, /status=planned/);
      await comeBack(page);
      await held.seen;
      const read = page.waitForResponse(/status=planned/);
      await act();
      held.release();
      await (await read).finished();
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      await page.unrouteAll({ behavior: "wait" });
    };
    await readAgain(async () => {
      await vote.click();
      await page.getByRole("status").filter({ hasText: "Voted. 1 vote." }).waitFor();
    });
    await expect.poll(() => vote.getAttribute("aria-pressed")).toBe("true");
    const focused = () => page.evaluate("document.activeElement.shadowRoot?.activeElement?.className");
    await expect.poll(focused).toBe("vote");
    const blur = () => page.evaluate("document.activeElement.blur()");
    await blur();
    await readAgain(async () => {
      await vote.click();
      await page.getByRole("status").filter({ hasText: "Vote taken back. 0 votes." }).waitFor();
      await blur();
    });
    await page.getByRole("button", { name: "Big buses", exact: true }).waitFor();
    await expect.poll(() => vote.getAttribute("aria-pressed")).toBe("false");
  });

  const visibleTitles = async (page: Page) => {
    const titles = await page.locator(".column .idea-title:visible").allTextContents();
    return titles.sort().join();
  };
  const radio = (page: Page, name: string) => page.getByRole("radio", { name });

  it("stands in columns where there is room; a phone shows one, which is chosen with a finger or with keys", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page } = await stage.page({ viewport: { width: 1280, height: 800 } });
    await page.goto(host(tag(bank.token)));
    await inState(page, "ready");
    await expect.poll(() => visibleTitles(page)).toBe("Bikes,Buses,Lifts,Stairs,Trams");
    await expect.poll(() => page.getByRole("radio").count()).toBe(0);
    for (const width of [390, 256]) {
      await page.setViewportSize({ width, height: 800 });
      await radio(page, "Planned 2").check({ force: true });
      await expect.poll(() => visibleTitles(page)).toBe("Buses,Trams");
      await page.getByText("Done 2").click();
      await expect.poll(() => visibleTitles(page)).toBe("Lifts,Stairs");
      await radio(page, "Done").press("ArrowLeft");
      await expect.poll(() => visibleTitles(page)).toBe("Bikes");
      await expect.poll(() => radio(page, "In progress 1").isChecked()).toBe(true);
      await expect.poll(() => page.getByRole("heading", { level: 3 }).allTextContents()).toEqual(["In progress"]);
      await expect.poll(() => page.evaluate("document.scrollingElement.scrollWidth")).toBe(width);
    }
  });

  it("keeps its column on a phone: after an idea, when it is read again, and when the page is loaded again", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page } = await stage.page({ viewport: { width: 390, height: 800 } });
    await page.goto(host(tag(bank.token, "history")));
    await page.getByText("Done 2").click();
    await page.getByRole("link", { name: "Lifts", exact: true }).click();
    await page.locator(".detail").waitFor();
    await page.goBack();
    await expect.poll(() => visibleTitles(page)).toBe("Lifts,Stairs");
    await page.reload();
    await expect.poll(() => visibleTitles(page)).toBe("Lifts,Stairs");
    await stage.tenant("PATCH", `${bank.path}/proposals/${bank.ids[4]}`, { status: "planned" });
    await comeBack(page);
    await expect.poll(() => visibleTitles(page)).toBe("Stairs");
    // An idea that an address opened is left to its own column.
    const { page: linked } = await stage.page({ viewport: { width: 390, height: 800 } });
    await linked.goto(`${host(tag(bank.token, "history"))}?idea=${bank.ids[2]}`);
    await linked.getByRole("button", { name: "Roadmap" }).click();
    await expect.poll(() => visibleTitles(linked)).toBe("Bikes");
  });

  it("leads back from an idea to its column on a phone, also before the columns have come", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page } = await stage.page({ viewport: { width: 390, height: 800 } });
    const held = await hold(page, /proposals\?/);
    await page.goto(`${host(tag(bank.token, "history"))}?idea=${bank.ids[2]}`);
    await held.seen;
    await page.getByRole("button", { name: "Roadmap" }).click();
    held.release();
    await expect.poll(() => visibleTitles(page)).toBe("Bikes");
  });

  it("shows the first column that is not empty on a phone", async () => {
    const bank = await stage.ideaBank({}, IDEAS.slice(2, 4));
    const { page } = await stage.page({ viewport: { width: 390, height: 800 } });
    await page.goto(host(tag(bank.token)));
    await expect.poll(() => visibleTitles(page)).toBe("Bikes");
    await page.getByText("Planned 0").click();
    await page.getByText("Nothing yet").first().waitFor();
  });

  it("shows a skeleton of columns first", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page } = await stage.page();
    const held = await hold(page, /proposals\?/);
    await page.goto(host(tag(bank.token)));
    await held.seen;
    await inState(page, "loading");
    await expect.poll(() => page.locator(".column .skeleton:visible").count()).toBe(3);
    await page.setViewportSize({ width: 390, height: 800 });
    await expect.poll(() => page.locator(".column .skeleton:visible").count()).toBe(1);
    held.release();
    await inState(page, "ready");
  });

  it("has nothing for axe-core to complain of, in any look", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    for (const [colorScheme, width, dir, lang, forcedColors] of [
      ["light", 1280, "ltr", "en", "none"],
      ["dark", 1280, "ltr", "de", "none"],
      ["dark", 390, "rtl", "ar", "none"],
      ["light", 256, "ltr", "ja", "none"],
      ["light", 1280, "ltr", "pl", "active"],
    ] as const) {
      const { page } = await stage.page({ colorScheme, forcedColors, viewport: { width, height: 800 } });
      const head = `<meta name="color-scheme" content="light dark">`;
      await page.goto(host(tag(bank.token), script("roadmap") + head, lang, dir));
      await inState(page, "ready");
      const looks = `roadmap-${colorScheme}-${width}-${lang}${forcedColors === "active" ? "-forced" : ""}`;
      await takeScreenshot(page, `test-results/${looks}.png`);
      await expectAccessible(page, looks);
    }
  });
});
