/**
 * Account Settings in a real browser, against `npm run dev`: what an owner does, with JavaScript and without, what axe-core
 * finds, and a screenshot of each page in `test-results/`. Without a Chromium the tests are skipped, and say so.
 */
import type { BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { openStage, type Stage } from "../../support/node/element-stage.ts";
import { lookAround } from "../../support/node/look-around.ts";
import {
  action,
  card,
  copied,
  createKey,
  focused,
  openPage,
  revokeKey,
  revokeLater,
} from "../../support/node/owner-pages.ts";

const shared = inject("stage");

describe("Account Settings in Chromium", () => {
  let stage: Stage;
  let origin: string;

  beforeAll(async () => {
    stage = await openStage(shared);
    origin = stage.api;
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  const open = (options?: BrowserContextOptions) => openPage(stage, options);

  const whoami = async (key: string) =>
    (await fetch(`${origin}/tenant/whoami`, { headers: { "X-API-Key": key } })).status;

  it("creates a key, copies it, uses it, shows its usage, rotates it and revokes it", async () => {
    const { page, complaints } = await open();
    const key = await createKey(stage, page, "CRM import");
    await page.getByRole("button", { name: "Copy the API key" }).click();
    await expect.poll(() => copied(page)).toBe(key);
    await expect.poll(() => page.url()).not.toContain("ibk_");

    for (let times = 0; times < 3; times++) expect(await whoami(key)).toBe(200);
    // The gate writes its counts to D1 some seconds after the first use.
    await expect
      .poll(
        async () => {
          await page.goto("/account/api-keys");
          return card(page, "CRM import").getByText("3 admitted").count();
        },
        { timeout: 300_000, interval: 1_000 },
      )
      .toBeGreaterThan(0);

    // The hour may have ended meanwhile: then the requests are in the bar before the last, or in both.
    const bars = card(page, "CRM import").locator(".bars > div");
    const bar = bars.filter({ hasText: /[1-3] admitted/ }).last();
    await expect.poll(() => bar.locator(".tip").isVisible()).toBe(false);
    await bar.hover();
    await expect.poll(() => bar.locator(".tip").isVisible()).toBe(true);
    await expect.poll(() => bar.locator(".tip").textContent()).toMatch(/^\d\d:\d\d: \d admitted, 0 over the limit$/);
    const admitted = async () =>
      (await bars.locator(".tip").allTextContents()).map((tip) => Number(/(\d+) admitted/.exec(tip)?.[1]));
    await expect.poll(async () => (await admitted()).reduce((sum, count) => sum + count, 0)).toBe(3);

    await action(page, "Rotate CRM import").click();
    await card(page, "CRM import").getByRole("combobox").selectOption("Stops now");
    await page.getByRole("button", { name: "Rotate now" }).click();
    await page.getByRole("heading", { name: "Your key’s new secret" }).waitFor();
    const rotated = (await page.locator("#key").textContent()) ?? "";
    expect(rotated.slice(0, 16)).toBe(key.slice(0, 16));
    expect([await whoami(key), await whoami(rotated)]).toEqual([401, 200]);

    await revokeKey(page, "CRM import");
    expect(await whoami(rotated)).toBe(401);
    // Who uses a screen reader hears it, and loading the page again does not say it again.
    await expect.poll(() => focused(page)).toContain("“CRM import” revoked.");
    await expect.poll(() => new URL(page.url()).search).toBe("");
    await page.getByText(/^Show \d+ revoked or expired keys?$/).click();
    await expect.poll(() => page.locator(".ended li.revoked").getByText("CRM import").isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  });

  it("stays with the chosen account when what was done has been said", async () => {
    const { page } = await open();
    await createKey(stage, page, "Chosen");
    const { accountId } = await (await page.request.get("/account/api/members")).json();
    await page.goto(`/account/api-keys?account=${accountId}`);
    await page.getByRole("link", { name: "Edit Chosen" }).click();
    await page.getByLabel("Paused").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("“Chosen” updated. It’s paused").waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe(`?account=${accountId}`);
  });

  it("does not show the key again after the back button", async () => {
    const { page } = await open();
    const key = await createKey(stage, page, "Going back");
    await page.getByRole("link", { name: /Back to API keys/ }).click();
    await page.getByRole("heading", { name: "API keys" }).waitFor();
    await expect.poll(() => page.content()).not.toContain(key);
    await page.goBack();
    await expect.poll(() => page.content()).not.toContain(key);
  });

  it("works without JavaScript", async () => {
    const { page } = await open({ javaScriptEnabled: false });
    const key = await createKey(stage, page, "No script");
    revokeLater(stage, "Still no script");
    await expect.poll(() => page.getByRole("button", { name: "Copy the API key" }).count()).toBe(0);
    expect(await whoami(key)).toBe(200);
    await page.goto("/account/api-keys");
    await page.getByRole("link", { name: "Edit No script", exact: true }).click();
    await page.getByLabel("Name", { exact: true }).fill("Still no script");
    await page.getByLabel("Paused").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("“Still no script” updated. It’s paused").waitFor();
    expect(await whoami(key)).toBe(403);
    await page.getByRole("link", { name: "Edit Still no script", exact: true }).click();
    await page.getByLabel("Paused").uncheck();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("“Still no script” updated.").waitFor();
    expect(await whoami(key)).toBe(200);
    await action(page, "Rotate Still no script").click();
    await page.getByRole("button", { name: "Rotate now" }).click();
    const rotated = (await page.locator("#key").textContent()) ?? "";
    expect([await whoami(key), await whoami(rotated)]).toEqual([200, 200]);
    await revokeKey(page, "Still no script");
    expect([await whoami(key), await whoami(rotated)]).toEqual([401, 401]);
  });

  it("opens a key's form without moving anything", async () => {
    const { page } = await open();
    await createKey(stage, page, "Stays put");
    await page.goto("/account/api-keys");
    const places = () =>
      page.evaluate<number[][]>(
        "[...document.querySelectorAll('.card, .card-head *, section')].filter((e) => !e.closest('[popover]')).map((e) => Object.values(e.getBoundingClientRect().toJSON()))",
      );
    const before = await places();
    expect(before.length).toBeGreaterThan(10);
    await action(page, "Rotate Stays put").click();
    await page.getByRole("dialog", { name: "Rotate Stays put" }).waitFor();
    const after = await places();
    expect(after).toEqual(before);
  });

  it.each([true, false])(
    "says at the top what is wrong with a form, and leads to it (JavaScript: %s)",
    async (javaScriptEnabled) => {
      const { page } = await open({ javaScriptEnabled });
      await page.goto("/account/api-keys?create");
      const places = async () => {
        // The style sheet, too.
        await page.waitForLoadState("load");
        const top = (await page.locator("form.create").boundingBox())?.y ?? 0;
        const fields = ["#name", "#expiresInDays", "#scopes", ".more"];
        const boxes = await Promise.all(fields.map((field) => page.locator(field).boundingBox()));
        return boxes.map((box) => box && { ...box, y: Math.round(box.y - top) });
      };
      const before = await places();
      await page.getByLabel("Name", { exact: true }).fill("   ");
      await page.getByRole("button", { name: "Create key" }).click();
      const summary = page.getByRole("alert");
      await summary.getByText("The key wasn’t created.").waitFor();
      await expect.poll(() => focused(page)).toContain("The key wasn’t created.");
      await expect.poll(() => page.evaluate<number>("scrollY")).toBe(0);
      await expect.poll(places).toEqual(before);
      await summary.getByRole("link", { name: "Name must have 1 to 100 characters after trimming" }).click();
      await expect.poll(() => new URL(page.url()).hash).toBe("#name");
      await expect
        .poll(() => page.locator("#name").evaluate((input) => input.getBoundingClientRect().top))
        .toBeLessThan(720);
    },
  );

  it("shows the fields for another limit when that is chosen", async () => {
    const { page } = await open({ javaScriptEnabled: false });
    await page.goto("/account/api-keys?create");
    await page.getByText("Limit, region and addresses").click();
    await expect.poll(() => page.getByLabel("Requests").isVisible()).toBe(false);
    await page.getByLabel("Limit").selectOption("Another limit…");
    await expect.poll(() => page.getByLabel("Requests").isVisible()).toBe(true);
  });

  it("says that a key was created before when its page is loaded again", async () => {
    const { page } = await open();
    await createKey(stage, page, "Loaded again");
    await page.reload();
    await expect.poll(() => page.title()).toBe("Nothing was changed · Idea boards");
  });

  it("creates one key for a double click", async () => {
    const { page } = await open();
    await page.goto("/account/api-keys?create");
    await page.getByLabel("Name", { exact: true }).fill("Twice");
    revokeLater(stage, "Twice");
    await page.getByRole("button", { name: "Create key" }).dblclick();
    await page.getByRole("heading", { name: "Your new API key" }).waitFor();
    await page.goto("/account/api-keys");
    await expect.poll(() => card(page, "Twice").count()).toBe(1);
  });

  it.each([true, false])("creates a key for CI with 30 days in three choices (JavaScript: %s)", async (javaScript) => {
    const { page, complaints } = await open({ javaScriptEnabled: javaScript });
    const name = `CI ${javaScript}`;
    revokeLater(stage, name);
    await page.goto("/account/api-keys");
    await page.getByRole("link", { name: "Create key" }).click();
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel("Expires").selectOption("In 30 days");
    await expect.poll(() => page.getByRole("checkbox").first().isVisible()).toBe(false);
    await page.getByLabel("Sync ideas").check();
    await page.getByLabel("Choose scopes yourself").check();
    await page.getByLabel("surveys:write").check();
    await page.getByLabel("Sync ideas").check();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("heading", { name: "Your new API key" }).waitFor();
    await page.goto("/account/api-keys");
    await card(page, name).getByText("Boards: read, write. People: read.").waitFor();
    await card(page, name)
      .getByText(/in 30 days|in 1 month/)
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows a name with markup as text", async () => {
    const { page, complaints } = await open();
    const name = `<img src=x onerror="document.title='owned'">`;
    await createKey(stage, page, name);
    await page.goto("/account/api-keys");
    await page.getByRole("heading", { name }).waitFor();
    await expect.poll(() => page.title()).toBe("API keys · Idea boards");
    expect(complaints).toEqual([]);
  });

  it("has nothing for axe-core to complain of, in light and dark, wide and narrow; see the screenshots", async () => {
    const { page, complaints } = await open({ bypassCSP: true });
    const look = (name: string) => lookAround(page, name);
    await createKey(stage, page, "w".repeat(100));
    await revokeKey(page, "w".repeat(100));
    await look("api-keys-revoked");
    await createKey(stage, page, "Nightly export");
    await look("shown-key");
    await page.goto("/account/api-keys");
    await page.getByText(/^Show .*revoked or expired key/).click();
    await look("api-keys");
    await action(page, "Rotate Nightly export").click();
    await look("api-keys-dialog");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Report a leak: Nightly export" }).click();
    await page.getByRole("heading", { name: "“Nightly export” leaked" }).waitFor();
    await page.goto("/account/api-keys");
    await page.getByRole("link", { name: "Create key" }).click();
    await page.getByText("Choose scopes yourself").click();
    await page.getByText("Limit, region and addresses").click();
    await page.getByLabel("Name", { exact: true }).fill(" ");
    await page.getByLabel("Limit").selectOption("Another limit…");
    await page.getByLabel("Requests").fill("0");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByText("The key wasn’t created.").waitFor();
    await look("api-keys-refused");
    await page.goto("/account/api-keys");
    await page.getByRole("link", { name: "Revoke Nightly export" }).click();
    await page.getByRole("heading", { name: "Revoke “Nightly export”?" }).waitFor();
    await page.goto("/account/api-keys");
    await page.getByRole("link", { name: "Edit Nightly export" }).click();
    await page.getByRole("heading", { name: "Edit “Nightly export”" }).waitFor();
    await page.getByLabel("Allowed addresses").fill("203.0.113.7/24");
    await page.getByLabel("Paused").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The key wasn’t changed.").waitFor();
    await look("change-refused");
    await page.getByLabel("Allowed addresses").fill("203.0.113.0/24");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("“Nightly export” updated. It’s paused").waitFor();
    await look("api-keys-paused");
    await page.goto("/account/members");
    await page.getByLabel("Email address").fill("colleague@example.com");
    await page.getByRole("button", { name: "Invite" }).click();
    const remove = page.getByRole("link", { name: "Cancel the invitation of colleague@example.com" });
    await remove.click();
    await page.getByRole("heading", { name: "Cancel the invitation of colleague@example.com?", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Cancel invitation" }).click();
    await page.getByRole("heading", { name: "Members", level: 1 }).waitFor();
    await expect.poll(() => remove.count()).toBe(0);
    await page.goto("/account/nope");
    await look("not-found");
    expect(complaints.filter((complaint) => !/\b40[04]\b/.test(complaint))).toEqual([]);
  });
});
