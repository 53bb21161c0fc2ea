/** 98 searches in 20 languages and 94 that were written later, in 23 scripts together: each for one idea among all of these. */
import { expect, it } from "vitest";
import { textTerms, titleTerms, titleWords } from "../../../src/worker/model/words.ts";
import { SEARCHED as SEARCHED_FIRST, type Searched } from "../../fixtures/searches.ts";
import { SEARCHED_LATER } from "../../fixtures/searches-later.ts";
import { databaseOf } from "../../support/databases.ts";
import { createPanel, listPath } from "../../support/panel.ts";

type Page = { items: { id: string; title: string }[] };

const SEARCHED = [...SEARCHED_FIRST, ...SEARCHED_LATER];
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

it("there are 98 searches in 20 languages, 94 more, and 306 other ideas", () => {
  const count = (languages: readonly Searched[]) => languages.flatMap(({ searches }) => searches).length;
  expect([count(SEARCHED_FIRST), SEARCHED_FIRST.length, count(SEARCHED_LATER)]).toEqual([98, 20, 94]);
  expect(SEARCHED.flatMap(({ others }) => others.split("\n"))).toHaveLength(306);
});

it("they are in 23 scripts", () => {
  const scripts =
    "Arab Armn Beng Cyrl Deva Ethi Geor Grek Gujr Guru Hang Hani Hebr Kana Khmr Laoo Latn Mlym Mymr Sinh Taml Telu Thai";
  for (const script of scripts.split(" "))
    expect(CASES.filter(({ q }) => new RegExp(`\\p{sc=${script}}`, "u").test(q)).length, script).toBeGreaterThan(1);
});

it("192 of 192 put the idea first, for panelists and for the tenant", async () => {
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
