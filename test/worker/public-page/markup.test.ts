/** The elements' content as HTML: what people wrote stays a text, and every language is whole. */

import { describe, expect, it, vi } from "vitest";
import type * as Markup from "../../../src/elements/page/markup-types.d.ts";
import type { PanelistComment, PanelistProposal } from "../../../src/worker/model/panelist-proposal.ts";

// The name `#markup` is known in the project's package alone, and this file is in that of the tests.
const { boardMarkup, changelogMarkup, ideaMarkup, pageStyles, roadmapMarkup, surveyMarkup } = await vi.importActual<
  typeof Markup
>("../../../src/elements/page/markup.ts");

const LANGUAGES = ["en", "ar", "de", "es", "fr", "it", "ja", "nl", "pl", "pt", "tr", "zh"];
const capabilities = {
  canViewChangelog: true,
  canViewProposals: true,
  canSubmitProposals: true,
  canVote: true,
  canComment: true,
  canAnswerSurveys: true,
};
const IDEA: PanelistProposal = {
  id: "Pr0p0sa1Nigh",
  title: "Night buses",
  description: "Every **half hour**.",
  status: "planned",
  tags: ["Mobile"],
  votes: 1_234,
  comments: 1,
  voted: false,
  mine: false,
  by: "panelist",
  author: "Robin Ray",
  visibility: "public",
  response: { text: "From May on.", respondedAt: "2026-11-20T12:00:00.000Z" },
  duplicateOf: null,
  createdAt: "2026-11-05T23:30:00.000Z",
  lastActivityAt: "2026-11-20T12:00:00.000Z",
};
const COMMENT: PanelistComment = {
  id: "C0mment00001",
  by: "panelist",
  author: "Kim",
  mine: false,
  body: "Finally.",
  createdAt: "2026-11-20T12:30:00.000Z",
};

/** Every page with these texts. */
function pagesOf({
  lang = "en",
  name = "Riverline",
  idea = IDEA,
  comment = COMMENT,
  can = capabilities,
  ideaHref = (id: string) => `/b/x/riverline/ideas/${id}`,
} = {}) {
  const common = { lang, access: { name, capabilities: can }, headingLevel: 2, ideaHref };
  const { title, description } = idea;
  return {
    board: boardMarkup({ ...common, page: { items: [idea] }, moreHref: "?cursor=a&b" }),
    idea: ideaMarkup({
      ...common,
      idea,
      comments: { items: [comment] },
      backHref: "/b/x/riverline",
      moreHref: "?more=1",
    }),
    roadmap: roadmapMarkup({
      ...common,
      columns: [{ items: [idea], nextCursor: "c" }, { items: [] }, { items: [] }],
      moreHrefOf: (status, cursor) => `/roadmap?status=${status}&after=${cursor}`,
    }),
    changelog: changelogMarkup({
      lang,
      headingLevel: 2,
      changelog: { items: [{ title, description, lastModified: 1_795_176_000 }] },
      isOlder: true,
      moreHref: "?after=x",
    }),
    survey: surveyMarkup({
      lang,
      headingLevel: 2,
      survey: {
        title,
        description,
        questions: [
          {
            ...{ id: "a", kind: "choice", title, help: "", required: false, showIf: null, other: true },
            options: [{ id: "o", label: name, exclusive: false }],
          },
          {
            ...{ id: "b", kind: "scale", title, help: "", required: false, showIf: null, from: 0, to: 10 },
            ...{ nps: true, stars: false, lowLabel: name, highLabel: "" },
          },
          { id: "c", kind: "text", title, help: "", required: false, showIf: null, long: true },
        ],
      },
    }),
  };
}

/** What a parser of HTML finds: workerd's own. */
async function found(html: string) {
  const tags = new Set<string>();
  const attributes: [name: string, value: string][] = [];
  let text = "";
  const rewriter = new HTMLRewriter().on("*", {
    element(element) {
      tags.add(element.tagName);
      for (const [name = "", value = ""] of element.attributes) attributes.push([name, value]);
    },
    text(chunk) {
      text += chunk.text;
    },
  });
  await rewriter.transform(new Response(html)).text();
  return { tags, attributes, text };
}

describe("a text that people wrote", () => {
  const HOSTILE = `</script><script>alert(1)</script><img src=x onerror="alert(1)">'"\`&amp;<!--`;

  it("is a text in every place, and makes no tag and no attribute", { tags: "slow" }, async () => {
    const plain = Object.values(pagesOf());
    const hostile = Object.values(
      pagesOf({
        name: HOSTILE,
        idea: {
          ...IDEA,
          title: HOSTILE,
          description: HOSTILE,
          author: HOSTILE,
          tags: [HOSTILE],
          response: { text: HOSTILE, respondedAt: IDEA.createdAt },
        },
        comment: { ...COMMENT, author: HOSTILE, body: HOSTILE },
      }),
    );
    for (const [at, html] of hostile.entries()) {
      const [before, after] = [await found(plain[at] ?? ""), await found(html)];
      expect([...after.tags].filter((tag) => !before.tags.has(tag))).toEqual([]);
      expect(html).not.toMatch(/<(script|img|!--)/);
      const names = (all: [string, string][]) => new Set(all.map(([name]) => name));
      expect([...names(after.attributes)].filter((name) => !names(before.attributes).has(name))).toEqual([]);
      expect(after.text).toContain("&lt;script&gt;alert(1)");
    }
  });

  it("leads nowhere but to addresses of the web, and vouches for none of them", async () => {
    const links =
      '[a](javascript:alert(1)) [b](data:text/html,x) https://example.org/?a=1&b="2 [c](https://example.net)';
    const { board, idea } = pagesOf({ idea: { ...IDEA, description: links }, comment: { ...COMMENT, body: links } });
    const own = ["/b/x/riverline", "?more=1"];
    const { attributes } = await found(idea);
    const hrefs = attributes
      .filter(([name, value]) => name === "href" && !own.includes(value))
      .map(([, value]) => value);
    expect(new Set(hrefs)).toEqual(new Set(["https://example.org/?a=1&amp;b=", "https://example.net"]));
    expect(idea.match(/rel="nofollow ugc noopener"/g)).toHaveLength(hrefs.length);
    expect(board).not.toMatch(/href="(?!\/b\/|\?cursor)/);
  });

  it("cannot leave an address that the page makes", async () => {
    const { board } = pagesOf({ ideaHref: (id) => `/b/x/"onmouseover="alert(1)/ideas/${id}` });
    expect((await found(board)).attributes.map(([name]) => name)).not.toContain("onmouseover");
  });
});

describe("the markup", () => {
  it.each(LANGUAGES)("has all its words in %s, its direction, and dates that stay true", (lang) => {
    const pages = pagesOf({ lang });
    const english = pagesOf();
    for (const [name, html] of Object.entries(pages)) {
      expect(html).not.toMatch(/>undefined<|\{\w+\}|"undefined"|\[object/);
      expect(html.startsWith(`<section class="root" data-server="" dir="${lang === "ar" ? "rtl" : ""}"`)).toBe(true);
      if (lang !== "en") expect(html).not.toBe(english[name as keyof typeof pages]);
    }
    // In UTC, wherever the server is.
    const date = new Date(IDEA.createdAt).toLocaleString(lang, { dateStyle: "medium", timeZone: "UTC" });
    expect(pages.board).toContain(`>${date}</time>`);
    expect(pages.board).toContain(`datetime="${IDEA.createdAt}"`);
  });

  it("takes English for a language that it does not have", () => {
    expect(pagesOf({ lang: "constructor" })).toEqual(pagesOf());
  });

  it("has a link to every idea, and nothing that somebody could press", async () => {
    for (const html of Object.values(pagesOf())) {
      expect(html).not.toMatch(/ on\w+=| style=/);
      const reachable = new HTMLRewriter().on("[inert], [disabled]", {
        element(element) {
          element.remove();
        },
      });
      const left = await reachable.transform(new Response(html)).text();
      expect(left).not.toMatch(/<(?:button|input|select|textarea)\b/);
    }
    const { board, roadmap, idea } = pagesOf();
    for (const html of [board, roadmap])
      expect(html).toContain('<a class="open" part="idea-item-title" href="/b/x/riverline/ideas/Pr0p0sa1Nigh">');
    expect(board).toContain('href="?cursor=a&amp;b"');
    expect(idea).toContain('href="/b/x/riverline"');
  });

  it("shows nothing that the board does not allow", () => {
    const can = { ...capabilities, canVote: false, canSubmitProposals: false, canComment: false };
    const { board, idea } = pagesOf({ can });
    expect(board).toContain('<span class="vote"');
    expect(board).not.toContain("button primary");
    expect(idea).not.toContain('class="space"');
  });

  it("has its styles, which name no place outside of the elements", () => {
    for (const [element, styles] of Object.entries(pageStyles)) {
      expect(styles).not.toMatch(/:host|@keyframes|url\(|@import|</);
      expect(styles.startsWith(`idea-bank-${element}{`)).toBe(true);
    }
  });
});
