/** What surveys cost, counted by D1, and that their totals are right whatever happens at the same time. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { bindingOf, databaseOf } from "../../support/databases.ts";
import { countStores } from "../../support/intercept.ts";
import { meterDatabase } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { runJob } from "../../support/job.ts";
import { withoutLimits } from "../../support/limits.ts";
import { sendWith } from "../../support/panel.ts";
import { answer, createSurveyPanel } from "../../support/surveys.ts";

const options = Array.from({ length: 30 }, (_, index) => ({ id: `o${index}`, label: `Option ${index}` }));
/** Two of each kind that has texts, and of the others. */
const TEN = [
  ...Array.from({ length: 4 }, (_, index) => ({ id: `text${index}`, kind: "text", title: "Why?" })),
  ...Array.from({ length: 2 }, (_, index) => ({ id: `scale${index}`, kind: "scale", title: "How?" })),
  ...Array.from({ length: 2 }, (_, index) => ({
    id: `one${index}`,
    kind: "choice",
    title: "Which?",
    options,
    other: true,
  })),
  ...Array.from({ length: 2 }, (_, index) => ({ id: `some${index}`, kind: "choices", title: "Which?", options })),
];
const ANSWERS = {
  ...Object.fromEntries([0, 1, 2, 3].map((index) => [`text${index}`, "Because"])),
  ...{ scale0: 1, scale1: 5, one0: { other: "Another" }, one1: { other: "A third" } },
  ...{ some0: options.map(({ id }) => id), some1: ["o1"] },
};

/** The panel's database, and what it has counted since it was asked last. */
async function createScene(fields: object = {}) {
  const panel = await createSurveyPanel();
  const spent = { read: 0, written: 0 };
  const metered = meterDatabase(databaseOf(panel.bank.id), (results) => {
    for (const { meta } of results) {
      spent.read += meta.rows_read;
      spent.written += meta.rows_written;
    }
  });
  const { env: counted, counts } = countStores({ ...env, [bindingOf(panel.bank.id)]: metered });
  const isolate = createIsolate(withoutLimits(counted));
  const take = () => {
    const taken = { ...spent, roundTrips: counts.d1 };
    Object.assign(spent, { read: 0, written: 0 });
    Object.assign(counts, { d1: 0 });
    return taken;
  };
  const id = await panel.survey(fields);
  const person = async () => {
    const { token, ...rest } = await panel.panelist();
    return { ...rest, token, send: sendWith(isolate, token) };
  };
  return { ...panel, id, take, person };
}

describe("a survey of ten questions", () => {
  it("is answered and changed with at most 40 rows, read and written in one round trip where it is known", async () => {
    const { id, take, person } = await createScene({ questions: TEN });
    const [ana, ben] = [await person(), await person()];
    await ana.send("GET", `/surveys/${id}`);
    expect(take().roundTrips).toBe(1);
    expect((await answer(ana, id, ANSWERS)).status).toBe(200);
    const first = take();
    expect(first).toMatchObject({ roundTrips: 1, written: 14 });
    await answer(ana, id, { ...ANSWERS, text0: "Changed", one0: "o3" });
    expect(take()).toMatchObject({ roundTrips: 1, written: 6 });
    await answer(ana, id, { ...ANSWERS, text0: "Changed", one0: "o3" });
    expect(take()).toMatchObject({ roundTrips: 1, written: 0 });
    await answer(ben, id, ANSWERS);
    expect(take().roundTrips).toBe(1);
    await ana.send("GET", "/surveys");
    expect(take().roundTrips).toBe(1);
    await ana.send("DELETE", `/surveys/${id}/response`);
    expect(take()).toMatchObject({ roundTrips: 1 });
  });

  it("has results that read one row, whatever the number of responses", async () => {
    const { id, results, tenant, bank } = await createScene({ questions: TEN });
    await databaseOf(bank.id)
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
         INSERT INTO survey_responses (survey_id, respondent, account_id, answers, counted, revision, created_at, updated_at)
         SELECT ?1, printf('r%011d', i), ?2, '{"scale0":3}', '["scale0","scale0=3"]', 'r', i, i FROM n`,
      )
      .bind(id, bank.accountId)
      .run();
    let read = 0;
    const metered = meterDatabase(databaseOf(bank.id), (all) => {
      for (const { meta } of all) read += meta.rows_read;
    });
    const isolate = createIsolate({ ...env, [bindingOf(bank.id)]: metered });
    const get = (below: string) =>
      isolate.request(`/tenant/surveys/${id}/${below}`, { headers: { "X-API-Key": tenant.text } });
    await get("results");
    read = 0;
    expect((await get("results")).status).toBe(200);
    expect(read).toBeLessThanOrEqual(5);
    read = 0;
    expect(await (await get("results?question=scale0&answer=3")).json()).toMatchObject({ responses: 2_000 });
    // A response is read with what it counts for.
    expect(read).toBeLessThanOrEqual(10 * 2_000);
    expect(await results(id)).toMatchObject({
      responses: 2_000,
      questions: expect.arrayContaining([expect.objectContaining({ id: "scale0", mean: 3 })]),
    });
  });
});

it("a deleted survey's responses go in slices, each row once, and its account's storage at once", async () => {
  const { id, bank, tenant } = await createScene();
  const database = databaseOf(bank.id);
  await database
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
       INSERT INTO survey_responses (survey_id, respondent, account_id, answers, counted, revision, created_at, updated_at)
       SELECT ?1, printf('r%011d', i), ?2, '{"recommend":3}', '["recommend","recommend=3"]', 'r', i, i FROM n`,
    )
    .bind(id, bank.accountId)
    .run();
  expect((await tenant.send("DELETE", `/tenant/surveys/${id}`)).status).toBe(204);
  let [most, written] = [0, 0];
  const metered = meterDatabase(database, (all) => {
    const rows = all.reduce((sum, { meta }) => sum + meta.rows_written, 0);
    written += rows;
    most = Math.max(most, rows);
  });
  const left = () => database.prepare("SELECT count(*) AS n FROM survey_responses").first<number>("n");
  for (let runs = 0; runs < 3 && (await left()) !== 0; runs++) await runJob({ ...env, [bindingOf(bank.id)]: metered });
  expect(await left()).toBe(0);
  // A row has two entries in indexes.
  expect(written).toBeLessThan(3 * 5_000 + 100);
  expect(most).toBeLessThanOrEqual(3 * 300 + 10);
});

it("a file of 10,000 responses has a line for each", async () => {
  const { id, bank, tenant } = await createScene();
  await databaseOf(bank.id)
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
       INSERT INTO survey_responses (survey_id, respondent, account_id, answers, counted, revision, created_at, updated_at)
       SELECT ?1, printf('r%011d', i), ?2, '{"recommend":3}', '["recommend","recommend=3"]', 'r', i, i FROM n`,
    )
    .bind(id, bank.accountId)
    .run();
  const file = await tenant.send("GET", `/tenant/surveys/${id}/responses.csv`);
  expect((await file.text()).trimEnd().split("\r\n")).toHaveLength(10_001);
});

/** The totals, as somebody counts them who reads the list. */
async function recount(panel: Awaited<ReturnType<typeof createScene>>) {
  const counts: Record<string, number> = {};
  let responses = 0;
  let cursor = "";
  do {
    const page = await panel.read<{ items: { answers: { next?: string } }[]; nextCursor?: string }>(
      `${panel.id}/responses?limit=100${cursor}`,
    );
    responses += page.items.length;
    for (const { answers } of page.items) if (answers.next) counts[answers.next] = (counts[answers.next] ?? 0) + 1;
    cursor = page.nextCursor === undefined ? "" : `&cursor=${page.nextCursor}`;
  } while (cursor !== "");
  return { responses, counts };
}

it("20 people answer at once while the survey is edited and closed: the totals are those of the list, each time", async () => {
  const questions = [{ id: "next", kind: "choice", title: "Which?", options: options.slice(0, 3) }];
  for (let times = 0; times < 20; times++) {
    const panel = await createScene({ questions });
    const people = await Promise.all(Array.from({ length: 20 }, () => panel.person()));
    const statuses = await Promise.all([
      ...people.map((one, index) => answer(one, panel.id, { next: `o${index % 3}` })),
      ...people.slice(0, 5).map((one) => answer(one, panel.id, { next: "o2" })),
      panel.change(panel.id, {
        questions: [
          { ...questions[0], title: "Which one?" },
          { id: "new", kind: "text", title: "Why?" },
        ],
      }),
      ...people.slice(5, 8).map((one) => one.send("DELETE", `/surveys/${panel.id}/response`)),
      panel.tenant.send("DELETE", `/tenant/panelists/${people[9]?.id}`),
      panel.close(panel.id),
    ]);
    for (const { status } of statuses) expect([200, 204, 401, 404]).toContain(status);
    const { responses, counts } = await recount(panel);
    const { questions: found, responses: total } = await panel.results(panel.id);
    expect(total).toBe(responses);
    for (const { id, count } of found[0]?.options ?? []) expect([id, count]).toEqual([id, counts[id] ?? 0]);
    const [next] = found;
    expect((next?.answered ?? 0) + (next?.skipped ?? 0) + (next?.notShown ?? 0)).toBe(responses);
  }
});

it("of 50 people at once, as many answer as the maximum says", async () => {
  const panel = await createScene({ maxResponses: 10 });
  const people = await Promise.all(Array.from({ length: 50 }, () => panel.person()));
  const answered = await Promise.all(people.map((one) => answer(one, panel.id, { recommend: 9 })));
  expect(answered.filter(({ status }) => status === 200)).toHaveLength(10);
  expect(answered.filter(({ status }) => status === 404)).toHaveLength(40);
  expect(await panel.results(panel.id)).toMatchObject({ responses: 10 });
});
