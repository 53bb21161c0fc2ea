/** One set of views, two kinds of elements: as HTML they are what they are in a document. */
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { openStage, type Stage } from "../../support/node/element-stage.ts";
import { bundleMarkup, CAPABILITIES, loadMarkup } from "../../support/node/own-page.ts";

const shared = inject("stage");
const HOSTILE = `</p><b>"bold" & 'more'</b>\u00a0<!-- \`x\` &amp;`;
const PROSE = `First **bold** and *soft* \`code\`\nsecond line\n\n- one\n- two [named](https://example.org/?a=1&b=2)\n\n4. four\n5. five\n\n> said\n\n\`\`\`\nfenced\n\n**code**\n\`\`\`\n\n${HOSTILE}`;
const MARKS = `Z${"\u0321\u0334\u030d\u0353".repeat(40)}\u202e`;
const idea = (id: string, more: object = {}) => ({
  ...{
    id,
    title: `Idea ${id} ${HOSTILE}`,
    description: PROSE,
    status: "submitted",
    tags: ["Mobile", HOSTILE],
    votes: 12,
    comments: 3,
  },
  ...{
    voted: false,
    mine: false,
    by: "panelist",
    author: `Robin ${HOSTILE}`,
    visibility: "public",
    response: null,
    duplicateOf: null,
  },
  ...{ createdAt: "2026-11-05T08:00:00.000Z", lastActivityAt: "2026-11-05T08:00:00.000Z" },
  ...more,
});
const IDEAS = [
  idea("a"),
  idea("b", { status: "implemented", description: "", author: null, comments: 0 }),
  idea("e", { title: MARKS, description: MARKS, author: "山田 太郎", votes: 12_345 }),
  idea("c", { status: "planned", by: "tenant", response: { text: PROSE, respondedAt: "2026-11-06T08:00:00.000Z" } }),
  idea("d", { duplicateOf: "a", tags: [], visibility: "pending", mine: true }),
];
const COMMENTS = ["panelist", "tenant"].map((by) => ({
  ...{ id: by, by, author: HOSTILE, mine: false, body: PROSE, createdAt: "2026-11-07T08:00:00.000Z" },
}));
const QUESTION = { id: "q", title: HOSTILE, help: "", required: true, showIf: null };
/** Of each function, by name, what it is called with. The addresses are made where it is called. */
const CALLS: readonly (readonly [name: string, page: object])[] = [
  ["boardMarkup", { page: { items: IDEAS, nextCursor: "n" }, moreHref: "?cursor=n&x" }],
  ["boardMarkup", { page: { items: [] }, moreHref: undefined }],
  ...IDEAS.map(
    (each) =>
      ["ideaMarkup", { idea: each, comments: { items: COMMENTS }, backHref: "/b/x", moreHref: "?more" }] as const,
  ),
  ["roadmapMarkup", { columns: [{ items: IDEAS, nextCursor: "n" }, { items: [] }, { items: IDEAS }] }],
  ["roadmapMarkup", { columns: [] }],
  [
    "changelogMarkup",
    {
      changelog: {
        items: [PROSE.repeat(9), "", "Short."].map((description) => ({
          title: HOSTILE,
          description,
          lastModified: 1_795_176_000,
        })),
      },
    },
  ],
  ["changelogMarkup", { changelog: { items: [] } }],
  [
    "changelogMarkup",
    {
      changelog: {
        items: [1_795_176_000, 1_795_000_000, 1_790_000_000].map((lastModified) => ({
          ...{ title: HOSTILE, description: "Short.", lastModified },
        })),
      },
      isOlder: true,
      moreHref: "?after=x",
    },
  ],
  [
    "surveyMarkup",
    {
      survey: {
        title: HOSTILE,
        description: PROSE,
        questions: [
          {
            ...QUESTION,
            kind: "choices",
            options: [{ id: "o", label: HOSTILE, exclusive: false }],
            other: true,
            atLeast: 0,
            atMost: null,
          },
          { ...QUESTION, kind: "scale", from: 1, to: 5, nps: false, stars: true, lowLabel: HOSTILE, highLabel: "" },
          { ...QUESTION, kind: "text", long: false },
        ],
      },
    },
  ],
];

describe("a view", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(shared);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  it.each(["en", "ar", "de", "ja"])("is the same as a text and in a document, word for word: %s", async (lang) => {
    const { page } = await stage.page({ timezoneId: "UTC" });
    await page.goto(stage.hostPage(""));
    await page.addScriptTag({ content: await bundleMarkup("document", { format: "iife", globalName: "markup" }) });
    const functions: Readonly<Record<string, unknown>> = await loadMarkup();
    for (const [name, own] of CALLS) {
      const options = { lang, headingLevel: 2, access: { name: HOSTILE, capabilities: CAPABILITIES }, ...own };
      const make = functions[name];
      if (!(make instanceof Function)) throw new Error(`no function ${name}`);
      const html: string = make({
        ...options,
        ideaHref: (id: string) => `/b/x/ideas/${id}?a=1&b="`,
        moreHrefOf: (status: string, cursor: string) => `?${status}=${cursor}`,
      });
      // What a browser reads of the text, and what it makes itself: node by node.
      const faults = await page.evaluate(`((html, made) => {
        const parse = (text) => new DOMParser().parseFromString(text, "text/html").body;
        const [read, own] = [parse(html), parse(made)];
        return read.isEqualNode(own) ? [] : [read.innerHTML, own.innerHTML];
      })(${JSON.stringify(html)}, markup.${name}({ ...${JSON.stringify(options)}, ideaHref: (id) => \`/b/x/ideas/\${id}?a=1&b="\`, moreHrefOf: (status, cursor) => \`?\${status}=\${cursor}\` }))`);
      expect(faults).toEqual([]);
      expect(html.length).toBeGreaterThan(200);
    }
  });
});
