/** Finding ideas with `<idea-bank-board>`: the search, and what is like the idea that is being typed. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectAccessible } from "../../support/node/accessible.ts";
import { takeScreenshot } from "../../support/node/browser.ts";
import { answerOnce, ask, hold, openStage, passTime, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const idea = (title: string, more: object = {}) => ({ title, description: `About ${title}.`, ...more });
const SIMILAR = /\/similar\?/;
const SEARCH = /[?&]q=/;

describe("finding in <idea-bank-board>", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  const bankOf = (...titles: string[]) =>
    stage.ideaBank(
      { name: "Rider ideas" },
      titles.map((title) => idea(title)),
    );
  const script = () => `<script type="module" src="${stage.api}/embed/board.js"></script>`;
  async function open(token: string, options: Parameters<Stage["page"]>[0] = {}, dir = "ltr", more = "") {
    const head = `${script()}<meta name="color-scheme" content="light dark">`;
    const body = `<div dir="${dir}"><idea-bank-board token="${token}" ${more}></idea-bank-board></div>`;
    const opened = await stage.page(options);
    await opened.page.goto(stage.hostPage(body, { head, headers: stage.strictPolicy }));
    await opened.page.locator("idea-bank-board:is(:state(ready), :state(empty))").waitFor();
    return opened;
  }
  const titles = (page: Page) => page.locator("li h3").allTextContents();
  const search = (page: Page) => page.getByRole("searchbox", { name: "Search" });
  const compose = async (page: Page) => {
    await page.getByRole("button", { name: "New idea" }).click();
    return page.getByLabel("Title");
  };
  const similar = (page: Page) => page.getByRole("region", { name: "Already suggested? Vote for it:" });

  it("searches while the visitor types, and says how many there are; the list comes back when the field is empty", async () => {
    const bank = await bankOf("Night buses", "More trains at night", "A quiet carriage");
    const { page, complaints } = await open(bank.token);
    await search(page).pressSequentially("night");
    await expect.poll(() => titles(page)).toEqual(["More trains at night", "Night buses"]);
    await page.getByRole("status").filter({ hasText: "2 ideas." }).waitFor();
    await expect.poll(() => page.getByRole("radio", { name: "Top" }).isDisabled()).toBe(true);
    await search(page).fill("ferries");
    await page.getByText("No ideas match.").first().waitFor();
    await search(page).fill("");
    await expect.poll(() => titles(page)).toHaveLength(3);
    await expect.poll(() => page.getByRole("radio", { name: "Top" }).isDisabled()).toBe(false);
    expect(complaints).toEqual([]);
  });

  it("says in sight that a search shows the best, where there may be more", async () => {
    const bank = await bankOf(...Array.from({ length: 21 }, (_, index) => `Night bus ${index + 1}`), "Trains");
    const { page } = await open(bank.token);
    await search(page).fill("night");
    await expect.poll(() => titles(page)).toHaveLength(20);
    await page.locator(".best").getByText("The 20 best matches.").waitFor();
    await expectAccessible(page, "the best of a search");
    await takeScreenshot(page, "test-results/board-search-best.png");
    await search(page).fill("trains");
    await expect.poll(() => titles(page)).toEqual(["Trains"]);
    await expect.poll(() => page.locator(".best").count()).toBe(0);
    await search(page).fill("");
    await expect.poll(() => titles(page)).toHaveLength(20);
    await expect.poll(() => page.locator(".best").count()).toBe(0);
  });

  it("keeps the search, the sort and the filter when the network comes back", async () => {
    const bank = await stage.ideaBank({}, [idea("Night buses", { status: "planned" }), idea("Day buses")]);
    const { page, context } = await open(bank.token);
    await page.getByRole("radio", { name: "Top" }).press("Space");
    await page.getByLabel("Show").selectOption("Planned");
    await expect.poll(() => titles(page)).toEqual(["Night buses"]);
    await context.setOffline(true);
    await search(page).fill("buses");
    await page.locator("idea-bank-board:state(error)").waitFor();
    await context.setOffline(false);
    await page.locator("idea-bank-board:state(ready)").waitFor();
    await expect.poll(() => titles(page)).toEqual(["Night buses"]);
    await expect.poll(() => search(page).inputValue()).toBe("buses");
    await expect.poll(() => page.getByLabel("Show").inputValue()).toBe("status=planned");
    await expect.poll(() => page.getByRole("radio", { name: "Top" }).isChecked()).toBe(true);
  });

  it("names the filter when a search in it finds nothing, and begins a new idea with the words", async () => {
    const bank = await bankOf("Night buses");
    const { page } = await open(bank.token);
    const seek = async (words: string) => {
      const answer = page.waitForResponse(new RegExp(`[?&]q=${words}`));
      await search(page).fill(words);
      await answer;
      await page.locator("idea-bank-board:state(empty)").waitFor();
    };
    const begin = async (words: string) => {
      const title = await compose(page);
      await expect.poll(() => title.inputValue()).toBe(words);
    };
    await seek("ferries");
    await page.getByText("No ideas match.").first().waitFor();
    await page.getByLabel("Show").selectOption("Planned");
    await page.getByText("No matching ideas with this filter.").first().waitFor();
    await begin("ferries");
    await page.getByRole("button", { name: "Cancel" }).click();
    await seek("trams");
    await begin("trams");
    // What the visitor has written is not lost.
    await page.getByLabel("Description").fill("Every half hour.");
    await page.getByRole("button", { name: "Cancel" }).click();
    await seek("boats");
    await begin("trams");
  });

  it("keeps what is there until the answer comes, and ignores an answer to what is no longer typed", async () => {
    const bank = await bankOf("Night buses", "A quiet carriage");
    const { page } = await open(bank.token);
    const held = await hold(page, SEARCH);
    await search(page).fill("night");
    await held.seen;
    await expect.poll(() => titles(page)).toHaveLength(2);
    await search(page).fill("quiet");
    held.release();
    await expect.poll(() => titles(page)).toEqual(["A quiet carriage"]);
  });

  it("asks for nothing that was typed before it began anew", async () => {
    const bank = await bankOf("Night buses");
    const { page } = await stage.page();
    await page.clock.install();
    await page.goto(stage.hostPage(`<idea-bank-board token="${bank.token}"></idea-bank-board>`, { head: script() }));
    const board = page.locator("idea-bank-board");
    await page.locator("idea-bank-board:state(ready)").waitFor();
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await search(page).fill("night");
    const read = page.waitForResponse(/proposals\?/);
    await ask(board, `(element.lang = "de", 1)`);
    await read;
    await page.locator("idea-bank-board:state(ready)").waitFor();
    await passTime(page, 1_000);
    await expect.poll(() => ask(board, "element.matches(':state(ready)')")).toBe(true);
    await expect.poll(() => page.locator(".root").getAttribute("aria-busy")).toBe("false");
  });

  it("shows similar ideas below the title, from five characters on, to be voted for right there by keyboard", async () => {
    const bank = await bankOf("Night buses", "More trains at night", "A quiet carriage");
    const { page, complaints } = await open(bank.token);
    const asked: string[] = [];
    page.on("request", (request) => {
      if (SIMILAR.test(request.url())) asked.push(request.url());
    });
    const title = await compose(page);
    // However slowly the keys come, no pause is between them.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await title.pressSequentially("Nigh");
    await title.pressSequentially("t bus");
    await page.clock.resume();
    await similar(page).waitFor();
    await page.getByRole("status").filter({ hasText: "2 similar ideas below the title." }).waitFor();
    expect(asked).toHaveLength(1);
    await expect.poll(() => titles(page)).toEqual(["Night buses", "More trains at night"]);
    await title.press("Tab");
    await page.keyboard.press("Space");
    await page.getByRole("status").filter({ hasText: "Voted. 1 vote." }).waitFor();
    await expectAccessible(page, "similar ideas");
    // The list behind knows the vote, and the draft is kept.
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Vote for “Night buses”: 1 vote", pressed: true }).waitFor();
    await (await compose(page)).waitFor();
    await similar(page).getByRole("button", { name: "Night buses", exact: true }).click();
    await page.getByText("About Night buses.").waitFor();
    expect(complaints).toEqual([]);
  });

  it("keeps the similar ideas while the next are asked for, and asks again for a text that comes back", async () => {
    const bank = await bankOf("Night buses", "Night trains");
    const { page } = await open(bank.token);
    const title = await compose(page);
    const first = await hold(page, SIMILAR);
    await title.fill("Night buses");
    await first.seen;
    // Faster than the pause.
    await title.evaluate((input: unknown) => {
      const field = input as { value: string; dispatchEvent(event: Event): void };
      for (const text of ["Night busess", "Night buses"]) {
        field.value = text;
        field.dispatchEvent(new Event("input"));
      }
    });
    first.release();
    await similar(page).waitFor();
    await page.unrouteAll({ behavior: "wait" });
    const second = await hold(page, SIMILAR);
    await title.pressSequentially("e");
    await second.seen;
    const given = page.waitForEvent("requestfailed");
    await title.pressSequentially("s");
    await given;
    await expect.poll(() => similar(page).isVisible()).toBe(true);
    second.release();
    await page.waitForResponse(SIMILAR);
    await expect.poll(() => similar(page).isVisible()).toBe(true);
  });

  it("shows similar ideas for a short title in Chinese, Japanese and Korean", async () => {
    const texts = ["夜行巴士", "夜間バス", "심야버스"];
    const bank = await bankOf(...texts);
    const { page } = await open(bank.token);
    const title = await compose(page);
    for (const text of texts) {
      await title.fill(text);
      await expect.poll(() => titles(page)).toContain(text);
    }
    await title.fill("夜");
    await similar(page).waitFor({ state: "hidden" });
  });

  it("reads a filtered list again after a new idea, which may not be in it", async () => {
    const bank = await stage.ideaBank({}, [idea("Trams", { status: "implemented" }), idea("Dogs")]);
    const { page } = await open(bank.token);
    const submit = async (text: string) => {
      await (await compose(page)).fill(text);
      await page.getByRole("button", { name: "Submit idea" }).click();
      await page.getByRole("heading", { name: text }).waitFor();
      await page.getByRole("button", { name: "All ideas" }).click();
    };
    await page.getByLabel("Show").selectOption("Done");
    await expect.poll(() => titles(page)).toEqual(["Trams"]);
    await submit("Night buses");
    await expect.poll(() => titles(page)).toEqual(["Trams"]);
    await page.getByLabel("Show").selectOption("Submitted");
    await expect.poll(async () => (await titles(page)).sort()).toEqual(["Dogs", "Night buses"]);
    await submit("Ferries");
    await expect.poll(async () => (await titles(page)).sort()).toEqual(["Dogs", "Ferries", "Night buses"]);
    // Back before the list has been read again.
    const list = await hold(page, /\/proposals\?/);
    await submit("Bikes");
    await list.seen;
    list.release();
    await expect.poll(async () => (await titles(page)).sort()).toEqual(["Bikes", "Dogs", "Ferries", "Night buses"]);
    await page.unrouteAll({ behavior: "wait" });
    await page.getByLabel("Show").selectOption("My ideas");
    await expect.poll(async () => (await titles(page)).sort()).toEqual(["Bikes", "Ferries", "Night buses"]);
    await submit("Lifts");
    await expect.poll(async () => (await titles(page)).sort()).toEqual(["Bikes", "Ferries", "Lifts", "Night buses"]);
  });

  it("keeps what was typed while a similar idea is open, also where there is no storage", async () => {
    const bank = await bankOf("Night buses");
    const { page } = await stage.page();
    await page.addInitScript(
      "for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get() { throw new Error('forbidden') } })",
    );
    await page.goto(stage.hostPage(`<idea-bank-board token="${bank.token}"></idea-bank-board>`, { head: script() }));
    const title = await compose(page);
    await title.fill("Night trains");
    await page.getByLabel("Description").fill("Every half hour.");
    await similar(page).getByRole("button", { name: "Night buses", exact: true }).click();
    await page.getByRole("heading", { name: "Night buses" }).waitFor();
    await page.getByRole("button", { name: "Suggest an idea" }).click();
    await expect.poll(() => title.inputValue()).toBe("Night trains");
    await expect.poll(() => page.getByLabel("Description").inputValue()).toBe("Every half hour.");
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page.getByRole("heading", { name: "Night trains" }).waitFor();
    await page.getByRole("button", { name: "All ideas" }).click();
    await compose(page);
    await expect.poll(() => title.inputValue()).toBe("");
  });

  it("leads back from a similar idea to the form, and from there to the list, by Escape and Back too", async () => {
    const bank = await bankOf("Night buses");
    const { page } = await open(bank.token, {}, "ltr", "history");
    await ask(page.locator("idea-bank-board"), `element.open({ view: "form", title: "Night trains" })`);
    const title = page.getByLabel("Title");
    const leave = [
      () => page.getByRole("button", { name: "Suggest an idea" }).click(),
      () => page.keyboard.press("Escape"),
      () => page.goBack(),
    ];
    for (const go of leave) {
      await similar(page).getByRole("link", { name: "Night buses", exact: true }).click();
      await page.getByText("About Night buses.").waitFor();
      await go();
      await expect.poll(() => title.inputValue()).toBe("Night trains");
    }
    await page.goBack();
    await page.getByRole("link", { name: "Night buses", exact: true }).click();
    await page.getByRole("button", { name: "All ideas" }).click();
    await search(page).waitFor();
  });

  it("shows none for a short title and for one that is like nothing, and goes on without an answer", async () => {
    const bank = await bankOf("Night buses");
    const { page } = await open(bank.token);
    const title = await compose(page);
    await title.fill("Night buses");
    await similar(page).waitFor();
    await title.fill("Nig");
    await similar(page).waitFor({ state: "hidden" });
    await answerOnce(page, SIMILAR, 500, "internal-error");
    const refused = page.waitForResponse(SIMILAR);
    await title.fill("Night trains");
    await refused;
    await title.fill("Solar roofs");
    await page.getByLabel("Description").fill("On top.");
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page.locator(".notice").getByText("Thank you!").waitFor();
  });

  it("looks right in light and dark, on a phone and from right to left", async () => {
    const bank = await bankOf("Night buses", "More trains at night", "A quiet carriage", "Night light at the stops");
    for (const colorScheme of ["light", "dark"] as const) {
      for (const [width, dir] of [[1280, "rtl"] as const, [390, "ltr"] as const]) {
        const { page } = await open(bank.token, { colorScheme, viewport: { width, height: 900 } }, dir);
        await search(page).fill("night");
        await expect.poll(() => titles(page)).toHaveLength(3);
        await takeScreenshot(page, `test-results/board-search-${colorScheme}-${width}.png`);
        await expectAccessible(page, `search ${colorScheme} ${width}`);
        await (await compose(page)).fill("Night bus");
        await similar(page).waitFor();
        await takeScreenshot(page, `test-results/board-similar-${colorScheme}-${width}.png`);
        await expectAccessible(page, `similar ${colorScheme} ${width}`);
      }
    }
  });
});
