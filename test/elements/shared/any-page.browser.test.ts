/** Both elements on pages as there are many: hostile ones, narrow ones, in forced colors, from right to left, in other languages. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectAccessible } from "../../support/node/accessible.ts";
import { takeScreenshot } from "../../support/node/browser.ts";
import { ask, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const ELEMENTS = ["board", "changelog"] as const;
type Element = (typeof ELEMENTS)[number];
const idea = (title: string, more: object = {}) => ({ title, description: `About ${title}.`, ...more });
const IDEAS = [idea("Bikes", { status: "planned" }), idea("Dogs", { status: "implemented" }), idea("Cats")];

describe("both elements, on any page", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  const scripts = () =>
    ELEMENTS.map((name) => `<script type="module" src="${stage.api}/embed/${name}.js"></script>`).join("");
  const tag = (name: Element, token: string, more = "") =>
    `<idea-bank-${name} token="${token}" ${more}></idea-bank-${name}>`;
  const inState = (page: Page, name: Element, state: string) =>
    page.locator(`idea-bank-${name}:state(${state})`).waitFor();
  const host = (body: string, more: Parameters<Stage["hostPage"]>[1] = {}) =>
    stage.hostPage(body, { ...more, head: scripts() + (more.head ?? "") });

  it("work where a page's elements hide the document's own methods and properties", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const names = [
      "createElement",
      "createElementNS",
      "visibilityState",
      "hidden",
      "addEventListener",
      "querySelector",
    ];
    const clobbering = names.map((name) => `<img name="${name}"><form name="${name}"></form>`).join("");
    const { page, complaints } = await stage.page();
    await page.goto(host(clobbering + ELEMENTS.map((name) => tag(name, bank.token)).join("")));
    await expect.poll(() => page.evaluate("typeof document.createElement.call")).toBe("undefined");
    for (const name of ELEMENTS) await inState(page, name, "ready");
    const again = page.waitForResponse(/changelog$/);
    await page.evaluate(
      "EventTarget.prototype.dispatchEvent.call(document, new Event('visibilitychange', { bubbles: true }))",
    );
    expect((await again).status()).toBe(304);
    expect(complaints).toEqual([]);
  });

  it.each(["../../x", "..", "%2e%2e", ".", "a/b", "a?b", "\\..\\x"])(
    "send the token nowhere else for proposal=%s",
    async (proposal) => {
      const bank = await stage.ideaBank({}, IDEAS);
      const { page } = await stage.page();
      const paths = new Set<string>();
      page.on(
        "request",
        (request) => request.url().startsWith(stage.api) && paths.add(new URL(request.url()).pathname),
      );
      await page.goto(host(tag("board", bank.token, `proposal="${proposal}"`)));
      await page.locator(".notice").getByText("This idea is no longer here.").waitFor();
      await inState(page, "board", "ready");
      await expect
        .poll(() => [...paths].sort())
        .toEqual(["/embed/board.js", "/embed/changelog.js", "/ideabank", "/ideabank/proposals", "/ideabank/tags"]);
    },
  );

  it.each(ELEMENTS)("the %s leaves nothing beside its card in 240 pixels, and axe-core finds nothing", async (name) => {
    const bank = await stage.ideaBank({ name: "Donaudampfschifffahrtsgesellschaft" }, [
      ...IDEAS,
      idea("Donaudampfschifffahrtsgesellschaftskapitän", { status: "in-progress" }),
    ]);
    for (const [colorScheme, dir] of [["light", "ltr"] as const, ["dark", "rtl"] as const]) {
      const { page } = await stage.page({ colorScheme, viewport: { width: 240, height: 700 } });
      const head = `<meta name="color-scheme" content="light dark"><style>body { margin: 0 }</style>`;
      await page.goto(host(tag(name, bank.token), { head, dir }));
      await inState(page, name, "ready");
      const outside = () =>
        ask<string[]>(
          page.locator(`idea-bank-${name}`),
          `[...element.shadowRoot.querySelectorAll("section *")].filter((each) => {
            const { left, right, width } = each.getBoundingClientRect();
            return width > 1 && (left < 0 || right > innerWidth);
          }).map((each) => each.className)`,
        );
      await expect.poll(() => outside(), { message: `list ${dir}` }).toEqual([]);
      await takeScreenshot(page, `test-results/${name}-${colorScheme}-240.png`);
      await expectAccessible(page, `${name} in 240 pixels`);
      if (name === "changelog") continue;
      await page
        .getByRole("button", { name: /kapitän$/, exact: false })
        .last()
        .click();
      await page.getByRole("heading", { name: "No comments yet" }).waitFor();
      await expect.poll(() => outside(), { message: `idea ${dir}` }).toEqual([]);
      await page.getByRole("button", { name: "All ideas" }).click();
      await page.getByRole("button", { name: "New idea" }).click();
      await page.getByRole("button", { name: "Submit idea" }).click();
      await page.getByText("Please fill this in.").first().waitFor();
      await expect.poll(() => outside(), { message: `form ${dir}` }).toEqual([]);
      await takeScreenshot(page, `test-results/board-form-${colorScheme}-240.png`);
    }
  });

  it("break a long name that has no space", async () => {
    const bank = await stage.ideaBank();
    const token = await bank.tokenFor("long", "W".repeat(100));
    const submitted = await fetch(`${stage.api}/ideabank/proposals`, {
      method: "POST",
      headers: { Authorization: token, "Content-Type": "application/json" },
      body: JSON.stringify({ title: "T".repeat(200), description: "" }),
    });
    expect(submitted.status).toBe(201);
    const { page } = await stage.page({ viewport: { width: 320, height: 700 } });
    await page.goto(host(tag("board", bank.token)));
    await page.locator("button.open").click();
    await page.locator(".detail").waitFor();
    await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  });

  it("show a vote, the chosen sort, a status and what is new without the page's colors", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page } = await stage.page({ forcedColors: "active" });
    await page.goto(host(tag("board", bank.token) + tag("changelog", bank.token)));
    for (const name of ELEMENTS) await inState(page, name, "ready");
    await page.getByRole("button", { name: "Vote for “Cats”" }).click();
    await page.getByRole("status").filter({ hasText: "Voted. 1 vote." }).waitFor();
    await page.mouse.move(0, 0);
    const system = (name: string) =>
      page.evaluate<string>(`{
        const probe = document.body.appendChild(document.createElement("p"));
        probe.style = "forced-color-adjust: none; color: ${name}";
        const { color } = getComputedStyle(probe);
        probe.remove();
        color;
      }`);
    const [highlight, canvas] = [await system("Highlight"), await system("Canvas")];
    expect(highlight).not.toBe(canvas);
    const background = (locator: ReturnType<Page["locator"]>) =>
      ask<string>(locator, "getComputedStyle(element).backgroundColor");
    await expect.poll(() => background(page.locator("[aria-pressed=true]"))).toBe(highlight);
    await expect.poll(() => background(page.locator("[aria-pressed=false]").first())).not.toBe(highlight);
    await expect.poll(() => background(page.locator(".sorts :checked + span"))).toBe(highlight);
    await expect.poll(() => background(page.locator(".sorts :not(:checked) + span").first())).not.toBe(highlight);
    const border =
      "(({ borderTopStyle, borderTopWidth, borderTopColor }) => [borderTopStyle, borderTopWidth, borderTopColor])(getComputedStyle(element))";
    await expect
      .poll(() => ask(page.locator(".status").first(), border))
      .toEqual(["solid", "1px", await system("CanvasText")]);
    await takeScreenshot(page, "test-results/elements-forced-colors.png");
    await expectAccessible(page, "forced colors");
  });

  it("take the page's language, the nearest; the visitor's where the page names none that exists", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs", { status: "implemented" })]);
    const { page } = await stage.page({ locale: "fr-FR", timezoneId: "UTC" });
    const { lastActivityAt } = await stage.tenant<{ lastActivityAt: string }>(
      "GET",
      `${bank.path}/proposals/${bank.ids[0]}`,
    );
    const done = new Date(lastActivityAt);
    const expectDate = (locale: string) =>
      expect
        .poll(() => page.locator("time").first().textContent())
        .toBe(done.toLocaleDateString(locale, { dateStyle: "medium", timeZone: "UTC" }));
    const expectDateOf = async (lang: string, body: string, locale: string) => {
      await page.goto(host(body, { lang }));
      await expectDate(locale);
    };
    const element = tag("changelog", bank.token);
    await expectDateOf("de", element, "de");
    await expectDateOf("de", `<div lang="ja">${element}</div>`, "ja");
    await expectDateOf("de", tag("changelog", bank.token, `lang="sv"`), "sv");
    await expectDateOf("not a language", element, "fr-FR");
    await expectDateOf("", element, "fr-FR");
    // Within another component's shadow root.
    await page.goto(host(`<div id="host"></div>`, { lang: "de" }));
    await ask(
      page.locator("#host"),
      `(element.attachShadow({ mode: "open" }).append(Object.assign(document.createElement("idea-bank-changelog"), { token: "${bank.token}" })), 1)`,
    );
    await expectDate("de");
  });

  it("are in English where the browser names no language that exists", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page } = await stage.page();
    await page.addInitScript("Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' })");
    await page.goto(host(ELEMENTS.map((name) => tag(name, bank.token)).join(""), { lang: "" }));
    for (const name of ELEMENTS) await inState(page, name, "ready");
  });

  it("read times and names in their own direction, on a page from right to left", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const { page } = await stage.page();
    await page.goto(host(tag("board", bank.token), { dir: "rtl" }));
    await inState(page, "board", "ready");
    // "22 comments" and "3 days ago" begin with a number, which takes the direction of what is around it.
    const order = await ask<string>(
      page.locator(".vote .unseen, .meta time").last(),
      `(() => {
        element.textContent = "10 days ago";
        const left = (from, to) => {
          const range = new Range();
          range.setStart(element.firstChild, from);
          range.setEnd(element.firstChild, to);
          return range.getBoundingClientRect().left;
        };
        return left(0, 2) < left(3, 7) ? "10 days" : "days 10";
      })()`,
    );
    expect(order).toBe("10 days");
    // The mark of a field stands beside its name, on the side where the text goes on.
    await page.getByRole("button", { name: "New idea" }).click();
    const gap = await ask<number>(
      page.locator(".mark").first(),
      `(() => {
        const name = new Range();
        name.selectNodeContents(element.previousSibling);
        const [left, right] = [name, element].map((each) => each.getBoundingClientRect()).sort((one, other) => one.left - other.left);
        return right.left - left.right;
      })()`,
    );
    expect(gap).toBeGreaterThan(4);
  });
});
