/** An address opens what it names, wherever in the page that is, and what is open gives the tab its title. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { ask, holdAnswers, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const idea = (title: string, more: object = {}) => ({ title, description: `About ${title}.`, ...more });

describe("the address of an idea", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  const head = (names = ["board", "roadmap", "changelog", "launcher"]) =>
    names.map((name) => `<script type="module" src="${stage.api}/embed/${name}.js"></script>`).join("");
  const board = (token: string, more = "history", name = "board") =>
    `<idea-bank-${name} token="${token}" ${more}></idea-bank-${name}>`;
  const host = (body: string) => stage.hostPage(body, { head: head() });
  const opened = (page: Page, title: string, place = "") =>
    page.locator(`${place} .detail`).getByRole("heading", { name: title }).waitFor();
  const follow = (page: Page, title: string) => page.getByRole("link", { name: title, exact: true }).click();
  const gone = (page: Page) => page.getByText("This idea is no longer here.");

  it("opens the panel that the board is in, once", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const { page } = await stage.page();
    const inside = `<idea-bank-launcher>${board(bank.token)}</idea-bank-launcher>`;
    await page.goto(`${host(inside)}?idea=${bank.ids[0]}`);
    await opened(page, "Dogs");
    await page.locator(".detail").getByText("About Dogs.").waitFor();
    // The panel stands at its button.
    const inWindow = `(() => {
      const { left, top, right, bottom } = document.querySelector("idea-bank-launcher").shadowRoot.querySelector("#panel").getBoundingClientRect();
      return right - left > 300 && left > innerWidth / 2 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
    })()`;
    await expect.poll(() => page.evaluate(inWindow)).toBe(true);
    await page.getByRole("button", { name: "Close" }).click();
    await expect.poll(() => page.locator(".detail").isVisible()).toBe(false);
    // The visitor has closed it: a new token does not open it again.
    const token = await bank.tokenFor("somebody-else");
    await page.evaluate(`document.querySelector("idea-bank-board").token = "${token}"`);
    await expect.poll(() => page.locator("idea-bank-board").isVisible()).toBe(false);
    // Without an idea in its address, a page opens nothing. Until the launcher's script has run, what is inside stands in the page.
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(stage.hostPage(inside, { head: head(["launcher", "board"]) }));
    await page.getByRole("button", { name: "Ideas" }).waitFor();
    await expect.poll(() => page.locator("idea-bank-board").isVisible()).toBe(false);
    expect(asked.filter((url) => /ideabank$|sort=hot/.test(url))).toEqual([]);
  });

  it("of the changelog's entry opens the panel, too", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs", { status: "implemented" })]);
    const answer = await fetch(`${stage.api}/ideabank/changelog/entries`, { headers: { Authorization: bank.token } });
    const { items } = (await answer.json()) as { items: { id: string }[] };
    const { page } = await stage.page();
    const address = host(`<idea-bank-launcher>${board(bank.token, "history", "changelog")}</idea-bank-launcher>`);
    await page.goto(`${address}?update=${items[0]?.id.replace("urn:uuid:", "")}`);
    await page.locator(".entry").getByText("Dogs").first().waitFor();
  });

  it("is opened by the board whose idea bank has the idea, behind another one or in a panel", async () => {
    const [first, second] = [await stage.ideaBank({}, [idea("Dogs")]), await stage.ideaBank({}, [idea("Cats")])];
    for (const [before, after] of [
      [`<div id="second">`, "</div>"],
      [`<idea-bank-launcher id="second">`, "</idea-bank-launcher>"],
    ]) {
      const { page } = await stage.page();
      const address = host(`<div id="first">${board(first.token)}</div>${before}${board(second.token)}${after}`);
      await page.goto(`${address}?idea=${second.ids[0]}`);
      await opened(page, "Cats", "#second");
      await page.locator("#first .ideas .idea").waitFor();
      await expect.poll(() => page.url()).toBe(`${address}?idea=${second.ids[0]}`);
      await expect.poll(() => gone(page).count()).toBe(0);
      await page.locator("#second").getByRole("button", { name: "All ideas" }).click();
      await expect.poll(() => page.url()).toBe(address);
      await page.locator("#second .ideas .idea").waitFor();

      await page.goto(`${address}?idea=${first.ids[0]}`);
      await opened(page, "Dogs", "#first");
      await expect.poll(() => page.locator("#second .detail").count()).toBe(0);
    }
  });

  it("is in sight, also on a board that stands below other things of the page", async () => {
    const [first, second] = await Promise.all([
      stage.ideaBank(
        {},
        Array.from({ length: 20 }, (_, index) => idea(`Bus ${index}`)),
      ),
      stage.ideaBank({}, [idea("Cats")]),
    ]);
    const inSight = async (page: Page) => {
      const top = () => ask(page.locator("#second .detail"), "element.getBoundingClientRect().top");
      await expect.poll(async () => Number(await top())).toBeLessThan(600);
      await expect.poll(async () => Number(await top())).toBeGreaterThan(-200);
    };
    for (const above of [board(first.token), `<div class="tall"></div>`]) {
      const { page } = await stage.page({ viewport: { width: 390, height: 800 } });
      const style = "<style>.tall { block-size: 3000px }</style>";
      const address = stage.hostPage(`${above}<div id="second">${board(second.token)}</div>`, { head: head() + style });
      const lists = await holdAnswers(page, /proposals\?/);
      await page.goto(`${address}?idea=${second.ids[0]}`);
      await opened(page, "Cats", "#second");
      await inSight(page);
      // What stands above grows when it is there.
      lists.release();
      if (above.includes("token")) await page.getByText("Bus 3", { exact: true }).waitFor();
      await inSight(page);
      // A visitor who has moved on is left where they are.
      await page.mouse.wheel(0, -5000);
      await expect.poll(() => page.evaluate("scrollY")).toBe(0);
      await page.evaluate(`document.body.prepend(Object.assign(document.createElement("div"), { className: "tall" }))`);
      const twoFrames =
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(scrollY))))";
      const later = await page.evaluate(twoFrames);
      expect(later).toBe(0);
    }
  });

  it("is passed on by a board that is closed; what no board has is told once", async () => {
    const closed = await stage.ideaBank({ status: "CLOSED" });
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const { page } = await stage.page();
    const address = host(board(closed.token) + board(bank.token) + board(bank.token, "history", "roadmap"));
    await page.goto(`${address}?idea=${bank.ids[0]}`);
    await opened(page, "Dogs", "idea-bank-board");
    await page.goto(`${address}?idea=nothing1234x`);
    await gone(page).first().waitFor();
    await page.locator("idea-bank-board .ideas .idea").waitFor();
    await expect.poll(() => page.locator(".notice:visible").count()).toBe(1);
    await expect.poll(() => page.url()).toBe(address);
  });

  /** A page whose router keeps its routes in the fragment; `base` is what it writes before each of them. */
  const routed = (token: string, base: string) =>
    host(`<main id="place"></main><script type="module">
      const show = () => {
        place.replaceChildren();
        if (location.hash === "#/ideas") place.innerHTML = \`${board(token)}\`;
        else place.textContent = location.hash;
      };
      window.go = (route) => {
        history.pushState({ route }, "", ${base} + route);
        show();
      };
      addEventListener("popstate", show);
      show();
    </script>`);

  it.each(["location.search", "loaded"])(
    "is left behind on the way to another route in the fragment (%s)",
    async (base) => {
      const bank = await stage.ideaBank({}, [idea("Dogs")]);
      const { page } = await stage.page();
      await page.addInitScript("window.loaded = location.search");
      const address = routed(bank.token, base);
      const go = (route: string) => page.evaluate(`go("${route}")`);
      await page.goto(`${address}?a=1&idea=${bank.ids[0]}#/ideas`);
      await opened(page, "Dogs");
      await go("#/settings");
      await expect.poll(() => page.url()).toBe(`${address}?a=1#/settings`);
      await expect.poll(() => page.evaluate("history.state")).toEqual({ route: "#/settings" });
      await go("#/ideas");
      await page.locator(".ideas .idea").waitFor();
      await expect.poll(() => page.url()).toBe(`${address}?a=1#/ideas`);
      await expect.poll(() => page.locator(".detail").count()).toBe(0);
      // An idea that is opened there has its address, over a reload too.
      await follow(page, "Dogs");
      await expect.poll(() => page.url()).toBe(`${address}?a=1&idea=${bank.ids[0]}#/ideas`);
      await page.reload();
      await opened(page, "Dogs");
      // What it was before is an entry of its own.
      await go("#/settings");
      await page.goBack();
      await opened(page, "Dogs");
    },
  );

  it("is that of the title, a link: Ctrl and a click open it in another tab", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs", { status: "planned" })]);
    for (const name of ["board", "roadmap"]) {
      const { page, context } = await stage.page();
      const address = host(board(bank.token, "history", name));
      await page.goto(address);
      const link = page.getByRole("link", { name: "Dogs", exact: true });
      for (const options of [{ modifiers: ["ControlOrMeta" as const] }, { button: "middle" as const }]) {
        const [tab] = await Promise.all([context.waitForEvent("page"), link.click(options)]);
        await opened(tab, "Dogs");
        expect(tab.url()).toBe(`${address}?idea=${bank.ids[0]}`);
      }
      await expect.poll(() => page.url()).toBe(address);
      await expect.poll(() => page.locator(".detail").count()).toBe(0);
    }
  });

  it("has the idea in the tab's title, and the page has its own again", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs"), idea("Cats")]);
    const { page } = await stage.page();
    const address = host(`${board(bank.token)}<img name="title">`);
    const title = () => page.evaluate("document.querySelector('title').textContent");
    const toList = () => page.getByRole("button", { name: "All ideas" }).click();
    await page.goto(`${address}?idea=${bank.ids[0]}`);
    await expect.poll(title).toBe("Dogs · A tenant's page");
    await toList();
    await expect.poll(title).toBe("A tenant's page");
    await follow(page, "Cats");
    await expect.poll(title).toBe("Cats · A tenant's page");
    // What the page writes meanwhile is its own.
    await page.evaluate("document.querySelector('title').textContent = '(1) A tenant'");
    await toList();
    await expect.poll(title).toBe("(1) A tenant");
    await follow(page, "Dogs");
    await expect.poll(title).toBe("Dogs · (1) A tenant");
    await page.evaluate("document.querySelector('idea-bank-board').remove()");
    await expect.poll(title).toBe("(1) A tenant");
  });

  it("keeps the title of an idea while another board of the page begins again", async () => {
    const [one, two] = await Promise.all([
      stage.ideaBank({}, [idea("Dogs")]),
      stage.ideaBank({}, [idea("Cats"), idea("Fish")]),
    ]);
    const { page } = await stage.page();
    await page.goto(host(board(one.token) + board(two.token)));
    await follow(page, "Dogs");
    await expect.poll(() => page.title()).toBe("Dogs · A tenant's page");
    const other = await two.tokenFor("somebody-else");
    await page.evaluate(`document.querySelectorAll("idea-bank-board")[1].token = "${other}"`);
    await page.getByText("Fish", { exact: true }).waitFor();
    await page.locator("idea-bank-board").nth(1).locator(".ideas .idea").nth(1).waitFor();
    await expect.poll(() => page.title()).toBe("Dogs · A tenant's page");
    await page.getByRole("button", { name: "All ideas" }).click();
    await expect.poll(() => page.title()).toBe("A tenant's page");
  });

  it("opens for the next person what was opened in the list, and no form of somebody else", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const { page } = await stage.page();
    const site = { token: bank.token };
    await page.route("**/my/token", (route) => route.fulfill({ body: site.token }));
    await page.goto(host(`<idea-bank-board token-url="/my/token" history></idea-bank-board>`));
    await follow(page, "Dogs");
    await opened(page, "Dogs");
    site.token = await bank.tokenFor("somebody-else");
    await page.reload();
    await opened(page, "Dogs");
    await page.getByRole("button", { name: "All ideas" }).click();
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByLabel("Title").fill("A secret");
    await page.reload();
    await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("A secret");
    site.token = bank.token;
    await page.reload();
    await page.locator(".ideas .idea").first().waitFor();
    await expect.poll(() => page.getByLabel("Title").count()).toBe(0);
  });

  it("leaves the title to a page that wants it, and to one without `history`", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const { page } = await stage.page();
    await page.addInitScript("addEventListener('idea-shown', (event) => event.preventDefault())");
    await page.goto(`${host(board(bank.token))}?idea=${bank.ids[0]}`);
    await opened(page, "Dogs");
    await expect.poll(() => page.title()).toBe("A tenant's page");
    const { page: without } = await stage.page();
    await without.goto(host(board(bank.token, `proposal="${bank.ids[0]}"`)));
    await opened(without, "Dogs");
    await expect.poll(() => without.title()).toBe("A tenant's page");
  });
});
