/** Answering a survey: `/surveys`. */
import { expect, it } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { sendWith } from "../../support/panel.ts";
import { answer, createSurveyPanel, outcomeOf, QUESTIONS } from "../../support/surveys.ts";

const NOT_FOUND = [404, "survey-not-found"];
const YES = { recommend: 9, next: "dark", uses: ["map"] };

it("lists what is open, with whether it was answered", async () => {
  const { survey, panelist } = await createSurveyPanel();
  const [id, other] = [await survey(), await survey({ title: "Another", status: "DRAFT" })];
  const ana = await panelist();
  const listed = await ana.read<{ items: object[] }>("/surveys");
  expect(listed.items).toEqual([
    {
      ...{ id, title: "A survey", description: "", questions: 4, anonymous: false, closesAt: null, answered: false },
    },
  ]);
  expect(await outcomeOf(await answer(ana, other, YES))).toEqual(NOT_FOUND);
  expect((await answer(ana, id, YES)).status).toBe(200);
  expect((await ana.read<{ items: object[] }>("/surveys")).items).toMatchObject([{ id, answered: true }]);
  expect(await ana.read(`/surveys/${id}`)).toMatchObject({
    ...{ id, title: "A survey", thanks: "", editable: true, response: { answers: YES } },
    questions: [{ id: "recommend", kind: "scale", required: true, showIf: null, help: "" }, {}, {}, {}],
  });
});

it("stores one response of a person, and the same again changes nothing", async () => {
  const { survey, panelist, results, read, tenant } = await createSurveyPanel();
  const id = await survey();
  const ana = await panelist();
  const first = await answer(ana, id, YES);
  const stored = await first.json<{ revision: string; createdAt: string; updatedAt: string }>();
  expect(first.headers.get("ETag")).toBe(`"${stored.revision}"`);
  expect(await (await answer(ana, id, { uses: ["map"], next: "dark", recommend: 9 })).json()).toEqual(stored);
  const changed = await (await answer(ana, id, { recommend: 3, why: " Night buses " })).json();
  expect(changed).toMatchObject({ answers: { recommend: 3, why: "Night buses" }, createdAt: stored.createdAt });
  expect(await read(`${id}/responses`)).toMatchObject({
    items: [{ panelistId: ana.id, answers: { recommend: 3, why: "Night buses" } }],
  });
  const found = await results(id);
  expect(found).toMatchObject({ responses: 1, shown: 1, complete: true });
  expect(found.questions).toMatchObject([
    { id: "recommend", answered: 1, mean: 3, nps: { promoters: 0, passives: 0, detractors: 1, score: -100 } },
    { id: "why", answered: 1, skipped: 0, notShown: 0 },
    {
      id: "next",
      answered: 0,
      skipped: 1,
      other: 0,
      options: [
        { id: "dark", count: 0 },
        { id: "night", count: 0 },
      ],
    },
    { id: "uses", answered: 0, skipped: 1 },
  ]);
  const { items } = await (await tenant.send("GET", "/tenant/changes")).json<{ items: { type: string }[] }>();
  const ofResponses = items.filter(({ type }) => type.startsWith("survey-response"));
  expect(ofResponses).toMatchObject([
    { type: "survey-response.created", surveyId: id, panelistId: ana.id, by: "panelist" },
    { type: "survey-response.updated", surveyId: id, panelistId: ana.id, response: { answers: { recommend: 3 } } },
  ]);
});

it("drops answers to questions that are not shown, and names each fault", { tags: "slow" }, async () => {
  const { survey, panelist, results } = await createSurveyPanel();
  const id = await survey();
  const ana = await panelist();
  expect(await (await answer(ana, id, { recommend: 9, why: "Hidden" })).json()).toMatchObject({
    answers: { recommend: 9 },
  });
  expect((await results(id)).questions[1]).toMatchObject({ id: "why", answered: 0, skipped: 0, notShown: 1 });
  const faults = async (answers: object) => {
    const response = await answer(ana, id, answers);
    const { errors } = await response.json<{ errors: { path: string }[] }>();
    return [response.status, ...errors.map(({ path }) => path)];
  };
  expect(await faults({})).toEqual([400, "answers.recommend"]);
  expect(await faults({ recommend: 11 })).toEqual([400, "answers.recommend"]);
  expect(await faults({ recommend: 9, next: "light" })).toEqual([400, "answers.next"]);
  expect(await faults({ recommend: 9, next: { other: " " } })).toEqual([400, "answers.next"]);
  expect(await faults({ recommend: 9, uses: ["map", "tickets", "none"] })).toEqual([400, "answers.uses"]);
  expect(await faults({ recommend: 9, uses: ["map", "map"] })).toEqual([400, "answers.uses"]);
  expect(await faults({ recommend: 2, why: "x".repeat(5_001) })).toEqual([400, "answers.why"]);
  expect(await faults({ recommend: 9, elsewhere: "x" })).toEqual([400, "answers.elsewhere"]);
});

it("tells the second of two tabs that there is an answer by now", { tags: "slow" }, async () => {
  const { survey, panelist } = await createSurveyPanel();
  const id = await survey();
  const ana = await panelist();
  const first = await answer(ana, id, YES, { "If-None-Match": "*" });
  const { revision } = await first.json<{ revision: string }>();
  expect((await answer(ana, id, YES, { "If-None-Match": "*" })).status).toBe(200);
  expect(await outcomeOf(await answer(ana, id, { recommend: 1 }, { "If-None-Match": "*" }))).toEqual([
    412,
    "precondition-failed",
  ]);
  expect((await answer(ana, id, { recommend: 1 }, { "If-Match": `"${revision}"` })).status).toBe(200);
  expect(await outcomeOf(await answer(ana, id, { recommend: 2 }, { "If-Match": `"${revision}"` }))).toEqual([
    412,
    "precondition-failed",
  ]);
});

it("accepts nothing from the answer to a close on, but lets people take their response back", async () => {
  const { survey, panelist, close, results } = await createSurveyPanel();
  const id = await survey();
  const [ana, ben] = [await panelist(), await panelist()];
  await answer(ana, id, YES);
  expect((await close(id)).status).toBe(200);
  expect(await outcomeOf(await answer(ben, id, YES))).toEqual(NOT_FOUND);
  expect(await outcomeOf(await answer(ana, id, { recommend: 1 }))).toEqual(NOT_FOUND);
  expect(await outcomeOf(await ana.send("GET", `/surveys/${id}`))).toEqual(NOT_FOUND);
  expect((await ana.send("DELETE", `/surveys/${id}/response`)).status).toBe(204);
  expect(await outcomeOf(await ben.send("DELETE", `/surveys/${id}/response`))).toEqual(NOT_FOUND);
  expect(await results(id)).toMatchObject({
    responses: 0,
    questions: [{ answered: 0, mean: null, nps: { score: null } }, {}, {}, {}],
  });
});

it("closes with the response that reaches the maximum; who has answered can still change it", async () => {
  const { survey, panelist, read } = await createSurveyPanel();
  const id = await survey({ maxResponses: 2 });
  const [ana, ben, cem] = [await panelist(), await panelist(), await panelist()];
  await answer(ana, id, YES);
  await answer(ben, id, YES);
  expect(await read(id)).toMatchObject({ status: "CLOSED", responses: 2 });
  expect(await outcomeOf(await answer(cem, id, YES))).toEqual(NOT_FOUND);
  expect((await answer(ana, id, { recommend: 1 })).status).toBe(200);
  expect((await ana.read<{ items: object[] }>("/surveys")).items).toMatchObject([{ id, answered: true }]);
  expect((await cem.read<{ items: object[] }>("/surveys")).items).toEqual([]);
});

it("asks only the voters of an idea, and of the one that it is merged into", { tags: "slow" }, async () => {
  const { survey, panelist, propose, manage } = await createSurveyPanel();
  const [proposal, other] = [await propose(), await propose()];
  const [ana, ben] = [await panelist(), await panelist()];
  await ana.send("PUT", `/ideabank/proposals/${proposal}/vote`);
  const id = await survey({ audience: { votersOf: proposal } });
  expect(await outcomeOf(await ben.send("GET", `/surveys/${id}`))).toEqual(NOT_FOUND);
  expect(await outcomeOf(await answer(ben, id, YES))).toEqual(NOT_FOUND);
  expect((await answer(ana, id, YES)).status).toBe(200);
  await manage("POST", `/proposals/${proposal}/merge`, { into: other });
  expect((await answer(ana, id, { recommend: 4 })).status).toBe(200);
  await ben.send("PUT", `/ideabank/proposals/${other}/vote`);
  expect((await answer(ben, id, YES)).status).toBe(200);
  await manage("DELETE", `/proposals/${other}`);
  expect((await answer(ana, id, { recommend: 5 })).status).toBe(200);
  const cem = await panelist();
  expect(await outcomeOf(await answer(cem, id, YES))).toEqual(NOT_FOUND);
});

it("is closed with the capability, which does not depend on proposals", async () => {
  const { survey, panelist, manage } = await createSurveyPanel({ internal: true });
  const id = await survey();
  const ana = await panelist();
  expect((await ana.read<{ capabilities: object }>("/ideabank")).capabilities).toMatchObject({
    ...{ canAnswerSurveys: true, canViewProposals: false },
  });
  expect((await answer(ana, id, YES)).status).toBe(200);
  await manage("PATCH", "", { surveysEnabled: false });
  for (const [method, path] of [
    ["GET", `/surveys/${id}`],
    ["DELETE", `/surveys/${id}/response`],
  ] as const)
    expect(await outcomeOf(await ana.send(method, path))).toEqual(NOT_FOUND);
  expect(await outcomeOf(await answer(ana, id, YES))).toEqual(NOT_FOUND);
  expect(await outcomeOf(await ana.send("GET", "/surveys"))).toEqual([404, "idea-bank-not-found"]);
});

it("lets a visitor read, and asks to sign in before an answer", async () => {
  const { survey, manage, isolate } = await createSurveyPanel();
  const id = await survey();
  const { token } = await (await manage("POST", "/tokens", { visitor: true })).json<{ token: string }>();
  const visitor = { send: sendWith(isolate, token) };
  expect(await (await visitor.send("GET", `/surveys/${id}`)).json()).toMatchObject({ id, response: null });
  expect(await outcomeOf(await answer(visitor, id, YES))).toEqual([403, "sign-in-required"]);
  expect(await (await visitor.send("GET", "/ideabank")).json()).toMatchObject({
    ...{ capabilities: { canAnswerSurveys: false }, panelistCapabilities: { canAnswerSurveys: true } },
  });
});

it("answers each of two surveys by its own questions", async () => {
  const { survey, panelist, results } = await createSurveyPanel();
  const [one, two] = [await survey(), await survey({ questions: [QUESTIONS[2]] })];
  const ana = await panelist();
  await answer(ana, one, YES);
  await answer(ana, two, { next: { other: "A later last train" } });
  expect((await results(two)).questions).toMatchObject([{ id: "next", answered: 1, other: 1 }]);
  expect((await results(one)).questions[2]).toMatchObject({ id: "next", answered: 1, other: 0 });
});

it("takes answers to questions that are longer than what an isolate keeps of an idea bank", {
  tags: "slow",
}, async () => {
  const { survey, panelist } = await createSurveyPanel();
  const id = await survey();
  await databaseOf(id)
    .prepare("UPDATE surveys SET questions = json_set(questions, '$[1].help', ?), revision = revision + 1 WHERE id = ?")
    .bind("x".repeat(300_000), id)
    .run();
  const ana = await panelist();
  expect((await answer(ana, id, YES)).status).toBe(200);
  expect((await answer(ana, id, { ...YES, recommend: 10 })).status).toBe(200);
  expect((await ana.send("DELETE", `/surveys/${id}/response`)).status).toBe(204);
});
