/** The elements for who is not signed in, the events that tell the page what visitors do, and what the page can open. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectAccessible } from "../../support/node/accessible.ts";
import { takeScreenshot } from "../../support/node/browser.ts";
import { answerOnce, ask, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const idea = (title: string, more: object = {}) => ({ title, description: `About ${title}.`, ...more });
const SIZES = [
  ["desktop", 1000],
  ["phone", 360],
] as const;
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
  async function open(body: string, { width = 1000 } = {}) {
    const { page } = await stage.page({ viewport: { width, height: 700 } });
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

  it("shows a visitor all there is, and once the page has no answer to `sign-in`, nothing that needs it: one line says where to", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs"), idea("Cats")]);
    await stage.tenant("POST", `${bank.path}/proposals/${bank.ids[0]}/comments`, { body: "Soon." });
    const token = await visitorOf(bank);
    const needing = ["Vote for “Dogs”", "Vote for “Cats”", "New idea", "Add a comment"] as const;
    const openIdea = (page: Page) => page.getByRole("button", { name: "Dogs", exact: true }).click();
    for (const [size, width] of SIZES) {
      for (const first of ["Vote for “Dogs”", "New idea", "Add a comment"] as const) {
        const { page, requests } = await open(`<idea-bank-board token="${token}"></idea-bank-board>`, { width });
        if (first === "Add a comment") await openIdea(page);
        await page.getByRole("button", { name: first }).click();
        await page.locator(".notice").getByText("Sign in on this site to vote and suggest ideas.").waitFor();
        const proposal = first === "New idea" ? null : bank.ids[0];
        await expect.poll(() => told(page)).toEqual([["sign-in", { proposal }]]);
        if (first === "Add a comment") await page.getByRole("button", { name: "All ideas" }).click();
        await page.locator("span.vote").getByText("0 votes").nth(1).waitFor();
        const left = () => Promise.all(needing.map((name) => page.getByRole("button", { name }).count()));
        await expect.poll(left).toEqual([0, 0, 0, 0]);
        await expect.poll(() => page.locator("option").allTextContents()).not.toContain("My ideas");
        await takeScreenshot(page, `test-results/sign-in-nowhere-${size}.png`);
        await openIdea(page);
        await page.locator(".comment").getByText("Soon.").waitFor();
        await expect.poll(left).toEqual([0, 0, 0, 0]);
        await expect.poll(() => page.getByRole("textbox").count()).toBe(0);
        await expectAccessible(page, "a visitor's idea");
        await expect.poll(() => told(page)).toHaveLength(1);
        expect(requests.filter((request) => /^(POST|PUT|DELETE|PATCH)/.test(request))).toEqual([]);
      }
    }
  });

  it.each(["", `sign-in-url="/login"`])(
    "asks nobody to sign in for what the board does not allow (%s)",
    async (url) => {
      const closed = await stage.ideaBank({ votingEnabled: false, commentsEnabled: false, submissionsEnabled: false }, [
        idea("Dogs"),
      ]);
      const { page } = await open(`<idea-bank-board token="${await visitorOf(closed)}" ${url}></idea-bank-board>`);
      await page.locator("span.vote").getByText("0 votes").waitFor();
      await expect.poll(() => page.getByRole("button", { name: "New idea" }).count()).toBe(0);
      await page.getByRole("button", { name: "Dogs", exact: true }).click();
      await page.locator(".discussion").getByText("No comments yet").waitFor();
      await expect.poll(() => page.getByText("Add a comment").count()).toBe(0);
      await expect.poll(() => page.getByText("Sign in").count()).toBe(0);
      await expect.poll(() => page.locator("button.vote").count()).toBe(0);
      await expectAccessible(page, "an idea that is only read");

      // Each switch by itself.
      for (const [off, gone, stays] of [
        ["votingEnabled", "Vote for “Cats”", "New idea"],
        ["submissionsEnabled", "New idea", "Vote for “Cats”"],
      ] as const) {
        const bank = await stage.ideaBank({ [off]: false }, [idea("Cats")]);
        const { page } = await open(`<idea-bank-board token="${await visitorOf(bank)}" ${url}></idea-bank-board>`);
        await page.getByRole("button", { name: stays }).waitFor();
        await expect.poll(() => page.getByRole("button", { name: gone }).count()).toBe(0);
      }
    },
  );

  describe("of a visitor whose page has a sign-in", () => {
    /** A tenant's site with a page that signs the visitor in, and leads back. */
    async function openSite(bank: Bank, { element = "board", width = 1000, around = "div", more = "" } = {}) {
      const visitor = await visitorOf(bank);
      const site = { isSignedIn: false, token: bank.token };
      const { page, requests } = await open("", { width });
      await page.route("**/my/token", (route) => route.fulfill({ body: site.isSignedIn ? site.token : visitor }));
      await page.route("**/login?*", (route) => {
        const next = new URL(route.request().url()).searchParams.get("next");
        const body = `<h1>Sign in</h1><a href="${next}">I am Robin</a>`;
        return route.fulfill({ contentType: "text/html", body });
      });
      const tag = `<idea-bank-${element} token-url="/my/token" sign-in-url="/login?next={page}" ${more}></idea-bank-${element}>`;
      const address = stage.hostPage(`<${around}>${tag}</${around}>`, { head: scripts(element, "launcher") });
      await page.goto(address);
      /** Through the page of the tenant. */
      const signIn = async () => {
        const button = page.getByRole("link", { name: "I am Robin" });
        await button.waitFor();
        site.isSignedIn = true;
        await button.click();
      };
      return { page, requests, site, signIn, address };
    }
    const ask = (page: Page) => page.getByRole("button", { name: "Sign in", exact: true });
    const writes = (requests: string[]) => requests.filter((request) => /^(POST|PUT|DELETE|PATCH)/.test(request));

    it.each(["board", "roadmap"])(
      "the %s asks before a vote, and counts it after the sign-in, once",
      async (element) => {
        for (const [size, width] of SIZES) {
          const bank = await stage.ideaBank({}, [idea("Dogs", { status: "planned" })]);
          const { page, requests, site, signIn } = await openSite(bank, { element, width });
          await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
          await page.locator(".notice").getByText("Sign in to take part.").waitFor();
          // The way on has the focus.
          await expect.poll(() => page.locator(".notice button:focus").textContent()).toBe("Sign in");
          await expectAccessible(page, "asked before a vote");
          await takeScreenshot(page, `test-results/sign-in-${element}-vote-${size}-1.png`);
          await expect.poll(() => told(page)).toEqual([]);
          await ask(page).click();
          await signIn();
          const voted = page.locator(".detail").getByRole("button", { name: "Vote for “Dogs”: 1 vote", pressed: true });
          await voted.waitFor();
          await page.getByRole("status").filter({ hasText: "Voted. 1 vote." }).waitFor();
          await takeScreenshot(page, `test-results/sign-in-${element}-vote-${size}-2.png`);
          const { items } = await stage.tenant<{ items: { votes: number }[] }>("GET", `${bank.path}/proposals`);
          expect(items).toMatchObject([{ votes: 1 }]);
          expect(writes(requests)).toHaveLength(1);
          // A panelist who has voted before does not take the vote back, and the next visit begins with the list.
          site.isSignedIn = false;
          await page.reload();
          await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
          await ask(page).click();
          await signIn();
          await voted.waitFor();
          await page.reload();
          await page.locator(".ideas .idea").first().waitFor();
          expect(writes(requests)).toHaveLength(1);
        }
      },
    );

    it("asks before an idea is written, and keeps what is written all the same", async () => {
      for (const [size, width] of SIZES) {
        const bank = await stage.ideaBank({}, [idea("Dogs")]);
        const { page, signIn } = await openSite(bank, { width });
        await page.getByRole("button", { name: "New idea" }).click();
        await page.locator(".compose").getByText("Sign in to take part.").waitFor();
        await expect.poll(() => page.locator(".compose button:focus").textContent()).toBe("Sign in");
        await expectAccessible(page, "asked before an idea");
        await takeScreenshot(page, `test-results/sign-in-idea-${size}-1.png`);
        await page.getByLabel("Description").fill("Every half hour.");
        await submit(page, "Night buses");
        await signIn();
        await expect.poll(() => page.getByLabel("Description").inputValue()).toBe("Every half hour.");
        await expect.poll(() => ask(page).count()).toBe(0);
        await takeScreenshot(page, `test-results/sign-in-idea-${size}-2.png`);
        await page.getByRole("button", { name: "Submit idea" }).click();
        await page.getByRole("heading", { name: "Night buses" }).waitFor();
        // Once: the next visit begins with the list, and nobody else finds the text.
        await page.reload();
        await page.locator(".ideas .idea").first().waitFor();
        await page.getByRole("button", { name: "New idea" }).click();
        await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("");
        await expect.poll(() => page.evaluate("Object.keys(sessionStorage).join()")).not.toContain(":begun");
      }
    });

    it("asks before a comment, and brings the visitor back to the field", async () => {
      for (const [size, width] of SIZES) {
        const bank = await stage.ideaBank({}, [idea("Dogs")]);
        const { page, signIn } = await openSite(bank, { width });
        await page.getByRole("button", { name: "Dogs", exact: true }).click();
        await page.getByLabel("Add a comment").fill("Mine too");
        await expectAccessible(page, "asked before a comment");
        await takeScreenshot(page, `test-results/sign-in-comment-${size}-1.png`);
        await ask(page).click();
        await signIn();
        await expect.poll(() => page.locator("textarea:focus").inputValue()).toBe("Mine too");
        await page.getByRole("button", { name: "Comment", exact: true }).click();
        await page.locator(".comment").getByText("Mine too").waitFor();
        await takeScreenshot(page, `test-results/sign-in-comment-${size}-2.png`);
      }
    });

    it("goes on with the vote, whichever way to sign in is taken", async () => {
      for (const [size, width] of SIZES) {
        const bank = await stage.ideaBank({}, [idea("Dogs")]);
        const { page, signIn } = await openSite(bank, { width });
        await page.getByRole("button", { name: "Dogs", exact: true }).click();
        await page.locator(".detail button.vote").click();
        await page.locator(".notice").getByText("Sign in to take part.").waitFor();
        await takeScreenshot(page, `test-results/sign-in-two-ways-${size}.png`);
        // Beside the field of a comment, not in the notice.
        await page.locator(".discussion").getByRole("button", { name: "Sign in", exact: true }).first().click();
        await signIn();
        await page.locator(".detail").getByRole("button", { name: "Vote for “Dogs”: 1 vote", pressed: true }).waitFor();
      }
    });

    it("leads from the form that the sign-in has brought back to the list, with Back", async () => {
      const bank = await stage.ideaBank({}, [idea("Dogs")]);
      const { page, signIn } = await openSite(bank, { more: "history" });
      await page.getByRole("button", { name: "New idea" }).click();
      await submit(page, "Night buses");
      await signIn();
      await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("Night buses");
      await page.evaluate("history.back()");
      await page.locator(".ideas .idea").first().waitFor();
    });

    it("shows a text that was begun before the sign-in on a board that has closed meanwhile, to who says that it is theirs", async () => {
      const bank = await stage.ideaBank({}, [idea("Dogs")]);
      const { page, signIn, site } = await openSite(bank);
      await page.getByRole("button", { name: "New idea" }).click();
      await page.getByLabel("Description").fill("Every half hour.");
      await submit(page, "Night buses");
      await stage.tenant("PATCH", bank.path, { status: "CLOSED" });
      await signIn();
      await page.locator(".message").getByText("This board is not available right now.").waitFor();
      await page.getByText("A text was begun here before the sign-in. Is it yours?").waitFor();
      await expect.poll(() => page.getByText("Every half hour.").count()).toBe(0);
      await expectAccessible(page, "a closed board with a text of before the sign-in");
      await takeScreenshot(page, "test-results/sign-in-closed-text.png");
      await page.getByRole("button", { name: "Yes" }).click();
      await page.getByText("Every half hour.").waitFor();
      await page.getByRole("button", { name: "Copy your text" }).waitFor();
      // A visitor sees their own.
      site.isSignedIn = false;
      await page.reload();
      await page.locator(".message").getByText("This board is not available right now.").waitFor();
      await expect.poll(() => page.getByText("Every half hour.").count()).toBe(0);
    });

    describe("does nothing unasked for somebody else:", () => {
      const question = (page: Page) => page.locator(".notice").getByText("Vote for “Dogs”?");
      const list = (page: Page) => page.locator(".ideas .idea").first().waitFor();
      /** A vote is begun, and the visitor is at the sign-in. */
      async function begin(page: Page): Promise<void> {
        await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
        await ask(page).click();
        await page.getByRole("link", { name: "I am Robin" }).waitFor();
      }
      const pass = (page: Page, minutes: number) =>
        page.evaluate(`for (const key of Object.keys(sessionStorage))
          sessionStorage[key] = sessionStorage[key].replace(/(?<="at":)\\d+/, (at) => at - ${minutes} * 60_000);`);
      async function expectAsked(page: Page, requests: string[]): Promise<void> {
        await question(page).waitFor();
        await expect.poll(() => page.locator(".notice :focus").count()).toBe(0);
        await expectAccessible(page, "asked whether to vote");
        expect(writes(requests)).toEqual([]);
      }
      async function expectNothing(page: Page, requests: string[]): Promise<void> {
        await page.getByRole("option", { name: "My ideas" }).waitFor({ state: "attached" });
        await list(page);
        await expect.poll(() => page.locator(".notice:visible").count()).toBe(0);
        await expect.poll(() => page.evaluate("Object.keys(sessionStorage).join()")).not.toContain(":begun");
        expect(writes(requests)).toEqual([]);
      }

      it.each(["a new page", "the page as it was"])("Back ends it (%s)", async (way) => {
        const bank = await stage.ideaBank({}, [idea("Dogs")]);
        const { page, requests, site, address } = await openSite(bank);
        if (way === "a new page") {
          await begin(page);
          await page.goBack();
          await list(page);
        } else {
          // The tested browser keeps none: the event says that it did.
          await page.evaluate("addEventListener('sign-in', (event) => event.preventDefault())");
          await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
          await ask(page).click();
          await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
        }
        site.isSignedIn = true;
        await page.goto(address);
        await expectNothing(page, requests);
      });

      it("an hour's pause ends it, and after a quarter of an hour it is asked for", async () => {
        const bank = await stage.ideaBank({}, [idea("Dogs")]);
        const { page, requests, signIn, site } = await openSite(bank);
        await begin(page);
        await pass(page, 61);
        await signIn();
        await expectNothing(page, requests);

        site.isSignedIn = false;
        await page.reload();
        await begin(page);
        await pass(page, 16);
        await signIn();
        await expectAsked(page, requests);
        await takeScreenshot(page, "test-results/sign-in-asked.png");
        await page.getByRole("button", { name: "Yes" }).click();
        await page.locator(".detail").getByRole("button", { name: "Vote for “Dogs”: 1 vote", pressed: true }).waitFor();
        await page.getByRole("status").filter({ hasText: "Voted. 1 vote." }).waitFor();
        expect(writes(requests)).toHaveLength(1);
      });

      it("whoever signs in after a canceled sign-in is asked, once", async () => {
        const bank = await stage.ideaBank({}, [idea("Dogs")]);
        const { page, requests, site, address } = await openSite(bank);
        await begin(page);
        // The tenant's page leads back without a sign-in.
        await page.goto(address);
        await list(page);
        site.isSignedIn = true;
        await page.goto(address);
        await expectAsked(page, requests);
        await page.getByRole("button", { name: "Dismiss" }).click();
        await page.reload();
        await expectNothing(page, requests);
      });

      it("asks until there is an answer", async () => {
        const bank = await stage.ideaBank({}, [idea("Dogs")]);
        const { page, requests, site, address } = await openSite(bank);
        await begin(page);
        await page.goto(address);
        await list(page);
        site.isSignedIn = true;
        await page.goto(address);
        await expectAsked(page, requests);
        await page.reload();
        await expectAsked(page, requests);
        await page.getByRole("button", { name: "Yes" }).click();
        await page.getByRole("status").filter({ hasText: "Voted. 1 vote." }).waitFor();
        await page.reload();
        await list(page);
        await expect.poll(() => page.locator(".notice:visible").count()).toBe(0);
      });

      it("who comes by another page of the site after the sign-in is asked", async () => {
        const bank = await stage.ideaBank({}, [idea("Dogs")]);
        const { page, requests, site, address } = await openSite(bank);
        const body = `<h1>Welcome</h1><a href="${address}">Ideas</a>`;
        await page.route("**/welcome", (route) => route.fulfill({ contentType: "text/html", body }));
        await begin(page);
        site.isSignedIn = true;
        await page.goto(new URL("/welcome", address).href);
        await page.getByRole("link", { name: "Ideas" }).click();
        await expectAsked(page, requests);
      });

      it("who takes the page's own sign-in after the board has asked for one is asked", async () => {
        const bank = await stage.ideaBank({}, [idea("Dogs")]);
        const { page, requests, signIn, address } = await openSite(bank);
        await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
        await page.locator(".notice").getByText("Sign in to take part.").waitFor();
        await page.goto(new URL(`/login?next=${encodeURIComponent(address)}`, address).href);
        await signIn();
        await expectAsked(page, requests);
        await page.getByRole("button", { name: "Yes" }).click();
        await page.getByRole("status").filter({ hasText: "Voted. 1 vote." }).waitFor();
      });

      it("another move in the board ends it", async () => {
        const bank = await stage.ideaBank({}, [idea("Dogs"), idea("Cats")]);
        const { page, requests, site, address } = await openSite(bank);
        await begin(page);
        await page.goto(address);
        await page.getByRole("button", { name: "Cats", exact: true }).click();
        await page.locator(".detail").waitFor();
        site.isSignedIn = true;
        await page.goto(address);
        await expectNothing(page, requests);
      });

      it("another person than the one whose session had ended is asked", async () => {
        const bank = await stage.ideaBank({}, [idea("Dogs")]);
        const { page, requests, site, signIn } = await openSite(bank);
        site.isSignedIn = true;
        await page.reload();
        await page.getByRole("option", { name: "My ideas" }).waitFor({ state: "attached" });
        site.isSignedIn = false;
        await answerOnce(page, /\/vote$/, 401, "unauthorized");
        await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
        await ask(page).click();
        site.token = await bank.tokenFor("somebody-else");
        requests.length = 0;
        await signIn();
        await expectAsked(page, requests);
      });

      it("who signs in elsewhere than the board has led to is asked", async () => {
        const bank = await stage.ideaBank({}, [idea("Dogs")]);
        const visitor = await visitorOf(bank);
        const { page, requests } = await open(`<idea-bank-board token="${visitor}"></idea-bank-board>`);
        await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
        await page.locator(".notice").getByText("Sign in on this site").waitFor();
        await page.evaluate(`document.querySelector("idea-bank-board").token = "${bank.token}"`);
        await expectAsked(page, requests);
      });
    });

    it("opens the panel of a launcher in which the vote was begun, and counts it", async () => {
      const bank = await stage.ideaBank({}, [idea("Dogs")]);
      const { page, signIn } = await openSite(bank, { around: "idea-bank-launcher" });
      await page.getByRole("button", { name: "Ideas", exact: true }).click();
      await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
      await ask(page).click();
      await signIn();
      await page.locator(".detail").getByRole("button", { name: "Vote for “Dogs”: 1 vote", pressed: true }).waitFor();
      await page.reload();
      await page.getByRole("button", { name: "Ideas", exact: true }).waitFor();
      await expect.poll(() => page.locator("idea-bank-board").isVisible()).toBe(false);
    });

    it("is told to sign in again where the panelist's token is refused, with the link", async () => {
      const bank = await stage.ideaBank({}, [idea("Dogs")]);
      const { page, site, signIn } = await openSite(bank);
      site.isSignedIn = true;
      await page.reload();
      await page.getByRole("button", { name: "New idea" }).waitFor();
      for (let times = 0; times < 2; times++) await answerOnce(page, /\/vote$/, 401, "unauthorized");
      await page.getByRole("button", { name: "Dogs", exact: true }).click();
      await page.locator(".detail button.vote").click();
      await page.locator(".notice").getByText("Your session has ended. Sign in again.").waitFor();
      await ask(page).click();
      await signIn();
      await page.locator(".detail").getByRole("heading", { name: "Dogs" }).waitFor();
    });

    it("counts the vote of a panelist whose session at the site has ended meanwhile", async () => {
      const bank = await stage.ideaBank({}, [idea("Dogs")]);
      const { page, site, signIn } = await openSite(bank);
      site.isSignedIn = true;
      await page.reload();
      await page.getByRole("option", { name: "My ideas" }).waitFor({ state: "attached" });
      site.isSignedIn = false;
      await answerOnce(page, /\/vote$/, 401, "unauthorized");
      await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
      await ask(page).click();
      await signIn();
      await page.locator(".detail").getByRole("button", { name: "Vote for “Dogs”: 1 vote", pressed: true }).waitFor();
    });
  });

  it("finds what 1.0.0 kept of a visitor's text, and shows it to no panelist", async () => {
    const bank = await stage.ideaBank();
    const visitor = await visitorOf(bank);
    const { page } = await open(`<idea-bank-board token="${visitor}" sign-in-url="/login"></idea-bank-board>`);
    await page.evaluate(`localStorage["idea-bank-board:${stage.api}:${bank.path.split("/")[2]}:idea"] =
      JSON.stringify({ idempotencyKey: "k", fields: { title: "Night buses", description: "" } })`);
    await page.getByRole("button", { name: "New idea" }).click();
    await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("Night buses");
    await page.evaluate(`document.querySelector("idea-bank-board").token = "${bank.token}"`);
    await page.getByText("No ideas here yet").first().waitFor();
    await page.getByRole("button", { name: "New idea" }).click();
    await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("");
  });

  it("stays where it is when the page signs the visitor in itself, and what was begun goes on", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const visitor = await visitorOf(bank);
    const signsIn = `addEventListener("sign-in", (event) => {
      event.preventDefault();
      event.target.token = "${bank.token}";
    })`;
    const { page } = await open(`<idea-bank-board token="${visitor}" sign-in-url="/login"></idea-bank-board>`);
    await page.evaluate(signsIn);
    await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("status").filter({ hasText: "Voted. 1 vote." }).waitFor();

    const { page: without } = await open(`<idea-bank-board token="${visitor}"></idea-bank-board>`);
    await without.locator("idea-bank-board:state(ready)").waitFor();
    await without.evaluate(signsIn);
    await ask(without.locator("idea-bank-board"), `element.open({ view: "form", title: "Night buses" })`);
    await expect.poll(() => without.getByLabel("Title").inputValue()).toBe("Night buses");
    await expect.poll(() => told(without)).toEqual([["sign-in", { proposal: null }]]);
  });

  it("asks for a sign-in when the API does", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const { page } = await open(`<idea-bank-board token="${bank.token}"></idea-bank-board>`);
    await answerOnce(page, /\/vote$/, 403, "sign-in-required");
    await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
    await page.locator(".notice").getByText("Sign in on this site to vote and suggest ideas.").waitFor();
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
