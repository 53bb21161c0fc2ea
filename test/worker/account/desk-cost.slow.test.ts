/** What the pages of the owner's desk cost in an account with 500 idea banks and 50,000 ideas: rows read and written, and bytes. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { findComments } from "../../../src/worker/database/proposals/queue.ts";
import type { AppEnv } from "../../../src/worker/http/app-env.ts";
import { sessionOf } from "../../support/databases.ts";
import { meterDatabase } from "../../support/intercept-binding.ts";
import { numbers } from "../../support/many-rows.ts";
import { createOwner } from "../../support/owner.ts";

const BANKS = 500;
const IDEAS = 50_000;
const PEOPLE = 5_000;
const ANSWERS = 5_000;
/** All of it is of the last hour: what the first page counts. */
const NOW = Date.now() - 3_600_000;
/** Of one transaction. */
const SLICE = 5_000;

/**
 * A round page of 20 reads about as many rows as it has: of ideas, of their tags, of those who wrote them; and whose 40 boards they are. Each page
 * counts 100 ideas and 100 comments that wait, with whose and where they are. A list counts 100 of each status.
 */
const READ_AT_MOST = 2_100;
/** The settings of a board count 1,000 of its ideas and of its comments. A filter without an index looks at 1,000 ideas, three times. */
const COUNTED_AT_MOST = 5_000;
/** A search looks at the newest 1,000 ideas and comments, at their texts and at who wrote them, and at 1,600 terms of ideas, and for words with a mistake, in the lists of panelists and in the others. */
const SEARCHED_AT_MOST = 13_300;
/** The first page counts 1,000 of each thing that waits, and 500 of what a month has brought: one of four surveys is here, so it can be 3,000 more. */
const HOME_AT_MOST = 14_000;
/** Results with a filter look at the newest 5,000 responses, and at what each of them counts for. */
const FILTERED_AT_MOST = 50_000;
/** The places of the newest 1,000 comments, and the first 20 that match. */
const COMMENTS_AT_MOST = 1_200;

type Pending = { readonly bank: string; readonly id: string };

async function fill(
  email: string,
): Promise<{ bank: string; idea: string; panelist: string; survey: string; pending: Pending }> {
  const account = await env.DB.prepare("SELECT id FROM accounts WHERE owner_email = ?1")
    .bind(email)
    .first<string>("id");
  const prefix = account?.slice(0, 6);
  const insert = (from: number, to: number, rows: string) =>
    env.DB.prepare(`${numbers(from, to)} INSERT INTO ${rows}`)
      .bind(account, prefix, NOW)
      .run();
  await insert(
    1,
    BANKS,
    "idea_banks (id, account_id, name, status, created_at) SELECT ?2 || 'b' || printf('%05d', i), ?1, 'Bank', 'OPEN', ?3 + i FROM n",
  );
  await insert(
    1,
    PEOPLE,
    "panelists (id, account_id, external_id, display_name, created_at) SELECT ?2 || 'p' || printf('%05d', i), ?1, 'ext-' || i, 'Robin ' || i, ?3 + i FROM n",
  );
  for (let from = 1; from <= IDEAS; from += SLICE)
    await insert(
      from,
      from + SLICE - 1,
      `proposals (id, account_id, idea_bank_id, author_id, title, description, status, visibility, created_at, last_activity_at, words, tags)
       SELECT ?2 || printf('%06d', i), ?1, ?2 || 'b' || printf('%05d', iif(i % 2, 1, ${BANKS} - i % 40)), ?2 || 'p00001', 'night buses ' || i, 'D',
         iif(i % 3, 'submitted', 'planned'), iif(i % 7, 'public', iif(i % 2, 'hidden', 'pending')), ?3 + i, ?3 + i, '["night","buses"]',
         iif(i % 5, NULL, '["Bus"]') FROM n`,
    );
  // The newest comments: a search looks at 1,000 of them, too.
  for (let from = 1; from <= 2_000; from += SLICE)
    await insert(
      from,
      2_000,
      `comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at)
       SELECT ?2 || 'c' || printf('%05d', i), ?1, p.idea_bank_id, p.id, ?2 || 'p00001', 'No buses at night', ?3 + i
       FROM n JOIN proposals p ON p.id = ?2 || printf('%06d', i)`,
    );
  // Comments that wait, ideas of the member, and all comments are new to the member.
  await insert(
    1,
    1_200,
    `comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at, visibility)
     SELECT ?2 || 'w' || printf('%05d', i), ?1, p.idea_bank_id, p.id, ?2 || 'p00001', 'Not yet', ?3 + i, 'pending'
     FROM n JOIN proposals p ON p.id = ?2 || printf('%06d', i)`,
  );
  await insert(
    IDEAS + 1,
    IDEAS + 1_200,
    `proposals (id, account_id, idea_bank_id, title, description, status, visibility, created_at, last_activity_at, words, assignee, private_tags)
     SELECT ?2 || printf('%06d', i), ?1, ?2 || 'b' || printf('%05d', 1 + i % 40), 'trams ' || i, 'D', 'submitted', 'public', ?3 - i, ?3 - i,
       '["trams"]', ?1, '["Key"]' FROM n`,
  );
  await env.DB.prepare("UPDATE accounts SET created_at = 1 WHERE id = ?1").bind(account).run();
  const survey = `${prefix}s00001`;
  const questions = JSON.stringify(
    [
      {
        id: "often",
        kind: "scale",
        title: "How often?",
        from: 1,
        to: 5,
        nps: false,
        stars: false,
        lowLabel: "",
        highLabel: "",
      },
      ...Array.from({ length: 10 }, (_, place) => ({ id: `why${place}`, kind: "text", title: "Why?", long: true })),
    ].map((question) => ({ ...question, help: "", required: false, showIf: null })),
  );
  await env.DB.prepare(
    `INSERT INTO surveys (id, account_id, idea_bank_id, title, description, questions, status, opened_at, created_at, updated_at)
     VALUES (?1, ?2, ?3 || 'b00001', 'A survey', '', ?4, 'OPEN', ?5, ?5, ?5)`,
  )
    .bind(survey, account, prefix, questions, NOW)
    .run();
  for (let from = 1; from <= ANSWERS; from += 1_000) {
    await insert(
      from,
      from + 999,
      `survey_responses (survey_id, respondent, account_id, answers, counted, revision, step, first_step, by_tenant, created_at, updated_at)
       SELECT ?2 || 's00001', ?2 || 'p' || printf('%05d', i), ?1, json_object('often', i % 5 + 1), json_array('often', 'often=' || (i % 5 + 1)),
         'r', 0, 0, 0, ?3 + i, ?3 + i FROM n`,
    );
    await insert(
      from,
      from + 999,
      `survey_texts (survey_id, question_id, place, step, text)
       SELECT ?2 || 's00001', 'why' || (i % 10), printf('%015d', ?3 + i) || ?2 || 'p' || printf('%05d', i), 0, iif(?1 = '', '', 'night buses ' || i) FROM n`,
    );
  }
  const pending = { bank: `${prefix}b${String(BANKS - 14).padStart(5, "0")}`, id: `${prefix}000014` };
  return { bank: `${prefix}b00001`, idea: `${prefix}000001`, panelist: `${prefix}p00001`, survey, pending };
}

it("no page reads or writes in proportion to what is stored", async () => {
  const spent = { read: 0, written: 0 };
  const metered = meterDatabase(env.DB, (results) => {
    for (const { meta } of results) {
      spent.read += meta.rows_read;
      spent.written += meta.rows_written;
    }
  });
  const bindings: AppEnv["Bindings"] = { ...env, DB: metered };
  const owner = createOwner(undefined, bindings, "0");
  await owner.keys();
  const { bank, idea, panelist, survey, pending } = await fill(owner.email);
  const costs: Record<string, { read: number; written: number; bytes: number }> = {};
  const measure = async (name: string, send: () => Promise<Response>) => {
    Object.assign(spent, { read: 0, written: 0 });
    const answer = await send();
    const { length } = await answer.text();
    expect(answer.status, name).toBeLessThan(400);
    costs[name] = { ...spent, bytes: length };
  };
  const path = `/idea-banks/${bank}`;
  for (const page of [
    "",
    "/ideas",
    "/ideas?sort=top",
    "/ideas?sort=top&status=unanswered",
    "/ideas?sort=hot&status=planned",
    "/ideas?q=night",
    "/ideas?q=night+buses",
    "/ideas?q=the+night+buses+of+our+dear+old+town",
    "/ideas?q=nothing-has-this",
    "/idea-banks",
    path,
    `${path}?sort=active`,
    `${path}/settings`,
    `${path}?status=planned`,
    `${path}?visibility=hidden`,
    `${path}?tag=Bus&limit=100`,
    `${path}?q=night`,
    `${path}/ideas/${idea}`,
    `${path}/ideas/${idea}/history`,
    `${path}/ideas/${idea}/merge`,
    "/people",
    "/people?q=robin",
    "/people?q=ext-",
    `/people/${panelist}`,
    "/ideas?visibility=pending",
    "/ideas?assignee=me&status=open",
    "/ideas?privateTag=Key",
    "/roadmap",
    "/comments",
    "/comments?show=waiting",
    "/members",
    "/surveys",
    "/surveys/new",
    `/surveys/new?template=ideas&board=${bank}`,
    `/surveys/${survey}`,
    `/surveys/${survey}?only=often%3D3`,
    `/surveys/${survey}/edit`,
    `/surveys/${survey}/texts?question=why3`,
    `/surveys/${survey}/texts?question=why3&q=nothing-has-this`,
    `/surveys/${survey}/texts?question=why3&only=often%3D4`,
    "/activity",
  ])
    await measure(page, () => owner.page(page));
  Object.assign(spent, { read: 0, written: 0 });
  const ideaBankIds = Array.from(
    { length: 40 },
    (_, index) => `${bank.slice(0, 6)}b${String(BANKS - index).padStart(5, "0")}`,
  );
  const accountId = await env.DB.prepare("SELECT account_id FROM idea_banks WHERE id = ?1")
    .bind(bank)
    .first<string>("account_id");
  const queue = { accountId: accountId ?? "", ideaBankIds };
  expect(await findComments(sessionOf(metered), queue, "buses")).toHaveLength(20);
  expect(spent.read, "comments with a word that many have").toBeLessThanOrEqual(COMMENTS_AT_MOST);
  const ids = Array.from({ length: 100 }, (_, index) => `${bank.slice(0, 6)}${String(2 * index + 1).padStart(6, "0")}`);
  await measure("one idea", () =>
    owner.submit(`${path}/ideas/${idea}`, { do: "decide", status: "declined", visibility: "hidden" }),
  );
  await measure("merge", () => owner.submit(`${path}/ideas/${idea}/merge`, { into: ids[1] ?? "" }));
  await measure("100 at once", () => owner.submit(path, { ids, do: "status", status: "in-progress" }));
  await measure("approve", () => owner.submit(`/idea-banks/${pending.bank}/ideas/${pending.id}`, { do: "approve" }));
  await measure("delete an idea bank", () => owner.submit(`${path}/settings`, { do: "delete" }));
  await measure("delete a person", () => owner.submit(`/people/${panelist}`, { do: "delete" }));
  console.info(costs);
  for (const [name, { read, written, bytes }] of Object.entries(costs)) {
    const isMany = name === "100 at once";
    const most = isMany
      ? 10_000
      : name.includes("?only=")
        ? FILTERED_AT_MOST
        : /[?&](?:q|only)=/.test(name) || name.endsWith("/merge")
          ? SEARCHED_AT_MOST
          : name === ""
            ? HOME_AT_MOST
            : /unanswered|assignee|private|waiting|pending|\/settings|^\/people\//.test(name)
              ? COUNTED_AT_MOST
              : READ_AT_MOST;
    expect(read, `${name}: rows read`).toBeLessThanOrEqual(most);
    expect(written, `${name}: rows written`).toBeLessThanOrEqual(isMany ? 5_000 : 600);
    expect(bytes, `${name}: bytes`).toBeLessThanOrEqual(2 ** 19);
  }
}, 300_000);
