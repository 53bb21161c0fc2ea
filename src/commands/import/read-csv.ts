/**
 * Reads CSV (RFC 4180) with a line of names: `id` and `title`, and any of `description`, `status`, `visibility`, `tags`,
 * `created_at`, `author_id`, `author`, `voters`, `response`. The names in Fider's and Canny's own CSV files are understood, too.
 */
import { pipeline, Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { VISIBILITIES } from "../../worker/model/proposal.ts";
import { Failure } from "../command-line/failure.ts";
import {
  type Idea,
  type Import,
  Lost,
  type Person,
  type Terms,
  toName,
  toPersonId,
  toProse,
  toTags,
  toTime,
  toTitle,
  unique,
} from "./ideas.ts";
import { toStatus } from "./statuses.ts";
import { utf8Pieces } from "./utf8.ts";

/** The names that files have, by ours. If a file has several of them, the first counts. */
const NAMES = {
  id: ["id", "number", "post id", "url"],
  title: ["title", "post title"],
  description: ["description", "details", "content", "body", "text"],
  status: ["status"],
  visibility: ["visibility"],
  tags: ["tags"],
  created_at: ["created_at", "created", "date"],
  author_id: ["author_id", "author_email", "author email"],
  author: ["author", "created_by", "author name"],
  voters: ["voters"],
  votes: ["votes", "votes_count", "score"],
  comments: ["comments_count", "comments"],
  response: ["response"],
} as const satisfies Record<string, readonly string[]>;
type Column = keyof typeof NAMES;

export const isColumn = (name: string): name is Column => Object.hasOwn(NAMES, name);

/** Row by row: the file may be longer than what fits into memory twice. */
export async function readCsv(file: AsyncIterable<Uint8Array>, now: number, terms: Terms = {}): Promise<Import> {
  const [ideas, faulty, lost]: [Idea[], string[], Lost] = [[], [], new Lost()];
  const found = { faulty, lost };
  let readRow: ReturnType<typeof createReader> | undefined;
  let rows = 0;
  for await (const record of parseCsv(file)) {
    if (readRow === undefined) readRow = createReader(record, { now, terms, ...found });
    else ideas.push(...readRow(record, ++rows));
  }
  if (readRow === undefined) createReader([], { now, terms, ...found });
  return { ideas, lost, faulty };
}

type Given = { readonly now: number; readonly terms: Terms; readonly faulty: string[]; readonly lost: Lost };

/** Reads the rows under this header. A row with a fault gives no idea. */
function createReader(
  header: readonly string[],
  { now, terms: { statuses = new Map(), columns = new Map() }, faulty, lost }: Given,
): (record: readonly string[], row: number) => Idea[] {
  const names = header.map((name) => name.trim().toLowerCase());
  for (const name of columns.values())
    if (!names.includes(name.trim().toLowerCase()))
      throw new Failure(`The CSV file has no column "${name}": it has ${names.join(", ")}.`);
  const indexOf = (column: Column) =>
    names.indexOf(
      columns.get(column)?.trim().toLowerCase() ?? NAMES[column].find((name) => names.includes(name)) ?? column,
    );
  for (const column of ["id", "title"] as const)
    if (indexOf(column) < 0)
      throw new Failure(
        `The CSV file has no column "${column}": see npm run import -- --help.${otherSeparator(header)}`,
      );
  const known = new Set((Object.keys(NAMES) as Column[]).map(indexOf));
  for (const [index, name] of names.entries()) if (!known.has(index)) lost.add(`column “${name}”`);
  return (record, row) => {
    // A value in the wrong column may be shown to everybody.
    if (record.length !== names.length) {
      faulty.push(`row ${row}: ${record.length} fields, and the header has ${names.length}: quote what has a comma`);
      return [];
    }
    const cell = (column: Column) => record[indexOf(column)]?.trim() ?? "";
    const externalId = `csv:${cell("id")}`;
    const refused: string[] = cell("id") === "" ? ["no id"] : [];
    const visibility = VISIBILITIES.find((each) => each === (cell("visibility").toLowerCase() || "public"));
    if (visibility === undefined)
      refused.push(`visibility ${JSON.stringify(cell("visibility"))}: give ${VISIBILITIES.join(", ")}`);
    const createdAt = toTime(cell("created_at"), now, (why) => refused.push(`created_at ${why}`));
    const voters = unique(
      listOf(cell("voters"), /[;,]/).map((id): Person => ({ externalId: toPersonId(id), displayName: null })),
    );
    lost.votes += Math.max(0, (Number(cell("votes").replaceAll(",", "")) || 0) - voters.length);
    lost.add("comment: the file has their number alone", Number(cell("comments")) || 0);
    if (cell("author") !== "" && cell("author_id") === "") lost.add("author without an id");
    const idea: Idea = {
      externalId,
      title: toTitle(cell("title"), lost),
      description: toProse(cell("description"), "description", lost),
      status: toStatus(cell("status"), statuses, lost),
      visibility: visibility ?? "public",
      tags: toTags(listOf(cell("tags"), /[;,]/), lost),
      metadata: { source: "csv" },
      createdAt,
      author:
        cell("author_id") === ""
          ? undefined
          : { externalId: toPersonId(cell("author_id")), displayName: toName(cell("author"), lost) },
      response: toProse(cell("response"), "response", lost) || undefined,
      voters,
      comments: [],
      duplicateOf: undefined,
    };
    faulty.push(...refused.map((fault) => `row ${row}: ${fault}`));
    return refused.length === 0 ? [idea] : [];
  };
}

/** The separator that a spreadsheet may have written in the place of commas. */
function otherSeparator(header: readonly string[]): string {
  if (header.length !== 1) return "";
  const name = { ";": "semicolons", "\t": "tabs" }[/[;\t]/.exec(header[0] ?? "")?.[0] ?? ""];
  return name === undefined ? "" : ` It is divided by ${name}: save it divided by commas.`;
}

const listOf = (text: string, separator: RegExp): string[] =>
  text
    .split(separator)
    .map((item) => item.trim())
    .filter(Boolean);

/** The records of the file (RFC 4180), without empty ones. A quoted field can hold separators, line breaks, and doubled quotes. */
export async function* parseCsv(file: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  let lines = 0;
  const parser = parse({
    on_record: (record: string[], context) => {
      lines = context.lines;
      return record;
    },
    relax_column_count: true,
    record_delimiter: ["\r\n", "\n", "\r"],
    skip_records_with_empty_values: true,
  });
  try {
    // A failure of the file ends the parser, which throws it here.
    yield* pipeline(Readable.from(utf8Pieces(file)), parser, () => {});
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (error.code === "CSV_QUOTE_NOT_CLOSED")
      throw new Failure(`The CSV file has a quote that does not end, in the row that begins in line ${lines + 1}.`);
    throw new Failure(
      `The CSV file has a quote inside a field, in line ${error.lines}. Quote the whole field, and write a quote in it twice.`,
    );
  }
}
