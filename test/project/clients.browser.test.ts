/** The panelist's page of docs/clients.md, in a real browser. */
import { createServer, type Server } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { freePort } from "../support/node/checkout.ts";
import { block } from "../support/node/documents.ts";
import { openStage, type Stage } from "../support/node/element-stage.ts";

const shared = inject("stage");
const EXPIRED = "ibt_none";

describe("the panelist's page", () => {
  let stage: Stage;
  let site: Server;
  let url: string;
  /** What the tenant's server answers to `POST /panelist-token`, one after the other. */
  let tokens: string[];

  beforeAll(async () => {
    stage = await openStage(shared);
    const html = block("docs/clients.md", "panelist-page").replace("http://localhost:8787", stage.api);
    site = createServer((request, response) => {
      const isPage = request.method === "GET";
      response.setHeader("Content-Type", isPage ? "text/html; charset=utf-8" : "application/json");
      response.end(isPage ? html : JSON.stringify({ token: tokens.shift() }));
    });
    const port = await freePort();
    url = `http://localhost:${port}/`;
    await new Promise<void>((listening) => site.listen(port, "127.0.0.1", listening));
  });
  afterEach(() => stage.closePages());
  afterAll(async () => {
    await stage?.close();
    await new Promise((closed) => site?.close(closed));
  });

  const openChangelog = async (): Promise<string> => {
    const entry = { title: "<b>Night</b> & day", description: "Every half hour.\nAll week.", status: "implemented" };
    return (await stage.ideaBank({}, [entry])).token;
  };

  it("shows an entry as text, with its line breaks and its date", async () => {
    tokens = [await openChangelog()];
    const { page } = await stage.page();
    await page.goto(url);
    const entry = page.locator("#changelog li");
    await expect.poll(() => entry.locator("h3").allTextContents()).toEqual(["<b>Night</b> & day"]);
    await expect
      .poll(() => page.evaluate("document.querySelector('#changelog p').innerText"))
      .toBe("Every half hour.\nAll week.");
    const shown = Date.parse((await entry.locator("time").getAttribute("datetime")) ?? "");
    expect(new Date(shown).getUTCFullYear()).toBe(new Date().getUTCFullYear());
  });

  it("renews a token that is refused", async () => {
    tokens = [EXPIRED, await openChangelog()];
    const { page } = await stage.page();
    await page.goto(url);
    await page.locator("#changelog li").waitFor();
    expect(tokens).toEqual([]);
  });

  it("renews it once, and then says what is wrong", async () => {
    tokens = [EXPIRED, EXPIRED, EXPIRED];
    const { page } = await stage.page();
    const failure = page.waitForEvent("pageerror");
    await page.goto(url);
    expect((await failure).message).toContain("The token is too short or too long");
    expect(tokens).toEqual([EXPIRED]);
  });
});
