/** Only whole answers are stored, and what was not shown was not answered. */
import { describe, expect, it } from "vitest";
import { dumpDatabases } from "../support/tenant.ts";
import { type Answers, expectTotals, type Question } from "./recount.ts";
import { answer, createScene, DESIGNED, own, put, refusal, responseOf } from "./scene.ts";

const REQUIRED: Question[] = DESIGNED.map((question) => ({ ...question, required: true }));

async function openScene(fields: object = {}) {
  const scene = await createScene();
  const robin = await scene.panelist();
  const { id } = await scene.open({ ...fields });
  return { ...scene, robin, id };
}

describe("an answer that is not whole or not right is 400 by the question's id, and every answer is as it was", () => {
  const wrong: [what: string, question: string, answers: unknown][] = [
    ["a required question left out", "recommend", { next: "dark" }],
    ["nothing at all", "recommend", {}],
    ["a point above", "recommend", { recommend: 11 }],
    ["a point below", "recommend", { recommend: -1 }],
    ["half a point", "recommend", { recommend: 2.5 }],
    ["a point as text", "recommend", { recommend: "9" }],
    ["a list for a scale", "recommend", { recommend: [9] }],
    ["an option that is not there", "next", { recommend: 9, next: "zzz" }],
    ["an option by its label", "next", { recommend: 9, next: "Dark mode" }],
    ["an option of another question", "next", { recommend: 9, next: "map" }],
    ["two for a choice", "next", { recommend: 9, next: ["dark", "night"] }],
    ["a number for a choice", "next", { recommend: 9, next: 1 }],
    ["another answer of 201", "next", { recommend: 9, next: { other: "x".repeat(201) } }],
    ["something besides the other answer", "next", { recommend: 9, next: { other: "x", id: "dark" } }],
    ["one more than at most", "uses", { recommend: 9, uses: ["map", "tickets", "alerts", "lost"] }],
    ["an option of several that is not there", "uses", { recommend: 9, uses: ["map", "zzz"] }],
    ["another answer where none is asked for", "uses", { recommend: 9, uses: ["map", { other: "x" }] }],
    ["a single one for several", "uses", { recommend: 9, uses: "map" }],
    ["a text of 5,001", "why", { recommend: 3, why: "x".repeat(5_001) }],
    ["a number for a text", "why", { recommend: 3, why: 3 }],
  ];
  it.each(wrong)("%s: answers.%s", async (_, question, answers) => {
    const { robin, id, responses, results } = await openScene();
    const refused = await refusal(await put(robin, id, answers));
    expect([refused.status, refused.error], refused.text).toEqual([400, "invalid-request"]);
    expect(
      refused.paths.some((path) => path === `answers.${question}` || path.startsWith(`answers.${question}.`)),
      refused.text,
    ).toBe(true);
    expect(await responses(id)).toEqual([]);
    const before = await answer(robin, id, { recommend: 3, why: "Trains", next: "dark", uses: ["map"] });
    const counted = await results(id);
    expect((await put(robin, id, answers)).status).toBe(400);
    expect((await own(robin, id)).response).toEqual(before);
    expect(await results(id)).toEqual(counted);
  });

  it("each required question that is shown is named, and none that is hidden", async () => {
    const { robin, id } = await openScene({ questions: REQUIRED });
    expect((await refusal(await put(robin, id, { recommend: 9 }))).paths.toSorted()).toEqual([
      "answers.next",
      "answers.uses",
    ]);
    expect((await refusal(await put(robin, id, { recommend: 3 }))).paths.toSorted()).toEqual([
      "answers.next",
      "answers.uses",
      "answers.why",
    ]);
  });

  it("an empty list, an empty text and an empty other answer are no answer to a required question", async () => {
    const { robin, id } = await openScene({ questions: REQUIRED });
    const whole = { recommend: 3, why: "Trains", next: "dark", uses: ["map"] };
    for (const [question, value] of [
      ["uses", []],
      ["why", ""],
      ["next", { other: "" }],
    ] as const) {
      const refused = await refusal(await put(robin, id, { ...whole, [question]: value }));
      expect([refused.status, refused.paths[0]?.startsWith(`answers.${question}`)], refused.text).toEqual([400, true]);
    }
    expect((await put(robin, id, whole)).status).toBe(200);
  });

  it.each([
    ["no body", undefined],
    ["a text that is not JSON", "not JSON"],
    ["no answers", {}],
    ["answers as a list", { answers: [] }],
    ["answers as a text", { answers: "recommend" }],
    ["answers as null", { answers: null }],
    ["somebody's id", { answers: { recommend: 9 }, panelistId: "000000000000" }],
    ["a time", { answers: { recommend: 9 }, createdAt: "2020-01-01T00:00:00.000Z" }],
  ])("%s is refused", async (_, body) => {
    const { robin, id, responses } = await openScene();
    const refused = await robin.send("PUT", responseOf(id), body);
    expect([400, 415]).toContain(refused.status);
    expect(await responses(id)).toEqual([]);
  });

  it("a response of more than 32 KiB is refused, one a little below is stored", async () => {
    const questions = Array.from({ length: 8 }, (_, at) => ({ id: `t${at}`, kind: "text", title: "T", long: true }));
    const { robin, id, responses } = await openScene({ questions });
    const filled = (count: number, length = 5_000) =>
      Object.fromEntries(questions.slice(0, count).map((each) => [each.id, "x".repeat(length)]));
    const refused = await put(robin, id, filled(7));
    expect([400, 413]).toContain(refused.status);
    expect(await responses(id)).toEqual([]);
    await answer(robin, id, filled(6));
    // Bytes, not characters.
    const wide = Object.fromEntries(questions.slice(0, 4).map((each) => [each.id, "\u3042".repeat(4_000)]));
    expect([400, 413]).toContain((await put(robin, id, wide)).status);
  });

  it("names as strange as `__proto__` are neither a question nor a fault of the service", async () => {
    const { robin, id, responses } = await openScene();
    for (const text of [
      '{"answers": {"recommend": 9, "__proto__": {"next": "dark"}}}',
      '{"answers": {"recommend": 9, "constructor": "dark", "toString": 1}}',
      '{"answers": {"recommend": 9, "unknown": "x"}}',
    ]) {
      const { status } = await robin.send("PUT", responseOf(id), text);
      expect([200, 400]).toContain(status);
      for (const { answers } of await responses(id)) expect(answers).toEqual({ recommend: 9 });
    }
  });
});

describe("the largest answers", () => {
  it("are a text of 5,000 characters, another answer of 200, and emoji count as characters", async () => {
    const { robin, id, texts } = await openScene();
    const why = "\u{1f600}".repeat(2_500) + "x".repeat(2_500);
    const answers = { recommend: 0, why, next: { other: "x".repeat(200) }, uses: ["map", "tickets", "alerts"] };
    expect((await answer(robin, id, answers)).answers).toEqual(answers);
    expect((await own(robin, id)).response?.answers).toEqual(answers);
    expect((await texts(id, "why"))[0]?.text).toBe(why);
  });
});

describe("0 and no answer differ", () => {
  it("in the totals, in the list, in the mean", async () => {
    const { open, people, results, responses } = await createScene();
    const [one, two, three] = await people(3);
    if (one === undefined || two === undefined || three === undefined) throw new Error("nobody");
    const questions: Question[] = [{ id: "s", kind: "scale", title: "S", from: 0, to: 10, nps: true }];
    const { id } = await open({ questions });
    expectTotals(await results(id), questions, []);
    await answer(one, id, {});
    expectTotals(await results(id), questions, [{}]);
    await answer(two, id, { s: 0 });
    expectTotals(await results(id), questions, [{}, { s: 0 }]);
    expect((await results(id)).questions[0]).toMatchObject({ mean: 0, answered: 1, skipped: 1, nps: { score: -100 } });
    await answer(three, id, { s: 10 });
    expect((await results(id)).questions[0]).toMatchObject({ mean: 5, answered: 2, skipped: 1, nps: { score: 0 } });
    expect((await responses(id)).find(({ panelistId }) => panelistId === one.id)?.answers).toEqual({});
  });
});

/** Three that hang on each other, and one that hangs on the last. */
const CHAIN: Question[] = [
  {
    id: "a",
    kind: "choice",
    title: "A",
    options: [
      { id: "yes", label: "Yes" },
      { id: "no", label: "No" },
    ],
  },
  {
    id: "b",
    kind: "choices",
    title: "B",
    required: true,
    showIf: { question: "a", anyOf: ["yes"] },
    options: [
      { id: "x", label: "X" },
      { id: "y", label: "Y" },
    ],
  },
  { id: "c", kind: "scale", title: "C", from: 0, to: 3, required: true, showIf: { question: "b", anyOf: ["x"] } },
  { id: "d", kind: "text", title: "D", required: true, showIf: { question: "c", anyOf: [0] } },
];

describe("a chain of conditions", () => {
  const cases: [sent: Answers, stored: Answers][] = [
    [{}, {}],
    [{ b: ["x"], c: 0, d: "x" }, {}],
    [{ a: "no", b: ["x"], c: 0, d: "x" }, { a: "no" }],
    [{ a: "no", d: "x" }, { a: "no" }],
    [
      { a: "yes", b: ["y"], c: 0, d: "x" },
      { a: "yes", b: ["y"] },
    ],
    [
      { a: "yes", b: ["x", "y"], c: 1, d: "x" },
      { a: "yes", b: ["x", "y"], c: 1 },
    ],
    [
      { a: "yes", b: ["x"], c: 0, d: "x" },
      { a: "yes", b: ["x"], c: 0, d: "x" },
    ],
  ];
  it.each(cases)("%j is stored as %j", async (sent, stored) => {
    const { robin, id, responses, results } = await openScene({ questions: CHAIN });
    expect((await answer(robin, id, sent)).answers).toEqual(stored);
    expect((await own(robin, id)).response?.answers).toEqual(stored);
    expect((await responses(id)).map(({ answers }) => answers)).toEqual([stored]);
    expectTotals(await results(id), CHAIN, [stored]);
  });

  it.each([
    [{ a: "yes" }, ["answers.b"]],
    [{ a: "yes", b: [], c: 0, d: "x" }, ["answers.b"]],
    [{ a: "yes", b: ["x"], d: "x" }, ["answers.c"]],
    [{ a: "yes", b: ["x"], c: 0 }, ["answers.d"]],
  ])("%j is refused for %j", async (sent, paths) => {
    const { robin, id } = await openScene({ questions: CHAIN });
    const refused = await refusal(await put(robin, id, sent));
    expect([refused.status, refused.paths], refused.text).toEqual([400, paths]);
  });

  it("is shown and hidden by later answers of the same person, and the totals follow", async () => {
    const { robin, id, results, texts } = await openScene({ questions: CHAIN });
    for (const [sent, stored] of [...cases, ...cases.toReversed()]) {
      await answer(robin, id, sent);
      expectTotals(await results(id), CHAIN, [stored], JSON.stringify(sent));
      expect((await texts(id, "d")).map(({ text }) => text)).toEqual("d" in stored ? [stored.d] : []);
    }
  });

  it("a hidden answer is nowhere in the databases", async () => {
    const { robin, id } = await openScene({ questions: CHAIN });
    const secret = "hidden-text-that-nobody-should-store";
    await answer(robin, id, { a: "no", d: secret });
    expect(JSON.stringify(await dumpDatabases())).not.toContain(secret);
  });

  it("a hidden answer that would be wrong does not matter", async () => {
    const { robin, id } = await openScene({ questions: CHAIN });
    const given = await put(robin, id, { a: "no", c: 99, b: ["zzz"] });
    expect([given.status, (await given.json<{ answers: Answers }>()).answers]).toEqual([200, { a: "no" }]);
  });
});

describe("an other answer", () => {
  it("is a choice: options and other add up to those who answered", async () => {
    const { open, people, results } = await createScene();
    const everybody = await people(6);
    const { id } = await open();
    const given = ["dark", "night", { other: "Later trains" }, { other: "Later trains" }, "dark", undefined];
    const answers = given.map((next) => ({ recommend: 9, ...(next !== undefined && { next }) }));
    for (const [at, person] of everybody.entries()) await answer(person, id, answers[at] ?? {});
    expectTotals(await results(id), DESIGNED, answers);
    const [first] = everybody;
    if (first === undefined) throw new Error("nobody");
    await answer(first, id, { recommend: 9, next: { other: "Now another" } });
    await answer(first, id, { recommend: 9, next: "night" });
    expectTotals(await results(id), DESIGNED, [{ recommend: 9, next: "night" }, ...answers.slice(1)]);
  });

  it("of several counts once beside the options, also the first time", async () => {
    const questions: Question[] = [
      {
        id: "u",
        kind: "choices",
        title: "U",
        other: true,
        options: [
          { id: "x", label: "X" },
          { id: "y", label: "Y" },
        ],
      },
    ];
    const { open, panelist, results } = await createScene();
    const [robin, kim] = [await panelist(), await panelist()];
    const { id } = await open({ questions });
    await answer(robin, id, { u: ["x", { other: "Z" }] });
    await answer(kim, id, { u: [{ other: "Q" }] });
    expectTotals(await results(id), questions, [{ u: ["x", { other: "Z" }] }, { u: [{ other: "Q" }] }]);
  });

  it("an option twice in one answer counts at most once", async () => {
    const { robin, id, results } = await openScene();
    const { status } = await put(robin, id, { recommend: 9, uses: ["map", "map"] });
    expect([200, 400]).toContain(status);
    const [count = 0] = ((await results(id)).questions[3]?.options ?? []).map((each) => each.count);
    expect(count).toBeLessThanOrEqual((await results(id)).questions[3]?.answered ?? 0);
  });
});
