/** Whose the unsent text in `<idea-bank-board>` is, and that no other text takes its place. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectAccessible } from "../../support/node/accessible.ts";
import { ask, openStage, type Stage, tokenSentWith } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const TAG = `<idea-bank-board token-url="/my/token" sign-in-url="/login?next={page}"></idea-bank-board>`;

describe("a draft in <idea-bank-board>", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  /** A tenant's site: whose token it gives can change, and whose tokens have ended. */
  async function openSite(tag = TAG) {
    const bank = await stage.ideaBank({}, [{ title: "Dogs", description: "On the train." }]);
    const anna = bank.token;
    const bert = await bank.tokenFor("bert");
    const visitor = (await stage.tenant<{ token: string }>("POST", `${bank.path}/tokens`, { visitor: true })).token;
    const site = { token: anna, ended: "" };
    const { page, context } = await stage.page();
    await context.route("**/my/token", (route) => route.fulfill({ body: site.token }));
    await context.route("**/login?*", (route) => {
      const next = new URL(route.request().url()).searchParams.get("next");
      return route.fulfill({ contentType: "text/html", body: `<a href="${next}">I am Anna</a>` });
    });
    await context.route(/\/ideabank/, (route) =>
      tokenSentWith(route.request()) === site.ended
        ? route.fulfill({
            status: 401,
            headers: { "Access-Control-Allow-Origin": "*", "Content-Type": "application/problem+json" },
            body: JSON.stringify({ error: "unauthorized" }),
          })
        : route.fallback(),
    );
    const address = stage.hostPage(tag, {
      head: `<script type="module" src="${stage.api}/embed/board.js"></script>`,
    });
    await page.goto(address);
    await list(page);
    const as = async (token: string) => {
      site.token = token;
      await page.reload();
      await list(page);
    };
    const signIn = async () => {
      await page.getByRole("button", { name: "Sign in", exact: true }).first().click();
      site.token = anna;
      await page.getByRole("link", { name: "I am Anna" }).click();
    };
    const comments = async () => {
      const { items } = await stage.tenant<{ items: { body: string }[] }>(
        "GET",
        `${bank.path}/proposals/${bank.ids[0]}/comments`,
      );
      return items.map(({ body }) => body);
    };
    return { page, context, address, bank, site, anna, bert, visitor, as, signIn, comments };
  }
  const list = (page: Page) => page.locator(".ideas .idea").first().waitFor();
  const compose = (page: Page) => page.getByRole("button", { name: "New idea" }).click();
  const openDogs = async (page: Page) => {
    await page.getByRole("button", { name: "Dogs", exact: true }).click();
    return page.getByLabel("Add a comment");
  };
  const seek = async (page: Page, words: string) => {
    await page.getByRole("searchbox").fill(words);
    await page.getByText("No ideas match.").first().waitFor();
  };
  const expectForm = async (page: Page, title: string, description: string) => {
    await expect.poll(() => page.getByLabel("Title").inputValue()).toBe(title);
    await expect.poll(() => page.getByLabel("Description").inputValue()).toBe(description);
  };

  it("is not sent by another person who has signed in elsewhere: the board begins anew for them", async () => {
    const { page, site, anna, bert, as, comments } = await openSite();
    const field = await openDogs(page);
    await field.fill("Anna's half of a");
    Object.assign(site, { token: bert, ended: anna });
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await list(page);
    await openDogs(page);
    await expect.poll(() => field.inputValue()).toBe("");
    await field.fill("Bert's own");
    expect(await comments()).toEqual([]);
    site.ended = "";
    await as(anna);
    await openDogs(page);
    await expect.poll(() => field.inputValue()).toBe("Anna's half of a");
  });

  it("stays when a visitor's search begins a new idea before the sign-in; those words are no draft", async () => {
    const { page, visitor, as, signIn } = await openSite();
    await compose(page);
    await page.getByLabel("Title").fill("Night buses");
    await page.getByLabel("Description").fill("Every half hour.");
    await as(visitor);
    await seek(page, "zeppelin");
    await compose(page);
    await expectForm(page, "zeppelin", "");
    await signIn();
    await expectForm(page, "Night buses", "Every half hour.");
    await page.getByRole("button", { name: "Discard draft" }).click();

    await seek(page, "monorail");
    await compose(page);
    await expectForm(page, "monorail", "");
    await page.getByRole("button", { name: "Cancel" }).click();
    await as(visitor);
    await compose(page);
    await expectForm(page, "", "");
    await page.getByRole("button", { name: "Cancel" }).click();
    await seek(page, "zeppelin");
    await compose(page);
    await signIn();
    await expectForm(page, "zeppelin", "");
    await expect.poll(() => page.getByRole("button", { name: "Discard draft" }).count()).toBe(0);
  });

  it("begins when what a search has filled in is sent, so that it is sent once after a lost answer", async () => {
    const { page, context, bank } = await openSite();
    await seek(page, "monorail");
    await compose(page);
    await context.route(
      /\/proposals$/,
      async (route) => {
        await route.fetch();
        return route.abort();
      },
      { times: 1 },
    );
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page.locator(".notice").getByText("No connection.").waitFor();
    await page.reload();
    await list(page);
    await compose(page);
    await expectForm(page, "monorail", "");
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page.getByRole("heading", { name: "monorail" }).waitFor();
    const { items } = await stage.tenant<{ items: object[] }>("GET", `${bank.path}/proposals`);
    expect(items).toHaveLength(2);
  });

  it("comes back after what its author wrote as a visitor is sent or discarded", async () => {
    const { page, visitor, as, signIn } = await openSite();
    await compose(page);
    await page.getByLabel("Title").fill("Night buses");
    await as(visitor);
    await compose(page);
    await page.getByLabel("Title").fill("More trains");
    await signIn();
    await expectForm(page, "More trains", "");
    await page.reload();
    await list(page);
    await compose(page);
    await expectForm(page, "More trains", "");
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page.getByRole("button", { name: "All ideas" }).click();
    await compose(page);
    await expectForm(page, "Night buses", "");
  });

  it("stays when another tab, or another board of the page, sends a text of its own", async () => {
    const { page, context, address, comments } = await openSite(TAG.repeat(2));
    const boards = [0, 1].map((at) => page.locator("idea-bank-board").nth(at));
    const other = await context.newPage();
    await other.goto(address);
    const places = [...boards, other.locator("idea-bank-board").first()];
    for (const place of places) await place.getByRole("button", { name: "Dogs", exact: true }).click();
    const [first, ...others] = places.map((place) => place.getByLabel("Add a comment"));
    await first?.fill("A long comment");
    for (const [at, field] of others.entries()) {
      await field.fill(`Quick ${at}`);
      await field.press("Tab");
      await places[at + 1]?.getByRole("button", { name: "Comment", exact: true }).click();
      await expect.poll(() => field.inputValue()).toBe("");
    }
    await expect.poll(async () => (await comments()).toSorted()).toEqual(["Quick 0", "Quick 1"]);
    await page.reload();
    await boards[0]?.getByRole("button", { name: "Dogs", exact: true }).click();
    await expect.poll(() => first?.inputValue()).toBe("A long comment");
  });

  describe("of a visitor, once somebody is signed in who did not follow the board's sign-in,", () => {
    const question = (page: Page) => page.locator(".notice").getByText("Is it yours?");
    const begin = async ({ page, as, visitor }: Awaited<ReturnType<typeof openSite>>) => {
      await as(visitor);
      await compose(page);
      await page.getByLabel("Title").fill("Night buses");
    };
    const pass = (page: Page, minutes: number) =>
      page.evaluate(`for (const key of Object.keys(sessionStorage))
        sessionStorage[key] = sessionStorage[key].replace(/(?<="at":)\\d+/, (at) => at - ${minutes} * 60_000);`);

    it("is asked for without being shown, and opens when it is theirs", async () => {
      const site = await openSite();
      const { page, as, anna } = site;
      await begin(site);
      await pass(page, 59);
      await as(anna);
      await question(page).waitFor();
      await expectAccessible(page, "asked whose a text is");
      await expect.poll(() => page.getByText("Night buses").count()).toBe(0);
      await compose(page);
      await expectForm(page, "", "");
      await page.reload();
      await page.getByRole("button", { name: "Yes" }).click();
      await expectForm(page, "Night buses", "");
      await page.reload();
      await page.getByRole("button", { name: "Not sent yet: “Night buses”" }).waitFor();
      await expect.poll(() => question(page).count()).toBe(0);
    });

    it("is not asked for again of who has said no, and stays for who has written it", async () => {
      const site = await openSite();
      const { page, as, anna, visitor } = site;
      await begin(site);
      await as(anna);
      await page.locator(".notice").getByRole("button", { name: "Dismiss" }).click();
      await page.reload();
      await list(page);
      await expect.poll(() => question(page).count()).toBe(0);
      await compose(page);
      await expectForm(page, "", "");
      await as(visitor);
      await compose(page);
      await expectForm(page, "Night buses", "");
      // Another text is another question.
      await page.getByLabel("Title").fill("Night trains");
      await as(anna);
      await question(page).waitFor();
    });

    it("is asked for after a vote that somebody else has begun was refused", async () => {
      const site = await openSite();
      const { page, as, anna, visitor } = site;
      await begin(site);
      await as(visitor);
      await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
      await page.locator(".notice").getByText("Sign in to take part.").waitFor();
      await as(anna);
      await page.locator(".notice").getByText("Vote for “Dogs”?").waitFor();
      await page.locator(".notice").getByRole("button", { name: "Dismiss" }).click();
      await page.reload();
      await question(page).waitFor();
    });

    it("goes when it is canceled or an hour old", async () => {
      const site = await openSite();
      const { page, as, anna, visitor } = site;
      await begin(site);
      await page.getByRole("button", { name: "Cancel" }).click();
      await as(anna);
      await begin(site);
      await pass(page, 61);
      await as(anna);
      for (const token of [anna, visitor]) {
        await as(token);
        await expect.poll(() => question(page).count()).toBe(0);
        await compose(page);
        await expectForm(page, "", "");
      }
    });
  });

  it("keeps its title when the page opens the form with another", async () => {
    const { page } = await openSite();
    const open = (title: string) =>
      ask(page.locator("idea-bank-board"), `element.open({ view: "form", title: "${title}" })`);
    await open("Night buses");
    await expectForm(page, "Night buses", "");
    await page.getByLabel("Description").fill("Every half hour.");
    await page.getByRole("button", { name: "Cancel" }).click();
    await open("Dogs");
    await expectForm(page, "Night buses", "Every half hour.");
  });

  it("stays open when the board begins anew for the same person", async () => {
    const { page, bank, site, bert } = await openSite(`${TAG}<div id="elsewhere"></div>`);
    const board = page.locator("idea-bank-board");
    const another = { externalId: `visitor-of-${bank.path.split("/")[2]}`, lifetimeSeconds: 3_600 };
    const renewed = await stage.tenant<{ token: string }>("POST", `${bank.path}/tokens`, another);
    await compose(page);
    await page.getByLabel("Title").fill("Night buses");
    const anew = async (change: string) => {
      const read = page.waitForResponse(/proposals\?/);
      await ask(board, `(${change}, 1)`);
      await read;
    };
    for (const change of [
      `element.token = "${renewed.token}"`,
      `element.setAttribute("sign-in-url", "/in")`,
      `document.querySelector("#elsewhere").append(element)`,
    ]) {
      await anew(change);
      await expectForm(page, "Night buses", "");
    }
    await page.getByRole("button", { name: "Cancel" }).click();
    await openDogs(page);
    await anew("element.restart()");
    await page.locator(".detail").getByText("On the train.").waitFor();
    // For somebody else it is the list.
    site.token = bert;
    await ask(board, "(element.token = undefined, element.restart(), 1)");
    await list(page);
    await expect.poll(() => page.locator(".detail").count()).toBe(0);
  });
});
