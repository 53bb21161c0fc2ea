/** The owner's desk in a real browser, against `npm run dev`: by keyboard and without JavaScript, for axe-core, with screenshots. */
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { openStage, type Stage } from "../../support/node/element-stage.ts";
import { lookAround } from "../../support/node/look-around.ts";
import { openPage } from "../../support/node/owner-pages.ts";

const shared = inject("stage");

describe("the owner's desk in Chromium", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  it.each([true, false])(
    "creates an idea bank, opens it and keeps its ideas (JavaScript: %s)",
    async (javaScriptEnabled) => {
      const { page, complaints } = await openPage(stage, { javaScriptEnabled });
      await page.goto("/account/idea-banks");
      await page.getByLabel("Name", { exact: true }).fill(`Desk ${javaScriptEnabled}`);
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "Put the board on it instead" }).press("Enter");
      await page.getByRole("button", { name: "Open board" }).press("Enter");
      await page.getByTitle("Preview").waitFor();
      const [, id = ""] = page.url().match(/idea-banks\/(\w{12})/) ?? [];
      const path = `/ideabanks/${id}`;
      for (const title of ["Quay lights", "Lights on the quay", "Dogs on ferries"])
        await stage.tenant("POST", `${path}/proposals`, { title });
      await page.getByRole("navigation", { name: "Board" }).getByRole("link", { name: "Ideas" }).click();
      await page.getByRole("checkbox", { name: "Choose “Dogs on ferries”" }).press("Space");
      await page.getByRole("button", { name: "Add tag" }).press("Enter");
      await page.locator("input[name=tag]:focus").waitFor();
      await page.getByRole("combobox", { name: "Status" }).last().selectOption("planned");
      await page.getByRole("button", { name: "Set status" }).press("Enter");
      await page.getByText("“Dogs on ferries” is now Planned (was Submitted).").waitFor();
      await page.getByRole("button", { name: "Undo" }).press("Enter");
      await page.getByText("“Dogs on ferries” is now Submitted (was Planned).").waitFor();
      await page.getByRole("link", { name: "Quay lights", exact: true }).press("Enter");
      await page.getByLabel("Official response").fill("In spring.");
      await page.getByRole("button", { name: "Post response" }).press("Enter");
      await page.getByText("Response posted: “Quay lights”.").waitFor();
      await page.getByRole("link", { name: "Merge…" }).press("Enter");
      await page.getByRole("radio", { name: /^Lights on the quay/ }).press("Space");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Lights on the quay" }).waitFor();
      await page.getByLabel("Comment", { exact: true }).fill("We are on it.");
      await page.getByRole("button", { name: "Post comment" }).press("Enter");
      await page.getByText("Comment posted.").waitFor();
      await page.getByRole("link", { name: "Back to the list" }).press("Enter");
      await page.getByRole("checkbox", { name: "Choose “Dogs on ferries”" }).waitFor();
      expect(complaints).toEqual([]);
      await stage.tenant("DELETE", path);
    },
  );

  it("Enter in the field of a private tag adds that one, and no public tag", async () => {
    const { path } = await stage.ideaBank({ name: "Inside" }, [{ title: "Quay lights", tags: ["Old"] }]);
    const { page, complaints } = await openPage(stage);
    await page.goto(`/account/idea-banks/${path.split("/").at(-1)}`);
    await page.getByRole("checkbox", { name: "Choose “Quay lights”" }).check();
    await page.getByPlaceholder("Tag", { exact: true }).fill("Public");
    await page.getByPlaceholder("Private tag").fill("2027-Q1");
    await page.keyboard.press("Enter");
    await page.getByText("“2027-Q1” added to 1 idea.").waitFor();
    const { items } = await stage.tenant<{ items: { tags: string[] }[] }>("GET", `${path}/proposals`);
    expect(items.map(({ tags }) => tags)).toEqual([["Old"]]);
    expect(complaints).toEqual([]);
    await stage.tenant("DELETE", path);
  });

  it("a box beside an idea says that it is not saved yet, and who writes a response says so until it is discarded", async () => {
    const { path } = await stage.ideaBank({ name: "Boxes" }, [{ title: "Quay lights" }]);
    const { page, complaints } = await openPage(stage);
    await page.goto(`/account/idea-banks/${path.split("/").at(-1)}`);
    await page.getByRole("link", { name: "Quay lights", exact: true }).click();
    await page.getByLabel("Tags", { exact: true }).fill("Harbour");
    await page.getByText("Not saved yet").waitFor();
    await expect.poll(() => page.getByText("Not saved yet").count()).toBe(1);
    const told = () => page.waitForResponse((answer) => new URL(answer.url()).pathname.endsWith("/writing"));
    const [begun] = await Promise.all([told(), page.getByLabel("Official response").fill("In spring.")]);
    expect([begun.status(), begun.request().postData()]).toEqual([200, null]);
    const [ended] = await Promise.all([told(), page.getByRole("button", { name: "Discard" }).click()]);
    expect([ended.status(), ended.request().postData()]).toEqual([200, "ends="]);
    await expect.poll(() => page.getByText("Unsent draft").count()).toBe(0);
    expect(complaints).toEqual([]);
    await stage.tenant("DELETE", path);
  });

  it("a box that was written in before the page's scripts came says that it is not saved yet", async () => {
    const { path } = await stage.ideaBank({ name: "Slow scripts" }, [{ title: "Quay lights" }]);
    const { page, complaints } = await openPage(stage);
    await page.goto(`/account/idea-banks/${path.split("/").at(-1)}`);
    const scripts = Promise.withResolvers<void>();
    await page.route("**/assets/drafts.js*", async (route) => {
      await scripts.promise;
      await route.continue();
    });
    await page.getByRole("link", { name: "Quay lights", exact: true }).click({ noWaitAfter: true });
    await page.getByLabel("Tags", { exact: true }).fill("Harbour");
    await expect.poll(() => page.getByText("Not saved yet").count()).toBe(0);
    scripts.resolve();
    await page.getByText("Not saved yet").waitFor();
    expect(complaints).toEqual([]);
    await stage.tenant("DELETE", path);
  });

  it("is written in where Respond is pressed, and Undo is there for its minute", async () => {
    const { path } = await stage.ideaBank({ name: "Respond" }, [{ title: "Quay lights" }]);
    const { page, complaints } = await openPage(stage);
    await page.clock.install();
    await page.goto(`/account/idea-banks/${path.split("/").at(-1)}`);
    await page.locator("summary", { hasText: "Respond" }).click();
    const response = page.getByLabel("Official response to “Quay lights”");
    await expect.poll(() => response.evaluate((box) => box.matches(":focus"))).toBe(true);
    await page.keyboard.type("axjx and k");
    await expect.poll(() => response.inputValue()).toBe("axjx and k");
    await expect.poll(() => page.getByRole("checkbox", { checked: true }).count()).toBe(0);
    await page.getByRole("button", { name: "Post response" }).click();
    await page.getByText("Response posted: “Quay lights”.").waitFor();
    const undo = page.getByRole("button", { name: "Undo" });
    await undo.waitFor();
    await undo.focus();
    await page.clock.fastForward(61_000);
    await expect.poll(() => undo.count()).toBe(0);
    await expect.poll(() => page.getByRole("status").evaluate((said) => said.matches(":focus"))).toBe(true);
    expect(complaints).toEqual([]);
    await stage.tenant("DELETE", path);
  });

  it("goes through ten ideas by the keyboard: selects, sets a status, opens, comes back", async () => {
    const titles = Array.from({ length: 10 }, (_, index) => `By keyboard ${index}`);
    const { path } = await stage.ideaBank(
      { name: "Keyboard" },
      titles.map((title) => ({ title })),
    );
    const { page, complaints } = await openPage(stage);
    await page.goto(`/account/idea-banks/${path.split("/").at(-1)}`);
    const focused = () => page.evaluate("document.activeElement.textContent");
    const bar = page.getByText(/^\d+ selected$/);
    await expect.poll(() => bar.isVisible()).toBe(false);
    for (const title of titles.toReversed()) {
      await page.keyboard.press("j");
      await expect.poll(focused).toBe(title);
      await page.keyboard.press("x");
    }
    await page.getByText("10 selected").waitFor();
    await page.keyboard.press("k");
    await page.keyboard.press("x");
    await page.getByText("9 selected").waitFor();
    // Arrow keys look at the statuses; Enter sets the one that is shown.
    await page.keyboard.press("s");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByText("“By keyboard 1” is now Planned (was Submitted).").waitFor();
    await page.locator(".scripted [data-queue]").waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type("jxk 3");
    await page.keyboard.press("Enter");
    await page.getByText("No ideas match.").waitFor();
    await page.goBack();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "By keyboard 9", level: 1 }).waitFor();
    expect(complaints).toEqual([]);
    await stage.tenant("DELETE", path);
  });

  it("applies a filter when it is chosen, and by keys with Enter; the filter keeps the focus, and shows what the list shows", async () => {
    const { path } = await stage.ideaBank({ name: "Filters" }, [{ title: "Quay lights" }]);
    const { page, complaints } = await openPage(stage);
    await page.goto(`/account/idea-banks/${path.split("/").at(-1)}`);
    const sort = page.getByRole("combobox", { name: "Sort" });
    await sort.selectOption("top");
    await page.waitForURL(/sort=top/);
    const focused = () => page.evaluate("document.activeElement.name");
    await expect.poll(focused).toBe("sort");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => sort.inputValue()).toBe("hot");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => sort.inputValue()).toBe("active");
    await expect.poll(() => page.url()).toContain("sort=top");
    await page.keyboard.press("Enter");
    await page.waitForURL(/sort=active/);
    await expect.poll(focused).toBe("sort");
    await page.goBack();
    await page.waitForURL(/sort=top/);
    await expect.poll(() => sort.inputValue()).toBe("top");
    expect(complaints).toEqual([]);
    await stage.tenant("DELETE", path);
  });

  it("shows the present status when the browser goes back from a publication that was not done", async () => {
    const { path } = await stage.ideaBank({ name: "Back" }, [{ title: "Quay lights", status: "planned" }]);
    const { page } = await openPage(stage);
    await page.goto(`/account/idea-banks/${path.split("/").at(-1)}`);
    const status = page.getByRole("combobox", { name: "Status of “Quay lights”", exact: true });
    await status.selectOption("implemented");
    await page.getByRole("heading", { name: "Publish to the changelog" }).waitFor();
    await page.goBack();
    await page.locator(".scripted").waitFor();
    await expect.poll(() => status.inputValue()).toBe("planned");
    await stage.tenant("DELETE", path);
  });

  it("keeps an answer and a comment that were begun, whatever else is saved, until they are posted or discarded", async () => {
    const titles = ["Quay lights", "Night buses"];
    const { path } = await stage.ideaBank(
      { name: "Drafts" },
      titles.map((title) => ({ title })),
    );
    const { page, complaints } = await openPage(stage);
    await page.goto(`/account/idea-banks/${path.split("/").at(-1)}?status=unanswered`);
    const row = (title: string) => page.getByRole("listitem").filter({ hasText: title });
    const answer = page.getByLabel("Official response to “Night buses”");
    await answer.fill("Half\nwritten");
    await page.getByRole("combobox", { name: "Status of “Quay lights”", exact: true }).selectOption("planned");
    await page.getByText("“Quay lights” is now Planned (was Submitted).").waitFor();
    await expect.poll(() => answer.inputValue()).toBe("Half\nwritten");
    await row("Quay lights").getByText("Respond", { exact: true }).click();
    await page.getByLabel("Official response to “Quay lights”").fill("In spring.");
    await row("Quay lights").getByRole("button", { name: "Post response" }).click();
    await page.getByText("Response posted: “Quay lights”.").waitFor();
    await expect.poll(() => answer.inputValue()).toBe("Half\nwritten");
    // The idea's page has the same answer.
    await page.getByRole("link", { name: "Night buses" }).click();
    const [response, comment] = [page.getByLabel("Official response"), page.locator("#body")];
    await expect.poll(() => response.inputValue()).toBe("Half\nwritten");
    await comment.fill("We are on it.");
    await page.getByRole("button", { name: "Post comment" }).click();
    await page.getByText("Comment posted.").waitFor();
    await expect.poll(() => comment.inputValue()).toBe("");
    await expect.poll(() => response.inputValue()).toBe("Half\nwritten");
    await comment.fill("And");
    // Each box that has a draft says so, and saving another one leaves it.
    await expect.poll(() => page.getByText("Unsent draft.").count()).toBe(2);
    await page.getByLabel("Tags", { exact: true }).fill("Night");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("“Night buses”: Tags: none → Night.").waitFor();
    await expect.poll(() => response.inputValue()).toBe("Half\nwritten");
    await expect.poll(() => comment.inputValue()).toBe("And");
    await expect.poll(() => page.getByText("Unsent draft.").count()).toBe(2);
    await page.getByRole("button", { name: "Post response" }).click();
    await page.getByText("Response posted: “Night buses”.").waitFor();
    await expect.poll(() => comment.inputValue()).toBe("And");
    await page.getByRole("button", { name: "Discard" }).click();
    await page.reload();
    await expect.poll(() => page.getByText("Unsent draft.").count()).toBe(0);
    expect(complaints).toEqual([]);
    await stage.tenant("DELETE", path);
  });

  it("shows both texts where somebody has answered while an answer was a draft", async () => {
    const { path } = await stage.ideaBank({ name: "Both" }, [{ title: "Quay lights" }]);
    const { page, complaints } = await openPage(stage);
    await page.goto(`/account/idea-banks/${path.split("/").at(-1)}`);
    await page.getByRole("link", { name: "Quay lights" }).click();
    const response = page.getByLabel("Official response");
    await response.fill("Mine, half written");
    const idea = new URL(page.url()).pathname.split("/").at(-1);
    await stage.tenant("PATCH", `${path}/proposals/${idea}`, { response: { text: "Theirs, since Monday" } });
    await page.getByLabel("Tags", { exact: true }).fill("Night");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("What it replaces has changed in the meantime.").waitFor();
    await expect.poll(() => response.inputValue()).toBe("Mine, half written");
    await page.getByRole("button", { name: "Save response" }).click();
    await page.getByRole("heading", { name: "Changed in the meantime" }).waitFor();
    await page.getByText("Theirs, since Monday").waitFor();
    const mine = page.getByLabel("Official response, yours");
    await expect.poll(() => mine.inputValue()).toBe("Mine, half written");
    await lookAround(page, "changed-meanwhile");
    await mine.fill("Both of us");
    await page.getByRole("button", { name: "Save mine all the same" }).click();
    await page.getByText("Response updated: “Quay lights”.").waitFor();
    await page.getByText("Both of us").first().waitFor();
    // The refusal, once.
    expect(complaints).toHaveLength(1);
    await stage.tenant("DELETE", path);
  });

  it("has the bar for several that wait in sight, wherever they are chosen", async () => {
    const titles = Array.from({ length: 12 }, (_, index) => `In sight ${index}`);
    const made = { visibility: "pending", createdAt: "2019-01-01T00:00:00.000Z" };
    const { path } = await stage.ideaBank(
      { name: "In sight" },
      titles.map((title) => ({ title, ...made })),
    );
    const { page, complaints } = await openPage(stage);
    await page.goto("/account/ideas?visibility=pending");
    const approve = page.getByRole("button", { name: "Approve selected" });
    await expect.poll(() => approve.isVisible()).toBe(false);
    for (const box of [0, 1])
      await page
        .getByRole("checkbox", { name: /^Choose “In sight/ })
        .nth(box)
        .check();
    await page.getByText("2 selected").waitFor();
    const { y = 0 } = (await approve.boundingBox()) ?? {};
    expect(y).toBeLessThan(await page.evaluate("innerHeight"));
    await expect.poll(() => page.evaluate("document.documentElement.scrollHeight > 2 * innerHeight")).toBe(true);
    await approve.click();
    await page.getByText("2 ideas approved.").waitFor();
    expect(complaints).toEqual([]);
    await stage.tenant("DELETE", path);
  });

  it("has rows of one height and a low bar for several on a laptop, and nothing of a row covers another", async () => {
    const tags = ["Accessibility", "Tickets", "On board", "A very long tag of a board"];
    const { path } = await stage.ideaBank(
      { name: "Rows" },
      Array.from({ length: 12 }, (_, index) => ({
        title: `Row ${index}`,
        description: "What it is about, in some words that take more room than there is beside the title.",
        tags: index % 2 ? tags : [],
        ...(index % 3 ? {} : { response: { text: "Soon" } }),
      })),
    );
    const { page, complaints } = await openPage(stage, { viewport: { width: 1280, height: 900 } });
    await page.goto(`/account/idea-banks/${path.split("/").at(-1)}`);
    const heights = () =>
      page.evaluate<number[]>(
        "[...document.querySelectorAll('.queue li')].map((row) => row.getBoundingClientRect().height)",
      );
    await expect.poll(async () => Math.min(...(await heights()))).toBeGreaterThanOrEqual(56);
    await expect.poll(async () => Math.max(...(await heights()))).toBeLessThanOrEqual(64);
    // Of what can be pressed in a row, nothing covers anything else.
    const covered = `[...document.querySelectorAll(".queue li")].flatMap((row) => {
      const parts = [...row.querySelectorAll("h2 a, .set, .respond, .hint")].map((part) => part.getBoundingClientRect());
      return parts.flatMap((one, at) => parts.slice(at + 1).filter((other) =>
        one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 && other.top < one.bottom - 1));
    }).length`;
    await expect.poll(() => page.evaluate(covered)).toBe(0);
    await page.getByText("Respond", { exact: true }).first().click();
    await expect.poll(() => page.evaluate(covered)).toBe(0);
    await page.getByRole("checkbox", { name: "Choose “Row 11”" }).check();
    const bar = page.getByRole("group", { name: "1 selected" });
    await expect.poll(async () => (await bar.boundingBox())?.height).toBeLessThanOrEqual(110);
    expect(complaints).toEqual([]);
    await stage.tenant("DELETE", path);
  });

  it("shows nine comments on a laptop's screen, and approves several at once", async () => {
    const { path, ids } = await stage.ideaBank({ name: "Talk" }, [{ title: "Quay lights" }]);
    for (let at = 1; at <= 12; at++)
      await stage.tenant("POST", `${path}/proposals/${ids[0]}/comments`, { body: `Comment ${at} in one line` });
    const { items } = await stage.tenant<{ items: { id: string }[] }>("GET", `${path}/proposals/${ids[0]}/comments`);
    for (const { id } of items.slice(0, 3))
      await stage.tenant("PATCH", `${path}/proposals/${ids[0]}/comments/${id}`, { visibility: "pending" });
    const { page, complaints } = await openPage(stage, { viewport: { width: 1280, height: 900 } });
    await page.goto(`/account/comments?board=${path.split("/").at(-1)}`);
    const inSight =
      "[...document.querySelectorAll('.talk li')].filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length";
    await expect.poll(() => page.evaluate<number>(inSight)).toBeGreaterThanOrEqual(9);
    for (const box of await page.getByRole("checkbox", { name: /^Choose the comment/ }).all()) await box.check();
    await page.getByRole("group", { name: "3 selected" }).getByRole("button", { name: "Approve selected" }).click();
    await page.getByText("3 comments approved.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("The comments wait for approval again.").waitFor();
    expect(complaints).toEqual([]);
    await stage.tenant("DELETE", path);
  });

  it("has a bar for several on a phone that leaves the ideas in sight, with buttons that a finger hits", async () => {
    // While something waits, the navigation says so, beyond the edge of the screen.
    const { path } = await stage.ideaBank({ name: "Phone" }, [
      { title: "Waits", visibility: "pending", createdAt: "2019-01-01T00:00:00.000Z" },
      { title: "Quay lights" },
    ]);
    const { page } = await openPage(stage, { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
    await page.goto(`/account/idea-banks/${path.split("/").at(-1)}`);
    await page.getByRole("checkbox", { name: "Choose “Quay lights”" }).tap();
    const bar = page.getByRole("group", { name: "1 selected" });
    const boxOf = async (part: typeof bar) => (await part.boundingBox()) ?? { x: 0, width: 0, height: 0 };
    await expect.poll(async () => (await boxOf(bar)).height).toBeLessThanOrEqual(120);
    await expect.poll(() => page.evaluate("innerWidth")).toBe(390);
    const bottomOf = async (part: typeof bar) =>
      ((box) => (box?.y ?? 999) + (box?.height ?? 999))(await part.boundingBox());
    await expect.poll(() => bottomOf(bar)).toBeLessThanOrEqual(800);
    const endOf = async (part: typeof bar) => (({ x, width }) => x + width)(await boxOf(part));
    await expect.poll(() => endOf(bar.getByRole("button", { name: "Set status" }))).toBeLessThanOrEqual(390);
    await bar.getByText("More", { exact: true }).tap();
    for (const button of await bar.getByRole("button").all())
      await expect.poll(() => endOf(button)).toBeLessThanOrEqual(390);
    await expect.poll(() => bar.getByRole("button").count()).toBe(10);
    for (const button of await bar.getByRole("button").all())
      await expect.poll(async () => (await boxOf(button)).height).toBeGreaterThanOrEqual(40);
    const row = page.getByRole("listitem").filter({ hasText: "Quay lights" });
    await row.getByText("Respond", { exact: true }).tap();
    for (const part of await row.locator("summary, select, button:visible").all())
      await expect.poll(async () => (await boxOf(part)).height).toBeGreaterThanOrEqual(40);
    await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    const select = bar.getByRole("combobox", { name: "Status" });
    await expect.poll(async () => (await endOf(bar)) - (await endOf(select))).toBeGreaterThanOrEqual(0);
    await stage.tenant("DELETE", path);
  });

  it("has the members' buttons in sight on a phone, and an address in one line in the activity", async () => {
    const { page } = await openPage(stage, { viewport: { width: 390, height: 800 } });
    await page.goto("/account/members");
    const email = `${"colleague-".repeat(3)}of-mine@example.com`;
    await page.getByLabel("Email address").fill(email);
    await page.getByRole("button", { name: "Invite" }).click();
    const cancel = page.getByRole("link", { name: `Cancel the invitation of ${email}` });
    const endOf = async () => (({ x, width }) => x + width)((await cancel.boundingBox()) ?? { x: 0, width: 999 });
    await expect.poll(endOf).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 640, height: 800 });
    // Without a name a member is an address.
    const nameMe = async (name: string) => {
      await page.goto("/account/profile");
      await page.getByLabel("Your name").fill(name);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Name saved.").waitFor();
    };
    await nameMe("");
    await page.goto("/account/activity");
    const actor = page.getByRole("cell", { name: "owner@example.com" }).first().getByText("owner@example.com");
    await expect.poll(async () => (await actor.boundingBox())?.height).toBeLessThan(30);
    await nameMe("Maya");
    await page.goto("/account/members");
    await cancel.click();
    await page.getByRole("button", { name: "Cancel invitation" }).click();
  });

  it("decides about ten ideas that wait with ten keys", async () => {
    const titles = Array.from({ length: 10 }, (_, index) => `Ten keys ${index}`);
    const { path, ids } = await stage.ideaBank(
      { name: "Keys" },
      titles.map((title) => ({ title, description: "", visibility: "pending", createdAt: "2020-01-01T00:00:00.000Z" })),
    );
    const { page } = await openPage(stage);
    await page.goto("/account/ideas?visibility=pending");
    const first = page.getByRole("button", { name: /^Approve “Ten keys/ }).first();
    await first.focus();
    const focused = () => page.evaluate<string>("document.activeElement?.getAttribute('aria-label') ?? ''");
    for (const left of titles.keys()) {
      await expect.poll(focused).toMatch(/^Approve “Ten keys/);
      await page.keyboard.press("Enter");
      await expect.poll(() => page.getByRole("button", { name: /^Approve “Ten keys/ }).count()).toBe(9 - left);
      await page.waitForLoadState();
    }
    for (const id of ids)
      expect(await stage.tenant("GET", `${path}/proposals/${id}`)).toMatchObject({ visibility: "public" });
    await stage.tenant("DELETE", path);
  });

  it("says without JavaScript whether a pasted token is good, and has nothing for axe-core to complain of", async () => {
    const bank = await stage.ideaBank({ name: "Tokens" }, []);
    const { page: plain } = await openPage(stage, { javaScriptEnabled: false });
    await plain.goto("/account/tokens");
    await plain.getByLabel("Token").fill(bank.token);
    await plain.getByRole("button", { name: "Check token" }).press("Enter");
    await plain.getByText("This token works.").waitFor();
    expect(new URL(plain.url()).search).not.toContain("ib");
    const { page } = await openPage(stage, { bypassCSP: true });
    for (const [name, token] of [
      ["token-good", bank.token],
      ["token-refused", `${bank.token.slice(0, -1)}_`],
    ] as const) {
      await page.goto("/account/tokens");
      await page.getByLabel("Token").fill(token);
      await page.getByRole("button", { name: "Check token" }).press("Enter");
      await page.getByText(name === "token-good" ? "This token works." : "Its signature is wrong.").waitFor();
      await lookAround(page, name);
    }
    await stage.tenant("DELETE", bank.path);
  });

  it("has nothing for axe-core to complain of where nothing is found; every-page.browser.test.ts has the pages themselves", async () => {
    const { page } = await openPage(stage, { bypassCSP: true });
    await page.goto("/account/ideas?q=zebra&told=nothing-chosen");
    await page.locator("main").waitFor();
    await lookAround(page, "queue-nothing");
  });
});
