/** The file that was chosen: which service it is from, and what is in it. */
import { faultsByIdea, tooManyTags } from "../faults.ts";
import type { Idea, Import, Terms } from "../ideas.ts";
import { readCanny } from "../read-canny.ts";
import { type FoundColumn, readColumns, readCsv } from "../read-csv.ts";
import { readFider } from "../read-fider.ts";
import { Unreadable } from "../unreadable.ts";

type Kind = "csv" | "canny" | "fider";

const byPlace = new Intl.Collator("en", { numeric: true }).compare;

/** Some browsers cannot iterate over a stream. */
async function* piecesOf(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

export const bytesOf = async (file: Blob): Promise<Uint8Array> => new Uint8Array(await file.arrayBuffer());

/** Throws Unreadable for a workbook. */
async function kindOf(file: File): Promise<Kind> {
  if (/\.(?:xlsx?|ods|numbers)$/i.test(file.name))
    throw new Unreadable("This is a workbook. Save it as CSV, then choose that file.");
  const beginning = await bytesOf(file.slice(0, 1_024));
  if (beginning[0] === 0x50 && beginning[1] === 0x4b) return "fider";
  return new TextDecoder().decode(beginning).trimStart().startsWith("{") ? "canny" : "csv";
}

/** `ready`: what can be imported. `faults`: of all rows, each by its line. `faulty`: the rows among them that give no idea. */
export type ReadFile = {
  readonly kind: Kind;
  readonly columns: readonly FoundColumn[];
  readonly found: Import;
  readonly ready: readonly Idea[];
  readonly faults: readonly string[];
  readonly faulty: number;
};

/** Throws Unreadable. */
export async function readFile(
  file: File,
  { now, terms }: { readonly now: number; readonly terms: Terms },
): Promise<ReadFile> {
  const kind = await kindOf(file);
  const csv = kind === "csv" ? await readCsv(piecesOf(file), now, terms) : undefined;
  const found =
    csv ?? (kind === "canny" ? await readCanny(piecesOf(file), now, terms) : readFider(await bytesOf(file), now));
  const byIdea = faultsByIdea(found.ideas);
  const tags = tooManyTags(found.ideas);
  return {
    ...{ kind, found, columns: csv?.columns ?? [] },
    ready: found.ideas.filter((idea) => !byIdea.has(idea)),
    faults: [...found.faulty, ...[...byIdea.values()].flat(), ...(tags === undefined ? [] : [tags])].toSorted(byPlace),
    faulty: found.rows - found.ideas.length + byIdea.size,
  };
}

export const columnsOf = (file: File, terms: Terms): Promise<readonly FoundColumn[]> =>
  readColumns(piecesOf(file), terms);
