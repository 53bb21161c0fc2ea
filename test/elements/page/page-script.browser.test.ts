/** The script of a board's own page: who is signed in, and what is left when somebody has signed out. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { ask, openStage, type Stage } from "../../support/node/element-stage.ts";
import { serveOwnPage } from "../../support/node/own-page.ts";

const shared = inject("stage");
const IDEAS = [
  { title: "Dogs", description: "About dogs." },
  { title: "Cats", description: "About cats." },
];

describe("the script of a board's own page", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  async function open() {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page, context, complaints } = await stage.page();
    const own = await serveOwnPage(stage, context, bank);
    const signIn = async (id: string, name: string) => {
      own.state.signedIn = { token: await bank.tokenFor(id, name), name };
    };
    return { bank, page, complaints, own, signIn };
  }
  const ready = (page: Page) => page.locator("idea-bank-board:state(ready)").waitFor();
  const kept = (page: Page) =>
    page.evaluate<string[]>(
      `[...Object.keys(localStorage), ...Object.keys(sessionStorage)].filter((key) => key.startsWith("idea-bank-"))`,
    );
  const comeBack = (page: Page) =>
    page.evaluate(`dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`);
  const signedOut = (page: Page) => page.getByRole("link", { name: "Sign in" });

  it("says who is signed in, and shares one request for the token with the element", async () => {
    const { page, own, signIn, complaints } = await open();
    await page.goto(own.home);
    await ready(page);
    await signedOut(page).waitFor();
    await signIn("ada", "Ada <b>Løvelace</b> 😀");
    own.state.tokens = 0;
    await page.reload();
    await ready(page);
    await page.getByText("Ada <b>Løvelace</b> 😀").waitFor();
    await signedOut(page).waitFor({ state: "hidden" });
    expect(own.state.tokens).toBe(1);
    await signIn("kim", "");
    await page.reload();
    await page.getByText("Anonymous", { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("is not needed by the element", async () => {
    const { page, own, signIn } = await open();
    await signIn("ada", "Ada");
    await page.route(/embed\/page\.js$/, (route) => route.abort());
    await page.goto(own.home);
    await ready(page);
    await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
    await page.locator('.vote[aria-pressed="true"]').waitFor();
  });

  it("takes drafts, open views and what was begun away with a sign-out, and nothing of the page's own", async () => {
    const { page, own, signIn } = await open();
    await signIn("ada", "Ada");
    await page.goto(own.home);
    await ready(page);
    await page.evaluate(`localStorage.setItem("theme", "dark")`);
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByLabel("Title").fill("A secret of Ada’s");
    await expect.poll(async () => (await kept(page)).length).toBeGreaterThan(0);
    own.state.signedIn = undefined;
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(/sign-out$/);
    await page.goto(own.home);
    await ready(page);
    await expect
      .poll(() => page.evaluate(`JSON.stringify({ ...localStorage, ...sessionStorage })`))
      .not.toContain("secret");
    await expect.poll(() => page.evaluate(`localStorage.getItem("theme")`)).toBe("dark");
  });

  it("forgets a person who has signed out meanwhile, when the browser brings the page back from memory", async () => {
    const { page, own, signIn } = await open();
    await signIn("ada", "Ada");
    await page.goto(own.home);
    await ready(page);
    await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
    await page.locator('.vote[aria-pressed="true"]').waitFor();
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByLabel("Title").fill("A secret of Ada’s");
    own.state.signedIn = undefined;
    const release = own.holdToken();
    await comeBack(page);
    // At once, before the answer.
    await signedOut(page).waitFor();
    await expect.poll(() => page.getByText("Ada", { exact: true }).isVisible()).toBe(false);
    await expect.poll(() => page.getByLabel("Title").count()).toBe(0);
    await expect.poll(() => page.locator('.vote[aria-pressed="true"]').count()).toBe(0);
    release();
    await ready(page);
    await expect.poll(() => page.locator('.vote[aria-pressed="true"]').count()).toBe(0);
    await expect
      .poll(() => page.evaluate(`JSON.stringify({ ...localStorage, ...sessionStorage })`))
      .not.toContain("secret");
  });

  it("leaves a person who is still signed in what was begun", async () => {
    const { page, own, signIn } = await open();
    await signIn("ada", "Ada");
    await page.goto(own.home);
    await ready(page);
    await page.getByRole("button", { name: "New idea" }).click();
    await page.getByLabel("Title").fill("Night buses");
    await comeBack(page);
    await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("Night buses");
    await page.getByText("Ada", { exact: true }).waitFor();
  });

  it.each(["list", "idea"])(
    "goes on after a sign-in with the vote that was begun: on the page of the %s",
    async (place) => {
      const { bank, page, own, signIn } = await open();
      const [dogs = ""] = bank.ids;
      const address = place === "idea" ? own.ideaHref(dogs) : own.home;
      await page.goto(address);
      await ready(page);
      await page.getByRole("button", { name: "Vote for “Dogs”" }).click();
      await page.locator(".notice").getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(/sign-in\?return=/);
      await expect.poll(() => new URL(page.url()).searchParams.get("return")).toBe(address);
      await signIn("ada", "Ada");
      await page.goto(address);
      await page.locator('.detail .vote[aria-pressed="true"]').waitFor();
      await expect
        .poll(() => ask(page.locator("idea-bank-board"), "element.querySelector(':scope > section')"))
        .toBeNull();
    },
  );

  it("keeps a comment over the sign-in, on the page of an idea", async () => {
    const { bank, page, own, signIn } = await open();
    const address = own.ideaHref(bank.ids[0] ?? "");
    await page.goto(address);
    await ready(page);
    await page.getByLabel("Add a comment").fill("Every half hour, please.");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.waitForURL(/sign-in\?return=/);
    await signIn("ada", "Ada");
    await page.goto(address);
    const field = page.getByLabel("Add a comment");
    await expect.poll(() => field.inputValue()).toBe("Every half hour, please.");
    await expect.poll(() => ask(field, "element === element.getRootNode().activeElement")).toBe(true);
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.locator(".comment").getByText("Every half hour, please.").waitFor();
  });
});
