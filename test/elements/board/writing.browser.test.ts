/** What a panelist writes with `<idea-bank-board>`: ideas, changes to them, comments; by keyboard too, and for axe-core. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { PROPOSAL_STATUSES } from "../../../src/worker/model/proposal.ts";
import { expectAccessible } from "../../support/node/accessible.ts";
import { takeScreenshot } from "../../support/node/browser.ts";
import { answerOnce, ask, hold, openStage, passTime, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
type Listed = { readonly items: readonly { readonly title: string; readonly description: string }[] };
const idea = (title: string, more: object = {}) => ({ title, description: `About ${title}.`, ...more });

describe("writing in <idea-bank-board>", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  async function open(token: string, options: Parameters<Stage["page"]>[0] = {}, { dir = "ltr", more = "" } = {}) {
    const head = `<script type="module" src="${stage.api}/embed/board.js"></script><meta name="color-scheme" content="light dark">`;
    const body = `<div dir="${dir}"><idea-bank-board history token="${token}" ${more}></idea-bank-board></div>`;
    const opened = await stage.page(options);
    await opened.page.goto(stage.hostPage(body, { head, headers: stage.strictPolicy }));
    await opened.page.locator("idea-bank-board:is(:state(ready), :state(empty))").waitFor();
    return opened;
  }
  const focused = (page: Page) =>
    page.evaluate<string>("document.querySelector('idea-bank-board').shadowRoot.activeElement?.textContent");
  const ideas = async (path: string) => (await stage.tenant<Listed>("GET", `${path}/proposals`)).items;

  it("submits an idea once, also for an impatient double click, and shows it", async () => {
    const bank = await stage.ideaBank();
    const { page, complaints } = await open(bank.token);
    await page.getByText("Be the first to suggest something.").waitFor();
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page.getByText("Please fill this in.").first().waitFor();
    await expect.poll(() => page.getByLabel("Title").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("Title").fill("Night buses");
    await page.getByLabel("Description").fill("Every half hour,\nall week.");
    await page.getByRole("button", { name: "Submit idea" }).dblclick();
    await page.locator(".notice").getByText("Thank you! Your idea has been submitted.").waitFor();
    await page.getByRole("heading", { name: "Night buses" }).waitFor();
    await page.getByRole("button", { name: "All ideas" }).click();
    await expect.poll(() => focused(page)).toBe("Night buses");
    await page.locator("idea-bank-board:state(ready)").waitFor();
    expect(await ideas(bank.path)).toMatchObject([
      { title: "Night buses", description: "Every half hour,\nall week.", votes: 1 },
    ]);
    expect(complaints).toEqual([]);
  });

  it("says for some seconds that it went well, longer to who is at it, and of an error until it is gone", async () => {
    const bank = await stage.ideaBank();
    const { page } = await open(bank.token);
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 3_600_000);
    const notice = page.locator(".notice");
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByLabel("Title").fill("Night buses");
    await page.getByRole("button", { name: "Submit idea" }).press("Enter");
    await notice.getByText("Thank you!").waitFor();
    await page.mouse.move(0, 0);
    await page.getByRole("button", { name: "Dismiss" }).focus();
    await passTime(page, 20_000);
    await expect.poll(() => notice.isVisible()).toBe(true);
    await page.getByLabel("Add a comment").fill("Every half hour.");
    await passTime(page, 6_000);
    await expect.poll(() => notice.isVisible()).toBe(false);

    await page.route(/\/comments$/, (route) => route.abort());
    await page.getByRole("button", { name: "Comment", exact: true }).press("Enter");
    await notice.getByText("No connection.").waitFor();
    await passTime(page, 60_000);
    await expect.poll(() => notice.isVisible()).toBe(true);
    await page.unrouteAll({ behavior: "wait" });
    await page.getByRole("button", { name: "Comment", exact: true }).press("Enter");
    await page.getByRole("heading", { name: "1 comment" }).waitFor();
    await expect.poll(() => notice.isVisible()).toBe(false);
  });

  it("keeps a draft over a reload, and sends it once when the first answer was lost", async () => {
    const bank = await stage.ideaBank();
    const { page, context } = await open(bank.token);
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByLabel("Title").fill("Night buses");
    await page.getByLabel("Description").fill("Every half hour.");
    // The submission arrives; its answer does not.
    await context.route(/\/proposals$/, async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      await route.fetch();
      return route.abort();
    });
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page.locator(".notice").getByText("No connection. It may have been sent anyway.").waitFor();
    await context.unrouteAll({ behavior: "wait" });
    await page.reload();
    // The form was open, and is again.
    await page.getByRole("heading", { name: "Suggest an idea" }).waitFor();
    await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("Night buses");
    await expect.poll(() => page.getByLabel("Description").inputValue()).toBe("Every half hour.");
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page.getByRole("heading", { name: "Night buses" }).waitFor();
    expect(await ideas(bank.path)).toHaveLength(1);
    await page.getByRole("button", { name: "All ideas" }).click();
    await page.getByRole("button", { name: "New idea" }).click();
    await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("");
    // Another panelist in the same browser does not see it.
    await expect.poll(() => page.evaluate("Object.keys(localStorage)")).toEqual(["idea-bank-board:rows"]);
  });

  it("names the field that the API refuses", async () => {
    const bank = await stage.ideaBank();
    const { page } = await open(bank.token);
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByLabel("Title").fill("Tab");
    await page.getByLabel("Description").fill("A control character: \u0007");
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page.locator(".notice").getByText("Please check: Description").waitFor();
    await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("Tab");
  });

  it("edits and withdraws one's own idea, after a question", async () => {
    const bank = await stage.ideaBank();
    const { page } = await open(bank.token);
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByLabel("Title").fill("Night busses");
    await page.getByLabel("Description").fill("Every half hour.");
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("form", { name: "Edit your idea" }).waitFor();
    await page.getByLabel("Title").fill("Night buses");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Night buses" }).waitFor();
    await page.getByRole("button", { name: "Vote for “Night buses”: 1 vote" }).waitFor();
    expect(await ideas(bank.path)).toMatchObject([{ title: "Night buses" }]);
    await page.getByRole("button", { name: "Withdraw" }).click();
    await page.getByRole("button", { name: "Keep it" }).click();
    await expect.poll(() => focused(page)).toBe("Withdraw");
    await page.getByRole("button", { name: "Withdraw" }).click();
    await page.getByRole("group", { name: "Withdraw this idea" }).getByRole("button", { name: "Withdraw" }).click();
    await page.locator(".notice").getByText("Your idea has been withdrawn.").waitFor();
    expect(await ideas(bank.path)).toEqual([]);
    await page.getByText("No ideas here yet").first().waitFor();
  });

  it("shows an idea with its official response and comments, and adds and deletes one's own", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const path = `${bank.path}/proposals/${bank.ids[0]}`;
    await stage.tenant("PATCH", path, { status: "planned", response: { text: "From May on." } });
    for (let number = 1; number <= 21; number++)
      await stage.tenant("POST", `${path}/comments`, { body: `Team says ${number}` });
    const other = await bank.tokenFor("somebody-else", "Amira");
    const theirs = await fetch(`${stage.api}/ideabank/proposals/${bank.ids[0]}/comments`, {
      method: "POST",
      headers: { Authorization: other, "Content-Type": "application/json" },
      body: JSON.stringify({ body: "Yes please" }),
    });
    expect(theirs.status).toBe(201);

    const { page } = await open(bank.token);
    await page.getByRole("link", { name: "Dogs", exact: true }).click();
    await page.getByText("From May on.").waitFor();
    await page.getByRole("heading", { name: "22 comments" }).waitFor();
    await page.locator(".detail .meta").first().getByText("Team", { exact: true }).waitFor();
    await expect.poll(() => focused(page)).toBe("Dogs");
    await page.getByRole("button", { name: "Show more comments" }).press("Enter");
    await page.locator(".comment").filter({ hasText: "Amira" }).getByText("Yes please").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Delete" }).count()).toBe(0);
    await page.getByLabel("Add a comment").fill("Mine too\nthank you");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.getByRole("heading", { name: "23 comments" }).waitFor();
    const own = page.locator(".comment").filter({ hasText: "Mine too" });
    await own.getByText("You", { exact: true }).waitFor();
    await expect.poll(() => page.getByLabel("Add a comment").inputValue()).toBe("");
    await own.getByRole("button", { name: "Delete" }).click();
    await own.getByRole("group").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "22 comments" }).waitFor();
    await expect.poll(() => own.count()).toBe(0);
  });

  it("edits and deletes one's own comment, and says what waits for approval; an idea needs no description", async () => {
    const bank = await stage.ideaBank({ approvalRequired: true });
    const { page, complaints } = await open(bank.token);
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByLabel("Title").fill("Night buses");
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page.getByRole("heading", { name: "Night buses" }).waitFor();
    await page.getByText("Waiting for approval").waitFor();
    await expect.poll(() => ask<boolean>(page.locator(".content > .prose"), "element.hidden")).toBe(true);
    await page.getByLabel("Add a comment").fill("Every hour.");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    const comment = page.locator(".comment");
    await comment.getByRole("button", { name: "Edit" }).click();
    await expectAccessible(page, "a comment that is edited");
    await page.getByLabel("Your comment").fill("Every half hour.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").filter({ hasText: "Your comment has been changed." }).waitFor();
    await expect.poll(() => comment.locator(".prose").textContent()).toBe("Every half hour.");
    await expect.poll(() => focused(page)).toBe("Edit");
    const [{ id } = { id: "" }] = (await stage.tenant<{ items: { id: string }[] }>("GET", `${bank.path}/proposals`))
      .items;
    const { items } = await stage.tenant<{ items: object[] }>("GET", `${bank.path}/proposals/${id}/comments`);
    expect(items).toMatchObject([{ body: "Every half hour." }]);
    await comment.getByRole("button", { name: "Delete" }).click();
    await comment.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("status").filter({ hasText: "Your comment has been deleted." }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows one's own comment as waiting for approval, uncounted, and again after an edit; the same text is not sent twice", async () => {
    const bank = await stage.ideaBank({ commentApprovalRequired: true }, [idea("Dogs")]);
    const path = `${bank.path}/proposals/${bank.ids[0]}/comments`;
    const { page, complaints } = await open(bank.token);
    await page.getByRole("link", { name: "Dogs", exact: true }).click();
    await page.getByLabel("Add a comment").fill("Every hour.");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    const own = page.locator(".comment").filter({ hasText: "Every" });
    await own.getByText("Waiting for approval").waitFor();
    await page.getByRole("heading", { name: "No comments yet" }).waitFor();
    await page.getByRole("status").filter({ hasText: "Waiting for approval" }).waitFor();
    await expectAccessible(page, "a comment that waits for approval");
    await page.getByLabel("Add a comment").fill("Every hour.");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.getByRole("status").filter({ hasText: "You have already written this." }).waitFor();
    await page.getByLabel("Add a comment").fill("");
    // Somebody else sees nothing of it.
    const { page: others } = await open(await bank.tokenFor("somebody-else", "Amira"));
    await others.getByRole("link", { name: "Dogs", exact: true }).click();
    await others.getByRole("heading", { name: "No comments yet" }).waitFor();
    await expect.poll(() => others.locator(".comment").count()).toBe(0);
    const [{ id } = { id: "" }] = (await stage.tenant<{ items: { id: string }[] }>("GET", path)).items;
    await stage.tenant("PATCH", `${path}/${id}`, { visibility: "public" });
    await page.reload();
    await page.getByRole("heading", { name: "1 comment" }).waitFor();
    await expect.poll(() => own.getByText("Waiting for approval").count()).toBe(0);
    await own.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Your comment").fill("Every half hour.");
    await page.getByRole("button", { name: "Save" }).click();
    await own.getByText("Waiting for approval").waitFor();
    await page.getByRole("heading", { name: "No comments yet" }).waitFor();
    await expect.poll(() => focused(page)).toBe("Edit");
    await own.getByRole("button", { name: "Delete" }).click();
    await own.getByRole("group").getByRole("button", { name: "Delete" }).click();
    await expect.poll(() => page.locator(".comment").count()).toBe(0);
    await page.getByRole("heading", { name: "No comments yet" }).waitFor();
    // The browser itself notes the answer to the text that was refused.
    expect(complaints.filter((each) => !each.includes("409"))).toEqual([]);
  });

  /** The API as the panelist's other tab asks it. */
  async function elsewhere(token: string, method: string, path: string, body: object) {
    const headers = { Authorization: token, "Content-Type": "application/json" };
    const answer = await fetch(`${stage.api}/ideabank${path}`, { method, headers, body: JSON.stringify(body) });
    expect(answer.ok).toBe(true);
    return (await answer.json()) as { readonly id: string };
  }
  const buses = { title: "Night buses", description: "Every hour." };

  it("keeps a begun edit over Escape, the list and a reload, until it is canceled or saved", async () => {
    const bank = await stage.ideaBank();
    const { id } = await elsewhere(bank.token, "POST", "/proposals", buses);
    const { page } = await open(bank.token, {}, { more: `proposal="${id}"` });
    const edit = () => page.getByRole("button", { name: "Edit" }).click();
    const description = page.getByLabel("Description");
    const expectKept = () => expect.poll(() => description.inputValue()).toBe("Every half hour.");
    await edit();
    await description.fill("Every half hour.");
    await description.press("Escape");
    await edit();
    await expectKept();
    await page.getByRole("button", { name: "All ideas" }).click();
    await page.getByRole("link", { name: "Night buses", exact: true }).click();
    await expectKept();
    await page.reload();
    await expectKept();
    // It is told from the present text.
    await page.getByRole("button", { name: "Discard draft" }).click();
    await edit();
    await page.getByRole("button", { name: "Cancel" }).waitFor();
    await expect.poll(() => description.inputValue()).toBe("Every hour.");
    await description.fill("Every half hour.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".notice").getByText("Your changes have been saved.").waitFor();
    expect(await ideas(bank.path)).toMatchObject([{ ...buses, description: "Every half hour." }]);
    await expect.poll(() => page.evaluate("Object.keys(localStorage)")).toEqual(["idea-bank-board:rows"]);
  });

  it("keeps a begun edit of a comment over a reload, and shows what was written meanwhile before it is overwritten", async () => {
    const bank = await stage.ideaBank();
    const { id } = await elsewhere(bank.token, "POST", "/proposals", buses);
    const comments = `/proposals/${id}/comments`;
    const own = await elsewhere(bank.token, "POST", comments, { body: "Yes." });
    const { page } = await open(bank.token, {}, { more: `proposal="${id}"` });
    const comment = page.locator(".comment");
    const field = page.getByLabel("Your comment");
    await comment.getByRole("button", { name: "Edit" }).click();
    await field.fill("Yes please.");
    await field.press("Escape");
    await comment.getByText("Yes.").waitFor();
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe("Yes please.");
    await elsewhere(bank.token, "PATCH", `${comments}/${own.id}`, { body: "Yes, elsewhere." });
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".notice").getByText("The current text is above.").waitFor();
    await comment.getByText("Yes, elsewhere.").waitFor();
    await expect.poll(() => field.inputValue()).toBe("Yes please.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").filter({ hasText: "Your comment has been changed." }).waitFor();
    await expect.poll(() => comment.locator(".prose").textContent()).toBe("Yes please.");
  });

  it("saves only the fields that were changed, and tells when such a field was changed meanwhile", async () => {
    const bank = await stage.ideaBank();
    const { id } = await elsewhere(bank.token, "POST", "/proposals", buses);
    const { page } = await open(bank.token, {}, { more: `proposal="${id}"` });
    const save = () => page.getByRole("button", { name: "Save" }).click();
    const saved = page.locator(".notice").getByText("Your changes have been saved.");
    await page.getByRole("button", { name: "Edit" }).click();
    await elsewhere(bank.token, "PATCH", `/proposals/${id}`, { title: "Buses at night" });
    await page.getByLabel("Description").fill("Every half hour.");
    await save();
    await saved.waitFor();
    await page.getByRole("heading", { name: "Buses at night" }).waitFor();
    expect(await ideas(bank.path)).toMatchObject([{ title: "Buses at night", description: "Every half hour." }]);

    await page.getByRole("button", { name: "Edit" }).click();
    const other = { title: "Buses all night", description: "Every ten minutes." };
    await elsewhere(bank.token, "PATCH", `/proposals/${id}`, other);
    await page.getByLabel("Description").fill("Every twenty minutes.");
    await save();
    await page.locator(".notice").getByText("The current text is above.").waitFor();
    await page.locator(".content > .prose").getByText("Every ten minutes.").waitFor();
    expect(await ideas(bank.path)).toMatchObject([other]);
    // The visitor knows now, and the title is not undone.
    await expect.poll(() => page.getByLabel("Description").inputValue()).toBe("Every twenty minutes.");
    await save();
    await saved.waitFor();
    expect(await ideas(bank.path)).toMatchObject([{ ...other, description: "Every twenty minutes." }]);
  });

  it("cuts no long text: it counts the characters near the limit, and says how many are too many", async () => {
    const bank = await stage.ideaBank();
    const { page, complaints } = await open(bank.token);
    await page.getByRole("button", { name: "New idea" }).click();
    const title = page.getByLabel("Title");
    const description = page.getByLabel("Description");
    await title.fill("t".repeat(149));
    await expect.poll(() => page.getByText("left", { exact: false }).count()).toBe(0);
    await title.fill("t".repeat(199));
    await page.getByText("1 character left").waitFor();
    await expectAccessible(page, "a long title");
    await title.fill("t".repeat(500));
    await page.getByText("300 characters too many").waitFor();
    await description.fill("d".repeat(30_000));
    await page.getByText("20,000 characters too many").waitFor();
    await page.getByRole("button", { name: "Submit idea" }).click();
    await expect.poll(() => ask<boolean>(title, "element.matches(':focus')")).toBe(true);
    await expect.poll(() => title.getAttribute("aria-invalid")).toBe("true");
    expect(await ideas(bank.path)).toEqual([]);
    // The API counts characters, and none at the ends.
    const whole = { title: "🚌".repeat(200), description: "d".repeat(10_000) };
    await title.fill(`${whole.title} `);
    await description.fill(whole.description);
    await page.getByText("0 characters left").first().waitFor();
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page.locator(".notice").getByText("Thank you!").waitFor();
    expect(await ideas(bank.path)).toMatchObject([whole]);
    expect(complaints).toEqual([]);
  });

  it("keeps a canceled new idea, and offers to discard it when the form is opened again", async () => {
    const bank = await stage.ideaBank();
    const { page } = await open(bank.token);
    const compose = () => page.getByRole("button", { name: "New idea" }).click();
    const title = page.getByLabel("Title");
    const discard = page.getByRole("button", { name: "Discard draft" });
    await compose();
    await title.fill("Night buses");
    await expect.poll(() => discard.count()).toBe(0);
    await page.getByRole("button", { name: "Cancel" }).click();
    await compose();
    await expect.poll(() => title.inputValue()).toBe("Night buses");
    await discard.click();
    await compose();
    await expect.poll(() => title.inputValue()).toBe("");
    await expect.poll(() => discard.count()).toBe(0);
    await expect.poll(() => page.evaluate("Object.keys(localStorage)")).toEqual(["idea-bank-board:rows"]);
  });

  it("says where an idea is that waits for approval", async () => {
    const bank = await stage.ideaBank({ approvalRequired: true });
    const { page } = await open(bank.token);
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByLabel("Title").fill("Night buses");
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page.locator(".notice").getByText("Until then it is under “My ideas”.").waitFor();
  });

  it("adds one's own comment below all that are still to come", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const path = `${bank.path}/proposals/${bank.ids[0]}/comments`;
    const texts = Array.from({ length: 23 }, (_, at) => `Comment ${at + 1}`);
    for (const body of texts) await stage.tenant("POST", path, { body });
    const { page } = await open(bank.token, {}, { more: `proposal="${bank.ids[0]}"` });
    const shown = () => page.locator(".comment .prose").allTextContents();
    await expect.poll(() => shown()).toHaveLength(20);
    await page.getByLabel("Add a comment").fill("Mine");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.getByRole("heading", { name: "24 comments" }).waitFor();
    await stage.tenant("POST", path, { body: "Later" });
    await page.getByRole("button", { name: "Show more comments" }).press("Enter");
    await expect.poll(() => shown()).toEqual([...texts, "Mine", "Later"]);
    await expect.poll(() => focused(page)).toContain("Comment 21");
  });

  it("shows that an approved idea waits again once it is edited, there and in the list", async () => {
    const bank = await stage.ideaBank({ approvalRequired: true });
    const { page } = await open(bank.token);
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByLabel("Title").fill("Night buses");
    await page.getByRole("button", { name: "Submit idea" }).click();
    await page.getByText("Waiting for approval").waitFor();
    const { items } = await stage.tenant<{ items: { id: string }[] }>("GET", `${bank.path}/proposals`);
    await stage.tenant("PATCH", `${bank.path}/proposals/${items[0]?.id}`, { visibility: "public" });
    await page.reload();
    await page.getByRole("heading", { name: "Night buses" }).waitFor();
    await expect.poll(() => page.getByText("Waiting for approval").isVisible()).toBe(false);
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Description").fill("Every half hour.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Waiting for approval").waitFor();
    await page.getByText("Every half hour.").waitFor();
    await page.getByRole("button", { name: "All ideas" }).click();
    await page.locator(".idea").getByText("Waiting for approval").waitFor();
  });

  it("opens the idea that a link names, and leads from a merged one to where it went", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs"), idea("Big dogs")]);
    await stage.tenant("POST", `${bank.path}/proposals/${bank.ids[1]}/merge`, { into: bank.ids[0] });
    const { page } = await open(bank.token, {}, { more: `proposal="${bank.ids[1]}"` });
    await page.getByRole("heading", { name: "Big dogs" }).waitFor();
    await expect.poll(() => page.getByRole("textbox").count()).toBe(0);
    // It is named, once it was read.
    await page.locator(".aside").getByRole("link", { name: "Dogs", exact: true }).click();
    await page.getByRole("heading", { name: "Dogs", exact: true }).waitFor();
    await page.getByRole("button", { name: "All ideas" }).click();
    await expect.poll(() => page.locator("li h3").allTextContents()).toEqual(["Dogs"]);
  });

  it("sends on Ctrl+Enter or Cmd+Enter, and not on Enter in a title", async () => {
    const bank = await stage.ideaBank();
    const { page, complaints } = await open(bank.token);
    await page.getByRole("button", { name: "New idea" }).click();
    const title = page.getByLabel("Title");
    await title.fill("Night buses");
    const sent: string[] = [];
    page.on("request", (request) => request.method() === "POST" && sent.push(new URL(request.url()).pathname));
    await title.press("Enter");
    await title.press("Tab");
    await page.keyboard.type("Every\nhour.");
    expect(sent).toEqual([]);
    await page.keyboard.press("Control+Enter");
    await page.getByRole("heading", { name: "Night buses" }).waitFor();
    await page.getByLabel("Add a comment").fill("Please.");
    await page.keyboard.press("Meta+Enter");
    await page.getByRole("heading", { name: "1 comment" }).waitFor();
    expect(sent).toHaveLength(2);
    expect(await ideas(bank.path)).toMatchObject([{ title: "Night buses", description: "Every\nhour." }]);
    expect(complaints).toEqual([]);
  });

  it("sends in a frame with a sandbox that allows no forms", async () => {
    const bank = await stage.ideaBank();
    const { page } = await stage.page();
    const script = `<script type="module" src="${stage.api}/embed/board.js"></script>`;
    const inside = stage.hostPage(`<idea-bank-board token="${bank.token}"></idea-bank-board>`, { head: script });
    await page.goto(
      stage.hostPage(`<iframe sandbox="allow-scripts" src="${inside}" width="600" height="600"></iframe>`),
    );
    const frame = page.frameLocator("iframe");
    await frame.getByRole("button", { name: "New idea" }).click();
    await frame.getByLabel("Title").fill("Night buses");
    await frame.getByRole("button", { name: "Submit idea" }).click();
    await frame.getByRole("heading", { name: "Night buses" }).waitFor();
    await frame.getByLabel("Add a comment").fill("Please.");
    await frame.getByRole("button", { name: "Comment", exact: true }).click();
    await frame.getByRole("heading", { name: "1 comment" }).waitFor();
  });

  it("is used by keyboard alone", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const { page } = await open(bank.token);
    // New idea, the sorts as one stop, the search, the filter, the vote.
    for (let stops = 0; stops < 5; stops++) await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.getByRole("status").filter({ hasText: "Voted. 1 vote." }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "No comments yet" }).waitFor();
    await expect.poll(() => focused(page)).toBe("Dogs");
    // Its vote, "Copy link", "All ideas".
    for (let stops = 0; stops < 3; stops++) await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toBe("Dogs");
    await page.getByRole("radio", { name: "Trending" }).waitFor({ state: "attached" });
  });

  it("sends nothing more when it is removed while it sends", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const { page, complaints } = await open(bank.token);
    const held = await hold(page, /\/vote$/);
    await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
    await held.seen;
    const given = page.waitForEvent("requestfailed");
    await page.evaluate("document.querySelector('idea-bank-board').remove()");
    await given;
    held.release();
    expect(complaints).toEqual([]);
  });

  it("has nothing for axe-core to complain of, in any view, light and dark, wide and narrow, both directions", async () => {
    const bank = await stage.ideaBank(
      { name: "Rider ideas" },
      PROPOSAL_STATUSES.map((status) => idea(`Is ${status}`, { status })),
    );
    const path = `${bank.path}/proposals/${bank.ids[PROPOSAL_STATUSES.indexOf("planned")]}`;
    await stage.tenant("PATCH", path, { response: { text: "We will." } });
    await stage.tenant("POST", `${path}/comments`, { body: "Soon." });
    for (const colorScheme of ["light", "dark"] as const) {
      for (const [width, dir] of [[1280, "rtl"] as const, [390, "ltr"] as const]) {
        const { page } = await open(bank.token, { colorScheme, viewport: { width, height: 900 } }, { dir });
        const look = async (view: string) => {
          await takeScreenshot(page, `test-results/board-${view}-${colorScheme}-${width}.png`);
          await expectAccessible(page, `${view} ${colorScheme} ${width} ${dir}`);
        };
        await answerOnce(page, /\/vote$/, 429, "too-many-requests", { "Retry-After": "30" });
        await page.getByRole("button", { name: "Vote for “Is planned”" }).click();
        await page.locator(".notice").waitFor();
        await look("list");
        await page.getByRole("button", { name: "New idea" }).click();
        await page.getByRole("button", { name: "Submit idea" }).click();
        await look("form");
        await page.getByRole("button", { name: "Cancel" }).click();
        await page.getByRole("link", { name: "Is planned", exact: true }).click();
        await page.locator(".comment").waitFor();
        await look("idea");
      }
    }
  });
});
