/** What everybody sees of the elements, on every page: sizes, keys, time that goes by, paper. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { ask, openStage, passTime, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const ELEMENTS = ["board", "changelog", "launcher"] as const;
const idea = (title: string, more: object = {}) => ({ title, description: `About ${title}.`, ...more });
const LONG = "A long story.\n".repeat(12);

describe("the elements, every day", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  async function open(body: string, options: Parameters<Stage["page"]>[0] = {}, more = "") {
    const scripts = ELEMENTS.map((name) => `<script type="module" src="${stage.api}/embed/${name}.js"></script>`);
    const { page } = await stage.page(options);
    await page.goto(stage.hostPage(body, { head: scripts.join("") + more }));
    return page;
  }
  const board = (token: string, more = "") => `<idea-bank-board token="${token}" ${more}></idea-bank-board>`;
  const changelog = (token: string) => `<idea-bank-changelog token="${token}"></idea-bank-changelog>`;
  const titles = (page: Page) => page.locator("li h3").allTextContents();
  const comeBack = (page: Page) =>
    page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  const compose = (page: Page) => page.getByRole("button", { name: "New idea" }).click();

  it("have field texts of 16 pixels at least where fingers point", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const style = "<style>idea-bank-board { --idea-bank-font-size: 14px }</style>";
    const page = await open(board(bank.token), { hasTouch: true, isMobile: true }, style);
    const sizes = () =>
      ask<number[]>(
        page.locator("idea-bank-board"),
        `[...element.shadowRoot.querySelectorAll(".field")].map((field) => Number.parseFloat(getComputedStyle(field).fontSize))`,
      );
    await page.locator(".ideas .idea").first().waitFor();
    await expect.poll(sizes).toEqual([16, 16]);
    await compose(page);
    await expect.poll(sizes).toEqual([16, 16]);
  });

  it("follow the size of text that the browser is set to, not that of the page's root", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const page = await open(board(bank.token), {}, "<style>html { font-size: 62.5% }</style>");
    await page.locator(".ideas .idea").first().waitFor();
    const size = () => ask<string>(page.locator(".root").first(), "getComputedStyle(element).fontSize");
    await expect.poll(() => size()).toBe("16px");
    const session = await page.context().newCDPSession(page);
    await session.send("Page.enable");
    await session.send("Page.setFontSizes", { fontSizes: { standard: 24 } });
    await expect.poll(size).toBe("24px");
  });

  it("keep a key that is typed into a field from the page's shortcuts, and let others through", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const page = await open(board(bank.token));
    await page.evaluate(`{
      window.keys = [];
      for (const type of ["keydown", "keypress", "keyup"]) document.addEventListener(type, ({ key }) => keys.push(key));
    }`);
    await page.getByRole("searchbox").pressSequentially("ab");
    await compose(page);
    await page.getByLabel("Title").pressSequentially("cd");
    await page.getByLabel("Title").press("Control+k");
    await page.getByRole("button", { name: "Cancel" }).press("e");
    await expect.poll(() => page.evaluate("[...new Set(keys)].join()")).toBe("Control,k,e");
    await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("cd");
  });

  it("read again when their tab comes back: the list, an open idea, and no form", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const page = await open(board(bank.token));
    await page.locator(".ideas .idea").first().waitFor();
    const path = `${bank.path}/proposals/${bank.ids[0]}`;
    await stage.tenant("POST", `${bank.path}/proposals`, idea("Cats"));
    await comeBack(page);
    await expect.poll(async () => (await titles(page)).sort()).toEqual(["Cats", "Dogs"]);
    // The focus stays where it is.
    await page.getByRole("button", { name: "Cats", exact: true }).focus();
    await stage.tenant("PATCH", path, { title: "Big dogs" });
    await comeBack(page);
    await page.getByRole("button", { name: "Big dogs", exact: true }).waitFor();
    const focused = () => page.evaluate("document.activeElement.shadowRoot.activeElement.textContent");
    await expect.poll(() => focused()).toBe("Cats");
    await page.getByRole("button", { name: "Big dogs", exact: true }).click();
    await page.locator(".detail").waitFor();
    await stage.tenant("PATCH", path, { status: "planned" });
    await comeBack(page);
    await page.locator(".detail .status").getByText("Planned").waitFor();
    await page.getByRole("button", { name: "All ideas" }).click();
    await compose(page);
    await page.getByLabel("Title").fill("Night buses");
    const read = page.waitForRequest(/changelog$/);
    await ask(page.locator("main"), `element.insertAdjacentHTML("beforeend", '${changelog(bank.token)}')`);
    await read;
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.locator("idea-bank-changelog:state(empty)").waitFor();
    const again = page.waitForResponse(/changelog$/);
    await comeBack(page);
    await again;
    expect(requests.filter((url) => url.includes("proposals?"))).toEqual([]);
    await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("Night buses");
  });

  it("say how long ago something was, while time goes by", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const { page } = await stage.page();
    await page.clock.install();
    const script = `<script type="module" src="${stage.api}/embed/board.js"></script>`;
    await page.goto(stage.hostPage(board(bank.token), { head: script }));
    const time = page.locator(".idea time");
    await time.waitFor();
    await passTime(page, 3 * 3_600_000);
    await expect.poll(() => time.textContent()).toBe("3 hours ago");
  });

  it("print whole texts, and no button", async () => {
    const bank = await stage.ideaBank({}, [idea("Long", { description: LONG, status: "implemented" })]);
    const launcher = `<idea-bank-launcher>${board(bank.token)}</idea-bank-launcher>`;
    const page = await open(changelog(bank.token) + launcher);
    const text = page.locator("idea-bank-changelog .prose");
    await text.waitFor();
    const isCut = () => ask<boolean>(text, "element.scrollHeight > element.clientHeight + 1");
    await expect.poll(() => isCut()).toBe(true);
    await page.emulateMedia({ media: "print" });
    await expect.poll(() => isCut()).toBe(false);
    for (const name of ["Show more: Long", "Ideas"]) {
      await expect.poll(() => page.getByRole("button", { name }).isVisible()).toBe(false);
    }
  });

  it("print dark on white, on a dark page, in a dark theme and in a dark look too", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs", { status: "implemented" })]);
    const look = "--idea-bank-text: #f2f4f8; --idea-bank-background: #0e1118; --idea-bank-muted: #9aa3b5";
    const body = `<div style="${look}; color-scheme: dark">${changelog(bank.token)}${board(bank.token, `theme="dark"`)}</div>`;
    const page = await open(
      body + board(bank.token),
      { colorScheme: "dark" },
      "<style>body { background: #111 }</style>",
    );
    const title = page.getByRole("heading", { name: "Dogs" });
    await expect.poll(() => title.count()).toBe(3);
    const lightness = (property: string) =>
      ask<readonly [number, number]>(
        page.locator("main"),
        `(() => {
          const roots = [...document.querySelectorAll("idea-bank-board, idea-bank-changelog")].map(({ shadowRoot }) => shadowRoot.querySelector(".root"));
          const bright = roots.map((root) => Number(getComputedStyle(root).${property}.match(/\\d+/)[0]));
          return [Math.min(...bright), Math.max(...bright)];
        })()`,
      );
    // Dark everywhere on the screen.
    await expect.poll(async () => (await lightness("backgroundColor"))[1]).toBeLessThan(40);
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await expect.poll(() => lightness("backgroundColor")).toEqual([255, 255]);
    await expect.poll(async () => (await lightness("color"))[1]).toBeLessThan(40);
  });

  it("are dark on a page that is dark and names no scheme, and follow it when it changes", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs", { status: "implemented" })]);
    const styles = `<style>
      .night { background: rgb(17 17 17); color: #eee }
      .card { background: oklch(95% 0 0) }
      .slow { transition: background-color 0.2s }
      .named { color-scheme: light }
    </style>`;
    const launcher = `<idea-bank-launcher inline>${changelog(bank.token)}</idea-bank-launcher>`;
    const page = await open(`${board(bank.token)}<div class="card">${board(bank.token)}</div>${launcher}`, {}, styles);
    const schemes = () =>
      page.evaluate(
        "[...document.querySelectorAll('idea-bank-board, idea-bank-launcher, idea-bank-changelog')].map(({ shadowRoot }) => getComputedStyle(shadowRoot.querySelector('.root')).colorScheme)",
      );
    const light = ["normal", "normal", "normal", "normal"];
    const dark = ["dark", "normal", "dark", "dark"];
    await page.locator(".idea").first().waitFor();
    await expect.poll(schemes).toEqual(light);
    await page.evaluate("document.documentElement.classList.add('night')");
    await expect.poll(schemes).toEqual(dark);
    await page.evaluate("document.documentElement.className = ''");
    await expect.poll(schemes).toEqual(light);
    await page.evaluate("document.body.className = 'slow'");
    await page.evaluate("document.body.classList.add('night')");
    await expect.poll(schemes).toEqual(dark);
    // What the page names comes first, and so does the element's own theme.
    await page.evaluate("document.body.classList.add('named')");
    await expect.poll(schemes).toEqual(["light", "light", "light", "light"]);
    await page.evaluate("document.body.className = 'night'");
    await ask(page.locator("idea-bank-board").first(), "element.setAttribute('theme', 'light')");
    await page.evaluate("document.documentElement.className = 'again'");
    await expect.poll(schemes).toEqual(["light", ...dark.slice(1)]);
  });

  it("draw no empty card where a page has kept room for them", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const page = await open(board(bank.token), {}, "<style>idea-bank-board { min-block-size: 2000px }</style>");
    await page.locator(".idea").first().waitFor();
    const height = (selector: string) => ask<number>(page.locator(selector), "element.offsetHeight");
    await expect.poll(() => height("idea-bank-board")).toBe(2000);
    await expect.poll(() => height("idea-bank-board .root")).toBeLessThan(400);
  });

  it("begin with an idea in the upper third of a phone, and cut no placeholder", async () => {
    const bank = await stage.ideaBank({ name: "Ideen" }, [idea("Dogs")]);
    for (const [width, height, languages] of [
      [360, 640, ["en", "de", "ja", "ar"]] as const,
      [390, 844, ["en", "de", "fr", "tr"]] as const,
    ]) {
      const { page } = await stage.page({ viewport: { width, height }, hasTouch: true, isMobile: true });
      for (const lang of languages) {
        const head = `<script type="module" src="${stage.api}/embed/board.js"></script><style>body { margin: 0 } h1 { display: none }</style>`;
        await page.goto(stage.hostPage(board(bank.token), { head, lang }));
        const first = page.locator(".idea").first();
        await first.waitFor();
        const top = () => ask<number>(first, "element.getBoundingClientRect().top");
        await expect.poll(top, { message: `${lang} ${width}` }).toBeLessThanOrEqual(height / 3);
        const search = page.getByRole("searchbox");
        // As wide as the placeholder needs.
        const isCut = await ask<boolean>(
          search,
          `(() => {
            const probe = element.cloneNode();
            probe.style = "field-sizing: content; inline-size: auto; flex: none; position: absolute";
            element.after(probe);
            const needed = probe.offsetWidth;
            probe.remove();
            return needed > element.offsetWidth;
          })()`,
        );
        expect(isCut, lang).toBe(false);
      }
    }
  });

  it("print an open idea with its comments, and no button, field or notice", async () => {
    const bank = await stage.ideaBank();
    const page = await open(board(bank.token, "history"));
    await compose(page);
    await page.getByLabel("Title").fill("Night buses");
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page.getByLabel("Add a comment").fill("Every half hour.");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.locator(".comment").waitFor();
    const controls = page.locator(":is(button, textarea, input, .notice, .formats):visible:not(.vote)");
    await expect.poll(() => controls.count()).toBeGreaterThan(6);
    await page.emulateMedia({ media: "print" });
    await expect.poll(() => controls.allTextContents()).toEqual([]);
    await page.getByText("Every half hour.").waitFor();
  });

  it("show open ideas first where all are shown, and in the chosen order where not", async () => {
    const bank = await stage.ideaBank({}, [
      idea("Open"),
      idea("Planned", { status: "planned" }),
      idea("Done", { status: "implemented" }),
      idea("No", { status: "declined" }),
    ]);
    const page = await open(board(bank.token));
    await page.getByRole("radio", { name: "New", exact: true }).press("Space");
    await expect.poll(() => titles(page)).toEqual(["Planned", "Open", "No", "Done"]);
    await page.getByRole("searchbox").fill("open done planned");
    await page.getByRole("searchbox").fill("");
    await expect.poll(() => titles(page)).toEqual(["Planned", "Open", "No", "Done"]);
  });

  it("begin an idea with its author's vote, and mark what need not be filled in", async () => {
    const bank = await stage.ideaBank();
    const page = await open(board(bank.token));
    await compose(page);
    await expect.poll(() => page.locator("label").allTextContents()).toEqual(["Title", "Descriptionoptional"]);
    await page.getByLabel("Title").fill("Night buses");
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page
      .locator(".detail")
      .getByRole("button", { name: "Vote for “Night buses”: 1 vote", pressed: true })
      .waitFor();
    const { items } = await stage.tenant<{ items: { votes: number }[] }>("GET", `${bank.path}/proposals`);
    expect(items).toMatchObject([{ votes: 1 }]);
  });

  it("break no word of a name while a line has room for it", async () => {
    const bank = await stage.ideaBank({ name: "Verbesserungsvorschläge" });
    const page = await open(board(bank.token), { viewport: { width: 360, height: 700 } });
    await page.locator("idea-bank-board:state(empty)").waitFor();
    const lines = () =>
      ask<number>(
        page.getByRole("heading", { name: "Verbesserungsvorschläge" }),
        "(() => { const range = new Range(); range.selectNodeContents(element); return range.getClientRects().length; })()",
      );
    await expect.poll(lines).toBe(1);
  });
});
