/** A tenant with a key, using the tenant API through one isolate. */

import { descriptionOf } from "../../src/worker/model/describe.ts";
import { NewSurvey } from "../../src/worker/model/survey.ts";
import { DATABASES, databaseOf } from "./databases.ts";
import { createIsolate, type Isolate } from "./isolate.ts";
import { bodyOf, fillPath, operationsOf } from "./operations.ts";
import { addAccount, addApiKey, addIdeaBank, addProposal, type KeyOptions, newId } from "./world.ts";

export async function createTenant(options: KeyOptions = {}, isolate: Isolate = createIsolate()) {
  const key = await addApiKey({ limit: 10_000, ...options });
  return {
    ...key,
    isolate,
    /** A body that is not a string is sent as JSON; a GET sends none. */
    send(method: string, path: string, json?: unknown, headers: Record<string, string> = {}): Promise<Response> {
      const body = method === "GET" ? undefined : json;
      return isolate.request(path, {
        method,
        headers: {
          "X-API-Key": key.text,
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers,
        },
        body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
      });
    },
  };
}

export const EXAMPLE_QUESTIONS = NewSurvey.parse(descriptionOf(NewSurvey)?.example).questions;

/** One row of each kind that a path of the tenant API can name, in a new account. `commentBy`: who can edit the comment. */
export async function addOneOfEverything(accountId?: string, commentBy: "tenant" | "panelist" = "tenant") {
  const account = accountId ?? (await addAccount());
  const bank = await addIdeaBank({ accountId: account });
  const proposalId = await addProposal(bank);
  const otherProposalId = await addProposal(bank, { status: "under-review" });
  const [commentId, surveyId] = [newId(account), newId(account)];
  const externalId = `own-${proposalId}`;
  const database = databaseOf(account);
  await database.batch([
    database
      .prepare(`UPDATE proposals SET external_id = ?2, tags = '["Mobile"]' WHERE id = ?1`)
      .bind(proposalId, externalId),
    database.prepare("UPDATE panelists SET external_id = ?2 WHERE id = ?1").bind(bank.panelistId, externalId),
    database
      .prepare("INSERT INTO votes VALUES (?1, ?2, ?3, ?4, 1)")
      .bind(proposalId, bank.panelistId, account, bank.id),
    database
      .prepare(
        "INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at, by_tenant) VALUES (?1, ?2, (SELECT idea_bank_id FROM proposals WHERE id = ?3), ?3, ?4, 'A comment', 1, ?5)",
      )
      .bind(commentId, account, proposalId, ...(commentBy === "tenant" ? [null, 1] : [bank.panelistId, 0])),
    database
      .prepare(
        `INSERT INTO surveys (id, account_id, title, description, status, created_at, updated_at, idea_bank_id, questions, opened_at)
         VALUES (?1, ?2, 'A survey', '', 'OPEN', 1, 1, ?3, ?4, 1)`,
      )
      .bind(surveyId, account, bank.id, JSON.stringify(EXAMPLE_QUESTIONS)),
    database
      .prepare(
        `INSERT INTO survey_responses (survey_id, respondent, account_id, answers, counted, revision, created_at, updated_at)
         VALUES (?1, ?2, ?3, '{"recommend":6,"why":"A text"}', '["recommend","recommend=6","why"]', 'r', 1, 1)`,
      )
      .bind(surveyId, bank.panelistId, account),
    database
      .prepare(
        "INSERT INTO notes (id, account_id, proposal_id, author_id, body, created_at) VALUES (?1, ?2, ?3, ?2, 'A note', 1)",
      )
      .bind(newId(account), account, proposalId),
    database
      .prepare("INSERT INTO survey_texts (survey_id, question_id, place, text) VALUES (?1, 'why', ?2, 'A text')")
      .bind(surveyId, `${"1".padStart(15, "0")}${bank.panelistId}`),
  ]);
  const known = {
    accountId: account,
    ideaBankId: bank.id,
    proposalId,
    otherProposalId,
    commentId,
    surveyId,
    panelistId: bank.panelistId,
    externalId,
  };
  const ids = Object.assign<Record<string, string>, typeof known>({}, known);
  await createMissing(ids);
  return ids;
}

/** Creates what a path can name and is not there yet through the API itself, so that a new resource needs no line here. */
async function createMissing(ids: Record<string, string>): Promise<void> {
  const operations = operationsOf("apiKey").toSorted((left, right) => left.path.length - right.path.length);
  for (const { path, parameters } of operations) {
    const parameter = parameters.at(-1);
    if (parameter === undefined || ids[parameter] !== undefined || !path.endsWith(`/{${parameter}}`)) continue;
    const create = operations.find(
      ({ method, path: collection }) => method === "POST" && `${collection}/{${parameter}}` === path,
    );
    if (create === undefined) throw new Error(`no operation creates what {${parameter}} names`);
    const tenant = await createTenant({ accountId: ids.accountId ?? "" });
    const answer = await tenant.send("POST", fillPath(create.path, ids), bodyOf(create.operation, ids));
    ids[parameter] = (await answer.json<{ id: string }>()).id;
  }
}

/** All rows in D1 that a tenant's request could change, but what is recorded of it: events, which key acted last, and which signing secrets were handed out. */
export const dumpDatabases = (): Promise<unknown> => Promise.all(DATABASES.map(dumpDatabase));

async function dumpDatabase(database: D1Database): Promise<unknown> {
  const { results: tables } = await database
    .prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'
       AND name NOT IN ('accounts', 'api_keys', 'api_key_usage', 'acting_keys', 'acting_members', 'audit_events', 'kept_events', 'proposal_steps', 'signing_secrets',
         'told_members', 'member_mails') ORDER BY name`,
    )
    .all<{ name: string }>();
  const results = await database.batch(
    tables.map(({ name }) => database.prepare(`SELECT * FROM ${name} ORDER BY 1, 2`)),
  );
  return results.map(({ results: rows }, index) => [tables[index]?.name, rows]);
}
