/** Anonymous surveys: what the team sees moves in steps of five, and nothing can be had by subtraction. */
import { expect, it } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { createIsolate } from "../../support/isolate.ts";
import { sendWith } from "../../support/panel.ts";
import { signJwt } from "../../support/sign-jwt.ts";
import { answer, createSurveyPanel, outcomeOf, QUESTIONS } from "../../support/surveys.ts";

const NOT_FOUND = [404, "survey-not-found"];
const CONFLICT = [409, "conflict"];
const low = (why: string) => ({ recommend: 2, why });

async function createAnonymous(fields: object = {}) {
  const panel = await createSurveyPanel();
  const id = await panel.survey({ anonymous: true, ...fields });
  const people = await Promise.all(Array.from({ length: 12 }, () => panel.panelist()));
  const say = (first: number, last: number) =>
    Promise.all(people.slice(first, last).map((one, index) => answer(one, id, low(`Text ${first + index}`))));
  const texts = async () => {
    const { items } = await panel.read<{ items: { text: string }[] }>(`${id}/texts?question=why`);
    return items;
  };
  /** All that the team sees. */
  const seen = async () => JSON.stringify([await panel.read(id), await panel.results(id), await texts()]);
  const row = async <Row>(sql: string) => databaseOf(id).prepare(sql).bind(id).first<Row>();
  return { ...panel, id, people, say, texts, seen, row };
}

it("shows nothing before the fifth response, and moves with each fifth after it", { tags: "slow" }, async () => {
  const { results, say, seen, texts } = await createAnonymous();
  await say(0, 4);
  const before = await seen();
  expect(before).not.toContain("Text");
  await say(4, 5);
  expect(await results((JSON.parse(before) as [{ id: string }])[0].id)).toMatchObject({ responses: 5, shown: 5 });
  expect((await texts()).map(({ text }) => text).toSorted()).toEqual([0, 1, 2, 3, 4].map((n) => `Text ${n}`));
  const five = await seen();
  await say(5, 9);
  expect(await seen()).toBe(five);
  await say(9, 10);
  expect(await texts()).toHaveLength(10);
});

it("keeps one response of each person, who can change it and take it back while it is open", {
  tags: "slow",
}, async () => {
  const { id, people, say, seen, texts, results } = await createAnonymous();
  await say(0, 5);
  const [ana] = people;
  if (ana === undefined) throw new Error("nobody");
  const five = await seen();
  expect(await ana.read(`/surveys/${id}`)).toMatchObject({ response: { answers: low("Text 0") } });
  expect(await ana.read("/surveys")).toMatchObject({ items: [{ answered: true }] });
  expect((await answer(ana, id, low("Changed"))).status).toBe(200);
  expect(await ana.read(`/surveys/${id}`)).toMatchObject({ response: { answers: low("Changed") } });
  expect(await seen()).toBe(five);
  expect((await people[1]?.send("DELETE", `/surveys/${id}/response`))?.status).toBe(204);
  expect(await people[1]?.read(`/surveys/${id}`)).toMatchObject({ response: null });
  expect(await seen()).toBe(five);
  await say(5, 10);
  expect((await texts()).map(({ text }) => text).toSorted()).toEqual(
    ["Changed", ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `Text ${n}`)].toSorted(),
  );
  expect(await results(id)).toMatchObject({
    responses: 9,
    shown: 9,
    questions: [{ answered: 9 }, { answered: 9 }, {}, {}],
  });
});

it("destroys its salt with the close, and shows nothing of what fewer than five have done since", {
  tags: "slow",
}, async () => {
  const { id, people, say, close, texts, results, row, change } = await createAnonymous();
  await say(0, 7);
  expect(await row("SELECT length(salt) AS salt FROM surveys WHERE id = ?")).toEqual({ salt: 32 });
  await close(id);
  expect(await row("SELECT salt FROM surveys WHERE id = ?")).toEqual({ salt: null });
  expect(await results(id)).toMatchObject({ responses: 7, shown: 5, questions: [{ answered: 5 }, {}, {}, {}] });
  expect(await texts()).toHaveLength(5);
  expect(await outcomeOf((await people[0]?.send("DELETE", `/surveys/${id}/response`)) ?? new Response())).toEqual(
    NOT_FOUND,
  );
  expect(await outcomeOf(await change(id, { status: "OPEN" }))).toEqual(CONFLICT);
});

it("names nobody: in no row, change or time, and no signed token's person is made", { tags: "slow" }, async () => {
  const { id, people, say, tenant, row, bank, isolate, manage } = await createAnonymous();
  const { secret, kid } = await (await manage("GET", "/signing-secret")).json<{ secret: string; kid: string }>();
  const seconds = Math.floor(Date.now() / 1000);
  const claims = { iss: bank.id, sub: "never-seen", iat: seconds, exp: seconds + 600 };
  const token = await signJwt({ alg: "HS256", typ: "JWT", kid }, claims, secret);
  const known = (await (await tenant.send("GET", "/tenant/panelists?limit=100")).json<{ items: object[] }>()).items
    .length;
  expect((await answer({ send: sendWith(isolate, token) }, id, low("Signed"))).status).toBe(200);
  await say(0, 4);
  const rows = await databaseOf(id).prepare("SELECT * FROM survey_responses WHERE survey_id = ?").bind(id).all();
  const text = JSON.stringify(rows.results);
  for (const { id: panelistId } of people) expect(text).not.toContain(panelistId);
  for (const { created_at, updated_at } of rows.results)
    expect([Number(created_at) % 86_400_000, Number(updated_at) % 86_400_000]).toEqual([0, 0]);
  expect(
    (await (await tenant.send("GET", "/tenant/panelists?limit=100")).json<{ items: object[] }>()).items,
  ).toHaveLength(known);
  const { items } = await (await tenant.send("GET", "/tenant/changes?limit=100")).json<{ items: { type: string }[] }>();
  const steps = items.filter(({ type }) => type.startsWith("survey-response"));
  expect(steps).toEqual([
    {
      type: "survey-response.created",
      at: expect.any(String),
      by: "panelist",
      apiKeyId: null,
      ideaBankId: bank.id,
      surveyId: id,
    },
  ]);
  const left = () => row("SELECT count(*) AS n FROM survey_responses WHERE survey_id = ?");
  expect(await left()).toEqual({ n: 5 });
  // Who is no panelist can be made one, to be deleted.
  const made = await tenant.send("POST", "/tenant/panelists", { externalId: "never-seen" });
  const { id: signed } = await made.json<{ id: string }>();
  expect((await tenant.send("DELETE", `/tenant/panelists/${signed}`)).status).toBe(204);
  expect(await left()).toEqual({ n: 4 });
});

it("has no rows, no file, no answer on somebody's behalf, and parts of it only once it is closed", {
  tags: "slow",
}, async () => {
  const { id, people, tenant, close, survey } = await createAnonymous({
    questions: [
      {
        id: "next",
        kind: "choice",
        title: "Which?",
        options: [
          { id: "a", label: "A" },
          { id: "b", label: "B" },
        ],
      },
      { id: "why", kind: "text", title: "Why?" },
    ],
  });
  for (const below of ["responses", "responses.csv"])
    expect(await outcomeOf(await tenant.send("GET", `/tenant/surveys/${id}/${below}`))).toEqual(CONFLICT);
  for (const method of ["PUT", "DELETE"])
    expect(
      await outcomeOf(await tenant.send(method, `/tenant/surveys/${id}/responses/by-external-id/x`, { answers: {} })),
    ).toEqual(CONFLICT);
  for (const [index, one] of people.entries()) await answer(one, id, { next: index < 6 ? "a" : "b", why: `${index}` });
  const part = `/tenant/surveys/${id}/results?question=next&answer=a`;
  expect(await outcomeOf(await tenant.send("GET", part))).toEqual(CONFLICT);
  await close(id);
  expect(await outcomeOf(await tenant.send("GET", part))).toEqual(CONFLICT); // ten are shown: six and four
  const other = await survey({
    anonymous: true,
    questions: [
      {
        id: "next",
        kind: "choice",
        title: "Which?",
        options: [
          { id: "a", label: "A" },
          { id: "b", label: "B" },
        ],
      },
    ],
  });
  for (const [index, one] of people.slice(0, 10).entries())
    await answer(one, other, { next: index % 2 === 0 ? "a" : "b" });
  await close(other);
  const found = await tenant.send("GET", `/tenant/surveys/${other}/results?question=next&answer=a`);
  expect(await found.json()).toMatchObject({ responses: 5, questions: [{ options: [{ count: 5 }, { count: 0 }] }] });
});

it("loses the response of a deleted person with the next step, while the salt is there", { tags: "slow" }, async () => {
  const { people, say, seen, tenant, texts, row } = await createAnonymous();
  await say(0, 5);
  const five = await seen();
  expect((await tenant.send("DELETE", `/tenant/panelists/${people[2]?.id}`)).status).toBe(204);
  expect(await row("SELECT count(*) AS n FROM survey_responses WHERE survey_id = ?")).toEqual({ n: 4 });
  expect(await seen()).toBe(five);
  await say(5, 10);
  expect((await texts()).map(({ text }) => text)).not.toContain("Text 2");
  expect(await row("SELECT count(*) AS n FROM survey_texts WHERE survey_id = ?")).toEqual({ n: 9 });
});

it("keeps the response of who is deleted after its time, before the job has destroyed the salt", {
  tags: "slow",
}, async () => {
  const { id, people, say, seen, tenant, row } = await createAnonymous();
  await say(0, 7);
  await databaseOf(id).prepare("UPDATE surveys SET closes_at = 1 WHERE id = ?").bind(id).run();
  const closed = await seen();
  expect((await tenant.send("DELETE", `/tenant/panelists/${people[2]?.id}`)).status).toBe(204);
  expect(await row("SELECT count(*) AS n FROM survey_responses WHERE survey_id = ?")).toEqual({ n: 7 });
  expect(await row("SELECT count(*) AS n FROM survey_texts WHERE survey_id = ? AND until IS NULL")).toEqual({ n: 7 });
  expect(await seen()).toBe(closed);
});

it("loses with its close the texts that were taken back, although no step comes", { tags: "slow" }, async () => {
  const { id, people, say, texts, close, tenant, row } = await createAnonymous();
  await say(0, 5);
  expect((await people[1]?.send("DELETE", `/surveys/${id}/response`))?.status).toBe(204);
  expect((await tenant.send("DELETE", `/tenant/panelists/${people[2]?.id}`)).status).toBe(204);
  expect(await texts()).toHaveLength(5);
  await close(id);
  expect((await texts()).map(({ text }) => text).toSorted()).toEqual(["Text 0", "Text 3", "Text 4"]);
  expect(await row("SELECT count(*) AS n FROM survey_texts WHERE survey_id = ?")).toEqual({ n: 3 });
});

it("takes back what was answered after an isolate has read the survey", { tags: "slow" }, async () => {
  const { id, people, say, change, read } = await createAnonymous();
  const [ana] = people;
  if (ana === undefined) throw new Error("nobody");
  await ana.read(`/surveys/${id}`);
  const more = [...QUESTIONS, { id: "more", kind: "text", title: "Anything else?" }];
  expect((await change(id, { questions: more })).status).toBe(200);
  const elsewhere = { ...ana, send: sendWith(createIsolate(), ana.token) };
  expect((await answer(elsewhere, id, { recommend: 9, more: "Of Ana" })).status).toBe(200);
  expect((await ana.send("DELETE", `/surveys/${id}/response`)).status).toBe(204);
  expect(await ana.read(`/surveys/${id}`)).toMatchObject({ response: null });
  await say(1, 11);
  expect(await read(`${id}/texts?question=more`)).toMatchObject({ items: [] });
});

it("that was a draft when an isolate read it can be taken back there", { tags: "slow" }, async () => {
  const { people, survey, change } = await createAnonymous();
  const [ana] = people;
  if (ana === undefined) throw new Error("nobody");
  const id = await survey({ status: "DRAFT" });
  await ana.read(`/surveys/${id}`);
  await change(id, { anonymous: true, status: "OPEN" });
  expect((await answer({ ...ana, send: sendWith(createIsolate(), ana.token) }, id, { recommend: 9 })).status).toBe(200);
  expect((await ana.send("DELETE", `/surveys/${id}/response`)).status).toBe(204);
  expect(await ana.read(`/surveys/${id}`)).toMatchObject({ response: null });
});

it("has no parts when there are more responses than are looked at: among the newest somebody could stand alone", {
  tags: "slow",
}, async () => {
  const { id, say, close, read, row } = await createAnonymous();
  await say(0, 10);
  await close(id);
  const part = () => read(`${id}/results?question=recommend&answer=2`);
  expect(await part()).toMatchObject({ responses: 10 });
  await row("UPDATE surveys SET responses = 5001, shown_responses = 5001 WHERE id = ?");
  expect(await part()).toMatchObject({ status: 409, detail: expect.stringContaining("more than 5,000") });
});

it("puts the texts of two questions in orders that tell nothing of each other", { tags: "slow" }, async () => {
  const { id, people, read } = await createAnonymous({
    questions: [
      { id: "one", kind: "text", title: "One?" },
      { id: "two", kind: "text", title: "Two?" },
    ],
  });
  for (const [index, one] of people.slice(0, 10).entries()) await answer(one, id, { one: `${index}`, two: `${index}` });
  const orderOf = async (question: string) =>
    (await read<{ items: { text: string }[] }>(`${id}/texts?question=${question}`)).items.map(({ text }) => text);
  const [one, two] = [await orderOf("one"), await orderOf("two")];
  expect(one).not.toEqual(two);
  expect(one.toSorted()).toEqual(two.toSorted());
  const paged = await read<{ items: object[]; nextCursor: string }>(`${id}/texts?question=one&limit=6`);
  expect(await read(`${id}/texts?question=one&limit=6&cursor=${paged.nextCursor}`)).toEqual({
    items: one.slice(6).map((text) => ({ text })),
  });
});
