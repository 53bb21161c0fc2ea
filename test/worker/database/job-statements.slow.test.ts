/** What the scheduled job reads: every statement finds its rows by an index, however much of others is stored. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { meterDatabases } from "../../support/intercept-binding.ts";
import { runJob } from "../../support/job.ts";
import { addComments, addVoters, addVotes, numbers, voterId } from "../../support/many-rows.ts";
import { createPanel } from "../../support/panel.ts";
import { addAccount, addIdeaBank, addPanelist } from "../../support/world.ts";

/** A tenant in the same database as the others' rows, with something of each kind for the job. */
const createPanelHere = async () => createPanel({ accountId: await addAccount({ digit: "0" }) });
type Panel = Awaited<ReturnType<typeof createPanelHere>>;

/** Requests that leave something to the job. */
const LEFT: Record<string, (panel: Panel) => Promise<void>> = {
  "an empty idea bank": async ({ manage }) => void (await manage("DELETE", "")),
  "a proposal with many votes and comments, which another was merged into": async ({ bank, manage, propose }) => {
    const [target, source] = [await propose(), await propose()];
    await addVoters(bank, 1, 400);
    await addVotes(bank, target, 1, 400);
    await addComments(bank, target, voterId(bank, 1), 400);
    await manage("POST", `/proposals/${source}/merge`, { into: target });
    await manage("DELETE", `/proposals/${target}`);
  },
  "a panelist with many comments": async ({ bank, tenant, propose }) => {
    const panelist = await addPanelist(bank.accountId);
    await addComments(bank, await propose(), panelist, 400);
    await tenant.send("DELETE", `/tenant/panelists/${panelist}`);
  },
  "a merge of many votes": async ({ bank, manage, propose }) => {
    const [target, source] = [await propose(), await propose()];
    await addVoters(bank, 1, 400);
    await addVotes(bank, source, 1, 400);
    await manage("POST", `/proposals/${source}/merge`, { into: target });
  },
};

/** Proposals, votes, comments and panelists of another account: so many of each; a tenth of the proposals are merged. */
async function addOthers(count: number): Promise<void> {
  const bank = await addIdeaBank({ accountId: await addAccount({ digit: "0" }) });
  const { id, accountId } = bank;
  await databaseOf(id)
    .prepare(
      `${numbers(1, count)} INSERT INTO proposals
         (id, account_id, idea_bank_id, author_id, title, description, duplicate_of, created_at, last_activity_at, words, indexed)
       SELECT 'other' || i, ?1, ?2, ?3, 'T', '', iif(i % 10 = 0, 'other1', NULL), i, i, '["t"]', 1 FROM n`,
    )
    .bind(accountId, id, bank.panelistId)
    .run();
  await addVoters(bank, 1, count);
  await addVotes(bank, "other1", 1, count);
  await addComments(bank, "other2", bank.panelistId, count);
}

/** Every statement that the job sends, and the rows that it reads. */
async function runMetered() {
  const statements = new Set<string>();
  let read = 0;
  const metered = meterDatabases(env, (results) => {
    for (const { meta } of results) read += meta.rows_read;
  });
  const DB = new Proxy(metered.DB, {
    get(target, property) {
      if (property !== "prepare") return Reflect.get(target, property, target);
      return (sql: string) => {
        statements.add(sql);
        return target.prepare(sql);
      };
    },
  });
  await runJob({ DB });
  return { statements, read };
}

it("no statement scans a table", async () => {
  for (const leave of Object.values(LEFT)) await leave(await createPanelHere());
  const { statements } = await runMetered();
  expect(statements.size).toBeGreaterThan(15);
  for (const sql of statements) {
    const parameters = Math.max(0, ...[...sql.matchAll(/\?(\d+)/g)].map(([, number]) => Number(number)));
    const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .bind(...Array.from({ length: parameters }, () => 1))
      .all<{ detail: string }>();
    expect(results.length, sql).toBeGreaterThan(0);
    // f is the name of the few proposals that a slice looks at.
    const scans = results
      .map(({ detail }) => detail)
      .filter((detail) => /^SCAN (?!f\b|CONSTANT ROW|\(subquery)/.test(detail));
    expect(scans, sql).toEqual([]);
  }
});

describe.each(Object.entries(LEFT))("%s", (_, leave) => {
  it("costs as many rows read beside 10,000 rows of others as beside none", async () => {
    const costs = async () => {
      await leave(await createPanelHere());
      return (await runMetered()).read;
    };
    const alone = await costs();
    await addOthers(10_000);
    expect(await costs()).toBeLessThanOrEqual(alone + 20);
  });
});
