/** Tags in `<idea-bank-board>`: on the ideas, and to filter by. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectAccessible } from "../../support/node/accessible.ts";
import { takeScreenshot } from "../../support/node/browser.ts";
import { answerOnce, ask, hold, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const TAGS = /\/ideabank\/tags$/;
const idea = (title: string, tags: readonly string[] = [], more: object = {}) => ({
  title,
  description: `About ${title}.`,
  tags,
  ...more,
});

describe("tags in <idea-bank-board>", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  async function page(options: Parameters<Stage["page"]>[0] = {}) {
    const opened = await stage.page(options);
    const show = async (token: string, dir = "ltr") => {
      const head = `<script type="module" src="${stage.api}/embed/board.js"></script><meta name="color-scheme" content="light dark">`;
      const body = `<div dir="${dir}"><idea-bank-board token="${token}"></idea-bank-board></div>`;
      await opened.page.goto(stage.hostPage(body, { head, headers: stage.strictPolicy }));
      await opened.page.locator("idea-bank-board:is(:state(ready), :state(empty))").waitFor();
    };
    return { ...opened, show };
  }
  const titles = (page: Page) => page.locator("li h3").allTextContents();
  const filter = (page: Page) => page.getByRole("combobox", { name: "Show" });
  const choices = (page: Page) => page.locator("optgroup[label='By tag'] option").allTextContents();
  const tagsOf = (page: Page, title: string) =>
    page
      .getByRole("listitem")
      .filter({ has: page.getByRole("heading", { name: title }) })
      .getByRole("list", { name: "Tags" });

  it("shows an idea's tags in the list and on the open idea, as texts and never as HTML", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs"), idea("Night buses", ["Buses", "<b>Late</b>"])]);
    const { page: shown, complaints, show } = await page();
    await show(bank.token);
    await expect
      .poll(() => tagsOf(shown, "Night buses").getByRole("listitem").allTextContents())
      .toEqual(["Buses", "<b>Late</b>"]);
    await expect.poll(() => tagsOf(shown, "Dogs").count()).toBe(0);
    await shown.getByRole("button", { name: "Night buses", exact: true }).click();
    const open = shown.getByRole("article").getByRole("list", { name: "Tags" });
    await expect.poll(() => open.getByRole("listitem").allTextContents()).toEqual(["Buses", "<b>Late</b>"]);
    expect(complaints).toEqual([]);
  });

  it("filters by a tag, by keyboard too, together with a search, and says how many there are", async () => {
    const bank = await stage.ideaBank({}, [
      idea("Night trains", ["Rail"]),
      idea("Bikes", ["R&D=1", "Buses"]),
      idea("Night buses", ["Buses"]),
      idea("Dogs"),
    ]);
    const { page: shown, complaints, show } = await page();
    await show(bank.token);
    // The most used first.
    await expect.poll(() => choices(shown)).toEqual(["Buses", "R&D=1", "Rail"]);
    await filter(shown).selectOption("Buses");
    await expect.poll(() => titles(shown)).toEqual(["Night buses", "Bikes"]);
    await shown.getByRole("status").filter({ hasText: "2 ideas." }).waitFor();
    await shown.getByRole("searchbox", { name: "Search" }).fill("night");
    await expect.poll(() => titles(shown)).toEqual(["Night buses"]);
    await shown.getByRole("searchbox", { name: "Search" }).fill("");
    await expect.poll(() => titles(shown)).toEqual(["Night buses", "Bikes"]);
    await filter(shown).press("R");
    await expect.poll(() => titles(shown)).toEqual(["Bikes"]);
    await stage.tenant("PATCH", `${bank.path}/proposals/${bank.ids[0]}`, { tags: [] });
    await filter(shown).selectOption("Rail");
    await shown.getByText("No ideas match this filter.").first().waitFor();
    await filter(shown).selectOption("All ideas");
    await expect.poll(() => titles(shown)).toHaveLength(4);
    expect(complaints).toEqual([]);
  });

  it("shows the list before the tags have come, and moves nothing when they come", async () => {
    const bank = await stage.ideaBank({}, [idea("Night buses", ["W".repeat(32)])]);
    const { page: shown, show } = await page();
    const held = await hold(shown, TAGS);
    await show(bank.token);
    await held.seen;
    const places = () =>
      ask<number[][]>(
        shown.locator("idea-bank-board"),
        "[...element.shadowRoot.querySelectorAll('select, input, fieldset, li')].map((each) => Object.values(each.getBoundingClientRect().toJSON()))",
      );
    const before = await places();
    await expect.poll(() => choices(shown)).toEqual([]);
    held.release();
    await expect.poll(() => choices(shown)).toHaveLength(1);
    const after = await places();
    expect(after).toEqual(before);
  });

  it("does without a filter by tag where there are no tags, and where they cannot be loaded", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const none = await page();
    const asked = none.page.waitForResponse(TAGS);
    await none.show(bank.token);
    await (await asked).finished();
    await expect.poll(() => ask<boolean>(none.page.locator("optgroup[label='By tag']"), "element.hidden")).toBe(true);
    const refused = await page();
    await answerOnce(refused.page, TAGS, 500, "internal-error");
    const answered = refused.page.waitForResponse(TAGS);
    await refused.show(bank.token);
    await (await answered).finished();
    await expect.poll(() => titles(refused.page)).toEqual(["Dogs"]);
    await expect.poll(() => refused.page.locator(".notice").isVisible()).toBe(false);
    await filter(refused.page).selectOption("Planned");
    await expect.poll(() => titles(refused.page)).toEqual([]);
  });

  it("are light or dark as `theme` says, whatever the page and its visitor prefer; an author has initials", async () => {
    const bank = await stage.ideaBank();
    const token = await bank.tokenFor("robin", "Robin van Dyk");
    await fetch(`${stage.api}/ideabank/proposals`, {
      method: "POST",
      headers: { Authorization: token, "Content-Type": "application/json" },
      body: JSON.stringify({ title: "Dogs", description: "" }),
    });
    const { page: shown } = await stage.page({ colorScheme: "light" });
    const head = `<script type="module" src="${stage.api}/embed/board.js"></script>`;
    const tags = ["dark", "light", "auto"].map(
      (theme) => `<idea-bank-board theme="${theme}" token="${bank.token}"></idea-bank-board>`,
    );
    await shown.goto(stage.hostPage(`<div style="color-scheme: dark light">${tags.join("")}</div>`, { head }));
    await expect.poll(() => shown.locator(".idea .face").allTextContents()).toEqual(["RD", "RD", "RD"]);
    const backgrounds = await shown.evaluate(
      "[...document.querySelectorAll('idea-bank-board')].map(({ shadowRoot }) => getComputedStyle(shadowRoot.querySelector('.root')).backgroundColor)",
    );
    expect(backgrounds).toEqual(["rgb(22, 24, 30)", "rgb(255, 255, 255)", "rgb(255, 255, 255)"]);
  });

  it("looks right in light and dark, on a phone, from right to left and in forced colors", async () => {
    const bank = await stage.ideaBank({ name: "Rider ideas" }, [
      idea("A quiet carriage", ["Comfort"], { status: "declined" }),
      idea("Night buses", ["Buses", "Nights and weekends", "تذاكر", "運賃", "A tag as long as a tag may be"], {
        status: "planned",
      }),
      idea("Dogs", [], { status: "in-progress" }),
      idea("More trains at night", ["Rail", "Nights and weekends"]),
    ]);
    for (const [name, width, dir, options] of [
      ["light-wide", 1280, "ltr", { colorScheme: "light" }],
      ["light-phone", 390, "ltr", { colorScheme: "light" }],
      ["dark-wide-rtl", 1280, "rtl", { colorScheme: "dark" }],
      ["dark-phone-rtl", 390, "rtl", { colorScheme: "dark" }],
      ["forced-phone", 390, "ltr", { forcedColors: "active" }],
      ["light-narrow", 256, "ltr", { colorScheme: "light" }],
    ] as const) {
      const { page: shown, show } = await page({ ...options, viewport: { width, height: 900 } });
      await show(bank.token, dir);
      await expect.poll(() => choices(shown)).toHaveLength(7);
      await filter(shown).selectOption("Nights and weekends");
      await expect.poll(() => titles(shown)).toHaveLength(2);
      await filter(shown).selectOption("All ideas");
      await expect.poll(() => titles(shown)).toHaveLength(4);
      await takeScreenshot(shown, `test-results/board-tags-${name}.png`);
      await expectAccessible(shown, `tags ${name}`);
      await shown.getByRole("button", { name: "Night buses", exact: true }).click();
      await shown.getByRole("heading", { name: "No comments yet" }).waitFor();
      await takeScreenshot(shown, `test-results/board-tags-open-${name}.png`);
      await expectAccessible(shown, `open ${name}`);
    }
  });
});
