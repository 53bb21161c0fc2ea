/** What the idea bank allows (`GET /ideabank`): all elements of a page with the same token ask once. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { answerOnce, ask, openStage, type Stage, tokenSentWith } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const IDEAS = [{ title: "Dogs", description: "On the train.", status: "implemented" }];
const SCRIPTS = ["board", "roadmap", "changelog", "launcher"];
const ACCESS = /\/ideabank$/;

describe("what the idea bank allows", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  const inState = (page: Page, name: string, state: string) =>
    page.locator(`idea-bank-${name}:state(${state})`).waitFor();
  async function open(body: string, prepare = async (_page: Page): Promise<unknown> => undefined) {
    const { page } = await stage.page();
    const asked: string[] = [];
    page.on("request", (request) => {
      if (ACCESS.test(request.url()) && request.method() === "GET") asked.push(tokenSentWith(request));
    });
    await prepare(page);
    const head = SCRIPTS.map((name) => `<script type="module" src="${stage.api}/embed/${name}.js"></script>`).join("");
    await page.goto(stage.hostPage(body, { head }));
    return { page, asked };
  }

  it("is asked once by a board, a roadmap, a changelog and a launcher, and for another token anew", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const source = `token-url="/my/token"`;
    const { page, asked } = await open(
      `<idea-bank-board ${source}></idea-bank-board><idea-bank-roadmap ${source}></idea-bank-roadmap>
        <idea-bank-changelog ${source}></idea-bank-changelog>
        <idea-bank-launcher inline><idea-bank-board id="inside" ${source}></idea-bank-board></idea-bank-launcher>`,
      (page) => page.route("**/my/token", (route) => route.fulfill({ body: bank.token })),
    );
    for (const name of ["board", "roadmap", "changelog"]) await inState(page, `${name}:not(#inside)`, "ready");
    await page.getByRole("button", { name: "Ideas", exact: true }).click();
    await page.locator("#inside:state(ready)").waitFor();
    expect(asked).toEqual([bank.token]);

    const other = await bank.tokenFor("somebody-else");
    const read = page.waitForResponse(ACCESS);
    await ask(page.locator("idea-bank-roadmap"), `(element.token = "${other}")`);
    await read;
    expect(asked).toEqual([bank.token, other]);
  });

  it("is still known to an element that comes when the deadline of the request is over", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const { page, asked } = await open(`<idea-bank-board token="${bank.token}"></idea-bank-board>`, (page) =>
      page.addInitScript(`window.deadlines = [];
        AbortSignal.timeout = () => {
          const deadline = new AbortController();
          deadlines.push(deadline);
          return deadline.signal;
        };`),
    );
    await inState(page, "board", "ready");
    await page.evaluate(`for (const deadline of deadlines) deadline.abort();
      document.querySelector("main").insertAdjacentHTML("beforeend", '<idea-bank-roadmap token="${bank.token}"></idea-bank-roadmap>');`);
    await inState(page, "roadmap", "ready");
    expect(asked).toHaveLength(1);
  });

  it("is asked again after a failure, and goes on when the element that asked has left the page", async () => {
    const bank = await stage.ideaBank({}, IDEAS);
    const tags = ["board", "roadmap"].map((name) => `<idea-bank-${name} token="${bank.token}"></idea-bank-${name}>`);
    const { page, asked } = await open(tags.join(""), async (page) => {
      await answerOnce(page, ACCESS, 503, "service-unavailable");
      // The failure is for both: it comes when the roadmap waits, too.
      await page.route(ACCESS, (route) => inState(page, "roadmap", "loading").then(() => route.fallback()), {
        times: 1,
      });
    });
    await inState(page, "board", "error");
    await inState(page, "roadmap", "error");
    await page.locator("idea-bank-board").getByRole("button", { name: "Try again" }).click();
    await inState(page, "board", "ready");
    expect(asked).toHaveLength(2);

    await page.route(ACCESS, async (route) => {
      await page.evaluate("document.querySelector('idea-bank-board').remove()");
      await route.continue();
    });
    await page.reload();
    await inState(page, "roadmap", "ready");
    expect(asked).toHaveLength(3);
  });
});
