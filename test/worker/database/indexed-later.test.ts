/** Ideas that 1.1.0 has written, before an upgrade and beside it, after a rollback too: found by their titles at once, by the rest once the job was there. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { titleWords } from "../../../src/worker/model/words.ts";
import { databaseOf } from "../../support/databases.ts";
import { meterDatabases } from "../../support/intercept-binding.ts";
import { runJob } from "../../support/job.ts";
import { createPanel, listPath, type Panel, type Panelist, PROPOSALS } from "../../support/panel.ts";

type Page = { items: { title: string }[] };
const found = async (panelist: Panelist, q: string) =>
  (await panelist.read<Page>(listPath({ q }))).items.map(({ title }) => title);

/** As 1.1.0 writes a proposal: it knows `words` alone. */
async function insertAs110(
  { bank }: Panel,
  title: string,
  description = "",
  id = `${bank.id.slice(0, 5)}of1100${title.slice(0, 1)}`,
) {
  await databaseOf(bank.id)
    .prepare(
      `INSERT INTO proposals (id, account_id, idea_bank_id, title, description, created_at, last_activity_at, words)
       VALUES (?1, ?2, ?3, ?4, ?5, 1, 1, ?6)`,
    )
    .bind(id, bank.accountId, bank.id, title, description, titleWords(title))
    .run();
  return id;
}
const editAs110 = ({ bank }: Panel, id: string, { title, description }: { title?: string; description?: string }) =>
  databaseOf(bank.id)
    .prepare(
      "UPDATE proposals SET title = coalesce(?2, title), description = coalesce(?3, description), words = coalesce(?4, words) WHERE id = ?1",
    )
    .bind(id, title ?? null, description ?? null, title === undefined ? null : titleWords(title))
    .run();

/** The rows of the index, and those that the proposals say. */
async function expectWhole({ bank }: Panel): Promise<number> {
  const database = databaseOf(bank.id);
  const { results } = await database
    .prepare("SELECT term, proposal_id FROM proposal_terms WHERE idea_bank_id = ?1 ORDER BY 1, 2")
    .bind(bank.id)
    .all();
  const { results: said } = await database
    .prepare(
      `SELECT DISTINCT value AS term, p.id AS proposal_id FROM proposals p CROSS JOIN json_each(p.title_terms) WHERE idea_bank_id = ?1 AND duplicate_of IS NULL
       UNION SELECT value, p.id FROM proposals p CROSS JOIN json_each(p.text_terms) WHERE idea_bank_id = ?1 AND duplicate_of IS NULL ORDER BY 1, 2`,
    )
    .bind(bank.id)
    .all();
  expect(results).toEqual(said);
  return results.length;
}

it("an idea from before the upgrade is found by its title, and by its text once the job was there", {
  tags: "slow",
}, async () => {
  const panel = await createPanel();
  const panelist = await panel.panelist();
  await insertAs110(panel, "Fahrradständer", "Überdacht und beleuchtet");
  expect(await found(panelist, "fahrrad")).toEqual(["Fahrradständer"]);
  expect([await found(panelist, "beleuchtet"), await found(panelist, "ständer")]).toEqual([[], []]);
  await runJob(env);
  for (const q of ["fahrrad", "beleuchtet", "ständer", "fahradständer"])
    expect(await found(panelist, q), q).toEqual(["Fahrradständer"]);
  expect(await expectWhole(panel)).toBeGreaterThan(0);
});

it("what 1.1.0 edits beside this release loses its old terms and gets its new ones with the next run", {
  tags: "slow",
}, async () => {
  const panel = await createPanel();
  const panelist = await panel.panelist();
  const id = await panelist.submit("Quiet carriages", "Without telephones");
  await editAs110(panel, id, { title: "Sleeping carriages" });
  expect(await found(panelist, "sleeping")).toEqual(["Sleeping carriages"]);
  expect(await found(panelist, "quiet")).toEqual([]);
  await editAs110(panel, id, { description: "With blankets" });
  await runJob(env);
  expect([await found(panelist, "telephones"), await found(panelist, "blankets")]).toEqual([
    [],
    ["Sleeping carriages"],
  ]);
  expect(await found(panelist, "slepeing")).toEqual(["Sleeping carriages"]);
  await expectWhole(panel);
  await panelist.send("PATCH", `${PROPOSALS}/${id}`, { description: "With pillows" });
  expect([await found(panelist, "blankets"), await found(panelist, "pillows")]).toEqual([[], ["Sleeping carriages"]]);
});

it("what was stored is written in slices, by several runs, and nothing is written again", {
  tags: "slow",
}, async () => {
  const panel = await createPanel();
  const count = 75;
  for (let each = 0; each < count; each++)
    await insertAs110(panel, `Idea ${each}`, "Nightly", `${panel.bank.id.slice(0, 5)}${1_000_000 + each}`);
  let clock = Date.now();
  const left = () =>
    databaseOf(panel.bank.id).prepare("SELECT count(*) AS n FROM proposals WHERE indexed IS NULL").first<number>("n");
  // A run that ends early leaves the rest to the next one.
  await runJob(env, () => (clock += 1_000));
  expect(await left()).toBeLessThan(count);
  await runJob(env);
  expect(await left()).toBe(0);
  const panelist = await panel.panelist();
  expect(await found(panelist, "nightly")).toHaveLength(20);
  let written = 0;
  await runJob(
    meterDatabases(env, (results) => {
      for (const { meta } of results) written += meta.rows_written;
    }),
  );
  expect(written).toBe(0);
});

it("a merged idea, and one that is deleted, have no terms; one that is hidden moves only the words of its title", {
  tags: "slow",
}, async () => {
  const panel = await createPanel();
  const [target, source, other] = [
    await panel.propose({ title: "Night ferries", description: "To the island" }),
    await panel.propose({ title: "Evening ferries", description: "To the lighthouse" }),
    await panel.propose({ title: "Morning ferries", description: "To the harbour" }),
  ];
  await panel.manage("POST", `/proposals/${source}/merge`, { into: target });
  await panel.manage("DELETE", `/proposals/${other}`);
  await expectWhole(panel);
  const panelist = await panel.panelist();
  expect([await found(panelist, "lighthouse"), await found(panelist, "harbour")]).toEqual([[], []]);
  expect(await found(panelist, "island")).toEqual(["Night ferries"]);
  await panel.manage("PATCH", `/proposals/${target}`, { visibility: "hidden" });
  expect(await found(panelist, "island")).toEqual([]);
  await panel.manage("PATCH", `/proposals/${target}`, { visibility: "public" });
  expect(await found(panelist, "island")).toEqual(["Night ferries"]);
  await panel.manage("DELETE", "");
  await runJob(env);
  expect(await expectWhole(panel)).toBe(0);
  const rows = "SELECT count(*) AS n FROM proposal_terms WHERE idea_bank_id = ?1";
  expect(await databaseOf(panel.bank.id).prepare(rows).bind(panel.bank.id).first("n")).toBe(0);
});
