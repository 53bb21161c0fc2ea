/** The elements and the pages that show them, in Firefox. What they do in every detail is tested in Chromium. */
import type { Browser, Page } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openStage, type Stage } from "../support/node/element-stage.ts";
import { becomesTrue, launchFirefox, setWidth } from "../support/node/firefox.ts";
import { NEXT, RECOMMEND, surveyStage, WORD } from "../support/node/survey-stage.ts";

const shared = inject("stage");
const ELEMENTS = ["board", "changelog"] as const;

describe("in Firefox", () => {
  let stage: Stage;
  let firefox: Browser;
  beforeAll(async () => {
    [stage, firefox] = await Promise.all([openStage(shared), launchFirefox()]);
  });
  afterAll(async () => {
    await firefox?.close();
    await stage?.close();
  });

  async function open(address: string, width: number) {
    const page = await firefox.newPage();
    page.setDefaultTimeout(60_000);
    const complaints: string[] = [];
    // Firefox asks for an icon, which the policy of a host page refuses.
    const complain = (text: string) => text.includes("/favicon.ico") || complaints.push(text);
    page.on("console", (message) => message.type() === "error" && complain(message.text()));
    page.on("pageerror", (error) => complain(String(error)));
    await setWidth(page, width);
    await page.goto(address);
    return { page, complaints };
  }
  const inState = (page: Page, name: string, state: string) =>
    becomesTrue(page, `document.querySelector("idea-bank-${name}").matches(":state(${state})")`);
  const shadow = (name: string) => `document.querySelector("idea-bank-${name}").shadowRoot`;
  const page = (dir: "ltr" | "rtl", body: string) =>
    stage.hostPage(body, {
      dir,
      headers: stage.strictPolicy,
      head: [...ELEMENTS, "launcher"]
        .map((name) => `<script type="module" src="${stage.api}/embed/${name}.js"></script>`)
        .join(""),
    });

  it.each([["ltr", 900] as const, ["rtl", 390] as const])(
    "both elements show what there is, take a vote, and open an idea that Back closes: %s, %i pixels",
    async (dir, width) => {
      const bank = await stage.ideaBank({}, [{ title: "Dogs", description: "On the train.", status: "implemented" }]);
      const elements = ELEMENTS.map(
        (name) => `<idea-bank-${name} history token="${bank.token}"></idea-bank-${name}>`,
      ).join("");
      const { page: shown, complaints } = await open(page(dir, elements), width);
      for (const name of ELEMENTS) await inState(shown, name, "ready");
      const board = shadow("board");
      await (await shown.$("idea-bank-board >>> button.vote"))?.click();
      await becomesTrue(shown, `${board}.querySelector("[role=status]").textContent === "Voted. 1 vote."`);
      expect((await stage.tenant<{ votes: number }>("GET", `${bank.path}/proposals/${bank.ids[0]}`)).votes).toBe(1);
      await shown.screenshot({ path: `test-results/firefox-elements-${dir}.png`, fullPage: true });
      await (await shown.$("idea-bank-board >>> .open"))?.click();
      await becomesTrue(shown, `${board}.activeElement?.textContent === "Dogs"`);
      await shown.screenshot({ path: `test-results/firefox-idea-${dir}.png` });
      // In Firefox 140 `page.goBack` waits in vain for a load, because Back only closes the idea.
      await shown.evaluate("history.back()");
      await becomesTrue(shown, `${board}.activeElement?.matches(".open")`);
      await becomesTrue(shown, "document.documentElement.scrollWidth <= innerWidth");
      expect(complaints).toEqual([]);
      await shown.close();
    },
  );

  it("a survey is answered with the keyboard alone", async () => {
    const survey = await surveyStage(stage, [RECOMMEND, NEXT, WORD]);
    const body = `<idea-bank-survey token="${survey.token}"></idea-bank-survey>`;
    const head = `<script type="module" src="${stage.api}/embed/survey.js"></script>`;
    const { page: shown, complaints } = await open(stage.hostPage(body, { head, headers: stage.strictPolicy }), 700);
    await inState(shown, "survey", "ready");
    const inside = shadow("survey");
    const asks = (title: string) =>
      becomesTrue(
        shown,
        `[...${inside}.querySelectorAll(".question:not([hidden]) .question-title")].map(({ textContent }) => textContent).join() === ${JSON.stringify(title)}`,
      );
    const focusOn = (value: string) => becomesTrue(shown, `${inside}.activeElement?.value === "${value}"`);
    await asks(RECOMMEND.title);
    await shown.keyboard.press("Tab");
    await focusOn("0");
    await shown.keyboard.press("ArrowRight");
    await focusOn("1");
    await becomesTrue(shown, `${inside}.querySelector(":checked") === null`);
    for (const key of ["1", "0", "Enter"] as const) await shown.keyboard.press(key);
    await becomesTrue(shown, `${inside}.querySelector(":checked")?.value === "10"`);
    await shown.screenshot({ path: "test-results/firefox-survey.png" });
    await shown.keyboard.press("Enter");
    await asks(NEXT.title);
    // One Tab leaves the group.
    await shown.keyboard.press("ArrowDown");
    await shown.keyboard.press("Tab");
    await becomesTrue(shown, `${inside}.activeElement?.textContent === "Next"`);
    await shown.keyboard.press("2");
    await focusOn("night");
    await shown.keyboard.press("Enter");
    await asks(WORD.title);
    await shown.keyboard.type("Hello");
    await shown.keyboard.press("Enter");
    await becomesTrue(shown, `${inside}.querySelector("[part=thanks]") !== null`);
    expect(await survey.answers()).toEqual({ recommend: 10, next: "night", word: "Hello" });
    expect(complaints).toEqual([]);
    await shown.close();
  });

  it("the launcher opens its panel, and Escape closes it", async () => {
    const bank = await stage.ideaBank({}, [{ title: "Dogs", description: "On the train.", status: "implemented" }]);
    const body = `<idea-bank-launcher><idea-bank-changelog token="${bank.token}"></idea-bank-changelog></idea-bank-launcher>`;
    const { page: shown, complaints } = await open(page("ltr", body), 900);
    await inState(shown, "changelog", "ready");
    const panel = `${shadow("launcher")}.querySelector("[popover]")`;
    await (await shown.$("idea-bank-launcher >>> button.launch"))?.click();
    await becomesTrue(shown, `${panel}.matches(":popover-open")`);
    await shown.screenshot({ path: "test-results/firefox-launcher.png" });
    await shown.keyboard.press("Escape");
    await becomesTrue(shown, `!${panel}.matches(":popover-open")`);
    expect(complaints).toEqual([]);
    await shown.close();
  });

  it.each([["/", "start"] as const, ["/embed/", "embed"] as const])("the page %s shows them", async (path, name) => {
    const { page: shown, complaints } = await open(`${stage.api}${path}#token=${stage.demoToken}`, 1280);
    for (const element of ELEMENTS) await inState(shown, element, "ready");
    await shown.screenshot({ path: `test-results/firefox-${name}.png`, fullPage: true });
    expect(complaints).toEqual([]);
    await shown.close();
  });

  it.each([["/reference", "Vote for a proposal"] as const, ["/account/api-keys", "API keys"] as const])(
    "the page %s shows its content",
    async (path, text) => {
      const { page: shown, complaints } = await open(stage.api + path, 1280);
      await becomesTrue(shown, `document.body.innerText.includes("${text}")`);
      await shown.screenshot({ path: `test-results/firefox${path.replaceAll("/", "-")}.png` });
      expect(complaints).toEqual([]);
      await shown.close();
    },
  );
});
