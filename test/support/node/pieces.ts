/** A file as a stream gives it, in pieces of so many bytes. */
export async function* piecesOf(file: Uint8Array, bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.length; at += bytes) yield file.subarray(at, at + bytes);
}
