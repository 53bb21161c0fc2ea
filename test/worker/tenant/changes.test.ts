/** `GET /tenant/changes`: pages, cursors, what each change shows, and what a page costs. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Change } from "../../../src/worker/model/change.ts";
import { SCOPES } from "../../../src/worker/model/scope.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { meterDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { runJob } from "../../support/job.ts";
import { numbers } from "../../support/many-rows.ts";
import { createPanel, PROPOSALS } from "../../support/panel.ts";
import { createTenant } from "../../support/tenant.ts";
import { addAccount, addIdeaBank, addProposal, newId } from "../../support/world.ts";

type Page = { items: Change[]; nextCursor: string };
type Tenant = Awaited<ReturnType<typeof createTenant>>;

const ask = ({ send }: Pick<Tenant, "send">, query = "") => send("GET", `/tenant/changes${query}`);
const read = async (tenant: Pick<Tenant, "send">, query = ""): Promise<Page> => {
  const response = await ask(tenant, query);
  expect(response.status, query).toBe(200);
  return response.json<Page>();
};

/** Changes with these numbers, each at its number in milliseconds and `later`, of a proposal that is gone. */
async function addChanges(accountId: string, from: number, to: number, later = 0): Promise<void> {
  await databaseOf(accountId)
    .prepare(
      `${numbers(from, to)} INSERT INTO change_log (account_id, number, type, proposal_id, idea_bank_id, actor, changed_at)
       SELECT ?1, i, 'proposal.updated', ?2, ?2, 'tenant', i + ?3 FROM n`,
    )
    .bind(accountId, newId(accountId), later)
    .run();
}

async function createLog(count: number) {
  const accountId = await addAccount();
  if (count > 0) await addChanges(accountId, 1, count);
  return { accountId, tenant: await createTenant({ accountId }) };
}

const times = ({ items }: Page) => items.map(({ at }) => Date.parse(at));
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe("pages", () => {
  it("go from the oldest change to the newest; the one after them is empty, with a cursor to go on from", {
    tags: "slow",
  }, async () => {
    const { accountId, tenant } = await createLog(45);
    const seen: number[] = [];
    let query = "";
    for (const expected of [20, 20, 5, 0, 0]) {
      const page = await read(tenant, query);
      expect(page.items).toHaveLength(expected);
      seen.push(...times(page));
      query = `?after=${page.nextCursor}`;
    }
    expect(seen).toEqual(range(1, 45));
    await addChanges(accountId, 46, 47);
    expect(times(await read(tenant, `${query}&limit=1`))).toEqual([46]);
    expect(times(await read(tenant, `${query}&limit=100`))).toEqual([46, 47]);
  });

  it("after=now has no changes, and the place behind the newest one; so has a log without any", async () => {
    const { accountId, tenant } = await createLog(0);
    for (const [from, to] of [
      [1, 2],
      [3, 3],
    ] as const) {
      const { items, nextCursor } = await read(tenant, "?after=now");
      expect(items).toEqual([]);
      expect((await read(tenant, `?after=${nextCursor}`)).items).toEqual([]);
      await addChanges(accountId, from, to);
      expect(times(await read(tenant, `?after=${nextCursor}`))).toEqual(range(from, to));
    }
  });

  it("refuse a changed cursor, another account's, one of a list, and parameters that do not belong to it", {
    tags: "slow",
  }, async () => {
    const { tenant } = await createLog(3);
    const other = await createLog(3);
    const { nextCursor } = await read(tenant);
    expect(
      await read({ send: (await createTenant({ accountId: tenant.accountId })).send }, `?after=${nextCursor}`),
    ).toEqual({ items: [], nextCursor });
    const { nextCursor: foreign } = await read(other.tenant);
    for (const name of ["One", "Two"]) await tenant.send("POST", "/tenant/surveys", { title: name });
    const { nextCursor: ofList } = await (await tenant.send("GET", "/tenant/surveys?limit=1")).json<Page>();
    for (const wrong of [foreign, ofList, `${nextCursor}0`, `${nextCursor.slice(0, -1)}-`, "", "Now"]) {
      const response = await ask(tenant, `?after=${wrong}`);
      expect([response.status, (await response.json<{ errors: { path: string }[] }>()).errors[0]?.path]).toEqual([
        400,
        "after",
      ]);
    }
    for (const query of ["?limit=0", "?limit=101", `?cursor=${nextCursor}`, "?after=now&after=now"])
      expect((await ask(tenant, query)).status, query).toBe(400);
    expect((await tenant.send("GET", `/tenant/surveys?cursor=${nextCursor}`)).status).toBe(400);
  });

  it("end at 1 MiB, however large the proposals are, skip nothing, and are never empty", { tags: "slow" }, async () => {
    const bank = await addIdeaBank();
    const tenant = await createTenant({ accountId: bank.accountId });
    const { nextCursor: start } = await read(tenant, "?after=now");
    const text = "\u{1f600}".repeat(10_000);
    const ids: string[] = [];
    for (let count = 0; count < 30; count++) ids.push(await addProposal(bank, { description: text }));
    // The same proposal many times.
    for (let count = 0; count < 30; count++) {
      const sql = "UPDATE proposals SET response = ?2 WHERE id = ?1";
      await databaseOf(bank.id)
        .prepare(sql)
        .bind(ids[0], text.slice(count * 2))
        .run();
    }
    const seen: (string | undefined)[] = [];
    let cursor = start;
    for (;;) {
      const answer = await (await ask(tenant, `?limit=100&after=${cursor}`)).text();
      expect(new TextEncoder().encode(answer).length).toBeLessThanOrEqual(2 ** 20);
      const page: Page = JSON.parse(answer);
      if (page.items.length === 0) break;
      seen.push(...page.items.map(({ proposalId }) => proposalId));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual([...ids, ...ids.slice(0, 1).flatMap((id) => Array.from({ length: 30 }, () => id))]);
  });

  it("end at 1 MiB, however large the surveys are", { tags: "slow" }, async () => {
    const { accountId, tenant } = await createLog(0);
    await databaseOf(accountId)
      .prepare(
        `${numbers(1, 45)} INSERT INTO surveys (id, account_id, title, description, created_at, updated_at)
         SELECT 'large' || printf('%07d', i), ?1, 'T', ?2, i, i FROM n`,
      )
      .bind(accountId, "\u{1f600}".repeat(10_000))
      .run();
    const seen: unknown[] = [];
    for (let query = "?limit=100"; ; ) {
      const answer = await (await ask(tenant, query)).text();
      expect(new TextEncoder().encode(answer).length).toBeLessThanOrEqual(2 ** 20);
      const page: Page = JSON.parse(answer);
      if (page.items.length === 0) break;
      seen.push(...page.items.map(({ surveyId }) => surveyId));
      query = `?limit=100&after=${page.nextCursor}`;
    }
    expect(new Set(seen).size).toBe(45);
  });
});

describe("a cursor", () => {
  const expired = async (tenant: Pick<Tenant, "send">, cursor: string) => {
    const response = await ask(tenant, `?after=${cursor}`);
    expect(await response.json()).toMatchObject({ status: 410, error: "cursor-expired" });
    return response.status;
  };

  it("is 410 when changes after it are not kept any more; the newest change's never is", { tags: "slow" }, async () => {
    const { accountId, tenant } = await createLog(0);
    const { nextCursor: beginning } = await read(tenant, "?after=now");
    await addChanges(accountId, 1, 5);
    const cursors = [beginning];
    for (let count = 0; count < 5; count++)
      cursors.push((await read(tenant, `?limit=1&after=${cursors.at(-1)}`)).nextCursor);
    await databaseOf(accountId).prepare("DELETE FROM change_log WHERE number < 4").run();
    for (const cursor of cursors.slice(0, 4)) expect(await expired(tenant, cursor)).toBe(410);
    expect(times(await read(tenant, `?after=${cursors[4]}`))).toEqual([5]);
    expect(times(await read(tenant))).toEqual([4, 5]);
    freeze(Date.now() + 400 * 86_400_000);
    await runJob(env);
    expect(times(await read(tenant))).toEqual([5]);
    expect((await read(tenant, `?after=${cursors[5]}`)).items).toEqual([]);
    await addChanges(accountId, 6, 6);
    expect(times(await read(tenant, `?after=${cursors[5]}`))).toEqual([6]);
  });

  it("is 410 after the database was restored to before it, also when the log has come as far again", async () => {
    const { accountId, tenant } = await createLog(5);
    const { nextCursor } = await read(tenant);
    await databaseOf(accountId).prepare("DELETE FROM change_log WHERE number > 3").run();
    expect(await expired(tenant, nextCursor)).toBe(410);
    await addChanges(accountId, 4, 5, 1);
    expect(await expired(tenant, nextCursor)).toBe(410);
  });
});

describe("a change", () => {
  it("shows the resource as it is now, as its own path does, and null when it is gone", { tags: "slow" }, async () => {
    const { bank, tenant, manage, panelist } = await createPanel();
    const robin = await panelist("Robin");
    const { nextCursor } = await read(tenant, "?after=now");
    const proposalId = await robin.submit("First");
    const path = `/tenant/ideabanks/${bank.id}`;
    const commented = await robin.send("POST", `${PROPOSALS}/${proposalId}/comments`, { body: "Mine." });
    const { id: commentId } = await commented.json<{ id: string }>();
    await manage("PATCH", `/proposals/${proposalId}`, { title: "Second", status: "planned" });
    await manage("PATCH", "", { name: "Renamed" });
    await tenant.send("PATCH", `/tenant/panelists/${robin.id}`, { displayName: "Kim" });
    const survey = await (await tenant.send("POST", "/tenant/surveys", { title: "Rides" })).json<{ id: string }>();
    await tenant.send("PATCH", `/tenant/surveys/${survey.id}`, { url: "https://example.com/rides" });
    const get = async (below: string) => (await tenant.send("GET", below)).json();
    const now = {
      ideaBank: await get(path),
      proposal: await get(`${path}/proposals/${proposalId}`),
      comment: (
        await (await tenant.send("GET", `${path}/proposals/${proposalId}/comments`)).json<{ items: unknown[] }>()
      ).items[0],
      panelist: await get(`/tenant/panelists/${robin.id}`),
      survey: await get(`/tenant/surveys/${survey.id}`),
    };
    const ids = { ideaBankId: bank.id, proposalId };
    const at = expect.stringMatching(/^\d{4}-.*Z$/);
    const apiKeyId = tenant.id;
    const changes = (shown: typeof now | Record<keyof typeof now, null>) => [
      { type: "proposal.created", by: "panelist", apiKeyId: null, at, ...ids, proposal: shown.proposal },
      {
        type: "comment.created",
        by: "panelist",
        apiKeyId: null,
        at,
        ...ids,
        commentId,
        proposal: shown.proposal,
        comment: shown.comment,
      },
      { type: "proposal.status-changed", by: "tenant", apiKeyId, at, ...ids, proposal: shown.proposal },
      { type: "ideabank.updated", by: "tenant", apiKeyId, at, ideaBankId: bank.id, ideaBank: shown.ideaBank },
      { type: "panelist.updated", by: "tenant", apiKeyId, at, panelistId: robin.id, panelist: shown.panelist },
      { type: "survey.created", by: "tenant", apiKeyId, at, surveyId: survey.id, survey: shown.survey },
      { type: "survey.updated", by: "tenant", apiKeyId, at, surveyId: survey.id, survey: shown.survey },
    ];
    expect((await read(tenant, `?after=${nextCursor}`)).items).toEqual(changes(now));
    // Gone with the answer, though the rows are deleted later.
    await tenant.send("DELETE", `/tenant/panelists/${robin.id}`);
    await tenant.send("DELETE", `/tenant/surveys/${survey.id}`);
    await manage("DELETE", "");
    const gone = { ideaBank: null, proposal: null, comment: null, panelist: null, survey: null };
    expect((await read(tenant, `?after=${nextCursor}`)).items.slice(0, 7)).toEqual(changes(gone));
  });

  it("shows a panelist only to a key that may read panelists", async () => {
    const { accountId } = await addIdeaBank();
    const narrow = await createTenant({ accountId, scopes: SCOPES.filter((scope) => !scope.startsWith("panelists")) });
    const change = (await read(narrow)).items.find(({ type }) => type === "panelist.created");
    expect(change).toMatchObject({ panelistId: expect.any(String) });
    expect(change).not.toHaveProperty("panelist");
    expect((await read(await createTenant({ accountId }))).items).toContainEqual(
      expect.objectContaining({ ...change, panelist: expect.objectContaining({ id: change?.panelistId }) }),
    );
  });

  it("shows a survey only to a key that may read surveys", async () => {
    const accountId = await addAccount();
    const tenant = await createTenant({ accountId });
    await tenant.send("POST", "/tenant/surveys", { title: "Rides" });
    const narrow = await createTenant({ accountId, scopes: SCOPES.filter((scope) => !scope.startsWith("surveys")) });
    const [change] = (await read(narrow)).items;
    expect(change).toMatchObject({ type: "survey.created", surveyId: expect.any(String) });
    expect(change).not.toHaveProperty("survey");
    expect((await read(tenant)).items).toEqual([
      { ...change, survey: expect.objectContaining({ id: change?.surveyId, title: "Rides" }) },
    ]);
  });

  const COLUMNS =
    "(account_id, number, type, idea_bank_id, proposal_id, comment_id, panelist_id, actor, changed_at, survey_id, event_id, api_key_id)";

  it("of one account never shows a resource of another one, whatever the log says", async () => {
    const [mine, theirs] = [await addIdeaBank({ digit: "0" }), await addIdeaBank({ digit: "0" })];
    const proposalId = await addProposal(theirs);
    const [commentId, surveyId] = [newId(theirs.id), newId(theirs.id)];
    await databaseOf(mine.id).batch([
      databaseOf(mine.id).prepare("DELETE FROM change_log"),
      databaseOf(mine.id)
        .prepare(
          "INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at, by_tenant) VALUES (?1, ?2, (SELECT idea_bank_id FROM proposals WHERE id = ?3), ?3, NULL, 'B', 1, 1)",
        )
        .bind(commentId, theirs.accountId, proposalId),
      databaseOf(mine.id)
        .prepare(
          `INSERT INTO change_log ${COLUMNS} VALUES (?1, 1, 'comment.created', ?2, ?3, ?4, ?5, 'tenant', 1, NULL, NULL, NULL)`,
        )
        .bind(mine.accountId, theirs.id, proposalId, commentId, theirs.panelistId),
      databaseOf(mine.id)
        .prepare(
          `INSERT INTO change_log ${COLUMNS} VALUES (?1, 3, 'panelist.created', NULL, NULL, NULL, ?2, 'tenant', 1, NULL, NULL, NULL)`,
        )
        .bind(mine.accountId, theirs.panelistId),
      databaseOf(mine.id)
        .prepare(
          `INSERT INTO change_log ${COLUMNS} VALUES (?1, 2, 'ideabank.created', ?2, NULL, NULL, NULL, 'tenant', 1, NULL, NULL, NULL)`,
        )
        .bind(mine.accountId, theirs.id),
      databaseOf(mine.id)
        .prepare(
          "INSERT INTO surveys (id, account_id, title, description, created_at, updated_at) VALUES (?1, ?2, 'T', '', 1, 1)",
        )
        .bind(surveyId, theirs.accountId),
      databaseOf(mine.id)
        .prepare(
          `INSERT INTO change_log ${COLUMNS} VALUES (?1, 4, 'survey.created', NULL, NULL, NULL, NULL, 'tenant', 1, ?2, NULL, NULL)`,
        )
        .bind(mine.accountId, surveyId),
    ]);
    const { items } = await read(await createTenant({ accountId: mine.accountId }));
    expect(items).toMatchObject([
      { proposal: null, comment: null },
      { ideaBank: null },
      { panelist: null },
      { survey: null },
    ]);
  });
});

it("a page costs what it shows: as many rows of a log of 20,000 as of one of 200, and few when there is nothing new", {
  tags: "slow",
}, async () => {
  const costs = async (changes: number) => {
    const bank = await addIdeaBank({ digit: "0" });
    await databaseOf(bank.id).prepare("DELETE FROM change_log").run();
    await addChanges(bank.accountId, 1, changes);
    await addProposal(bank);
    let rows = 0;
    const metered = meterDatabases(env, (results) => {
      for (const { meta } of results) rows += meta.rows_read;
    });
    const tenant = await createTenant({ accountId: bank.accountId }, createIsolate(metered));
    const cost = async (query: string) => {
      rows = 0;
      const { nextCursor } = await read(tenant, query);
      return { nextCursor, rows };
    };
    const first = await cost("?limit=50");
    const second = await cost(`?limit=50&after=${first.nextCursor}`);
    const newest = await cost("?after=now");
    const none = await cost(`?after=${newest.nextCursor}`);
    return [first, second, newest, none].map((each) => each.rows);
  };
  const few = await costs(200);
  expect(await costs(20_000)).toEqual(few);
  const [first = 0, second = 0, newest = 0, none = 0] = few;
  expect(Math.max(first, second)).toBeLessThanOrEqual(25 * 50);
  expect(Math.max(newest, none)).toBeLessThanOrEqual(40);
});
