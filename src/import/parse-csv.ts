/** The rows of a CSV file (RFC 4180), also as spreadsheets write it: divided by semicolons or tabs, or by what `sep=` says. */
import { CsvError, parse } from "csv-parse";
import { type Encoding, textPieces } from "./encoding.ts";
import { Unreadable } from "./unreadable.ts";

/** `line`: the one of the file in which it begins, from 1. */
export type Row = { readonly line: number; readonly cells: readonly string[] };

/** The first line has less. */
const LOOKED_AT = 65_536;
const SEPARATOR_LINE = /^\ufeff?"?sep=(.)"?[ \t]*(?:\r\n|\r|\n)/i;

/** The mark that divides the first line most often, outside quotes. */
function separatorOf(text: string): string {
  const [line = ""] = /^(?:"[^"]*"|[^"\r\n])*/.exec(text.slice(0, LOOKED_AT)) ?? [];
  const bare = line.replaceAll(/"[^"]*"/g, "");
  const counts = [",", ";", "\t"].map((mark) => ({ mark, count: bare.split(mark).length }));
  return counts.reduce((most, each) => (each.count > most.count ? each : most)).mark;
}

const countIn = (cells: readonly string[], what: RegExp): number =>
  cells.reduce((sum, cell) => sum + (cell.match(what)?.length ?? 0), 0);

/** Whatever is before its first line break, or its beginning, and then the rest. */
async function* withWholeBeginning(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let beginning: string | undefined = "";
  for await (const piece of pieces) {
    if (beginning === undefined) yield piece;
    else {
      beginning += piece;
      if (beginning.length < LOOKED_AT) continue;
      yield beginning;
      beginning = undefined;
    }
  }
  if (beginning !== undefined) yield beginning;
}

/** Rows in which all cells are empty are left out. A quoted cell can hold separators, line breaks, and doubled quotes. */
export async function* parseCsv(file: AsyncIterable<Uint8Array>, encoding?: Encoding): AsyncGenerator<Row> {
  const pieces = withWholeBeginning(textPieces(file, encoding));
  const { value: beginning = "" } = await pieces.next();
  const [separatorLine = "", separator = separatorOf(beginning)] = SEPARATOR_LINE.exec(beginning) ?? [];
  const linesBefore = separatorLine === "" ? 0 : 1;
  const reader = new RowReader(separator, linesBefore);
  yield* reader.read(beginning.slice(separatorLine.length).replace(/^\ufeff/, ""));
  for await (const piece of pieces) yield* reader.read(piece);
  yield* reader.end();
}

/** The parser is a stream of Node's, and in a browser one that behaves like it. */
class RowReader {
  readonly #parser;
  #rows: Row[] = [];
  /** Of the file, until the end of the last row. */
  #lines = 0;
  #failure: Error | undefined;
  #settle: () => void = () => {};

  constructor(delimiter: string, linesBefore: number) {
    // The parser counts a break of two characters twice where it is quoted (csv-parse 7.0.3).
    let countedTwice = -linesBefore;
    this.#parser = parse({
      delimiter,
      on_record: (cells: string[], { lines }) => {
        countedTwice += countIn(cells, /\r\n/g);
        this.#lines = lines - countedTwice;
        const line = this.#lines - countIn(cells, /\r\n|\r|\n/g);
        if (cells.some((cell) => cell.trim() !== "")) this.#rows.push({ line, cells });
        return null;
      },
      relax_column_count: true,
      record_delimiter: ["\r\n", "\n", "\r"],
    });
    this.#parser.resume();
    this.#parser.on("error", (error: Error) => {
      this.#failure ??= inWords(error, this.#lines, countedTwice);
      this.#settle();
    });
    this.#parser.on("end", () => this.#settle());
  }

  read = (text: string) => this.#after((done) => this.#parser.write(text, () => done()));
  end = () => this.#after(() => this.#parser.end());

  async *#after(begin: (done: () => void) => void): AsyncGenerator<Row> {
    await new Promise<void>((resolve) => {
      this.#settle = resolve;
      begin(resolve);
    });
    if (this.#failure) throw this.#failure;
    const rows = this.#rows;
    this.#rows = [];
    yield* rows;
  }
}

/** `lines`: of the rows before the fault. */
function inWords(error: Error, lines: number, countedTwice: number): Error {
  if (!(error instanceof CsvError)) return error;
  if (error.code === "CSV_QUOTE_NOT_CLOSED")
    return new Unreadable(`The CSV file has a quote that does not end, in the row that begins in line ${lines + 1}.`);
  return new Unreadable(
    `The CSV file has a quote inside a field, in line ${Number(error.lines) - countedTwice}. Quote the whole field, and write a quote in it twice.`,
  );
}
