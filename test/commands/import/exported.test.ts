/** A file of ideas that Account Settings exports, and `npm run import` reads: out, in, out is the same file. */
import { expect, it } from "vitest";
import type { Idea } from "../../../src/import/ideas.ts";
import { readCsv } from "../../../src/import/read-csv.ts";
import { IDEA_COLUMNS, type IdeaRow } from "../../../src/worker/account/exports/ideas-export.tsx";
import { csvFile } from "../../../src/worker/http/csv-file.ts";

const fileOf = async (rows: readonly IdeaRow[]) => {
  async function* slices() {
    yield rows;
  }
  return new Uint8Array(
    await new Response(csvFile({ name: "ideas.csv", columns: IDEA_COLUMNS, slices: slices() }).body).arrayBuffer(),
  );
};

const readFile = (bytes: Uint8Array) => {
  async function* file() {
    yield bytes;
  }
  return readCsv(file(), Date.parse("2026-11-29T12:00:00.000Z"));
};

const EMPTY = {
  isCut: false,
  assignee: null,
  privateTags: [],
  edits: 0,
  comments: 0,
  votes: 0,
  authorId: null,
  sortKey: 0,
  respondedAt: null,
  externalId: null,
};
const PLACE = {
  ideaBankId: "Id3aBank0001",
  boardName: "Ideas",
  assigneeName: undefined,
  link: "",
  publicLink: undefined,
  recentVotes: undefined,
};

const rowOf = (idea: Idea): IdeaRow => ({
  ...{ ...EMPTY, ...PLACE, id: idea.externalId.replace("csv:", ""), title: idea.title, description: idea.description },
  ...{ beginning: idea.description, status: idea.status, visibility: idea.visibility, tags: idea.tags },
  ...{ isAnswered: idea.response !== undefined, response: idea.response ?? null },
  ...{ author: idea.author?.displayName ?? null, authorExternalId: idea.author?.externalId ?? null },
  ...{ createdAt: idea.createdAt ?? "", lastActivityAt: "2026-11-20T12:00:00.000Z" },
});

const TEXTS = [
  "=SUM(A1)",
  "-5",
  "+49 170",
  "@Ana",
  "'=quoted",
  "''-x",
  '- a list\n- "quoted", twice',
  "Ünder, “Ψ” 夜",
  "'plain",
];

it("gives every text back as it was, formulas, numbers and marks included", async () => {
  const rows = TEXTS.map((text, index) =>
    rowOf({
      ...{
        externalId: `csv:e${index}`,
        title: text.split("\n")[0] ?? "",
        description: text,
        status: "in-progress",
        visibility: "hidden",
      },
      ...{
        tags: ["=Bus", "Night"],
        metadata: {},
        createdAt: "2026-01-02T03:04:05.678Z",
        response: `${text}!`,
        voters: [],
        comments: [],
      },
      ...{
        author: { externalId: `ext-${index}`, displayName: "=Ana" },
        duplicateOf: undefined,
        place: "",
        countedVotes: 0,
      },
    }),
  );
  const first = await fileOf(rows);
  const { ideas, faulty } = await readFile(first);
  expect(faulty).toEqual([]);
  expect(ideas.map(({ description }) => description)).toEqual(TEXTS);
  expect(new TextDecoder().decode(await fileOf(ideas.map(rowOf)))).toBe(new TextDecoder().decode(first));
});
