/** The elements for who is not signed in, the events that tell the page what visitors do, and what the page can open. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectAccessible } from "../../support/node/accessible.ts";
import { answerOnce, ask, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const idea = (title: string) => ({ title, description: `About ${title}.` });
const EVENTS = ["sign-in", "idea-submitted", "voted", "commented"];

describe("taking part in <idea-bank-board>", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  type Bank = Awaited<ReturnType<Stage["ideaBank"]>>;
  const visitorOf = async ({ path }: Bank) =>
    (await stage.tenant<{ token: string }>("POST", `${path}/tokens`, { visitor: true })).token;

  const scripts = (...names: string[]) =>
    names.map((name) => `<script type="module" src="${stage.api}/embed/${name}.js"></script>`).join("");
  async function open(body: string) {
    const { page } = await stage.page();
    await page.addInitScript(`window.told = [];
      for (const type of ${JSON.stringify(EVENTS)}) addEventListener(type, ({ detail }) => told.push([type, detail]));`);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await page.goto(stage.hostPage(body, { head: scripts("board", "changelog") }));
    return { page, requests };
  }
  const told = (page: Page) => page.evaluate("told");
  const submit = async (page: Page, title: string) => {
    await page.getByLabel("Title").fill(title);
    await page.getByRole("button", { name: "Submit idea" }).click();
  };

  it("shows a visitor's token all there is, and asks for a sign-in instead of writing", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    await stage.tenant("POST", `${bank.path}/proposals/${bank.ids[0]}/comments`, { body: "Soon." });
    const { page, requests } = await open(`<idea-bank-board token="${await visitorOf(bank)}"></idea-bank-board>`);
    await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
    await page.locator(".notice").getByText("Sign in to take part.").waitFor();
    await expect.poll(() => told(page)).toEqual([["sign-in", { proposal: bank.ids[0] }]]);
    await expect.poll(() => page.getByRole("button", { pressed: true }).count()).toBe(0);
    await expect.poll(() => page.locator("option").allTextContents()).not.toContain("My ideas");
    await page.getByRole("button", { name: "Dogs", exact: true }).click();
    await page.locator(".comment").getByText("Soon.").waitFor();
    await page.getByLabel("Add a comment").fill("Mine too");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await expect.poll(() => told(page)).toHaveLength(2);
    await expectAccessible(page, "a visitor's idea");
    await page.getByRole("button", { name: "All ideas" }).click();
    await page.getByRole("button", { name: "New idea" }).click();
    await submit(page, "Night buses");
    await expect.poll(() => told(page)).toHaveLength(3);
    expect(requests.filter((request) => /^(POST|PUT|DELETE|PATCH)/.test(request))).toEqual([]);
  });

  it("leads to `sign-in-url` and back to what was begun, with what was written", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const visitor = await visitorOf(bank);
    let isSignedIn = false;
    const { page } = await open("");
    await page.route("**/my/token", (route) => route.fulfill({ body: isSignedIn ? bank.token : visitor }));
    await page.route("**/login?*", (route) => {
      isSignedIn = true;
      const body = "<script>location.replace(new URLSearchParams(location.search).get('next'))</script>";
      return route.fulfill({ contentType: "text/html", body });
    });
    const element = `<idea-bank-board token-url="/my/token" sign-in-url="/login?next={page}"></idea-bank-board>`;
    const address = stage.hostPage(element, { head: scripts("board") });
    await page.goto(address);
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByLabel("Description").fill("Every half hour.");
    await submit(page, "Night buses");
    await expect.poll(() => isSignedIn).toBe(true);
    await page.waitForURL(address);
    await expect.poll(() => page.getByLabel("Description").inputValue()).toBe("Every half hour.");
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page.getByRole("heading", { name: "Night buses" }).waitFor();
    // Once: the next visit begins with the list, and nobody else finds the draft.
    await page.reload();
    await page.locator(".ideas .idea").first().waitFor();
    await page.getByRole("button", { name: "New idea" }).click();
    await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("");

    isSignedIn = false;
    await page.reload();
    await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
    await page.locator(".detail").getByRole("heading", { name: "Dogs" }).waitFor();
  });

  it("stays where it is when the page signs the visitor in itself", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const visitor = await visitorOf(bank);
    const { page } = await open(`<idea-bank-board token="${visitor}" sign-in-url="/login"></idea-bank-board>`);
    await page.evaluate(`addEventListener("sign-in", (event) => {
      event.preventDefault();
      event.target.token = "${bank.token}";
    })`);
    await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
    await page.locator(".detail").getByRole("button", { name: "Vote for “Dogs”" }).click();
    await page.getByRole("status").filter({ hasText: "Voted. 1 vote." }).waitFor();
  });

  it("asks for a sign-in when the API does", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const { page } = await open(`<idea-bank-board token="${bank.token}"></idea-bank-board>`);
    await answerOnce(page, /\/vote$/, 403, "sign-in-required");
    await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
    await page.locator(".notice").getByText("Sign in to take part.").waitFor();
    await expect.poll(() => told(page)).toEqual([["sign-in", { proposal: null }]]);
  });

  it.each(["board", "changelog"])(
    "the %s without any token has a link to `sign-in-url`, or the page's own",
    async (name) => {
      const url = `sign-in-url="/login?next={page}"`;
      const { page } = await open(`<idea-bank-${name} ${url}></idea-bank-${name}>`);
      const link = page.getByRole("link", { name: "Sign in" });
      await expect.poll(() => link.getAttribute("href")).toBe(`/login?next=${encodeURIComponent(page.url())}`);
      await expectAccessible(page, "signed out");
      const { page: other } = await open(
        `<idea-bank-${name} ${url}><a slot="sign-in" href="/in">Come in</a></idea-bank-${name}>`,
      );
      await other.getByRole("link", { name: "Come in" }).waitFor();
      await expect.poll(() => other.getByRole("link", { name: "Sign in" }).isVisible()).toBe(false);
      const { page: without } = await open(`<idea-bank-${name}></idea-bank-${name}>`);
      await without.locator(`idea-bank-${name}:state(signed-out)`).waitFor();
      await expect.poll(() => without.getByRole("link").count()).toBe(0);
    },
  );

  it("tells the page what a panelist submits, votes for and comments on", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const { page } = await open(`<idea-bank-board token="${bank.token}"></idea-bank-board>`);
    const [id] = bank.ids;
    await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
    const voted = ["voted", { id, title: "Dogs", voted: true, votes: 1 }];
    await expect.poll(() => told(page)).toEqual([voted]);
    await page.getByRole("button", { name: "Dogs", exact: true }).click();
    await page.getByLabel("Add a comment").fill("Mine too");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    const commented = ["commented", { id, title: "Dogs", comment: expect.stringMatching(/^\w+$/) }];
    await expect.poll(() => told(page)).toEqual([voted, commented]);
    await page.getByRole("button", { name: "All ideas" }).click();
    await page.getByRole("button", { name: "New idea" }).click();
    await submit(page, "Night buses");
    const submitted = ["idea-submitted", { id: expect.stringMatching(/^\w+$/), title: "Night buses" }];
    await expect.poll(() => told(page)).toEqual([voted, commented, submitted]);
  });

  it("opens what the page asks for: the form with a title, an idea, the list; in a launcher and early too", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const { page } = await open(`<idea-bank-board token="${bank.token}"></idea-bank-board>`);
    const board = page.locator("idea-bank-board");
    await page.locator("idea-bank-board:state(ready)").waitFor();
    await ask(board, `element.open({ view: "form", title: "Night buses" })`);
    await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("Night buses");
    await ask(board, `element.open({ proposal: "${bank.ids[0]}" })`);
    await page.locator(".detail").getByRole("heading", { name: "Dogs" }).waitFor();
    await ask(board, `element.open({ view: "list" })`);
    await page.locator(".ideas .idea").waitFor();

    const { page: other } = await stage.page();
    const inside = `<idea-bank-launcher><idea-bank-board token="${bank.token}"></idea-bank-board></idea-bank-launcher>`;
    await other.goto(stage.hostPage(inside, { head: scripts("launcher") }));
    await other.locator("button.launch").waitFor();
    await ask(other.locator("idea-bank-launcher"), `element.open({ proposal: "${bank.ids[0]}" })`);
    await other.getByRole("dialog").waitFor();
    await other.addScriptTag({ type: "module", url: `${stage.api}/embed/board.js` });
    await other.locator(".detail").getByRole("heading", { name: "Dogs" }).waitFor();
  });
});
