/** A board's own page in a real browser, from the server's first byte to a stranger's vote. */
import { gzipSync } from "node:zlib";
import type { BrowserContextOptions, Page, Response } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectAccessible } from "../../support/node/accessible.ts";
import { takeScreenshot } from "../../support/node/browser.ts";
import { SITE, serveSite } from "../../support/node/customer-site.ts";
import { openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const IDEAS = Array.from({ length: 24 }, (_, at) => ({
  title: at === 23 ? "Dogs travel free" : `Idea number ${at}`,
  description: at % 3 ? "It would help **everybody** who is on the way at night, and those who begin early." : "",
  status: ["planned", "in-progress", "implemented", "submitted"][at % 4],
  tags: at % 2 ? ["Night"] : [],
}));
const QUESTIONS = [{ id: "why", kind: "text", title: "What would help you most?" }];
const API = /\/(?:ideabank|public|surveys)(?:\/|\?|$)/;
const MAX_BYTES = 43 * 1024;
const MAX_SHIFT = 0.05;

describe("a board's own page", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  async function createBoard(settings: object = {}) {
    const bank = await stage.ideaBank(
      {
        ...{ name: "Rider ideas", description: "Tell us what would help.", publicPage: true, approvalRequired: false },
        ...settings,
      },
      IDEAS,
    );
    const first = bank.ids.at(-1) ?? "";
    for (const body of ["Soon?", "From **May** on, see https://example.com/dogs"])
      await stage.tenant("POST", `${bank.path}/proposals/${first}/comments`, { body });
    await stage.tenant("PATCH", `${bank.path}/proposals/${first}`, { response: { text: "We’re on it." } });
    const id = bank.path.split("/").at(-1) ?? "";
    return { ...bank, id, first, home: `${stage.api}/b/${id}/rider-ideas` };
  }
  type Board = Awaited<ReturnType<typeof createBoard>>;

  const PARTS: Readonly<Record<string, (board: Board) => string>> = {
    ideas: () => "",
    "an idea": ({ first }) => `/ideas/${first}`,
    roadmap: () => "/roadmap",
    "what's new": () => "/changelog",
  };

  /** What a visit costs: its requests, and the bytes of their bodies as they are compressed on their way. */
  async function visit(address: string, options: BrowserContextOptions = {}) {
    const { page, complaints } = await stage.page(options);
    const answers: Response[] = [];
    // Where one leads elsewhere there is no body.
    page.on("response", (response) => {
      if (response.status() < 300 || response.status() >= 400) answers.push(response);
    });
    await page.addInitScript(
      "window.shift = 0; new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shift += value))).observe({ type: 'layout-shift', buffered: true })",
    );
    await page.goto(address);
    const loaded = () =>
      Promise.all(
        answers.map(async (answer) => ({
          path: new URL(answer.url()).pathname,
          bytes: gzipSync(await answer.body(), { level: 6 }).byteLength,
        })),
      );
    return { page, complaints, loaded };
  }
  const isTakenOver = (page: Page) =>
    page.locator(":is(idea-bank-board, idea-bank-roadmap, idea-bank-changelog):state(ready)").waitFor();

  describe.each(Object.entries(PARTS))("%s", (name, below) => {
    it.each(["en", "de"])("costs the API nothing, 43 KiB at most, and does not jump, in %s", async (lang) => {
      const board = await createBoard();
      const { page, loaded, complaints } = await visit(`${board.home}${below(board)}?lang=${lang}`);
      await isTakenOver(page);
      await expect.poll(() => page.locator("section[data-server]").count()).toBe(0);
      const all = await loaded();
      expect(all.map(({ path }) => path).filter((path) => API.test(path))).toEqual([]);
      const bytes = all.reduce((sum, each) => sum + each.bytes, 0);
      expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
      await expect.poll(() => page.evaluate<number>("window.shift")).toBeLessThan(MAX_SHIFT);
      expect(complaints).toEqual([]);
    });

    it("is complete without JavaScript", async () => {
      const board = await createBoard();
      const { page } = await stage.page({ javaScriptEnabled: false });
      await page.goto(board.home + below(board));
      await expectReadable[name]?.(page);
      await takeScreenshot(page, `test-results/own-page-${name.replaceAll(/\W+/g, "-")}-without-script.png`);
    });

    it.each([
      ["light", 1280, "en"],
      ["dark", 390, "ar"],
      ["light", 360, "de"],
      ["dark", 1280, "ja"],
    ] as const)("is accessible: %s, %i pixels, %s", async (colorScheme, width, lang) => {
      const board = await createBoard();
      const { page } = await visit(`${board.home}${below(board)}?lang=${lang}`, {
        colorScheme,
        viewport: { width, height: 900 },
      });
      await isTakenOver(page);
      await expectAccessible(page, `${name} in ${lang}`, { onPhone: width < 500 });
      await takeScreenshot(
        page,
        `test-results/own-page-${name.replaceAll(/\W+/g, "-")}-${colorScheme}-${width}-${lang}.png`,
      );
    });
  });

  const expectReadable: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    ideas: async (page) => {
      await page.getByRole("link", { name: "Dogs travel free" }).waitFor();
      await expect.poll(() => page.locator("idea-bank-board li.idea").count()).toBe(20);
      await page.getByRole("link", { name: "Show more" }).click();
      await expect.poll(() => page.locator("idea-bank-board li.idea").count()).toBe(4);
      await page.goBack();
      await page.getByRole("link", { name: "Dogs travel free" }).click();
      await page.getByText("We’re on it.").waitFor();
    },
    "an idea": async (page) => {
      for (const text of ["Dogs travel free", "We’re on it.", "Soon?"]) await page.getByText(text).first().waitFor();
      await expect
        .poll(() => page.locator("a[href='https://example.com/dogs']").getAttribute("rel"))
        .toBe("nofollow ugc noopener");
      await page.getByRole("link", { name: "All ideas" }).click();
      await page.getByRole("link", { name: "Dogs travel free" }).waitFor();
    },
    roadmap: async (page) => {
      for (const text of ["Planned", "In progress", "Done"]) await page.getByRole("heading", { name: text }).waitFor();
      await expect.poll(() => page.locator("idea-bank-roadmap li.idea").count()).toBe(18);
    },
    "what's new": async (page) => {
      await expect.poll(() => page.locator("idea-bank-changelog li.entry").count()).toBe(6);
      const feed = await page.getByRole("link", { name: "Subscribe to the feed" }).getAttribute("href");
      const answer = await fetch(stage.api + feed);
      expect([answer.status, (await answer.text()).includes("<feed")]).toEqual([200, true]);
    },
  };

  it("prints what is read, without what only a screen can use", async () => {
    const board = await createBoard();
    const { page } = await visit(board.home);
    await isTakenOver(page);
    await page.emulateMedia({ media: "print" });
    await expect.poll(() => page.getByRole("link", { name: "Roadmap" }).isVisible()).toBe(false);
    await expect.poll(() => page.getByRole("heading", { name: "Rider ideas" }).isVisible()).toBe(true);
    await takeScreenshot(page, "test-results/own-page-print.png");
  });

  it("a stranger presses a vote, signs in at the tenant’s page, and has voted; then nothing of the person is left", async () => {
    const board = await createBoard({ signInUrl: `${SITE}/login` });
    const { page, complaints } = await visit(board.home);
    await serveSite(page.context(), await board.tokenFor("robin", "Robin"));
    await isTakenOver(page);
    const vote = () => page.locator("idea-bank-board").getByRole("button", { name: "Dogs travel free" }).first();
    await vote().click();
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator("[data-name]", { hasText: "Robin" }).waitFor();
    // It was begun in the list, and Back leads there.
    await expect.poll(() => page.url()).toBe(`${board.home}/ideas/${board.first}`);
    await expect.poll(() => vote().getAttribute("aria-pressed")).toBe("true");
    const voters = () => stage.tenant<{ votes: number }>("GET", `${board.path}/proposals/${board.first}`);
    await expect.poll(async () => (await voters()).votes).toBe(1);
    // The token was in the address for a moment, and is in no entry of the history.
    await expect.poll(() => page.evaluate("history.length")).toBeGreaterThan(1);
    await page.goto(board.home);
    await page.locator("[data-name]", { hasText: "Robin" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    await expect.poll(() => page.evaluate("JSON.stringify([localStorage, sessionStorage])")).not.toContain("Robin");
    for (let back = 0; back < 2; back += 1) {
      await page.goBack();
      await expect.poll(() => page.locator("[data-name]").first().isVisible()).toBe(false);
      await expect.poll(() => page.locator("[aria-pressed=true]").count()).toBe(0);
    }
    expect(complaints).toEqual([]);
  });

  it("an opened idea has the title, the address and the ways of its own page; Back leads to those of the list", async () => {
    const board = await createBoard({ signInUrl: `${SITE}/login` });
    const { page } = await visit(board.home);
    await isTakenOver(page);
    await page.getByRole("link", { name: "Dogs travel free" }).click();
    const path = `${new URL(board.home).pathname}/ideas/${board.first}`;
    const ways = () =>
      page.evaluate<string[]>(
        `[document.title, location.pathname, new URL(document.querySelector("a[data-signed-out]").href).searchParams.get("return"), document.querySelector("a[hreflang=de]").pathname, new URL(document.querySelector("link[rel=canonical]").href).pathname]`,
      );
    await expect.poll(ways).toEqual(["Dogs travel free · Rider ideas", path, path, path, path]);
    await page.goBack();
    const home = new URL(board.home).pathname;
    await expect.poll(ways).toEqual(["Rider ideas · Idea boards", home, home, home, home]);
  });

  it("a sign-out in one tab reaches the others", async () => {
    const board = await createBoard({ signInUrl: `${SITE}/login` });
    const { page } = await visit(board.home);
    await serveSite(page.context(), await board.tokenFor("robin", "Robin"));
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.locator("[data-name]", { hasText: "Robin" }).waitFor();
    const other = await page.context().newPage();
    await other.goto(board.home);
    await other.locator("[data-name]", { hasText: "Robin" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await other.getByRole("link", { name: "Sign in" }).waitFor();
    await other.locator("idea-bank-board").getByRole("button", { name: "Dogs travel free" }).first().click();
    await other.getByText("Sign in to take part.").first().waitFor();
  });

  it("a link that brings another one’s token signs nobody in, and offers a way that does", async () => {
    const board = await createBoard({ signInUrl: `${SITE}/login` });
    const { page } = await visit(
      `${stage.api}/b/${board.id}/signed-in#token=${board.token}&state=AAAAAAAAAAAAAAAAAAAAAA`,
    );
    await page.getByRole("link", { name: "Try again" }).waitFor();
    await expect.poll(() => page.url()).not.toContain("token");
    await page.goto(board.home);
    await page.getByRole("link", { name: "Sign in" }).waitFor();
  });

  it("a survey is answered after signing in", async () => {
    const board = await createBoard({ signInUrl: `${SITE}/login` });
    const made = await stage.tenant("POST", "/surveys", {
      title: "How was it?",
      ideaBankId: board.id,
      questions: QUESTIONS,
    });
    await stage.tenant("PATCH", `/surveys/${made.id}`, { status: "OPEN" });
    const { page } = await visit(board.home);
    await serveSite(page.context(), await board.tokenFor("robin", "Robin"));
    await expect
      .poll(async () => {
        await page.reload();
        return page.getByRole("link", { name: "Surveys" }).count();
      })
      .toBe(1);
    await page.getByRole("link", { name: "Surveys" }).click();
    await page.getByRole("link", { name: "How was it?" }).click();
    await page.locator("idea-bank-survey").getByRole("button", { name: "Sign in" }).click();
    await page.locator("[data-name]", { hasText: "Robin" }).waitFor();
    await page.locator("idea-bank-survey").getByRole("button", { name: "Send answers" }).waitFor();
    await expectAccessible(page, "a survey");
  });
});
