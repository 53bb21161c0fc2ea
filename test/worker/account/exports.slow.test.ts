/** What a file costs for each row, and what the order by recent votes costs on a board with 100,000 votes. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { AppEnv } from "../../../src/worker/http/app-env.ts";
import { meterDatabase } from "../../support/intercept-binding.ts";
import { numbers } from "../../support/many-rows.ts";
import { createOwner } from "../../support/owner.ts";

const NOW = Date.now() - 3_600_000;

async function createScene() {
  const spent = { calls: 0, read: 0, written: 0 };
  const metered = meterDatabase(env.DB, (results) => {
    spent.calls += 1;
    for (const { meta } of results) {
      spent.read += meta.rows_read;
      spent.written += meta.rows_written;
    }
  });
  const bindings: AppEnv["Bindings"] = { ...env, DB: metered };
  const owner = createOwner(undefined, bindings, "0");
  await owner.keys();
  const account = await env.DB.prepare("SELECT id FROM accounts WHERE owner_email = ?1")
    .bind(owner.email)
    .first<string>("id");
  const prefix = account?.slice(0, 6);
  const insert = async (to: number, rows: string) => {
    for (let from = 1; from <= to; from += 5_000)
      await env.DB.prepare(`${numbers(from, Math.min(to, from + 4_999))} INSERT INTO ${rows}`)
        .bind(account, prefix, NOW)
        .run();
  };
  await insert(
    1,
    "idea_banks (id, account_id, name, status, created_at) SELECT ?2 || 'b00001', ?1, 'Bank', 'OPEN', ?3 FROM n",
  );
  return { owner, spent, insert, bank: `${prefix}b00001` };
}

it("a file reads a bounded number of rows for each of its rows, 500 at a time, and writes one event", async () => {
  const { owner, spent, insert } = await createScene();
  const ideas = 12_000;
  await insert(
    ideas,
    `panelists (id, account_id, external_id, display_name, created_at) SELECT ?2 || 'p' || printf('%05d', i), ?1, 'ext-' || i, 'Robin ' || i, ?3 + i FROM n`,
  );
  await insert(
    ideas,
    `proposals (id, account_id, idea_bank_id, author_id, title, description, status, created_at, last_activity_at)
     SELECT ?2 || printf('%06d', i), ?1, ?2 || 'b00001', ?2 || 'p' || printf('%05d', i), 'Idea ' || i, 'Text', iif(i % 3, 'submitted', 'planned'), ?3 + i, ?3 + i FROM n`,
  );
  await insert(
    ideas,
    `comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at)
     SELECT ?2 || 'c' || printf('%05d', i), ?1, ?2 || 'b00001', ?2 || printf('%06d', i), ?2 || 'p' || printf('%05d', i), 'Yes', ?3 + i FROM n`,
  );
  const costs: Record<string, number> = {};
  for (const [path, most] of [
    ["/ideas/export?sort=top", 11],
    ["/comments/export", 9],
    ["/people/export", 4],
  ] as const) {
    Object.assign(spent, { calls: 0, read: 0, written: 0 });
    const answer = await owner.submit(path, { do: "export" });
    let lines = 0;
    let largest = 0;
    for await (const bytes of answer.body ?? []) {
      largest = Math.max(largest, bytes.length);
      for (const byte of bytes) if (byte === 10) lines += 1;
    }
    expect([path, lines]).toEqual([path, ideas + 1]);
    costs[path] = spent.read / ideas;
    expect(spent.read / ideas, `${path}: rows read for a row`).toBeLessThanOrEqual(most);
    expect(spent.calls, `${path}: calls`).toBeLessThanOrEqual(2 * (ideas / 500) + 10);
    expect(spent.written).toBeLessThanOrEqual(10);
    expect(largest, `${path}: bytes at once`).toBeLessThan(2 ** 19);
  }
  console.info(costs);
}, 300_000);

it("the order by recent votes reads each of 100,000 votes once, and says when it has not read all", async () => {
  const { owner, spent, insert } = await createScene();
  await insert(50_000, `panelists (id, account_id, created_at) SELECT ?2 || printf('%06d', i), ?1, ?3 + i FROM n`);
  await insert(
    2_000,
    `proposals (id, account_id, idea_bank_id, title, description, created_at, last_activity_at)
     SELECT ?2 || 'i' || printf('%05d', i), ?1, ?2 || 'b00001', 'Idea ' || i, 'Text', ?3, ?3 FROM n`,
  );
  // 50 votes for each of the 2,000; of every 25th vote a day ago, the others a year.
  const votes = (offset: number) => `votes (proposal_id, panelist_id, account_id, idea_bank_id, created_at)
    SELECT ?2 || 'i' || printf('%05d', (i + ${offset}) % 2000 + 1), ?2 || printf('%06d', i), ?1, ?2 || 'b00001', ?3 - iif(i % 25 = 0, 1, 365) * 86400000 FROM n`;
  await insert(50_000, votes(0));
  await insert(50_000, votes(777));
  const measure = async () => {
    Object.assign(spent, { calls: 0, read: 0, written: 0 });
    const html = await (await owner.page("/ideas?sort=top-30")).text();
    return { html, read: spent.read };
  };
  const { html, read } = await measure();
  console.info({ read });
  expect(html).toMatch(/<span>[\d,]+ in 30 days/);
  expect(html).not.toContain("Only those with the most votes in all were counted.");
  expect(read).toBeLessThanOrEqual(140_000);
  await insert(
    1,
    `proposals (id, account_id, idea_bank_id, title, description, votes, created_at, last_activity_at)
     SELECT ?2 || 'j00001', ?1, ?2 || 'b00001', 'One more', 'Text', 1, ?3, ?3 FROM n`,
  );
  const more = await measure();
  expect(more.html).toContain("Only those with the most votes in all were counted.");
  expect(more.read).toBeLessThanOrEqual(140_000);
}, 300_000);
