/** A decision about many ideas at once is one event: it takes no other event's place, and is undone as a whole. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { meterDatabases } from "../../support/intercept-binding.ts";
import { numbers } from "../../support/many-rows.ts";

/** 812 rows, of which an idea is eight. With an event for each idea it was 1,802. */
const WRITTEN_AT_MOST = 900;

/** A desk with 100 ideas that wait for approval, each as the list sends it. */
async function createScene() {
  let written = 0;
  const metered = meterDatabases(env, (results) => {
    for (const { meta } of results) written += meta.rows_written;
  });
  const desk = await createDesk({ bindings: metered });
  const { id, accountId } = desk.panel.bank;
  const author = await desk.panel.panelist();
  await databaseOf(accountId)
    .prepare(
      `${numbers(1, 100)} INSERT INTO proposals (id, account_id, idea_bank_id, author_id, title, description, visibility, created_at, last_activity_at, panelist_writes)
       SELECT substr(?1, 1, 9) || (100 + i), ?1, ?2, ?3, 'Idea ' || (100 + i), 'D', 'pending', i, i, 1 FROM n`,
    )
    .bind(accountId, id, author.id)
    .run();
  const ids = Array.from({ length: 100 }, (_, index) => `${id}-${accountId.slice(0, 9)}${101 + index}-1`);
  const visible = () =>
    databaseOf(accountId).prepare("SELECT count(*) AS n FROM proposals WHERE visibility = 'public'").first("n");
  const approve = async (chosen = ids) => {
    written = 0;
    const answer = await desk.owner.submit("/ideas", { ids: chosen, do: "public" });
    return { there: answer.headers.get("Location") ?? "", written };
  };
  const undo = async (there: string) =>
    (
      await desk.owner.submit("/undo", { event: there.slice(-12), back: "/account/ideas?visibility=pending" })
    ).headers.get("Location") ?? "";
  return { ...desk, accountId, approve, undo, visible };
}

it("approving 100 ideas, undoing it and undoing that are three events, each with how many and the first of them", {
  tags: "slow",
}, async () => {
  const { approve, undo, visible, activity, page } = await createScene();
  const { there, written } = await approve();
  expect(await visible()).toBe(100);
  expect(written).toBeLessThan(WRITTEN_AT_MOST);
  const undone = await undo(there);
  expect(await visible()).toBe(0);
  expect(await page(undone.replace("/account", ""))).toContain("100 ideas updated.");
  await undo(undone);
  expect(await visible()).toBe(100);
  const events = await activity();
  expect(events.map(({ event, proposals }) => [event, proposals?.count])).toEqual(
    Array(3).fill(["proposals-changed", 100]),
  );
  expect(events[0]).toMatchObject({
    subject: null,
    proposals: { first: [{ name: "Idea 101" }, { name: "Idea 102" }, { name: "Idea 103" }] },
    changes: { before: { visibility: "pending" }, after: { visibility: "public" } },
  });
  const words = (await page("/activity")).replace(/<[^>]*>/g, "");
  expect(words).toContain("100 ideas: “Idea 101”, “Idea 102”, “Idea 103” and 97 more changed");
  expect(words).toContain("Visibility: Waiting for approval → Public.");
});

it("keeps what each idea was before for the last 150 decisions; of the others how many, and three names", {
  tags: "slow",
}, async () => {
  const { approve, undo, accountId, activity } = await createScene();
  const { there } = await approve();
  await databaseOf(accountId)
    .prepare(
      `${numbers(1, 149)} INSERT INTO audit_events (id, account_id, event, api_key_name, created_at, subject_id)
       SELECT 'other' || printf('%07d', i), ?1, 'proposal-changed', 'An idea', 1, 'anidea000001' FROM n`,
    )
    .bind(accountId)
    .run();
  const bytes = () =>
    databaseOf(accountId)
      .prepare("SELECT length(changes) AS n FROM audit_events WHERE id = ?1")
      .bind(there.slice(-12))
      .first<number>("n");
  expect(await bytes()).toBeGreaterThan(5_000);
  await undo(there);
  expect(await bytes()).toBeLessThan(600);
  expect((await activity()).find(({ id }) => id === there.slice(-12))?.proposals).toMatchObject({
    count: 100,
    first: [{ name: "Idea 101" }, { name: "Idea 102" }, { name: "Idea 103" }],
  });
});
