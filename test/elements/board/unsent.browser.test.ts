/** A text that was not sent can be reached: in its form, or to copy where there is no form any more. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectAccessible } from "../../support/node/accessible.ts";
import { takeScreenshot } from "../../support/node/browser.ts";
import { openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const idea = (title: string) => ({ title, description: `About ${title}.` });
const DAY_MS = 86_400_000;

describe("an unsent text in <idea-bank-board>", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  type Bank = Awaited<ReturnType<Stage["ideaBank"]>>;
  async function open(token: string, { more = "history", width = 1000 } = {}) {
    const { page, context } = await stage.page({ viewport: { width, height: 800 } });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const head = ["board", "roadmap"]
      .map((name) => `<script type="module" src="${stage.api}/embed/${name}.js"></script>`)
      .join("");
    const address = stage.hostPage(`<idea-bank-board token="${token}" ${more}></idea-bank-board>`, { head });
    await page.goto(address);
    return { page, address };
  }
  const asPanelist = async (token: string, method: string, path: string, body: object) => {
    const headers = { Authorization: token, "Content-Type": "application/json" };
    const answer = await fetch(`${stage.api}/ideabank${path}`, { method, headers, body: JSON.stringify(body) });
    expect(answer.ok).toBe(true);
    return (await answer.json()) as { readonly id: string };
  };
  const setIdea = ({ path }: Bank, id: string | undefined, change: object) =>
    stage.tenant("PATCH", `${path}/proposals/${id}`, change);
  const follow = (page: Page, title: string) => page.getByRole("link", { name: title, exact: true }).click();
  const toList = (page: Page) => page.getByRole("button", { name: "All ideas" }).click();
  const line = (page: Page, title: string) => page.getByText(`Not sent yet: “${title}”`);
  const expectCopied = async (page: Page, text: string) => {
    await page.getByText("Your text wasn’t sent.").waitFor();
    await page.getByRole("button", { name: "Copy your text" }).click();
    await page.getByRole("button", { name: "Text copied." }).waitFor();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(text);
  };
  const grow = (page: Page, days: number) =>
    page.evaluate(`for (const key of Object.keys(localStorage))
      localStorage[key] = localStorage[key].replace(/(?<="at":)\\d+/, (at) => at - ${days * DAY_MS});`);
  const kept = (page: Page) =>
    page.evaluate("Object.keys(localStorage).filter((key) => /:(idea|comment|edit)\\b/.test(key)).length");

  it("is shown to copy when the board closes meanwhile, and stays in the form when it opens again", async () => {
    for (const [size, width] of [
      ["desktop", 1000],
      ["phone", 360],
    ] as const) {
      const bank = await stage.ideaBank({}, [idea("Dogs")]);
      const { page } = await open(bank.token, { width });
      await page.getByRole("button", { name: "New idea" }).click();
      await page.getByLabel("Title").fill("Night buses");
      await page.getByLabel("Description").fill("Every half hour.\nOn weekends, too.");
      await stage.tenant("PATCH", bank.path, { status: "CLOSED" });
      await page.getByRole("button", { name: "Submit idea" }).click();
      await page.locator(".message").getByText("This board is not available right now.").waitFor();
      await page.getByText("On weekends, too.").waitFor();
      await expectAccessible(page, "a closed board with a text");
      await takeScreenshot(page, `test-results/unsent-closed-${size}.png`);
      await expectCopied(page, "Night buses\n\nEvery half hour.\nOn weekends, too.");
      await page.reload();
      await page.getByText("Your text wasn’t sent.").waitFor();
      await stage.tenant("PATCH", bank.path, { status: "OPEN" });
      await page.reload();
      await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("Night buses");
    }
  });

  it("is shown to copy when an own idea moves on while it is edited, and after a reload", async () => {
    const bank = await stage.ideaBank();
    const { id } = await asPanelist(bank.token, "POST", "/proposals", idea("Night buses"));
    const { page } = await open(bank.token, { more: `proposal="${id}"` });
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Description").fill("Every half hour.");
    await setIdea(bank, id, { status: "planned" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".notice").getByText("This idea has changed in the meantime.").waitFor();
    await page.locator(".detail .status").getByText("Planned").waitFor();
    await expect.poll(() => page.getByLabel("Description").count()).toBe(0);
    await expectCopied(page, "Night buses\n\nEvery half hour.");
    await expectAccessible(page, "a text of an idea that moved on");
    await page.reload();
    await expectCopied(page, "Night buses\n\nEvery half hour.");
    // A finger that taps twice meets a question.
    await page.getByRole("button", { name: "Discard draft" }).dblclick();
    await page.getByText("Every half hour.").waitFor();
    await page.getByRole("button", { name: "Discard draft" }).click();
    await expect.poll(() => page.getByText("Your text wasn’t sent.").count()).toBe(0);
    await expect.poll(() => kept(page)).toBe(0);
  });

  it("can be selected where the browser forbids copying", async () => {
    const bank = await stage.ideaBank();
    const { id } = await asPanelist(bank.token, "POST", "/proposals", idea("Night buses"));
    const { page } = await open(bank.token, { more: `proposal="${id}"` });
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Description").fill("Every half hour.");
    await setIdea(bank, id, { status: "planned" });
    await page.reload();
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject()");
    await page.getByRole("button", { name: "Copy your text" }).click();
    await expect.poll(() => page.evaluate("String(getSelection())")).toContain("Every half hour.");
  });

  it("on an idea that was merged, or on a comment that was deleted, is shown there", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs"), idea("Cats")]);
    const [dogs, cats] = bank.ids;
    const comments = `/proposals/${cats}/comments`;
    const own = await asPanelist(bank.token, "POST", comments, { body: "Yes." });
    const { page } = await open(bank.token);
    await follow(page, "Dogs");
    await page.getByLabel("Add a comment").fill("Mine too");
    await toList(page);
    await follow(page, "Cats");
    await page.locator(".comment").getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Your comment").fill("Yes please.");
    await stage.tenant("POST", `${bank.path}/proposals/${dogs}/merge`, { into: cats });
    await stage.tenant("DELETE", `${bank.path}${comments}/${own.id}`);
    await page.reload();
    await page.getByRole("heading", { name: "Cats" }).waitFor();
    await expectCopied(page, "Yes please.");
    await page.goto(`${page.url().split("?")[0]}?idea=${dogs}`);
    await expectCopied(page, "Mine too");
    await expect.poll(() => page.getByLabel("Add a comment").count()).toBe(0);
  });

  it("is named in the list, which leads to its form", async () => {
    for (const [size, width] of [
      ["desktop", 1000],
      ["phone", 360],
    ] as const) {
      const bank = await stage.ideaBank({}, [idea("Dogs")]);
      const buses = await asPanelist(bank.token, "POST", "/proposals", idea("Night buses"));
      const own = await asPanelist(bank.token, "POST", `/proposals/${bank.ids[0]}/comments`, { body: "Yes." });
      const { page } = await open(bank.token, { width });
      await page.getByRole("button", { name: "New idea" }).click();
      await page.getByLabel("Title").fill("A title that is long enough for two lines on every phone, and for more");
      await page.getByRole("button", { name: "Cancel" }).click();
      await follow(page, "Dogs");
      await page.locator(".comment").getByRole("button", { name: "Edit" }).click();
      await page.getByLabel("Your comment").fill("Yes please.");
      await page.getByLabel("Add a comment").fill("Mine too\nAnd more");
      await toList(page);
      await follow(page, "Night buses");
      await page.getByRole("button", { name: "Edit" }).click();
      await page.getByLabel("Description").fill("Every half hour.");
      await toList(page);
      await expect.poll(() => page.locator(".draft").count()).toBe(4);
      await expectAccessible(page, "a list with drafts");
      await takeScreenshot(page, `test-results/unsent-list-${size}.png`);
      await page.reload();
      await line(page, "Mine too").click();
      await expect.poll(() => page.locator("textarea:focus").inputValue()).toBe("Mine too\nAnd more");
      await page.getByRole("button", { name: "Comment", exact: true }).click();
      await page.locator(".comment").getByText("And more").waitFor();
      await toList(page);
      await expect.poll(() => line(page, "Mine too").count()).toBe(0);
      await line(page, "Yes please.").click();
      await expect.poll(() => page.getByLabel("Your comment").inputValue()).toBe("Yes please.");
      await expect.poll(() => page.url()).toMatch(new RegExp(`idea=${bank.ids[0]}&comment=${own.id}$`));
      await toList(page);
      await line(page, "Night buses").click();
      await expect.poll(() => page.getByLabel("Description").inputValue()).toBe("Every half hour.");
      await expect.poll(() => page.url()).toContain(`idea=${buses.id}`);
      await toList(page);
      await page.getByText("Not sent yet: “A title that is long").click();
      await expect.poll(() => page.getByLabel("Title").inputValue()).toContain("A title that is long");
      // Nobody else reads of it.
      const token = await bank.tokenFor("somebody-else");
      await page.evaluate(`document.querySelector("idea-bank-board").token = "${token}"`);
      await page.locator(".ideas .idea").first().waitFor();
      await expect.poll(() => page.locator(".draft").count()).toBe(0);
    }
  });

  it("on an idea that is gone is shown for 30 days, and dropped then, also by the list", async () => {
    for (const end of ["hidden", "deleted"]) {
      const bank = await stage.ideaBank({}, [idea("Dogs"), idea("Cats")]);
      const path = `${bank.path}/proposals/${bank.ids[0]}`;
      const { page, address } = await open(bank.token);
      await follow(page, "Dogs");
      await page.getByLabel("Add a comment").fill("Mine too");
      await toList(page);
      await follow(page, "Cats");
      await page.getByLabel("Add a comment").fill("Old, but on something that is still there");
      await grow(page, 29);
      await (end === "hidden" ? stage.tenant("PATCH", path, { visibility: "hidden" }) : stage.tenant("DELETE", path));
      await page.goto(address);
      await line(page, "Mine too").click();
      await page.locator(".notice").getByText("This idea is no longer here.").waitFor();
      await expectCopied(page, "Mine too");
      await grow(page, 2);
      await page.goto(address);
      await page.locator(".ideas .idea").first().waitFor();
      await expect.poll(() => line(page, "Mine too").count()).toBe(0);
      await line(page, "Old, but on something that is still there").waitFor();
      await expect.poll(() => kept(page)).toBe(1);
    }
  });

  it("is shown where new ideas are not taken any more", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const { page, address } = await open(bank.token);
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByLabel("Title").fill("Night buses");
    await stage.tenant("PATCH", bank.path, { submissionsEnabled: false });
    await page.goto(address);
    await page.locator(".ideas .idea").first().waitFor();
    await expectCopied(page, "Night buses");
    await takeScreenshot(page, "test-results/unsent-not-taken.png");
  });
});
