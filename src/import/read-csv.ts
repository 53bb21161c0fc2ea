/**
 * Reads CSV with a line of names: `title`, and any of `id`, `description`, `status`, `visibility`, `tags`, `created_at`, `author_id`,
 * `author_email`, `author`, `voters`, `votes`, `response`. The names in Fider's and Canny's own CSV files are understood, too.
 */
import { textOfCell } from "../worker/model/csv.ts";
import { VISIBILITIES } from "../worker/model/proposal.ts";
import { textOfHtml } from "./html.ts";
import {
  type Idea,
  type Import,
  type ImportedComment,
  Lost,
  type Person,
  somebody,
  type Terms,
  toName,
  toPersonId,
  toProse,
  toTags,
  toTitle,
  unique,
} from "./ideas.ts";
import { parseCsv, type Row } from "./parse-csv.ts";
import { Statuses } from "./statuses.ts";
import { toTime } from "./times.ts";
import { NoTitle, Unreadable } from "./unreadable.ts";
import { folded } from "./words.ts";

/** The names that files have, by ours. If a file has several of them, the first counts. A `comment` is often for the team: it is never guessed. */
const NAMES = {
  id: ["id", "number", "post id", "url"],
  title: ["title", "post title", "idea", "subject"],
  description: ["description", "details", "content", "body", "text"],
  status: ["status"],
  visibility: ["visibility"],
  tags: ["tags"],
  created_at: ["created_at", "created at", "created", "date"],
  author_id: ["author_id", "author id"],
  author_email: ["author_email", "author email", "email", "e-mail"],
  author: ["author", "created_by", "author name"],
  voters: ["voters"],
  votes: ["votes", "votes_count", "score"],
  comments: ["comments_count", "comments"],
  comment: [],
  response: ["response", "official response"],
} as const satisfies Record<string, readonly string[]>;
export type Column = keyof typeof NAMES;

/** The same in other languages. */
const IN_LANGUAGES: Partial<Record<Column, readonly string[]>> = {
  title: [
    "titel",
    "betreff",
    "titre",
    "sujet",
    "título",
    "asunto",
    "titolo",
    "oggetto",
    "assunto",
    "onderwerp",
    "tytuł",
    "başlık",
    "タイトル",
    "标题",
    "العنوان",
  ],
  description: [
    "beschreibung",
    "inhalt",
    "descripción",
    "descrizione",
    "descrição",
    "omschrijving",
    "beschrijving",
    "opis",
    "açıklama",
    "説明",
    "说明",
    "描述",
    "الوصف",
  ],
  status: ["statut", "estado", "stato", "durum", "ステータス", "状态", "الحالة"],
  visibility: [
    "sichtbarkeit",
    "visibilité",
    "visibilidad",
    "visibilità",
    "visibilidade",
    "zichtbaarheid",
    "widoczność",
  ],
  tags: [
    "schlagwörter",
    "schlagworte",
    "étiquettes",
    "etiquetas",
    "etichette",
    "labels",
    "etykiety",
    "etiketler",
    "タグ",
    "标签",
  ],
  created_at: [
    "datum",
    "erstellt",
    "erstellt am",
    "date de création",
    "fecha",
    "data",
    "aangemaakt",
    "tarih",
    "日付",
    "日期",
    "التاريخ",
  ],
  author_email: ["e-mail-adresse", "courriel", "correo", "e-posta"],
  author: ["autor", "verfasser", "auteur", "autore", "yazar", "作者", "投稿者"],
  votes: ["stimmen", "voix", "votos", "voti", "głosy", "oylar", "投票数", "票数"],
  comments: [
    "kommentare",
    "commentaires",
    "comentarios",
    "comentários",
    "commenti",
    "reacties",
    "komentarze",
    "yorumlar",
  ],
  response: ["antwort", "réponse", "respuesta", "risposta", "resposta", "antwoord", "odpowiedź", "yanıt"],
};

export const COLUMNS = Object.keys(NAMES) as readonly Column[];

export const isColumn = (name: string): name is Column => Object.hasOwn(NAMES, name);

/** The columns of the file in their order, each by the first of ours that it is, with how its first value begins. */
export type FoundColumn = {
  readonly name: string;
  readonly column: Column | undefined;
  readonly sample?: string | undefined;
};
type ImportedCsv = Import & { readonly columns: readonly FoundColumn[] };

/** Row by row: the file may be longer than what fits into memory twice. */
export async function readCsv(file: AsyncIterable<Uint8Array>, now: number, terms: Terms = {}): Promise<ImportedCsv> {
  const [ideas, faulty, lost]: [Idea[], string[], Lost] = [[], [], new Lost()];
  const statuses = new Statuses(terms.statuses ?? new Map(), lost);
  let columns: Columns | undefined;
  let first: Row | undefined;
  let rows = 0;
  for await (const row of parseCsv(file, terms.encoding)) {
    if (columns === undefined) {
      columns = findColumns(row.cells, terms, lost);
      continue;
    }
    rows += 1;
    first ??= row;
    ideas.push(...readRow(row, columns, { now, statuses, faulty, lost }));
  }
  columns ??= findColumns([], terms, lost);
  return { ideas, lost, faulty, statuses: statuses.found, rows, columns: withSamples(columns.found, first) };
}

/** The columns alone, also of a file whose ideas cannot be read yet because none has the title. */
export async function readColumns(file: AsyncIterable<Uint8Array>, terms: Terms): Promise<readonly FoundColumn[]> {
  let found: readonly FoundColumn[] | undefined;
  for await (const { cells } of parseCsv(file, terms.encoding)) {
    if (found !== undefined) return withSamples(found, { cells });
    found = locate(cells, terms).found;
  }
  return found ?? [];
}

const SAMPLE_CHARACTERS = 40;

const withSamples = (found: readonly FoundColumn[], row: Pick<Row, "cells"> | undefined): readonly FoundColumn[] =>
  found.map((column, index) => ({ ...column, sample: row?.cells[index]?.trim().slice(0, SAMPLE_CHARACTERS) ?? "" }));

type Columns = {
  readonly found: readonly FoundColumn[];
  readonly indexOf: (column: Column) => number;
};

function locate(header: readonly string[], { columns = new Map() }: Terms): Columns {
  const [names, asFolded] = [header.map((name) => name.trim().toLowerCase()), header.map(folded)];
  for (const name of columns.values())
    if (name !== "" && !names.includes(name.trim().toLowerCase()))
      throw new Unreadable(`The CSV file has no column "${name}": it has ${names.join(", ")}.`);
  const indexes = new Map(
    COLUMNS.map((column) => {
      const own = columns.get(column);
      if (own !== undefined) return [column, own === "" ? -1 : names.indexOf(own.trim().toLowerCase())];
      const known = [...NAMES[column], ...(IN_LANGUAGES[column] ?? [])].map(folded);
      const name = known.find((each) => asFolded.includes(each));
      return [column, name === undefined ? -1 : asFolded.indexOf(name)];
    }),
  );
  return {
    found: header.map((name, index) => ({
      name: name.trim(),
      column: COLUMNS.find((column) => indexes.get(column) === index),
    })),
    indexOf: (column) => indexes.get(column) ?? -1,
  };
}

function findColumns(header: readonly string[], terms: Terms, lost: Lost): Columns {
  const columns = locate(header, terms);
  if (columns.indexOf("title") < 0) throw new NoTitle();
  if (columns.indexOf("id") < 0) lost.add("file without a column of ids: an idea is known by its title");
  for (const { name, column } of columns.found) if (column === undefined) lost.add(`column “${name.toLowerCase()}”`);
  return columns;
}

/** A spreadsheet has rounded a long number, so that different ones are the same. */
const ROUNDED = /^\d(?:[.,]\d+)?E\+\d+$/i;

type Found = {
  readonly now: number;
  readonly statuses: Statuses;
  readonly faulty: string[];
  readonly lost: Lost;
};

/** No idea for a row with a fault. */
function readRow({ line, cells }: Row, { found, indexOf }: Columns, { now, statuses, faulty, lost }: Found): Idea[] {
  const place = `line ${line}`;
  // A value in the wrong column may be shown to everybody.
  if (cells.length !== found.length) {
    faulty.push(`${place}: ${cells.length} fields, and the header has ${found.length}: quote what has a comma`);
    return [];
  }
  // Without what an export has put before a text that a spreadsheet would take for a formula.
  const cell = (column: Column) => textOfCell(cells[indexOf(column)] ?? "").trim();
  const prose = (column: Column) => {
    const ofHtml = textOfHtml(cell(column));
    if (ofHtml !== undefined) lost.add(`${column} in HTML: imported as text`);
    return toProse(ofHtml ?? cell(column), column, lost);
  };
  const id = indexOf("id") < 0 ? cell("title") : cell("id");
  const authorId = cell("author_id") || cell("author_email");
  const votersIds = listOf(cell("voters"));
  const refused: string[] = id === "" ? [indexOf("id") < 0 ? "no title, and no column of ids" : "no id"] : [];
  const rounded = [...new Set([id, authorId, ...votersIds].filter((each) => ROUNDED.test(each)))];
  refused.push(
    ...rounded.map(
      (each) => `${JSON.stringify(each)} is a number that a spreadsheet has rounded: export the column as text`,
    ),
  );
  const visibility = VISIBILITIES.find((each) => each === (cell("visibility").toLowerCase() || "public"));
  if (visibility === undefined)
    refused.push(`visibility ${JSON.stringify(cell("visibility"))}: give ${VISIBILITIES.join(", ")}`);
  // "4,5" is no number of votes, and no 45.
  const votes = cell("votes");
  if (votes !== "" && !/^\d+$|^\d{1,3}(?:,\d{3})+$/.test(votes))
    refused.push(`votes ${JSON.stringify(votes)}: give a whole number`);
  const createdAt = toTime(cell("created_at"), now, (why) => refused.push(`created_at ${why}`));
  faulty.push(...refused.map((fault) => `${place}: ${fault}`));
  if (refused.length > 0) return [];

  const voters = unique(votersIds.map((each): Person => ({ externalId: toPersonId(each), displayName: null })));
  const countedVotes = Math.max(0, Number(votes.replaceAll(",", "")) - voters.length);
  lost.votes += countedVotes;
  lost.add("comment: the file has their number alone", Number(cell("comments")) || 0);
  if (cell("author") !== "" && authorId === "") lost.add("author without an id");
  const comments: ImportedComment[] = [];
  const comment = prose("comment");
  if (comment !== "" && createdAt === undefined) lost.add("comment in a row without a date");
  if (comment !== "" && createdAt !== undefined) comments.push({ author: somebody("csv"), body: comment, createdAt });
  return [
    {
      place,
      externalId: `csv:${id}`,
      title: toTitle(cell("title"), lost),
      description: prose("description"),
      status: statuses.of(cell("status")),
      visibility: visibility ?? "public",
      tags: toTags(listOf(cell("tags")), lost),
      metadata: { source: "csv" },
      createdAt,
      author:
        authorId === "" ? undefined : { externalId: toPersonId(authorId), displayName: toName(cell("author"), lost) },
      response: prose("response") || undefined,
      voters,
      countedVotes,
      comments,
      duplicateOf: undefined,
    },
  ];
}

const listOf = (text: string): string[] =>
  text
    .split(/[;,]/)
    .map((item) => item.trim())
    .filter(Boolean);
