/** What moves while a page with elements loads: 0.1 at most, which is "good". */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { block } from "../../support/node/documents.ts";
import { hold, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const IDEAS = [{ title: "Bikes", status: "planned" }, { title: "Dogs", status: "implemented" }, { title: "Cats" }].map(
  (idea) => ({ ...idea, description: `About ${idea.title}.` }),
);
const VIEWPORTS = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];
const OBSERVE =
  "window.shift = 0; new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shift += value))).observe({ type: 'layout-shift', buffered: true })";

const AFTER = `<p>${"What follows. ".repeat(60)}</p>`.repeat(4);

describe("a page with elements", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  /** The elements, with the documentation's rule, and what follows them. */
  const pageOf = (names: readonly string[], token: string) =>
    stage.hostPage(names.map((name) => `<idea-bank-${name} token="${token}"></idea-bank-${name}>`).join("") + AFTER, {
      head: ["board", "roadmap", "changelog"]
        .map((name) => `<script type="module" src="${stage.api}/embed/${name}.js"></script>`)
        .concat(`<style>${block("docs/embed.md", "reserve")}</style>`)
        .join(""),
    });
  const inState = (page: Page, name: string, state: string) =>
    page.locator(`idea-bank-${name}:state(${state})`).waitFor();

  it.each([[["board"]] as const, [["changelog"]] as const, [["changelog", "board"]] as const, [["roadmap"]] as const])(
    "moves by 0.1 at most while it loads: %j",
    async (names) => {
      const few = await stage.ideaBank({}, IDEAS);
      for (const token of [stage.demoToken, few.token]) {
        for (const viewport of VIEWPORTS) {
          const { page } = await stage.page({ viewport });
          await page.addInitScript(OBSERVE);
          const address = pageOf(names, token);
          // The second visit knows how many rows there were.
          for (const visit of ["first", "second"]) {
            // Painted without the scripts, then with skeletons, then with what was loaded.
            const [script, answers] = [
              await hold(page, /embed\/\w+\.js$/),
              await hold(page, /ideabank$|proposals\?|changelog$/),
            ];
            await page.goto(address, { waitUntil: "commit" });
            await page.getByText("What follows.").first().waitFor();
            await painted(page);
            script.release();
            for (const name of names) await inState(page, name, "loading");
            await painted(page);
            answers.release();
            for (const name of names) await inState(page, name, "ready");
            await painted(page);
            await expect
              .poll(() => page.evaluate<number>("shift"), { message: `${viewport.width} ${visit}` })
              .toBeLessThanOrEqual(0.1);
            await page.unrouteAll();
          }
        }
      }
    },
  );

  it.each([
    ["/", true],
    ["/", false],
    ["/embed/", true],
    ["/embed/", false],
  ])("moves by 0.1 at most while it loads, ours too: %s, with a token: %s", async (path, withToken) => {
    for (const viewport of VIEWPORTS) {
      const { page } = await stage.page({ viewport });
      await page.addInitScript(OBSERVE);
      for (const visit of ["first", "second"]) {
        // Painted without what is loaded later, then with each of it.
        const steps = [
          await hold(page, /embed\/\w+\.js$/),
          await hold(page, /elements\.js$/),
          await hold(page, /releases\.json$/),
          await hold(page, /ideabank$|proposals\?|changelog$/),
        ];
        await page.goto(`${stage.api}${path}?${visit}${withToken ? `#token=${stage.demoToken}` : ""}`, {
          waitUntil: "commit",
        });
        await page.getByRole("heading", { level: 1 }).waitFor();
        for (const step of steps) {
          await painted(page);
          step.release();
        }
        if (withToken) await page.locator("idea-bank-board:state(ready)").waitFor();
        if (path === "/embed/") await page.locator("#snippet").getByText("integrity").waitFor();
        await painted(page);
        await expect
          .poll(() => page.evaluate<number>("shift"), { message: `${viewport.width} ${visit}` })
          .toBeLessThanOrEqual(0.1);
        await page.unrouteAll();
      }
    }
  });
});

/** Two frames later, what was there has been painted and its shifts are known. */
const painted = (page: Page) =>
  page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))");
