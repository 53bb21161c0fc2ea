/** "Follow" in `<idea-bank-board>`. The shared server sends no e-mail, so its answers about one idea get their `following` here. */
import type { Page, Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectAccessible } from "../../support/node/accessible.ts";
import { answerOnce, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const FOLLOW = /\/follow$/;
const ONE = /\/proposals\/\w+$/;
const TOLD = "You’ll get an email about new comments.";
const CORS = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "*" };

/** What the API knows: whether the idea is followed (undefined: nobody can be told), and what was sent. Answers wait for the gates. */
type Api = {
  following: boolean | undefined;
  readonly sent: string[];
  gate?: Promise<void>;
  gateOfIdea?: Promise<void>;
};

describe("Follow", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  /** The board with one idea, which is open. */
  async function open(following: boolean | undefined, options: Parameters<Stage["page"]>[0] = {}, dir = "ltr") {
    const bank = await stage.ideaBank({ name: "Rider ideas" }, [{ title: "Dogs", description: "About dogs." }]);
    await stage.tenant("POST", `${bank.path}/proposals/${bank.ids[0]}/comments`, { body: "Soon." });
    const { page, complaints, context } = await stage.page(options);
    const api: Api = { following, sent: [] };
    const answerOne = async (route: Route) => {
      const response = await route.fetch();
      const answer = { ...(await response.json()), following: api.following };
      await api.gateOfIdea;
      await route.fulfill({ response, json: answer });
    };
    // The page may be closed by then.
    await page.route(ONE, (route) => answerOne(route).catch(() => undefined));
    await page.route(FOLLOW, async (route) => {
      const method = route.request().method();
      if (method !== "OPTIONS") {
        api.sent.push(method);
        await api.gate;
        api.following = method === "PUT";
      }
      await route.fulfill({ status: 204, headers: { ...CORS, "Access-Control-Allow-Headers": "authorization" } });
    });
    const head = `<script type="module" src="${stage.api}/embed/board.js"></script>`;
    await page.goto(stage.hostPage(`<idea-bank-board token="${bank.token}"></idea-bank-board>`, { head, dir }));
    await page.getByRole("button", { name: "Dogs", exact: true }).click();
    await page.locator(".comment").waitFor();
    return { bank, page, complaints, context, api };
  }

  const button = (page: Page) => page.locator(".discussion > .button[aria-pressed]");
  const shows = async (page: Page, name: string, pressed: string) => {
    await expect.poll(() => page.getByRole("button", { name, exact: true }).count()).toBe(1);
    await expect.poll(() => button(page).getAttribute("aria-pressed")).toBe(pressed);
    await expect.poll(() => page.locator(".discussion > p").isVisible()).toBe(pressed === "true");
  };

  it("turns on and off, keeps the focus, and says what follows from it", async () => {
    const { page, complaints, api } = await open(false);
    await shows(page, "Follow", "false");
    await button(page).press("Enter");
    await shows(page, "Following", "true");
    await page.getByText(TOLD).filter({ visible: true }).first().waitFor();
    await expect.poll(() => page.getByRole("status").textContent()).toBe(TOLD);
    const focused = "document.querySelector('idea-bank-board').shadowRoot.activeElement?.textContent";
    await expect.poll(() => page.evaluate(focused)).toBe("Following");
    await page.keyboard.press("Enter");
    await shows(page, "Follow", "false");
    expect(api.sent).toEqual(["PUT", "DELETE"]);
    expect(complaints).toEqual([]);
  });

  it("is as the API has it when the idea is opened again", async () => {
    const { page, api } = await open(true);
    await shows(page, "Following", "true");
    await page.getByRole("button", { name: "All ideas" }).click();
    await page.getByRole("button", { name: "Dogs", exact: true }).click();
    await shows(page, "Following", "true");
    // Off in another tab; then the address is gone.
    for (const [now, look] of [
      [false, () => shows(page, "Follow", "false")],
      [undefined, () => expect.poll(() => button(page).isVisible()).toBe(false)],
    ] as const) {
      api.following = now;
      await page.getByRole("button", { name: "All ideas" }).click();
      await page.getByRole("button", { name: "Dogs", exact: true }).click();
      await look();
    }
  });

  it("is not there where the API does not say it", async () => {
    const { page } = await open(undefined);
    await page.getByRole("heading", { name: "1 comment" }).waitFor();
    await expect.poll(() => page.getByRole("button", { name: /Follow/ }).count()).toBe(0);
    await expect.poll(() => page.getByText(TOLD).filter({ visible: true }).count()).toBe(0);
  });

  it("stays as it was when it is refused, and says why", async () => {
    const { page, context, api } = await open(false);
    const refused = async (words: RegExp) => {
      await button(page).click();
      await page.locator(".notice").getByText(words).waitFor();
      await shows(page, "Follow", "false");
      await page.getByRole("button", { name: "Dismiss" }).press("Enter");
    };
    await button(page).waitFor();
    await answerOnce(page, FOLLOW, 429, "too-many-requests", { "Retry-After": "50" });
    await refused(/Too many requests\. Try again in \d+ seconds\./);
    await answerOnce(page, FOLLOW, 403, "capability-closed");
    await refused(/That is not open any more\./);
    await answerOnce(page, FOLLOW, 404, "proposal-not-found");
    await refused(/This idea is no longer here\./);
    await page.unroute(FOLLOW);
    await context.setOffline(true);
    await refused(/No connection\./);
    await context.setOffline(false);
    expect(api.sent).toEqual([]);
  });

  it("is one wish when it is clicked twice at once", async () => {
    const { page, api } = await open(false);
    await shows(page, "Follow", "false");
    const gate = Promise.withResolvers<void>();
    api.gate = gate.promise;
    await button(page).dblclick();
    await expect.poll(() => api.sent).toEqual(["PUT", "PUT"]);
    gate.resolve();
    await shows(page, "Following", "true");
  });

  it("is not undone by an answer about the idea that is older", async () => {
    const { page, api } = await open(false);
    await shows(page, "Follow", "false");
    const gate = Promise.withResolvers<void>();
    api.gateOfIdea = gate.promise;
    const asked = page.waitForRequest(ONE);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
    await asked;
    await button(page).click();
    await shows(page, "Following", "true");
    const again = page.waitForRequest(ONE);
    gate.resolve();
    // What was answered is older than the act, so it is asked for anew.
    await again;
    await shows(page, "Following", "true");
  });

  it("has nothing for axe-core to complain of, on and off, light and dark, wide and narrow, both directions", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      for (const [width, dir] of [[1280, "rtl"] as const, [320, "ltr"] as const]) {
        const { page } = await open(false, { colorScheme, viewport: { width, height: 900 } }, dir);
        await shows(page, "Follow", "false");
        await expectAccessible(page, `Follow ${colorScheme} ${width}`);
        await button(page).click();
        await shows(page, "Following", "true");
        await page.screenshot({ path: `test-results/board-following-${colorScheme}-${width}.png`, fullPage: true });
        await expectAccessible(page, `Following ${colorScheme} ${width}`);
      }
    }
  });
});
