/** A job at the desk in a real browser: an owner who has never used the API asks the voters of an idea three questions and reads the result. */
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { takeScreenshot } from "../../support/node/browser.ts";
import { openStage, type Stage } from "../../support/node/element-stage.ts";
import { lookAround } from "../../support/node/look-around.ts";
import { action, openPage } from "../../support/node/owner-pages.ts";

const shared = inject("stage");

type Answered = { readonly often: number; readonly route?: string; readonly why?: string };
const ANSWERS: readonly Answered[] = [
  { often: 5, route: "The harbor line", why: "The last bus leaves before my shift ends." },
  { often: 5, route: "The harbor line", why: "Taxis cost more than the day’s ticket." },
  { often: 4, route: "The airport line" },
  { often: 2 },
  { often: 5, route: "The harbor line", why: "I walk home along the quay." },
];

describe("surveys at the desk, in Chromium", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  /** A board with an idea that five people voted for, and their tokens. */
  async function createVoters() {
    const { path, ids, tokenFor } = await stage.ideaBank({ name: "Riverline" }, [{ title: "Night buses" }]);
    const tokens = await Promise.all(ANSWERS.map((_, place) => tokenFor(`voter-${place}-${ids[0]}`, `Voter ${place}`)));
    for (const token of tokens) await asPerson(token, "PUT", `/ideabank/proposals/${ids[0]}/vote`);
    return { path, idea: `/account/idea-banks/${path.split("/").at(-1)}/ideas/${ids[0]}`, tokens };
  }

  async function asPerson(token: string, method: string, path: string, body?: object): Promise<void> {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const answer = await fetch(`${stage.api}${path}`, { method, headers, body: body ? JSON.stringify(body) : null });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  }

  it.each([true, false])(
    "asks the voters of an idea and reads what they say (JavaScript: %s)",
    async (javaScriptEnabled) => {
      const { path, idea, tokens } = await createVoters();
      const { page, complaints } = await openPage(stage, {
        javaScriptEnabled,
        timezoneId: "Europe/Berlin",
        bypassCSP: true,
      });
      page.setDefaultTimeout(8_000);
      await page.goto(idea);
      await page.getByRole("link", { name: "Ask its voters" }).click();
      await page.getByText("It asks the 5 people who voted for “Night buses”.").waitFor();
      await page.getByRole("radio", { name: /^Empty/ }).check();
      await action(page, "Continue").click();

      const field = (name: string, place: number) =>
        page.getByRole("group", { name: new RegExp(`^Question ${place}`) }).getByLabel(name, { exact: true });
      await page.getByLabel("Title", { exact: true }).fill("Buses at night");
      await action(page, "Scale").click();
      await field("Question", 1).fill("How often would you take one?");
      await action(page, "Choose one").click();
      await field("Question", 2).fill("Which line?");
      await field("Option 1", 2).fill("The airport line");
      await field("Option 2", 2).fill("The harbor line");
      await action(page, "Up option 2 of question 2").click();
      await expect.poll(() => field("Option 1", 2).inputValue()).toBe("The harbor line");
      await action(page, "Text").click();
      await field("Question", 3).fill("Why?");
      await page.getByLabel("Closes", { exact: true }).fill("2099-12-12T18:00");
      if (javaScriptEnabled) await lookAround(page, "survey-form");
      await action(page, "Show preview").click();
      const shown = page.locator("idea-bank-survey").getByText("How often would you take one?");
      await shown.filter({ visible: true }).waitFor();
      // The element itself, or what can be read without it.
      await expect.poll(() => page.getByRole("button", { name: "Not now" }).count()).toBe(javaScriptEnabled ? 1 : 0);
      if (javaScriptEnabled) await takeScreenshot(page, "test-results/survey-form-preview.png");
      await action(page, "Save draft").click();

      await page.getByText("“Buses at night” is saved.").waitFor();
      await page.getByText("5 people voted for “").waitFor();
      const until = javaScriptEnabled
        ? "December 12, 2099 at 18:00 (Europe/Berlin)"
        : "December 12, 2099 at 18:00 (UTC)";
      await page.getByText(`They can answer until ${until}.`).waitFor();
      if (javaScriptEnabled) await lookAround(page, "survey-draft");
      await action(page, "Open survey").click();
      await page.getByText("“Buses at night” is open.").waitFor();
      await page.getByText("No responses yet.").waitFor();
      const survey = new URL(page.url()).pathname.split("/").at(-1) ?? "";

      for (const [place, { often, route, why }] of ANSWERS.entries()) {
        const options = { "The airport line": "o1", "The harbor line": "o2" };
        const answers = {
          q1: often,
          ...(route && { q2: options[route as keyof typeof options] }),
          ...(why && { q3: why }),
        };
        await asPerson(tokens[place] ?? "", "PUT", `/surveys/${survey}/response`, { answers });
      }
      await page.goto(`/account/surveys/${survey}`);
      await page.getByText("4.2 on average, from 1 to 5").waitFor();
      await page.getByText("4 answered, 1 skipped it").waitFor();
      const harbor = page.getByRole("row", { name: /^The harbor line/ });
      await expect.poll(() => harbor.textContent()).toContain("3 of 475%");
      await page.getByText("I walk home along the quay.").waitFor();
      if (javaScriptEnabled) {
        await lookAround(page, "survey-results");
        await page.setViewportSize({ width: 800, height: 1100 });
        await page.emulateMedia({ media: "print", colorScheme: "light" });
        await takeScreenshot(page, "test-results/survey-results-print.png");
        await page.emulateMedia({ media: "screen" });
      }

      await page.getByRole("link", { name: "The harbor line" }).click();
      await page.getByText("of 5 in all").waitFor();
      await expect.poll(() => page.getByText("Only “The harbor line”").count()).toBe(4);
      await page.getByText("5 on average, from 1 to 5").waitFor();
      await page.getByRole("link", { name: "Clear", exact: true }).first().click();
      await page.getByText("4.2 on average, from 1 to 5").waitFor();

      await page.getByText("Delete…").click();
      await page.getByText("Its questions and 5 responses go with it. You can’t undo this.").waitFor();
      await action(page, "Delete this survey").click();
      await page.getByText("“Buses at night” was deleted.").waitFor();
      expect(complaints).toEqual([]);
      await stage.tenant("DELETE", path);
    },
  );

  it("the form is filled in without a page in between: Enter, a condition, dragging", async () => {
    const { path } = await createVoters();
    const { page, complaints } = await openPage(stage, { viewport: { width: 1280, height: 2_000 } });
    page.setDefaultTimeout(8_000);
    const template = `/account/surveys/new?template=recommend&board=${path.split("/").at(-1)}`;
    await page.goto(template, { referer: `${stage.api}/account/surveys/new` });
    const opened = () => page.evaluate<string>("performance.timeOrigin + location.href");
    const once = await opened();
    await action(page, "Choose one").click();
    await page.locator("[id='title:q3']").fill("Which line?");
    await page.locator("[id='label:q3:o1']").fill("Harbor");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Airport");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Museum");
    await page.keyboard.press("Enter");
    await page.locator("[id='label:q3:o4']:focus").waitFor();
    await page.keyboard.type("Zoo");

    const order = () =>
      page.evaluate<string[]>("[...document.querySelectorAll('[name=question]')].map(({ value }) => value)");
    await page
      .locator("[data-question=q3] > legend")
      .dragTo(page.locator("[data-question=recommend]"), { targetPosition: { x: 200, y: 5 } });
    await expect.poll(order).toEqual(["q3", "recommend", "why"]);
    const condition = page.locator("[id='showIf:why']");
    await expect
      .poll(() => condition.locator("option").allTextContents())
      .toContain("Only after answers to question 1: Which line?");
    await condition.selectOption("q3");
    const answers = page.getByRole("group", { name: "Shown after any of these answers to question 1" });
    await answers.getByLabel("Museum").check();
    await expect.poll(opened).toBe(once);
    await action(page, "Save draft").click();
    await page.getByText("“Would you recommend us?” is saved.").waitFor();
    const id = new URL(page.url()).pathname.split("/").at(-1);
    const { questions } = await stage.tenant<{ questions: { id: string; showIf: unknown }[] }>("GET", `/surveys/${id}`);
    expect(questions.map(({ id, showIf }) => [id, showIf])).toEqual([
      ["q3", null],
      ["recommend", null],
      ["why", { question: "q3", anyOf: ["o3"] }],
    ]);
    expect(complaints).toEqual([]);
    await stage.tenant("DELETE", path);
  });
});
