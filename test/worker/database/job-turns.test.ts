/** What one tenant leaves to the scheduled job holds up no other one in the same database: each has its turn in a run. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { runJob } from "../../support/job.ts";
import { addVoters, addVotes } from "../../support/many-rows.ts";
import { createPanel } from "../../support/panel.ts";
import { addAccount } from "../../support/world.ts";

const NOW = Date.UTC(2030, 0, 1);

/** A tenant, with two proposals that can be merged. */
async function createScene() {
  const panel = await createPanel({ accountId: await addAccount({ digit: "0" }) });
  const [source, target] = [await panel.propose(), await panel.propose()];
  return {
    ...panel,
    source,
    /** Votes for the source, and its merge. */
    merge: async (votes: number) => {
      await addVoters(panel.bank, 1, votes);
      await addVotes(panel.bank, source, 1, votes);
      await panel.manage("POST", `/proposals/${source}/merge`, { into: target });
    },
    remove: (id: string) => panel.manage("DELETE", `/proposals/${id}`),
    target,
  };
}

/** A run that ends after a few slices of each kind. */
async function runShortly(): Promise<void> {
  let clock = NOW;
  await runJob({ DB: env.DB }, () => (clock += 1_000));
}

const count = (rows: string, id: string) =>
  env.DB.prepare(`SELECT count(*) AS n FROM ${rows} = ?1`).bind(id).first<number>("n");

it("a merge of many votes", { tags: "slow" }, async () => {
  const scenes = [await createScene(), await createScene()].toSorted((one, other) =>
    one.source < other.source ? -1 : 1,
  );
  const [large, small] = scenes;
  if (large === undefined || small === undefined) throw new Error("there are two");
  await large.merge(3_000);
  await small.merge(60);
  await runShortly();
  expect(await count("merges WHERE source_id", large.source)).toBe(1);
  expect(await count("merges WHERE source_id", small.source)).toBe(0);
});

it("a deletion that waits for the end of a merge", { tags: "slow" }, async () => {
  const [waiting, other] = [await createScene(), await createScene()];
  await waiting.merge(3_000);
  await waiting.remove(waiting.source);
  await env.DB.prepare("UPDATE deleted_idea_banks SET deleted_at = 1").run();
  await addVoters(other.bank, 1, 60);
  await addVotes(other.bank, other.source, 1, 60);
  await other.remove(other.source);
  expect(await count("proposals WHERE id", other.source)).toBe(1);
  await runShortly();
  expect(await count("deleted_idea_banks WHERE id", waiting.source)).toBe(1);
  expect(await count("proposals WHERE id", other.source)).toBe(0);
});
