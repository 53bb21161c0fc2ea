/** SQL files of any size, in pieces: a string of JavaScript holds at most 512 MiB, and a D1 database 10 GB. */
import { closeSync, openSync, readSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";

const PIECE_BYTES = 8 * 1024 * 1024;
/** In characters. D1 accepts no longer statement or row than 2 MB. */
const LONGEST_STATEMENT = 64 * 1024 * 1024;

/** A semicolon, or something that can contain one without ending the statement: to its end, or to the end of the text. */
const NEXT = /;|'[^']*'?|"[^"]*"?|`[^`]*`?|\[[^\]]*\]?|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
const SPACE = String.raw`(?:\s|--[^\n]*\n|/\*[\s\S]*?\*/)*`;
const TRIGGER = new RegExp(`${SPACE}CREATE${SPACE}(?:TEMP(?:ORARY)?${SPACE})?TRIGGER\\b`, "iy");
/** The rule of SQLite's `sqlite3_complete`. */
const END_OF_TRIGGER = new RegExp(`;${SPACE}END${SPACE};`, "iy");

/** The text of the file. Each piece ends where a statement ends; the last one, where the file ends. */
export function* readPieces(file: string, bytes = PIECE_BYTES): Generator<string> {
  const decoder = new StringDecoder("utf8");
  const buffer = Buffer.alloc(bytes);
  const descriptor = openSync(file, "r");
  try {
    let rest = "";
    for (let read = readSync(descriptor, buffer); read > 0; read = readSync(descriptor, buffer)) {
      const text = rest + decoder.write(buffer.subarray(0, read));
      const end = endOfStatements(text);
      if (end > 0) yield text.slice(0, end);
      rest = text.slice(end);
      if (rest.length > LONGEST_STATEMENT) throw new Error("a statement is longer than 64 MiB");
    }
    yield rest + decoder.end();
  } finally {
    closeSync(descriptor);
  }
}

/** The end of the last whole statement; 0 when there is none. The text begins with the beginning of a statement. */
function endOfStatements(text: string): number {
  let end = 0;
  NEXT.lastIndex = 0;
  for (let found = NEXT.exec(text); found !== null; found = NEXT.exec(text)) {
    if (found[0] !== ";") continue;
    if (!matchesAt(TRIGGER, text, end)) end = found.index + 1;
    else if (matchesAt(END_OF_TRIGGER, text, found.index)) {
      end = END_OF_TRIGGER.lastIndex;
      NEXT.lastIndex = end;
    }
  }
  return end;
}

function matchesAt(pattern: RegExp, text: string, index: number): boolean {
  pattern.lastIndex = index;
  return pattern.test(text);
}
