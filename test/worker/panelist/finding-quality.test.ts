/** How good the search is: 60 searches among 300 titles in five languages, beside `LIKE` and SQLite's FTS5. docs/decisions/no-fts5.md has the table. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import decision from "../../../docs/decisions/no-fts5.md?raw";
import { titleWords } from "../../../src/worker/model/words.ts";
import { LANGUAGES } from "../../fixtures/titles.ts";
import { databaseOf } from "../../support/databases.ts";
import { createPanel, listPath } from "../../support/panel.ts";

type Finder = (search: string) => Promise<readonly string[]>;

/** The subject of each title. No title is there twice. */
const subjects = new Map(
  LANGUAGES.flatMap(({ name, titles }) =>
    titles.flatMap((group, subject) => group.map((title) => [title, `${name} ${subject}`] as const)),
  ),
);

/** Of the first five, how many are of the subject; and of the subject's four titles, how many are among them. Averages, in percent. */
async function measure(find: Finder, { name, searches }: (typeof LANGUAGES)[number]) {
  let [precision, recall] = [0, 0];
  for (const [search, subject] of searches) {
    const first = (await find(search)).slice(0, 5);
    const right = first.filter((title) => subjects.get(title) === `${name} ${subject}`).length;
    precision += first.length === 0 ? 0 : right / first.length;
    recall += right / 4;
  }
  return [precision, recall].map((sum) => Math.round((100 * sum) / searches.length));
}

it("of the first five found, at least nine in ten fit in each language, and they are more than LIKE and FTS5 find", async () => {
  expect([subjects.size, LANGUAGES.flatMap(({ searches }) => searches).length]).toEqual([300, 60]);
  const { bank, panelist } = await createPanel();
  const all = [...subjects.keys()].map((title) => [title, titleWords(title)]);
  await databaseOf(bank.id)
    .prepare(
      `INSERT INTO proposals (id, account_id, idea_bank_id, title, description, created_at, last_activity_at, words)
       SELECT substr(?1, 1, 5) || (key + 1000000), ?2, ?1, value ->> 0, '', key, key, value ->> 1 FROM json_each(?3)`,
    )
    .bind(bank.id, bank.accountId, JSON.stringify(all))
    .run();
  await env.DB.prepare(
    "CREATE VIRTUAL TABLE peer USING fts5 (title, tokenize = 'unicode61 remove_diacritics 2')",
  ).run();
  await env.DB.prepare("INSERT INTO peer SELECT value ->> 0 FROM json_each(?1)").bind(JSON.stringify(all)).run();
  const titles = async (sql: string, value: string) =>
    (await env.DB.prepare(`${sql} LIMIT 5`).bind(value).all<{ title: string }>()).results.map(({ title }) => title);
  const reader = await panelist();
  const finders: Record<"ours" | "LIKE" | "FTS5", Finder> = {
    ours: async (q) =>
      (await reader.read<{ items: { title: string }[] }>(listPath({ q }))).items.map(({ title }) => title),
    LIKE: (search) => titles("SELECT title FROM peer WHERE title LIKE '%' || ?1 || '%' ORDER BY rowid DESC", search),
    FTS5: (search) => {
      const words = search.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
      return titles(
        "SELECT title FROM peer WHERE peer MATCH ?1 ORDER BY rank",
        `${words.map((word) => `"${word}"`).join(" OR ")} *`,
      );
    },
  };
  const rows: string[] = [];
  for (const language of LANGUAGES) {
    const [ours = [], like = [], fts5 = []] = [
      await measure(finders.ours, language),
      await measure(finders.LIKE, language),
      await measure(finders.FTS5, language),
    ];
    // The row of the table in docs/decisions/no-fts5.md.
    const row = `| ${language.name} | ${[ours, like, fts5].map(([precision, recall]) => `${precision}, ${recall}`).join(" | ")} |`;
    rows.push(row);
    expect(ours[0], row).toBeGreaterThanOrEqual(90);
    expect(ours[1], row).toBeGreaterThan(Math.max(like[1] ?? 0, fts5[1] ?? 0));
  }
  expect(
    rows.filter((row) => !decision.includes(row)),
    "docs/decisions/no-fts5.md",
  ).toEqual([]);
});
