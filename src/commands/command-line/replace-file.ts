/** Files that people keep, such as wrangler.toml: rewritten as a whole, or left as they were. */
import { rename, rm, stat, writeFile } from "node:fs/promises";

/** Replaces the text of a file that exists. On a full disk, and when the process ends in the middle, the file has its text of before. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const part = `${path}.${process.pid}.part`;
  try {
    await writeFile(part, text, { mode: (await stat(path)).mode, flush: true });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
