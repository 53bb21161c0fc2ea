/** What the scheduled job adds to the log of changes while it deletes and merges in slices. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createLogScene } from "../../support/change-log.ts";
import { databaseOf } from "../../support/databases.ts";
import { runJob } from "../../support/job.ts";
import { addComments, addVoters, addVotes, numbers } from "../../support/many-rows.ts";
import { PROPOSALS } from "../../support/panel.ts";
import { addAccount } from "../../support/world.ts";

/** How often each line is in the log. */
const tally = (lines: readonly string[]) =>
  Object.fromEntries(
    [...Map.groupBy(lines, (line) => line.split(" ").slice(0, 2).join(" "))].map(([kind, same]) => [kind, same.length]),
  );

describe("what the scheduled job does", { tags: "slow" }, () => {
  it("of a deleted idea bank: nothing but the deletion itself, which stands for all that was in it", async () => {
    const { bank, manage, rows, robin, propose, added } = await createLogScene();
    await databaseOf(bank)
      .prepare(
        `${numbers(1, 450)} INSERT INTO proposals (id, account_id, idea_bank_id, title, description, created_at, last_activity_at)
         SELECT substr(?2, 1, 8) || (i + 1000), ?1, ?2, 'T', '', i, i FROM n`,
      )
      .bind(rows.accountId, bank)
      .run();
    const [source, target] = [await propose(), await propose()];
    await manage("POST", `/proposals/${source}/merge`, { into: target });
    await addComments(rows, target, robin.id, 450);
    await added();
    await manage("DELETE", "");
    await runJob(env);
    const lines = await added();
    expect(lines).toEqual([`tenant: ideabank.deleted ${bank}`]);
  });

  it("of a deleted proposal: what was merged into it, and no comment", async () => {
    const { bank, manage, rows, robin, propose, added } = await createLogScene();
    const [first, second, target] = [await propose(), await propose(), await propose()];
    await manage("POST", `/proposals/${first}/merge`, { into: second });
    await manage("POST", `/proposals/${second}/merge`, { into: target });
    await addComments(rows, first, robin.id, 400);
    await manage("POST", `/proposals/${target}/comments`, { body: "Ours." });
    const begun = await added();
    expect(begun.slice(3, 6)).toEqual([
      `tenant: proposal.merged ${bank}/${first}`,
      `tenant: proposal.merged ${bank}/${second}`,
      // It names the last one now.
      `system: proposal.updated ${bank}/${first}`,
    ]);
    await manage("DELETE", `/proposals/${target}`);
    await runJob(env);
    const lines = await added();
    expect(lines).toEqual([
      `tenant: proposal.deleted ${bank}/${target}`,
      expect.stringContaining(`system: proposal.deleted ${bank}/`),
      expect.stringContaining(`system: proposal.deleted ${bank}/`),
    ]);
    expect(lines.toSorted()).toEqual([
      ...[first, second].map((id) => `system: proposal.deleted ${bank}/${id}`).toSorted(),
      `tenant: proposal.deleted ${bank}/${target}`,
    ]);
  });

  it("of a panelist who is deleted with what that person wrote: each of it, and nothing that goes with it", async () => {
    const { bank, tenant, manage, rows, robin, propose, added } = await createLogScene();
    const [own, other] = [await robin.submit(), await propose()];
    await manage("POST", `/proposals/${own}/comments`, { body: "Ours." });
    await addComments(rows, own, robin.id, 100);
    await addComments(rows, other, robin.id, 100);
    const gone = await manage("POST", "/proposals", { title: "Gone", panelistId: robin.id });
    const { id } = await gone.json<{ id: string }>();
    await addComments(rows, id, robin.id, 100);
    await manage("DELETE", `/proposals/${id}`);
    await added();
    await tenant.send("DELETE", `/tenant/panelists/${robin.id}?content=delete`);
    await runJob(env);
    const lines = await added();
    expect(lines.slice(0, 2)).toEqual([
      `tenant: panelist.deleted ${robin.id}`,
      `system: proposal.deleted ${bank}/${own}`,
    ]);
    expect(tally(lines)).toEqual({
      "tenant: panelist.deleted": 1,
      "system: proposal.deleted": 1,
      "tenant: comment.deleted": 100,
    });
    expect(lines.slice(2).filter((line) => !line.includes(` ${bank}/${other}/`))).toEqual([]);
  });

  it("of a deleted panelist: each proposal and each comment that loses its author", async () => {
    const { bank, tenant, rows, robin, propose, added } = await createLogScene();
    const own = await robin.submit();
    await addComments(rows, await propose(), robin.id, 400);
    await robin.send("PUT", `${PROPOSALS}/${own}/vote`);
    await added();
    await tenant.send("DELETE", `/tenant/panelists/${robin.id}`);
    await runJob(env);
    const lines = await added();
    expect(lines[0]).toBe(`tenant: panelist.deleted ${robin.id}`);
    expect(lines).toContain(`system: proposal.updated ${bank}/${own}`);
    expect(tally(lines.slice(1))).toEqual({ "system: proposal.updated": 1, "system: comment.updated": 400 });
  });

  it("of a merge: nothing, for votes are no changes", async () => {
    const { rows, manage, propose, added } = await createLogScene();
    const [source, target] = [await propose(), await propose()];
    await addVoters(rows, 1, 400);
    await addVotes(rows, source, 1, 400);
    await added();
    await manage("POST", `/proposals/${source}/merge`, { into: target });
    await runJob(env);
    expect(tally(await added())).toEqual({ "tenant: proposal.merged": 1 });
  });
});

it("the job deletes a log from its beginning only, also where the database's clock has stepped back", async () => {
  const [day, now] = [86_400_000, 1_900_000_000_000];
  const id = await addAccount({ digit: "0" });
  const times = [-30 * day - 10, -30 * day - 9, -30 * day + 5, -30 * day - 1, -30 * day - 1, -day];
  for (const [index, time] of times.entries())
    await env.DB.prepare(
      `INSERT INTO change_log (account_id, number, type, actor, changed_at)
       VALUES (?1, ?2, 'panelist.updated', 'tenant', ?3)`,
    )
      .bind(id, index + 1, now + time)
      .run();
  await runJob({ DB: env.DB }, () => now);
  const { results } = await env.DB.prepare("SELECT number FROM change_log ORDER BY number").all();
  expect(results.map(({ number }) => number)).toEqual([2, 3, 4, 5, 6]);
});
