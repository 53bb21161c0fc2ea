/** What both elements say when there is nothing to show, what they do then, and what they send after a write. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { answerOnce, ask, openStage, passTime, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const ELEMENTS = ["board", "changelog"] as const;
type Element = (typeof ELEMENTS)[number] | "roadmap";
/** The request that each begins with. */
const FIRST = /\/ideabank$|\/changelog$/;
const VOTE = /\/vote$/;
const IDEAS = [{ title: "Dogs", description: "On the train.", status: "implemented" }];

describe("both elements, when something fails", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  const scripts = () =>
    [...ELEMENTS, "roadmap"]
      .map((name) => `<script type="module" src="${stage.api}/embed/${name}.js"></script>`)
      .join("");
  const tag = (name: Element, attributes: string, content = "") =>
    `<idea-bank-${name} ${attributes}>${content}</idea-bank-${name}>`;
  const host = (body: string) => stage.hostPage(body, { head: scripts(), headers: stage.strictPolicy });
  const inState = (page: Page, name: Element, state: string) =>
    page.locator(`idea-bank-${name}:state(${state})`).waitFor();
  const countEvents = (page: Page) =>
    page.addInitScript("window.errors = []; addEventListener('signed-out', ({ detail }) => errors.push(detail.error))");

  it.each(ELEMENTS)(
    "the %s of a visitor without a token says so, to the page too, and shows its link",
    async (name) => {
      const { page } = await stage.page();
      await countEvents(page);
      await page.goto(host(tag(name, "", `<a slot="sign-in" href="/login">Sign in here</a>`)));
      await inState(page, name, "signed-out");
      await page.getByText("You are not signed in.").first().waitFor();
      await page.getByRole("link", { name: "Sign in here" }).waitFor();
      await expect.poll(() => page.evaluate("errors")).toEqual(["not-signed-in"]);
      // A token that comes later begins anew; a refused one is something else.
      const bank = await stage.ideaBank({}, IDEAS);
      await ask(page.locator(`idea-bank-${name}`), `(element.token = "${bank.token}")`);
      await inState(page, name, "ready");
      await expect.poll(() => page.getByRole("link", { name: "Sign in here" }).isVisible()).toBe(false);
      await ask(page.locator(`idea-bank-${name}`), `(element.token = "ibt_nonsense")`);
      await inState(page, name, "signed-out");
      await page.getByText("Your session has ended.").first().waitFor();
      await expect.poll(() => page.evaluate("errors")).toEqual(["not-signed-in", "unauthorized"]);
    },
  );

  it.each(ELEMENTS)(
    "the %s takes no error page for a token, and asks again when the page is visible again",
    async (name) => {
      const bank = await stage.ideaBank({}, IDEAS);
      const { page } = await stage.page();
      await page.goto(host(""));
      await page.evaluate(`{
      const answers = ["<html>\\n<h1>502 Bad Gateway</h1>\\n</html>", undefined, "${bank.token}\\n"];
      const element = document.createElement("idea-bank-${name}");
      element.tokenProvider = async () => answers.shift();
      document.querySelector("main").append(element);
    }`);
      const comeBack = () => page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
      await inState(page, name, "signed-out");
      await page.getByText("You are not signed in.").first().waitFor();
      await expect
        .poll(async () => {
          await comeBack();
          return ask<boolean>(page.locator(`idea-bank-${name}`), "element.matches(':state(ready)')");
        })
        .toBe(true);
    },
  );

  it.each(ELEMENTS)("the %s says so when no token comes, and asks for another one when it is told to", async (name) => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page } = await stage.page();
    await page.clock.install();
    await page.goto(host(""));
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await page.evaluate(`{
      window.answers = [new Promise(() => {}), "${bank.token}"];
      const element = document.createElement("idea-bank-${name}");
      element.tokenProvider = () => answers.shift();
      document.querySelector("main").append(element);
    }`);
    await expect.poll(() => page.evaluate("answers.length")).toBe(1);
    await passTime(page, 19_000);
    await inState(page, name, "loading");
    await passTime(page, 1_000);
    await inState(page, name, "error");
    await page.getByText("No connection.").first().waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await inState(page, name, "ready");
  });

  it.each(ELEMENTS)("the %s takes a token that no header can carry for none", async (name) => {
    const { page } = await stage.page();
    await countEvents(page);
    // As it stands in the documentation.
    await page.goto(host(tag(name, `token="ibt_…"`)));
    await inState(page, name, "signed-out");
    await expect.poll(() => page.evaluate("errors")).toEqual(["not-signed-in"]);
  });

  it("a vote with a revoked token tells the page", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page } = await stage.page();
    await countEvents(page);
    await page.goto(host(tag("board", `token="${bank.token}"`)));
    await answerOnce(page, VOTE, 401, "unauthorized");
    await answerOnce(page, VOTE, 401, "unauthorized");
    await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
    await page.locator(".notice").getByText("Your session has ended.").waitFor();
    await expect.poll(() => page.evaluate("errors")).toEqual(["unauthorized"]);
  });

  it("have one look for one state", async () => {
    const looks = async (name: Element, state: string, prepare: (page: Page) => Promise<unknown>) => {
      const { page } = await stage.page();
      await prepare(page);
      await page.goto(host(tag(name, `token="${state === "signed-out" ? "" : (await stage.ideaBank()).token}"`)));
      await inState(page, name, state);
      return ask<object>(
        page.locator(".message"),
        `[...element.querySelectorAll("*")].map((each) => [each.localName, each.getAttribute("d"), each.part.value,
          ...["color", "fontSize", "fontWeight", "borderRadius", "paddingTop", "stroke"].map((name) => getComputedStyle(each)[name]),
          each.closest("p") ? 0 : each.getBoundingClientRect().height])`,
      );
    };
    for (const [state, prepare] of [
      ["error", (page: Page) => answerOnce(page, FIRST, 503, "service-unavailable")] as const,
      ["closed", (page: Page) => answerOnce(page, FIRST, 404, "idea-bank-not-found")] as const,
      ["signed-out", async () => {}] as const,
    ]) {
      const [board, changelog] = [await looks("board", state, prepare), await looks("changelog", state, prepare)];
      expect(board, state).toEqual(changelog);
    }
  });

  it.each(["constructor", "__proto__", "toString", 7, null, { other: "x" }])(
    "an answer with the error %j is a failure like any other",
    async (error) => {
      const bank = await stage.ideaBank({}, IDEAS);
      const { page } = await stage.page();
      const body = JSON.stringify({ error, errors: "none" });
      const answer = { status: 400, headers: { "Access-Control-Allow-Origin": "*" }, body };
      await page.route(FIRST, (route) => route.fulfill(answer));
      await page.goto(host(ELEMENTS.map((name) => tag(name, `token="${bank.token}"`)).join("")));
      for (const name of ELEMENTS) {
        await inState(page, name, "error");
        await page.locator(`idea-bank-${name}`).getByText("Something went wrong.").first().waitFor();
      }
    },
  );

  it("count the seconds down after too many requests, and try again by themselves", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    for (const name of ELEMENTS) {
      const { page } = await stage.page();
      await page.clock.install();
      await answerOnce(page, FIRST, 429, "too-many-requests", { "Retry-After": "30" });
      await page.clock.pauseAt(Date.now() + 3_600_000);
      await page.goto(host(tag(name, `token="${bank.token}"`)));
      const text = page.locator(".message p");
      await text.getByText("in 30 seconds.").waitFor();
      await passTime(page, 20_000);
      await expect.poll(() => text.textContent()).toContain("in 10 seconds.");
      await passTime(page, 9_000);
      await expect.poll(() => text.textContent()).toContain("in 1 second.");
      // A screen reader hears it once.
      await expect.poll(() => page.getByRole("status").textContent()).toContain("in 30 seconds.");
      await passTime(page, 1_000);
      await inState(page, name, "ready");
    }
  });

  it("a refused vote counts down in its notice, which goes when the vote may be given again", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page } = await stage.page();
    await page.clock.install();
    await page.goto(host(tag("board", `token="${bank.token}"`)));
    await inState(page, "board", "ready");
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await answerOnce(page, VOTE, 429, "too-many-requests", { "Retry-After": "5" });
    await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
    const notice = page.locator(".notice");
    await notice.getByText("in 5 seconds.").waitFor();
    await passTime(page, 4_000);
    await expect.poll(() => notice.textContent()).toContain("in 1 second.");
    await passTime(page, 1_000);
    await expect.poll(() => notice.isVisible()).toBe(false);
  });

  it("warn of a label that does not exist, and of no other", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page } = await stage.page();
    const warnings: string[] = [];
    page.on("console", (message) => message.type() === "warning" && warnings.push(message.text()));
    const body = ELEMENTS.map((name) => tag(name, `token="${bank.token}"`)).join("");
    await page.goto(host(body));
    const labels = `{ title: "Ideen", titel: "Ideen", "service-unavailable": "Später.", toString: "x" }`;
    for (const name of ELEMENTS) await ask(page.locator(`idea-bank-${name}`), `(element.labels = ${labels}, 1)`);
    for (const name of ELEMENTS) await inState(page, name, "ready");
    await expect
      .poll(() => warnings)
      .toEqual(
        ELEMENTS.flatMap((name) =>
          ["titel", "toString"].map((label) => `<idea-bank-${name}> has no label "${label}".`),
        ),
      );
  });

  describe("after a write", () => {
    const GIVEN = "c1.opaque-Token:7";
    /** The API as it answers once it gives consistency tokens: the header, and leave to read it. */
    const giveTokens = (page: Page, given = GIVEN) =>
      page.route(VOTE, async (route) => {
        const response = await route.fetch();
        const headers = {
          ...response.headers(),
          "consistency-token": given,
          "access-control-expose-headers": "Consistency-Token",
        };
        await route.fulfill({ response, headers });
      });
    const sentBy = async (page: Page, url: RegExp, act: () => Promise<unknown>) => {
      const request = page.waitForRequest((each) => url.test(each.url()) && each.method() !== "OPTIONS");
      await act();
      return (await request).headers()["consistency-token"];
    };
    const vote = async (page: Page) => {
      const board = page.locator("idea-bank-board");
      await board.getByRole("button", { name: "Vote for “Dogs”" }).click();
      await board.getByRole("status").filter({ hasText: "ote" }).filter({ hasText: "vote" }).first().waitFor();
    };

    it("send the consistency token that came last: the board, a roadmap beside it, and the next page", async () => {
      const bank = await stage.ideaBank({}, IDEAS);
      const { page, context } = await stage.page();
      const names = ["board", "roadmap"] as const;
      const address = host(names.map((name) => tag(name, `token="${bank.token}"`)).join(""));
      await giveTokens(page);
      await page.goto(address);
      for (const name of names) await inState(page, name, "ready");
      expect(await sentBy(page, VOTE, () => vote(page))).toBeUndefined();
      const select = () => page.getByLabel("Show").selectOption("Done");
      expect(await sentBy(page, /proposals\?/, select)).toBe(GIVEN);
      const comeBack = () => page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
      expect(await sentBy(page, /status=planned/, comeBack)).toBe(GIVEN);
      expect(await sentBy(page, /\/ideabank$/, () => page.reload())).toBe(GIVEN);
      for (const name of names) await inState(page, name, "ready");
      // Another panelist, and another tab.
      const other = await bank.tokenFor("somebody-else");
      const others = host(tag("board", `token="${other}"`));
      expect(await sentBy(page, /\/ideabank$/, () => page.goto(others))).toBeUndefined();
      const tab = await context.newPage();
      expect(await sentBy(tab, /\/ideabank$/, () => tab.goto(address))).toBeUndefined();
      // The token itself is not kept.
      await expect
        .poll(() => page.evaluate("JSON.stringify([{ ...sessionStorage }, { ...localStorage }])"))
        .not.toContain(bank.token.slice(28));
    });

    it("send it for a minute, and where the tab has no storage too", async () => {
      const bank = await stage.ideaBank({}, IDEAS);
      const { page } = await stage.page();
      await page.addInitScript(
        "for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get() { throw new Error('forbidden') } })",
      );
      await page.clock.install();
      await giveTokens(page);
      await page.goto(host(tag("board", `token="${bank.token}"`)));
      await inState(page, "board", "ready");
      await page.clock.pauseAt(Date.now() + 3_600_000);
      await vote(page);
      await passTime(page, 59_000);
      expect(await sentBy(page, /proposals\?/, () => page.getByLabel("Show").selectOption("Done"))).toBe(GIVEN);
      await passTime(page, 1_000);
      expect(await sentBy(page, /proposals\?/, () => page.getByLabel("Show").selectOption("Planned"))).toBeUndefined();
    });
  });
});
