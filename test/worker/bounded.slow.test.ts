/** The cost of each operation, generated from the definitions: the same whatever is stored, by others and by oneself. */
import { expect, it } from "vitest";
import { SORTS } from "../../src/worker/model/panelist-proposal.ts";
import { bindingOf, databaseOf } from "../support/databases.ts";
import { meterDatabase } from "../support/intercept-binding.ts";
import { createIsolate } from "../support/isolate.ts";
import { withoutLimits } from "../support/limits.ts";
import { addComments, addVoters, addVotes, numbers } from "../support/many-rows.ts";
import { bodyOf, fillPath, type OperationCase, operationsOf } from "../support/operations.ts";
import { EXAMPLE_QUESTIONS } from "../support/tenant.ts";
import { giveAddress, telling } from "../support/told.ts";
import { addAccount, addApiKey, addIdeaBank, addProposal, newId } from "../support/world.ts";

type Cost = { read: number; written: number; bytes: number };

/** More than any page or slice has; the large one is four times that. Multiples of the votes that the quota counts at once. */
const SIZES = [704, 2_816] as const;
const WRITTEN_AT_MOST = 5_000;
const READ_AT_MOST = 10_000;

/** `count` rows of each kind in an account: proposals of one panelist, who votes for them all; and one proposal with many of everything. */
async function fill(bank: Awaited<ReturnType<typeof addIdeaBank>>, count: number) {
  const { id, accountId, panelistId } = bank;
  const database = databaseOf(id);
  const [large, source] = [await addProposal(bank, { status: "submitted" }), await addProposal(bank)];
  await database.prepare("UPDATE proposals SET author_id = ?2 WHERE id = ?1").bind(large, panelistId).run();
  await addVoters(bank, 1, count);
  for (const proposalId of [large, source]) await addVotes(bank, proposalId, 1, count);
  await addComments(bank, large, panelistId, count);
  // They wait, on another proposal.
  await database
    .prepare(
      `${numbers(1, count)} INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at, visibility)
       SELECT substr(?2, 1, 8) || (i + 5000), ?1, ?4, ?2, ?3, 'B', i, 'pending' FROM n`,
    )
    .bind(accountId, source, panelistId, id)
    .run();
  const tenantsCommentId = newId(id);
  const first = (beside: string) => `${beside.slice(0, 8)}1001`;
  await database
    .prepare(
      "INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at, by_tenant) VALUES (?1, ?2, (SELECT idea_bank_id FROM proposals WHERE id = ?3), ?3, NULL, 'B', 1, 1)",
    )
    .bind(tenantsCommentId, accountId, large)
    .run();
  // The local runtime can send a batch again whose answer it has lost, on a busy machine: then all of it is there.
  const insert = `${numbers(1, count)} INSERT OR IGNORE INTO proposals (id, account_id, idea_bank_id, author_id, title, description, status,
    visibility, duplicate_of, created_at, last_activity_at, words, external_id, tags)`;
  await database.batch([
    database
      .prepare(
        `${insert} SELECT substr(?2, 1, 8) || (i + 1000), ?1, ?2, ?3, 'T', 'D',
           iif(i % 3 = 0, 'planned', iif(i % 3 = 1, 'implemented', 'submitted')), 'public', NULL, i, i, '["alpha","bravo"]', 'own-' || i,
             '["Mobile","T' || (i % 199) || '"]' FROM n`,
      )
      .bind(accountId, id, panelistId),
    database
      .prepare(
        `${insert} SELECT substr(?3, 1, 8) || (i + 5000), ?1, ?2, NULL, 'T', 'D', 'planned', 'public', ?3, i, i, '["alpha"]', NULL, '["Mobile"]' FROM n`,
      )
      .bind(accountId, id, large),
    database
      .prepare(
        "INSERT OR IGNORE INTO votes SELECT id, ?2, ?1, ?3, created_at FROM proposals WHERE author_id = ?2 AND id <> ?4",
      )
      .bind(accountId, panelistId, id, large),
    ...[
      `surveys (id, account_id, title, description, created_at, updated_at, idea_bank_id, status, opened_at, questions)
         SELECT substr(?1, 1, 8) || (i + 1000), ?1, 'T', 'D', i, i, '${id}', iif(i <= 20, 'OPEN', 'DRAFT'), 1, '${JSON.stringify(EXAMPLE_QUESTIONS)}'`,
      `survey_responses (survey_id, respondent, account_id, answers, counted, revision, created_at, updated_at)
         SELECT '${first(accountId)}', printf('r%011d', i), ?1, '{"recommend":6,"why":"A text"}', '["recommend","recommend=6","why"]', 'r', i, i`,
      `survey_texts (survey_id, question_id, place, text) SELECT iif(?1 = '', '', '${first(accountId)}'), 'why', printf('%015dr%011d', i, i), 'A text'`,
      "idea_banks (id, account_id, name, created_at) SELECT substr(?1, 1, 8) || (i + 1000), ?1, 'N', i",
      // Deleted, and what they have written is still there.
      "panelists (id, account_id, created_at, deleted_at) SELECT substr(?1, 1, 8) || (i + 5000), ?1, i + 9000000000000, 1",
      "idempotency_keys SELECT ?1, 'k' || i, 'h', '{}', i + 9000000000000",
    ].map((sql) => database.prepare(`${numbers(1, count)} INSERT OR IGNORE INTO ${sql} FROM n`).bind(accountId)),
  ]);
  const stored = database.prepare("SELECT count(*) AS n FROM proposals WHERE account_id = ?1").bind(accountId);
  expect(await stored.first("n")).toBe(2 * count + 2);
  // A new isolate reads at most about 2,000 of them.
  await database
    .prepare(
      `${numbers(1, 4 * count)} INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at)
       SELECT ?1, ?1 || i, 1, 1 FROM n`,
    )
    .bind(accountId)
    .run();
  return {
    ideaBankId: id,
    panelistId,
    proposalId: large,
    sourceId: source,
    otherProposalId: first(id),
    commentId: first(large),
    tenantsCommentId,
    surveyId: first(accountId),
    externalId: "own-1",
  };
}

/** A list is asked for its largest page, in each of its orders. */
function queriesOf({ name, operation }: OperationCase): string[] {
  if (operation.query === undefined) return [""];
  const mine = ["", "&mine=submitted", "&mine=voted"].flatMap((filter) => [filter, `${filter}&status=planned`]);
  const filters: Record<string, string[]> = {
    listPanelistProposals: ["", "&tag=Mobile"].flatMap((tag) => [
      ...SORTS.flatMap((sort) => mine.map((filter) => `&sort=${sort}${filter}${tag}`)),
      ...mine.map((filter) => `&q=alpha bravo${filter}${tag}`),
    ]),
    listSimilarProposals: ["&title=alpha bravo"],
    listSurveys: ["", "&status=OPEN", "&ideaBankId=b4nKb4nKb4nK"],
    // A search of texts, and of responses, looks at the newest 5,000: panelist/survey-costs.slow.test.ts.
    listSurveyTexts: ["&question=why"],
    listProposals: ["", "&externalId=own-1"].flatMap((named) =>
      ["", "&tag=Mobile"].flatMap((tag) =>
        ["", "&status=planned", "&visibility=public", "&status=planned&visibility=public"].flatMap((filter) => [
          named + tag + filter,
          `${named}${tag}${filter}&q=alpha bravo`,
        ]),
      ),
    ),
  };
  return (filters[name] ?? [""]).map((filter) => `?limit=100${filter}`);
}

const PARTS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/** Reads first; what deletes more comes later. */
const inOrder = (operations: OperationCase[]) =>
  operations.toSorted(
    (a, b) =>
      PARTS.indexOf(a.method) - PARTS.indexOf(b.method) ||
      // Its surveys go with it.
      Number(a.name === "deleteIdeaBank") - Number(b.name === "deleteIdeaBank") ||
      b.path.length - a.path.length ||
      (a.name < b.name ? -1 : 1),
  );

type Kind = "apiKey" | "compoundToken";
const operations = (kind: Kind) => inOrder(operationsOf(kind));

/** The most that an operation costs in any of its orders, in a database where everything is there `count` times. */
async function measure(kind: Kind, count: number): Promise<Map<string, Cost>> {
  const [bank, others] = await Promise.all(
    [1, 2].map(async () => addIdeaBank({ accountId: await addAccount({ digit: "0" }) })),
  );
  if (bank === undefined || others === undefined) throw new Error("there are two");
  await fill(others, count);
  const ids = await fill(bank, count);
  // A proposal that others were merged into is not withdrawn.
  if (kind === "compoundToken")
    await databaseOf(bank.id).prepare("DELETE FROM proposals WHERE duplicate_of IS NOT NULL").run();
  const spent: Cost = { read: 0, written: 0, bytes: 0 };
  const metered = meterDatabase(databaseOf(bank.id), (results) => {
    for (const { meta } of results) {
      spent.read += meta.rows_read;
      spent.written += meta.rows_written;
    }
  });
  await giveAddress(bank.panelistId);
  const isolate = createIsolate(withoutLimits({ ...telling, [bindingOf(bank.id)]: metered }));
  const { text } = await addApiKey({ accountId: bank.accountId, limit: 10_000 });
  const credential = kind === "apiKey" ? { "X-API-Key": text } : { Authorization: bank.token };
  const costs = new Map<string, Cost>();
  for (const operation of operations(kind)) {
    const { name, method, status } = operation;
    const named = {
      ...ids,
      ...(name === "mergeProposal" && { proposalId: ids.sourceId }),
      ...(name === "updateComment" && { commentId: ids.tenantsCommentId }),
    };
    const body = bodyOf(operation.operation, ids);
    // Two examples of bodies name the same externalId.
    if (body !== undefined && "externalId" in body && name !== "upsertProposal")
      Object.assign(body, { externalId: newId() });
    // A text that the panelist has written already is refused.
    if (name === "editComment") Object.assign(body ?? {}, { body: "Also on the night bus." });
    for (const query of queriesOf(operation)) {
      Object.assign(spent, { read: 0, written: 0 });
      const answer = await isolate.request(fillPath(operation.path, named) + query, {
        method,
        headers: { ...credential, ...(body && { "Content-Type": "application/json" }) },
        body: body ? JSON.stringify(body) : null,
      });
      const text = await answer.text();
      const isCreated = operation.operation.creates && answer.status === 201;
      expect(isCreated ? status : answer.status, `${name}${query}: ${text}`).toBe(status);
      costs.set(name + query, { ...spent, bytes: text.length });
    }
  }
  return costs;
}

const KINDS: Kind[] = ["apiKey", "compoundToken"];

it.each(KINDS)("no operation with %s costs more in a large database than in a small one", async (kind) => {
  const [small, large] = [await measure(kind, SIZES[0]), await measure(kind, SIZES[1])];
  expect([...large.keys()]).toEqual([...small.keys()]);
  expect(large.size).toBeGreaterThanOrEqual(operationsOf(kind).length);
  for (const [name, { read, written, bytes }] of large) {
    // A file has all of them, a page at a time.
    if (name.startsWith("download")) continue;
    const few = small.get(name) ?? { read: 0, written: 0, bytes: 0 };
    // Where an index has no entry, SQLite may count the one that it looked at instead. Deleting a panelist looks into some thirty.
    expect(read, `${name}: rows read`).toBeLessThanOrEqual(few.read + 30);
    expect(written, `${name}: rows written`).toBeLessThanOrEqual(few.written + 5);
    // Numbers have more digits.
    expect(bytes, `${name}: bytes`).toBeLessThanOrEqual(few.bytes + 200);
    expect(written, `${name}: rows written`).toBeLessThanOrEqual(WRITTEN_AT_MOST);
    expect(read, `${name}: rows read`).toBeLessThanOrEqual(READ_AT_MOST);
  }
});
