/** `<idea-bank-survey>`: which survey it shows, to whom, in which words, and in which place. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { LANGUAGES, translationOf } from "../../../src/elements/languages/languages.ts";
import { SURVEY_LABELS } from "../../../src/elements/survey/labels.ts";
import { expectAccessible, sidewaysScroll } from "../../support/node/accessible.ts";
import { takeScreenshot } from "../../support/node/browser.ts";
import { ask, openStage, type Stage } from "../../support/node/element-stage.ts";
import {
  ALL,
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

describe("<idea-bank-survey>", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  const told = (page: Page) => page.evaluate<[string, object][]>("told");
  const inState = (page: Page, state: string) =>
    page.locator(`idea-bank-survey:state(${state})`).waitFor({ state: "attached" });
  const title = (page: Page, name: string) => page.getByRole("heading", { name, level: 2 }).waitFor();
  const send = async (page: Page) => {
    await button(page, "Send answers").click();
    await page.locator("[part='thanks']").waitFor();
  };

  it("asks one survey after the other, and then what was answered can be changed and deleted", async () => {
    const survey = await surveyStage(stage, [WORD]);
    const second = await survey.addSurvey("The second", [WORD]);
    const { page, complaints } = await survey.open();
    // The newest first.
    await title(page, "The second");
    await page.getByRole("textbox").fill("One");
    await send(page);
    await thanked(page, "Thank you! Your answers have been sent.");
    await button(page, "Next survey").click();
    await title(page, "How do you travel?");
    await expect.poll(() => focused(page)).toBe("");
    await page.getByRole("textbox").fill("Two");
    await send(page);
    await expect.poll(() => button(page, "Next survey").count()).toBe(0);
    // The thanks are still there when the page moves the element.
    await page.evaluate("document.body.append(document.querySelector('idea-bank-survey'))");
    await thanked(page);
    await page.reload();
    await inState(page, "empty");
    await button(page, "How do you travel?").click();
    await page.locator("[part='thanks']").getByText("You answered on").waitFor();
    await button(page, "Change answers").click();
    await expect.poll(() => page.getByRole("textbox").inputValue()).toBe("Two");
    await page.getByRole("textbox").fill("Three");
    await button(page, "Cancel").click();
    await page.locator("[part='thanks']").getByText("You answered on").waitFor();
    await button(page, "Change answers").click();
    await expect.poll(() => page.getByRole("textbox").inputValue()).toBe("Two");
    await page.getByRole("textbox").fill("Four");
    await send(page);
    expect(await survey.answers()).toEqual({ word: "Four" });
    await button(page, "Delete answers").click();
    await expect.poll(() => focused(page)).toBe("Keep them");
    await expectAccessible(page, "the question before answers are deleted");
    await page
      .getByRole("group", { name: "Delete your answers?" })
      .getByRole("button", { name: "Delete answers" })
      .click();
    await showsQuestion(page, WORD.title);
    expect(await survey.answers()).toBe(null);
    await expect
      .poll(async () => (await told(page)).filter(([type]) => type === "survey-answered"))
      .toEqual([["survey-answered", { surveyId: survey.id }]]);
    expect(second).not.toBe(survey.id);
    expect(complaints).toEqual([]);
  });

  it("shows the one that the page names, and says the same of a closed, a foreign and a missing one", async () => {
    const survey = await surveyStage(stage, [WORD]);
    await survey.addSurvey("Newer", [WORD]);
    const other = await surveyStage(stage, [WORD]);
    const { page } = await survey.open(`token="${survey.token}" survey="${survey.id}" heading-level="3"`);
    await page.getByRole("heading", { name: "How do you travel?", level: 3 }).waitFor();
    for (const id of [other.id, "missing", "../ideabank"]) {
      await ask(page.locator("idea-bank-survey"), `element.setAttribute("survey", ${JSON.stringify(id)})`);
      await inState(page, "closed");
      await page.locator(".message").getByText("This survey is closed or not open to you.").waitFor();
      await ask(page.locator("idea-bank-survey"), `element.setAttribute("survey", "${survey.id}")`);
      await inState(page, "ready");
    }
    await survey.close();
    await page.reload();
    await inState(page, "closed");
  });

  it("shows nothing to answer where surveys are switched off, and where there are none", async () => {
    const none = await stage.ideaBank();
    const survey = await surveyStage(stage);
    const { page } = await survey.open(`token="${none.token}"`);
    await inState(page, "empty");
    await page.locator(".message").getByText("No surveys right now").waitFor();
    await stage.tenant("PATCH", survey.path, { surveysEnabled: false });
    const { page: closed } = await survey.open();
    await inState(closed, "closed");
    await closed.locator(".message").getByText("Surveys are not available right now.").waitFor();
  });

  it("rests on this device after “Not now”, and stays reachable", async () => {
    const survey = await surveyStage(stage, [WORD]);
    const { page } = await survey.open();
    await showsQuestion(page, WORD.title);
    await button(page, "Not now").click();
    await inState(page, "resting");
    await page.reload();
    await inState(page, "resting");
    await expect.poll(() => ask<number>(page.locator("idea-bank-survey"), "element.count")).toBe(0);
    await expectAccessible(page, "a survey that rests");
    await page.getByRole("button", { name: "Answer: How do you travel?" }).click();
    await showsQuestion(page, WORD.title);
    await expect.poll(() => page.locator("textarea:focus, input:focus").count()).toBe(1);
    await expect.poll(() => ask<number>(page.locator("idea-bank-survey"), "element.count")).toBe(1);
  });

  it("in a launcher: the number counts what is left to answer, and nothing more is read before the panel is open", async () => {
    const survey = await surveyStage(stage, [WORD]);
    await survey.addSurvey("The second", [WORD]);
    const { page, complaints } = await survey.open(
      `<idea-bank-launcher><idea-bank-survey token="${survey.token}"></idea-bank-survey></idea-bank-launcher>`,
      { scripts: ["launcher", "survey"] },
    );
    const read: string[] = [];
    page.on("request", (request) => read.push(new URL(request.url()).pathname));
    const launcher = page.getByRole("button", { name: "Survey, 2 surveys to answer" });
    await launcher.waitFor();
    await expect.poll(() => page.locator(".badge").textContent()).toBe("2");
    await page.reload();
    await launcher.waitFor();
    expect(read.filter((path) => path.startsWith("/surveys"))).toEqual(["/surveys"]);
    expect(read.filter((path) => path.startsWith("/ideabank"))).toEqual([]);
    await launcher.click();
    await page.getByRole("textbox").fill("Hello");
    await takeScreenshot(page, "test-results/survey-launcher.png");
    await send(page);
    await page.getByRole("button", { name: "Survey, 1 survey to answer", includeHidden: true }).waitFor();
    await button(page, "Next survey").click();
    await button(page, "Not now").click();
    await page.getByRole("button", { name: "Survey", exact: true, includeHidden: true }).waitFor();
    await expect.poll(() => page.locator(".badge").isVisible()).toBe(false);
    expect(complaints).toEqual([]);
  });

  it("in a launcher beside a changelog the numbers are one", async () => {
    const survey = await surveyStage(stage, [WORD]);
    const { page } = await survey.open(
      `<idea-bank-launcher><idea-bank-changelog token="${survey.token}"></idea-bank-changelog><idea-bank-survey token="${survey.token}"></idea-bank-survey></idea-bank-launcher>`,
      { scripts: ["launcher", "changelog", "survey"] },
    );
    await page.getByRole("button", { name: "What’s new, 1 survey to answer" }).click();
    await showsQuestion(page, WORD.title);
    await inState(page, "ready");
  });

  it("asks a visitor to sign in before there is a field, by the page's address or by its own way", async () => {
    const survey = await surveyStage(stage);
    const visitor = await survey.visitor();
    const current = { token: visitor };
    const { page } = await survey.open(
      `<idea-bank-survey token-url="/my/token" sign-in-url="/login?next={page}"></idea-bank-survey>`,
    );
    await page.route("**/my/token", (route) => route.fulfill({ body: current.token }));
    await page.route("**/login?*", (route) => route.fulfill({ contentType: "text/html", body: "<h1>Sign in</h1>" }));
    await page.reload();
    await page.getByText("Sign in to answer.").waitFor();
    await page.getByText("6 questions").waitFor();
    await expect.poll(() => page.locator("input, textarea").count()).toBe(0);
    await expectAccessible(page, "a visitor");
    await takeScreenshot(page, "test-results/survey-visitor.png");
    await button(page, "Sign in").click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toBe("/login");
    current.token = survey.token;
    await page.goBack();
    await showsQuestion(page, RECOMMEND.title);

    const { page: nowhere } = await survey.open(`token="${visitor}"`);
    await button(nowhere, "Sign in").click();
    await nowhere.locator(".survey").getByText("Sign in on this site to answer.").waitFor();
    await expect.poll(() => told(nowhere)).toContainEqual(["sign-in", { proposal: null, survey: survey.id }]);
    await expect.poll(() => button(nowhere, "Sign in").count()).toBe(0);
  });

  it("from right to left the scale follows the reading, its low end and the arrow keys too", async () => {
    const survey = await surveyStage(stage, [
      { ...RECOMMEND, lowLabel: "مطلقًا", highLabel: "بالتأكيد" },
      { ...NEXT, required: true },
    ]);
    const { page } = await survey.open("", { lang: "ar", dir: "rtl", viewport: { width: 360, height: 740 } });
    const left = async (name: string) =>
      (await page.locator(".point").filter({ hasText: name }).first().boundingBox())?.x ?? 0;
    await page.locator(".point").first().waitFor();
    await expect.poll(async () => (await left("0")) - (await left("5"))).toBeGreaterThan(0);
    await expect.poll(async () => (await left("5")) - (await left("10"))).toBeGreaterThan(0);
    const end = async (name: string) =>
      (await page.locator(".ends span").filter({ hasText: name }).boundingBox())?.x ?? 0;
    await expect.poll(async () => (await end("مطلقًا")) - (await end("بالتأكيد"))).toBeGreaterThan(0);
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Space");
    await expect.poll(() => page.locator("input:checked").inputValue()).toBe("2");
    await takeScreenshot(page, "test-results/survey-arabic.png");
    await expectAccessible(page, "from right to left", { onPhone: true });
    await page.keyboard.press("Enter");
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await page.locator("[part='thanks']").waitFor();
    expect(await survey.answers()).toEqual({ recommend: 2, next: "dark" });
  });

  it("keeps field and button within reach at 360 by 330 pixels, also with text of 32", async () => {
    const survey = await surveyStage(stage);
    for (const size of ["medium", "32px"]) {
      const { page } = await survey.open(`token="${await survey.tokenFor(size)}"`, {
        viewport: { width: 360, height: 330 },
        head: `<style>main { --idea-bank-font-size: ${size} }</style>`,
      });
      await page.getByRole("radio", { name: "6" }).check();
      await expect.poll(() => sidewaysScroll(page)).toBeLessThanOrEqual(0);
      await button(page, "Next").click();
      await page.getByRole("textbox").fill("A text");
      if (size === "medium") {
        await expect.poll(() => ask<boolean>(page.getByRole("textbox"), "element.matches(':focus')")).toBe(true);
        await page.getByRole("textbox").scrollIntoViewIfNeeded();
      }
      for (const control of [page.getByRole("textbox"), button(page, "Next")]) {
        await control.scrollIntoViewIfNeeded();
        // Nothing lies over it.
        await control.click({ trial: true });
      }
      await takeScreenshot(page, `test-results/survey-360-${size}.png`, false);
      await expectAccessible(page, `360 pixels, ${size}`, { onPhone: true });
    }
  });

  it.each(["light", "dark"] as const)("is accessible with every kind of question, %s", async (colorScheme) => {
    const survey = await surveyStage(stage, ALL);
    const style = "<style>:root { color-scheme: light dark } body { background: light-dark(#fff, #16181e) }</style>";
    for (const layout of ["steps", "all"]) {
      const token = await survey.tokenFor(layout);
      const { page } = await survey.open(`token="${token}" layout="${layout}"`, { colorScheme, head: style });
      await page.getByRole("radio", { name: "5", exact: true }).first().check();
      await expectAccessible(page, `${layout}, ${colorScheme}`, { onPhone: true });
      if (layout === "steps") continue;
      await page.getByRole("radio", { name: "Other" }).check();
      await page.getByRole("checkbox", { name: "Tickets" }).check();
      await page.locator(".stars input").nth(3).check();
      await page.getByRole("textbox", { name: WHY.title }).fill("Night buses");
      await expectAccessible(page, `answered, ${colorScheme}`, { onPhone: true });
      await takeScreenshot(page, `test-results/survey-all-${colorScheme}.png`);
    }
  });

  it("brings the question that follows a long one into view, with the focus", async () => {
    const options = Array.from({ length: 12 }, (_, at) => ({ label: `Option ${at + 1}` }));
    const survey = await surveyStage(stage, [{ ...NEXT, options }, WORD]);
    const { page } = await survey.open(
      `<idea-bank-survey token="${survey.token}"></idea-bank-survey><p style="height: 2000px">The page goes on.</p>`,
      { viewport: { width: 360, height: 330 }, head: "<style></style>" },
    );
    await button(page, "Next").click();
    const place = () =>
      ask<number>(
        page.getByRole("textbox", { name: WORD.title }),
        "element.closest('.question').getBoundingClientRect().top",
      );
    await expect.poll(place).toBeGreaterThanOrEqual(0);
    await expect.poll(place).toBeLessThan(250);
    await expect.poll(() => page.locator("input:focus").count()).toBe(1);
  });

  it("shows texts as texts with light formatting, and runs nothing of them", async () => {
    const evil = `<img src=x onerror="told.push('ran')"> **bold**`;
    const survey = await surveyStage(
      stage,
      [
        { ...WORD, title: "<b>Title</b>", help: evil },
        { ...NEXT, options: [{ label: "<i>a</i>" }, { label: "b" }] },
      ],
      { description: evil, thanks: evil },
    );
    const { page } = await survey.open();
    await expect.poll(() => page.locator(".question-title").first().textContent()).toBe("<b>Title</b>");
    await expect
      .poll(() => page.locator("[part='help'] strong, [part='description'] strong").allTextContents())
      .toEqual(["bold", "bold"]);
    await button(page, "Next").click();
    await page.getByText("<i>a</i>").waitFor();
    await send(page);
    await page.locator("[part='thanks'] strong").waitFor();
    await expect.poll(() => page.locator("idea-bank-survey img").count()).toBe(0);
    await expect.poll(async () => (await told(page)).filter((each) => String(each) === "ran")).toEqual([]);
  });

  it("a preview needs no token, follows its author, and sends and keeps nothing", async () => {
    const survey = await surveyStage(stage);
    const { page, complaints } = await survey.open(
      `preview='${JSON.stringify({ title: "From markup", questions: [{ kind: "text", title: "One" }] })}'`,
    );
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await title(page, "From markup");
    const element = page.locator("idea-bank-survey");
    const set = (preview: object) => ask(element, `element.preview = ${JSON.stringify(preview)}`);
    const preview = { title: "Mine", thanks: "Bye", questions: [{ id: "a", kind: "text", title: "One" }, NEXT] };
    await set(preview);
    await title(page, "Mine");
    await page.getByRole("textbox").fill("Typed");
    await button(page, "Next").click();
    await showsQuestion(page, NEXT.title);
    // What its author changes does not begin it anew.
    await set({ ...preview, title: "Mine, too" });
    await title(page, "Mine, too");
    await showsQuestion(page, NEXT.title);
    await button(page, "Back").click();
    await expect.poll(() => page.getByRole("textbox").inputValue()).toBe("Typed");
    const kept = () => page.evaluate("localStorage.length + sessionStorage.length");
    await expect.poll(kept).toBe(0);
    await button(page, "Next").click();
    await button(page, "Send answers").click();
    await thanked(page, "Bye");
    await button(page, "Change answers").click();
    await button(page, "Cancel").click();
    expect(requests).toEqual([]);
    await expect.poll(kept).toBe(0);
    await expect.poll(async () => (await told(page)).map(([type]) => type)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it.each(LANGUAGES)("has no English word on a page in %s, in any view", async (language) => {
    const { labels = {} } = translationOf(language);
    const own = new Set(
      Object.values(labels["idea-bank-survey"] ?? {}).flatMap((text) =>
        typeof text === "string" ? [text] : Object.values(text),
      ),
    );
    const english = Object.values(SURVEY_LABELS)
      .flatMap((text) => (typeof text === "string" ? [text] : Object.values(text)))
      .filter((text) => !text.includes("{") && !own.has(text));
    const survey = await surveyStage(stage, [
      { ...NEXT, title: "T1", options: [{ label: "L1" }, { label: "L2" }], required: true },
      { ...USES, title: "T2" },
      { ...STARS, title: "T3" },
    ]);
    const { page } = await survey.open("", { lang: language });
    const texts = () =>
      page.evaluate<
        string[]
      >(`[...document.querySelector("idea-bank-survey").shadowRoot.querySelectorAll("*")].flatMap((element) => [
        ...[...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data.trim()),
        element.getAttribute("aria-label") ?? "", element.getAttribute("placeholder") ?? ""])`);
    const found = async () => (await texts()).filter((text) => english.includes(text));
    const primary = page.locator(".survey .primary");
    await primary.click();
    await page.locator(".error:visible").first().waitFor();
    await expect.poll(found).toEqual([]);
    await page.locator("input:visible").nth(2).check();
    await page.locator("input.other").fill("O1");
    await primary.click();
    await primary.click();
    await primary.click();
    await page.locator("[part='thanks']").waitFor();
    await expect.poll(found).toEqual([]);
    await page.reload();
    await inState(page, "empty");
    await expect.poll(found).toEqual([]);
  });
});
