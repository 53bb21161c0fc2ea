/** wrangler.toml for `npm run dev`, with e-mail, and with more databases where `--databases 2` asks for them: a separate file, ignored by git. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

export const MAX_DATABASES = 9;

/** On this machine wrangler sends none: it keeps each in a file, and says where. */
const MAIL = '\n[[send_email]]\nname = "NOTICES"\n';

/** Its name. One database is in wrangler.toml itself. New accounts are made in every database. */
export async function writeDevConfig(folder: string, databases: number): Promise<string> {
  const digits = Array.from({ length: databases }, (_, digit) => String(digit));
  const text = await readFile(join(folder, "wrangler.toml"), "utf8");
  const more = digits
    .slice(1)
    .map((digit) => `\n[[d1_databases]]\nbinding = "DB_${digit}"\ndatabase_name = "edge-access-api-${digit}"\n`);
  const config = text
    .replace(/^NEW_ACCOUNTS = .*$/m, `NEW_ACCOUNTS = "${digits.join("")}"`)
    .replace(/^NOTICES_FROM = .*$/m, 'NOTICES_FROM = "ideas@example.com"');
  await writeFile(join(folder, "wrangler.dev.toml"), [config, ...more, MAIL].join(""));
  return "wrangler.dev.toml";
}
