/** Attacks on what has many rows. Each gives the answer to the request that is counted. */
import type { Send } from "./attacks.ts";
import { databaseOf } from "./databases.ts";
import { addComments, addVoters, addVotes } from "./many-rows.ts";
import { addApiKey, addIdeaBank, addProposal } from "./world.ts";

const WORDS = JSON.stringify("alpha bravo charly delta echo foxtrott golf hotel india juliett kilo lima".split(" "));
const TAGS = '["a","b","c","d","e"]';

type Bank = Awaited<ReturnType<typeof addIdeaBank>>;

const withKeyOf = async ({ accountId }: Bank) => ({ "X-API-Key": (await addApiKey({ accountId })).text });

const run = (bank: Bank, sql: string, ...values: readonly string[]) =>
  databaseOf(bank.id)
    .prepare(sql)
    .bind(...values)
    .run();

/** A proposal with 400 votes, into which 60 others were merged: with everything that is indexed. */
async function addPopular(bank: Bank): Promise<string> {
  const id = await addProposal(bank);
  await addVoters(bank, 1, 400);
  await addVotes(bank, id, 1, 400);
  for (let index = 0; index < 60; index++) await addProposal(bank);
  const everything = "author_id = ?1, words = ?2, tags = ?3, external_id = id, response = 'R'";
  await run(bank, `UPDATE proposals SET ${everything}`, bank.panelistId, WORDS, TAGS);
  await run(bank, "UPDATE proposals SET duplicate_of = ?1 WHERE id <> ?1", id);
  await run(bank, "DELETE FROM merges");
  return id;
}

/**
 * SQLite reads the row after the last one that it looks for, if there is one. In a large database there is: two proposals of another idea
 * bank, whose identifier is after every other, and a step of the history.
 */
async function addLastRows(bank: Bank): Promise<void> {
  const [target, merged] = [await addProposal(bank), await addProposal(bank)];
  await run(bank, "UPDATE proposals SET duplicate_of = ?1 WHERE id = ?2", target, merged);
  await run(bank, "DELETE FROM merges");
  await run(bank, "UPDATE proposals SET idea_bank_id = '~' WHERE id IN (?1, ?2)", target, merged);
  await run(bank, "UPDATE proposal_steps SET proposal_id = '~' WHERE proposal_id = ?1", target);
  await run(bank, "DELETE FROM proposal_steps WHERE proposal_id = ?1", merged);
}

export async function withdrawPopular(send: Send): Promise<Response> {
  const bank = await addIdeaBank();
  const id = await addProposal(bank, { status: "submitted" });
  await run(bank, "UPDATE proposals SET author_id = ?1", bank.panelistId);
  await addVoters(bank, 1, 400);
  await addVotes(bank, id, 1, 400);
  await addComments(bank, id, bank.panelistId, 400);
  return send(`/ideabank/proposals/${id}`, { method: "DELETE", headers: { Authorization: bank.token } });
}

/** A panelist with 120 proposals, votes for them, and 400 comments. */
async function addBusyPanelist(): Promise<Bank> {
  const bank = await addIdeaBank();
  for (let index = 0; index < 120; index++) await addProposal(bank);
  await run(bank, "UPDATE proposals SET author_id = ?1, words = ?2, tags = ?3", bank.panelistId, WORDS, TAGS);
  await run(bank, "INSERT INTO votes SELECT id, ?1, account_id, idea_bank_id, 1 FROM proposals", bank.panelistId);
  await addComments(bank, await addProposal(bank), bank.panelistId, 400);
  return bank;
}

export async function deleteBusyPanelist(send: Send): Promise<Response> {
  const bank = await addBusyPanelist();
  return send(`/tenant/panelists/${bank.panelistId}`, { method: "DELETE", headers: await withKeyOf(bank) });
}

export async function eraseBusyPanelist(send: Send): Promise<Response> {
  const bank = await addBusyPanelist();
  const path = `/tenant/panelists/${bank.panelistId}?content=delete`;
  return send(path, { method: "DELETE", headers: await withKeyOf(bank) });
}

/** A page by tag and votes: the latest 200 proposals with the tag are put in order, each with an author and the panelist's vote. */
export async function listByTag(send: Send): Promise<Response> {
  const bank = await addIdeaBank();
  for (let index = 0; index < 240; index++) await addProposal(bank, { status: "planned" });
  await run(bank, "UPDATE proposals SET author_id = ?1, tags = ?2", bank.panelistId, TAGS);
  await run(bank, "INSERT INTO votes SELECT id, ?1, account_id, idea_bank_id, 1 FROM proposals", bank.panelistId);
  return send("/ideabank/proposals?sort=top&tag=a&limit=100", { headers: { Authorization: bank.token } });
}

export async function mergePopular(send: Send): Promise<Response> {
  const bank = await addIdeaBank();
  const [source, into] = [await addPopular(bank), await addProposal(bank)];
  await addVotes(bank, into, 51, 200);
  return send(`/tenant/ideabanks/${bank.id}/proposals/${source}/merge`, {
    method: "POST",
    headers: { ...(await withKeyOf(bank)), "Content-Type": "application/json" },
    body: JSON.stringify({ into }),
  });
}

export async function deletePopular(send: Send): Promise<Response> {
  const bank = await addIdeaBank();
  const id = await addPopular(bank);
  await addComments(bank, id, bank.panelistId, 400);
  await addLastRows(bank);
  return send(`/tenant/ideabanks/${bank.id}/proposals/${id}`, { method: "DELETE", headers: await withKeyOf(bank) });
}
