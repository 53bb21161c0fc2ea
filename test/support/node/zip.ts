/** ZIP archives for tests. */
import { readFile } from "node:fs/promises";
import { crc32, deflateRawSync } from "node:zlib";

/** `deflated`: which entries are packed. */
export function zip(
  entries: Readonly<Record<string, string>>,
  deflated = (_: string, index: number) => index % 2 === 0,
): Buffer {
  const [parts, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [index, [name, text]] of Object.entries(entries).entries()) {
    const isPacked = deflated(name, index);
    const packed = isPacked ? deflateRawSync(text) : Buffer.from(text);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(isPacked ? 8 : 0, 4);
    fields.writeUInt32LE(crc32(text), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(Buffer.byteLength(text), 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), fields, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(
      Buffer.concat([Buffer.from("PK\u0001\u0002"), Buffer.from([20, 0]), fields, place, Buffer.from(name)]),
    );
    parts.push(local);
    offset += local.length;
  }
  const end = Buffer.alloc(18);
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, ...directory, Buffer.from("PK\u0005\u0006"), end]);
}

/** The archive that Fider's backup is: a file for each table. */
export async function fiderArchive(): Promise<Buffer> {
  const tables: Record<string, unknown> = JSON.parse(await readFile("test/fixtures/import/fider.json", "utf8"));
  return zip(Object.fromEntries(Object.entries(tables).map(([name, rows]) => [`${name}.json`, JSON.stringify(rows)])));
}
