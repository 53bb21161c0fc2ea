/** `<idea-bank-board>` when the visitor comes back to its tab: what has changed is shown, and what the visitor does stays. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { holdAnswers, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const idea = (title: string, more: object = {}) => ({ title, description: `About ${title}.`, ...more });

describe("coming back to <idea-bank-board>", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  async function open(token: string, more = "") {
    const { page } = await stage.page();
    const body = `<idea-bank-board token="${token}" ${more}></idea-bank-board>`;
    const head = `<script type="module" src="${stage.api}/embed/board.js"></script>`;
    await page.goto(stage.hostPage(body, { head, headers: stage.strictPolicy }));
    await page.locator("idea-bank-board:state(ready)").waitFor();
    if (more) await page.locator(".detail").waitFor();
    return page;
  }
  const comeBack = (page: Page) =>
    page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  const vote = (page: Page, title: string, votes: string) =>
    page.getByRole("button", { name: `Vote for “${title}”: ${votes}`, pressed: votes !== "0 votes" });
  const asPanelist = async (token: string, method: string, path: string, body?: object) => {
    const headers = { Authorization: token, "Content-Type": "application/json" };
    const init = { method, headers, body: body ? JSON.stringify(body) : null };
    const answer = await fetch(`${stage.api}/ideabank${path}`, init);
    expect(answer.ok).toBe(true);
    return (await answer.json()) as { readonly id: string };
  };
  const submitted = (token: string) => asPanelist(token, "POST", "/proposals", idea("Night buses"));
  const focused = (page: Page) => page.evaluate("document.activeElement.shadowRoot?.activeElement?.textContent");

  it("keeps votes that were given while the list was read, or searched", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs"), idea("Cats"), idea("Birds")]);
    const page = await open(bank.token);
    await stage.tenant("PATCH", `${bank.path}/proposals/${bank.ids[2]}`, { title: "Big birds" });
    const held = await holdAnswers(page, /proposals\?/);
    await comeBack(page);
    await held.seen;
    for (const title of ["Dogs", "Cats"]) {
      await vote(page, title, "0 votes").click();
      await page.getByRole("status").filter({ hasText: "Voted. 1 vote." }).waitFor();
    }
    held.release();
    await page.getByRole("button", { name: "Big birds", exact: true }).waitFor();
    await vote(page, "Dogs", "1 vote").waitFor();
    await vote(page, "Cats", "1 vote").waitFor();

    await page.unrouteAll({ behavior: "wait" });
    const search = await holdAnswers(page, /[?&]q=/);
    await page.getByRole("searchbox").fill("birds");
    await search.seen;
    await vote(page, "Big birds", "0 votes").click();
    await vote(page, "Big birds", "1 vote").waitFor();
    search.release();
    await expect.poll(() => page.locator("li h3").allTextContents()).toEqual(["Big birds"]);
    await vote(page, "Big birds", "1 vote").waitFor();
  });

  it("shows the comments that have come meanwhile", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const write = (body: string) => stage.tenant("POST", `${bank.path}/proposals/${bank.ids[0]}/comments`, { body });
    await write("First.");
    const page = await open(bank.token, `proposal="${bank.ids[0]}"`);
    await page.getByText("First.").waitFor();
    await write("Second.");
    await comeBack(page);
    await page.getByRole("heading", { name: "2 comments" }).waitFor();
    await page.getByText("Second.").waitFor();
    await expect.poll(() => page.locator(".comment").count()).toBe(2);
  });

  it("leaves the focus in a text that has not changed", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs", { description: "See https://example.com/dogs" })]);
    const page = await open(bank.token, `proposal="${bank.ids[0]}"`);
    await page.getByRole("heading", { name: "No comments yet" }).waitFor();
    await page.locator(".prose a").focus();
    await asPanelist(await bank.tokenFor("somebody-else"), "PUT", `/proposals/${bank.ids[0]}/vote`);
    await stage.tenant("POST", `${bank.path}/proposals/${bank.ids[0]}/comments`, { body: "The team answers." });
    await comeBack(page);
    await page.getByRole("button", { name: "Vote for “Dogs”: 1 vote" }).waitFor();
    await page.getByText("The team answers.").waitFor();
    await expect.poll(() => focused(page)).toBe("https://example.com/dogs");
  });

  it("offers no change of one's own idea that is under way, and keeps a text that comes too late", async () => {
    const bank = await stage.ideaBank();
    const { id } = await submitted(bank.token);
    const page = await open(bank.token, `proposal="${id}"`);
    const decide = (status: string) => stage.tenant("PATCH", `${bank.path}/proposals/${id}`, { status });
    const [edit, withdraw] = ["Edit", "Withdraw"].map((name) => page.getByRole("button", { name, exact: true }));
    await withdraw?.waitFor();
    await decide("planned");
    await comeBack(page);
    await page.locator(".detail .status").getByText("Planned").waitFor();
    await expect.poll(() => edit?.count()).toBe(0);
    await expect.poll(() => withdraw?.count()).toBe(0);
    await decide("submitted");
    await comeBack(page);
    await edit?.click();
    await page.getByLabel("Description").fill("Every half hour.");
    await decide("planned");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".notice").getByText("This idea has changed in the meantime.").waitFor();
    await page.locator(".own").getByText("Every half hour.").waitFor();
    await expect.poll(() => page.getByLabel("Description").count()).toBe(0);
    await expect.poll(() => edit?.count()).toBe(0);
  });

  it("offers no withdrawal any more once one was refused", async () => {
    const bank = await stage.ideaBank();
    const { id } = await submitted(bank.token);
    const page = await open(bank.token, `proposal="${id}"`);
    const withdraw = page.getByRole("button", { name: "Withdraw", exact: true });
    await withdraw.click();
    await stage.tenant("PATCH", `${bank.path}/proposals/${id}`, { status: "planned" });
    await withdraw.click();
    await page.locator(".notice").getByText("This idea has changed in the meantime.").waitFor();
    await page.locator(".detail .status").getByText("Planned").waitFor();
    await expect.poll(() => withdraw.count()).toBe(0);
    await expect.poll(() => focused(page)).toBe("Night buses");
  });

  it("shows votes as counts once a vote was refused because voting is closed", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs"), idea("Cats")]);
    const page = await open(bank.token);
    await stage.tenant("PATCH", bank.path, { votingEnabled: false });
    const headers = { Authorization: bank.token };
    await expect
      .poll(async () => (await fetch(`${stage.api}/ideabank`, { headers })).text())
      .toContain(`"canVote":false`);
    await vote(page, "Dogs", "0 votes").click();
    await page.locator(".notice").getByText("That is not open any more.").waitFor();
    await expect.poll(() => page.locator("button.vote").count()).toBe(0);
    await expect.poll(() => page.locator(".vote .count").allTextContents()).toEqual(["0", "0"]);
    await page.getByRole("button", { name: "New idea" }).waitFor();
  });
});
