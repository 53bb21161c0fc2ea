/** How a file is divided for the desk's page, and what its report says. */
import { expect, it, onTestFinished, vi } from "vitest";
import type { Idea } from "../../../src/import/ideas.ts";
import { partsOf } from "../../../src/import/page/parts.ts";
import { outcomeOfEach, toReport } from "../../../src/import/page/report.ts";
import { isThere, sendPart } from "../../../src/import/page/send.ts";

const idea = (externalId: string, more: Partial<Idea> = {}): Idea => ({
  ...{ place: externalId, externalId, title: externalId, description: "", status: "submitted", visibility: "public" },
  ...{ tags: [], metadata: { source: "canny" }, createdAt: undefined, author: undefined, response: undefined },
  ...{ voters: [], countedVotes: 0, comments: [], duplicateOf: undefined },
  ...more,
});
const person = (externalId: string, displayName: string | null = null) => ({ externalId, displayName });

it("20 ideas are a part", () => {
  const parts = partsOf(Array.from({ length: 41 }, (_, index) => idea(`i${index}`)));
  expect(parts.map(({ rows }) => rows.length)).toEqual([20, 20, 1]);
});

it("an idea with more votes and comments than a part takes is in several; each person has the name from anywhere", () => {
  const voters = Array.from({ length: 250 }, (_, index) => person(`p${index}`));
  const comments = Array.from({ length: 130 }, (_, index) => ({
    ...{ author: person("p0", "Ana"), body: `${index}`, createdAt: "2026-01-01T00:00:00.000Z" },
  }));
  const parts = partsOf([idea("a"), idea("b", { voters, comments }), idea("c")]);
  const rows = parts.flatMap((part) => part.rows);
  expect(rows.map(({ externalId }) => externalId)).toEqual(["a", ...Array(rows.length - 2).fill("b"), "c"]);
  expect(rows.flatMap((row) => row.voters)).toEqual(voters.map(({ externalId }) => externalId));
  expect(rows.flatMap((row) => row.comments.map(({ body }) => body))).toEqual(comments.map(({ body }) => body));
  for (const { people, rows: ofPart } of parts) {
    expect(people.length).toBeLessThanOrEqual(100);
    expect(ofPart.flatMap(({ voters: some }) => some).length).toBeLessThanOrEqual(100);
    expect(ofPart.flatMap(({ comments: some }) => some).length).toBeLessThanOrEqual(100);
    const named = new Set(people.map(({ externalId }) => externalId));
    const wanted = ofPart.flatMap((row) => [...row.voters, ...row.comments.map(({ author }) => author ?? "")]);
    expect(wanted.filter((each) => !named.has(each))).toEqual([]);
    for (const { externalId, displayName } of people) expect(displayName).toBe(externalId === "p0" ? "Ana" : null);
  }
});

it("a part is at most 60 KB, except the longest idea with the longest comment", () => {
  const long = "🙂".repeat(9_000);
  const comments = [1, 2].map(() => ({ author: undefined, body: long, createdAt: "2026-01-01T00:00:00.000Z" }));
  const parts = partsOf([
    idea("a", { description: long, response: long, comments }),
    idea("b"),
    idea("c", { description: long }),
  ]);
  expect(parts.map(({ rows }) => rows.map(({ externalId }) => externalId))).toEqual([["a"], ["a"], ["a"], ["b", "c"]]);
  for (const part of parts) expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThan(192 * 1024);
});

it("the report has a line for each row, with its note, and no formula", () => {
  const ready = [idea("line 2", { title: "=A", countedVotes: 229 }), idea("line 3"), idea("line 4")];
  const outcomes = new Map([
    ["line 2", "new"],
    ["line 3", "here"],
    ["line 4", 'refused "so"'],
  ]);
  expect(toReport({ ready, faults: ["line 5: no id: give one"], outcomes }).split("\r\n")).toEqual([
    '\ufeff"Place","Title","Result","Why","Note"',
    '"line 2","\'=A","new","","229 votes in Canny"',
    '"line 3","line 3","already here","",""',
    '"line 4","line 4","fault","refused ""so""",""',
    '"line 5","","fault","no id: give one",""',
    "",
  ]);
});

it("an idea that stands twice in the file is new once, and then already here", () => {
  const ready = [idea("a"), idea("b"), idea("a")];
  const outcomes = new Map([
    ["a", "new"],
    ["b", "refused"],
  ]);
  expect(outcomeOfEach(ready, outcomes)).toEqual(["new", "refused", "here"]);
  expect(toReport({ ready, faults: [], outcomes }).match(/"(new|already here|fault)"/g)).toEqual([
    ...['"new"', '"fault"', '"already here"'],
  ]);
});

it("an idea without the votes and comments of blocked people is a fault, and is there", async () => {
  vi.stubGlobal("fetch", async () => Response.json({ rows: ["in-part", "author-blocked", "new"] }));
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  const sender = { url: "/account/import", board: "b", file: "f", signal: new AbortController().signal, say: () => {} };
  const [part] = partsOf([idea("a"), idea("b"), idea("c")]);
  const outcomes = await sendPart(part ?? { people: [], rows: [] }, sender);
  expect(outcomes).toEqual([
    "the idea is here, but votes and comments by blocked people were left out",
    "its author is blocked: unblock them, then import the file again",
    "new",
  ]);
  expect(outcomes.map(isThere)).toEqual([true, false, true]);
});
