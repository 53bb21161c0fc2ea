/** Answering in `<idea-bank-survey>`: keys, steps, drafts, faults, and what two tabs make of it. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectAccessible } from "../../support/node/accessible.ts";
import { takeScreenshot } from "../../support/node/browser.ts";
import { answerOnce, ask, holdAnswers, openStage, type Stage } from "../../support/node/element-stage.ts";
import {
  button,
  focused,
  NEXT,
  RECOMMEND,
  STARS,
  showsQuestion,
  surveyStage,
  thanked,
  USES,
  WHY,
  WORD,
} from "../../support/node/survey-stage.ts";

const shared = inject("stage");

describe("answering in <idea-bank-survey>", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  const drafts = (page: Page) =>
    page.evaluate<string[]>("Object.keys(localStorage).filter((key) => key.startsWith('idea-bank-survey:'))");
  const told = (page: Page) => page.evaluate<[string, object][]>("told");
  const chosen = (page: Page) =>
    page.evaluate<string>(
      "Array.from(document.querySelector('idea-bank-survey').shadowRoot.querySelectorAll('input:checked'), ({ value }) => value).join()",
    );
  const radio = (page: Page, name: string) => page.getByRole("radio", { name });

  it("is answered with the keyboard alone, from the first Tab to the thanks", async () => {
    const survey = await surveyStage(stage);
    const { page, complaints } = await survey.open();
    await showsQuestion(page, RECOMMEND.title);
    // Nothing is chosen before, and the page keeps its focus.
    await expect.poll(() => page.locator("input:checked").count()).toBe(0);
    await expect.poll(() => focused(page)).toBe("body");
    await page.keyboard.press("Tab");
    await expect.poll(() => focused(page)).toBe("0");
    // 1 and 0 are ten: typed, and chosen by Enter.
    await page.keyboard.press("1");
    await expect.poll(() => focused(page)).toBe("1");
    await page.keyboard.press("0");
    await expect.poll(() => focused(page)).toBe("10");
    await expect.poll(() => page.locator("input:checked").count()).toBe(0);
    await page.keyboard.press("Enter");
    await expect.poll(() => radio(page, "10").isChecked()).toBe(true);
    await showsQuestion(page, RECOMMEND.title);
    await page.keyboard.press("Enter");
    // "Why" is only asked below 7.
    await showsQuestion(page, NEXT.title);
    await page.keyboard.press("2");
    await expect.poll(() => radio(page, "Night buses").isChecked()).toBe(true);
    await page.keyboard.press("Enter");
    await showsQuestion(page, USES.title);
    await page.keyboard.press("1");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await expect.poll(() => chosen(page)).toBe("10,night,map,news");
    await page.keyboard.press("Enter");
    await showsQuestion(page, STARS.title);
    await page.keyboard.press("4");
    await page.keyboard.press("Enter");
    await showsQuestion(page, WORD.title);
    await page.keyboard.type("1 more tram");
    await page.keyboard.press("Enter");
    await thanked(page);
    expect(await survey.answers()).toEqual({
      ...{ recommend: 10, next: "night", uses: ["map", "news"], stars: 4, word: "1 more tram" },
    });
    await expect.poll(() => told(page)).toContainEqual(["survey-answered", { surveyId: survey.id }]);
    await expect.poll(() => drafts(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("arrows move without choosing, one Tab leaves the group, and only Enter on a choice goes on", async () => {
    const survey = await surveyStage(stage, [NEXT, WORD]);
    const { page } = await survey.open();
    await showsQuestion(page, NEXT.title);
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => focused(page)).toBe("night");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    // Around: the last one is the own answer.
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => focused(page)).toBe("night");
    await expect.poll(() => page.locator("input:checked").count()).toBe(0);
    await page.keyboard.press("Enter");
    await expect.poll(() => radio(page, "Night buses").isChecked()).toBe(true);
    await showsQuestion(page, NEXT.title);
    await page.keyboard.press("Tab");
    await expect.poll(() => focused(page)).toBe("Clear answer");
    await button(page, "Clear answer").press("Enter");
    await expect.poll(() => page.locator("input:checked").count()).toBe(0);
    await expect.poll(() => button(page, "Clear answer").isVisible()).toBe(false);
  });

  it("ignores Enter while a character is being composed, in Safari's way of saying so too", async () => {
    const survey = await surveyStage(stage, [WORD, STARS]);
    const { page } = await survey.open();
    const field = page.getByRole("textbox", { name: WORD.title });
    await field.fill("にほん");
    for (const init of ["isComposing: true, keyCode: 13", "keyCode: 229"])
      await ask(
        field,
        `element.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, composed: true, ${init} }))`,
      );
    await showsQuestion(page, WORD.title);
    await field.press("Enter");
    await showsQuestion(page, STARS.title);
  });

  it("keeps typed keys from the page's shortcuts, and leaves the page its own", async () => {
    const survey = await surveyStage(stage, [NEXT, WORD]);
    const { page } = await survey.open();
    await showsQuestion(page, NEXT.title);
    await page.evaluate(
      "window.keys = [], addEventListener('keydown', ({ key, ctrlKey }) => keys.push((ctrlKey ? 'Ctrl+' : '') + key))",
    );
    await page.keyboard.press("1");
    await radio(page, "Dark mode").focus();
    for (const key of ["1", "ArrowDown", "x", "Enter", "Escape", "Control+Enter"]) await page.keyboard.press(key);
    await expect.poll(() => page.evaluate("keys")).toEqual(["1", "Escape", "Ctrl+Control", "Ctrl+Enter"]);
  });

  it("is open as the server says, whatever the clock of the page's device says", async () => {
    const survey = await surveyStage(stage, [WORD], { closesAt: new Date(Date.now() + 3_600_000).toISOString() });
    const { page } = await survey.open();
    await page.clock.setFixedTime("2100-01-01T00:00:00Z");
    await page.reload();
    await showsQuestion(page, WORD.title);
    await page.getByRole("textbox").fill("Boats");
    await button(page, "Send answers").click();
    await thanked(page);
    expect(await survey.answers()).toEqual({ [WORD.id]: "Boats" });
  });

  it("goes back over the questions that were shown, and loses, changes and sends nothing", async () => {
    const survey = await surveyStage(stage);
    const { page } = await survey.open();
    const writes: string[] = [];
    page.on("request", (request) => request.method() === "PUT" && writes.push(request.url()));
    await radio(page, "6").check();
    await button(page, "Next").click();
    await showsQuestion(page, WHY.title);
    await page.getByRole("textbox").fill("Night buses");
    await button(page, "Next").click();
    await showsQuestion(page, NEXT.title);
    await button(page, "Back").click();
    await expect.poll(() => page.getByRole("textbox").inputValue()).toBe("Night buses");
    await button(page, "Back").click();
    await showsQuestion(page, RECOMMEND.title);
    await expect.poll(() => radio(page, "6").isChecked()).toBe(true);
    await expect.poll(() => button(page, "Back").isVisible()).toBe(false);
    // Hidden now: its text stays on the device, and comes back with it.
    await radio(page, "9").check();
    await button(page, "Next").click();
    await showsQuestion(page, NEXT.title);
    await button(page, "Back").click();
    await radio(page, "3").check();
    await button(page, "Next").click();
    await expect.poll(() => page.getByRole("textbox").inputValue()).toBe("Night buses");
    expect(writes).toEqual([]);
  });

  it("never sends what a hidden question has", async () => {
    const survey = await surveyStage(stage, [RECOMMEND, WHY]);
    const { page } = await survey.open();
    await radio(page, "2").check();
    await button(page, "Next").click();
    await page.getByRole("textbox").fill("A secret");
    await button(page, "Back").click();
    await radio(page, "8").check();
    const sent = page.waitForRequest((request) => request.method() === "PUT");
    await button(page, "Send answers").click();
    await thanked(page);
    expect((await sent).postDataJSON()).toEqual({ answers: { recommend: 8 } });
    expect(await survey.answers()).toEqual({ recommend: 8 });
  });

  it("gives the own answer its text field and the focus, and its text goes with it", async () => {
    const survey = await surveyStage(stage, [NEXT]);
    const { page } = await survey.open();
    await radio(page, "Other").check();
    const own = page.getByRole("textbox", { name: "Your own answer" });
    await expect.poll(() => ask<boolean>(own, "element.matches(':focus')")).toBe(true);
    await button(page, "Send answers").click();
    await page.getByText("Please write your answer.").first().waitFor();
    await expect.poll(() => ask<boolean>(own, "element.matches(':focus')")).toBe(true);
    await own.fill("A later train");
    await radio(page, "Dark mode").check();
    await expect.poll(() => own.isVisible()).toBe(false);
    await radio(page, "Other").check();
    await expect.poll(() => own.inputValue()).toBe("");
    await own.fill("A later last train");
    await own.press("Enter");
    await thanked(page);
    expect(await survey.answers()).toEqual({ next: { other: "A later last train" } });
  });

  it("an option that excludes the others stands alone, and too many are refused with the number", async () => {
    const survey = await surveyStage(stage, [USES]);
    const { page } = await survey.open();
    const box = (name: string) => page.getByRole("checkbox", { name });

    for (const name of ["The map", "Tickets", "The news"]) await box(name).check();
    await button(page, "Send answers").click();
    await page.locator(".error").getByText("Choose at most 2.").waitFor();
    await box("None of these").check();
    await expect.poll(() => chosen(page)).toBe("none");
    await box("Tickets").check();
    await expect.poll(() => chosen(page)).toBe("tickets");
    await button(page, "Send answers").click();
    await thanked(page);
    expect(await survey.answers()).toEqual({ uses: ["tickets"] });
  });

  it("survives a reload and a removal where it was, and a sign-out takes the draft away", async () => {
    const survey = await surveyStage(stage);
    const tokens = [survey.token];
    const { page } = await survey.open(`<idea-bank-survey token-url="/my/token"></idea-bank-survey>`);
    await page.route("**/my/token", (route) => route.fulfill({ body: tokens[0] ?? "" }));
    await page.reload();
    await radio(page, "6").check();
    await button(page, "Next").click();
    await page.getByRole("textbox").fill("Night buses");
    await expect.poll(() => drafts(page)).toHaveLength(1);
    // No identifier of a person is in the key.
    await expect.poll(async () => (await drafts(page))[0]).not.toContain(survey.panelistId);
    await page.reload();
    await showsQuestion(page, WHY.title);
    await expect.poll(() => page.getByRole("textbox").inputValue()).toBe("Night buses");
    await page.evaluate("window.kept = document.querySelector('idea-bank-survey'), kept.remove()");
    await page.evaluate("document.querySelector('main').append(kept)");
    await showsQuestion(page, WHY.title);
    await expect.poll(() => page.getByRole("textbox").inputValue()).toBe("Night buses");
    tokens[0] = "";
    await ask(page.locator("idea-bank-survey"), "element.restart()");
    await page.locator("idea-bank-survey:state(signed-out)").waitFor();
    await expect.poll(() => drafts(page)).toEqual([]);
    tokens[0] = await survey.tokenFor("somebody-else");
    await ask(page.locator("idea-bank-survey"), "element.restart()");
    await showsQuestion(page, RECOMMEND.title);
    await expect.poll(() => page.locator("input:checked").count()).toBe(0);
  });

  it("drops from a draft what the survey does not have", async () => {
    const survey = await surveyStage(stage, [NEXT, WORD]);
    const { page } = await survey.open();
    await radio(page, "Dark mode").check();
    const [key = ""] = await drafts(page);
    const kept = { answers: { next: "gone", word: 7, other: "x", constructor: "y" }, at: "gone", seen: null };
    await page.evaluate(`localStorage[${JSON.stringify(key)}] = ${JSON.stringify(JSON.stringify(kept))}`);
    await page.reload();
    await showsQuestion(page, NEXT.title);
    await expect.poll(() => page.locator("input:checked").count()).toBe(0);
    await button(page, "Next").click();
    await page.getByRole("textbox").fill("Hi");
    await button(page, "Send answers").click();
    await thanked(page);
    expect(await survey.answers()).toEqual({ word: "Hi" });
  });

  it("shows both answers when another tab was first, and the person chooses", async () => {
    const survey = await surveyStage(stage, [NEXT, WORD]);
    for (const choice of ["Keep what was sent", "Send these instead"]) {
      const token = await survey.tokenFor(`who-${choice.length}-${choice[0]}`);
      const { page } = await survey.open(`token="${token}"`);
      await radio(page, "Night buses").check();
      await survey.send("PUT", token, { next: "dark", word: "From the other tab" });
      await button(page, "Next").click();
      await page.getByRole("textbox").fill("From here");
      await button(page, "Send answers").click();
      await page.getByText("You have answered this survey in another tab").first().waitFor();
      const shown = page.locator(".summary .given");
      await expect
        .poll(() => shown.allTextContents())
        .toEqual(["Dark mode", "Night buses", "From the other tab", "From here"]);
      expect(await survey.answers(token)).toEqual({ next: "dark", word: "From the other tab" });
      await takeScreenshot(page, "test-results/survey-conflict.png");
      await expectAccessible(page, "the choice between two answers");
      await button(page, choice).click();
      await thanked(page, choice.startsWith("Keep") ? "You answered on" : undefined);
      const left = choice.startsWith("Keep")
        ? { next: "dark", word: "From the other tab" }
        : { next: "night", word: "From here" };
      expect(await survey.answers(token)).toEqual(left);
    }
  });

  it("goes on with a change after a reload, and asks which counts if another device has answered meanwhile", async () => {
    const survey = await surveyStage(stage, [NEXT, WORD]);
    await survey.send("PUT", survey.token, { next: "dark", word: "First" });
    const { page } = await survey.open(`token="${survey.token}" survey="${survey.id}"`);
    await button(page, "Change answers").click();
    await expect.poll(() => radio(page, "Dark mode").isChecked()).toBe(true);
    await radio(page, "Night buses").check();
    await page.reload();
    await expect.poll(() => radio(page, "Night buses").isChecked()).toBe(true);
    await survey.send("PUT", survey.token, { next: "dark", word: "Second" });
    await page.reload();
    const shown = page.locator(".summary .given");
    await expect.poll(() => shown.allTextContents()).toEqual(["Dark mode", "Night buses", "Second", "First"]);
    await button(page, "Keep what was sent").click();
    await thanked(page, "You answered on");
    expect(await survey.answers()).toEqual({ next: "dark", word: "Second" });
    await expect.poll(() => drafts(page)).toEqual([]);
  });

  it("offers no change where answers cannot be changed, and says so to a tab that was open before", async () => {
    const survey = await surveyStage(stage, [WORD], { editable: false });
    const { page } = await survey.open(`token="${survey.token}" survey="${survey.id}"`);
    await page.getByRole("textbox").fill("Mine");
    await survey.send("PUT", survey.token, { word: "Theirs" });
    await button(page, "Send answers").click();
    await page.locator(".survey").getByText("Your answers can no longer be changed.").waitFor();
    await page.reload();
    await thanked(page, "You answered on");
    await expect.poll(() => button(page, "Change answers").count()).toBe(0);
    expect(await survey.answers()).toEqual({ word: "Theirs" });
  });

  it("says that it was closed while somebody was typing, and keeps the texts to copy", async () => {
    const survey = await surveyStage(stage, [WORD]);
    const { page } = await survey.open();
    await page.getByRole("textbox").fill("A long thought");
    await survey.close();
    await button(page, "Send answers").click();
    await page.getByText("This survey is closed or not open to you.").first().waitFor();
    await page.locator("idea-bank-survey:state(closed)").getByText("A long thought").waitFor();
    await button(page, "Copy").waitFor();
    await expect.poll(() => drafts(page)).toHaveLength(1);
    await expectAccessible(page, "a survey that was closed");
  });

  it("keeps every answer after a 400, and leads to the first fault", async () => {
    const survey = await surveyStage(stage, [NEXT, USES, WORD]);
    const { page } = await survey.open(`token="${survey.token}" layout="all"`);
    await radio(page, "Dark mode").check();
    await page.getByRole("checkbox", { name: "Tickets" }).check();
    await page.getByRole("textbox", { name: WORD.title }).fill("Hello");
    await page.route(
      "**/response",
      (route) =>
        route.fulfill({
          status: 400,
          headers: { "Access-Control-Allow-Origin": "*", "Content-Type": "application/problem+json" },
          body: JSON.stringify({
            error: "invalid-request",
            errors: [
              { path: "answers.word", message: "m" },
              { path: "answers.uses", message: "m" },
            ],
          }),
        }),
      { times: 1 },
    );
    await button(page, "Send answers").click();
    await page.locator(".error:visible").first().waitFor();
    await expect.poll(() => focused(page)).toBe("tickets");
    await expect.poll(() => radio(page, "Dark mode").isChecked()).toBe(true);
    await expect.poll(() => page.getByRole("textbox", { name: WORD.title }).inputValue()).toBe("Hello");
    await takeScreenshot(page, "test-results/survey-refused.png");
    await button(page, "Send answers").click();
    await thanked(page);
    expect(await survey.answers()).toEqual({ next: "dark", uses: ["tickets"], word: "Hello" });
  });

  it("keeps the answers without a connection and after an ended session, and sends them once", async () => {
    const survey = await surveyStage(stage, [WORD]);
    const { page, context } = await survey.open(`token="${survey.token}" sign-in-url="/login"`);
    await page.getByRole("textbox").fill("Hello");
    await context.setOffline(true);
    await button(page, "Send answers").click();
    await page.locator(".notice").getByText("No connection.").waitFor();
    await context.setOffline(false);
    await answerOnce(page, "**/response", 401, "unauthorized");
    await button(page, "Send answers").click();
    await page.locator(".notice").getByText("Your session has ended. Sign in again.").waitFor();
    await expect.poll(() => page.locator(".notice a").getAttribute("href")).toBe("/login");
    await expect.poll(() => page.getByRole("textbox").inputValue()).toBe("Hello");
    const writes: string[] = [];
    page.on("request", (request) => request.method() === "PUT" && writes.push(request.url()));
    const answers = await holdAnswers(page, "**/response");
    await button(page, "Send answers").click();
    await answers.seen;
    await ask(page.locator(".survey .primary"), "element.click()");
    answers.release();
    await thanked(page);
    expect(writes).toHaveLength(1);
  });

  it("all at once: Enter leads on and sends nothing, and a required question without an answer gets the focus", async () => {
    const survey = await surveyStage(stage);
    const { page } = await survey.open(`token="${survey.token}" layout="all"`);
    const titles = () => page.locator(".question:visible .question-title").allTextContents();
    await expect.poll(titles).toHaveLength(5);
    await page.getByRole("textbox", { name: WORD.title }).press("Enter");
    await expect.poll(() => focused(page)).toBe("Send answers");
    await button(page, "Send answers").click();
    await page.locator(".error").getByText("Please answer this question.").waitFor();
    await expect.poll(() => focused(page)).toBe("0");
    // What a screen reader says of the group at its first focus.
    const group = page.getByRole("radiogroup", { name: "Would you recommend us?" });
    await expect
      .poll(() =>
        ask(
          group,
          `({
            required: element.ariaRequired,
            invalid: element.ariaInvalid,
            described: element.getAttribute("aria-describedby").split(" ").map((id) => element.getRootNode().getElementById(id)?.textContent ?? ""),
          })`,
        ),
      )
      .toEqual({
        required: "true",
        invalid: "true",
        described: expect.arrayContaining(["Please answer this question."]),
      });
    await page.locator(".keys:visible").getByText("Type a number and press Enter.").waitFor();
    await expectAccessible(page, "a fault");
    await takeScreenshot(page, "test-results/survey-fault.png");
    await page.keyboard.press("5");
    await page.keyboard.press("Enter");
    await expect.poll(titles).toHaveLength(6);
    await button(page, "Send answers").click();
    await thanked(page);
    expect(await survey.answers()).toEqual({ recommend: 5 });
  });
});
