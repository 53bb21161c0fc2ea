/** What people meet on a board's page in a real browser: their name in the header, and a server that does not answer. */
import type { BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectAccessible } from "../../support/node/accessible.ts";
import { SITE, serveSite } from "../../support/node/customer-site.ts";
import { answerOnce, ask, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const MAX_SHIFT = 0.05;
const NOT_NOW = "That isn’t possible right now. Try again in a moment.";

describe("on a board's own page", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  async function createBoard() {
    const settings = { name: "Rider ideas", publicPage: true, approvalRequired: false, signInUrl: `${SITE}/login` };
    const bank = await stage.ideaBank(settings, [{ title: "Dogs travel free" }]);
    const id = bank.path.split("/").at(-1) ?? "";
    return { ...bank, id, home: `${stage.api}/b/${id}/rider-ideas`, idea: bank.ids[0] ?? "" };
  }

  /** Somebody who has signed in and looks at a page anew. */
  async function signedIn(name: string | undefined, below = "", options: BrowserContextOptions = {}) {
    const board = await createBoard();
    const { page } = await stage.page(options);
    await serveSite(page.context(), await board.tokenFor(crypto.randomUUID(), name));
    await page.goto(board.home);
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await page.addInitScript(
      "window.shift = 0; new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shift += value))).observe({ type: 'layout-shift', buffered: true })",
    );
    await page.goto(board.home + below.replace("{idea}", board.idea));
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    return { board, page };
  }

  it("a person without a name is anonymous", async () => {
    const { page } = await signedIn(undefined);
    await expect.poll(() => page.locator("[data-name]").textContent()).toBe("Anonymous");
    await expect.poll(() => page.locator(".page-who").textContent()).not.toContain("true");
  });

  it("a long name on a phone moves nothing, and leaves the way out on one line", async () => {
    const name = "Maximiliane-Wilhelmina von Hohenfelsberg";
    const { page } = await signedIn(name, "", { viewport: { width: 390, height: 844 } });
    await page.locator("[data-name]", { hasText: name }).waitFor();
    await page.locator("idea-bank-board:state(ready)").waitFor();
    await expect.poll(() => page.evaluate<number>("window.shift")).toBeLessThan(MAX_SHIFT);
    const boxes =
      "((range) => (range.selectNodeContents(element), range.getClientRects().length))(document.createRange())";
    await expect.poll(() => ask<number>(page.getByRole("button", { name: "Sign out" }), boxes)).toBe(1);
    await expectAccessible(page, "a long name", { onPhone: true });
  });

  it("a vote that the API cannot take now says so, and is taken back", async () => {
    const { board, page } = await signedIn("Robin");
    await page.locator("idea-bank-board:state(ready)").waitFor();
    await answerOnce(page, /\/vote$/, 503, "service-unavailable");
    const vote = page.locator("idea-bank-board").getByRole("button", { name: "Dogs travel free" }).first();
    await vote.click();
    await page.getByText(NOT_NOW).first().waitFor();
    await expect.poll(() => vote.getAttribute("aria-pressed")).toBe("false");
    const { votes } = await stage.tenant<{ votes: number }>("GET", `${board.path}/proposals/${board.idea}`);
    expect(votes).toBe(0);
  });

  it("a comment that the API cannot take now stays as it was typed", async () => {
    const { page } = await signedIn("Robin", "/ideas/{idea}");
    await page.locator("idea-bank-board:state(ready)").waitFor();
    await page.route(/\/comments$/, (route) =>
      route.request().method() === "POST"
        ? route.fulfill({
            status: 503,
            contentType: "application/problem+json",
            body: JSON.stringify({ type: "about:blank", title: "", status: 503, error: "service-unavailable" }),
          })
        : route.continue(),
    );
    await page.getByLabel("Add a comment").fill("Every half hour.");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.getByText(NOT_NOW).first().waitFor();
    await expect.poll(() => page.getByLabel("Add a comment").inputValue()).toBe("Every half hour.");
  });

  it.each(["light", "dark"] as const)(
    "a page of nothing and the list of surveys are accessible: %s",
    async (colorScheme) => {
      const board = await createBoard();
      const questions = [{ id: "why", kind: "text", title: "What would help you most?" }];
      const made = await stage.tenant("POST", "/surveys", { title: "How was it?", ideaBankId: board.id, questions });
      await stage.tenant("PATCH", `/surveys/${made.id}`, { status: "OPEN" });
      const { page } = await stage.page({ colorScheme, viewport: { width: 390, height: 844 } });
      await page.goto(`${board.home}/nothing`);
      await page.getByRole("heading").waitFor();
      await expectAccessible(page, "nothing", { onPhone: true });
      await expect.poll(async () => (await page.goto(`${board.home}/surveys`))?.status()).toBe(200);
      await page.getByRole("link", { name: "How was it?" }).waitFor();
      await expectAccessible(page, "surveys", { onPhone: true });
    },
  );
});
