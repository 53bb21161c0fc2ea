/** What a survey may be, and how it may change. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { runJob } from "../../support/job.ts";
import { answer, createSurveyPanel, outcomeOf, QUESTIONS } from "../../support/surveys.ts";
import { addAccount, addIdeaBank, addProposal } from "../../support/world.ts";

type Faults = { readonly error: string; readonly errors?: readonly { readonly path: string }[] };

async function createScene() {
  const panel = await createSurveyPanel();
  const { tenant, bank } = panel;
  const faultsOf = async (response: Response) => {
    const { error, errors = [] } = await response.json<Faults>();
    return [response.status, error, ...errors.map(({ path }) => path)];
  };
  const create = (fields: object) =>
    tenant.send("POST", "/tenant/surveys", { title: "T", ideaBankId: bank.id, ...fields });
  return {
    ...panel,
    create,
    refused: async (fields: object) => faultsOf(await create(fields)),
    notChanged: async (id: string, changes: object) => faultsOf(await panel.change(id, changes)),
  };
}

const options = [
  { id: "a", label: "A" },
  { id: "b", label: "B" },
];
const choice = { id: "next", kind: "choice", title: "Which?", options };
const text = { id: "why", kind: "text", title: "Why?" };

describe("a survey is refused with the place of each fault", () => {
  it.each([
    ["51 questions", { questions: Array(51).fill(text) }, "questions"],
    ["an option twice", { questions: [{ ...choice, options: [options[0], options[0]] }] }, "questions.0.options.1"],
    ["one option", { questions: [{ ...choice, options: [options[0]] }] }, "questions.0.options"],
    [
      "a later question in showIf",
      { questions: [{ ...text, showIf: { question: "next", anyOf: ["a"] } }, choice] },
      "questions.0.showIf",
    ],
    [
      "an unknown option in showIf",
      { questions: [choice, { ...text, showIf: { question: "next", anyOf: ["c"] } }] },
      "questions.1.showIf",
    ],
    [
      "a text in showIf",
      { questions: [text, { ...choice, showIf: { question: "why", anyOf: ["x"] } }] },
      "questions.1.showIf",
    ],
    ["an id twice", { questions: [text, text] }, "questions.1.id"],
    [
      "NPS on another scale",
      { questions: [{ kind: "scale", title: "S", from: 1, to: 10, nps: true }] },
      "questions.0.nps",
    ],
    ["no kind", { questions: [{ title: "S" }] }, "questions.0.kind"],
    ["an end in the past", { closesAt: "2020-01-01T00:00:00Z" }, "closesAt"],
    ["an address beside an idea bank", { url: "https://surveys.example.com" }, "url"],
    ["open without a question", { status: "OPEN" }, "questions"],
    [
      "open with questions and without an idea bank",
      { status: "OPEN", ideaBankId: null, questions: [text] },
      "ideaBankId",
    ],
  ])("%s", async (_, fields, path) => {
    const { refused } = await createScene();
    expect(await refused(fields)).toEqual([400, "invalid-request", path]);
  });

  it("the proposal of another idea bank, and another tenant's idea bank", async () => {
    const { refused, bank } = await createScene();
    const other = await addIdeaBank({ accountId: bank.accountId });
    const audience = { votersOf: await addProposal(other) };
    expect(await refused({ audience })).toEqual([400, "invalid-request", "audience.votersOf"]);
    const foreign = await addIdeaBank({ accountId: await addAccount() });
    expect(await refused({ ideaBankId: foreign.id })).toEqual([403, "forbidden"]);
  });
});

it("makes identifiers where none are sent, and keeps them when a text is corrected", async () => {
  const { create, change } = await createScene();
  const sent = [
    { kind: "text", title: "One" },
    { ...choice, id: "q2", options: [{ label: "A" }, { label: "B" }] },
    { kind: "text", title: "Three" },
  ];
  const { id, questions } = await (await create({ questions: sent })).json<{
    id: string;
    questions: { id: string }[];
  }>();
  expect(questions).toMatchObject([{ id: "q1" }, { id: "q2", options: [{ id: "o1" }, { id: "o2" }] }, { id: "q3" }]);
  const corrected = questions.map((question) => ({ ...question, title: "Corrected" }));
  expect(await (await change(id, { questions: corrected })).json()).toMatchObject({ questions: corrected });
});

describe("once it has been open", () => {
  it("what an answer means is fixed: each change that would move it is 409 and names the question", {
    tags: "slow",
  }, async () => {
    const { survey, notChanged, change, results, panelist } = await createScene();
    const questions = [
      choice,
      { ...text, showIf: { question: "next", anyOf: ["a"] } },
      { id: "s", kind: "scale", title: "S" },
    ];
    const id = await survey({ questions });
    await answer(await panelist(), id, { next: "a", why: "Because" });
    const [one = choice, two = text, three = {}] = questions;
    const no = [409, "conflict"];
    expect(await notChanged(id, { questions: [one, two] })).toEqual([...no, "questions.2"]);
    expect(await notChanged(id, { questions: [one, { ...two, kind: "scale" }, three] })).toEqual([
      ...no,
      "questions.1",
    ]);
    expect(await notChanged(id, { questions: [one, { ...two, showIf: null }, three] })).toEqual([...no, "questions.1"]);
    expect(await notChanged(id, { questions: [one, two, { ...three, to: 10 }] })).toEqual([...no, "questions.2"]);
    expect(await notChanged(id, { questions: [{ ...choice, required: true }, two, three] })).toEqual([
      ...no,
      "questions.0",
    ]);
    expect(await notChanged(id, { questions: [{ ...choice, options: [...options].reverse() }, two, three] })).toEqual([
      ...no,
      "questions.0",
      "questions.0",
    ]);
    expect(
      await notChanged(id, { questions: [one, two, three, { kind: "text", title: "New", required: true }] }),
    ).toEqual([...no, "questions.3"]);
    for (const changes of [{ ideaBankId: null, questions: [] }, { anonymous: true }, { status: "DRAFT" }])
      expect((await change(id, changes)).status).toBe(409);
    const added = [
      {
        ...choice,
        title: "Which one?",
        options: [{ id: "a", label: "The first" }, options[1], { id: "c", label: "C" }],
        other: true,
      },
      ...[two, three, { id: "more", kind: "text", title: "More?" }],
    ];
    expect((await change(id, { questions: added })).status).toBe(200);
    expect((await results(id)).questions).toMatchObject([
      {
        answered: 1,
        options: [
          { id: "a", count: 1 },
          { id: "b", count: 0 },
          { id: "c", count: 0 },
        ],
      },
      { answered: 1 },
      { skipped: 1 },
      { id: "more", notShown: 1 },
    ]);
  });

  it("a maximum that is reached already is refused with the number", async () => {
    const { survey, change, panelist } = await createScene();
    const id = await survey();
    for (let people = 0; people < 2; people++) await answer(await panelist(), id, { recommend: 9 });
    const refused = await change(id, { maxResponses: 2 });
    expect(await refused.json()).toMatchObject({
      status: 400,
      errors: [{ path: "maxResponses", message: expect.stringContaining("2") }],
    });
    expect((await change(id, { maxResponses: 3 })).status).toBe(200);
  });

  it("it can be opened again, with another end if that has passed", { tags: "slow" }, async () => {
    const { survey, change, close, read, panelist, notChanged } = await createScene();
    const id = await survey({ closesAt: new Date(Date.now() + 60_000).toISOString() });
    await close(id);
    expect((await change(id, { status: "OPEN" })).status).toBe(200);
    await databaseOf(id).prepare("UPDATE surveys SET closes_at = 1 WHERE id = ?").bind(id).run();
    expect(await read(id)).toMatchObject({ status: "CLOSED" });
    const ana = await panelist();
    expect(await outcomeOf(await answer(ana, id, { recommend: 9 }))).toEqual([404, "survey-not-found"]);
    expect(await notChanged(id, { status: "OPEN" })).toEqual([409, "conflict", "status"]);
    expect((await change(id, { status: "OPEN", closesAt: null })).status).toBe(200);
    expect((await answer(ana, id, { recommend: 9 })).status).toBe(200);
  });
});

it("the job closes a survey whose time has come, and destroys the salt of an anonymous one", {
  tags: "slow",
}, async () => {
  const { survey, read, tenant } = await createScene();
  const id = await survey({ anonymous: true, closesAt: new Date(Date.now() + 60_000).toISOString() });
  const row = () => databaseOf(id).prepare("SELECT status, salt FROM surveys WHERE id = ?").bind(id).first();
  await runJob(env);
  expect(await row()).toEqual({ status: "OPEN", salt: expect.any(String) });
  await databaseOf(id).prepare("UPDATE surveys SET closes_at = 1 WHERE id = ?").bind(id).run();
  await runJob(env);
  expect(await row()).toEqual({ status: "CLOSED", salt: null });
  expect(await read(id)).toMatchObject({ status: "CLOSED" });
  const { items } = await (await tenant.send("GET", "/tenant/changes")).json<{ items: object[] }>();
  expect(items.at(-1)).toMatchObject({
    type: "survey.updated",
    by: "system",
    surveyId: id,
    survey: { status: "CLOSED" },
  });
});

it("an idea bank has 20 open surveys at most", { tags: "slow" }, async () => {
  const { create, survey, close } = await createScene();
  const ids: string[] = [];
  for (let open = 0; open < 20; open++) ids.push(await survey());
  expect(await outcomeOf(await create({ status: "OPEN", questions: QUESTIONS }))).toEqual([409, "conflict"]);
  await close(ids[0] ?? "");
  expect((await create({ status: "OPEN", questions: QUESTIONS })).status).toBe(201);
});

it("a copy is a draft with the same questions and nothing else of the first", async () => {
  const { survey, tenant, panelist, read } = await createScene();
  const id = await survey({
    externalId: "mine",
    thanks: "Thanks!",
    closesAt: new Date(Date.now() + 60_000).toISOString(),
  });
  await answer(await panelist(), id, { recommend: 9 });
  const copied = await tenant.send("POST", `/tenant/surveys/${id}/copy`, undefined, { "Idempotency-Key": "once" });
  const again = await tenant.send("POST", `/tenant/surveys/${id}/copy`, undefined, { "Idempotency-Key": "once" });
  const copy = await copied.json<{ id: string }>();
  expect([copied.status, await again.json()]).toEqual([201, copy]);
  const { questions } = await read<{ questions: object[] }>(id);
  expect(copy).toMatchObject({
    ...{
      status: "DRAFT",
      questions,
      thanks: "Thanks!",
      externalId: null,
      closesAt: null,
      openedAt: null,
      responses: 0,
    },
  });
});

it("a list can be of one idea bank, and of one status", async () => {
  const { survey, create, tenant, bank } = await createScene();
  const [open, draft] = [await survey(), (await (await create({})).json<{ id: string }>()).id];
  const elsewhere = (
    await (await create({ ideaBankId: null, url: "https://surveys.example.com" })).json<{ id: string }>()
  ).id;
  const ids = async (query: string) => {
    const { items } = await (await tenant.send("GET", `/tenant/surveys${query}`)).json<{ items: { id: string }[] }>();
    return items.map(({ id }) => id);
  };
  expect(await ids(`?ideaBankId=${bank.id}`)).toEqual([draft, open]);
  expect(await ids("?status=OPEN")).toEqual([open]);
  expect(await ids("")).toEqual([elsewhere, draft, open]);
});

it("goes with its idea bank, and its responses with it", { tags: "slow" }, async () => {
  const { survey, tenant, bank, panelist, manage } = await createScene();
  const id = await survey();
  const ana = await panelist();
  await answer(ana, id, { recommend: 3, why: "Because" });
  await manage("DELETE", "");
  expect((await tenant.send("GET", `/tenant/surveys/${id}`)).status).toBe(403);
  expect(await (await tenant.send("GET", "/tenant/surveys")).json()).toMatchObject({ items: [] });
  await runJob(env);
  await runJob(env);
  const left = async (sql: string) => databaseOf(bank.id).prepare(sql).first<number>("n");
  for (const table of ["surveys", "survey_responses", "survey_texts", "deleted_idea_banks"])
    expect([table, await left(`SELECT count(*) AS n FROM ${table}`)]).toEqual([table, 0]);
});

it("what responses take of the account's storage is given back with them", { tags: "slow" }, async () => {
  const { survey, tenant, panelist, bank } = await createScene();
  const stored = () =>
    databaseOf(bank.id)
      .prepare("SELECT stored_bytes FROM accounts WHERE id = ?")
      .bind(bank.accountId)
      .first<number>("stored_bytes");
  const [ana, ben] = [await panelist(), await panelist()];
  const before = await stored();
  const id = await survey();
  const opened = (await stored()) ?? 0;
  await answer(ana, id, { recommend: 3, why: "x".repeat(1_000) });
  expect(await stored()).toBeGreaterThan(opened + 2_000);
  await answer(ana, id, { recommend: 9 });
  expect(await stored()).toBeLessThan(opened + 1_000);
  await ana.send("DELETE", `/surveys/${id}/response`);
  expect(await stored()).toBe(opened);
  await answer(ben, id, { recommend: 9 });
  expect((await tenant.send("DELETE", `/tenant/surveys/${id}`)).status).toBe(204);
  expect((await stored()) ?? 0).toBe(before);
  await runJob(env);
  expect(await stored()).toBe(before);
  await databaseOf(bank.id)
    .prepare("UPDATE accounts SET max_bytes = stored_bytes WHERE id = ?")
    .bind(bank.accountId)
    .run();
  freeze(Date.now());
  const other = await outcomeOf(await tenant.send("POST", "/tenant/surveys", { title: "T" }));
  expect(other).toEqual([409, "quota-exceeded"]);
});

it("keeps an audience whose proposal is gone, in a change and in a copy, and takes no other that is not there", async () => {
  const { survey, change, tenant, propose, manage, notChanged } = await createScene();
  const proposal = await propose();
  const id = await survey({ audience: { votersOf: proposal } });
  await manage("DELETE", `/proposals/${proposal}`);
  expect((await change(id, { closesAt: new Date(Date.now() + 60_000).toISOString() })).status).toBe(200);
  const copied = await tenant.send("POST", `/tenant/surveys/${id}/copy`);
  expect([copied.status, await copied.json()]).toMatchObject([201, { audience: { votersOf: proposal } }]);
  expect(await notChanged(id, { audience: { votersOf: "0b4nKb4nKb4n" } })).toEqual([
    400,
    "invalid-request",
    "audience.votersOf",
  ]);
});
