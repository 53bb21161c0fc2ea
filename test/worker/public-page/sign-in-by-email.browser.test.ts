/** Signing in by e-mail in a real browser, against `npm run dev` with the binding for e-mail: nobody types all right at once, and goes back. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectAccessible } from "../../support/node/accessible.ts";
import { freePort, makeCheckout, startDevWith } from "../../support/node/checkout.ts";
import { openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");

/** The shared server sends no e-mail: this one has the binding, and keeps each e-mail as a file below its folder. */
async function startWithMail() {
  const checkout = await makeCheckout();
  const settings = join(checkout.folder, "wrangler.toml");
  const text = await readFile(settings, "utf8");
  await writeFile(
    settings,
    text
      .replace('# [[send_email]]\n# name = "NOTICES"', '[[send_email]]\nname = "NOTICES"')
      .replace('NOTICES_FROM = ""', 'NOTICES_FROM = "ideas@example.com"'),
  );
  const temporary = join(checkout.folder, "temporary");
  await mkdir(temporary);
  const port = await freePort();
  const server = await startDevWith([`TMPDIR=${temporary}`], checkout.folder, "--port", String(port));
  const printed = (name: string) => server.output.match(new RegExp(`^${name}: (\\S+)$`, "m"))?.[1] ?? "";
  return {
    stage: { ...shared, api: `http://localhost:${port}`, apiKey: printed("API key"), demoToken: printed("Token") },
    mails: async () => {
      const files = await readdir(checkout.folder, { recursive: true });
      const texts = files.filter((path) => /email-text\/[^/]+$/.test(path));
      return Promise.all(texts.map((path) => readFile(join(checkout.folder, path), "utf8")));
    },
    stop: async () => {
      await server.stop();
      await checkout.remove();
    },
  };
}

describe("a sign-in by e-mail", () => {
  let server: Awaited<ReturnType<typeof startWithMail>>;
  let stage: Stage;
  beforeAll(async () => {
    server = await startWithMail();
    stage = await openStage(server.stage);
  });
  afterEach(() => stage?.closePages());
  afterAll(async () => {
    await stage?.close();
    await server?.stop();
  });

  async function createBoard() {
    const settings = { name: "Night buses", publicPage: true, approvalRequired: false, emailSignIn: true };
    const bank = await stage.ideaBank(settings, [{ title: "Dogs travel free" }]);
    const path = `/b/${bank.path.split("/").at(-1)}`;
    return { path, home: `${stage.api}${path}/night-buses` };
  }

  /** As soon as a form of ours may be sent: one that is sent in an instant is refused as a program's, and comes back. */
  const sendCode = async (page: Page) => {
    await expect
      .poll(
        async () => {
          const button = page.getByRole("button", { name: "Send me a code" });
          if ((await button.count()) > 0) await button.click();
          return page.getByLabel("Code", { exact: true }).count();
        },
        { interval: 1_500 },
      )
      .toBe(1);
  };

  it("that was refused at every step leaves Back as people know it", async () => {
    const { path, home } = await createBoard();
    const { page } = await stage.page();
    await page.goto(home);
    await page.goto(`${stage.api}${path}/sign-in?return=${encodeURIComponent(`${path}/night-buses`)}`);
    await page.getByLabel("Email address").fill("ana@example");
    await page.getByRole("button", { name: "Send me a code" }).click();
    await page.getByText("Enter an email address").waitFor();
    await expect.poll(() => page.getByLabel("Email address").inputValue()).toBe("ana@example");
    await page.getByLabel("Email address").fill(`ana-${crypto.randomUUID().slice(0, 8)}@example.com`);
    await sendCode(page);
    const [mail = ""] = await server.mails();
    const code = /^\d{3} \d{3}$/m.exec(mail)?.[0] ?? "";
    for (const wrong of ["12", code === "000 000" ? "000001" : "000000"]) {
      await page.getByLabel("Code", { exact: true }).fill(wrong);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.locator(".fault").waitFor();
    }
    await page.getByText("That’s not the code").waitFor();
    await page.getByLabel("Code", { exact: true }).fill(code);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    const steps = await page.evaluate<number>("history.length");
    expect(steps).toBeGreaterThan(4);
    for (let back = 2; back < steps; back += 1) {
      await page.goBack();
      // Chrome's own error page has another address, and no page of ours is without a heading.
      await expect.poll(() => page.evaluate<string>("location.href")).toMatch(`${stage.api}${path}`);
      await page.locator("h1, .page-name").first().waitFor();
    }
    await expect.poll(() => page.url()).toBe(home);
  });

  it.each(["light", "dark"] as const)("is accessible, refused too: %s", async (colorScheme) => {
    const { path } = await createBoard();
    const { page } = await stage.page({ colorScheme, viewport: { width: 390, height: 844 } });
    await page.goto(`${stage.api}${path}/sign-in`);
    await expectAccessible(page, "sign-in", { onPhone: true });
    await page.getByLabel("Email address").fill("ana@example");
    await page.getByRole("button", { name: "Send me a code" }).click();
    await page.getByText("Enter an email address").waitFor();
    await expectAccessible(page, "a refused sign-in", { onPhone: true });
    await page.getByLabel("Email address").fill(`ana-${crypto.randomUUID().slice(0, 8)}@example.com`);
    await sendCode(page);
    await page.getByLabel("Code", { exact: true }).fill("1");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("Enter the 6 digits").waitFor();
    await expectAccessible(page, "the code", { onPhone: true });
  });
});
