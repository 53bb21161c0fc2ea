/** Coming back from a tenant's own sign-in, in a real browser, against `npm run dev`: a page there plays the tenant's site. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { SITE, serveSite } from "../../support/node/customer-site.ts";
import { openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");

/** What the page's elements are told: the token, and whose it is. */
const askIn = (page: Page, what: string) =>
  page.evaluate<string>(
    `fetch(location.pathname.split("/").slice(0, 3).join("/") + "/token").then((answer) => ${what})`,
  );
const tokenIn = (page: Page) => askIn(page, "answer.text()");
const nameIn = (page: Page) => askIn(page, 'answer.headers.get("Signed-In-As")');

describe("a sign-in at the tenant’s own site", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  async function createScene() {
    const bank = await stage.ideaBank({ name: "Night buses" }, []);
    await stage.tenant("PATCH", bank.path, { publicPage: true, signInUrl: `${SITE}/login?x=1` });
    const issue = { externalId: crypto.randomUUID(), displayName: "Robin" };
    const { token } = await stage.tenant<{ token: string }>("POST", `${bank.path}/tokens`, issue);
    const base = `${stage.api}/b/${bank.path.split("/").at(-1)}`;
    const { page, context } = await stage.page({});
    return { base, token, page, context };
  }

  it("leads back to where it began; the token is in no address, no history, no Referer, and nothing that a script reads", async () => {
    const { base, token, page, context } = await createScene();
    await serveSite(context, token);
    const told: string[] = [];
    page.on("request", (request) => told.push(request.url(), request.headers().referer ?? ""));
    const to = `${new URL(base).pathname}/night-buses/roadmap`;
    await page.goto(`${base}/sign-in?return=${encodeURIComponent(to)}`);
    await page.waitForURL(`**${to}`);
    await expect.poll(() => nameIn(page)).toBe("Robin");
    expect(told.filter((each) => each.includes(token))).toEqual([]);
    await expect.poll(() => tokenIn(page)).toBe(token);
    await expect.poll(() => page.evaluate("document.cookie")).toBe("");
    const addresses: string[] = [];
    for (let steps = 0; steps < 3; steps += 1) {
      await page.goBack({ waitUntil: "commit" }).catch(() => null);
      addresses.push(await page.evaluate("location.href"));
    }
    expect(addresses.filter((each) => each.includes("ibt_"))).toEqual([]);
  });

  it("that this browser has not begun signs nobody in, says so, and can be begun again", async () => {
    const { base, token, page, context } = await createScene();
    await page.goto(`${base}/signed-in#${new URLSearchParams({ token, state: "0123456789abcdefABCDEF" })}`);
    await page.getByText("You’re not signed in.").waitFor();
    await expect.poll(() => page.url()).toBe(`${base}/signed-in`);
    await expect.poll(() => tokenIn(page)).toMatch(/^ibv_/);
    await serveSite(context, token);
    await page.getByRole("link", { name: "Try again" }).click();
    await page.waitForURL("**/night-buses");
    await expect.poll(() => nameIn(page)).toBe("Robin");
  });
});
