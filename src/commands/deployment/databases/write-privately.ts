import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

/** Writes a file that only the owner of this process can read, whatever its mode was before. Makes its folder. */
export function writePrivately(path: string, text: string): void {
  mkdirSync(resolve(path, ".."), { recursive: true, mode: 0o700 });
  writeFileSync(path, "", { mode: 0o600 });
  chmodSync(path, 0o600);
  writeFileSync(path, text);
}
