/** A board's own page: what its server has rendered is there first, and the elements take it over in place. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectAccessible } from "../../support/node/accessible.ts";
import { takeScreenshot } from "../../support/node/browser.ts";
import { ask, hold, openStage, type Stage } from "../../support/node/element-stage.ts";
import { serveOwnPage } from "../../support/node/own-page.ts";

const shared = inject("stage");
const TEXT = "It would help **everybody** who is on the way at night, and those who begin early. ".repeat(4);
const STATUSES = ["submitted", "planned", "in-progress", "implemented", "under-review"];
const IDEAS = Array.from({ length: 24 }, (_, at) => ({
  title: `Idea number ${at + 1}${at % 3 ? "" : " with a title that is long enough for two lines on a phone"}`,
  description: at % 4 ? TEXT : "",
  status: STATUSES[at % STATUSES.length],
  tags: at % 5 ? [] : ["Mobile", "Night"],
}));
const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];
const OBSERVE =
  "window.shift = 0; new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shift += value))).observe({ type: 'layout-shift', buffered: true })";
/** Where what is read stands: the titles, votes, texts and dates, of whichever of both is shown. */
const PLACES = `(() => {
  const host = document.querySelector("main > *");
  const root = host.querySelector(":scope > section") ?? host.shadowRoot.querySelector(".root");
  const shown = root.querySelectorAll(".title, .idea-title, .vote, .excerpt, .meta, .prose, .entry-title, time, .face, .sorts, .search, .select, .column-head, .back, .comment, .subtitle");
  return Array.from(shown, (part) => {
    const { x, y, width, height } = part.getBoundingClientRect();
    return [part.className || part.localName, part.matches(".vote") ? part.querySelector(".count").textContent : part.textContent.trim().slice(0, 40), ...[x, y, width, height].map(Math.round)].join(" ");
  });
})()`;
const API = /\/(ideabank|public|surveys)\b/;
type Place = "board" | "idea" | "roadmap" | "changelog";
const PLACES_OF_PAGE: readonly Place[] = ["board", "idea", "roadmap", "changelog"];

describe("a page that an element takes over", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  async function open(
    place: Place,
    options: { size?: (typeof SIZES)[number]; lang?: string; timezoneId?: string } = {},
  ) {
    const { size = SIZES[0], lang, timezoneId = "UTC" } = options;
    const bank = await stage.ideaBank({ name: "Night buses" }, IDEAS);
    const [first = ""] = bank.ids;
    for (const body of ["Soon.", TEXT])
      await stage.tenant("POST", `${bank.path}/proposals/${first}/comments`, { body });
    await stage.tenant("PATCH", `${bank.path}/proposals/${first}`, { response: { text: "From May on." } });
    const { page, context, complaints } = await stage.page({ viewport: size ?? null, timezoneId });
    await page.addInitScript(OBSERVE);
    const own = await serveOwnPage(stage, context, bank, lang ? { lang } : {});
    const requests: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (API.test(pathname) && !pathname.startsWith("/b/")) requests.push(`${request.method()} ${pathname}`);
    });
    const address = {
      board: own.home,
      idea: own.ideaHref(first),
      roadmap: `${own.home}/roadmap`,
      changelog: `${own.home}/changelog`,
    }[place];
    const element = place === "idea" ? "board" : place;
    return { bank, page, context, complaints, own, requests, address, element, first };
  }
  const ready = (page: Page, element: string) => page.locator(`idea-bank-${element}:state(ready)`).waitFor();
  const painted = (page: Page) =>
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))");
  const copies = (page: Page) =>
    page.evaluate<number[]>(
      `(() => { const host = document.querySelector("main > *"); return [host.querySelectorAll(":scope > section").length, host.shadowRoot?.querySelectorAll("slot:not([name])").length ?? 0]; })()`,
    );

  it.each(PLACES_OF_PAGE.flatMap((place) => SIZES.map((size) => [place, size.width, size] as const)))(
    "shows one copy, moves nothing and asks the API nothing for a visitor: %s, %i px",
    async (place, _, size) => {
      const { page, own, requests, address, element, complaints } = await open(place, { size });
      const release = own.holdToken();
      await page.goto(address);
      await painted(page);
      const before = await page.evaluate<string[]>(PLACES);
      await takeScreenshot(page, `test-results/own-page-${place}-${size.width}-server.png`, false);
      await expect.poll(() => copies(page)).toEqual([1, 1]);
      await expectAccessible(page, `${place}, from the server`);
      release();
      await ready(page, element);
      await expect.poll(() => copies(page)).toEqual([0, 0]);
      await painted(page);
      await takeScreenshot(page, `test-results/own-page-${place}-${size.width}-element.png`, false);
      const after = await page.evaluate<string[]>(PLACES);
      expect(before.length).toBeGreaterThan(10);
      expect(after).toEqual(before);
      await expect.poll(() => page.evaluate<number>("shift")).toBeLessThan(0.05);
      expect(requests).toEqual([]);
      expect(own.state.tokens).toBe(1);
      expect(complaints).toEqual([]);
    },
  );

  it("is there without scripts, and pretends nothing", async () => {
    const { own, bank, address } = await open("idea");
    const { page, context } = await stage.page({ javaScriptEnabled: false });
    await serveOwnPage(stage, context, bank);
    await page.goto(address);
    await page.getByText("From May on.").waitFor();
    await page.getByText("Soon.").waitFor();
    await page.getByRole("link", { name: "All ideas" }).click();
    await page.getByRole("link", { name: "Idea number 24" }).waitFor();
    await takeScreenshot(page, "test-results/own-page-no-script.png");
    await expect.poll(() => page.url()).toContain(new URL(own.home).pathname);
    const offered = await page.getByRole("button").or(page.getByRole("textbox")).or(page.getByRole("radio")).all();
    const enabled = await Promise.all(offered.map((each) => each.isEnabled()));
    expect(enabled.filter(Boolean)).toEqual([]);
  });

  it("keeps what the server has shown when nothing can be read, says so, and goes on from there", async () => {
    const { page, own, address } = await open("board");
    own.state.down = true;
    await page.goto(address);
    const retry = page.getByRole("button", { name: "Try again" });
    await retry.waitFor();
    await page.getByText("Something went wrong").first().waitFor();
    await expect.poll(() => page.getByRole("link", { name: /Idea number/ }).count()).toBe(20);
    await takeScreenshot(page, "test-results/own-page-down.png", false);
    own.state.down = false;
    await retry.click();
    await ready(page, "board");
    await expect.poll(() => copies(page)).toEqual([0, 0]);
    await expect.poll(() => page.getByRole("link", { name: /Idea number/ }).count()).toBe(20);
    await expect.poll(() => retry.count()).toBe(0);
  });

  it("is shown until the person's own votes are read", async () => {
    const { page, own, bank, address } = await open("board");
    const token = await bank.tokenFor("ada", "Ada");
    own.state.signedIn = { token, name: "Ada Løvelace" };
    const answers = await hold(page, /proposals\?/);
    await page.goto(address);
    await answers.seen;
    await painted(page);
    await expect.poll(() => copies(page)).toEqual([1, 1]);
    await page.getByText("Ada Løvelace").waitFor();
    await expect.poll(() => page.getByRole("button", { name: /votes/ }).first().isEnabled()).toBe(false);
    answers.release();
    await ready(page, "board");
    await painted(page);
    // Before the click: what it moves counts as a shift on a slow machine.
    await expect.poll(() => page.evaluate<number>("shift")).toBeLessThan(0.05);
    await page.getByRole("button", { name: /Vote for “Idea number 24/ }).click();
    await page.locator('.vote[aria-pressed="true"]').waitFor();
  });

  it("keeps the focus and the place in the page", async () => {
    const { page, own, address } = await open("board", { size: { width: 390, height: 600 } });
    const release = own.holdToken();
    await page.goto(address);
    await page.getByRole("link", { name: "Idea number 17" }).focus();
    const top = await page.evaluate<number>("scrollY");
    expect(top).toBeGreaterThan(100);
    release();
    await ready(page, "board");
    await expect.poll(() => copies(page)).toEqual([0, 0]);
    await expect
      .poll(() => ask(page.locator("idea-bank-board"), "element.shadowRoot.activeElement.textContent"))
      .toBe("Idea number 17");
    await expect.poll(() => page.evaluate<number>("scrollY")).toBe(top);
  });

  it("has a page for each idea: Back, Forward, a reload, another tab and “Copy link” know it", async () => {
    const { page, context, own, bank, address } = await open("board");
    const first = bank.ids[22] ?? "";
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(address);
    await ready(page, "board");
    const link = page.getByRole("link", { name: "Idea number 23" });
    await expect.poll(() => link.getAttribute("href")).toBe(own.ideaHref(first));
    const [tab] = await Promise.all([context.waitForEvent("page"), link.click({ modifiers: ["ControlOrMeta"] })]);
    await tab.locator("idea-bank-board:state(ready)").waitFor();
    expect(tab.url()).toBe(own.ideaHref(first));
    await expect.poll(() => page.url()).toBe(own.home);
    await link.click();
    await page.locator(".detail").waitFor();
    await expect.poll(() => page.url()).toBe(own.ideaHref(first));
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByText("Link copied.").first().waitFor();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(own.ideaHref(first));
    await page.goBack();
    await page.getByRole("link", { name: "Idea number 24" }).waitFor();
    await expect.poll(() => page.url()).toBe(own.home);
    await page.goForward();
    await page.locator(".detail").waitFor();
    await page.reload();
    await ready(page, "board");
    await expect.poll(() => copies(page)).toEqual([0, 0]);
    await page.locator(".detail").waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "Idea number 24" }).waitFor();
    await expect.poll(() => page.url()).toBe(own.home);
    await tab.getByRole("link", { name: "All ideas" }).click();
    await tab.waitForURL(own.home);
  });

  it("comes back to the roadmap from an idea that was loaded again, and leaves the page of an idea by Escape", async () => {
    const { page, own, bank, address } = await open("roadmap");
    await page.goto(address);
    await ready(page, "roadmap");
    await page.getByRole("link", { name: "Idea number 17" }).click();
    await page.locator(".detail").waitFor();
    await page.reload();
    await page.locator("idea-bank-board .detail, idea-bank-board:state(ready)").first().waitFor();
    await page.goBack();
    await ready(page, "roadmap");
    await expect.poll(() => page.url()).toBe(address);
    await page.goForward();
    await page.locator(".detail").waitFor();
    await page.goto(own.ideaHref(bank.ids[22] ?? ""));
    await ready(page, "board");
    await page.getByRole("button", { name: "Copy link" }).press("Escape");
    await page.waitForURL(own.home);
    await page.getByRole("link", { name: "Idea number 24" }).waitFor();
  });

  it("asks a visitor to sign in below a survey's questions, and shows the form to who is signed in", async () => {
    const { page, own, bank, requests } = await open("board");
    const { id } = await stage.tenant("POST", "/surveys", {
      ...{
        ideaBankId: bank.path.split("/").at(-1),
        title: "How do you travel?",
        description: "A minute.",
        status: "OPEN",
      },
      questions: [
        {
          id: "next",
          kind: "choice",
          title: "Which comes first?",
          options: [{ label: "Dark mode" }, { label: "Night mode" }],
        },
        { id: "stars", kind: "scale", title: "How is the app?", from: 1, to: 5, lowLabel: "Poor" },
      ],
    });
    const release = own.holdToken();
    await page.goto(`${own.home}/surveys/${id}`);
    await page.getByText("Dark mode").waitFor();
    await painted(page);
    release();
    await page.getByText("Sign in to answer.").waitFor();
    await expect.poll(() => copies(page)).toEqual([0, 0]);
    await page.getByText("1 Poor").waitFor();
    await takeScreenshot(page, "test-results/own-page-survey.png", false);
    await expect.poll(() => page.evaluate<number>("shift")).toBeLessThan(0.05);
    expect(requests).toEqual([]);
    own.state.signedIn = { token: await bank.tokenFor("ada"), name: "Ada" };
    await page.reload();
    await page.getByRole("radio", { name: "Dark mode" }).waitFor();
    await expect.poll(() => copies(page)).toEqual([0, 0]);
  });

  it("says that an idea is gone, and shows the others", async () => {
    const { page, own, bank, address, first } = await open("idea");
    own.state.signedIn = { token: await bank.tokenFor("ada"), name: "" };
    const release = own.holdToken();
    await page.goto(address);
    await stage.tenant("PATCH", `${bank.path}/proposals/${first}`, { visibility: "hidden" });
    release();
    await page.getByText("This idea is no longer here.").first().waitFor();
    await page.getByRole("link", { name: "Idea number 24" }).waitFor();
    await expect.poll(() => copies(page)).toEqual([0, 0]);
  });
});
