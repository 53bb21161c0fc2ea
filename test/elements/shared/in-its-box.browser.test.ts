/** What people write stays in its place: wide initials, large numbers, long names, marks without end, text that turns its direction. */
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { takeScreenshot } from "../../support/node/browser.ts";
import { ask, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const ELEMENTS = ["board", "changelog"] as const;
const MARKS = `Z${"\u0321\u0334\u030d\u0353".repeat(100)}`;
/** What follows is drawn from right to left, until the end of the line. */
const OVERRIDE = "\u202e";
const PEOPLE = ["山田 太郎", "W".repeat(100), `${MARKS.slice(0, 97)} b`, "Robin Kim"];

describe("what people write", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  const tag = (name: string, token: string, more = "") =>
    `<idea-bank-${name} token="${token}" ${more}></idea-bank-${name}>`;
  async function open(
    body: string,
    options: Parameters<Stage["page"]>[0] = {},
    more: Parameters<Stage["hostPage"]>[1] = {},
  ) {
    const { page } = await stage.page(options);
    const head = ELEMENTS.map((name) => `<script type="module" src="${stage.api}/embed/${name}.js"></script>`).join("");
    const address = stage.hostPage(body, { head, ...more });
    return { page, visit: () => page.goto(address) };
  }
  /** A board with an idea of each of these people, the last one first. */
  async function bankOf(description: string, title = (name: string) => `By ${name.slice(0, 9)}`) {
    const bank = await stage.ideaBank();
    for (const [at, name] of PEOPLE.entries()) {
      const token = await bank.tokenFor(`person-${at}`, name);
      const submitted = await fetch(`${stage.api}/ideabank/proposals`, {
        method: "POST",
        headers: { Authorization: token, "Content-Type": "application/json" },
        body: JSON.stringify({ title: title(name), description }),
      });
      expect(submitted.status).toBe(201);
    }
    return bank;
  }
  /** The list as the API answers it, with these numbers of votes. */
  const giveVotes = (page: Page, votes: readonly number[]) =>
    page.route(/\/proposals\?/, async (route) => {
      const response = await route.fetch();
      const { items, ...rest } = await response.json();
      const json = { ...rest, items: items.map((item: object, at: number) => ({ ...item, votes: votes[at] ?? 0 })) };
      await route.fulfill({ response, json });
    });
  /** What is drawn beyond the element's own box, in pixels. */
  const beyond = (locator: Locator) =>
    ask<number>(
      locator,
      `(() => {
        const range = new Range();
        range.selectNodeContents(element);
        const [text, box] = [range, element].map((each) => each.getBoundingClientRect());
        return Math.ceil(Math.max(box.left - text.left, text.right - box.right, box.top - text.top, text.bottom - box.bottom, 0));
      })()`,
    );

  it("has its author's initials in a circle, whatever the script and the length of the name", async () => {
    const bank = await bankOf("Short.");
    const { page, visit } = await open(tag("board", bank.token), { viewport: { width: 360, height: 700 } });
    await visit();
    const faces = page.locator(".idea .face");
    await expect
      .poll(() => faces.allTextContents())
      .toEqual(["RK", "Z", "W", "山"].map((text) => expect.stringContaining(text)));
    for (const face of await faces.all()) {
      await expect.poll(() => beyond(face)).toBe(0);
      await expect.poll(() => ask<number>(face, "element.offsetWidth - element.offsetHeight")).toBe(0);
    }
    await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    await takeScreenshot(page, "test-results/board-names-phone.png");
  });

  it.each([
    ["en", ["9,999", "12,345", "123K", "1.2M"]],
    ["de", ["9.999", "12.345", "123.456", "1,2\u00a0Mio."]],
    ["ja", ["9,999", "12,345", "12万", "123万"]],
  ])("and its votes in one line of their box: %s", async (lang, shown) => {
    const bank = await bankOf("Short.");
    const { page, visit } = await open(tag("board", bank.token), { viewport: { width: 360, height: 700 } }, { lang });
    await giveVotes(page, [9_999, 12_345, 123_456, 1_234_567]);
    await visit();
    const counts = page.locator(".idea .count");
    await expect.poll(() => counts.allTextContents()).toEqual(shown);
    for (const count of await counts.all()) {
      const box = count.locator("..");
      const lines = () =>
        ask<number>(count, "element.offsetHeight / Number.parseFloat(getComputedStyle(element).lineHeight)");
      await expect.poll(lines).toBeLessThan(1.5);
      await expect.poll(() => ask<number>(box, "element.scrollWidth - element.clientWidth")).toBe(0);
    }
    // Said in full.
    if (lang === "en") await page.getByRole("button", { name: "123,456 votes" }).waitFor();
    await takeScreenshot(page, `test-results/board-votes-${lang}.png`);
  });

  it("draws its marks over nothing else: 400 of them, in titles, texts, comments and entries", async () => {
    const bank = await bankOf(`${MARKS} text`, () => `${MARKS.slice(0, 180)} title`);
    await stage.tenant("POST", `${bank.path}/proposals`, {
      title: `${MARKS.slice(0, 180)} done`,
      description: MARKS,
      status: "implemented",
    });
    const { page, visit } = await open(tag("board", bank.token) + tag("changelog", bank.token));
    await visit();
    await page.locator(".entry").first().waitFor();
    /** Whether each of these clips what is drawn above and below it. */
    const clips = (selector: string) => ask(page.locator(selector).first(), "getComputedStyle(element).overflowY");
    for (const selector of [".idea .content", ".entry", ".head"]) await expect.poll(() => clips(selector)).toBe("clip");
    await takeScreenshot(page, "test-results/board-marks.png");
    await page.locator(".idea .open").last().click();
    await page.getByLabel("Add a comment").fill(MARKS);
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    for (const selector of [".detail .content", ".comment > div"])
      await expect.poll(() => clips(selector)).toBe("clip");
    await takeScreenshot(page, "test-results/board-marks-open.png");
    // An outline is not cut off.
    const room = () =>
      ask<number>(
        page.locator(".comment .own button").first(),
        `element.closest(".comment > div").getBoundingClientRect().bottom - element.getBoundingClientRect().bottom`,
      );
    await expect.poll(room).toBeGreaterThanOrEqual(4);
  });

  it("turns its own line alone, and no text beside it", async () => {
    const description = `first ${OVERRIDE}turned https://example.com/a\nsecond line`;
    const bank = await bankOf(description);
    const { page, visit } = await open(tag("board", bank.token, `history`));
    await visit();
    await page.locator(".idea .open").first().click();
    /** Whether these words of the element are drawn from left to right. */
    const order = (locator: Locator, words: string) =>
      ask<boolean>(
        locator,
        `(() => {
          const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
          while (texts.nextNode()) {
            const at = texts.currentNode.data.indexOf(${JSON.stringify(words)});
            if (at < 0) continue;
            const left = (from) => {
              const range = new Range();
              range.setStart(texts.currentNode, from);
              range.setEnd(texts.currentNode, from + 1);
              return range.getBoundingClientRect().left;
            };
            return left(at) < left(at + ${words.length - 1});
          }
        })()`,
      );
    const text = page.locator(".detail .prose");
    await expect.poll(() => order(text, "first")).toBe(true);
    await expect.poll(() => order(text, "turned")).toBe(false);
    await expect.poll(() => order(text, "second line")).toBe(true);
    await expect.poll(() => order(text, "https://example.com/")).toBe(true);
    await expect.poll(() => order(page.locator(".detail .meta"), "Robin Kim")).toBe(true);
  });
});
