/** What comes just as the sending begins, and what is deleted before it: a comment is told once, and nobody's deleted words are. */
import { afterEach, expect, it, vi } from "vitest";
import { startDue } from "../../../src/worker/database/mails/outbox.ts";
import { findRecipients } from "../../../src/worker/database/mails/recipients.ts";
import { startPosition } from "../../../src/worker/database/slices.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf, sessionOf } from "../../support/databases.ts";
import { runJob } from "../../support/job.ts";
import { numbers } from "../../support/many-rows.ts";
import { PROPOSALS } from "../../support/panel.ts";
import { createTold, MINUTE, refusal, telling, WINDOW } from "../../support/told.ts";

afterEach(() => void vi.useRealTimers());

/** An idea that Ana follows, and Bo, who comments on it. */
async function createScene() {
  const scene = await createTold();
  const [ana, bo] = [await scene.person("ana@example.com"), await scene.person("bo@example.com", { name: "Bo" })];
  const idea = await scene.panel.propose({ title: "Night buses" });
  await ana.send("PUT", `${PROPOSALS}/${idea}/follow`);
  const comment = (body: string) => bo.send("POST", `${PROPOSALS}/${idea}/comments`, { body });
  /** When the e-mail about what was written until now starts. */
  const start = async () => {
    const [row] = await scene.rows("SELECT starts_at AS at FROM outbox WHERE proposal_id = ?1", idea);
    return Number(row?.at);
  };
  /** Later runs of the job, as long as anything could wait. */
  const runOn = async (from: number) => {
    for (const minutes of [1, 2, 15, 30, 60]) await runJob(telling, () => from + minutes * MINUTE);
  };
  const told = () => scene.mails.map(({ text }) => text.split("\n")[0]);
  return { ...scene, ana, bo, idea, comment, start, runOn, told };
}

it("a comment between the beginning of a run and its slice is in that run's e-mail", { tags: "slow" }, async () => {
  const { comment, start, runOn, told, mails } = await createScene();
  await comment("The first");
  const at = await start();
  freeze(at + 3_000);
  await comment("The second");
  vi.useRealTimers();
  await runJob(telling, () => at + 1_000);
  await runOn(at);
  expect(told()).toHaveLength(1);
  expect(mails[0]?.text).toContain("2 new comments");
});

it("a comment whose request began before a run, and that is there after its slice, is told once, by the next e-mail", {
  tags: "slow",
}, async () => {
  const { comment, start, runOn, mails } = await createScene();
  await comment("The first");
  const at = await start();
  await runJob({ ...telling, NOTICES_PER_MINUTE: "0" } as typeof telling, () => at + 1_000);
  freeze(at + 900);
  await comment("The second");
  vi.useRealTimers();
  await runOn(at);
  expect(mails.filter(({ text }) => text.includes("The first"))).toHaveLength(1);
  expect(mails.filter(({ text }) => text.includes("The second"))).toHaveLength(1);
  expect(mails.some(({ text }) => text.includes("2 new comments"))).toBe(false);
});

it("the comments and the idea of a person who is being deleted with all they wrote are in no e-mail", {
  tags: "slow",
}, async () => {
  const { panel, bo, ana, idea, comment, decide, pass, rows, mails } = await createScene();
  await comment("Bo's words");
  const own = await bo.submit("Bo's title");
  await ana.send("PUT", `${PROPOSALS}/${own}/vote`);
  await decide(own, { status: "planned" });
  // So much that the deletion takes several slices, of which the first ones have none of these words.
  const { id, accountId } = panel.bank;
  await rows(
    `${numbers(1, 2_000)} INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at)
     SELECT substr(?1, 1, 1) || (10000001000 + i), ?1, ?2, ?3, ?4, 'Old', i FROM n`,
    ...[accountId, id, idea, bo.id],
  );
  await rows(
    `${numbers(1, 2_000)} INSERT INTO proposals (id, account_id, idea_bank_id, author_id, title, description, created_at, last_activity_at)
     SELECT substr(?1, 1, 1) || (10000002000 + i), ?1, ?2, ?3, 'Old', '', i, i FROM n`,
    ...[accountId, id, bo.id],
  );
  expect((await panel.tenant.send("DELETE", `/tenant/panelists/${bo.id}?content=delete`)).status).toBe(204);
  await pass(WINDOW);
  expect(mails.map(({ text }) => text).filter((text) => text.includes("Bo"))).toEqual([]);
});

it("an idea that waits for the votes of a merge is not looked at: the job's turns are others'", {
  tags: "slow",
}, async () => {
  const { panel, ana, idea, decide, rows, start } = await createScene();
  await ana.send("PUT", `${PROPOSALS}/${idea}/vote`);
  await decide(idea, { status: "planned" });
  const [session, later] = [sessionOf(databaseOf(panel.bank.accountId)), (await start()) + 1];
  const source = await panel.propose();
  const { id, accountId } = panel.bank;
  await rows(
    "INSERT INTO merges (source_id, target_id, account_id, idea_bank_id) VALUES (?1, ?2, ?3, ?4)",
    source,
    idea,
    accountId,
    id,
  );
  expect(await startDue(session, later)).toBe(true);
  expect(await findRecipients(session, startPosition(), later)).toBe(false);
  await rows("DELETE FROM merges WHERE source_id = ?1", source);
  expect(await findRecipients(session, startPosition(), later)).toBe(true);
});

it.each([
  [6, 0],
  [2, 2],
])(
  "of %i voters whose e-mail the service finds invalid, %i cannot be reached: more than two are the e-mail's fault",
  { tags: "slow" },
  async (voters, unreachable) => {
    const { panel, person, decide, pass, rows } = await createTold(async () => {
      throw refusal("E_VALIDATION_ERROR");
    });
    const idea = await panel.propose();
    for (let voter = 0; voter < voters; voter++)
      await (await person(`p${voter}@example.com`)).send("PUT", `${PROPOSALS}/${idea}/vote`);
    await decide(idea, { status: "planned" });
    await pass(WINDOW);
    const marked = await rows(
      "SELECT 1 FROM panelists WHERE account_id = ?1 AND unreachable_at IS NOT NULL",
      panel.bank.accountId,
    );
    expect(marked).toHaveLength(unreachable);
    expect(await rows("SELECT refused FROM outbox WHERE proposal_id = ?1", idea)).toEqual([{ refused: voters }]);
  },
);
