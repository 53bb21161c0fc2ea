/** The start page, the page of the elements and the reference, in a real browser: all of them sandboxed. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import type { Releases } from "../../src/commands/development/released-elements.ts";
import { LANGUAGES } from "../../src/elements/languages/languages.ts";
import { expectAccessible } from "../support/node/accessible.ts";
import { takeScreenshot } from "../support/node/browser.ts";
import { block } from "../support/node/documents.ts";
import { openStage, type Stage } from "../support/node/element-stage.ts";

const shared = inject("stage");
const LOOKS = [
  { colorScheme: "light", viewport: { width: 1280, height: 900 } },
  { colorScheme: "dark", viewport: { width: 390, height: 900 } },
] as const;

describe("the pages beside Account Settings", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  async function open(path: string, options: Parameters<Stage["page"]>[0] = {}) {
    const opened = await stage.page(options);
    await opened.page.goto(stage.api + path);
    return opened;
  }
  const withToken = (path: string) => `${path}#token=${stage.demoToken}`;
  const isLive = async (page: Page) => {
    await page.locator("idea-bank-board:state(ready)").waitFor();
    await page.locator("idea-bank-changelog:state(ready)").waitFor({ state: "attached" });
  };

  it.each(["/", "/embed/", "/reference"])(
    "%s cannot act as the owner who is signed in on the same origin",
    async (path) => {
      const { page } = await open(path);
      await expect.poll(() => page.evaluate("self.origin")).toBe("null");
      await expect
        .poll(() => page.evaluate("fetch('/account/api/keys').then(() => 'read', () => 'refused')"))
        .toBe("refused");
      const posted = page.waitForResponse((response) => response.request().method() === "POST");
      // What needs no permission to be sent is refused by its origin.
      await page.evaluate(
        "fetch('/account/api/keys', { method: 'POST', mode: 'no-cors', body: '{}' }).catch(() => {})",
      );
      expect((await posted).status()).toBe(403);
      const address = await page.evaluate("(() => { try { return typeof localStorage } catch { return 'none' } })()");
      expect(address).toBe("none");
    },
  );

  it("the README's two lines, pasted into a page, show a board", async () => {
    const bank = await stage.ideaBank({}, [{ title: "Night buses", description: "All week." }]);
    const { page, complaints } = await stage.page();
    const pasted = block("README.md", "element")
      .replace("http://localhost:8787", stage.api)
      .replace("ibv_…", bank.token);
    await page.goto(stage.hostPage(pasted));
    await page.getByRole("heading", { name: "Night buses" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("the start page shows the idea bank of the token in its address, and takes it along", async () => {
    const { page, complaints } = await open(withToken("/"));
    await isLive(page);
    await page.getByRole("heading", { name: "Riverline rider ideas" }).waitFor();
    await expect.poll(() => page.locator("#token-form").isVisible()).toBe(false);
    await expect.poll(() => page.locator("#snippet").textContent()).toContain(`src="${stage.api}/embed/board.js"`);
    await expect.poll(() => page.locator("#calls").textContent()).toContain(`curl ${stage.api}/tenant/whoami `);
    await page.getByRole("button", { name: "Copy" }).first().click();
    await page.getByRole("button", { name: /Copied|Selected/ }).waitFor();
    await page.getByRole("link", { name: "Elements", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "A changelog, an idea board and a roadmap" }).waitFor();
    await isLive(page);
    expect(complaints).toEqual([]);
  });

  it("the start page shows the deployment's own board where no token is in its address", async () => {
    const { page, complaints } = await open("/");
    await isLive(page);
    await expect.poll(() => page.locator(".tour").isVisible()).toBe(false);
    await page.locator("li").filter({ hasText: "Dogs travel free on weekends" }).waitFor();
    await page.getByRole("button", { name: "New idea" }).click();
    const told = page.locator("idea-bank-board [part=notice]").getByText("This is a preview. On your own site");
    await told.waitFor();
    const bottom = async () => {
      const box = await told.boundingBox();
      return box && box.y + box.height;
    };
    await expect.poll(bottom).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
    expect(complaints).toEqual([]);
  });

  it("the start page shows pictures, and asks for a token, where there is none", async () => {
    const { page, complaints } = await stage.page();
    // As a deployment without START_PAGE_TOKEN has it.
    await page.addInitScript(`new MutationObserver(() => delete document.documentElement?.dataset.startPageToken)
      .observe(document, { childList: true })`);
    await page.goto(`${stage.api}/`);
    await page.locator(".tour img").last().waitFor();
    await expect.poll(() => page.locator("idea-bank-board").isVisible()).toBe(false);
    await expect
      .poll(() => page.evaluate("[...document.images].every((image) => image.complete && image.naturalWidth > 0)"))
      .toBe(true);
    await expectAccessible(page, "without a token");
    await page.getByLabel("Token", { exact: true }).fill(stage.demoToken);
    await page.getByRole("button", { name: "Show the board" }).click();
    await isLive(page);
    await expect.poll(() => page.url()).toBe(`${stage.api}/`);
    expect(complaints).toEqual([]);
  });

  it("a token that was copied from the documentation is asked for again", async () => {
    const { page } = await open("/embed/");
    await page.getByLabel("Token", { exact: true }).fill("ibt_…");
    await page.getByRole("button", { name: "Show the board" }).click();
    await page.getByText("This token doesn’t work.").waitFor();
    await expect.poll(() => page.locator("#token-form").isVisible()).toBe(true);
  });

  it.each(["/", "/embed/"])(
    "%s has a visitor's token in its snippet, ready to paste, and a panelist's never",
    async (path) => {
      const bank = await stage.ideaBank({}, [{ title: "Night buses", description: "All week." }]);
      const visitor = await stage.tenant<{ token: string }>("POST", `${bank.path}/tokens`, { visitor: true });
      const { page } = await open(`${path}#token=${visitor.token}`);
      await expect.poll(() => page.locator("#snippet").textContent()).toContain(`token="${visitor.token}"`);
      await page.goto("about:blank");
      await page.goto(`${stage.api}${withToken(path)}`);
      await isLive(page);
      await expect.poll(() => page.locator("#snippet").textContent()).toContain('token="ibv_…"');
    },
  );

  it.each(["/#token=ibt_0refused", "/#token=hello", "/embed/#token=hello"])(
    "%s is refused, and asked for again",
    async (path) => {
      const { page } = await open(path);
      await page.getByText("This token doesn’t work.").waitFor();
      await expectAccessible(page, "with a refused token");
      await page.getByLabel("Token", { exact: true }).fill(stage.demoToken);
      await page.getByRole("button", { name: "Show the board" }).click();
      await isLive(page);
      await page.locator("#token-problem").waitFor({ state: "hidden" });
    },
  );

  it.each(LOOKS)("whoever found a key reports it, without a script", async (look) => {
    const { page, complaints } = await open("/leaks", { ...look, javaScriptEnabled: false });
    await page.getByRole("button", { name: "Report" }).waitFor();
    await takeScreenshot(page, `test-results/leaks-${look.colorScheme}.png`);
    await page.getByLabel("Key, or text").fill(`API_KEY=ibk_${"0".repeat(47)}`);
    await page.getByLabel("Where you found it").fill("a forum");
    await page.getByRole("button", { name: "Report" }).click();
    await page.getByRole("heading", { name: "Thank you." }).waitFor();
    await expect.poll(() => page.url()).toBe(`${stage.api}/leaks/thanks`);
    await page.getByRole("link", { name: "Report another key" }).click();
    await page.getByRole("heading", { name: "Found an API key?" }).waitFor();
    expect(complaints).toEqual([]);
    const { page: scripted } = await open("/leaks", look);
    await expectAccessible(scripted, "the page for finders");
  });

  it("the page of the elements has a snippet that runs on another site, with the hash of its release", async () => {
    const { page, complaints } = await open(withToken("/embed/"));
    await isLive(page);
    await page.getByLabel("Element").selectOption("Changelog");
    await page.getByLabel("Accent").selectOption("Violet");
    await expect.poll(() => page.locator("#snippet").textContent()).toContain("integrity");
    const snippet = (await page.locator("#snippet").textContent()) ?? "";
    expect(snippet).toContain("--idea-bank-accent: light-dark(#7a2fc4, #d3b0ff);");
    for (const display of ["A button in the corner", "A button in its place", "Part of the page"]) {
      await page.getByLabel("Shown as").selectOption(display);
      await page.getByLabel("Element").selectOption(display.includes("corner") ? "Idea board" : "Changelog");
    }
    await page.getByLabel("Language").selectOption("Deutsch");
    await page.locator("idea-bank-changelog").getByRole("heading", { name: "Neuigkeiten" }).waitFor();
    await expect
      .poll(() => page.locator("#snippet").textContent())
      .toContain('token="ibv_…" lang="de"></idea-bank-changelog>');
    await page.getByLabel("Language").selectOption("As the page");
    await expect.poll(() => page.locator("#snippet").textContent()).toBe(snippet);
    await page.getByLabel("Shown as").selectOption("A button in the corner");
    await expect
      .poll(() => page.locator("#snippet").textContent())
      .toContain("<idea-bank-launcher>\n  <idea-bank-changelog");
    await page.getByRole("button", { name: "What’s new" }).click();
    await page.locator("idea-bank-changelog").getByRole("heading", { name: "Dark mode" }).waitFor();
    await page.keyboard.press("Escape");
    expect(complaints).toEqual([]);

    const { page: host, complaints: hostComplaints } = await stage.page();
    await host.goto(stage.hostPage(snippet.replace(/ib[tv]_…/, stage.demoToken)));
    await host.locator("idea-bank-changelog:state(ready)").waitFor();
    expect(hostComplaints).toEqual([]);
    // A file that is not what was released does not run.
    await host.goto(stage.hostPage(snippet.replace(/sha384-..../, "sha384-AAAA")));
    await expect.poll(() => hostComplaints.join()).toContain("integrity");
    await expect.poll(() => host.evaluate("customElements.get('idea-bank-changelog')")).toBeUndefined();
  });

  it.each(["/", "/embed/"])("%s says why it shows no elements where JavaScript is off", async (path) => {
    const { page } = await stage.page({ javaScriptEnabled: false });
    await page.goto(stage.api + path);
    await page.locator("noscript p").waitFor();
  });

  it("the page of the elements has a snippet without a hash before there is a release", async () => {
    const { page } = await stage.page();
    await page.route("**/embed/releases.json", (route) => route.fulfill({ json: { latest: "", releases: {} } }));
    await page.goto(stage.api + withToken("/embed/"));
    await isLive(page);
    await page.getByText("This is the newest release.").waitFor();
    const snippet = (await page.locator("#snippet").textContent()) ?? "";
    expect(snippet).toContain(`src="${stage.api}/embed/board.js"></script>`);
    await page.goto(stage.hostPage(snippet.replace(/ib[tv]_…/, stage.demoToken)));
    await page.locator("idea-bank-board:state(ready)").waitFor();
  });

  it("the documentation's snippets run on another site, and ask it for a token", async () => {
    const { page, complaints } = await stage.page();
    const inPlace = (marker: string) =>
      block("docs/embed.md", marker)
        .replaceAll("https://api.example", stage.api)
        .replace(/ib[tv]_…/, stage.demoToken);
    await page.goto(stage.hostPage(inPlace("shortest")));
    await page.locator("idea-bank-changelog:state(ready)").waitFor();
    await page.route("**/my/panelist-token", (route) => route.fulfill({ body: stage.demoToken }));
    await page.goto(stage.hostPage(inPlace("token-url"), { head: inPlace("released") }));
    await page.locator("idea-bank-board:state(ready)").waitFor();
    expect(complaints).toEqual([]);
  });

  it("the scripts are served to every origin: a release for good, the newest for five minutes", async () => {
    const { latest, releases }: Releases = JSON.parse(await (await fetch(`${stage.api}/embed/releases.json`)).text());
    expect(Object.keys(releases[latest] ?? {})).toEqual([
      "changelog.js",
      "board.js",
      "roadmap.js",
      "launcher.js",
      "survey.js",
      ...LANGUAGES.map((language) => `${language}.json`),
      "elements.d.ts",
      "elements-react.d.ts",
    ]);
    for (const [path, caching] of [
      [`/embed/${latest}/changelog.js`, "public, max-age=31536000, immutable"],
      [`/embed/${latest}/board.js`, "public, max-age=31536000, immutable"],
      ["/embed/changelog.js", "public, max-age=300"],
      ["/embed/board.js", "public, max-age=300"],
      ["/embed/launcher.js", "public, max-age=300"],
      [`/embed/${latest}/de.json`, "public, max-age=31536000, immutable"],
      ["/embed/de.json", "public, max-age=300"],
      ["/embed/releases.json", "public, max-age=300"],
    ] as const) {
      const { status, headers } = await fetch(stage.api + path);
      expect(status, path).toBe(200);
      expect(headers.get("Cache-Control"), path).toBe(caching);
      expect(headers.get("Access-Control-Allow-Origin"), path).toBe("*");
      expect(headers.get("Cross-Origin-Resource-Policy"), path).toBe("cross-origin");
      expect(headers.get("X-Content-Type-Options"), path).toBe("nosniff");
      expect(headers.get("Content-Type"), path).toContain(path.endsWith(".js") ? "javascript" : "json");
    }
    for (const path of ["/embed/elements.d.ts", `/embed/${latest}/elements-react.d.ts`]) {
      const { status, headers } = await fetch(stage.api + path);
      expect(status, path).toBe(200);
      expect(headers.get("Content-Type"), path).toBe("text/plain; charset=utf-8");
      expect(headers.get("Access-Control-Allow-Origin"), path).toBe("*");
    }
    const unreleased = await fetch(`${stage.api}/embed/0.0.0/board.js`);
    expect(unreleased.status).toBe(404);
    expect(unreleased.headers.get("Cache-Control")).toBe("no-store");
  });

  it.each([
    ["/llms.txt", "text/plain; charset=utf-8", "# Edge access API"],
    ["/docs/api.md", "text/markdown; charset=utf-8", "# The API"],
    ["/openapi.yaml", "application/yaml", "openapi: 3.1.0"],
  ])("%s is served to programs of every origin", async (path, type, beginning) => {
    const response = await fetch(stage.api + path);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe(type);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect((await response.text()).startsWith(beginning)).toBe(true);
  });

  it("the reference shows every operation, with a sample for curl and one for fetch", async () => {
    const { page, complaints } = await open("/reference");
    await page.getByRole("heading", { name: "Vote for a proposal" }).waitFor();
    const operation = page.locator("[id='tag/Panelist-API/operation/vote']");
    const address = `${stage.api}/ideabank/proposals/Pr0p0sa1Dark/vote`;
    const sample = operation.locator("pre").first();
    await expect.poll(() => sample.textContent()).toBe(`curl ${address} \\\n  -X PUT \\\n  -H 'Authorization: ibt_…'`);
    // The operator's needs a credential too, and comes after what an integrator reads.
    const inOrder = ["Check an API key", "Vote for a proposal", "List API keys", "Suspend or resume an account"];
    const headings = async () => (await page.getByRole("heading").allTextContents()).map((heading) => heading.trim());
    await expect.poll(async () => (await headings()).filter((heading) => inOrder.includes(heading))).toEqual(inOrder);
    const operators = page.locator("[id='tag/Operation/operation/setAccountStatus']");
    await operators.locator("pre").filter({ hasText: "-H 'Authorization: Bearer …'" }).waitFor();
    await operation.getByText("fetch", { exact: true }).click();
    await operation
      .locator("pre")
      .filter({ hasText: `await fetch("${address}", {` })
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it("the reference is searched by words, with the keyboard alone", async () => {
    const { page, complaints } = await open("/reference");
    const field = page.getByRole("searchbox", { name: "Search" });
    const articles = page.locator("main article:visible h3");
    const all = await articles.count();
    await field.waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("introspect");
    await page.getByText("3 matches").waitFor();
    const title = "Check a token";
    await expect.poll(() => articles.allTextContents()).toEqual([title, "IntrospectionRequest", "Introspection"]);
    // What leads nowhere now is not offered.
    await expect.poll(() => page.locator(".contents li li a:visible").allTextContents()).toEqual(["Panelists", title]);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe(title);
    await takeScreenshot(page, "test-results/reference-search.png", false);
    await expectAccessible(page, "with matches");

    // Again, in the place of the first: all words, in any order, of any part.
    await page.keyboard.press("/");
    await page.keyboard.type("COMMENT delete ideabank");
    await expect.poll(() => articles.allTextContents()).toContain("Delete a comment");
    await expect.poll(() => articles.allTextContents()).not.toContain(title);
    await page.keyboard.press("/");
    await expect.poll(() => field.inputValue()).toContain("/");
    await field.fill("idempotency-key-reused");
    await page.locator("[id='error/idempotency-key-reused']").waitFor();
    await expect.poll(() => page.locator("[id='error/unauthorized']").isVisible()).toBe(false);
    await field.fill("no such words");
    await page.getByText("No matches").waitFor();
    await expect.poll(() => articles.count()).toBe(0);
    await field.fill("");
    await expect.poll(() => articles.count()).toBe(all);

    // A link to a schema that does not match leads there.
    await field.fill("introspect");
    await page.locator("main a[href^='#schema/']:visible").first().click();
    await expect.poll(() => page.locator("main article:target").isVisible()).toBe(true);
    await expect.poll(() => field.inputValue()).toBe("");
    expect(complaints).toEqual([]);
  });

  it("the reference has no search field without a script", async () => {
    const { page } = await open("/reference", { javaScriptEnabled: false });
    await page.getByRole("heading", { name: "Vote for a proposal" }).waitFor();
    await expect.poll(() => page.locator("#search").isVisible()).toBe(false);
  });

  it("the reference needs no script: every operation of the document is in it, and its links have targets", async () => {
    const text = await (await fetch(`${stage.api}/reference`)).text();
    const openapi = JSON.parse(await (await fetch(`${stage.api}/openapi.json`)).text());
    const operations = Object.values<Record<string, { operationId: string }>>(openapi.paths).flatMap(Object.values);
    expect(operations.length).toBeGreaterThan(40);
    for (const { operationId } of operations) expect(text).toContain(`/operation/${operationId}">`);
    const ids = new Set(Array.from(text.matchAll(/ id="([^"]+)"/g), ([, id]) => id));
    for (const [, target] of text.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
    expect(text).not.toContain("undefined");
  });

  it.each(LOOKS)("have nothing for axe-core to complain of, in $colorScheme; see the screenshots", async (looks) => {
    for (const [name, path] of [["start", "/"] as const, ["elements", "/embed/"] as const]) {
      const { page } = await open(withToken(path), looks);
      await isLive(page);
      await takeScreenshot(page, `test-results/${name}-${looks.colorScheme}.png`);
      await expectAccessible(page, name);
    }
  });

  // Some 9,000 nodes, each held against what is behind it.
  it.each(LOOKS)("the reference has nothing either, in $colorScheme", async (looks) => {
    const { page } = await open("/reference", looks);
    await page.getByRole("heading", { name: "Vote for a proposal" }).waitFor();
    await takeScreenshot(page, `test-results/reference-${looks.colorScheme}.png`, false);
    await expectAccessible(page, "reference");
  });
});
