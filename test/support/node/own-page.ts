/**
 * A board's own page, as its server renders it: with the markup functions of `src/elements/page`, built as for the Worker, and what the API
 * answers a visitor. The browser has it from here, at the API's origin.
 */
import { build } from "esbuild";
import type { BrowserContext, Route } from "playwright-core";
import type { Stage } from "./element-stage.ts";

type Markup = typeof import("../../../src/elements/page/markup-types.d.ts");
type PageOf<Name extends keyof Markup> = Markup[Name] extends (page: infer Page) => string ? Page : never;
type Bank = Awaited<ReturnType<Stage["ideaBank"]>>;

const SOURCE = "src/elements/page/markup.ts";

/** The script of the markup functions: their elements are HTML, or those of a document. */
export async function bundleMarkup(of: "text" | "document", options: { format: "esm" | "iife"; globalName?: string }) {
  const { outputFiles } = await build({
    entryPoints: [SOURCE],
    bundle: true,
    write: false,
    platform: "neutral",
    conditions: of === "text" ? ["workerd"] : [],
    ...options,
  });
  return outputFiles[0]?.text ?? "";
}

export const loadMarkup = async (): Promise<Markup> =>
  import(
    `data:text/javascript;base64,${Buffer.from(await bundleMarkup("text", { format: "esm" })).toString("base64")}`
  );

export const CAPABILITIES = {
  canViewChangelog: true,
  canViewProposals: true,
  canSubmitProposals: true,
  canVote: true,
  canComment: true,
  canAnswerSurveys: true,
};

const FOOTER = `<footer><p>${"What follows. ".repeat(60)}</p></footer>`;
const STYLES = "body{margin:0;font:16px sans-serif}main{max-inline-size:60rem;margin:auto;padding:1rem}";
/** As strict as the real page. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Serves the pages in this context. `signedIn` is whose token the page gives: undefined is a visitor's. */
export async function serveOwnPage(stage: Stage, context: BrowserContext, bank: Bank, { lang = "en" } = {}) {
  const markup = await loadMarkup();
  const { token } = await stage.tenant<{ token: string }>("POST", `${bank.path}/tokens`, { visitor: true });
  async function read<Body>(path: string): Promise<Body> {
    const answer = await fetch(`${stage.api}${path}`, { headers: { Authorization: token } });
    return JSON.parse(await answer.text());
  }
  const base = `/b/${bank.path.split("/").at(-1)}`;
  const home = `${base}/name`;
  const ideaHref = (id: string) => `${home}/ideas/${id}`;
  const state: {
    signedIn: { readonly token: string; readonly name: string } | undefined;
    down: boolean;
    scripts: boolean;
    tokens: number;
    held: Promise<void> | undefined;
  } = { signedIn: undefined, down: false, scripts: true, tokens: 0, held: undefined };

  const pageOf = (element: string, attributes: string, html: string, initial: object) => `<!doctype html>
    <html lang="${lang}"${lang === "ar" ? ' dir="rtl"' : ""}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
    <title>Ideas</title><link rel="stylesheet" href="${base}/layout.css">
    ${state.scripts ? ["page", element].map((name) => `<script type="module" src="/embed/${name}.js"></script>`).join("") : ""}</head>
    <body><header><h1>Night buses</h1><a data-signed-out href="${base}/sign-in">Sign in</a><span data-signed-in hidden><b data-name>Anonymous</b>
    <form method="post" action="${base}/sign-out" data-sign-out><button>Sign out</button></form></span></header>
    <main><idea-bank-${element} token-url="${base}/token" sign-in-url="${base}/sign-in?return={page}" ${attributes}>${html}<script
    type="application/json" class="initial">${JSON.stringify(initial).replaceAll("<", "\\u003c")}</script></idea-bank-${element}></main>${FOOTER}</body></html>`;

  async function render(path: string): Promise<string> {
    const access = { ...(await read<{ name: string }>("/ideabank")), panelistCapabilities: CAPABILITIES };
    const common = { lang, access: { name: access.name, capabilities: CAPABILITIES }, ideaHref, headingLevel: 2 };
    const tags = await read<object>("/ideabank/tags");
    const urls = `idea-url="${home}/ideas/{idea}" home-url="${path.endsWith("/roadmap") ? path : home}"`;
    const [, id] = /\/ideas\/(\w+)$/.exec(path) ?? [];
    if (id) {
      const [idea, comments] = [
        await read<PageOf<"ideaMarkup">["idea"]>(`/ideabank/proposals/${id}`),
        await read<PageOf<"ideaMarkup">["comments"]>(`/ideabank/proposals/${id}/comments`),
      ];
      const moreHref = comments.nextCursor ? `?more=${comments.nextCursor}` : undefined;
      const html = markup.ideaMarkup({ ...common, idea, comments, backHref: home, moreHref });
      return pageOf("board", `proposal="${id}" ${urls}`, html, { access, idea, comments });
    }
    if (path.endsWith("/roadmap")) {
      const queries = ["planned&sort=top", "in-progress&sort=top", "implemented&sort=active"];
      const columns = await Promise.all(
        queries.map((query) => read<PageOf<"boardMarkup">["page"]>(`/ideabank/proposals?status=${query}&limit=10`)),
      );
      return pageOf("roadmap", urls, markup.roadmapMarkup({ ...common, columns, moreHrefOf: () => home }), {
        access,
        columns,
      });
    }
    if (path.endsWith("/changelog")) {
      const changelog = await read<PageOf<"changelogMarkup">["changelog"]>("/public/ideabank/changelog");
      const shown = markup.changelogMarkup({ ...common, changelog, isOlder: false, moreHref: undefined });
      const entries = await read<{ items: { id: string }[]; nextCursor?: string }>(
        `/ideabank/changelog/entries?limit=${changelog.items.length}`,
      );
      const { items, nextCursor } = entries;
      return pageOf("changelog", "history", shown, {
        changelog,
        entries: { ids: items.map(({ id }) => id), nextCursor },
      });
    }
    const [, surveyId] = /\/surveys\/(\w+)$/.exec(path) ?? [];
    if (surveyId) {
      const survey = await read<PageOf<"surveyMarkup">["survey"]>(`/surveys/${surveyId}`);
      return pageOf("survey", `survey="${surveyId}"`, markup.surveyMarkup({ ...common, survey }), { survey });
    }
    const ideas = await read<PageOf<"boardMarkup">["page"]>("/ideabank/proposals?sort=hot");
    const moreHref = ideas.nextCursor ? `?more=${ideas.nextCursor}` : undefined;
    return pageOf("board", urls, markup.boardMarkup({ ...common, page: ideas, moreHref }), { access, ideas, tags });
  }

  const answer = async (route: Route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname.endsWith("/layout.css"))
      return route.fulfill({ contentType: "text/css", body: Object.values(markup.pageStyles).join("") + STYLES });
    if (pathname.endsWith("/token")) {
      state.tokens += 1;
      await state.held;
      if (state.down) return route.fulfill({ status: 503, body: "down" });
      const { signedIn } = state;
      const headers = signedIn && { "Signed-In-As": encodeURIComponent(signedIn.name) };
      return route.fulfill({ contentType: "text/plain", ...(headers && { headers }), body: signedIn?.token ?? token });
    }
    // These have no element.
    if (/\/sign-(?:in|out)$/.test(pathname))
      return route.fulfill({ contentType: "text/html", body: "<h1>Sign in</h1>" });
    return route.fulfill({
      contentType: "text/html; charset=utf-8",
      headers: { "Content-Security-Policy": POLICY },
      body: await render(pathname),
    });
  };
  await context.route((url) => url.origin === stage.api && url.pathname.startsWith("/b/"), answer);
  /** The answers with a token wait until this is called. */
  const holdToken = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    state.held = promise;
    return resolve;
  };
  return {
    holdToken,
    home: stage.api + home,
    ideaHref: (id: string) => stage.api + ideaHref(id),
    state,
    visitor: token,
  };
}
