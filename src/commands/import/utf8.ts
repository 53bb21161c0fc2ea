import { constants } from "node:buffer";
import { Failure } from "../command-line/failure.ts";

/** The file's text, without the byte order mark. What is not UTF-8 is refused: its letters would come out as others. */
export function utf8Of(file: Buffer): string {
  if (file.length > constants.MAX_STRING_LENGTH) throw new Failure("The file is longer than 512 MiB: divide it.");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(file);
  } catch {
    throw new Failure("The file is not in UTF-8. Save it with this encoding.");
  }
}
