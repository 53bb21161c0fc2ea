/** wrangler.toml with more databases, for `npm run dev -- --databases 2`: a separate file, ignored by git. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

export const MAX_DATABASES = 9;

/** Its name. One database is in wrangler.toml itself. New accounts are made in every database. */
export async function writeDevConfig(folder: string, databases: number): Promise<string> {
  if (databases === 1) return "wrangler.toml";
  const digits = Array.from({ length: databases }, (_, digit) => String(digit));
  const text = await readFile(join(folder, "wrangler.toml"), "utf8");
  const more = digits
    .slice(1)
    .map((digit) => `\n[[d1_databases]]\nbinding = "DB_${digit}"\ndatabase_name = "edge-access-api-${digit}"\n`);
  const config = text.replace(/^NEW_ACCOUNTS = .*$/m, `NEW_ACCOUNTS = "${digits.join("")}"`) + more.join("");
  await writeFile(join(folder, "wrangler.dev.toml"), config);
  return "wrangler.dev.toml";
}
