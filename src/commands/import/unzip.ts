/** Reads a ZIP archive in memory. */
import { unzipSync } from "fflate";
import { Failure } from "../command-line/failure.ts";

/** The most that all entries together may hold: an archive can name any size. */
const MAX_BYTES = 2 ** 30;

/** The entries with these names that the archive has. Throws a Failure for a file that is not an archive. */
export function unzip(archive: Buffer, names: readonly string[]): Map<string, Buffer> {
  let bytes = 0;
  const filter = ({ name, originalSize }: { readonly name: string; readonly originalSize: number }) => {
    if (!names.includes(name)) return false;
    bytes += originalSize;
    if (bytes > MAX_BYTES) throw new Failure("The ZIP archive holds more than 1 GiB.");
    return true;
  };
  try {
    return new Map(Object.entries(unzipSync(archive, { filter })).map(([name, entry]) => [name, Buffer.from(entry)]));
  } catch (error) {
    if (error instanceof Failure) throw error;
    const isArchive = archive.includes("PK\u0005\u0006");
    throw new Failure(isArchive ? "The ZIP archive is not whole." : "The file is not a ZIP archive.");
  }
}
