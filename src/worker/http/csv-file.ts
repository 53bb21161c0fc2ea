/**
 * A CSV file that is made while its receiver takes it: so its length costs no memory. The mark of UTF-8 comes first, because Excel reads letters
 * wrong without it.
 */
import { logError } from "../log.ts";
import { toCsvLine } from "../model/csv.ts";

/** What a spreadsheet gets of an item. Null is an empty cell. */
export type Column<Item> = readonly [name: string, cellOf: (item: Item) => string | number | null];

type CsvFile<Item> = {
  /** With its ending. ASCII. */
  readonly name: string;
  readonly columns: readonly Column<Item>[];
  /** The items, a slice at a time: the next one is read when the one before was taken. */
  readonly slices: AsyncGenerator<readonly Item[]>;
};

/** `2026-11-28T17:00:00.000Z`: ISO 8601, which every spreadsheet and our own import read. */
export const csvFile = <Item>({ name, columns, slices }: CsvFile<Item>) => {
  const line = (item: Item) => toCsvLine(columns.map(([, cellOf]) => cellOf(item) ?? ""));
  const title = toCsvLine(columns.map(([column]) => column));
  return textFile({ name, type: "text/csv", beginning: `\ufeff${title}`, slices: linesOf(slices, line) });
};

async function* linesOf<Item>(
  slices: AsyncGenerator<readonly Item[]>,
  line: (item: Item) => string,
): AsyncGenerator<string> {
  for await (const items of slices) yield items.map(line).join("");
}

type TextFile = {
  readonly name: string;
  readonly type: string;
  readonly beginning: string;
  readonly slices: AsyncGenerator<string>;
};

/**
 * The body, and its headers. A fault in the middle breaks the download off, and browsers show it as failed: a file that is too short never
 * looks whole.
 */
export const textFile = ({ name, type, beginning, slices }: TextFile) => ({
  body: streamOf(beginning, slices),
  headers: {
    "Content-Type": `${type}; charset=utf-8`,
    "Content-Disposition": `attachment; filename="${name}"`,
    "Cache-Control": "no-store",
  },
});

function streamOf(beginning: string, slices: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let text = beginning;
  return new ReadableStream({
    async pull(controller) {
      try {
        // A slice can be empty, and nobody asks again after one that gives nothing.
        let isLast = false;
        do {
          const { done, value } = await slices.next();
          isLast = done === true;
          text += value ?? "";
        } while (!isLast && text === "");
        if (text !== "") controller.enqueue(encoder.encode(text));
        text = "";
        if (isLast) controller.close();
      } catch (error) {
        logError("a file broke off while it was read", error);
        controller.error(error);
      }
    },
    async cancel() {
      await slices.return(undefined);
    },
  });
}
