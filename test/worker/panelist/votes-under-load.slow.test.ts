/** Votes at the same time: each panelist counted once, and the count agrees with the rows. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { createIsolate } from "../../support/isolate.ts";
import { runJob } from "../../support/job.ts";
import { withoutLimits } from "../../support/limits.ts";
import { createPanel, PROPOSALS, sendWith } from "../../support/panel.ts";
import { addPanelist, tokenFor } from "../../support/world.ts";

type Vote = { voted: boolean; votes: number };

async function createScene(voters: number) {
  const panel = await createPanel({}, createIsolate(withoutLimits(env)));
  const { id, accountId } = panel.bank;
  const tokens = await Promise.all(
    Array.from({ length: voters }, async () => tokenFor(id, await addPanelist(accountId))),
  );
  // Two isolates, as two locations have.
  const isolates = [panel.isolate, createIsolate(withoutLimits(env))];
  return {
    ...panel,
    voters: tokens.map((token) => isolates.map((isolate) => sendWith(isolate, token))),
    reader: await panel.panelist(),
  };
}

type Voter = Awaited<ReturnType<typeof createScene>>["voters"][number];

const send = (voter: Voter, method: "PUT" | "DELETE", id: string, through = 0) =>
  voter[through % 2]?.(method, `${PROPOSALS}/${id}/vote`) ?? Promise.reject(new Error("no such isolate"));

/** The count that the proposal shows, which has to be that of its rows. */
async function countOf(id: string): Promise<number> {
  const row = await databaseOf(id)
    .prepare(
      "SELECT votes, (SELECT count(*) FROM votes WHERE proposal_id = ?1) AS counted FROM proposals WHERE id = ?1",
    )
    .bind(id)
    .first<{ votes: number; counted: number }>();
  expect(row?.votes).toBe(row?.counted);
  return row?.votes ?? Number.NaN;
}

it("500 panelists who vote for one proposal at once are exactly 500", async () => {
  const { voters, propose, reader } = await createScene(500);
  const id = await propose();
  const answers = await Promise.all(voters.map((voter, index) => send(voter, "PUT", id, index)));
  const votes = await Promise.all(answers.map((answer) => answer.json<Vote>()));
  expect(votes.every(({ voted }) => voted)).toBe(true);
  // Each answer has the count that its own vote has made.
  expect(votes.map(({ votes }) => votes).toSorted((a, b) => a - b)).toEqual(Array.from(voters, (_, n) => n + 1));
  expect(await countOf(id)).toBe(500);
  expect(await reader.read(`${PROPOSALS}/${id}`)).toMatchObject({ votes: 500, voted: false });
});

it("500 votes of one panelist at once are one", async () => {
  const { voters, propose } = await createScene(1);
  const [voter = []] = voters;
  const id = await propose();
  const answers = await Promise.all(Array.from({ length: 500 }, (_, index) => send(voter, "PUT", id, index)));
  for (const answer of answers) expect(await answer.json()).toEqual({ voted: true, votes: 1 });
  expect(await countOf(id)).toBe(1);
});

it("one panelist who votes and takes it back 50 times at once has voted or has not, and the count says so", async () => {
  const { voters, propose, reader } = await createScene(3);
  const [voter = [], ...others] = voters;
  const id = await propose();
  for (const other of others) await send(other, "PUT", id);
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => send(voter, index % 2 ? "DELETE" : "PUT", id, index >> 1)),
  );
  for (const answer of answers) {
    const { voted, votes } = await answer.json<Vote>();
    expect(votes).toBe(voted ? 3 : 2);
  }
  const { voted } = (await (await voter[0]?.("GET", `${PROPOSALS}/${id}`))?.json<Vote>()) ?? {};
  expect(await countOf(id)).toBe(voted ? 3 : 2);
  expect(await reader.read(`${PROPOSALS}/${id}`)).toMatchObject({ votes: voted ? 3 : 2 });
});

describe("while the proposal is merged", () => {
  it("no vote that was answered with 200 is lost, and each panelist counts once", async () => {
    const { voters, propose, manage } = await createScene(200);
    const [source, target] = [await propose(), await propose()];
    const early = voters.slice(0, 50);
    for (const voter of early) await send(voter, "PUT", target);
    const merge = async () => {
      await send(voters[60] ?? [], "PUT", source);
      await manage("POST", `/proposals/${source}/merge`, { into: target });
    };
    // The first 100 vote for the source: half of them are counted for the target already.
    const toSource = voters.slice(0, 100).map((voter, index) => send(voter, "PUT", source, index));
    const toTarget = voters.slice(100).map((voter, index) => send(voter, "PUT", target, index));
    const [answers] = await Promise.all([Promise.all(toSource), Promise.all(toTarget), merge()]);
    const counted = answers.filter(({ status }) => status === 200).length;
    for (const answer of answers) if (answer.status !== 200) expect(answer.status).toBe(409);

    const known = new Set([...early, ...voters.slice(100), ...voters.slice(60, 61)]);
    for (const [index, { status }] of answers.entries()) if (status === 200) known.add(voters[index] ?? []);
    expect(counted).toBeGreaterThan(0);
    for (const id of [source, target]) await countOf(id);
    await runJob(env);
    expect(await countOf(target)).toBe(known.size);
    expect(await countOf(source)).toBe(0);
  });

  it("one panelist who votes and takes it back all the while is counted once or not at all", async () => {
    const { voters, propose, manage } = await createScene(5);
    const [voter = [], ...others] = voters;
    const proposals = await Promise.all(Array.from({ length: 5 }, () => propose()));
    const [target = "", ...sources] = proposals;
    for (const id of sources) for (const other of others) await send(other, "PUT", id);
    const back = Array.from({ length: 50 }, (_, index) =>
      proposals.map((id) => send(voter, index % 2 ? "DELETE" : "PUT", id, index)),
    );
    const merges = sources.map((id) => manage("POST", `/proposals/${id}/merge`, { into: target }));
    const answers = await Promise.all(back.flat());
    await Promise.all(merges);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    const { voted } = (await (await voter[0]?.("GET", `${PROPOSALS}/${target}`))?.json<Vote>()) ?? {};
    expect(await countOf(target)).toBe(4 + (voted ? 1 : 0));
    for (const id of sources) await countOf(id);
  });
});

it("panelists who are deleted while they vote leave no vote behind", async () => {
  const { bank, voters, propose, tenant } = await createScene(20);
  const id = await propose();
  const { results } = await databaseOf(bank.id)
    .prepare("SELECT id FROM panelists WHERE account_id = ?1 AND external_id IS NULL AND id <> ?2")
    .bind(bank.accountId, bank.panelistId)
    .all<{ id: string }>();
  const deletions = results.map((panelist) => tenant.send("DELETE", `/tenant/panelists/${panelist.id}`));
  const votes = voters.map((voter, index) => send(voter, "PUT", id, index));
  for (const { status } of await Promise.all(votes)) expect([200, 401]).toContain(status);
  for (const { status } of await Promise.all(deletions)) expect(status).toBe(204);
  expect(results).toHaveLength(20);
  expect(await countOf(id)).toBe(0);
});
