/** The language of the elements: that of the nearest `lang`, loaded when it is needed, and English where it cannot be. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { LABELS } from "../../../src/commands/development/elements-reference.ts";
import { LANGUAGES, translationOf } from "../../../src/elements/languages/languages.ts";
import { answerOnce, ask, hold, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const ELEMENTS = ["board", "changelog", "launcher"] as const;
const IDEAS = [
  { title: "A1", description: "A1", status: "implemented" },
  { title: "B2", description: "B2", status: "planned" },
  { title: "C3", description: "C3", status: "under-review", tags: ["t1"], response: { text: "D4" } },
];
const WORDS = new Set(
  Object.values(LABELS)
    .flatMap((labels) => Object.values(labels))
    .flatMap((text) => (typeof text === "string" ? [text] : Object.values(text)))
    .filter((text) => !text.includes("{")),
);

describe("the language of the elements", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  const head = () =>
    ELEMENTS.map((name) => `<script type="module" src="${stage.api}/embed/${name}.js"></script>`).join("");
  const board = (token: string, more = "") => `<idea-bank-board token="${token}" ${more}></idea-bank-board>`;
  const changelog = (token: string, more = "") =>
    `<idea-bank-changelog token="${token}" ${more}></idea-bank-changelog>`;
  const host = (body: string, lang: string) =>
    stage.hostPage(body, {
      head: head(),
      lang,
      headers: stage.strictPolicy,
      dir: lang.startsWith("ar") ? "rtl" : "ltr",
    });
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  /** All texts and names in the shadow roots of the page. */
  const texts = (page: Page) =>
    page.evaluate<string[]>(`[...document.querySelectorAll("main *")].flatMap(({ shadowRoot }) => shadowRoot
      ? [...shadowRoot.querySelectorAll("*")].flatMap((element) => [
          ...[...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data.trim()),
          ...["aria-label", "placeholder", "title", "label"].map((name) => element.getAttribute(name) ?? ""),
        ])
      : []).filter((text) => text !== "")`);

  it.each(LANGUAGES)("shows no English word on a page in %s, in any view", async (language) => {
    const { labels: translated = {} } = translationOf(language);
    const { "idea-bank-board": words = {} } = translated;
    // The same word in both languages ("Team") is none of English.
    const own = new Set(
      Object.values(translated).flatMap((labels) =>
        Object.values(labels).flatMap((text) => (typeof text === "string" ? [text] : Object.values(text))),
      ),
    );
    const english = async (page: Page) => (await texts(page)).filter((text) => WORDS.has(text) && !own.has(text));
    const bank = await stage.ideaBank({ name: "N1" }, IDEAS);
    const { page, complaints } = await stage.page();
    const loaded: string[] = [];
    page.on("request", (request) => request.url().endsWith(".json") && loaded.push(request.url()));
    const launched = `<idea-bank-launcher>${changelog(bank.token)}</idea-bank-launcher>`;
    await page.goto(host(board(bank.token) + changelog(bank.token) + launched, `${language}-XX`));
    await page.locator("idea-bank-changelog:state(ready)").first().waitFor();
    await page.locator(".ideas .idea").nth(2).waitFor();
    await page.locator("button.launch").waitFor();
    await expect.poll(() => english(page)).toEqual([]);
    // From where the scripts are, and nothing else.
    expect([...new Set(loaded)]).toEqual([`${stage.api}/embed/${language}.json`]);
    await button(page, "C3").click();
    await page.locator(".detail .response").waitFor();
    await page.getByText(words.noComments as string, { exact: true }).waitFor();
    await expect.poll(() => english(page)).toEqual([]);
    await page.locator(".detail textarea").fill("E5");
    await page.locator(".detail form .primary").click();
    await page.locator(".comment").waitFor();
    await expect.poll(() => english(page)).toEqual([]);
    await page.locator(".detail .back").click();
    await button(page, words.suggest as string).click();
    await page.locator(".compose form .primary").click();
    await page.locator(".compose .error").first().waitFor();
    await expect.poll(() => english(page)).toEqual([]);
    await answerOnce(page, /proposals$/, 400, "invalid-request");
    await page.locator(".compose input").fill("F6");
    await page.locator(".compose form .primary").click();
    await page
      .locator(".notice")
      .getByText(words.failed as string)
      .waitFor();
    expect(complaints.filter((text) => !text.includes("400"))).toEqual([]);
  });

  it("says what the API does not take by the names of its fields, and nothing in the API's words", async () => {
    const bank = await stage.ideaBank();
    const { page } = await stage.page();
    await page.goto(host(board(bank.token), "de"));
    await button(page, "Neue Idee").click();
    await page.getByLabel("Titel").fill("Nachtbusse");
    await page.route(/proposals$/, (route) =>
      route.fulfill({
        status: 400,
        headers: { "Access-Control-Allow-Origin": "*", "Content-Type": "application/problem+json" },
        body: JSON.stringify({
          error: "invalid-request",
          errors: ["title", "description", "other"].map((path) => ({ path, message: "must be shorter" })),
        }),
      }),
    );
    await button(page, "Idee einreichen").click();
    const notice = page.locator(".notice p");
    await expect.poll(() => notice.textContent()).toBe("Bitte diese Angaben prüfen: Titel und Beschreibung");
  });

  it("waits for its words with nothing but a skeleton, and shows English where they do not come", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page } = await stage.page();
    const file = await hold(page, /de\.json$/);
    const data = page.waitForResponse(/changelog$/);
    await page.goto(host(`${changelog(bank.token)}<idea-bank-launcher></idea-bank-launcher>`, "de"));
    await data;
    await page.locator("idea-bank-changelog:state(loading)").waitFor();
    await expect.poll(() => texts(page)).toEqual([]);
    file.release();
    await page.getByRole("heading", { name: "Neuigkeiten" }).waitFor();
    await page.unrouteAll();
    // A missing file, a page of an error, no connection.
    const failures = [{ status: 404, body: "{}" }, { body: "<h1>No</h1>" }, undefined];
    for (const failure of failures) {
      await page.route(/de\.json$/, (route) =>
        failure
          ? route.fulfill({ ...failure, headers: { "Access-Control-Allow-Origin": "*" } })
          : route.abort("connectionrefused"),
      );
      await page.reload();
      await page.getByRole("heading", { name: "What’s new" }).waitFor();
      await page.unrouteAll();
    }
    // Its next start tries again.
    await ask(page.locator("idea-bank-changelog"), "element.restart()");
    await page.getByRole("heading", { name: "Neuigkeiten" }).waitFor();
  });

  it("gives up after a while on words that never come", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page } = await stage.page();
    await hold(page, /de\.json$/);
    await page.goto(host(board(bank.token), "de"));
    await button(page, "New idea").waitFor();
  });

  it("follows each change of the nearest `lang`, through shadow roots; `labels` are still the page's", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page } = await stage.page();
    const own = { empty: "-", loaded: "{count}!" };
    const inside = `${changelog(bank.token)}<idea-bank-launcher></idea-bank-launcher>`;
    await page.goto(host(`<section id="around"><div id="outer"></div></section>${inside}`, "en"));
    await ask(
      page.locator("#outer"),
      `element.attachShadow({ mode: "open" }).append(...document.querySelectorAll("main > [token], main > idea-bank-launcher"))`,
    );
    await ask(
      page.locator("#outer"),
      `element.shadowRoot.querySelector("idea-bank-changelog").labels = ${JSON.stringify(own)}`,
    );
    const titled = async (title: string, name: string) => {
      await page.getByRole("heading", { name: title, exact: true }).waitFor();
      await page.locator("idea-bank-changelog [role=status]").filter({ hasText: "1!" }).waitFor({ state: "attached" });
      await expect
        .poll(() =>
          ask(
            page.locator("idea-bank-launcher"),
            `element.shadowRoot.querySelector(".close").getAttribute("aria-label")`,
          ),
        )
        .toBe(name);
    };
    await titled("What’s new", "Close");
    const set = (selector: string, lang: string) =>
      ask(page.locator(selector), `element.setAttribute("lang", "${lang}")`);
    await set("html", "fr_CA");
    await titled("Nouveautés", "Fermer");
    await set("#around", "de-AT");
    await titled("Neuigkeiten", "Schließen");
    await ask(page.locator("#around"), `element.removeAttribute("lang")`);
    await titled("Nouveautés", "Fermer");
    await set("html", "sv");
    await titled("What’s new", "Close");
  });

  it("reads from right to left in Arabic, also where the page does not say so", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page } = await stage.page();
    await page.goto(host(board(bank.token, `lang="ar"`), "en"));
    await page.locator(".ideas .idea").first().waitFor();
    const box = (selector: string) => page.locator(selector).first().boundingBox();
    const isLeft = async () => {
      const [title, suggest] = [await box(".head .title"), await box(".head .button")];
      return title && suggest && suggest.x < title.x;
    };
    await expect.poll(isLeft).toBe(true);
    await page.locator(".head .button").click();
    const title = page.locator(".compose input");
    const direction = () => ask(title, "getComputedStyle(element).direction");
    await expect.poll(() => direction()).toBe("rtl");
    await title.fill("Night buses");
    await expect.poll(() => direction()).toBe("ltr");
    await title.fill("");
    // The form stays open in another language.
    await ask(page.locator("idea-bank-board"), `element.lang = "ja"`);
    await page.locator(".compose").getByRole("button", { name: "キャンセル" }).click();
    await page.getByRole("button", { name: "新しいアイデア" }).waitFor();
    await expect.poll(isLeft).toBe(false);
  });

  it.each([
    ["pl", [1, 2, 5, 22], ["1 głos", "2 głosy", "5 głosów", "22 głosy"]],
    ["ar", [0, 1, 2, 3, 11], ["لا أصوات", "صوت واحد", "صوتان", "3 أصوات", "11 صوتًا"]],
    ["ja", [1, 2], ["1票", "2票"]],
  ] as const)("has the plural forms of %s", async (language, counts, forms) => {
    const bank = await stage.ideaBank({}, [IDEAS[1] ?? {}]);
    const { page } = await stage.page();
    let votes = 0;
    await page.route(/proposals\?/, async (route) => {
      const answer = await route.fetch();
      const { items } = await answer.json();
      await route.fulfill({ response: answer, json: { items: items.map((item: object) => ({ ...item, votes })) } });
    });
    for (const [at, count] of counts.entries()) {
      votes = count;
      await page.goto(host(board(bank.token), `${language}-u-nu-latn`));
      await expect.poll(() => page.locator("button.vote").textContent()).toContain(forms[at]);
    }
  });
});
