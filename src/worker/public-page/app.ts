/**
 * `/b/{id}/{name}`: a board's own page, for everybody who has the link, and what belongs to it. The identifier decides; the name is there to
 * be read.
 */
import type { Context } from "hono";
import type { IdeaBankMemory } from "../access/open-idea-bank.ts";
import type { Send } from "../deliveries/send.ts";
import type { AppEnv } from "../http/app-env.ts";
import { createEveryRequest, type EveryRequestMemory } from "../http/every-request.ts";
import { toProblem } from "../http/problem-response.ts";
import { Routes } from "../http/routes.ts";
import { isId } from "../model/id.ts";
import { ideaPathOf } from "../model/page-path.ts";
import type { PublicPages } from "../view/public-pages.ts";
import { changelogPage, FEEDS, feed } from "./changelog-page.tsx";
import { PageContents } from "./contents.ts";
import { type Frame, frameOf, linkTo, type Part, partPath } from "./frame.ts";
import { ideaPage } from "./idea-page.tsx";
import { ideasPage } from "./ideas-page.tsx";
import { type OpenPage, openPage } from "./open-page.ts";
import { previewOf } from "./preview.tsx";
import { type PageSurvey, readSurveys } from "./read-contents.ts";
import { respondNothing } from "./respond.tsx";
import { roadmapPage } from "./roadmap-page.tsx";
import { addSignIn } from "./sign-in/add-sign-in.ts";
import { robots, sitemap, sitemapIndex } from "./sitemap.ts";
import { surveyPage, surveyPath, surveysPage } from "./surveys-page.tsx";
import { createUnsubscribe } from "./unsubscribe.tsx";

type PublicPageMemory = EveryRequestMemory &
  IdeaBankMemory & { readonly publicPages: PublicPages; readonly send: Send };

type Asked = Pick<Context<AppEnv>, "env" | "executionCtx"> & { readonly req: Pick<Context["req"], "raw"> };
type Opened = { readonly page: OpenPage; readonly frame: Frame; readonly surveys: readonly PageSurvey[] };
type Answer = (c: Context<AppEnv>, opened: Opened) => Response | Promise<Response>;

/** `preview` shows a board to its owner, whom the caller knows. */
export function createPublicPages(shared: PublicPageMemory) {
  const memory = { ...shared, contents: new PageContents() };
  const everyRequest = createEveryRequest(shared);
  const routes = new Routes<AppEnv>();
  addSignIn(routes, memory, { everyRequest, failed });
  const unsubscribe = createUnsubscribe(memory);
  for (const [method, answer] of [
    ["GET", unsubscribe.show],
    ["POST", unsubscribe.change],
  ] as const)
    routes.on(method, "/b/mail/:person/:board/:idea/:tag", (c) =>
      everyRequest(
        c,
        () => answer(c),
        (error) => failed(c, error),
      ),
    );

  /** A page, or the one answer where there is none. What is thrown is an answer in words, too. */
  const show = (path: string, answer: Answer) =>
    routes.get(path, (c) =>
      everyRequest(
        c,
        async () => {
          const page = await openPage(c, memory, c.req.param("id") ?? "");
          if (page === undefined) return respondNothing(c);
          const surveys = page.capabilities.canAnswerSurveys ? await readSurveys(memory, page) : [];
          return answer(c, { page, frame: frameOf(c, page, surveys.length > 0), surveys });
        },
        (error) => failed(c, error),
      ),
    );

  const parts: Readonly<Record<Part, Answer>> = {
    ideas: (c, { page, frame }) => ideasPage(c, memory, page, frame),
    roadmap: (c, { page, frame }) => roadmapPage(c, memory, page, frame),
    changelog: (c, { page, frame }) => changelogPage(c, memory, page, frame),
    surveys: (c, { page, frame, surveys }) => surveysPage(c, page, frame, surveys),
  };
  /** A part that the board does not have is nothing. The first one is the page itself. */
  const showPart = (c: Context<AppEnv>, opened: Opened, name: string | undefined) => {
    const part = opened.frame.tabs.find((each) => each === name);
    if (part === undefined) return respondNothing(c);
    return elsewhere(c, opened.frame, partPath(opened.frame, part)) ?? parts[part](c, opened);
  };
  const showFirst: Answer = (c, opened) => showPart(c, opened, opened.frame.tabs[0]);

  for (const [file, format] of Object.entries(FEEDS))
    show(`/b/:id/${file}`, (c, { page }) => feed(c, memory, page, format));
  show("/b/:id/sitemap.xml", (c, { page, frame }) => sitemap(c, memory, page, frame));
  for (const path of ["/b/:id", "/b/:id/", "/b/:id/:name"]) show(path, showFirst);
  show("/b/:id/:name/ideas/:idea", (c, { page, frame }) => {
    const idea = c.req.param("idea") ?? "";
    if (!frame.tabs.includes("ideas") || !isId(idea)) return respondNothing(c);
    return (
      elsewhere(c, frame, ideaPathOf({ id: page.id, name: page.ideaBank.name }, idea)) ??
      ideaPage(c, memory, page, frame, idea)
    );
  });
  show("/b/:id/:name/surveys/:survey", (c, { frame, surveys }) => {
    const survey = surveys.find(({ id }) => id === c.req.param("survey"));
    if (survey === undefined) return respondNothing(c);
    return elsewhere(c, frame, surveyPath(frame, survey.id)) ?? surveyPage(c, frame, survey);
  });
  show("/b/:id/:name/:part", (c, opened) => showPart(c, opened, c.req.param("part")));
  routes.get("/sitemap.xml", (c) =>
    everyRequest(
      c,
      () => sitemapIndex(c, memory),
      (error) => failed(c, error),
    ),
  );
  routes.get("/robots.txt", (c) => everyRequest(c, () => robots(c)));
  routes.notFound((c) => everyRequest(c, () => respondNothing(c)));
  const previews = new Routes<AppEnv>();
  previews.get("/:id", (c) =>
    everyRequest(
      c,
      () => previewOf(c, memory, c.req.param("id")),
      (error) => failed(c, error),
    ),
  );
  /** Asked as part of another request, with what that has said of its language. */
  const preview = async ({ req: { raw }, env, executionCtx }: Asked, ideaBankId: string) =>
    previews.fetch(new Request(new URL(`/${ideaBankId}`, raw.url), { headers: raw.headers }), env, executionCtx);
  return { routes, preview };
}

/** Where a list goes on, and what an element is to show of it. */
const KEPT: readonly string[] = ["after", "comment", "update"];

/**
 * The page's address with the board's name of today, where another one was asked for. Not for good: a board can be renamed back, and
 * browsers keep a 301.
 */
function elsewhere(c: Context<AppEnv>, frame: Frame, path: string): Response | undefined {
  const { pathname, searchParams } = new URL(c.req.url);
  if (pathname === path) return undefined;
  const kept = [...searchParams].filter(([name]) => KEPT.includes(name));
  return c.redirect(linkTo(frame, path, Object.fromEntries(kept)), 302);
}

/** What a person reads in place of a problem document. */
function failed(c: Context<AppEnv>, error: Error): Promise<Response> {
  const { headers, status } = toProblem(error, c);
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  return respondNothing(c, "unavailable", status);
}
