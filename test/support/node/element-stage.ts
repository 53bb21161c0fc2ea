/**
 * Where pages and elements are tried: the API as `npm run dev` serves it, a browser, and pages on another origin (another port),
 * with the headers that a test gives them. The files of tests share the server and the browser; each has pages of its own.
 */
import { cp } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { BrowserContextOptions, Locator, Page, Request } from "playwright-core";
import { buildElements } from "../../../src/commands/development/build-elements.ts";
import { release } from "../../../src/commands/development/released-elements.ts";
import { ELEMENTS_VERSION } from "../../../src/elements/version.ts";
import { connectBrowser, launchSharedBrowser } from "./browser.ts";
import { freePort, makeCheckout, startDev } from "./checkout.ts";
import { block } from "./documents.ts";

type HostOptions = {
  readonly head?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly lang?: string;
  readonly dir?: string;
};
export type Stage = Awaited<ReturnType<typeof openStage>>;

/** How many requests of a page have no answer yet. */
const underWay = new WeakMap<Page, { count: number }>();

function countRequests(page: Page): void {
  const counter = { count: 0 };
  underWay.set(page, counter);
  page.on("request", () => {
    counter.count += 1;
  });
  const end = () => {
    counter.count -= 1;
  };
  page.on("requestfinished", end);
  page.on("requestfailed", end);
}

const HELD_MS = 10_000;

/**
 * Lets this much time pass on a page with a clock of its own, once what it has asked for is answered: a request that is under way would
 * reach its deadline. One that the test holds is not waited for.
 */
export async function passTime(page: Page, ms: number): Promise<void> {
  const until = Date.now() + HELD_MS;
  while ((underWay.get(page)?.count ?? 0) > 0 && Date.now() < until) await sleep(50);
  await page.clock.runFor(ms);
}

/** What several files of tests can share. Its elements have a made-up release. */
export type SharedStage = {
  readonly api: string;
  /** The page that plays the platform, which signs owners in. */
  readonly platform: string;
  readonly apiKey: string;
  readonly demoToken: string;
  readonly browserAddress: string;
};

export async function startStage(): Promise<{ shared: SharedStage; stop: () => Promise<void> }> {
  const checkout = await makeCheckout();
  await cp("docs/embed.md", join(checkout.folder, "docs/embed.md"));
  await release(await buildElements(), { product: ELEMENTS_VERSION, root: checkout.folder });
  const port = await freePort();
  const [server, browser] = await Promise.all([
    startDev(checkout.folder, "--port", String(port), "--platform"),
    launchSharedBrowser(),
  ]);
  const printed = (name: string) => server.output.match(new RegExp(`^${name}: (\\S+)$`, "m"))?.[1] ?? "";
  return {
    shared: {
      api: `http://localhost:${port}`,
      platform: printed("The platform"),
      apiKey: printed("API key"),
      demoToken: printed("Token"),
      browserAddress: browser.wsEndpoint(),
    },
    async stop() {
      await browser.close();
      await server.stop();
      await checkout.remove();
    },
  };
}

export async function openStage({ api, apiKey, demoToken, browserAddress }: SharedStage) {
  const [browser, host] = await Promise.all([connectBrowser(browserAddress), serveHostPages()]);
  /** The documented one, on a page that allows nothing else. */
  const strictPolicy = {
    "Content-Security-Policy": `default-src 'none'; ${block("docs/embed.md", "policy").trim().replaceAll("https://api.example", api)}`,
  };

  /** The tenant API, with the demo account's key. All files of tests share its limit: over it, this waits as a client does. */
  async function tenant<Answer = { id: string }>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(`${api}/tenant${path}`, {
      method,
      headers: { "X-API-Key": apiKey, "Content-Type": "application/json" },
      body: body ? JSON.stringify(body) : null,
    });
    const text = await response.text();
    if (response.status === 429) {
      await sleep(1000 * Number(response.headers.get("Retry-After")));
      return tenant(method, path, body);
    }
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return JSON.parse(text || "{}");
  }

  return {
    api,
    browser,
    strictPolicy,
    demoToken,
    tenant,
    hostPage: host.add,

    /** An open idea bank with these settings, and proposals of the tenant, oldest first. */
    async ideaBank(settings: object = {}, proposals: readonly object[] = []) {
      const created = { name: "Ideas", status: "OPEN", changelogEnabled: true, ...settings };
      const { id } = await tenant("POST", "/ideabanks", created);
      const ids: string[] = [];
      for (const proposal of proposals) ids.push((await tenant("POST", `/ideabanks/${id}/proposals`, proposal)).id);
      const issueToken = (externalId: string, displayName?: string) =>
        tenant<{ token: string; panelistId: string }>("POST", `/ideabanks/${id}/tokens`, {
          externalId,
          ...(displayName && { displayName }),
        });
      const tokenFor = async (externalId: string, displayName?: string) =>
        (await issueToken(externalId, displayName)).token;
      const { token, panelistId } = await issueToken(`visitor-of-${id}`, "Robin");
      return { path: `/ideabanks/${id}`, ids, tokenFor, token, panelistId };
    },

    /** Between tests, so that what a page holds goes with it. */
    closePages: () => Promise.all(browser.contexts().map((context) => context.close())),

    /** A page that keeps what the browser complains of. */
    async page(options: BrowserContextOptions = {}) {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      countRequests(page);
      const complaints: string[] = [];
      page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      return { page, context, complaints };
    },

    async close() {
      await browser.close();
      await host.close();
    },
  };
}

/** A server on a port of its own, for pages that a test makes up. */
async function serveHostPages() {
  const pages = new Map<string, { html: string; headers: Readonly<Record<string, string>> }>();
  const server = createServer((request, response) => {
    const page = pages.get(request.url?.split("?")[0] ?? "");
    response.writeHead(page ? 200 : 204, { "Content-Type": "text/html; charset=utf-8", ...page?.headers });
    response.end(page?.html);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const { port } = server.address() as AddressInfo;
  return {
    /** The address of a page with this body. */
    add(body: string, { head = "", headers = {}, lang = "en", dir = "ltr" }: HostOptions = {}): string {
      const path = `/${pages.size}`;
      const html = `<!doctype html><html lang="${lang}" dir="${dir}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A tenant's page</title>${head}</head><body><main><h1>A tenant's page</h1>${body}</main></body></html>`;
      pages.set(path, { html, headers });
      return `http://127.0.0.1:${port}${path}`;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((done) => server.close(() => done()));
    },
  };
}

/** What an expression says of a page's `element`. The tests know no DOM types. */
export const ask = <Answer = string>(locator: Locator, expression: string): Promise<Answer> =>
  locator.evaluate(new Function("element", `return ${expression}`) as (element: unknown) => Answer);

/** The token that an element sends with a request: what is only read has it in `Accept`. */
export const tokenSentWith = (request: Request): string =>
  request.headers().authorization ?? /;token=(.*)$/.exec(request.headers().accept ?? "")?.[1] ?? "";

/** Answers the matching requests only once `release` has been called; `seen` tells when the first has come. */
export async function hold(page: Page, url: string | RegExp) {
  const gate = Promise.withResolvers<void>();
  const seen = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    seen.resolve();
    await gate.promise;
    // The page may have given up on it.
    await route.continue().catch(() => undefined);
  });
  return { seen: seen.promise, release: gate.resolve };
}

/** The matching requests arrive at once; their answers come only after `release`, as they were then. */
export async function holdAnswers(page: Page, url: string | RegExp) {
  const gate = Promise.withResolvers<void>();
  const seen = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    const response = await route.fetch();
    seen.resolve();
    await gate.promise;
    // The page may have given up on it.
    await route.fulfill({ response }).catch(() => undefined);
  });
  return { seen: seen.promise, release: gate.resolve };
}

/** The next matching answer is this problem, as the API would send it. */
export const answerOnce = (page: Page, url: string | RegExp, status: number, error: string, headers = {}) =>
  page.route(
    url,
    (route) =>
      route.fulfill({
        status,
        headers: {
          "Access-Control-Allow-Origin": "*",
          "Access-Control-Expose-Headers": "ETag,Idempotency-Replayed,Retry-After,X-Request-Id",
          "Content-Type": "application/problem+json",
          ...headers,
        },
        body: JSON.stringify({ type: "about:blank", title: "", status, detail: "", error }),
      }),
    { times: 1 },
  );
