/** Reads a ZIP archive in memory: stored and deflated entries, no encryption, no ZIP64. */
import { inflateRawSync } from "node:zlib";
import { Failure } from "../command-line/failure.ts";

const END = 0x06054b50;
const ENTRY = 0x02014b50;
/** An entry's text is at most so large: an archive can name any size. */
const MAX_BYTES = 2 ** 30;

/** The entries with these names that the archive has. Throws a Failure for a file that is not an archive. */
export function unzip(archive: Buffer, names: readonly string[]): Map<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from("PK\u0005\u0006"));
  if (end < 0 || archive.readUInt32LE(end) !== END) throw new Failure("The file is no ZIP archive.");
  const entries = new Map<string, Buffer>();
  try {
    let at = archive.readUInt32LE(end + 16);
    for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
      if (archive.readUInt32LE(at) !== ENTRY) throw new RangeError("no entry");
      const [nameLength, extra, comment] = [28, 30, 32].map((field) => archive.readUInt16LE(at + field));
      const name = archive.toString("utf8", at + 46, at + 46 + (nameLength ?? 0));
      if (names.includes(name)) entries.set(name, readEntry(archive, at));
      at += 46 + (nameLength ?? 0) + (extra ?? 0) + (comment ?? 0);
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure("The ZIP archive is not whole.");
  }
  return entries;
}

function readEntry(archive: Buffer, at: number): Buffer {
  const [method, size, local] = [
    archive.readUInt16LE(at + 10),
    archive.readUInt32LE(at + 20),
    archive.readUInt32LE(at + 42),
  ];
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const packed = archive.subarray(start, start + size);
  if (method === 0) return packed;
  if (method === 8) return inflateRawSync(packed, { maxOutputLength: MAX_BYTES });
  throw new Failure("The ZIP archive is packed in a way that this command cannot read.");
}
