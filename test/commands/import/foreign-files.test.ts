/** What files of other services have in other forms than ours: letters, times, addresses, statuses, columns, HTML; and what is told of it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faultsOf } from "../../../src/commands/import/faults.ts";
import { textOfHtml } from "../../../src/commands/import/html.ts";
import type { Terms } from "../../../src/commands/import/ideas.ts";
import { readCanny as readCannyPieces } from "../../../src/commands/import/read-canny.ts";
import { readCsv as readPieces } from "../../../src/commands/import/read-csv.ts";
import { readFider } from "../../../src/commands/import/read-fider.ts";
import { Title, withoutInvisible } from "../../../src/worker/model/text.ts";
import { piecesOf } from "../../support/node/pieces.ts";
import { zip } from "../../support/node/zip.ts";

const NOW = Date.UTC(2026, 10, 22);
/** In pieces that divide characters. */
const readCsv = (file: Buffer, now: number, terms?: Terms) => readPieces(piecesOf(file, 5), now, terms);
const readCanny = (file: Buffer, now: number) => readCannyPieces(piecesOf(file, 7), now);
const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`;
const csv = (names: string, ...rows: string[][]) =>
  Buffer.from([names, ...rows.map((row) => row.map(quoted).join(","))].join("\n"));
const canny = (file: object) => {
  const board = { id: "b", name: "Board", isPrivate: false };
  return Buffer.from(JSON.stringify({ boards: [board], posts: [{ id: "1", title: "A", board }], ...file }));
};

describe("letters", () => {
  it.each(["کتاب‌ها را نگه دارید", "Family 👨‍👩‍👧‍👦 tickets", "Wales 🏴󠁧󠁢󠁷󠁬󠁳󠁿 and hearts ❤️", "क्‍ष"])(
    "%s keeps what changes its letters, as the API does",
    async (title) => {
      expect(
        (await readCsv(csv("id,title,author_id,author,tags", ["1", title, "p", title, title]), NOW)).ideas,
      ).toMatchObject([{ title, author: { displayName: title } }]);
    },
  );

  it("what no screen shows is left out, and told", async () => {
    const { ideas, lost } = await readCsv(csv("id,title", ["1", "Ni\u00adght\u200b \u202ebuses\u200e"]), NOW);
    expect(ideas[0]?.title).toBe("Night buses");
    expect(lost.lines()).toEqual(["  1 × invisible characters of a title: left out"]);
  });

  it("what is left of any text is a title that the API takes, or nothing that can be seen", () => {
    const odd = fc.constantFrom(..."a क‍‌👨❤️️​­ࠀ؜⁩ᠠ᠋🏴󠁧󠁢󠁥󠁮󠁧󠁿0⃣", "👨‍👩‍👧");
    fc.assert(
      fc.property(fc.string({ unit: fc.oneof(odd, fc.constantFrom("b", " ", "\u200d")), maxLength: 30 }), (text) => {
        const rest = withoutInvisible(text);
        expect(withoutInvisible(rest)).toBe(rest);
        expect(Title.safeParse(text).data).toBe(Title.safeParse(rest).data);
      }),
      { numRuns: 2_000 },
    );
  });

  it("a title of what no screen shows is told as none", async () => {
    const { ideas, lost } = await readCsv(csv("id,title", ["1", "\u200b\u0301"]), NOW);
    expect(ideas[0]?.title).toBe("Untitled");
    expect(lost.lines()).toContain("  1 × idea without a title: imported as “Untitled”");
  });
});

describe("times", () => {
  it.each([
    ["2024-05-01", "2024-05-01T00:00:00.000Z"],
    ["2024-05-01T08:00:00Z", "2024-05-01T08:00:00.000Z"],
    ["2024-05-01T08:00:00+02:00", "2024-05-01T06:00:00.000Z"],
    ["2024-05-01T08:00:00.123456-05:30", "2024-05-01T13:30:00.123Z"],
  ])("%s is %s", async (text, time) =>
    expect((await readCsv(csv("id,title,created_at", ["1", "A", text]), NOW)).ideas[0]?.createdAt).toBe(time),
  );

  it.each([
    ..."01.05.2024|5|05/01/2024|May 1, 2024|2024-05-01T08:00:00|2024-05-01 08:00:00|2024-02-30|20240501".split("|"),
    ..."2024-05-01T08:00|1714550400|2024-05|2027-01-01|1969-12-31|yesterday".split("|"),
  ])("%s is no time that is guessed: the row is told", async (text) => {
    const { ideas, faulty } = await readCsv(csv("id,title,created_at", ["1", "A", text], ["2", "B", ""]), NOW);
    expect(ideas.map(({ externalId }) => externalId)).toEqual(["csv:2"]);
    expect(faulty).toEqual([
      `row 1: created_at ${JSON.stringify(text)}: give a past time in ISO 8601 with its offset, such as 2025-03-01T08:00:00Z, or a date, such as 2025-03-01`,
    ]);
  });

  it("a post or a comment of Canny and Fider with another time is told", async () => {
    const comment = { author: { id: "u" }, post: { id: "1" }, value: "Yes.", created: "01.05.2024" };
    expect((await readCanny(canny({ comments: [comment] }), NOW)).faulty).toEqual([
      expect.stringContaining('comment of post 1: created "01.05.2024"'),
    ]);
    const board = { id: "b", name: "Board" };
    expect((await readCanny(canny({ posts: [{ id: "1", title: "A", board, created: "5" }] }), NOW)).faulty).toEqual([
      expect.stringContaining('post 1: created "5"'),
    ]);
    const post = { id: 1, number: 1, title: "A", description: "", created_at: "5", user_id: 1, status: 0 };
    expect(readFider(zip({ "posts.json": JSON.stringify([post]) }), NOW).faulty).toEqual([
      expect.stringContaining('post 1: created_at "5"'),
    ]);
  });
});

describe("people", () => {
  it("one address in two spellings is one person, with one vote", async () => {
    const { ideas, lost } = await readCsv(
      csv("id,title,author_email,voters,votes", [
        "1",
        "A",
        "Robin@Example.com",
        "robin@example.com;ROBIN@example.com;Kim",
        "2",
      ]),
      NOW,
    );
    expect(ideas[0]?.author?.externalId).toBe("robin@example.com");
    // An id of the tenant's own is no address: its capitals count.
    expect(ideas[0]?.voters.map(({ externalId }) => externalId)).toEqual(["robin@example.com", "Kim"]);
    expect(lost.lines()).toEqual([]);
  });

  it("an address with the Kelvin sign is not that with a k, and is refused before anything is sent", async () => {
    const { ideas } = await readCsv(
      csv("id,title,voters,votes", ["1", "A", "\u212aim@example.com;kim@example.com", "2"]),
      NOW,
    );
    expect(ideas[0]?.voters.map(({ externalId }) => externalId)).toEqual(["\u212aim@example.com", "kim@example.com"]);
    expect(faultsOf(ideas)).toEqual(['person "\u212aim@example.com": externalId must be composed (Unicode NFC)']);
  });

  it("two tags that differ by capitals only are one, spelled as the first", async () => {
    const { ideas } = await readCsv(csv("id,title,tags", ["1", "A", "Mobile;mobile;Rail"]), NOW);
    expect(ideas[0]?.tags).toEqual(["Mobile", "Rail"]);
  });

  it("one address in two spellings is one person in Canny's userID, too", async () => {
    const voter = (id: string, userID: string) => ({ post: { id: "1" }, voter: { id, userID } });
    const votes = [voter("a", "Kim@Example.com"), voter("b", "kim@example.com")];
    expect((await readCanny(canny({ votes }), NOW)).ideas[0]?.voters.map(({ externalId }) => externalId)).toEqual([
      "kim@example.com",
    ]);
  });

  it("a comment of an administrator is the team's", async () => {
    const created = "2024-05-01T08:00:00Z";
    const comment = (isAdmin: boolean, value: string) => ({
      ...{ author: { id: value, name: value, isAdmin }, post: { id: "1" }, value, created },
    });
    const { ideas, lost } = await readCanny(canny({ comments: [comment(true, "Team"), comment(false, "User")] }), NOW);
    expect(ideas[0]?.comments.map(({ author, body }) => [author?.externalId, body])).toEqual([
      [undefined, "Team"],
      ["canny:User", "User"],
    ]);
    expect(lost.lines()).toEqual(["  1 × comment of an administrator: imported as the team's"]);
    const row = { created_at: created, user_id: 1 };
    const archive = {
      "posts.json": JSON.stringify([{ ...row, id: 1, number: 1, title: "A", description: "", status: 0 }]),
      "users.json": JSON.stringify([1, 2, 3].map((role) => ({ id: role, name: `Role ${role}`, email: "", role }))),
      "comments.json": JSON.stringify([1, 2, 3].map((id) => ({ ...row, post_id: 1, user_id: id, content: `${id}` }))),
    };
    expect(readFider(zip(archive), NOW).ideas[0]?.comments.map(({ author }) => author?.externalId)).toEqual([
      "fider:1",
      undefined,
      undefined,
    ]);
  });
});

describe("statuses", () => {
  it.each([
    ..."in_progress In-Progress in.progress started".split(" ").map((name) => [name, "in-progress"]),
    ..."Done Shipped Live released COMPLETE Completed".split(" ").map((name) => [name, "implemented"]),
    ...[
      ["under_review", "under-review"],
      ["Planned", "planned"],
      ["Won't do", "declined"],
      ["", "submitted"],
    ],
  ])("%s is %s", async (name, status) => {
    const { ideas, lost } = await readCsv(csv("id,title,status", ["1", "A", name ?? ""]), NOW);
    expect([ideas[0]?.status, lost.lines()]).toEqual([status, []]);
  });

  it.each(["constructor", "__proto__", "toString", "someday"])(
    "%s is told, and imported as submitted",
    async (name) => {
      const { ideas, lost } = await readCsv(csv("id,title,status", ["1", "A", name]), NOW);
      expect(ideas[0]?.status).toBe("submitted");
      expect(lost.lines()).toEqual([
        `  1 × status “${name}”: imported as submitted. Or say which: --status "${name}=planned"`,
      ]);
    },
  );

  it("a status that the person has named is the one that they say, before our own", async () => {
    const statuses = new Map([
      ["shipped", "planned"],
      ["some day", "declined"],
    ] as const);
    const { ideas } = await readCsv(csv("id,title,status", ["1", "A", "Shipped"], ["2", "B", "some_day"]), NOW, {
      statuses,
    });
    expect(ideas.map(({ status }) => status)).toEqual(["planned", "declined"]);
  });
});

describe("columns", () => {
  it.each(["description", "details", "content", "body", "text"])("%s is the description", async (name) =>
    expect((await readCsv(csv(`id,title,${name}`, ["1", "A", "Words"]), NOW)).ideas[0]?.description).toBe("Words"),
  );

  it("a column that the person has named is the one, before our own names", async () => {
    const columns = new Map([["description", "Long Text"]] as const);
    const file = csv("id,title,description,Long Text", ["1", "A", "Short", "Long"]);
    expect((await readCsv(file, NOW, { columns })).ideas[0]?.description).toBe("Long");
    await expect(readCsv(csv("id,title", ["1", "A"]), NOW, { columns })).rejects.toThrow(
      'The CSV file has no column "Long Text": it has id, title.',
    );
  });
});

describe("HTML", () => {
  it.each([
    ["<p>Every <b>half</b> hour,<br>all week.</p>\n<p>Q&amp;A</p>", "Every half hour,\nall week.\n\nQ&A"],
    ["<ul><li>One</li><li>Two &lt;b&gt;</li></ul>", "- One\n- Two <b>"],
    ['<a href="https://example.com/a?b=1&amp;c=2">our page</a>', "our page (https://example.com/a?b=1&c=2)"],
    ['<a href="https://example.com">https://example.com</a>', "https://example.com"],
    ["<script>alert(1)</script><style>p{}</style><div>Hi</div><!-- no -->", "Hi"],
    ["One<br/>two&nbsp;&#8364;&#x20ac;", "One\ntwo\u00a0€€"],
    ['<p title="a > b">Hi</p>', "Hi"],
    ["line one\nline <i>two</i>", "line one\nline two"],
    ["<div>&#0;&#1114112;&unknown;</div>", "\ufffd\ufffd&unknown;"],
  ])("%j becomes %j", (html, text) => expect(textOfHtml(html)).toBe(text));

  it.each(["a < b and c > d", "List<String> is better", "AT&T", "Use <b> for bold", "1 <2> 3", "if (a<b) { c }</"])(
    "%j is none",
    (text) => expect(textOfHtml(text)).toBeUndefined(),
  );

  it("is text in descriptions, responses and comments of every service, and told", async () => {
    const { ideas, lost } = await readCsv(
      csv("id,title,content,response", ["1", "A", "<p>One</p>", "<p>Two</p>"]),
      NOW,
    );
    expect(ideas).toMatchObject([{ description: "One", response: "Two" }]);
    expect(lost.lines()).toEqual([
      "  1 × description in HTML: imported as text",
      "  1 × response in HTML: imported as text",
    ]);
  });

  it("of a million characters that never end takes no longer than its length", () => {
    expect(textOfHtml(`${"<a ".repeat(300_000)}<p></p>`)).toBeTypeOf("string");
  });
});
