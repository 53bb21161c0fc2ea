/** The Markdown of the repository, and the code blocks in it that a test runs. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const markdownOf = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));

export const listDocuments = (): string[] => [".", "docs", "docs/dashboards", "docs/decisions"].flatMap(markdownOf);

/** The code block that follows `<!-- marker -->`. */
export function block(document: string, marker: string): string {
  const text = readFileSync(document, "utf8");
  const code = text.split(`<!-- ${marker} -->\n`)[1]?.match(/^```\w+\n([\s\S]*?)^```$/m)?.[1];
  if (code === undefined) throw new Error(`${document} has no block ${marker}`);
  return code;
}

/** What a document gives to paste into a shell. */
export const shellBlocks = (document: string): string[] =>
  [...readFileSync(document, "utf8").matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, code = ""]) => code);
