/**
 * Nine forms in a real browser whose sign-in has ended while they were filled in, against `npm run dev` of a checkout where nothing plays
 * Cloudflare Access.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser, takeScreenshot } from "../../support/node/browser.ts";
import { type DevServer, freePort, makeCheckout, startDev } from "../../support/node/checkout.ts";
import { lookAround } from "../../support/node/look-around.ts";

let checkout: Awaited<ReturnType<typeof makeCheckout>>;
let server: DevServer;
let browser: Browser;
let origin: string;

beforeAll(async () => {
  checkout = await makeCheckout(["src", "public"]);
  const file = join(checkout.folder, "wrangler.toml");
  const configuration = await readFile(file, "utf8");
  await writeFile(file, configuration.replace(/^\[access\.dev\]\n(?:.+\n)+/m, ""));
  const port = await freePort();
  origin = `http://localhost:${port}`;
  server = await startDev(checkout.folder, "--port", String(port), "--platform");
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await checkout?.remove();
});

const OWNER = "owner@example.com";
const platform = () => server.output.match(/^The platform: (\S+)$/m)?.[1] ?? "";

/** In a tab of its own, as the page says. */
async function signIn(context: BrowserContext): Promise<void> {
  const page = await context.newPage();
  await page.goto(platform());
  await page.getByLabel("Customer").fill(OWNER);
  await page.getByRole("button", { name: "Open Account Settings" }).click();
  await page.getByRole("button", { name: "Sign out", exact: true }).waitFor();
  await page.close();
}

/** Another browser of the same person ends every session. */
async function endSessions(): Promise<void> {
  const elsewhere = await browser.newContext({ baseURL: origin });
  await signIn(elsewhere);
  const page = await elsewhere.newPage();
  await page.goto("/account/accounts");
  await page.getByRole("button", { name: "Sign out everywhere" }).click();
  await page.getByRole("heading", { name: "You’re signed out everywhere" }).waitFor();
  await elsewhere.close();
}

const TEXT = "Twenty minutes of work, and\nit has two lines & “quotes”.";
const LINE = "A name & “quotes”";
const BANK = "/account/idea-banks/0DemoBank000";

/** Where the form is, the field that is written into, the text, and the button that sends it. `first` opens a link of the page. */
type Form = { name: string; at: string; first?: string; field: string; text: string; button: string };
const FORMS: Form[] = [
  { name: "a comment", at: BANK, first: "/ideas/", field: "#body", text: TEXT, button: "Post comment" },
  { name: "a response", at: BANK, first: "/ideas/", field: "#response", text: TEXT, button: "Save" },
  { name: "an idea", at: BANK, first: "/ideas/", field: "#description", text: TEXT, button: "Save text" },
  {
    name: "a submission",
    at: "/account/ideas?visibility=pending",
    first: "/ideas/",
    field: "#response",
    text: TEXT,
    button: "Approve",
  },
  { name: "a board", at: "/account/idea-banks", field: "#name", text: LINE, button: "Create board" },
  { name: "settings", at: `${BANK}/settings`, field: "#name", text: LINE, button: "Save" },
  { name: "an API key", at: "/account/api-keys?create", field: "#name", text: LINE, button: "Create key" },
  {
    name: "a webhook",
    at: "/account/webhooks/new",
    field: "#url",
    text: "https://crm.example.com/a",
    button: "Create webhook",
  },
  { name: "an invitation", at: "/account/members", field: "#email", text: "someone@example.com", button: "Invite" },
];

/** Fills the form in, and sends it when the sign-in has ended. */
async function sendTooLate(page: Page, { at, first, field, text, button }: Form): Promise<void> {
  await page.goto(at);
  if (first !== undefined) {
    const link = page.locator(`main h2 a[href*='${first}']`).first();
    await page.goto((await link.getAttribute("href")) ?? "");
  }
  const form = page.locator("form[method=post]", { has: page.locator(field) }).last();
  // The words of an idea are behind a summary.
  await form.evaluate((element) => element.closest("details")?.setAttribute("open", ""));
  // The field of a response is, too, once there is one.
  for (const summary of await form.locator("details:not([open]) > summary").all()) await summary.click();
  await form.locator(field).fill(text);
  await endSessions();
  await form.getByRole("button", { name: button }).first().click();
  await page.getByRole("heading", { name: "You're signed out" }).waitFor();
}

const written = async (page: Page) =>
  Promise.all((await page.locator("main textarea").all()).map((area) => area.inputValue()));

describe("when the sign-in ends while a form is filled in", () => {
  it.each(FORMS)("$name stays on the page, and is sent after signing in again", async (form) => {
    const context = await browser.newContext({ baseURL: origin, javaScriptEnabled: form.name !== "a comment" });
    await signIn(context);
    const page = await context.newPage();
    await sendTooLate(page, form);
    expect(await written(page)).toContain(form.text);
    await takeScreenshot(page, `test-results/refused-${form.name.replaceAll(" ", "-")}.png`);
    await signIn(context);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "You're signed out" }).waitFor({ state: "detached" });
    await page.getByText(`Signed in as ${OWNER}`).waitFor();
    expect(await page.locator(".notice.bad").count()).toBe(0);
    await context.close();
  });

  it("the page can be used on phones, in the dark, and with a screen reader", async () => {
    const context = await browser.newContext({ baseURL: origin, bypassCSP: true });
    await signIn(context);
    const page = await context.newPage();
    const [comment] = FORMS;
    if (comment !== undefined) await sendTooLate(page, comment);
    await lookAround(page, "account-refused-form");
    await context.close();
  });
});
