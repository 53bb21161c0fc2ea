/** 98 searches in 20 languages, each for one idea among 224. */
import { expect, it } from "vitest";
import { textTerms, titleTerms, titleWords } from "../../../src/worker/model/words.ts";
import { SEARCHED, type Searched } from "../../fixtures/searches.ts";
import { databaseOf } from "../../support/databases.ts";
import { createPanel, listPath } from "../../support/panel.ts";

type Page = { items: { id: string; title: string }[] };

const CASES = SEARCHED.flatMap((language: Searched) =>
  language.searches.map(([q, idea, kind]) => ({
    name: language.name,
    q,
    kind,
    title: language.ideas[idea]?.[0] ?? "",
  })),
);

/** An idea bank with all of them. Those that are looked for are the oldest, so that none is found for being new. */
async function createScene() {
  const panel = await createPanel();
  const ideas = SEARCHED.flatMap((language) =>
    language.ideas.map(([title, description]) => [title, description] as const),
  );
  const others = SEARCHED.flatMap((language) => language.others.split("\n").map((title) => [title, ""] as const));
  const rows = [...ideas, ...others].map(([title, description]) => ({
    ...{
      title,
      description,
      words: titleWords(title),
      titleTerms: titleTerms(title),
      textTerms: textTerms(description),
    },
  }));
  await databaseOf(panel.bank.id)
    .prepare(
      `INSERT INTO proposals (id, account_id, idea_bank_id, title, description, created_at, last_activity_at, words, title_terms, text_terms, indexed)
       SELECT substr(?1, 1, 5) || (key + 1000000), ?2, ?1, value ->> 'title', value ->> 'description', key, key,
         value ->> 'words', value ->> 'titleTerms', value ->> 'textTerms', 1 FROM json_each(?3)`,
    )
    .bind(panel.bank.id, panel.bank.accountId, JSON.stringify(rows))
    .run();
  return panel;
}

it("there are 98 searches in 20 languages, and 200 other ideas", () => {
  expect([CASES.length, SEARCHED.length]).toEqual([98, 20]);
  expect(SEARCHED.flatMap(({ others }) => others.split("\n"))).toHaveLength(200);
});

it("98 of 98 put the idea first, for panelists and for the tenant", async () => {
  const panel = await createScene();
  const panelist = await panel.panelist();
  const misses: object[] = [];
  for (const { title, ...search } of CASES) {
    const { items } = await panelist.read<Page>(listPath({ q: search.q }));
    const tenants = await (
      await panel.manage("GET", `/proposals?${new URLSearchParams({ q: search.q })}`)
    ).json<Page>();
    const firsts = [items, tenants.items].map(([first]) => first?.title);
    if (firsts.some((first) => first !== title)) misses.push({ ...search, title, firsts });
  }
  expect(misses).toEqual([]);
});
