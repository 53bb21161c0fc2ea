/**
 * How good the search is: 60 searches among 300 titles in five languages, and 100 of other subjects that were made afterwards, beside
 * `LIKE` and SQLite's FTS5. docs/decisions/no-fts5.md has the tables.
 */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import decision from "../../../docs/decisions/no-fts5.md?raw";
import { titleTerms, titleWords } from "../../../src/worker/model/words.ts";
import { HELD_OUT } from "../../fixtures/held-out-titles.ts";
import { LANGUAGES, type Language } from "../../fixtures/titles.ts";
import { databaseOf } from "../../support/databases.ts";
import { createPanel, listPath } from "../../support/panel.ts";

type Finder = (search: string) => Promise<readonly string[]>;

/** The subject of each title. No title is there twice. */
const subjectsOf = (languages: readonly Language[], set: string) =>
  new Map(
    languages.flatMap(({ name, titles }) =>
      titles.flatMap((group, subject) => group.map((title) => [title, `${set} ${name} ${subject}`] as const)),
    ),
  );
const SUBJECTS = { first: subjectsOf(LANGUAGES, "first"), "held out": subjectsOf(HELD_OUT, "held out") };
type Set = keyof typeof SUBJECTS;

/** Of the first five, how many are of the subject; and of the subject's four titles, how many are among them. Averages, in percent. */
async function measure(find: Finder, { name, searches }: Language, set: Set) {
  let [precision, recall] = [0, 0];
  for (const [search, subject] of searches) {
    const first = (await find(search)).slice(0, 5);
    const right = first.filter((title) => SUBJECTS[set].get(title) === `${set} ${name} ${subject}`).length;
    precision += first.length === 0 ? 0 : right / first.length;
    recall += right / 4;
  }
  return [precision, recall].map((sum) => Math.round((100 * sum) / searches.length));
}

/** The search, and its peers, of these titles. */
async function createFinders(all: readonly string[]): Promise<Record<"ours" | "LIKE" | "FTS5", Finder>> {
  const { bank, panelist } = await createPanel();
  const rows = JSON.stringify(all.map((title) => [title, titleWords(title), titleTerms(title)]));
  await databaseOf(bank.id)
    .prepare(
      `INSERT INTO proposals (id, account_id, idea_bank_id, title, description, created_at, last_activity_at, words, title_terms)
       SELECT substr(?1, 1, 5) || (key + 1000000), ?2, ?1, value ->> 0, '', key, key, value ->> 1, value ->> 2 FROM json_each(?3)`,
    )
    .bind(bank.id, bank.accountId, rows)
    .run();
  await env.DB.prepare(
    "CREATE VIRTUAL TABLE peer USING fts5 (title, tokenize = 'unicode61 remove_diacritics 2')",
  ).run();
  await env.DB.prepare("INSERT INTO peer SELECT value ->> 0 FROM json_each(?1)").bind(rows).run();
  const titles = async (sql: string, value: string) =>
    (await env.DB.prepare(`${sql} LIMIT 5`).bind(value).all<{ title: string }>()).results.map(({ title }) => title);
  const reader = await panelist();
  return {
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
}

/** The rows of a table in docs/decisions/no-fts5.md, with what they say. */
async function tableOf(languages: readonly Language[], set: Set, finders: Awaited<ReturnType<typeof createFinders>>) {
  const table = [];
  for (const language of languages) {
    const [ours = [], like = [], fts5 = []] = [
      await measure(finders.ours, language, set),
      await measure(finders.LIKE, language, set),
      await measure(finders.FTS5, language, set),
    ];
    const row = `| ${language.name} | ${[ours, like, fts5].map(([precision, recall]) => `${precision}, ${recall}`).join(" | ")} |`;
    table.push({ row, ours, like, fts5 });
  }
  return table;
}

it("of the first five found, at least nine in ten fit in each language, and they are more than LIKE and FTS5 find", async () => {
  expect([SUBJECTS.first.size, LANGUAGES.flatMap(({ searches }) => searches).length]).toEqual([300, 60]);
  const table = await tableOf(LANGUAGES, "first", await createFinders([...SUBJECTS.first.keys()]));
  for (const { row, ours, like, fts5 } of table) {
    expect(ours[0], row).toBeGreaterThanOrEqual(90);
    expect(ours[1], row).toBeGreaterThan(Math.max(like[1] ?? 0, fts5[1] ?? 0));
  }
  expect(
    table.map(({ row }) => row).filter((row) => !decision.includes(row)),
    "docs/decisions/no-fts5.md",
  ).toEqual([]);
});

it("finds more than LIKE and FTS5 of subjects, too, that it was not made with", async () => {
  const all = [...SUBJECTS["held out"].keys(), ...SUBJECTS.first.keys()];
  expect([new Set(all).size, HELD_OUT.flatMap(({ searches }) => searches).length]).toEqual([500, 100]);
  const table = await tableOf(HELD_OUT, "held out", await createFinders(all));
  expect(
    table.map(({ row }) => row).filter((row) => !decision.includes(row)),
    "docs/decisions/no-fts5.md",
  ).toEqual([]);
  for (const { row, ours, like, fts5 } of table)
    expect(ours[1], row).toBeGreaterThan(Math.max(like[1] ?? 0, fts5[1] ?? 0));
});
