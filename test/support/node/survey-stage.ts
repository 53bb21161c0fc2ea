/** Surveys for the tests of `<idea-bank-survey>`: an idea bank with one, pages that show it, and what the API has of its answers. */
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import type { Stage } from "./element-stage.ts";

export const RECOMMEND = {
  ...{ id: "recommend", kind: "scale", title: "Would you recommend us?", from: 0, to: 10, nps: true, required: true },
  ...{ lowLabel: "Not at all", highLabel: "Very likely" },
};
export const WHY = {
  ...{ id: "why", kind: "text", title: "What is missing?", long: true, help: "Anything **goes**." },
  showIf: { question: "recommend", anyOf: [0, 1, 2, 3, 4, 5, 6] },
};
export const NEXT = {
  ...{ id: "next", kind: "choice", title: "Which comes first?", other: true },
  options: [
    { id: "dark", label: "Dark mode" },
    { id: "night", label: "Night buses" },
  ],
};
export const USES = {
  ...{ id: "uses", kind: "choices", title: "What do you use?", atMost: 2 },
  options: [
    { id: "map", label: "The map" },
    { id: "tickets", label: "Tickets" },
    { id: "news", label: "The news" },
    { id: "none", label: "None of these", exclusive: true },
  ],
};
export const STARS = { id: "stars", kind: "scale", title: "How is the app?", to: 5, stars: true };
export const WORD = { id: "word", kind: "text", title: "A word to the team" };
export const ALL = [RECOMMEND, WHY, NEXT, USES, STARS, WORD];

type Own = { readonly response: { readonly answers: unknown } | null };
type PageOptions = BrowserContextOptions & {
  readonly lang?: string;
  readonly dir?: string;
  readonly scripts?: readonly string[];
  readonly head?: string;
};

/** An open idea bank with a survey of these questions. */
export async function surveyStage(stage: Stage, questions: readonly object[] = ALL, more: object = {}) {
  const bank = await stage.ideaBank();
  const ideaBankId = bank.path.split("/").at(-1);
  const addSurvey = async (title: string, asked: readonly object[], settings: object = {}) =>
    (
      await stage.tenant("POST", "/surveys", {
        ...{ ideaBankId, title, description: "A minute.", status: "OPEN", questions: asked },
        ...settings,
      })
    ).id;
  const id = await addSurvey("How do you travel?", questions, { thanks: "We read *every* answer.", ...more });
  const send = (method: string, token: string, answers?: object) =>
    fetch(`${stage.api}/surveys/${id}/response`, {
      method,
      headers: { Authorization: token, "Content-Type": "application/json" },
      ...(answers && { body: JSON.stringify({ answers }) }),
    });
  return {
    ...bank,
    id,
    addSurvey,
    close: () => stage.tenant("PATCH", `/surveys/${id}`, { status: "CLOSED" }),
    visitor: async () =>
      (await stage.tenant<{ token: string }>("POST", `${bank.path}/tokens`, { visitor: true })).token,
    send,
    /** The answers that the API has of this person; null without a response. */
    async answers(token = bank.token) {
      const answer = await fetch(`${stage.api}/surveys/${id}`, { headers: { Authorization: token } });
      return ((await answer.json()) as Own).response?.answers ?? null;
    },
    async open(
      attributes = "",
      { lang = "en", dir = "ltr", scripts = ["survey"], head = "", ...options }: PageOptions = {},
    ) {
      const { page, context, complaints } = await stage.page({ viewport: { width: 700, height: 700 }, ...options });
      const body = attributes.startsWith("<")
        ? attributes
        : `<idea-bank-survey ${attributes || `token="${bank.token}"`}></idea-bank-survey>`;
      const tags = scripts.map((name) => `<script type="module" src="${stage.api}/embed/${name}.js"></script>`);
      await page.addInitScript(`window.told = [];
        for (const type of ["survey-answered", "survey-count", "sign-in", "signed-out"])
          addEventListener(type, ({ detail }) => told.push([type, detail]));`);
      const headers = head ? {} : stage.strictPolicy;
      const address = stage.hostPage(body, { head: tags.join("") + head, lang, dir, headers });
      await page.goto(address);
      return { page, context, complaints, address };
    },
  };
}

/** The question that is asked, by its title. */
export const showsQuestion = async (page: Page, title: string) =>
  expect.poll(() => page.locator(".question:visible .question-title").allTextContents()).toEqual([title]);

/** The value, or the text, of what has the focus. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(`(() => {
    const element = document.activeElement?.shadowRoot?.activeElement;
    return element?.matches("input, textarea") ? element.value : (element?.textContent ?? document.activeElement?.localName);
  })()`);

export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** In view, and not only announced. */
export const thanked = (page: Page, text = "We read every answer.") =>
  page.locator("[part='thanks']").getByText(text).waitFor();
