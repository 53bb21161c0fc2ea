/** `<idea-bank-board>` when an answer comes late, or is lost: what the visitor has done meanwhile stays. */
import type { Page, Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { hold, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const idea = (title: string, more: object = {}) => ({ title, description: `About ${title}.`, ...more });

describe("a late answer in <idea-bank-board>", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  type Prepare = (page: Page) => Promise<unknown>;
  async function open(token: string, { before = "", more = "", prepare = (async () => {}) as Prepare } = {}) {
    const { page } = await stage.page();
    await prepare(page);
    const body = `${before}<idea-bank-board history token="${token}" ${more}></idea-bank-board>`;
    const head = `<script type="module" src="${stage.api}/embed/board.js"></script>`;
    await page.goto(stage.hostPage(body, { head, headers: stage.strictPolicy }));
    await page.locator("idea-bank-board:is(:state(ready), :state(empty))").waitFor();
    return page;
  }
  const openIdea = (page: Page, title: string) => page.getByRole("link", { name: title, exact: true }).click();
  const toList = (page: Page) => page.getByRole("button", { name: "All ideas" }).click();
  const proposal = (id = "") => new RegExp(`/proposals/${id}$`);
  /** The matching requests arrive; their answers do not. */
  const loseAnswers = (page: Page, url: RegExp, method = "POST") =>
    page.route(url, async (route) => {
      if (route.request().method() !== method) return route.continue();
      await route.fetch();
      return route.abort();
    });

  it("takes a vote back on every button of the idea, also on one that was drawn before the answer", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const page = await open(bank.token);
    const pressed = (place: string) => page.locator(`${place} button.vote`).getAttribute("aria-pressed");
    const failing = async () => {
      const [seen, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const refuse = async () => {
        gate.resolve();
        await page.locator(".notice").getByText("No connection").waitFor();
        await page.unrouteAll({ behavior: "wait" });
      };
      await page.route(/\/vote$/, async (route) => {
        seen.resolve();
        await gate.promise;
        await route.abort();
      });
      return { seen: seen.promise, refuse };
    };
    await openIdea(page, "Dogs");
    const first = await failing();
    await page.locator(".detail button.vote").click();
    await first.seen;
    await toList(page);
    await expect.poll(() => pressed(".idea")).toBe("true");
    await first.refuse();
    await expect.poll(() => pressed(".idea")).toBe("false");
    await page.getByRole("button", { name: "Vote for “Dogs”: 0 votes" }).waitFor();

    const second = await failing();
    await page.locator(".idea button.vote").click();
    await second.seen;
    await openIdea(page, "Dogs");
    await expect.poll(() => pressed(".detail")).toBe("true");
    await second.refuse();
    await expect.poll(() => pressed(".detail")).toBe("false");
    await toList(page);
    await expect.poll(() => pressed(".idea")).toBe("false");
  });

  it("keeps what was typed while a comment was sent, over a reload too", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const page = await open(bank.token);
    await openIdea(page, "Dogs");
    const field = page.getByLabel("Add a comment");
    await page.getByRole("heading", { name: "No comments yet" }).waitFor();
    await field.fill("First.");
    const held = await hold(page, /\/comments$/);
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await held.seen;
    await field.fill("First. And a second thought.");
    held.release();
    await page.getByRole("status").filter({ hasText: "Your comment has been added." }).waitFor();
    await page.locator(".comment").getByText("First.", { exact: true }).waitFor();
    await expect.poll(() => field.inputValue()).toBe("First. And a second thought.");
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe("First. And a second thought.");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.getByRole("heading", { name: "2 comments" }).waitFor();
    await expect.poll(() => field.inputValue()).toBe("");
  });

  it("leaves the visitor in what was opened meanwhile: a linked idea, an idea that Forward asked for, a new one", async () => {
    const bank = await stage.ideaBank({}, [idea("Linked"), idea("Other")]);
    const late = { release: () => {} };
    const page = await open(bank.token, {
      more: `proposal="${bank.ids[0]}"`,
      prepare: async (page) => Object.assign(late, await hold(page, proposal(bank.ids[0]))),
    });
    const field = page.getByLabel("Add a comment");
    const shown = () => page.locator("h3").allTextContents();
    await openIdea(page, "Other");
    await field.fill("I write a comment");
    const linked = page.waitForResponse(proposal(bank.ids[0]));
    late.release();
    await linked;
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.getByRole("heading", { name: "1 comment" }).waitFor();
    await expect.poll(shown).toEqual(["Other"]);

    // Forward, and back before the idea has come.
    await toList(page);
    await expect.poll(() => page.evaluate("navigation.canGoForward")).toBe(true);
    const held = await hold(page, proposal(bank.ids[1]));
    await page.evaluate("history.forward()");
    await held.seen;
    await page.evaluate(
      "new Promise((done) => { navigation.addEventListener('currententrychange', () => done(), { once: true }); history.back() })",
    );
    const asked = page.waitForResponse(proposal(bank.ids[1]));
    held.release();
    await asked;
    await page.getByLabel("Show").selectOption("My ideas");
    await page.getByText("No ideas match this filter.").first().waitFor();
    await page.getByLabel("Show").selectOption("All ideas");
    await expect.poll(() => shown()).toHaveLength(2);

    const sending = await hold(page, /\/proposals$/);
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByLabel("Title").fill("Night buses");
    await page.getByRole("button", { name: "Submit idea" }).click();
    await sending.seen;
    await page.getByRole("button", { name: "Cancel" }).click();
    await openIdea(page, "Other");
    sending.release();
    await page.locator(".notice").getByText("Thank you! Your idea has been submitted.").waitFor();
    await expect.poll(shown).toEqual(["Other"]);
    await toList(page);
    await expect.poll(shown).toContain("Night buses");
  });

  it("takes the focus from no field of the page", async () => {
    const bank = await stage.ideaBank({}, [idea("Linked")]);
    const late = { release: () => {} };
    const page = await open(bank.token, {
      before: `<input id="own">`,
      more: `proposal="${bank.ids[0]}"`,
      prepare: async (page) => Object.assign(late, await hold(page, proposal(bank.ids[0]))),
    });
    await page.locator("#own").pressSequentially("my pass");
    late.release();
    await page.locator(".detail").waitFor();
    await page.keyboard.type("word");
    await expect.poll(() => page.locator("#own").inputValue()).toBe("my password");
    // From the page's body the focus goes to the idea.
    await page.reload();
    await expect.poll(() => page.evaluate("document.activeElement.localName")).toBe("idea-bank-board");
  });

  it("shows an idea and a comment once when they were sent again after a lost answer", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const page = await open(bank.token);
    const offline = page.locator(".notice").getByText("No connection");
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByLabel("Title").fill("Night buses");
    await loseAnswers(page, /\/proposals$/);
    await page.getByRole("button", { name: "Submit idea" }).click();
    await offline.waitFor();
    await page.unrouteAll({ behavior: "wait" });
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("radio", { name: "New" }).press("Space");
    await expect.poll(() => page.locator("li h3").allTextContents()).toEqual(["Night buses", "Dogs"]);
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page.locator(".detail").waitFor();
    await toList(page);
    await expect.poll(() => page.locator("li h3").allTextContents()).toEqual(["Night buses", "Dogs"]);

    await openIdea(page, "Dogs");
    await page.getByLabel("Add a comment").fill("Hello");
    await loseAnswers(page, /\/comments$/);
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await offline.waitFor();
    await page.unrouteAll({ behavior: "wait" });
    await page.reload();
    await page.locator(".comment").waitFor();
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.getByRole("status").filter({ hasText: "Your comment has been added." }).waitFor();
    await page.getByRole("heading", { name: "1 comment" }).waitFor();
    await expect.poll(() => page.locator(".comment .prose").allTextContents()).toEqual(["Hello"]);
  });

  it("says that an idea may not have arrived until it is sent again, whatever else is answered meanwhile", async () => {
    const bank = await stage.ideaBank();
    const page = await open(bank.token);
    const offline = page.locator(".notice").getByText("No connection");
    const title = page.getByLabel("Title");
    await page.getByRole("button", { name: "New idea" }).click();
    await loseAnswers(page, /\/proposals$/);
    await title.fill("Night buses");
    await page.getByRole("button", { name: "Submit idea" }).click();
    await offline.waitFor();
    await page.unrouteAll({ behavior: "wait" });
    const similar = page.waitForResponse(/\/similar\?title=Night\+buses\+and/);
    await title.fill("Night buses and trains");
    await (await similar).finished();
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    await expect.poll(() => offline.isVisible()).toBe(true);
    await page.getByRole("button", { name: "Submit idea" }).click();
    await offline.waitFor({ state: "hidden" });
  });

  it("deletes a comment and withdraws an idea when it is told to once more after a lost answer", async () => {
    const bank = await stage.ideaBank();
    const page = await open(bank.token);
    const offline = page.locator(".notice").getByText("No connection");
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByLabel("Title").fill("Night buses");
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page.getByLabel("Add a comment").fill("Every half hour.");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.getByRole("heading", { name: "1 comment" }).waitFor();
    const twice = async (name: string) => {
      const press = async () => {
        await page.getByRole("button", { name, exact: true }).click();
        await page.getByRole("group").getByRole("button", { name, exact: true }).click();
      };
      await loseAnswers(page, /\/proposals\/.*\w$/, "DELETE");
      await press();
      await offline.waitFor();
      await page.unrouteAll({ behavior: "wait" });
      await press();
    };
    await twice("Delete");
    await page.getByRole("heading", { name: "No comments yet" }).waitFor();
    await expect.poll(() => page.locator(".comment").count()).toBe(0);
    await twice("Withdraw");
    await page.locator(".notice").getByText("Your idea has been withdrawn.").waitFor();
    await page.getByText("No ideas here yet").first().waitFor();
  });

  it("sends a vote again whose answer was lost, when the network comes back", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const page = await open(bank.token);
    await loseAnswers(page, /\/vote$/, "PUT");
    await page.getByRole("button", { name: "Vote for “Dogs”: 0 votes" }).click();
    const offline = page.locator(".notice").getByText("No connection");
    await offline.waitFor();
    await page.getByRole("button", { name: "Vote for “Dogs”: 0 votes", pressed: false }).waitFor();
    await page.unrouteAll({ behavior: "wait" });
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.getByRole("button", { name: "Vote for “Dogs”: 1 vote", pressed: true }).waitFor();
    await offline.waitFor({ state: "hidden" });
  });

  it("shows an opened idea as it is now, not as it was when the list was read", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const page = await open(bank.token);
    const path = `${bank.path}/proposals/${bank.ids[0]}`;
    await stage.tenant("POST", `${path}/comments`, { body: "The team answers." });
    await stage.tenant("PATCH", path, { title: "Big dogs", status: "planned", response: { text: "From May on." } });
    const other = await bank.tokenFor("somebody-else");
    const vote = await fetch(`${stage.api}/ideabank/proposals/${bank.ids[0]}/vote`, {
      method: "PUT",
      headers: { Authorization: other },
    });
    expect(vote.status).toBe(200);
    await openIdea(page, "Dogs");
    await page.getByText("The team answers.").waitFor();
    await page.getByRole("heading", { name: "Big dogs" }).waitFor();
    await page.getByRole("heading", { name: "1 comment" }).waitFor();
    await page.getByText("From May on.").waitFor();
    await page.locator(".detail .status").getByText("Planned").waitFor();
    await page.getByRole("button", { name: "Vote for “Big dogs”: 1 vote" }).waitFor();
    await toList(page);
    await page.locator(".idea .status").getByText("Planned").waitFor();
    // What could not be read leaves no skeleton.
    await page.route(/\/comments/, (route) => route.abort());
    await openIdea(page, "Big dogs");
    await page.locator(".notice").getByText("No connection").waitFor();
    await expect.poll(() => page.locator(".discussion .skeleton").count()).toBe(0);
  });

  it("shows the comments when the network comes back, or when it is told to, and says no longer that there is none", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    await stage.tenant("POST", `${bank.path}/proposals/${bank.ids[0]}/comments`, { body: "The team answers." });
    const page = await open(bank.token);
    const offline = page.locator(".notice").getByText("No connection");
    const again = page.getByRole("button", { name: "Try again" });
    await page.context().setOffline(true);
    await openIdea(page, "Dogs");
    await offline.waitFor();
    await again.waitFor();
    await page.context().setOffline(false);
    await page.getByText("The team answers.").waitFor();
    await offline.waitFor({ state: "hidden" });
    await again.waitFor({ state: "hidden" });

    await toList(page);
    await page.route(/\/comments/, (route) => route.abort());
    await openIdea(page, "Dogs");
    await offline.waitFor();
    await page.unrouteAll({ behavior: "wait" });
    await again.click();
    await page.getByText("The team answers.").waitFor();
    await offline.waitFor({ state: "hidden" });
  });

  it("shows no list that it has not read, when an idea is submitted or withdrawn meanwhile", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs"), idea("Cats")]);
    const { page } = await stage.page();
    const head = `<script type="module" src="${stage.api}/embed/board.js"></script>`;
    const titles = () => page.locator("li h3").allTextContents();
    const failList = () => page.route(/proposals\?/, (route) => route.abort());
    await failList();
    await page.goto(stage.hostPage(`<idea-bank-board history token="${bank.token}"></idea-bank-board>`, { head }));
    await page.locator("idea-bank-board:state(error)").waitFor();
    await page.unrouteAll({ behavior: "wait" });
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByLabel("Title").fill("Night buses");
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page.getByRole("heading", { name: "Night buses" }).waitFor();
    await toList(page);
    await expect.poll(async () => (await titles()).sort()).toEqual(["Cats", "Dogs", "Night buses"]);

    await openIdea(page, "Night buses");
    await page.getByRole("heading", { name: "Night buses" }).waitFor();
    await failList();
    await page.reload();
    await page.locator("idea-bank-board:state(error)").waitFor();
    await page.unrouteAll({ behavior: "wait" });
    await page.getByRole("button", { name: "Withdraw" }).click();
    await page.locator(".sure").getByRole("button", { name: "Withdraw" }).click();
    await page.locator(".notice").getByText("Your idea has been withdrawn.").waitFor();
    await expect.poll(async () => (await titles()).sort()).toEqual(["Cats", "Dogs"]);
  });

  it("shows what was written while an opened idea was read, not what was read", async () => {
    const bank = await stage.ideaBank();
    const page = await open(bank.token);
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByLabel("Title").fill("Night busses");
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page.getByRole("heading", { name: "Night busses" }).waitFor();
    await toList(page);
    // The answer is from before what is written next, and comes after it. The reading before the idea is saved is not held.
    const [seen, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holdAnswer = async (route: Route) => {
      const response = await route.fetch();
      seen.resolve();
      await gate.promise;
      return route.fulfill({ response });
    };
    await page.route(proposal("\\w+"), holdAnswer, { times: 1 });
    await openIdea(page, "Night busses");
    await seen.promise;
    await page.getByLabel("Add a comment").fill("Every half hour.");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.getByRole("heading", { name: "1 comment" }).waitFor();
    await page.getByRole("button", { name: "Edit" }).first().click();
    await page.getByLabel("Title").fill("Night buses");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Night buses" }).waitFor();
    const answered = page.waitForResponse(proposal("\\w+"));
    gate.resolve();
    await (await answered).finished();
    await page.unrouteAll({ behavior: "wait" });
    await toList(page);
    await expect.poll(() => page.locator("li h3").allTextContents()).toEqual(["Night buses"]);
    await expect.poll(() => page.locator("li .with-icon").first().textContent()).toContain("1 comment");
  });
});
