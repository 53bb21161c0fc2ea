/** `PAGES_HOST`: pages on a host of their own, where nobody signs in as an owner or an operator. */

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { createApp } from "../../../src/worker/app.ts";
import { createPageScene } from "../../support/public-page.ts";

const HOST = "ideas.example.com";
const withHost = { ...env, PAGES_HOST: HOST };

async function ask(host: string, path: string, init: RequestInit = {}) {
  const context = createExecutionContext();
  const request = new Request(`https://${host}${path}`, { redirect: "manual", ...init });
  const answer = await createApp().fetch(request, withHost, context);
  await waitOnExecutionContext(context);
  return answer;
}

it("has the pages, the elements and the panelist API, and nothing else", { tags: "slow" }, async () => {
  const { home, bank, propose } = await createPageScene();
  const id = await propose({ title: "Here" });
  for (const path of [home, `${home}/ideas/${id}`, `/b/${bank.id}/changelog.atom`, "/sitemap.xml", "/robots.txt"])
    expect((await ask(HOST, path)).status, path).toBe(200);
  const token = { Authorization: bank.token };
  for (const path of ["/ideabank", "/ideabank/proposals", "/public/ideabank/changelog", "/surveys"])
    expect((await ask(HOST, path, { headers: token })).status, path).toBe(200);
  const elsewhere = [
    ...[
      "/account",
      "/account/",
      "/account/api-keys",
      "/account/api/keys",
      "/account/sign-in",
      "/operator/accounts",
      "/operator",
    ],
    ...[
      "/tenant/whoami",
      "/tenant",
      "/mcp",
      "/leaks",
      "/leaks/github",
      "/health",
      "/version",
      "/reference",
      "/openapi.json",
    ],
    ...[
      "/docs/api.md",
      "/llms.txt",
      "/index.html",
      "/.well-known/security.txt",
      "//account",
      "/b/../account",
      "/ACCOUNT",
      "/embedded",
    ],
  ];
  for (const path of elsewhere) {
    for (const method of ["GET", "POST", "HEAD", "OPTIONS"]) {
      const answer = await ask(HOST, path, { method, headers: { "X-API-Key": "ibk_x", Accept: "text/html" } });
      expect([answer.status, await answer.text()], `${method} ${path}`).toEqual([404, ""]);
    }
  }
});

it("is where the links to pages lead from every other host, and nothing of them is there", async () => {
  const { home } = await createPageScene();
  const led = await ask("api.example.com", `${home}?lang=de`);
  expect([led.status, led.headers.get("Location")]).toEqual([302, `https://${HOST}${home}?lang=de`]);
  expect((await ask("api.example.com", `${home}/../sign-in`, { method: "POST" })).status).toBe(404);
  expect((await ask("api.example.com", "/health")).status).toBe(200);
  expect(await (await ask(HOST, home)).text()).toContain(`<link rel="canonical" href="https://${HOST}${home}"/>`);
});

it("names a host with the port and the letters that a request has", async () => {
  const { home } = await createPageScene();
  const request = new Request(`https://IDEAS.example.com:8443${home}`);
  const answer = await createApp().fetch(
    request,
    { ...env, PAGES_HOST: "Ideas.Example.com:8443" },
    createExecutionContext(),
  );
  expect(answer.status).toBe(200);
});

it.each([":8443", ":2053", "."])("is that host at each of its spellings: %s", async (more) => {
  for (const path of ["/account", "/tenant/whoami", "/health"])
    expect((await ask(HOST + more, path)).status, path).toBe(404);
});
