/** The pages of webhooks in a real browser, with a receiver that is a real server on this machine, and what axe-core finds. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { openStage, type Stage } from "../../support/node/element-stage.ts";
import { lookAround } from "../../support/node/look-around.ts";
import { action, copied, openPage } from "../../support/node/owner-pages.ts";

const shared = inject("stage");

type Got = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string };
const got: Got[] = [];
const receiver = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  got.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks).toString() });
  response.writeHead(request.url === "/refuses" ? 503 : 204).end();
});

describe("Webhooks in Chromium", () => {
  let stage: Stage;
  let url: string;

  beforeAll(async () => {
    stage = await openStage(shared);
    await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  });
  afterEach(() => stage?.closePages());
  afterAll(async () => {
    await stage?.close();
    receiver.closeAllConnections();
    receiver.close();
  });

  /** Returns the secret that is shown. */
  async function create(page: Page, path: string, ...types: string[]): Promise<string> {
    await page.goto("/account/api-keys");
    await page.getByRole("link", { name: "Webhooks", exact: true }).click();
    await page.getByRole("link", { name: "Create webhook" }).click();
    await page.getByText("or http://localhost with another port").waitFor();
    await page.getByLabel("URL", { exact: true }).fill(url + path);
    if (types.length > 0) await page.getByRole("radio", { name: /^Choose events/ }).check();
    for (const type of types) await page.locator(`input[name="types"][value="${type}"]`).check();
    await action(page, "Create webhook").click();
    await page.getByRole("heading", { name: url + path, level: 1 }).waitFor();
    return (await page.locator("#secret").textContent()) ?? "";
  }

  async function remove(page: Page): Promise<void> {
    await page.getByText("Delete…").click();
    await action(page, "Delete this webhook").click();
    await page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();
    await page.waitForLoadState();
  }

  it.each([true, false])(
    "a Slack message is made and tested, and its address is shown by its end (JavaScript: %s)",
    async (javaScript) => {
      const { page, complaints } = await openPage(stage, { javaScriptEnabled: javaScript });
      await page.goto("/account/webhooks/new");
      const help = page.getByText("Discord: the channel’s settings");
      await expect.poll(() => help.isVisible()).toBe(false);
      await page.getByRole("radio", { name: /^Slack message/ }).check();
      await help.waitFor();
      await expect.poll(() => page.getByRole("radio", { name: /^Choose events/ }).isVisible()).toBe(false);
      if (javaScript) await lookAround(page, "new Slack message");
      await page.getByLabel("URL", { exact: true }).fill(`${url}/services/T/B/s3cr3tXyzW`);
      await page.getByRole("checkbox", { name: "A survey was answered" }).uncheck();
      await action(page, "Create webhook").click();
      await page.getByRole("heading", { name: `${url}/…XyzW`, level: 1 }).waitFor();
      await expect.poll(() => page.content()).not.toContain("s3cr3t");
      await expect.poll(() => page.locator("#secret").count()).toBe(0);
      await page.getByLabel("Test event").selectOption({ label: "Someone commented" });
      await action(page, "Send test event").click();
      await page.getByText("Your endpoint answered the test event with 204").waitFor();
      expect(Object.keys(JSON.parse(got.at(-1)?.body ?? "{}"))).toEqual(["text"]);
      expect(got.at(-1)?.path).toBe("/services/T/B/s3cr3tXyzW");
      // The form is saved with the address as it is shown.
      await page.getByRole("checkbox", { name: "Someone commented" }).uncheck();
      if (javaScript) await lookAround(page, "Slack message");
      await action(page, "Save").click();
      await expect.poll(() => page.getByRole("checkbox", { name: "Someone commented" }).isChecked()).toBe(false);
      await action(page, "Send test event").click();
      await expect.poll(() => got.at(-1)?.body).toContain("this webhook works");
      expect(got.at(-1)?.path).toBe("/services/T/B/s3cr3tXyzW");
      await remove(page);
      expect(complaints).toEqual([]);
    },
  );

  it.each([true, false])("is made, tested, paused, rotated, moved and deleted (JavaScript: %s)", async (javaScript) => {
    const { page, complaints } = await openPage(stage, { javaScriptEnabled: javaScript });
    const path = `/hook-${javaScript}`;
    const secret = await create(page, path);
    expect(secret).toMatch(/^whsec_/);
    const copy = page.getByRole("button", { name: "Copy the secret" });
    if (!javaScript) await expect.poll(() => copy.count()).toBe(0);
    else {
      await copy.click();
      await expect.poll(() => copied(page)).toBe(secret);
    }
    await page.goto("/account/webhooks");
    await page.getByRole("link", { name: url + path }).click();
    await expect.poll(() => page.content()).not.toContain(secret);

    // The account's other changes are delivered too: those of other files.
    const name = `Sent to ${path}`;
    await stage.tenant("POST", "/ideabanks", { name });
    const deliveries = () => got.filter((delivery) => delivery.path === path && delivery.body.includes(name));
    await expect.poll(() => deliveries().length).toBe(1);
    const [delivery] = deliveries();
    expect(
      delivery && new Webhook(secret).verify(delivery.body, delivery.headers as Record<string, string>),
    ).toMatchObject({
      type: "ideabank.created",
      ideaBank: { name },
    });

    await action(page, "Send test event").click();
    await page.locator(".events li", { hasText: "webhook.test" }).getByText("204", { exact: true }).waitFor();
    await page.getByLabel("Test event").selectOption("comment.created");
    await action(page, "Send test event").click();
    // Comments of other files are delivered to it too.
    await page
      .locator(".events li", { hasText: "comment.created" })
      .first()
      .getByText("204", { exact: true })
      .waitFor();
    await action(page, "Pause").click();
    await page.getByText("Paused", { exact: true }).waitFor();
    await action(page, "Resume").click();
    await page.getByText("Active", { exact: true }).waitFor();
    await page.getByLabel("Time (UTC)").fill("2100-01-01T00:00");
    await action(page, "Replay from then").click();
    // Other files' changes may have taken the place of the test event.
    await page.getByText("None yet.").or(page.locator(".events li")).first().waitFor();
    await action(page, "Rotate secret").click();
    await page.locator("#secret").waitFor();
    await expect.poll(() => page.locator("#secret").textContent()).not.toBe(secret);
    await page.getByText("Also signs deliveries, stops").waitFor();
    // Nothing is sent a second time by loading the page again; the secret is not shown again.
    await page.goto(page.url());
    await expect.poll(() => page.locator("#secret").count()).toBe(0);
    await remove(page);
    await expect.poll(() => page.getByRole("link", { name: url + path }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it.each([true, false])(
    "says at the top what is wrong with a URL, and leads to it (JavaScript: %s)",
    async (javaScript) => {
      const { page } = await openPage(stage, { javaScriptEnabled: javaScript });
      await page.goto("/account/webhooks/new");
      await page.getByLabel("URL", { exact: true }).fill("https://10.0.0.1/");
      await page.getByRole("radio", { name: /^Choose events/ }).check();
      await page.getByLabel("comment.created").check();
      await action(page, "Create webhook").click();
      const summary = page.getByRole("alert");
      await summary.getByRole("link", { name: /^URL must be https/ }).click();
      await expect.poll(() => new URL(page.url()).hash).toBe("#url");
      await expect.poll(() => page.getByLabel("URL", { exact: true }).inputValue()).toBe("https://10.0.0.1/");
      await expect.poll(() => page.getByLabel("comment.created").isChecked()).toBe(true);
    },
  );

  it("has nothing for axe-core to complain of, in light and dark, wide and narrow; see the screenshots", async () => {
    const { page, complaints } = await openPage(stage, { bypassCSP: true });
    const look = (name: string) => lookAround(page, name);
    await create(page, "/refuses", "proposal.status-changed", "ideabank.created");
    await look("webhook-secret");
    await action(page, "Send test event").click();
    await page.locator(".events li", { hasText: "webhook.test" }).getByText("503", { exact: true }).waitFor();
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
    await page.getByRole("link", { name: `${url}/refuses` }).click();
    await remove(page);
    expect(complaints).toEqual([]);
  });
});
