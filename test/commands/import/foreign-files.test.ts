/** What files of other services have in other forms than ours: letters, times, addresses, statuses, columns, HTML; and what is told of it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import BOARD from "../../../src/elements/languages/board.json" with { type: "json" };
import { linesInEach } from "../../../src/import/encoding.ts";
import { faultsOf } from "../../../src/import/faults.ts";
import { textOfHtml } from "../../../src/import/html.ts";
import type { Terms } from "../../../src/import/ideas.ts";
import { alike } from "../../../src/import/page/alike.ts";
import { readCanny as readCannyPieces } from "../../../src/import/read-canny.ts";
import { readCsv as readPieces } from "../../../src/import/read-csv.ts";
import { readFider } from "../../../src/import/read-fider.ts";
import { PROPOSAL_STATUSES } from "../../../src/worker/model/proposal.ts";
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

  it("what is left of any text is a title that the API takes, or nothing that can be seen", { tags: "slow" }, () => {
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
    ["2024-05-01", "2024-05-01T12:00:00.000Z"],
    ["01.05.2024", "2024-05-01T12:00:00.000Z"],
    ["3 Mar 2024", "2024-03-03T12:00:00.000Z"],
    ["3. March 2024", "2024-03-03T12:00:00.000Z"],
    ["March 3, 2024", "2024-03-03T12:00:00.000Z"],
    ["Sept 3rd 2024", "2024-09-03T12:00:00.000Z"],
    ["3. März 2024", "2024-03-03T12:00:00.000Z"],
    ["5. Mai 2024", "2024-05-05T12:00:00.000Z"],
    ["10. Oktober 2024", "2024-10-10T12:00:00.000Z"],
    ["3-Mrz-2024", "2024-03-03T12:00:00.000Z"],
    ["1er août 2024", "2024-08-01T12:00:00.000Z"],
    ["3 de marzo de 2024", "2024-03-03T12:00:00.000Z"],
    ["3 de mar. de 2024", "2024-03-03T12:00:00.000Z"],
    ["7 luglio 2024", "2024-07-07T12:00:00.000Z"],
    ["3 mrt 2024", "2024-03-03T12:00:00.000Z"],
    ["3 marca 2024 r.", "2024-03-03T12:00:00.000Z"],
    ["8 Ağustos 2024", "2024-08-08T12:00:00.000Z"],
    ["١ مارس ٢٠٢٤", "2024-03-01T12:00:00.000Z"],
    ["2024年3月3日", "2024-03-03T12:00:00.000Z"],
    // Today, before noon of UTC.
    ["2026-11-22", "2026-11-22T00:00:00.000Z"],
    ["2024-05-01T08:00:00Z", "2024-05-01T08:00:00.000Z"],
    ["2024-05-01T08:00:00+02:00", "2024-05-01T06:00:00.000Z"],
    ["2024-05-01T08:00:00.123456-05:30", "2024-05-01T13:30:00.123Z"],
  ])("%s is %s", async (text, time) =>
    expect((await readCsv(csv("id,title,created_at", ["1", "A", text]), NOW)).ideas[0]?.createdAt).toBe(time),
  );

  it.each([
    ..."5|05/01/2024|32.05.2024|May 32, 2024|Feb 30, 2024|Ma 1 2024|2024-05-01T08:00:00|2024-05-01 08:00:00|2024-02-30|20240501".split(
      "|",
    ),
    ..."2024-05-01T08:00|1714550400|2024-05|2027-01-01|1969-12-31|yesterday".split("|"),
  ])("%s is no time that is guessed: the row is told", async (text) => {
    const { ideas, faulty } = await readCsv(csv("id,title,created_at", ["1", "A", text], ["2", "B", ""]), NOW);
    expect(ideas.map(({ externalId }) => externalId)).toEqual(["csv:2"]);
    expect(faulty).toEqual([
      `line 2: created_at ${JSON.stringify(text)}: give a past date, such as 2025-03-01 or 1 March 2025, or a time in ISO 8601 with its offset, such as 2025-03-01T08:00:00Z`,
    ]);
  });

  it("a post or a comment of Canny and Fider with another time is told", async () => {
    const comment = { author: { id: "u" }, post: { id: "1" }, value: "Yes.", created: "05/01/2024" };
    expect((await readCanny(canny({ comments: [comment] }), NOW)).faulty).toEqual([
      expect.stringContaining('comment of post 1: created "05/01/2024"'),
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
    expect(faultsOf(ideas)).toEqual([
      'line 2: person "\u212aim@example.com": externalId must be composed (Unicode NFC)',
    ]);
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
  it("have the words of the elements in all their languages", async () => {
    for (const status of PROPOSAL_STATUSES)
      for (const word of Object.values(BOARD[status])) {
        const { ideas } = await readCsv(csv("id,title,status", ["1", "A", word.toLocaleUpperCase("en")]), NOW);
        expect([word, ideas[0]?.status]).toEqual([word, status]);
      }
  });

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
      expect(lost.lines()).toEqual([`  1 × status “${name}”: imported as submitted`]);
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

it("faults that say the same are one line with the first places", () => {
  const faults = ["3 March", "5 May", "6 June", "7 July", "8"].map(
    (text, index) => `line ${index + 2}: "${text}": no date`,
  );
  expect(alike([...faults, "line 9: no title"])).toEqual([
    'line 2, line 3, line 4 and 2 more: "3 March": no date',
    "line 9: no title",
  ]);
  expect(alike(faults.slice(0, 2))).toEqual(['line 2, line 3: "3 March": no date']);
});

describe("columns", () => {
  it.each(["description", "details", "content", "body", "text"])("%s is the description", async (name) =>
    expect((await readCsv(csv(`id,title,${name}`, ["1", "A", "Words"]), NOW)).ideas[0]?.description).toBe("Words"),
  );

  it.each([
    ["Titel;Beschreibung;Status;Schlagwörter;Erstellt am;Autor;Stimmen", "de"],
    ["Titre;Description;Statut;Étiquettes;Date;Auteur;Voix", "fr"],
    ["TÍTULO;Descripción;Estado;Etiquetas;Fecha;Autor;Votos", "es"],
    ["Tytuł;Opis;Status;Etykiety;Data;Autor;Głosy", "pl"],
    ["Başlık;Açıklama;Durum;Etiketler;Tarih;Yazar;Oylar", "tr"],
    ["タイトル;説明;ステータス;タグ;日付;投稿者;投票数", "ja"],
  ])("are known in other languages: %s", async (header) => {
    const file = csv(header.replaceAll(";", ","), ["A", "Words", "Planned", "app", "2024-03-03", "Kim", "7"]);
    const { columns } = await readCsv(file, NOW);
    const found = ["title", "description", "status", "tags", "created_at", "author", "votes"];
    expect(columns.map(({ column }) => column)).toEqual(found);
    expect(columns.map(({ sample }) => sample).slice(0, 2)).toEqual(["A", "Words"]);
  });

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
    ["Use List<String>, not Map<K, V>.<br>Next", "Use List<String>, not Map<K, V>.\nNext"],
    ["One line\nand <br> another", "One line\nand\nanother"],
    ["<p>A <T> of <custom-tag>x</custom-tag></p>", "A <T> of <custom-tag>x</custom-tag>"],
    ["Say <b> for bold,<br>nothing ends it", "Say <b> for bold,\nnothing ends it"],
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

  it("of a million characters that never end takes no longer than its length", { tags: "slow" }, () => {
    expect(textOfHtml(`${"<a ".repeat(300_000)}<p></p>`)).toBeTypeOf("string");
  });
});

describe("texts of services that keep no HTML", () => {
  const TEXT = "List<String> and <br> and </b> stay.\nNext line";

  it("stay as they are in Canny’s posts and comments", async () => {
    const comments = [{ author: { id: "u" }, post: { id: "1" }, value: TEXT, created: "2024-05-01T08:00:00Z" }];
    const board = { id: "b", name: "Board" };
    const file = canny({ comments, posts: [{ id: "1", title: "A", board, details: TEXT }] });
    const { ideas } = await readCanny(file, NOW);
    expect([ideas[0]?.description, ideas[0]?.comments[0]?.body]).toEqual([TEXT, TEXT]);
  });

  it("stay as they are in Fider’s, where pictures and mentions become words and are told", () => {
    const row = { created_at: "2024-05-01T08:00:00Z", user_id: 1 };
    const text = "Like @[Ana Lee] says ![](fider-image:attachments/a-b.png): List<String>, a<br>b";
    const archive = {
      "posts.json": JSON.stringify([
        { ...row, id: 1, number: 1, title: "A", description: text, response: text, status: 0 },
      ]),
      "users.json": JSON.stringify([{ id: 1, name: "U", email: "", role: 1 }]),
      "comments.json": JSON.stringify([{ ...row, post_id: 1, content: text }]),
    };
    const { ideas, lost } = readFider(zip(archive), NOW);
    const words = "Like @Ana Lee says (picture): List<String>, a<br>b";
    expect(ideas[0]).toMatchObject({ description: words, response: words, comments: [{ body: words }] });
    expect(lost.lines()).toEqual(
      ["description", "response", "comment"].flatMap((what) => [
        `  1 × picture in a ${what}: left out, “(picture)” stands for it`,
        `  1 × mention in a ${what}: imported as words`,
      ]),
    );
  });
});

describe("what is not as the service gives it", () => {
  it("is named, and the other items of Canny are read", async () => {
    const board = { id: "b", name: "Board", isPrivate: false };
    const posts = [
      { id: "1", title: "A", board, tags: [null] },
      { id: "2", board },
      null,
      { id: "4", title: "D", board },
    ];
    const comments = [
      { post: { id: "4" }, value: "No time" },
      { post: { id: "4" }, value: 5, created: "2024-05-01T08:00:00Z" },
    ];
    const { ideas, faulty, rows } = await readCanny(canny({ posts, comments }), NOW);
    expect(ideas.map(({ place }) => place)).toEqual(["post 4"]);
    expect(rows).toBe(4);
    expect(faulty).toEqual([
      "post 1: it is not as the service gives it",
      "post 2: it has no title",
      "item 3 of posts: it has no id, no title",
      "comment 1 of post 4: it has no created",
      "comment 2 of post 4: it is not as the service gives it",
    ]);
  });

  it("is named, and the other items of Fider are read", () => {
    const row = { created_at: "2024-05-01T08:00:00Z", user_id: 1, number: 1, status: 0 };
    const posts = [
      { ...row, id: 1 },
      null,
      { ...row, id: 3, title: "C", description: 5 },
      { ...row, id: 4, title: "D" },
    ];
    const files = { "posts.json": JSON.stringify(posts), "comments.json": JSON.stringify([{ post_id: 4 }]) };
    const { ideas, faulty } = readFider(zip(files), NOW);
    expect(ideas.map(({ place }) => place)).toEqual(["post 4"]);
    expect(faulty).toEqual([
      "post 1: it has no title",
      "item 2 of posts.json: it has no id, no title",
      "post 3: it is not as the service gives it",
      "comment 1 of post 4: it has no content",
    ]);
    expect(() => readFider(zip({ "posts.json": "{}" }), NOW)).toThrow(
      "posts.json in the archive is not as Fider writes it",
    );
  });

  it("a comment without its author is Somebody’s", async () => {
    const comments = [{ author: null, post: { id: "1" }, value: "Hi", created: "2024-05-01T08:00:00Z" }];
    const { ideas, lost } = await readCanny(canny({ comments }), NOW);
    expect(ideas[0]?.comments[0]?.author).toEqual({ externalId: "canny:somebody", displayName: "Somebody" });
    expect(lost.lines()).toContain("  1 × comment without an author: imported as Somebody’s");
  });
});

describe("what a spreadsheet makes of a file", () => {
  it.each([
    ["commas", "id,title,tags\n1,A,x;y\n"],
    ["semicolons", "id;title;tags\n1;A;x,y\n"],
    ["tabs", "id\ttitle\ttags\n1\tA\tx;y\n"],
    ["a line sep=;", "sep=;\nid;title;tags\n1;A;x,y\n"],
    ["a line sep=, between marks", '\ufeff"sep=,"\r\n\ufeffid,title,tags\r\n1,A,x;y\r\n'],
    ["a mark before the first name", "\ufeffid;title;tags\n1;A;x,y\n"],
  ])("it is divided by %s", async (_, text) => {
    const { ideas, faulty } = await readCsv(Buffer.from(text), NOW);
    expect(faulty).toEqual([]);
    expect(ideas).toMatchObject([{ externalId: "csv:1", title: "A", tags: ["x", "y"] }]);
  });

  it("names each row by the line in which it begins, whatever the cells before it hold", async () => {
    const text = 'sep=,\r\nid,title,description\r\n1,A,"two\r\nlines"\r\n,,\r\n\r\n,B,\n3,C,"x\ny\rz"\n,D,';
    const { ideas, faulty } = await readCsv(Buffer.from(text), NOW);
    expect(ideas.map(({ place, externalId }) => [place, externalId])).toEqual([
      ["line 3", "csv:1"],
      ["line 8", "csv:3"],
    ]);
    expect(faulty).toEqual(["line 7: no id", "line 11: no id"]);
  });

  it("a number that was rounded is a fault of its rows: four people would be one", async () => {
    const { ideas, faulty } = await readCsv(
      csv(
        "id,title,author_id,voters",
        ["1", "A", "4.9E+11", ""],
        ["2", "B", "", "kim;4.9E+11"],
        ["3E+5", "C", "", ""],
        ["4", "D", "4E", ""],
      ),
      NOW,
    );
    expect(ideas.map(({ externalId }) => externalId)).toEqual(["csv:4"]);
    const why = "is a number that a spreadsheet has rounded: export the column as text";
    expect(faulty).toEqual([`line 2: "4.9E+11" ${why}`, `line 3: "4.9E+11" ${why}`, `line 4: "3E+5" ${why}`]);
  });

  it("a text that an export has disarmed is as it was before", async () => {
    const file = csv("id,title,description", ["1", "'=1+1", "'-5"], ["2", "'quoted'", "'@me"]);
    const { ideas } = await readCsv(file, NOW);
    expect(ideas.map(({ title, description }) => [title, description])).toEqual([
      ["=1+1", "-5"],
      ["'quoted'", "@me"],
    ]);
  });

  it("its letters are told, and read as what people say they are", async () => {
    const file = Buffer.from("id,title\n1,Plain\n2,Café\n3,Müller", "latin1");
    await expect(readCsv(file, NOW)).rejects.toThrow("not in UTF-8");
    expect(linesInEach(file)).toEqual([
      { "utf-8": "2,Caf\ufffd", "windows-1252": "2,Café" },
      { "utf-8": "3,M\ufffdller", "windows-1252": "3,Müller" },
    ]);
    expect((await readCsv(file, NOW, { encoding: "windows-1252" })).ideas.map(({ title }) => title)).toEqual([
      ...["Plain", "Café", "Müller"],
    ]);
  });

  it("a file without ids knows each idea by its title; a comment is only what people say is one", async () => {
    const file = csv("title,comment,date", ["A", "For the team", "2024-05-01"], ["A", "", ""]);
    const { ideas, lost } = await readCsv(file, NOW);
    expect(ideas.map(({ externalId, comments }) => [externalId, comments])).toEqual([
      ["csv:A", []],
      ["csv:A", []],
    ]);
    expect(lost.lines()).toContain("  1 × column “comment”");
    expect(faultsOf(ideas)).toEqual(["line 3: line 2 has the same id"]);
    const columns = new Map([["comment", "Comment"]]);
    expect((await readCsv(file, NOW, { columns })).ideas[0]?.comments).toMatchObject([
      { author: { displayName: "Somebody" }, body: "For the team", createdAt: "2024-05-01T12:00:00.000Z" },
    ]);
  });
});
