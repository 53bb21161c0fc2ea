/** What two pages read of what has grown for years: the comments of merged ideas, and a member's ideas that are done. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { interceptDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { addComments, numbers } from "../../support/many-rows.ts";

/** A desk, and the rows that one of its pages reads. */
async function createScene() {
  const desk = await createDesk();
  let read = 0;
  const metered = interceptDatabases(
    env,
    () => (_, makeCall) => makeCall(),
    (results) => {
      for (const { meta } of results) read += meta.rows_read;
    },
  );
  const { email } = desk.owner;
  const isolate = createIsolate(metered, async () => ({ email, actor: email }));
  return {
    ...desk,
    readOf: async (page: string) => {
      const at = `/account${page}?account=${desk.panel.bank.accountId}`;
      expect((await isolate.request(at)).status).toBe(200);
      read = 0;
      await isolate.request(at);
      return read;
    },
  };
}

it("an idea's page reads no more of a merged idea with 2,000 comments than of one with 100", {
  tags: "slow",
}, async () => {
  const { panel, bank, owner, page, readOf } = await createScene();
  const [target, source] = [await panel.propose({ title: "Night buses" }), await panel.propose({ title: "Buses" })];
  const { id: panelistId } = await panel.panelist("Kim");
  await owner.submit(`${bank}/ideas/${source}/merge`, { into: target });
  await addComments(panel.bank, source, panelistId, 100);
  const few = await readOf(`${bank}/ideas/${target}`);
  expect(await page(`${bank}/ideas/${target}`)).toContain("Kim");
  await databaseOf(panel.bank.id).prepare("DELETE FROM comments WHERE proposal_id = ?1").bind(source).run();
  await addComments(panel.bank, source, panelistId, 2_000);
  expect(await readOf(`${bank}/ideas/${target}`)).toBeLessThan(few + 100);
});

it("Home reads at most 1,000 of a member's ideas, however many are done", { tags: "slow" }, async () => {
  const { panel, page, readOf } = await createScene();
  const before = await readOf("");
  const { id, accountId } = panel.bank;
  await databaseOf(accountId)
    .prepare(
      `${numbers(1, 5_000)} INSERT INTO proposals (id, account_id, idea_bank_id, title, description, status, created_at, last_activity_at, words, assignee)
       SELECT substr(?1, 1, 7) || (10000 + i), account_id, id, 'Done', 'D', iif(i = 5000, 'planned', 'implemented'), i, i, '["done"]', account_id FROM idea_banks, n WHERE id = ?1`,
    )
    .bind(id)
    .run();
  expect(await readOf("")).toBeLessThan(before + 4_000);
  expect(await page(`?account=${accountId}`)).toContain("1+ ideas assigned to you");
});
