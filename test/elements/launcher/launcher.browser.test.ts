/** `<idea-bank-launcher>`: a button with the number of what is new, and a panel with either element. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectAccessible } from "../../support/node/accessible.ts";
import { takeScreenshot } from "../../support/node/browser.ts";
import { block } from "../../support/node/documents.ts";
import { ask, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const done = (title: string) => ({ title, description: "Done.", status: "implemented" });

describe("<idea-bank-launcher>", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  const scripts = () =>
    ["launcher", "changelog", "board", "roadmap"]
      .map((name) => `<script type="module" src="${stage.api}/embed/${name}.js"></script>`)
      .join("");
  const launcher = (name: string, token: string, attributes = "") =>
    `<idea-bank-launcher ${attributes}><idea-bank-${name} token="${token}"></idea-bank-${name}></idea-bank-launcher>`;
  const host = (body: string, { head = "", dir = "ltr" } = {}) =>
    stage.hostPage(body, { head: scripts() + head, dir, headers: head.includes("<style>") ? {} : stage.strictPolicy });
  const inState = (page: Page, name: string, state: string) =>
    page.locator(`idea-bank-${name}:state(${state})`).waitFor({ state: "attached" });

  it("shows how much is new since the last look, until the panel has been opened", async () => {
    const bank = await stage.ideaBank({}, [done("First")]);
    const second = () => Math.floor(Date.now() / 1000);
    const createdBy = second();
    const { page, complaints } = await stage.page();
    const address = host(launcher("changelog", bank.token));
    await page.goto(address);
    // The first visit is no news.
    await page.getByRole("button", { name: "What’s new", exact: true }).click();
    await page.getByRole("dialog", { name: "What’s new" }).waitFor();
    await page.getByRole("heading", { name: "First" }).waitFor();
    // Seen, and remembered.
    await expect.poll(() => page.evaluate("Object.keys(localStorage).length")).toBe(3);
    // `lastModified` has seconds: what is newer is of a later one.
    await expect.poll(second).toBeGreaterThan(createdBy);
    for (const title of ["Second", "Third"]) await stage.tenant("POST", `${bank.path}/proposals`, done(title));
    await page.goto(address);
    const button = page.getByRole("button", { name: "What’s new, 2 new" });
    await button.waitFor();
    await expect.poll(() => button.locator(".badge").textContent()).toBe("2");
    await expect.poll(() => page.getByRole("heading", { name: "Third" }).isVisible()).toBe(false);
    await button.click();
    await page.getByRole("heading", { name: "Third" }).waitFor();
    await page.getByRole("button", { name: "What’s new", exact: true }).waitFor();
    await page.reload();
    await inState(page, "changelog", "ready");
    await page.getByRole("button", { name: "What’s new", exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows no button while nothing is inside, and tells the page's developer", async () => {
    const bank = await stage.ideaBank();
    const { page, complaints } = await stage.page();
    await page.goto(host("<idea-bank-launcher></idea-bank-launcher>"));
    await expect.poll(() => complaints).toEqual([expect.stringContaining("<idea-bank-launcher> is empty.")]);
    await expect.poll(() => page.getByRole("button").count()).toBe(0);
    await ask(page.locator("idea-bank-launcher"), `element.append(document.createElement("div"))`);
    await ask(
      page.locator("idea-bank-launcher"),
      `element.querySelector("div").append(Object.assign(document.createElement("idea-bank-board"), { token: "${bank.token}" }))`,
    );
    await page.getByRole("button", { name: "Ideas" }).click();
    await inState(page, "board", "empty");
  });

  it("opens by keyboard, takes the focus, and gives it back on Escape", async () => {
    const bank = await stage.ideaBank({}, [done("First")]);
    const { page } = await stage.page();
    await page.goto(host(launcher("board", bank.token)));
    await page.getByRole("button", { name: "Ideas", exact: true }).press("Enter");
    await inState(page, "board", "ready");
    const focused = "document.activeElement.shadowRoot?.activeElement?.getAttribute('part')";
    await expect.poll(() => page.evaluate(focused)).toBe("panel");
    await page.getByRole("button", { name: "First", exact: true }).click();
    await page.getByRole("heading", { name: "No comments yet" }).waitFor();
    // Escape closes the idea, and only then the panel.
    await page.keyboard.press("Escape");
    await page.getByRole("radio", { name: "Trending" }).waitFor({ state: "attached" });
    await expect.poll(() => page.getByRole("dialog").isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await expect.poll(() => page.evaluate(focused)).toBe("launcher");
  });

  it("says how many ideas that the visitor voted for are done since the last look, and asks once", async () => {
    const ideas = ["One", "Two", "Three"].map((title) => ({ title, description: "", status: "planned" }));
    const bank = await stage.ideaBank({}, [...ideas, { title: "Of others", description: "", status: "planned" }]);
    for (const id of bank.ids.slice(0, 3)) {
      const headers = { Authorization: bank.token };
      await fetch(`${stage.api}/ideabank/proposals/${id}/vote`, { method: "PUT", headers });
    }
    const finish = (at: number) =>
      stage.tenant("PATCH", `${bank.path}/proposals/${bank.ids[at]}`, { status: "implemented" });
    const { page } = await stage.page();
    const asked: string[] = [];
    page.on("request", (request) => request.url().includes("mine=voted") && asked.push(request.url()));
    const kept = () =>
      page.evaluate<string>("Object.entries(localStorage).find(([key]) => key.includes('launcher'))?.[1]");
    const address = host(launcher("board", bank.token));
    await finish(0);
    await page.goto(address);
    // The first visit is no news.
    await expect.poll(kept).toBe(bank.ids[0]);
    await finish(1);
    await finish(2);
    await finish(3);
    await page.goto(address);
    const button = page.getByRole("button", { name: "Ideas, 2 ideas that you voted for are done" });
    await button.waitFor();
    await expect.poll(() => button.locator(".badge").textContent()).toBe("2");
    // Until the panel has been opened.
    await page.reload();
    await button.click();
    await page.getByText("2 ideas that you voted for are done").waitFor();
    await inState(page, "board", "ready");
    await expectAccessible(page, "the line of what is done");
    // It names them, and leads to each.
    const note = page.locator(".note");
    await expect.poll(() => note.getByRole("button").allTextContents()).toEqual(["Three", "Two"]);
    await note.getByRole("button", { name: "Two" }).click();
    await page.locator("idea-bank-board .detail").getByRole("heading", { name: "Two" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Ideas", exact: true }).waitFor();
    expect(asked.length).toBe(3);
    await page.reload();
    await expect.poll(() => asked.length).toBe(4);
    await page.getByRole("button", { name: "Ideas", exact: true }).click();
    await inState(page, "board", "ready");
    await expect.poll(() => page.getByText("that you voted for").isVisible()).toBe(false);
  });

  it("counts what is done and is an entry of the changelog once, and asks nothing for who is not signed in", async () => {
    const bank = await stage.ideaBank({}, [done("First"), { title: "Voted", description: "", status: "planned" }]);
    const headers = { Authorization: bank.token };
    await fetch(`${stage.api}/ideabank/proposals/${bank.ids[1]}/vote`, { method: "PUT", headers });
    const { page } = await stage.page();
    const address = host(launcher("changelog", bank.token));
    await page.goto(address);
    await page.getByRole("button", { name: "What’s new", exact: true }).click();
    await expect.poll(() => page.evaluate("Object.keys(localStorage).length")).toBe(3);
    const second = () => Math.floor(Date.now() / 1000);
    const now = second();
    await expect.poll(second).toBeGreaterThan(now);
    await stage.tenant("PATCH", `${bank.path}/proposals/${bank.ids[1]}`, { status: "implemented" });
    await page.goto(address);
    const button = page.getByRole("button", { name: "What’s new, 1 new, 1 idea that you voted for is done" });
    await button.waitFor();
    await expect.poll(() => button.locator(".badge").textContent()).toBe("1");
    // Its entry is marked, also when it is not among the recent ones any more.
    await stage.tenant("PATCH", bank.path, { changelogMaxEntries: 1 });
    await stage.tenant("POST", `${bank.path}/proposals`, done("Later"));
    await page.goto(address);
    await page.getByRole("button", { name: /1 idea that you voted for is done/ }).click();
    await page.locator(".note").getByRole("button", { name: "Voted" }).click();
    await page.locator("idea-bank-changelog .target").getByText("Voted").waitFor();

    const { token } = await stage.tenant<{ token: string }>("POST", `${bank.path}/tokens`, { visitor: true });
    const { page: other } = await stage.page();
    const asked: string[] = [];
    other.on("request", (request) => request.url().includes("mine=voted") && asked.push(request.url()));
    await other.route("**/my/token", (route) => route.fulfill({ body: token }));
    for (const source of [`token="${token}"`, `token-url="/my/token"`, ""]) {
      const inside = `<idea-bank-changelog ${source}></idea-bank-changelog>`;
      await other.goto(stage.hostPage(`<idea-bank-launcher>${inside}</idea-bank-launcher>`, { head: scripts() }));
      await inState(other, "changelog", source ? "ready" : "signed-out");
    }
    expect(asked).toEqual([]);
  });

  it("tells the next person nothing of the ideas that the last one voted for", async () => {
    const bank = await stage.ideaBank({}, [{ title: "One", description: "", status: "planned" }, done("Two")]);
    const vote = async (token: string, at: number) => {
      const headers = { Authorization: token };
      await fetch(`${stage.api}/ideabank/proposals/${bank.ids[at]}/vote`, { method: "PUT", headers });
    };
    await vote(bank.token, 0);
    await vote(bank.token, 1);
    const { page } = await stage.page();
    let token = bank.token;
    await page.route("**/my/token", (route) => route.fulfill({ body: token }));
    const address = host(
      `<idea-bank-launcher><idea-bank-board token-url="/my/token"></idea-bank-board></idea-bank-launcher>`,
    );
    await page.goto(address);
    const kept = () => page.evaluate("Object.keys(localStorage).filter((key) => key.includes('launcher')).length");
    await expect.poll(() => kept()).toBe(1);
    await stage.tenant("PATCH", `${bank.path}/proposals/${bank.ids[0]}`, { status: "implemented" });
    await page.reload();
    await page.getByRole("button", { name: "Ideas, 1 idea that you voted for is done" }).waitFor();
    token = await bank.tokenFor("somebody-else");
    await vote(token, 1);
    await ask(page.locator("idea-bank-board"), "(element.restart(), 1)");
    const button = page.getByRole("button", { name: "Ideas", exact: true });
    await button.waitFor();
    await expect.poll(() => kept()).toBe(2);
    await button.click();
    await inState(page, "board", "ready");
    await expect.poll(() => page.locator(".note").isVisible()).toBe(false);
    // Who comes back is told.
    await page.keyboard.press("Escape");
    token = bank.token;
    await ask(page.locator("idea-bank-board"), "(element.restart(), 1)");
    await page.getByRole("button", { name: "Ideas, 1 idea that you voted for is done" }).waitFor();
  });

  it("follows the window no longer once it has left the page, open or not", async () => {
    const bank = await stage.ideaBank({}, [done("First")]);
    const { page } = await stage.page();
    await page.goto(host(launcher("changelog", bank.token)));
    await page.getByRole("button", { name: "What’s new" }).click();
    const placed = (before = "") =>
      ask(
        page.locator("main"),
        `(() => {
          const launcher = (window.launcher ??= document.querySelector("idea-bank-launcher"));
          ${before};
          const { style } = launcher.shadowRoot.querySelector("#panel");
          style.setProperty("--left", "0");
          dispatchEvent(new Event("resize"));
          return style.getPropertyValue("--left");
        })()`,
      );
    await expect.poll(() => placed()).not.toBe("0");
    await expect.poll(() => placed("launcher.remove()")).toBe("0");
  });

  it("asks for nothing of a board before its panel is opened", async () => {
    const bank = await stage.ideaBank({}, [done("First")]);
    const { page } = await stage.page();
    const asked: string[] = [];
    const isOfBoard = (url: string) => url.includes("/ideabank") && !url.includes("mine=voted");
    page.on("request", (request) => isOfBoard(request.url()) && asked.push(request.method()));
    await page.goto(host(launcher("board", bank.token), {}));
    await inState(page, "board", "loading");
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    expect(asked).toEqual([]);
    await ask(page.locator("idea-bank-launcher"), "element.open()");
    await inState(page, "board", "ready");
    expect(asked).not.toEqual([]);
    await ask(page.locator("idea-bank-launcher"), "element.close()");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  });

  it("is a sheet on a phone, and stands at its button elsewhere, within the window", async () => {
    const bank = await stage.ideaBank({}, [done("First")]);
    const boxes = async (attributes: string, width: number, height: number, before = "") => {
      const { page } = await stage.page({ viewport: { width, height } });
      await page.goto(host(before + launcher("changelog", bank.token, attributes)));
      await page.locator("button.launch").click();
      await inState(page, "changelog", "ready");
      const box = async (selector: string) =>
        (await page.locator(selector).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      return { button: await box("button.launch"), panel: await box("#panel"), content: await box(".content"), page };
    };
    const phone = await boxes("", 390, 844);
    expect([phone.panel.x, phone.panel.width, phone.panel.y + phone.panel.height]).toEqual([0, 390, 844]);
    const floating = await boxes("", 1280, 800);
    expect(floating.panel.y + floating.panel.height).toBeCloseTo(floating.button.y - 8, 0);
    expect(floating.panel.x + floating.panel.width).toBeLessThanOrEqual(1280 - 8);
    const inline = await boxes("inline", 1280, 800);
    expect([inline.panel.x, inline.panel.y]).toEqual([inline.button.x, inline.button.y + inline.button.height + 8]);
    // It goes where its button goes.
    await inline.page.evaluate("document.body.style.paddingTop = '100px'; dispatchEvent(new Event('resize'))");
    const gap = async () => {
      const button = await inline.page.locator("button.launch").boundingBox();
      const panel = await inline.page.locator("#panel").boundingBox();
      return button && panel && [button.y > inline.button.y, panel.y - button.y - button.height];
    };
    await expect.poll(gap).toEqual([true, 8]);
    // 1280 x 1024 pixels at 400 %.
    const zoomed = await boxes("", 320, 256);
    expect(zoomed.content.height).toBeGreaterThan(200);
  });

  it("has one header: the button that closes it stands in that of what is inside", async () => {
    const bank = await stage.ideaBank({ name: "A name that needs the whole of its line" }, [done("First")]);
    // A phone; and a low window, whose sheet is wide.
    for (const viewport of [
      { width: 390, height: 844 },
      { width: 700, height: 400 },
    ]) {
      const { page } = await stage.page({ viewport });
      await page.goto(host(launcher("board", bank.token)));
      await page.locator("button.launch").click();
      await inState(page, "board", "ready");
      const box = async (selector: string) =>
        (await page.locator(selector).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      const [close, head, title] = [await box(".close"), await box(".head"), await box(".head .title")];
      expect(close.y + close.height).toBeLessThanOrEqual(head.y + head.height);
      expect(title.x + title.width).toBeLessThanOrEqual(close.x);
      const suggest = await box(".head .button");
      expect(suggest.y > close.y + close.height || suggest.x + suggest.width <= close.x).toBe(true);
      expect(head.y).toBe((await box("#panel")).y + 1);
    }
  });

  it("says what the page says in place of its words", async () => {
    const bank = await stage.ideaBank({}, [done("First")]);
    const { page } = await stage.page();
    const early = `<script>document.querySelector("idea-bank-launcher").labels = { close: "Schließen" }</script>`;
    await page.goto(
      stage.hostPage(launcher("changelog", bank.token, `inline label="Neuigkeiten"`) + early, { head: scripts() }),
    );
    await page.getByRole("button", { name: "Neuigkeiten" }).click();
    await page.getByRole("dialog", { name: "Neuigkeiten" }).getByRole("button", { name: "Schließen" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  });

  it.each([
    ["clear", "rgb(11, 92, 213)", "rgb(255, 255, 255)", "30px"],
    ["paper", "rgb(138, 43, 29)", "rgb(253, 249, 242)", "0px"],
    ["night", "rgb(198, 242, 78)", "rgb(14, 17, 24)", "32px"],
    ["soft", "rgb(107, 63, 212)", "rgb(255, 255, 255)", "32px"],
    ["block", "rgb(17, 17, 17)", "rgb(255, 255, 255)", "0px"],
  ])(
    "has the look that a page pastes, and what is inside has no frame: %s",
    async (name, accent, background, radius) => {
      const bank = await stage.ideaBank({}, [done("First")]);
      const { page } = await stage.page();
      await page.goto(
        host(launcher("board", bank.token), { head: `<style>${block("docs/looks.md", `look ${name}`)}</style>` }),
      );
      const button = page.locator("button.launch");
      const styles = (selector: string, names: string) =>
        ask<string[]>(page.locator(selector), `"${names}".split(" ").map((name) => getComputedStyle(element)[name])`);
      await expect.poll(() => styles("button.launch", "backgroundColor borderTopLeftRadius")).toEqual([accent, radius]);
      await button.click();
      await inState(page, "board", "ready");
      await expect.poll(() => styles("#panel", "backgroundColor")).toEqual([background]);
      await expect.poll(() => styles("idea-bank-board .root", "borderTopWidth boxShadow")).toEqual(["0px", "none"]);
      await expectAccessible(page, `look ${name}`);
      await takeScreenshot(page, `test-results/launcher-look-${name}.png`, false);
    },
  );

  it("keeps clear of what else stands at the bottom of the window", async () => {
    const bank = await stage.ideaBank({}, [done("First")]);
    const { page } = await stage.page({ viewport: { width: 390, height: 800 } });
    const below = async () => {
      const box = await page.locator("button.launch").boundingBox();
      return 800 - (box?.y ?? 0) - (box?.height ?? 0);
    };
    for (const [style, distance] of [["", 16] as const, ["--launcher-bottom: 120px", 120] as const]) {
      const head = `<style>idea-bank-launcher { ${style} }</style>`;
      await page.goto(host(launcher("changelog", bank.token), { head }));
      await expect.poll(below).toBe(distance);
    }
  });

  it("keeps its looks among hostile styles", async () => {
    const bank = await stage.ideaBank({}, [done("First")]);
    const hostile = `<style>
      * { all: unset; display: inline !important; font: 40px/3 cursive !important; color: red !important }
      button, div { float: right; border: 9px solid red }
    </style>`;
    const { page } = await stage.page();
    await page.goto(host(launcher("changelog", bank.token), { head: hostile }));
    const button = page.getByRole("button", { name: "What’s new" });
    const looks = await ask(
      button,
      `(({ position, fontSize, color, float }) => [position, fontSize, color, float])(getComputedStyle(element))`,
    );
    expect(looks).toEqual(["fixed", "16px", "rgb(255, 255, 255)", "none"]);
    await button.click();
    await expect.poll(async () => (await page.getByRole("dialog").boundingBox())?.width).toBeGreaterThan(400);
  });

  it("has nothing for axe-core to complain of, open and closed, floating and inline, in any look", async () => {
    const bank = await stage.ideaBank({}, [done("First"), done("Second")]);
    for (const [name, colorScheme, width, dir, attributes, forcedColors] of [
      ["changelog", "light", 1280, "ltr", "", "none"],
      ["changelog", "dark", 390, "rtl", "inline", "none"],
      ["board", "dark", 1280, "rtl", "", "none"],
      ["board", "light", 240, "ltr", "", "none"],
      ["board", "light", 390, "ltr", "inline", "active"],
    ] as const) {
      const { page } = await stage.page({ colorScheme, forcedColors, viewport: { width, height: 700 } });
      const head = `<meta name="color-scheme" content="light dark">`;
      await page.goto(host(launcher(name, bank.token, attributes), { head, dir }));
      const button = page.locator("button.launch");
      await button.waitFor();
      const looks = `launcher-${name}-${colorScheme}-${width}${forcedColors === "active" ? "-forced" : ""}`;
      await takeScreenshot(page, `test-results/${looks}-closed.png`, false);
      await expectAccessible(page, `${looks}, closed`);
      await button.click();
      await inState(page, name, "ready");
      await takeScreenshot(page, `test-results/${looks}.png`, false);
      await expectAccessible(page, looks);
    }
  });
});
