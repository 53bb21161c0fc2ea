import { constants } from "node:buffer";
import { Failure } from "../command-line/failure.ts";

/** Without the byte order mark. What is not UTF-8 is refused: its letters would come out as others. */
function createDecoder(): (bytes?: Uint8Array, options?: { readonly stream: boolean }) => string {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  return (bytes, options) => {
    try {
      return decoder.decode(bytes, options);
    } catch {
      throw new Failure("The file is not in UTF-8. Save it with this encoding.");
    }
  };
}

export function utf8Of(file: Buffer): string {
  if (file.length > constants.MAX_STRING_LENGTH) throw new Failure("The file is longer than 512 MiB: divide it.");
  return createDecoder()(file);
}

/** The same in pieces, of a file of any length. */
export async function* utf8Pieces(file: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decode = createDecoder();
  for await (const bytes of file) yield decode(bytes, { stream: true });
  yield decode();
}
