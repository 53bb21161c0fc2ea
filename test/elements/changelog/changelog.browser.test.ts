/** `<idea-bank-changelog>` in a real browser, on a page of another origin than the API's. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectAccessible } from "../../support/node/accessible.ts";
import { takeScreenshot } from "../../support/node/browser.ts";
import { answerOnce, ask, hold, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const CHANGELOG = /\/public\/ideabank\/changelog$/;
const done = (title: string, description = "Done.") => ({ title, description, status: "implemented" });

describe("<idea-bank-changelog>", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  const script = () => `<script type="module" src="${stage.api}/embed/changelog.js"></script>`;
  const element = (token: string, more = "") => `<idea-bank-changelog token="${token}" ${more}></idea-bank-changelog>`;
  /** The address of a page with a strict policy, and these elements. */
  const strict = (...bodies: string[]) =>
    stage.hostPage(bodies.join(""), { head: script(), headers: stage.strictPolicy });
  const inState = (page: Page, state: string) => page.locator(`idea-bank-changelog:state(${state})`).waitFor();
  const comeBack = (page: Page) =>
    page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  const titles = (page: Page) => page.getByRole("heading", { level: 3 }).allTextContents();

  it("shows entries newest first, under a strict Content-Security-Policy, with dates in the page's language", async () => {
    const bank = await stage.ideaBank({}, [done("First"), done("Second", "One line.\nAnother line.")]);
    const { page, complaints } = await stage.page({ locale: "fr-FR", timezoneId: "UTC" });
    await page.goto(
      stage.hostPage(element(bank.token), { head: script(), headers: stage.strictPolicy, lang: "de_DE" }),
    );
    await inState(page, "ready");
    await expect.poll(() => titles(page)).toEqual(["Second", "First"]);
    await expect.poll(() => page.locator("time").first().textContent()).toMatch(/^\d{2}\.\d{2}\.\d{4}$/);
    const text = page.getByText("One line.");
    await expect.poll(() => ask(text, "getComputedStyle(element).whiteSpaceCollapse")).toBe("preserve-breaks");
    await expect.poll(() => ask(text, "element.innerText")).toBe("One line.\nAnother line.");
    await expect.poll(() => ask(page.locator("section"), "getComputedStyle(element).borderRadius")).toBe("12px");
    expect(complaints).toEqual([]);
  });

  it("shows markup as text", async () => {
    const markup = `<img src=x onerror="document.title='owned'"><b>bold</b>`;
    const bank = await stage.ideaBank({}, [done(markup, markup)]);
    const { page, complaints } = await stage.page();
    // Without a policy, which would stop it too.
    await page.goto(stage.hostPage(element(bank.token), { head: script() }));
    await page.getByRole("heading", { name: markup }).waitFor();
    await expect.poll(() => page.getByText(markup, { exact: true }).count()).toBe(2);
    await expect.poll(() => page.locator("idea-bank-changelog img, idea-bank-changelog b").count()).toBe(0);
    await expect.poll(() => page.title()).toBe("A tenant's page");
    expect(complaints).toEqual([]);
  });

  it("shows a skeleton first, which stands still for who wants less motion", async () => {
    const bank = await stage.ideaBank({}, [done("Shipped")]);
    for (const [reducedMotion, moving] of [["reduce", 0] as const, ["no-preference", 1] as const]) {
      const { page } = await stage.page({ reducedMotion });
      const held = await hold(page, CHANGELOG);
      await page.goto(strict(element(bank.token)));
      await held.seen;
      await inState(page, "loading");
      await expect.poll(() => page.locator("section").getAttribute("aria-busy")).toBe("true");
      const animations = "element.shadowRoot.getAnimations().length";
      await expect.poll(() => ask(page.locator("idea-bank-changelog"), animations)).toBe(moving);
      held.release();
      await inState(page, "ready");
      await expect.poll(() => page.locator("section").getAttribute("aria-busy")).toBe("false");
    }
  });

  it("says that there is nothing yet, that it is closed, or that the session has ended", async () => {
    const empty = await stage.ideaBank();
    const closed = await stage.ideaBank({ status: "CLOSED" });
    const { page } = await stage.page();
    const cases = [
      [empty.token, "empty", "Nothing yet. Updates will appear here."],
      [closed.token, "closed", "not available"],
      ["ibt_nonsense", "signed-out", "session has ended"],
      ["", "signed-out", "not signed in"],
    ] as const;
    for (const [token, state, words] of cases) {
      await page.goto(strict(element(token)));
      await inState(page, state);
      await page.getByRole("status").filter({ hasText: words }).waitFor();
      await expect.poll(() => page.getByRole("button").count()).toBe(0);
      await expectAccessible(page, state);
    }
  });

  it("says what went wrong and tries again when it is told to, with the focus kept inside", async () => {
    const bank = await stage.ideaBank({}, [done("Shipped")]);
    const { page } = await stage.page();
    await answerOnce(page, CHANGELOG, 503, "service-unavailable");
    await page.goto(strict(element(bank.token)));
    await inState(page, "error");
    await expectAccessible(page, "error");
    await page.getByText("That isn’t possible right now.").first().waitFor();
    await page.getByRole("button", { name: "Try again" }).press("Enter");
    await inState(page, "ready");
    await expect.poll(() => page.evaluate("document.activeElement.localName")).toBe("idea-bank-changelog");
  });

  it("says that there is no connection, and reads again when there is one", async () => {
    const bank = await stage.ideaBank({}, [done("Shipped")]);
    const { page, context } = await stage.page();
    await page.goto(strict());
    await context.setOffline(true);
    const create = "Object.assign(document.createElement('idea-bank-changelog'), { token })";
    await ask(page.locator("main"), `((token) => element.append(${create}))("${bank.token}")`);
    await inState(page, "error");
    await page.getByText("No connection").first().waitFor();
    await context.setOffline(false);
    await inState(page, "ready");
    // A token that was given as a property is not in the page's markup.
    await expect.poll(() => page.content()).not.toContain(bank.token);
  });

  it("reads once more when the first read after that fails, too", async () => {
    const bank = await stage.ideaBank({}, [done("Shipped")]);
    const { page, context } = await stage.page();
    await page.goto(strict());
    await context.setOffline(true);
    const create = "Object.assign(document.createElement('idea-bank-changelog'), { token })";
    await ask(page.locator("main"), `((token) => element.append(${create}))("${bank.token}")`);
    await inState(page, "error");
    await answerOnce(page, CHANGELOG, 503, "service-unavailable");
    await context.setOffline(false);
    await inState(page, "ready");
  });

  it("asks again when the page becomes visible: 304 while nothing has changed, then the news", async () => {
    const bank = await stage.ideaBank({}, [done("Shipped")]);
    const { page } = await stage.page();
    await page.goto(strict(element(bank.token)));
    await inState(page, "ready");
    const again = page.waitForResponse(CHANGELOG);
    await comeBack(page);
    expect((await again).status()).toBe(304);
    await expect.poll(() => titles(page)).toEqual(["Shipped"]);
    await stage.tenant("POST", `${bank.path}/proposals`, done("Shipped later"));
    await comeBack(page);
    await page.getByRole("heading", { name: "Shipped later" }).waitFor();
    // While it cannot be read, what was read stays.
    await answerOnce(page, CHANGELOG, 503, "service-unavailable");
    const failed = page.waitForResponse(CHANGELOG);
    await comeBack(page);
    expect((await failed).status()).toBe(503);
    await expect.poll(() => titles(page)).toEqual(["Shipped later", "Shipped"]);
    await stage.tenant("PATCH", bank.path, { changelogEnabled: false });
    await comeBack(page);
    await inState(page, "closed");
  });

  it("is silent on the first visit, and marks what is new on the next", async () => {
    const { page, context } = await stage.page();
    await context.addInitScript(
      "addEventListener('changelog-count', ({ detail }) => (window.counts ??= []).push(detail.count))",
    );
    const counts = () => page.evaluate("window.counts");
    const bank = await stage.ideaBank({}, [done("Shipped")]);
    const second = () => Math.floor(Date.now() / 1000);
    const createdBy = second();
    const address = strict(element(bank.token));
    await page.goto(address);
    await inState(page, "ready");
    await expect.poll(() => counts()).toEqual([0]);
    await expect.poll(() => page.getByText("New", { exact: true }).count()).toBe(0);
    // Seen, and remembered.
    await expect.poll(() => page.evaluate("Object.keys(localStorage).length")).toBe(2);

    // `lastModified` has seconds: what is newer is of a later one.
    await expect.poll(second).toBeGreaterThan(createdBy);
    await stage.tenant("POST", `${bank.path}/proposals`, done("Brand new"));
    // In a panel that is not open, nothing counts as seen.
    await page.goto(strict(`<div id="panel" hidden>${element(bank.token)}</div>`));
    await expect.poll(counts).toEqual([1]);
    await ask(page.locator("#panel"), "(element.hidden = false)");
    await page.getByText("1 new").first().waitFor();
    await expect.poll(counts).toEqual([1, 0]);
    const entry = page.getByRole("listitem").filter({ hasText: "Brand new" });
    await expect.poll(() => entry.getByText("New", { exact: true }).count()).toBe(1);

    await page.goto(address);
    await inState(page, "ready");
    await expect.poll(() => counts()).toEqual([0]);
  });

  it("renews an expired token once, and gives up when the new one is refused too", async () => {
    const bank = await stage.ideaBank({}, [done("Shipped")]);
    const { page } = await stage.page();
    await page.goto(strict());
    const withProvider = (token: string) =>
      page.evaluate(`{
        window.calls = 0;
        const element = document.createElement("idea-bank-changelog");
        element.token = "ibt_expired";
        element.tokenProvider = async () => { window.calls += 1; return "${token}"; };
        document.querySelector("main").replaceChildren(element);
      }`);
    await withProvider(bank.token);
    await inState(page, "ready");
    await expect.poll(() => page.evaluate("window.calls")).toBe(1);
    await withProvider("ibt_refused");
    await inState(page, "signed-out");
    await expect.poll(() => page.evaluate("window.calls")).toBe(1);
  });

  it("is two elements on one page, each with its own idea bank, and properties that came before the script", async () => {
    const [one, other] = [await stage.ideaBank({}, [done("One")]), await stage.ideaBank({}, [done("Other")])];
    const { page, complaints } = await stage.page();
    const early = `<script>
      const element = document.querySelector("idea-bank-changelog:not([token])");
      element.token = "${other.token}";
      element.labels = { title: "Neues", loaded: "{count} Neuigkeiten" };
    </script>`;
    const address = stage.hostPage(`${element(one.token)}<idea-bank-changelog></idea-bank-changelog>${early}`, {
      head: script(),
    });
    await page.goto(address);
    await page.getByRole("heading", { name: "Other", exact: true }).waitFor();
    await expect.poll(() => titles(page)).toEqual(["One", "Other"]);
    await expect.poll(() => page.getByRole("heading", { level: 2 }).allTextContents()).toEqual(["What’s new", "Neues"]);
    await page.getByText("1 Neuigkeiten").waitFor();
    await expectAccessible(page, "two elements");
    expect(complaints).toEqual([]);
  });

  it("lets go when it is removed while it loads, and starts anew when it comes back", async () => {
    const bank = await stage.ideaBank({}, [done("Shipped")]);
    const { page, complaints } = await stage.page();
    const held = await hold(page, CHANGELOG);
    await page.goto(strict(element(bank.token)));
    await held.seen;
    const given = page.waitForEvent("requestfailed");
    await page.evaluate("window.removed = document.querySelector('idea-bank-changelog'), removed.remove()");
    await given;
    held.release();
    await page.evaluate("document.querySelector('main').append(removed)");
    await inState(page, "ready");
    expect(complaints).toEqual([]);
  });

  it("keeps its looks among hostile styles", async () => {
    const bank = await stage.ideaBank({}, [done("Shipped")]);
    const hostile = `<style>
      * { all: unset; display: inline !important; font: 40px/3 cursive !important; color: red !important; margin: 3em !important }
      body { text-transform: uppercase; letter-spacing: 1em; text-align: right; white-space: pre; visibility: visible }
      li, time, section, h2, h3, p { float: right; border: 9px solid red }
    </style>`;
    const { page } = await stage.page();
    await page.goto(stage.hostPage(element(bank.token), { head: script() + hostile }));
    await inState(page, "ready");
    const names = ["color", "textTransform", "letterSpacing", "float", "borderTopWidth", "fontSize", "display"];
    const looks = await ask<object>(
      page.getByRole("heading", { name: "Shipped" }),
      `Object.fromEntries(${JSON.stringify(names)}.map((name) => [name, getComputedStyle(element)[name]]))`,
    );
    expect(looks).toEqual({
      color: "rgb(23, 26, 33)",
      textTransform: "none",
      letterSpacing: "normal",
      float: "none",
      borderTopWidth: "0px",
      fontSize: "17px",
      display: "block",
    });
    await expect.poll(async () => (await page.locator("section").boundingBox())?.width).toBeGreaterThan(600);
  });

  it("has nothing for axe-core to complain of, light and dark, wide and narrow, left to right and right to left", async () => {
    const long = "A long story.\n".repeat(12);
    const bank = await stage.ideaBank({}, [done("Long", long), done("بالعربية", "سطر أول"), done("Short")]);
    for (const colorScheme of ["light", "dark"] as const) {
      for (const [width, dir] of [[1280, "ltr"] as const, [390, "rtl"] as const]) {
        const { page } = await stage.page({ colorScheme, viewport: { width, height: 900 } });
        const head = `${script()}<meta name="color-scheme" content="light dark">`;
        await page.goto(
          stage.hostPage(`<div dir="${dir}">${element(bank.token)}</div>`, { head, headers: stage.strictPolicy }),
        );
        await inState(page, "ready");
        await page.getByRole("button", { name: "Show more: Long" }).press("Enter");
        await page.getByRole("button", { name: "Show less: Long", expanded: true }).waitFor();
        await expectAccessible(page, `${colorScheme} ${width} ${dir}`);
        await takeScreenshot(page, `test-results/changelog-${colorScheme}-${width}.png`);
      }
    }
  });
});
