/** Shapes of surveys, and what is refused by which path. */
import { describe, expect, it } from "vitest";
import { createTenant } from "../support/tenant.ts";
import { addProposal } from "../support/world.ts";
import type { Question } from "./recount.ts";
import {
  answer,
  createScene,
  DESIGNED,
  inFuture,
  offered,
  own,
  refusal,
  SCALE,
  type Survey,
  TENANT_SURVEYS,
} from "./scene.ts";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe("a survey", () => {
  it("is created as a draft that has what was sent, and the defaults of the rest", async () => {
    const { create, read, bank } = await createScene();
    const made = await create();
    expect(made).toMatchObject({
      ideaBankId: bank.id,
      title: "Rides",
      description: "",
      thanks: "",
      externalId: null,
      url: null,
      status: "DRAFT",
      audience: null,
      anonymous: false,
      editable: true,
      closesAt: null,
      maxResponses: null,
      responses: 0,
      openedAt: null,
    });
    expect(made.questions).toMatchObject(DESIGNED);
    for (const time of [made.createdAt, made.updatedAt]) expect(time).toMatch(TIME);
    expect(await read(made.id)).toEqual(made);
  });

  it("with nothing but a title is one that is answered elsewhere, as before", async () => {
    const { tenant, json } = await createScene();
    const made = await json<Survey>(await tenant.send("POST", TENANT_SURVEYS, { title: "T" }), 201);
    expect(made).toMatchObject({ ideaBankId: null, title: "T", status: "DRAFT", questions: [], url: null });
    const changed = await tenant.send("PATCH", `${TENANT_SURVEYS}/${made.id}`, {
      url: "https://forms.example.com/1",
      status: "OPEN",
    });
    expect((await json<Survey>(changed)).status).toBe("OPEN");
  });

  it("keeps every field that is sent, in the answer to each method and in the list", async () => {
    const { create, read, tenant, json, propose } = await createScene();
    const votersOf = await propose();
    const fields = {
      title: "Größer 😀",
      description: "Line\nbreak",
      thanks: "Thank you!",
      externalId: "survey-1",
      audience: { votersOf },
      anonymous: true,
      editable: false,
      closesAt: inFuture(86_400_000),
      maxResponses: 100,
    };
    const made = await create(fields);
    expect(made).toMatchObject(fields);
    expect(await read(made.id)).toMatchObject(fields);
    const { items } = await json<{ items: Survey[] }>(await tenant.send("GET", TENANT_SURVEYS));
    expect(items.find(({ id }) => id === made.id)).toMatchObject(fields);
  });

  it("makes ids `q1`, `q2` and `o1`, `o2` where none is sent", async () => {
    const { create } = await createScene();
    const { questions } = await create({
      questions: [
        { kind: "scale", title: "A", from: 1, to: 5 },
        { kind: "choice", title: "B", options: [{ label: "One" }, { label: "Two" }] },
      ],
    });
    expect(questions.map(({ id }) => id)).toEqual(["q1", "q2"]);
    expect(questions[1]?.options?.map(({ id }) => id)).toEqual(["o1", "o2"]);
  });

  it("never makes an id that is there already", async () => {
    const { create } = await createScene();
    const { questions } = await create({
      questions: [
        { id: "q2", kind: "text", title: "A" },
        { kind: "text", title: "B" },
        { kind: "choice", title: "C", options: [{ id: "o2", label: "One" }, { label: "Two" }, { label: "Three" }] },
      ],
    });
    expect(new Set(questions.map(({ id }) => id)).size).toBe(3);
    expect(new Set(questions[2]?.options?.map(({ id }) => id)).size).toBe(3);
    expect(questions[0]?.id).toBe("q2");
  });

  it("says when it was opened: once it is, and the same after it is closed", async () => {
    const { open, close, read } = await createScene();
    const opened = await open();
    expect(opened.openedAt).toMatch(TIME);
    await close(opened.id);
    expect((await read(opened.id)).openedAt).toBe(opened.openedAt);
  });

  it("has an ETag in its answer, and If-Match with another is 412 that writes nothing", async () => {
    const { create, tenant, read } = await createScene();
    const { id } = await create();
    const path = `${TENANT_SURVEYS}/${id}`;
    const seen = (await tenant.send("GET", path)).headers.get("ETag") ?? "";
    expect((await tenant.send("PATCH", path, { title: "Mine" }, { "If-Match": seen })).status).toBe(200);
    const refused = await tenant.send("PATCH", path, { questions: SCALE }, { "If-Match": seen });
    expect(await refusal(refused)).toMatchObject({ status: 412, error: "precondition-failed" });
    expect(await read(id)).toMatchObject({ title: "Mine", questions: DESIGNED });
    const now = (await tenant.send("GET", path)).headers.get("ETag") ?? "";
    expect((await tenant.send("PATCH", path, { questions: SCALE }, { "If-Match": now })).status).toBe(200);
    expect((await tenant.send("GET", path)).headers.get("ETag")).not.toBe(now);
  });

  it("is copied as a draft of its own, with the same questions and no answers", async () => {
    const { open, copyOf, read, people, results, patch } = await withCopy();
    const [robin] = await people(1);
    if (robin === undefined) throw new Error("nobody");
    const first = await open({ anonymous: false, maxResponses: 5, description: "About rides", externalId: "one" });
    await answer(robin, first.id, { recommend: 9 });
    const made = await copyOf(first.id);
    expect(made).toMatchObject({ status: "DRAFT", responses: 0, openedAt: null, description: "About rides" });
    expect(made.id).not.toBe(first.id);
    expect(made.questions).toEqual((await read(first.id)).questions);
    expect(made.ideaBankId).toBe(first.ideaBankId);
    expect(await read(made.id)).toEqual(made);
    expect((await results(made.id)).responses).toBe(0);
    expect((await patch(made.id, { questions: SCALE })).status).toBe(200);
    expect((await read(first.id)).questions).toMatchObject(DESIGNED);
    expect((await results(first.id)).responses).toBe(1);
  });
});

async function withCopy() {
  const scene = await createScene();
  const copyOf = async (id: string) =>
    scene.json<Survey>(await scene.tenant.send("POST", `${TENANT_SURVEYS}/${id}/copy`), 201);
  return { ...scene, copyOf };
}

const scale = (more: object = {}) => ({ id: "a", kind: "scale", title: "A", from: 0, to: 10, ...more });
const text = (more: object = {}) => ({ id: "b", kind: "text", title: "B", ...more });
const choice = (more: object = {}) => ({
  id: "c",
  kind: "choice",
  title: "C",
  options: [
    { id: "x", label: "X" },
    { id: "y", label: "Y" },
  ],
  ...more,
});
const many = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `o${at}`, label: `Option ${at}` }));

describe("a survey is refused", () => {
  const wrong: [what: string, path: string, fields: object][] = [
    ["without a title", "title", { title: "" }],
    ["with a title of 201", "title", { title: "x".repeat(201) }],
    ["with 51 questions", "questions", { questions: Array.from({ length: 51 }, (_, at) => text({ id: `t${at}` })) }],
    ["with a question without a title", "questions.0.title", { questions: [text({ title: "" })] }],
    ["with a question's title of 201", "questions.0.title", { questions: [text({ title: "x".repeat(201) })] }],
    ["with a help of 501", "questions.0.help", { questions: [text({ help: "x".repeat(501) })] }],
    ["with an unknown kind", "questions.0.kind", { questions: [text({ kind: "matrix" })] }],
    ["with an id in capitals", "questions.0.id", { questions: [text({ id: "Why" })] }],
    ["with an id that begins with a dash", "questions.0.id", { questions: [text({ id: "-a" })] }],
    ["with an id of 41", "questions.0.id", { questions: [text({ id: "a".repeat(41) })] }],
    ["with an id twice", "questions.1.id", { questions: [text({ id: "a" }), scale()] }],
    ["with one option", "questions.0.options", { questions: [choice({ options: many(1) })] }],
    ["with 31 options", "questions.0.options", { questions: [choice({ options: many(31) })] }],
    [
      "with an option's id twice",
      "questions.0.options.1",
      { questions: [choice({ options: [many(1)[0], many(1)[0]] })] },
    ],
    [
      "with an option's id in capitals",
      "questions.0.options.0.id",
      {
        questions: [
          choice({
            options: [
              { id: "A", label: "A" },
              { id: "b", label: "B" },
            ],
          }),
        ],
      },
    ],
    ["with a scale from 5 to 1", "questions.0", { questions: [scale({ from: 5, to: 1 })] }],
    ["with a scale of one point", "questions.0", { questions: [scale({ from: 3, to: 3 })] }],
    ["with a scale of halves", "questions.0", { questions: [scale({ from: 0.5, to: 5 })] }],
    ["with nps of 1 to 10", "questions.0", { questions: [scale({ from: 1, nps: true })] }],
    ["with nps of 0 to 5", "questions.0", { questions: [scale({ to: 5, nps: true })] }],
    [
      "with more at least than at most",
      "questions.0",
      { questions: [choice({ kind: "choices", atLeast: 2, atMost: 1 })] },
    ],
    [
      "with a condition on nothing",
      "questions.1.showIf",
      { questions: [scale(), text({ showIf: { question: "zzz", anyOf: [1] } })] },
    ],
    [
      "with a condition on itself",
      "questions.1.showIf",
      { questions: [scale(), choice({ showIf: { question: "c", anyOf: ["x"] } })] },
    ],
    [
      "with a condition on a later question",
      "questions.0.showIf",
      { questions: [text({ showIf: { question: "a", anyOf: [1] } }), scale()] },
    ],
    [
      "with a condition on no value",
      "questions.1.showIf",
      { questions: [scale(), text({ showIf: { question: "a", anyOf: [] } })] },
    ],
    [
      "with a condition on an option that is not there",
      "questions.1.showIf",
      { questions: [choice(), text({ showIf: { question: "c", anyOf: ["zzz"] } })] },
    ],
    [
      "with a condition on a point that is not there",
      "questions.1.showIf",
      { questions: [scale(), text({ showIf: { question: "a", anyOf: [11] } })] },
    ],
    ["with a time that is none", "closesAt", { closesAt: "tomorrow" }],
    ["with a time without a zone", "closesAt", { closesAt: "2099-01-01T00:00:00" }],
    ["with at most no responses", "maxResponses", { maxResponses: 0 }],
    ["with at most -1 responses", "maxResponses", { maxResponses: -1 }],
    ["with at most 1.5 responses", "maxResponses", { maxResponses: 1.5 }],
    ["with an audience that is no idea", "audience", { audience: { votersOf: "zzz" } }],
    ["with an audience of another kind", "audience", { audience: { everybody: true } }],
    ["with a field that is not there", "colour", { colour: "red" }],
  ];
  it.each(wrong)("%s: 400 %s", async (_, path, fields) => {
    const { tenant, bank } = await createScene();
    const answer = await tenant.send("POST", TENANT_SURVEYS, {
      title: "T",
      ideaBankId: bank.id,
      questions: SCALE,
      ...fields,
    });
    const refused = await refusal(answer);
    expect([refused.status, refused.error], refused.text).toEqual([400, "invalid-request"]);
    expect(
      refused.paths.some((each) => each === path || each.startsWith(`${path}.`)),
      refused.text,
    ).toBe(true);
    const { items } = await (await tenant.send("GET", TENANT_SURVEYS)).json<{ items: unknown[] }>();
    expect(items).toEqual([]);
  });

  it.each(wrong)("%s, also by PATCH, and stays as it was", async (_, path, fields) => {
    const { tenant, create, read } = await createScene();
    const before = await create();
    const refused = await refusal(await tenant.send("PATCH", `${TENANT_SURVEYS}/${before.id}`, fields));
    expect([refused.status, refused.error], refused.text).toEqual([400, "invalid-request"]);
    expect(
      refused.paths.some((each) => each === path || each.startsWith(`${path}.`)),
      refused.text,
    ).toBe(true);
    expect(await read(before.id)).toEqual(before);
  });

  it("with the audience of a foreign idea, a sister board's, or a missing one: 400 `audience`, the same for all", async () => {
    const scene = await createScene();
    const sister = await createScene({ accountId: scene.bank.accountId });
    const elsewhere = await createScene();
    const texts = [];
    for (const votersOf of [await elsewhere.propose(), await sister.propose(), "000000000000"]) {
      const fields = { title: "T", ideaBankId: scene.bank.id, questions: SCALE, audience: { votersOf } };
      const refused = await refusal(await scene.tenant.send("POST", TENANT_SURVEYS, fields));
      expect([refused.status, refused.error], refused.text).toEqual([400, "invalid-request"]);
      expect(refused.paths[0]).toMatch(/^audience/);
      texts.push(refused.text);
    }
    expect(new Set(texts).size).toBe(1);
  });

  it("for an idea bank that is foreign or missing, with one answer for both", async () => {
    const [scene, elsewhere] = [await createScene(), await createScene()];
    const answers = [];
    for (const ideaBankId of [elsewhere.bank.id, "000000000000"]) {
      const refused = await scene.tenant.send("POST", TENANT_SURVEYS, { title: "T", ideaBankId, questions: SCALE });
      answers.push([refused.status, await refused.text()]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect([400, 403]).toContain(answers[0]?.[0]);
    expect(await elsewhere.pages(TENANT_SURVEYS)).toEqual([]);
  });
});

describe("the largest survey", () => {
  const questions = (count: number): Question[] =>
    Array.from({ length: count }, (_, at) => ({
      id: `${"a".repeat(36)}${at + 1000}`,
      kind: "choice" as const,
      title: "x".repeat(200),
      options: [
        { id: "a", label: "A" },
        { id: "b", label: "B" },
      ],
    }));

  it("has 50 questions with ids of 40 characters, and is answered", async () => {
    const { open, panelist, results } = await createScene();
    const robin = await panelist();
    const { id } = await open({ questions: questions(50) });
    const answers = Object.fromEntries(questions(50).map((each) => [each.id, "a"]));
    expect((await answer(robin, id, answers)).answers).toEqual(answers);
    expect((await results(id)).questions.map(({ answered }) => answered)).toEqual(Array(50).fill(1));
  });

  it("has 30 options", async () => {
    const { open, panelist, results } = await createScene();
    const robin = await panelist();
    const { id } = await open({ questions: [choice({ kind: "choices", options: many(30) })] });
    await answer(robin, id, { c: many(30).map((each) => each.id) });
    expect((await results(id)).questions[0]?.options?.map(({ count }) => count)).toEqual(Array(30).fill(1));
  });

  it("is one of 20 that are open in an idea bank; the 21st is 409, and opens when one is closed", async () => {
    const { open, create, patch, close, read, panelist } = await createScene();
    const opened: string[] = [];
    for (let count = 0; count < 20; count++) opened.push((await open({ questions: SCALE })).id);
    const { id } = await create({ questions: SCALE });
    const refused = await refusal(await patch(id, { status: "OPEN" }));
    expect([refused.status, refused.error], refused.text).toEqual([409, "conflict"]);
    expect((await read(id)).status).toBe("DRAFT");
    expect(await offered(await panelist())).toHaveLength(20);
    await close(opened[3] ?? "");
    expect((await patch(id, { status: "OPEN" })).status).toBe(200);
  });

  it("20 hold also when 30 are opened at once", async () => {
    const { create, patch, panelist } = await createScene();
    const drafts: string[] = [];
    for (let count = 0; count < 30; count++) drafts.push((await create({ questions: SCALE })).id);
    const statuses = await Promise.all(drafts.map(async (id) => (await patch(id, { status: "OPEN" })).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 409)).toHaveLength(10);
    expect(await offered(await panelist())).toHaveLength(20);
  });
});

describe("for a panelist", () => {
  it("the list has exactly what the promise names", async () => {
    const { open, panelist } = await createScene();
    const robin = await panelist();
    const { id } = await open({ description: "About rides", closesAt: "2099-12-12T17:00:00.000Z" });
    const item = {
      id,
      title: "Rides",
      description: "About rides",
      questions: 4,
      anonymous: false,
      closesAt: "2099-12-12T17:00:00.000Z",
    };
    expect(await offered(robin)).toEqual([{ ...item, answered: false }]);
    await answer(robin, id, { recommend: 9 });
    expect(await offered(robin)).toEqual([{ ...item, answered: true }]);
    expect(await offered(await panelist())).toEqual([{ ...item, answered: false }]);
  });

  it("one survey has its questions and the own response, and nothing of the team's", async () => {
    const { open, panelist, propose } = await createScene();
    const [robin, kim] = [await panelist(), await panelist()];
    const votersOf = await propose();
    for (const { send } of [robin, kim]) await send("PUT", `/ideabank/proposals/${votersOf}/vote`);
    const { id } = await open({ externalId: "secret-id", audience: { votersOf }, thanks: "Thank you!" });
    const before = await own(robin, id);
    expect(before).toMatchObject({ id, title: "Rides", thanks: "Thank you!", response: null });
    expect(before.questions).toMatchObject(DESIGNED);
    const stored = await answer(robin, id, { recommend: 9 });
    expect(await own(robin, id)).toEqual({ ...before, response: stored });
    expect(await own(kim, id)).toEqual(before);
    for (const name of ["externalId", "responses", "audience", "ideaBankId", "createdAt", "updatedAt"])
      expect(before, name).not.toHaveProperty(name);
    expect(JSON.stringify([before, await offered(robin)])).not.toContain("secret-id");
  });
});

it("texts are texts: what is sent comes back, on POST and on PATCH alike, markup included", async () => {
  const { create, patch, read, bank } = await createScene();
  const html = '<img src=x onerror="alert(1)"> & **bold**';
  const { id } = await create({ description: html, thanks: html, questions: [text({ title: html, help: html })] });
  const seen = await read(id);
  expect([seen.description, seen.thanks, seen.questions[0]?.title, seen.questions[0]?.help]).toEqual(
    Array(4).fill(html),
  );
  await patch(id, { questions: [text({ title: `${html}!`, help: html })] });
  expect((await read(id)).questions[0]?.title).toBe(`${html}!`);
  expect(bank.id).toHaveLength(12);
  await addProposal(bank);
});

describe("the scopes", () => {
  it("surveys:read reads, surveys:write writes, and neither does the other", async () => {
    const { open, bank, panelist, propose } = await createScene();
    await propose();
    const robin = await panelist();
    const { id } = await open();
    await answer(robin, id, { recommend: 3, why: "x" });
    const path = `${TENANT_SURVEYS}/${id}`;
    const reads = [
      TENANT_SURVEYS,
      path,
      `${path}/results`,
      `${path}/responses`,
      `${path}/texts?question=why`,
      `${path}/responses.csv`,
    ];
    const writes = [
      ["POST", TENANT_SURVEYS, { title: "T" }],
      ["PATCH", path, { title: "T" }],
      ["POST", `${path}/copy`, undefined],
      ["PUT", `${path}/responses/by-external-id/${robin.externalId}`, { answers: { recommend: 1 } }],
      ["DELETE", `${path}/responses/by-external-id/${robin.externalId}`, undefined],
      ["DELETE", path, undefined],
    ] as const;
    const { accountId } = bank;
    const [none, reader, writer] = [
      await createTenant({
        accountId,
        scopes: ["ideabanks:read", "ideabanks:write", "panelists:read", "panelists:write"],
      }),
      await createTenant({ accountId, scopes: ["surveys:read", "panelists:read", "panelists:write"] }),
      await createTenant({ accountId, scopes: ["surveys:write", "panelists:read", "panelists:write"] }),
    ];
    for (const read of reads) {
      expect((await reader.send("GET", read)).status, read).toBe(200);
      for (const key of [none, writer]) expect((await key.send("GET", read)).status, read).toBe(403);
    }
    for (const [method, at, body] of writes) {
      for (const key of [none, reader]) expect((await key.send(method, at, body)).status, `${method} ${at}`).toBe(403);
      const { status } = await writer.send(method, at, body);
      expect(status, `${method} ${at}`).toBeLessThan(300);
    }
  });
});
