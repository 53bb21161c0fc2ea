/** Where the elements of a page take their token from: one source is asked once, whoever asks. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectAccessible } from "../../support/node/accessible.ts";
import { takeScreenshot } from "../../support/node/browser.ts";
import { ask, openStage, type Stage, tokenSentWith } from "../../support/node/element-stage.ts";
import { now, signJwt } from "../../support/sign-jwt.ts";

const shared = inject("stage");
const ELEMENTS = ["board", "changelog"] as const;
type Element = (typeof ELEMENTS)[number];
const IDEAS = [{ title: "Dogs", description: "On the train.", status: "implemented" }];
const TAGS = ELEMENTS.map((name) => `<idea-bank-${name} token-url="/my/token"></idea-bank-${name}>`).join("");

describe("the token of the elements", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  const head = () =>
    ELEMENTS.map((name) => `<script type="module" src="${stage.api}/embed/${name}.js"></script>`).join("");
  const inState = (page: Page, name: Element, state: string) =>
    page.locator(`idea-bank-${name}:state(${state})`).waitFor();
  /** The page's own server, which gives these tokens one by one, and the last one again. A number is the status of a refusal. */
  async function giveTokens(page: Page, ...answers: (string | number)[]) {
    const asked = { times: 0 };
    await page.route("**/my/token", (route) => {
      const answer = answers[Math.min(asked.times++, answers.length - 1)] ?? "";
      return route.fulfill(typeof answer === "number" ? { status: answer, body: "<h1>No</h1>" } : { body: answer });
    });
    return asked;
  }

  it("is asked for once by all elements with the same `token-url`, and renewed once, under a strict policy", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page } = await stage.page();
    const asked = await giveTokens(page, "ibt_expired", `${bank.token}\n`);
    await page.goto(stage.hostPage(TAGS, { head: head(), headers: stage.strictPolicy }));
    for (const name of ELEMENTS) await inState(page, name, "ready");
    expect(asked.times).toBe(2);
    // One that comes later has it, too.
    await ask(page.locator("main"), `element.append(document.querySelector("idea-bank-changelog").cloneNode())`);
    await page.locator("idea-bank-changelog:state(ready)").nth(1).waitFor();
    expect(asked.times).toBe(2);
  });

  it.each([
    ["a nonce", "'nonce-abc'"],
    ["a nonce that is passed on", "'nonce-abc' 'strict-dynamic'"],
  ])("is asked for on a page with %s; a roadmap loads the board's script there", async (_policy, scriptSrc) => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page, complaints } = await stage.page();
    await giveTokens(page, bank.token);
    const tags = ["changelog", "roadmap"].map(
      (name) => `<idea-bank-${name} token-url="/my/token"></idea-bank-${name}>`,
    );
    const scripts = ["changelog", "roadmap"].map(
      (name) => `<script type="module" nonce="abc" src="${stage.api}/embed/${name}.js"></script>`,
    );
    const policy = stage.strictPolicy["Content-Security-Policy"].replace(/script-src [^;]+/, `script-src ${scriptSrc}`);
    const headers = { "Content-Security-Policy": policy };
    await page.goto(stage.hostPage(tags.join(""), { head: scripts.join(""), headers }));
    await inState(page, "changelog", "ready");
    await page.locator("idea-bank-roadmap").getByText("Dogs").first().waitFor();
    expect(complaints).toEqual([]);
  });

  it("is asked for once by all elements with the same function, set before the scripts have run", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page } = await stage.page();
    const early = `<script>
      window.calls = 0;
      const tokenProvider = async () => (calls++ ? "${bank.token}" : "ibt_expired");
      for (const element of document.querySelectorAll("main > *")) element.tokenProvider = tokenProvider;
    </script>`;
    const tags = ELEMENTS.map((name) => `<idea-bank-${name}></idea-bank-${name}>`).join("");
    await page.goto(stage.hostPage(tags + early, { head: head() }));
    for (const name of ELEMENTS) await inState(page, name, "ready");
    await expect.poll(() => page.evaluate("calls")).toBe(2);
  });

  it("is renewed while a page is open: what the visitor does goes on, and nobody is told", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const first = await bank.tokenFor("a-person");
    // Of the same second and the same lifetime, it would be the same.
    const another = { externalId: "a-person", lifetimeSeconds: 3_600 };
    const second = await stage.tenant<{ token: string }>("POST", `${bank.path}/tokens`, another);
    const { page } = await stage.page();
    const asked = await giveTokens(page, first, second.token);
    let hasExpired = false;
    const refused: string[] = [];
    await page.route(/\/(public\/)?ideabank/, (route) => {
      const request = route.request();
      if (!hasExpired || tokenSentWith(request) !== first) return route.continue();
      refused.push(request.method());
      return route.fulfill({
        status: 401,
        headers: { "Access-Control-Allow-Origin": "*", "Content-Type": "application/problem+json" },
        body: JSON.stringify({ error: "unauthorized" }),
      });
    });
    await page.addInitScript("window.told = 0; addEventListener('signed-out', () => (told += 1))");
    await page.goto(stage.hostPage(TAGS, { head: head() }));
    for (const name of ELEMENTS) await inState(page, name, "ready");
    await page.getByRole("button", { name: "Dogs", exact: true }).click();
    await page.getByLabel("Add a comment").fill("Every ten minutes.");
    hasExpired = true;
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.locator(".comment").getByText("Every ten minutes.").waitFor();
    const read = page.waitForResponse((response) => response.url().endsWith("/changelog") && response.status() !== 401);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
    await read;
    await page
      .locator(".detail")
      .getByRole("button", { name: /^Vote for/ })
      .click();
    await page.getByRole("button", { name: "Vote for “Dogs”: 1 vote", pressed: true }).waitFor();
    expect(asked.times).toBe(2);
    expect(refused).toContain("POST");
    await expect.poll(() => page.evaluate("told")).toBe(0);
    await expect.poll(() => page.locator(".notice").isVisible()).toBe(false);
  });

  it("may be one that the tenant's own server has signed; what the browser keeps is apart for each person", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { kid, secret } = await stage.tenant<{ kid: string; secret: string }>("GET", `${bank.path}/signing-secret`);
    const sign = (sub: string) => {
      const claims = { iss: bank.path.split("/")[2], sub, iat: now(), exp: now() + 600, name: "Robin" };
      return signJwt({ alg: "HS256", kid }, claims, secret);
    };
    const { page } = await stage.page();
    await giveTokens(page, await sign("first"), await sign("second"));
    await page.goto(stage.hostPage(TAGS, { head: head() }));
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByLabel("Title").fill("Night buses");
    await page.evaluate("document.querySelector('idea-bank-board').restart()");
    await page.getByRole("button", { name: "New idea" }).click();
    await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("");
    const keys = () =>
      page.evaluate<string>("Object.keys(localStorage).filter((key) => /first|second/.test(key)).length");
    await expect.poll(() => keys()).toBe(2);
  });

  it("of a signed kind is renewed before it ends: the expiry costs no 401, whatever the visitor's clock says", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { kid, secret } = await stage.tenant<{ kid: string; secret: string }>("GET", `${bank.path}/signing-secret`);
    const sign = (exp: number) => {
      const claims = { iss: bank.path.split("/")[2], sub: "a-person", iat: now(), exp };
      return signJwt({ alg: "HS256", kid }, claims, secret);
    };
    const { page } = await stage.page();
    const statuses = new Set<number>();
    page.on("response", (response) => statuses.add(response.status()));
    await page.clock.install();
    const [inThePage, ...others] = await Promise.all([60, 120, 600].map((seconds) => sign(now() + seconds)));
    const asked = await giveTokens(page, ...others);
    const source = `token="${inThePage}" token-url="/my/token"`;
    await page.goto(stage.hostPage(`<idea-bank-board ${source}></idea-bank-board>`, { head: head() }));
    await inState(page, "board", "ready");
    expect(asked.times).toBe(0);
    const list = async (tab: string) => {
      const read = page.waitForResponse(/proposals\?/);
      await page.getByRole("radio", { name: tab, exact: true }).press("Space");
      await read;
      await inState(page, "board", "ready");
    };
    await page.clock.fastForward(56_000);
    await list("Top");
    expect(asked.times).toBe(1);
    await page.clock.fastForward(60_000);
    await list("New");
    expect(asked.times).toBe(2);
    // By this clock all of them are over.
    await page.clock.fastForward(3_600_000);
    for (const tab of ["Top", "New", "Top"]) await list(tab);
    expect(asked.times).toBe(3);
    expect([...statuses]).not.toContain(401);
  });

  it.each([
    ["in the page", (token: string) => `token="${token}"`],
    ["from `token-url`", () => `token-url="/my/token"`],
  ])(
    "of a visitor that is refused, %s: nobody reads of a session, and the developer is told once",
    async (_, source) => {
      const bank = await stage.ideaBank({}, IDEAS);
      const { token } = await stage.tenant<{ token: string }>("POST", `${bank.path}/tokens`, { visitor: true });
      await stage.tenant("DELETE", `${bank.path}/visitor-tokens`);
      const names = ["board", "changelog", "roadmap"];
      const tags = names.map((name) => `<idea-bank-${name} ${source(token)}></idea-bank-${name}>`).join("");
      const scripts = names
        .map((name) => `<script type="module" src="${stage.api}/embed/${name}.js"></script>`)
        .join("");
      for (const [size, width] of [["desktop", 1000] as const, ["phone", 360] as const]) {
        const { page, complaints } = await stage.page({ viewport: { width, height: 760 } });
        const told: string[] = [];
        page.on("console", (message) => message.text().startsWith("Idea board") && told.push(message.text()));
        const asked = await giveTokens(page, token);
        await page.addInitScript("window.told = 0; addEventListener('signed-out', () => (told += 1))");
        await page.goto(stage.hostPage(tags, { head: scripts }));
        await page.getByText("This board is not available right now.").first().waitFor();
        await page.getByText("The changelog is not available right now.").first().waitFor();
        await page.getByText("The roadmap is not available right now.").first().waitFor();
        for (const name of names) await page.locator(`idea-bank-${name}:state(closed)`).waitFor();
        await expect.poll(() => page.getByText(/session|sign/i).count()).toBe(0);
        await expect.poll(() => page.evaluate("told")).toBe(0);
        expect(told).toEqual([expect.stringContaining(`${stage.api} refused the token. It has ended, or is from`)]);
        // A browser says itself that a request was refused.
        expect(complaints.filter((each) => !/401/.test(each))).toEqual(told);
        // Once for all, and once more for each that meets the refusal after the others.
        expect(asked.times).toBeLessThanOrEqual(1 + names.length);
        await expectAccessible(page, "not available");
        await takeScreenshot(page, `test-results/elements-not-available-${size}.png`);
      }
    },
  );

  it.each([
    ["no token", "", "<idea-bank-board> has no valid token", "You are not signed in."],
    ["a placeholder", `token="ibv_…"`, "<idea-bank-board> has no valid token", "You are not signed in."],
    [
      "another text",
      `token="hello"`,
      "refused the token. It has ended, or is from another deployment.",
      "Your session",
    ],
    [
      "JSON",
      `token='{"token":"ibt_a"}'`,
      "token is JSON. It should be the token alone, as text.",
      "You are not signed in.",
    ],
    ["an API key", `token="ibk_secret"`, "never use an API key here", "Your session has ended."],
    [
      "an API key from `token-url`",
      `token-url="/my/token?ibk_secret"`,
      "never use an API key",
      "Your session has ended.",
    ],
    ["a wrong `token-url`", `token-url="/my/token?404"`, "/my/token?404 answered 404", "You are not signed in."],
    ["a failing `token-url`", `token-url="/my/token?503"`, "/my/token?503 answered 503", "Something went wrong."],
    [
      "JSON from `token-url`",
      `token-url="/my/token?{}"`,
      "/my/token?{} is JSON. It should be the token alone, as text.",
      "This board is not available right now.",
    ],
    [
      "a page from `token-url`",
      `token-url="/my/token?<html>"`,
      "/my/token?<html> is a page. It should be the token alone, as text.",
      "You are not signed in.",
    ],
    [
      "the token of another deployment from `token-url`",
      `token-url="/my/token?ibt_${"a".repeat(60)}"`,
      "refused the token. It has ended, or is from another deployment.",
      "Your session has ended.",
    ],
    ["nobody signed in", `token-url="/my/token?401"`, undefined, "You are not signed in."],
  ])(
    "of a page with %s: the developer is told once, and an API key is never sent",
    async (_, attributes, line, words) => {
      const { page } = await stage.page();
      const told: string[] = [];
      page.on("console", (message) => message.text().startsWith("Idea board") && told.push(message.text()));
      const sent: string[] = [];
      page.on("request", (request) => sent.push(tokenSentWith(request)));
      await page.clock.install();
      await page.route("**/my/token?*", (route) => {
        const [, answer = ""] = decodeURIComponent(route.request().url()).split("?");
        return route.fulfill(Number(answer) ? { status: Number(answer) } : { body: answer });
      });
      const board = `<idea-bank-board ${attributes}></idea-bank-board>`;
      await page.goto(stage.hostPage(board + board, { head: head() }));
      for (const at of [0, 1]) await page.locator(".message").nth(at).getByText(words).waitFor();
      await page.clock.fastForward(4_000);
      await expect.poll(() => told).toEqual(line ? [expect.stringContaining(line)] : []);
      expect(sent.filter((each) => each.includes("ibk_"))).toEqual([]);
    },
  );

  it.each([
    ["an object", `() => ({ token: "ibt_a" })`, "[object Object]", "This board is not available right now."],
    ["a promise of one", `async () => ({ token: "ibt_a" })`, "[object Object]", "This board is not available"],
    ["an answer", `() => fetch("/my/token")`, "[object Response]", "This board is not available right now."],
    ["JSON", `async () => '"ibt_a"'`, "JSON", "This board is not available right now."],
    ["nothing", "async () => {}", "[object Undefined]", "You are not signed in."],
    ["an empty text", `async () => ""`, undefined, "You are not signed in."],
  ])("that `tokenProvider` gives as %s: the developer is told once what it is", async (_, provider, what, words) => {
    const { page } = await stage.page();
    const told: string[] = [];
    page.on("console", (message) => message.text().startsWith("Idea board") && told.push(message.text()));
    await page.clock.install();
    await page.goto(stage.hostPage(TAGS.replaceAll(`token-url="/my/token"`, ""), { head: head() }));
    await page.evaluate(
      `for (const element of document.querySelectorAll("main > *")) element.tokenProvider = ${provider}`,
    );
    await page.locator("idea-bank-board .message").getByText(words).waitFor();
    await page.clock.fastForward(4_000);
    const line = `Idea board: tokenProvider() is ${what}. It should be the token alone, as text.`;
    await expect.poll(() => told).toEqual(what ? [line] : []);
    await expect.poll(() => page.getByText("session").count()).toBe(0);
  });

  it("that is set as a promise: the developer is told, and no request is made", async () => {
    const { page } = await stage.page();
    const told: string[] = [];
    page.on("console", (message) => message.text().startsWith("Idea board") && told.push(message.text()));
    await page.goto(stage.hostPage("<idea-bank-board></idea-bank-board>", { head: head() }));
    const sent: string[] = [];
    page.on("request", (request) => sent.push(tokenSentWith(request)));
    await ask(page.locator("idea-bank-board"), `(element.token = Promise.resolve("ibt_a"), 1)`);
    await expect
      .poll(() => told)
      .toEqual(["Idea board: token is [object Promise]. It should be the token alone, as text."]);
    await inState(page, "board", "signed-out");
    expect(sent.join("")).toBe("");
  });

  it("of a session that ended, where `token-url` leads to a page to sign in: nobody is signed in, and nothing is wrong", async () => {
    const { page } = await stage.page();
    const told: string[] = [];
    page.on("console", (message) => message.text().startsWith("Idea board") && told.push(message.text()));
    await page.clock.install();
    const signIn = stage.hostPage("Sign in");
    await page.route("**/my/token", (route) => route.fulfill({ status: 302, headers: { Location: signIn } }));
    await page.goto(stage.hostPage(TAGS, { head: head() }));
    for (const name of ELEMENTS) await inState(page, name, "signed-out");
    await page.getByText("You are not signed in.").first().waitFor();
    await page.clock.fastForward(4_000);
    expect(told).toEqual([]);
  });

  it("is forgotten with the last element of the page, and by `restart()`: the next visitor is somebody else", async () => {
    const bank = await stage.ideaBank();
    const submitted = await fetch(`${stage.api}/ideabank/proposals`, {
      method: "POST",
      headers: { Authorization: bank.token, "Content-Type": "application/json" },
      body: JSON.stringify({ title: "Mine", description: "" }),
    });
    expect(submitted.status).toBe(201);
    const { page } = await stage.page();
    const others = [await bank.tokenFor("another"), await bank.tokenFor("a third")];
    const asked = await giveTokens(page, bank.token, ...others);
    await page.goto(stage.hostPage(`<idea-bank-board token-url="/my/token"></idea-bank-board>`, { head: head() }));
    const isMine = async () => {
      await inState(page, "board", "ready");
      return page.locator(".idea .meta").getByText("You", { exact: true }).count();
    };
    await expect.poll(isMine).toBe(1);
    await page.evaluate("window.board = document.querySelector('idea-bank-board'), board.remove()");
    await page.evaluate("new Promise((done) => setTimeout(done))");
    await page.evaluate("document.querySelector('main').append(board)");
    await expect.poll(() => asked.times).toBe(2);
    await expect.poll(isMine).toBe(0);
    await page.evaluate("board.restart()");
    await expect.poll(() => asked.times).toBe(3);
    await expect.poll(isMine).toBe(0);
    // A new start for another reason keeps it.
    const read = page.waitForResponse(/proposals\?/);
    await page.evaluate("board.setAttribute('lang', 'de')");
    await read;
    await inState(page, "board", "ready");
    expect(asked.times).toBe(3);
  });

  it.each(ELEMENTS)(
    "is none for the %s where `token-url` refuses, and a failure where its server fails",
    async (name) => {
      const bank = await stage.ideaBank({}, IDEAS);
      const { page } = await stage.page();
      await giveTokens(page, 503, 401, bank.token);
      await page.goto(
        stage.hostPage(`<idea-bank-${name} token-url="/my/token"></idea-bank-${name}>`, { head: head() }),
      );
      await inState(page, name, "error");
      await page.getByRole("button", { name: "Try again" }).click();
      await inState(page, name, "signed-out");
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
      await inState(page, name, "ready");
    },
  );

  it("is none for every element of the page at once: each has a script of its own", async () => {
    const { page } = await stage.page();
    await giveTokens(page, 401);
    const both = ELEMENTS.map((name) => `<idea-bank-${name} token-url="/my/token"></idea-bank-${name}>`).join("");
    await page.goto(stage.hostPage(both, { head: head() }));
    for (const name of ELEMENTS) await inState(page, name, "signed-out");
  });
});
