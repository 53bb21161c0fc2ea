/** How often a page of another origin waits for the API: which requests a browser asks about first, and what is read together. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { hold, openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
const idea = (title: string, more: object = {}) => ({ title, description: `About ${title}.`, ...more });

describe("a page of another origin", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  const observers: Server[] = [];
  afterEach(async () => {
    await stage?.closePages();
    for (const server of observers.splice(0)) server.close();
  });
  afterAll(() => stage?.close());

  const hostPage = (api: string, name: string, token: string) =>
    stage.hostPage(`<idea-bank-${name} history token="${token}"></idea-bank-${name}>`, {
      head: `<script type="module" src="${api}/embed/${name}.js"></script>`,
    });
  const shown = (page: Page, name: string) =>
    page.locator(`idea-bank-${name}:is(:state(ready), :state(empty))`).waitFor();

  /** The API at another origin, where each request for an idea bank is noted. */
  async function observe() {
    const sent: string[] = [];
    const server = createServer(async ({ method = "", url = "", headers }, response) => {
      if (/^\/(public\/)?ideabank/.test(url)) sent.push(`${method} ${url.split("?")[0]}`);
      const { host: _, connection: __, ...others } = headers;
      const answer = await fetch(stage.api + url, { method, headers: others as Record<string, string> });
      const { "content-encoding": ___, ...given } = Object.fromEntries(answer.headers);
      response.writeHead(answer.status, given).end(Buffer.from(await answer.arrayBuffer()));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
    observers.push(server);
    const { port } = server.address() as AddressInfo;
    return {
      api: `http://127.0.0.1:${port}`,
      sent: () => sent.filter((each) => !each.startsWith("OPTIONS")).toSorted(),
      asked: () => sent.filter((each) => each.startsWith("OPTIONS")),
    };
  }

  it.each([
    ["board", ["GET /ideabank", "GET /ideabank/proposals", "GET /ideabank/tags"]],
    ["roadmap", ["GET /ideabank", ...Array(3).fill("GET /ideabank/proposals")]],
    ["changelog", ["GET /ideabank/changelog/entries", "GET /public/ideabank/changelog"]],
  ])("shows <idea-bank-%s> without asking whether it may send anything", async (name, expected) => {
    const bank = await stage.ideaBank({}, [idea("Dogs", { status: "implemented" })]);
    const { page } = await stage.page();
    const { api, sent, asked } = await observe();
    await page.goto(hostPage(api, name, bank.token));
    await shown(page, name);
    await expect.poll(sent).toEqual(expected);
    expect(asked()).toEqual([]);
  });

  it("asks before what a visitor writes, not before what one reads", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs"), idea("Cats")]);
    const { page } = await stage.page();
    const { api, asked } = await observe();
    await page.goto(hostPage(api, "board", bank.token));
    await shown(page, "board");
    await page.getByRole("radio", { name: "New" }).press("Space");
    await page.getByRole("searchbox", { name: "Search" }).fill("dog");
    await expect.poll(() => page.locator("li h3").allTextContents()).toEqual(["Dogs"]);
    await page.getByRole("link", { name: "Dogs", exact: true }).click();
    await page.getByRole("heading", { name: "No comments yet" }).waitFor();
    expect(asked()).toEqual([]);
    await page.locator(".detail button.vote").click();
    await expect.poll(asked).toEqual([`OPTIONS /ideabank/proposals/${bank.ids[0]}/vote`]);
  });

  it("reads what a board shows while it reads what the idea bank allows", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const { page } = await stage.page();
    const access = await hold(page, /\/ideabank$/);
    const lists = [/\/proposals\?sort=hot$/, /\/tags$/].map((list) => page.waitForResponse(list));
    await page.goto(hostPage(stage.api, "board", bank.token));
    await Promise.all(lists);
    access.release();
    await page.getByRole("link", { name: "Dogs", exact: true }).waitFor();
  });

  it("sends a signed token, which is longer than a browser lets pass, where it asks first", async () => {
    const bank = await stage.ideaBank({}, [idea("Dogs")]);
    const { page } = await stage.page();
    const { api, asked } = await observe();
    await page.goto(hostPage(api, "changelog", `${bank.token}${"x".repeat(100)}`));
    await page.locator("idea-bank-changelog:state(signed-out)").waitFor();
    expect(asked()).toEqual(["OPTIONS /public/ideabank/changelog"]);
  });
});
