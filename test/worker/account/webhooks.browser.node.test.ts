/** The pages of webhooks in a real browser, with a receiver that is a real server on this machine, and what axe-core finds. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openStage, type Stage } from "../../support/node/element-stage.ts";
import { lookAround } from "../../support/node/look-around.ts";
import { action, openPage } from "../../support/node/owner-pages.ts";

const shared = inject("stage");

type Got = { readonly headers: IncomingHttpHeaders; readonly body: string };
const got: Got[] = [];
const receiver = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  got.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
  response.writeHead(request.url === "/refuses" ? 503 : 204).end();
});

describe.runIf(shared)("Webhooks in Chromium", { timeout: 120_000 }, () => {
  let stage: Stage;
  let url: string;

  beforeAll(async () => {
    if (shared) stage = await openStage(shared);
    await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await stage?.close();
    receiver.closeAllConnections();
    receiver.close();
  });

  /** Returns the secret that is shown. */
  async function create(page: Page, path: string, ...types: string[]): Promise<string> {
    await page.goto("/account/api-keys");
    await page.getByRole("link", { name: "Webhooks", exact: true }).click();
    await page.getByLabel("URL", { exact: true }).fill(url + path);
    for (const type of types) await page.getByLabel(type, { exact: true }).check();
    await action(page, "Create webhook").click();
    await page.getByRole("heading", { name: url + path, level: 1 }).waitFor();
    return (await page.locator("#secret").textContent()) ?? "";
  }

  async function remove(page: Page): Promise<void> {
    await page.getByText("Delete…").click();
    await action(page, "Delete this webhook").click();
    await page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();
  }

  it.each([true, false])("is made, tested, paused, rotated, moved and deleted (JavaScript: %s)", async (javaScript) => {
    const { page, complaints } = await openPage(stage, { javaScriptEnabled: javaScript });
    const path = `/hook-${javaScript}`;
    const secret = await create(page, path);
    expect(secret).toMatch(/^whsec_/);
    const copy = page.getByRole("button", { name: "Copy the secret" });
    expect(await copy.count()).toBe(javaScript ? 1 : 0);
    if (javaScript) {
      await copy.click();
      await action(page, "Copied").waitFor();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(secret);
    }
    await page.goto("/account/webhooks");
    await page.getByRole("link", { name: url + path }).click();
    expect(await page.content()).not.toContain(secret);

    const before = got.length;
    await stage.tenant("POST", "/ideabanks", { name: "Sent to a webhook" });
    await expect.poll(() => got.length).toBe(before + 1);
    const [delivery] = got.slice(before);
    expect(
      delivery && new Webhook(secret).verify(delivery.body, delivery.headers as Record<string, string>),
    ).toMatchObject({
      type: "ideabank.created",
      ideaBank: { name: "Sent to a webhook" },
    });

    await action(page, "Send a test").click();
    await page.locator(".events li", { hasText: "webhook.test" }).getByText("204").waitFor();
    await action(page, "Pause").click();
    await page.getByText("Paused", { exact: true }).waitFor();
    await action(page, "Go on").click();
    await page.getByText("Active", { exact: true }).waitFor();
    await page.getByLabel("Time (UTC)").fill("2100-01-01T00:00");
    await action(page, "Go back to it").click();
    await page.getByText("None yet.").or(page.getByText("webhook.test")).first().waitFor();
    await action(page, "Rotate secret").click();
    await page.locator("#secret").waitFor();
    expect(await page.locator("#secret").textContent()).not.toBe(secret);
    await page.getByText("Signs too, ends").waitFor();
    // Nothing is sent a second time by loading the page again; the secret is not shown again.
    await page.goto(page.url());
    expect(await page.locator("#secret").count()).toBe(0);
    await remove(page);
    expect(await page.getByRole("link", { name: url + path }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it.each([true, false])(
    "says at the top what is wrong with a URL, and leads to it (JavaScript: %s)",
    async (javaScript) => {
      const { page } = await openPage(stage, { javaScriptEnabled: javaScript });
      await page.goto("/account/webhooks");
      await page.getByLabel("URL", { exact: true }).fill("https://10.0.0.1/");
      await page.getByLabel("comment.created").check();
      await action(page, "Create webhook").click();
      const summary = page.getByRole("alert");
      await summary.getByRole("link", { name: /^URL must be https/ }).click();
      expect(new URL(page.url()).hash).toBe("#url");
      expect(await page.getByLabel("URL", { exact: true }).inputValue()).toBe("https://10.0.0.1/");
      expect(await page.getByLabel("comment.created").isChecked()).toBe(true);
    },
  );

  it("has nothing for axe-core to complain of, in light and dark, wide and narrow; see the screenshots", async () => {
    const { page, complaints } = await openPage(stage, { bypassCSP: true });
    const look = (name: string) => lookAround(page, name);
    await create(page, "/refuses", "proposal.status-changed", "ideabank.created");
    await look("webhook-secret");
    await action(page, "Send a test").click();
    await page.locator(".events li", { hasText: "503" }).waitFor();
    await stage.tenant("POST", "/ideabanks", { name: "Refused by a webhook" });
    await expect
      .poll(async () => {
        await page.reload();
        return page.getByText("Failing", { exact: true }).count();
      })
      .toBe(1);
    await look("webhook");
    await page.goto("/account/webhooks");
    await look("webhooks");
    await page.goto("/account/activity");
    await look("activity-webhooks");
    await page.goto("/account/webhooks");
    await page.getByRole("link", { name: `${url}/refuses` }).click();
    await remove(page);
    expect(complaints).toEqual([]);
  });
});
