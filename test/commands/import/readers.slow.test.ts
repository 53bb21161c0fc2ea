/** What an import reads of the files that Canny, Fider and a spreadsheet give, and what it says has no counterpart. */
import { constants } from "node:buffer";
import { readFile } from "node:fs/promises";
import { crc32, deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { parseCsv } from "../../../src/import/parse-csv.ts";
import { readCanny as readCannyPieces } from "../../../src/import/read-canny.ts";
import { readCsv as readPieces } from "../../../src/import/read-csv.ts";
import { readFider, unzip } from "../../../src/import/read-fider.ts";
import { piecesOf } from "../../support/node/pieces.ts";
import { fiderArchive, zip } from "../../support/node/zip.ts";

const NOW = Date.UTC(2026, 10, 22);
const readCsv = (file: Buffer, now: number) => readPieces(piecesOf(file, 65_536), now);
const readCanny = (file: Buffer, now: number) => readCannyPieces(piecesOf(file, 65_536), now);
async function recordsOf(text: string) {
  const records: string[][] = [];
  for await (const { cells } of parseCsv(piecesOf(Buffer.from(text), 65_536))) records.push([...cells]);
  return records;
}
const fixture = (name: string) => readFile(`test/fixtures/import/${name}`);

describe("Canny", () => {
  it("gives posts with authors, votes, comments, tags and statuses", async () => {
    const { ideas, lost } = await readCanny(await fixture("canny.json"), NOW);
    const [one, two] = [
      { externalId: "0001", displayName: "User 0001" },
      { externalId: "user0002@example.com", displayName: "User 0002" },
    ];
    expect(ideas.map(({ status }) => status)).toEqual(["under-review", "implemented", "submitted"]);
    expect(ideas.map(({ visibility }) => visibility)).toEqual(["public", "public", "hidden"]);
    expect(ideas[0]).toEqual({
      place: "post 553c3ef8b8cdcd1501bb0001",
      externalId: "canny:553c3ef8b8cdcd1501bb0001",
      title: "Night buses",
      description: "About Night buses.",
      status: "under-review",
      visibility: "public",
      tags: ["Mobile"],
      metadata: {
        source: "canny",
        url: "https://your-company.canny.io/p/night-buses",
        board: "Feature Requests",
        category: "Dashboard",
      },
      createdAt: "2025-03-01T08:00:00.000Z",
      author: one,
      response: undefined,
      voters: [one, two, { externalId: "canny:553c3ef8b8cdcd1501ba0003", displayName: "User 0003" }],
      countedVotes: 2,
      comments: [
        { author: two, body: "Yes, please.\nEvery night.", createdAt: "2025-03-04T09:00:00.000Z" },
        { author: one, body: "Yes, please.\nEvery night.", createdAt: "2025-03-05T09:00:00.000Z" },
      ],
      duplicateOf: undefined,
    });
    expect(lost.lines().toSorted()).toEqual([
      "  1 × answer to a comment: imported as a comment",
      "  1 × estimated date",
      "  1 × image of a comment",
      "  1 × image of a post",
      "  1 × post of a private board: imported as hidden",
      "  1 × private comment",
      "  1 × status “someday”: imported as submitted",
      "  2 × like of a comment",
    ]);
    expect(lost.votes).toBe(2);
  });
});

describe("Fider", () => {
  it("gives posts with votes, comments, tags, responses, and what duplicates what", async () => {
    const { ideas, lost } = readFider(await fiderArchive(), NOW);
    const [robin, kim] = [
      { externalId: "robin@example.com", displayName: "Robin" },
      { externalId: "kim@example.com", displayName: "Kim" },
    ];
    expect(ideas).toEqual([
      {
        place: "post 11",
        externalId: "fider:11",
        title: "Night buses",
        description: "Every **half** hour.",
        status: "planned",
        visibility: "public",
        tags: ["Buses"],
        metadata: { source: "fider", number: "1" },
        createdAt: "2024-01-01T08:00:00.123Z",
        author: robin,
        response: "From May on.",
        voters: [robin, kim],
        countedVotes: 0,
        comments: [{ author: kim, body: "Me too.", createdAt: "2024-01-05T08:00:00.000Z" }],
        duplicateOf: undefined,
      },
      expect.objectContaining({
        externalId: "fider:12",
        description: "",
        status: "submitted",
        voters: [kim, { externalId: "fider:3", displayName: "Admin" }],
        duplicateOf: "fider:11",
        response: undefined,
      }),
      expect.objectContaining({ externalId: "fider:14", visibility: "pending" }),
    ]);
    expect(lost.lines()).toEqual([
      "  1 × private tag",
      "  1 × attachment",
      "  1 × deleted post",
      "  1 × deleted comment",
      "  1 × comment that waits for approval",
      "  1 × post that waits for approval: imported as pending",
    ]);
  });

  it("refuses what is no archive, a part of one, and another archive", async () => {
    const archive = await fiderArchive();
    expect(() => readFider(Buffer.from("{}"), NOW)).toThrow("The file is not a ZIP archive.");
    expect(() => readFider(archive.subarray(200), NOW)).toThrow("not a backup of Fider, or not a whole one");
    expect(() => readFider(archive.subarray(0, -30), NOW)).toThrow("The file is not a ZIP archive.");
    expect(() => readFider(zip({ "other.json": "[]" }), NOW)).toThrow("it is not a backup of Fider");
  });

  it("reads stored and deflated entries", () => {
    const text = "x".repeat(5_000);
    const names = ["a.json", "b.json"];
    const entries = unzip(
      zip({ "a.json": text, "b.json": text, "c.json": text }, (_, index) => index > 0),
      names,
    );
    expect([...entries].map(([name, content]) => [name, new TextDecoder().decode(content)])).toEqual(
      names.map((name) => [name, text]),
    );
    expect(crc32(text)).toBeGreaterThan(0);
    expect(deflateRawSync(text).length).toBeLessThan(text.length);
  });
});

describe("CSV", () => {
  it("gives ideas by the names of the columns", async () => {
    const { ideas, lost } = await readCsv(await fixture("ideas.csv"), NOW);
    expect(ideas).toEqual([
      {
        place: "line 2",
        externalId: "csv:1",
        title: "Night buses, please",
        description: 'Every "half" hour,\nall week.',
        status: "in-progress",
        visibility: "public",
        tags: ["Mobile", "Buses"],
        metadata: { source: "csv" },
        createdAt: "2024-03-01T08:00:00.000Z",
        author: { externalId: "customer-1", displayName: "Robin" },
        response: undefined,
        voters: [
          { externalId: "customer-1", displayName: null },
          { externalId: "customer-2", displayName: null },
        ],
        countedVotes: 1,
        comments: [],
        duplicateOf: undefined,
      },
      expect.objectContaining({
        externalId: "csv:2",
        title: "Dark mode",
        description: "",
        author: undefined,
        createdAt: "2024-04-01T12:00:00.000Z",
      }),
      expect.objectContaining({ externalId: "csv:3", visibility: "hidden" }),
    ]);
    expect(lost.lines()).toEqual(["  1 × column “priority”"]);
    expect(lost.votes).toBe(1);
  });

  it.each([
    [
      "a,b\r\nc,d",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      '"a ""b"", c","\n"\n\n,x\n',
      [
        ['a "b", c', "\n"],
        ["", "x"],
      ],
    ],
    ["a,\n", [["a", ""]]],
    ["a,", [["a", ""]]],
    ["", []],
    // A spreadsheet leaves such rows behind its last one.
    ["a,b\n,\n", [["a", "b"]]],
    [
      "a,b\rc,d\r",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
  ])("%j is read", async (text, records) => expect(await recordsOf(text)).toEqual(records));

  it.each([
    ['id,title\n1,"open', "The CSV file has a quote that does not end, in the row that begins in line 2."],
    ['id,title\n1,"a\nb"\n2,5" pipe', "The CSV file has a quote inside a field, in line 4."],
    ['id,title\n1, "a, b"', "The CSV file has a quote inside a field, in line 2."],
    ["id,name\n1,x", 'no column "title"'],
  ])("%j is refused", (text, message) => expect(readCsv(Buffer.from(text), NOW)).rejects.toThrow(message));

  it("reads fields of any length, and refuses a quote that does not end in a file of any length", async () => {
    const pairs = 10_000_000;
    expect((await recordsOf(`a,"${'""'.repeat(pairs)}"\n`))[0]?.[1]).toHaveLength(pairs);
    await expect(recordsOf(`"a\n${"1,2\n".repeat(5_000_000)}`)).rejects.toThrow(
      "a quote that does not end, in the row that begins in line 1.",
    );
  });

  it("names each row that has more or fewer fields than the header: nothing comes to stand in another column", async () => {
    const rows = ["7,Close the office, phase 2,,hidden", "8,Close the", '9,"Close it, now",,hidden'];
    const { ideas, faulty } = await readCsv(Buffer.from(["id,title,description,visibility", ...rows].join("\n")), NOW);
    expect(faulty).toEqual([
      "line 2: 5 fields, and the header has 4: quote what has a comma",
      "line 3: 2 fields, and the header has 4: quote what has a comma",
    ]);
    expect(ideas).toMatchObject([{ externalId: "csv:9", title: "Close it, now", visibility: "hidden" }]);
  });

  it.each(["id,url,title\n1,https://a.example/1,A", "url,title,id\nhttps://a.example/1,A,1"])(
    "takes the same column for an id, in whatever order they stand",
    async (text) => expect((await readCsv(Buffer.from(text), NOW)).ideas[0]?.externalId).toBe("csv:1"),
  );

  it("names each row that gives no idea", async () => {
    const { ideas, faulty } = await readCsv(Buffer.from("id,title,visibility\n,a,\n1,b,secret\n2,c,\n,d,"), NOW);
    expect(ideas.map(({ externalId }) => externalId)).toEqual(["csv:2"]);
    expect(faulty).toEqual([
      "line 2: no id",
      'line 3: visibility "secret": give public, pending, hidden',
      "line 5: no id",
    ]);
  });
});

it("a file of Canny's can be longer than a text, and keeps no post with each of its votes", async () => {
  async function* endless() {
    yield Buffer.from('{"posts":[{"id":"1","title":"A","board":{"id":"b","name":"B","isPrivate":false}}],"votes":[');
    const vote = JSON.stringify({ post: { id: "1", details: "x".repeat(1_000_000) }, voter: { id: "u" } });
    for (let bytes = 0; bytes <= constants.MAX_STRING_LENGTH; bytes += vote.length) yield Buffer.from(`${vote},`);
    yield Buffer.from(`{"post":{"id":"1"},"voter":{"id":"last"}}]}`);
  }
  const { ideas } = await readCannyPieces(endless(), NOW);
  expect(ideas[0]?.voters.map(({ externalId }) => externalId)).toEqual(["canny:u", "canny:last"]);
});

it("a CSV file can be longer than a text", async () => {
  async function* endless() {
    yield Buffer.from("id,title,description\n");
    const row = Buffer.from(`1,A,"${"x".repeat(1_000_000)}"\n`);
    for (let bytes = 0; bytes <= constants.MAX_STRING_LENGTH; bytes += row.length) yield row;
  }
  let records = 0;
  for await (const _ of parseCsv(endless())) records += 1;
  expect(records).toBeGreaterThan(constants.MAX_STRING_LENGTH / 1_000_100);
});

it("a post of Canny's whose board is not known to be public is refused, and not published", async () => {
  const read = (file: object) => readCanny(Buffer.from(JSON.stringify(file)), NOW);
  const board = { id: "b", name: "Board" };
  const posts = [{ id: "1", title: "A", board }];
  const fault = ['post 1: its board is not in the list "boards", which says whether it is private'];
  expect((await read({ posts })).faulty).toEqual(fault);
  expect((await read({ posts: [{ id: "1", title: "A", board: null }] })).faulty).toEqual(fault);
  expect(await read({ posts, boards: [{ ...board, isPrivate: true }] })).toMatchObject({
    faulty: [],
    ideas: [{ visibility: "hidden" }],
  });
  expect(await read({ posts: [{ id: "1", title: "A", board: { ...board, isPrivate: false } }] })).toMatchObject({
    faulty: [],
    ideas: [{ visibility: "public" }],
  });
});

it.each([
  ["csv", readCsv, "id,title\n1,Grün\n"],
  ["canny", readCanny, '{"posts":[{"id":"1","title":"Grün","board":{"id":"b","name":"B","isPrivate":false}}]}'],
] as const)(
  "%s is read in UTF-8, with its mark or without, and in nothing else: no letter becomes another",
  async (_, read, text) => {
    for (const file of [Buffer.from(text), Buffer.from(`\ufeff${text}`)])
      expect((await read(file, NOW)).ideas[0]?.title).toBe("Grün");
    for (const file of [Buffer.from(text, "latin1"), Buffer.from(`\ufeff${text}`, "utf16le")])
      await expect((async () => read(file, NOW))()).rejects.toThrow("not in UTF-8");
  },
);
