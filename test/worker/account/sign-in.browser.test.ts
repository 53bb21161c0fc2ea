/** Sign-in through the platform, in a real browser, against `npm run dev`: a page there plays the platform. */
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { openStage, type Stage } from "../../support/node/element-stage.ts";
import { lookAround } from "../../support/node/look-around.ts";
import { action, openPage } from "../../support/node/owner-pages.ts";

const shared = inject("stage");

describe("an owner whom the platform signs in", () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  it.each([{}, { javaScriptEnabled: false }])(
    "comes from the platform's page, acts, and signs out: %j",
    async (options) => {
      const { page } = await openPage(stage, options);
      const email = `${crypto.randomUUID()}@example.com`;
      const signedInAs = () => page.locator(".who p").textContent();
      await page.goto(shared.platform);
      await page.getByLabel("Customer").fill(email);
      await page.getByLabel("Page").selectOption("/account/members");
      const opened = page.waitForRequest(/sign-in\?link=/);
      await action(page, "Open Account Settings").click();
      const link = (await opened).url();
      // Access has signed the owner of this machine in.
      await page.getByText("You’ll be signed out of owner@example.com").waitFor();
      await action(page, `Continue as ${email}`).click();
      await page.getByRole("heading", { name: "Members" }).waitFor();
      await page.waitForURL("**/account/members");
      await expect.poll(signedInAs).toBe(`Signed in as ${email}`);
      const cookies = (await page.context().cookies()).filter(({ name }) => name === "__Host-owner");
      expect(cookies).toMatchObject([
        { httpOnly: true, secure: true, sameSite: "Lax", path: "/", domain: "localhost" },
      ]);

      await page.getByLabel("Email address").fill("colleague@example.com");
      await action(page, "Invite").click();
      await page.getByText("colleague@example.com").first().waitFor();

      await action(page, "Sign out").click();
      await page.getByRole("heading", { name: "You’re signed out" }).waitFor();
      await page.goto("/account/api-keys");
      await expect.poll(signedInAs).toBe("Signed in as owner@example.com");
      await page.goto(link);
      await page.getByRole("heading", { name: "This link has expired" }).waitFor();
    },
  );

  it("can see and use each of its pages: on phones, in the dark, with a screen reader", async () => {
    const { page, complaints } = await openPage(stage, { bypassCSP: true });
    // It looked around on a phone last.
    const openMenu = () => page.getByRole("button", { name: "Menu" }).click();
    await page.goto(shared.platform);
    await page.getByLabel("Customer").fill("somebody@example.com");
    await lookAround(page, "platform");
    await action(page, "Open Account Settings").click();
    await action(page, "Continue as somebody@example.com").click();
    await openMenu();
    await action(page, "Sign out").waitFor();
    await page.goto(shared.platform);
    await page.getByLabel("Customer").fill("customer@example.com");
    await action(page, "Open Account Settings").click();
    await action(page, "Continue as customer@example.com").waitFor();
    await lookAround(page, "account-sign-in");
    await action(page, "Continue as customer@example.com").click();
    await page.getByRole("button", { name: "Menu" }).waitFor();
    await lookAround(page, "account-handed-over");
    await openMenu();
    await page.evaluate("sessionStorage.setItem('draft', 'Half written')");
    await action(page, "Sign out").click();
    await page.getByRole("heading", { name: "You’re signed out" }).waitFor();
    await expect.poll(() => page.evaluate("sessionStorage.length")).toBe(0);
    await lookAround(page, "account-signed-out");
    expect(complaints).toEqual([]);
  });
});
