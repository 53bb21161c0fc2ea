/** The letters of a file: UTF-8, or what a spreadsheet in Western Europe and America saves in its place. */
import { NotUtf8, Unreadable } from "./unreadable.ts";

export const ENCODINGS = ["utf-8", "windows-1252"] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** V8 has no longer text. */
const MAX_BYTES = 512 * 1024 * 1024 - 24;

/** Without the byte order mark. In UTF-8, other bytes are refused: their letters would come out as others. */
function createDecoder(encoding: Encoding): (bytes?: Uint8Array, options?: { readonly stream: boolean }) => string {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: false });
  return (bytes, options) => {
    try {
      return decoder.decode(bytes, options);
    } catch {
      throw new NotUtf8();
    }
  };
}

export function textOf(file: Uint8Array): string {
  if (file.length > MAX_BYTES) throw new Unreadable("The file is longer than 512 MiB: divide it.");
  return createDecoder("utf-8")(file);
}

/** The same in pieces, of a file of any length. */
export async function* textPieces(
  file: AsyncIterable<Uint8Array>,
  encoding: Encoding = "utf-8",
): AsyncGenerator<string> {
  const decode = createDecoder(encoding);
  for await (const bytes of file) yield decode(bytes, { stream: true });
  yield decode();
}

const SHOWN_LINES = 3;
const SHOWN_CHARACTERS = 200;

/** The first lines in which the encodings differ, in each of them. */
export function linesInEach(file: Uint8Array): readonly Readonly<Record<Encoding, string>>[] {
  const lines: Record<Encoding, string>[] = [];
  for (let start = 0; start < file.length && lines.length < SHOWN_LINES; ) {
    const found = file.indexOf(10, start);
    const end = found < 0 ? file.length : found;
    const line = file.subarray(start, end);
    const shown = (encoding: Encoding) => new TextDecoder(encoding).decode(line).trim().slice(0, SHOWN_CHARACTERS);
    if (line.some((byte) => byte > 127)) lines.push({ "utf-8": shown("utf-8"), "windows-1252": shown("windows-1252") });
    start = end + 1;
  }
  return lines;
}
