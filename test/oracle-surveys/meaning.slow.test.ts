/** What an answer means is fixed once the survey has been open; everything else is not. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createIsolate } from "../support/isolate.ts";
import { withoutLimits } from "../support/limits.ts";
import type { Question } from "./recount.ts";
import { answer, createScene, DESIGNED, refusal, SCALE } from "./scene.ts";

/** The designed questions, with the nth changed. */
const having = (at: number, change: object): unknown[] =>
  DESIGNED.map((question, index) => (index === at ? { ...question, ...change } : question));

const OTHER_TEXT: Question = { id: "more", kind: "text", title: "Anything else?" };
const [RECOMMEND, WHY, NEXT, USES] = DESIGNED;

/** `n` is that of the question that the refusal names. */
const CHANGES_OF_MEANING: [what: string, n: number, questions: unknown[]][] = [
  ["the last question removed", 3, DESIGNED.slice(0, 3)],
  ["an option removed", 3, having(3, { options: USES?.options?.slice(0, 3) })],
  [
    "an option replaced by another",
    2,
    having(2, {
      options: [
        { id: "dark", label: "Dark mode" },
        { id: "bright", label: "Night buses" },
      ],
    }),
  ],
  ["another kind", 2, having(2, { kind: "choices" })],
  ["a scale that ends elsewhere", 0, having(0, { to: 9, nps: false })],
  ["another atMost", 3, having(3, { atMost: 2 })],
  ["a larger atMost", 3, having(3, { atMost: 4 })],
  ["another atLeast", 3, having(3, { atLeast: 1 })],
  ["not required any more", 0, having(0, { required: false })],
  ["required from now on", 2, having(2, { required: true })],
  ["another condition", 1, having(1, { showIf: { question: "recommend", anyOf: [0, 1] } })],
  ["no condition any more", 1, having(1, { showIf: null })],
  ["a condition from now on", 2, having(2, { showIf: { question: "recommend", anyOf: [9, 10] } })],
  ["a required question added", 4, [...DESIGNED, { ...OTHER_TEXT, required: true }]],
];

describe.each(["while it is open", "after it was closed"])("%s", (when) => {
  async function openedScene() {
    const scene = await createScene();
    const robin = await scene.panelist();
    const { id } = await scene.open();
    await answer(robin, id, { recommend: 3, why: "Trains", next: "dark", uses: ["map"] });
    if (when === "after it was closed") await scene.close(id);
    return { ...scene, id, robin };
  }

  it.each(CHANGES_OF_MEANING)("%s is 409 that names questions.%d, and nothing changes", async (_, n, questions) => {
    const { id, patch, read, results } = await openedScene();
    const before = [await read(id), await results(id)];
    const refused = await refusal(await patch(id, { questions }));
    expect([refused.status, refused.error], refused.text).toEqual([409, "conflict"]);
    expect(
      refused.paths.map((path) => path.split(".").slice(0, 2).join(".")),
      refused.text,
    ).toContain(`questions.${n}`);
    expect([await read(id), await results(id)]).toEqual(before);
  });

  it("a first question removed, an id that changes, or a question put before others is 409", async () => {
    const { id, patch, read } = await openedScene();
    const before = await read(id);
    for (const questions of [
      DESIGNED.slice(2),
      having(2, { id: "later" }),
      [OTHER_TEXT, ...DESIGNED],
      having(2, { options: [{ id: "new", label: "New" }, ...(NEXT?.options ?? [])] }),
    ]) {
      const refused = await refusal(await patch(id, { questions }));
      expect([refused.status, refused.error], JSON.stringify(questions) + refused.text).toEqual([409, "conflict"]);
    }
    expect(await read(id)).toEqual(before);
  });

  it("the idea bank and whether it is anonymous are fixed", async () => {
    const { id, patch, read, bank } = await openedScene();
    const sister = await createScene({ accountId: bank.accountId });
    const before = await read(id);
    for (const [path, fields] of [
      ["ideaBankId", { ideaBankId: sister.bank.id }],
      ["ideaBankId", { ideaBankId: null }],
      ["anonymous", { anonymous: true }],
    ] as const) {
      const refused = await refusal(await patch(id, fields));
      // Open and without an idea bank is refused in any case: 400.
      const isOpenForNobody = "ideaBankId" in fields && fields.ideaBankId === null && when === "while it is open";
      expect([refused.status, refused.error], refused.text).toEqual(
        isOpenForNobody ? [400, "invalid-request"] : [409, "conflict"],
      );
      expect(refused.text).toContain(path);
    }
    expect(await read(id)).toEqual(before);
  });

  it("every text may be corrected, and moves nothing", async () => {
    const { id, change, results } = await openedScene();
    const before = await results(id);
    const questions = [
      { ...RECOMMEND, title: "Would you tell your friends?", help: "0 to 10", lowLabel: "No", highLabel: "Yes" },
      { ...WHY, title: "What do you miss?" },
      {
        ...NEXT,
        options: [
          { id: "dark", label: "A dark mode" },
          { id: "night", label: "Buses at night" },
        ],
      },
      { ...USES, title: "Which of these do you use?" },
    ];
    const changed = await change(id, { title: "New", description: "New", thanks: "New", questions });
    expect(changed.questions).toMatchObject(questions);
    expect(await results(id)).toEqual(before);
  });

  it("an option and a question that is not required are added at the end", async () => {
    const { id, change, results } = await openedScene();
    const added = having(3, { options: [...(USES?.options ?? []), { id: "shop", label: "The shop" }] });
    const changed = await change(id, { questions: [...added, OTHER_TEXT] });
    expect(changed.questions).toMatchObject([...added, OTHER_TEXT]);
    const { questions, responses } = await results(id);
    expect(questions.map((each) => each.id)).toEqual(["recommend", "why", "next", "uses", "more"]);
    expect(questions[3]?.options).toMatchObject([
      { id: "map", count: 1 },
      { id: "tickets", count: 0 },
      { id: "alerts", count: 0 },
      { id: "lost", count: 0 },
      { id: "shop", count: 0 },
    ]);
    for (const { answered, skipped, notShown } of questions) expect(answered + skipped + notShown).toBe(responses);
  });

  it("what was sent as it is changes nothing, and is no error", async () => {
    const { id, read, change, bank } = await openedScene();
    const seen = await read(id);
    const { questions } = await change(id, { questions: seen.questions, anonymous: false, ideaBankId: bank.id });
    expect(questions).toEqual(seen.questions);
  });
});

it("an option that is added can be chosen from then on, and by those who answered before", async () => {
  const { open, change, results, panelist } = await createScene();
  const [robin, kim] = [await panelist(), await panelist()];
  const { id } = await open();
  await answer(robin, id, { recommend: 9, next: "dark" });
  await change(id, { questions: having(2, { options: [...(NEXT?.options ?? []), { id: "early", label: "Early" }] }) });
  await answer(kim, id, { recommend: 9, next: "early" });
  await answer(robin, id, { recommend: 9, next: "early" });
  expect((await results(id)).questions[2]?.options).toMatchObject([
    { id: "dark", count: 0 },
    { id: "night", count: 0 },
    { id: "early", count: 2 },
  ]);
});

it("a draft that was never open may be changed in every way", async () => {
  const { create, patch, bank } = await createScene();
  const sister = await createScene({ accountId: bank.accountId });
  for (const [what, , questions] of CHANGES_OF_MEANING) {
    const { id } = await create();
    expect((await patch(id, { questions })).status, what).toBe(200);
  }
  const { id } = await create();
  expect((await patch(id, { ideaBankId: sister.bank.id, anonymous: true })).status).toBe(200);
});

it("a scale that begins elsewhere, or is a text from now on, is 409", async () => {
  const { open, patch } = await createScene();
  const { id } = await open({ questions: SCALE });
  for (const change of [{ from: 0 }, { to: 4 }, { kind: "text", from: undefined, to: undefined }]) {
    const questions = SCALE.map((each) => ({ ...each, ...change }));
    const refused = await refusal(await patch(id, { questions }));
    expect([refused.status, refused.error, refused.paths[0]?.slice(0, 11)], refused.text).toEqual([
      409,
      "conflict",
      "questions.0",
    ]);
  }
});

it("the document describes the `errors` of such a conflict", async () => {
  const { open, patch } = await createScene({}, createIsolate(withoutLimits(env)));
  const { id } = await open();
  expect((await patch(id, { questions: DESIGNED.slice(0, 3) })).status).toBe(409);
});

it("a survey that goes back to a draft, where it may, stays fixed", async () => {
  const { open, patch, panelist } = await createScene();
  const robin = await panelist();
  const { id } = await open();
  await answer(robin, id, { recommend: 3 });
  await patch(id, { status: "DRAFT" });
  const refused = await refusal(await patch(id, { questions: DESIGNED.slice(0, 3) }));
  expect([refused.status, refused.error], refused.text).toEqual([409, "conflict"]);
});

it("twenty answers and a change of meaning at once: none of the answers is to another question", async () => {
  const { open, patch, people, responses, results, read } = await createScene();
  const everybody = await people(10);
  const { id } = await open();
  const [refused] = await Promise.all([
    patch(id, { questions: having(0, { to: 6, nps: false }) }),
    ...everybody.map((person) => answer(person, id, { recommend: 10, next: "dark" })),
  ]);
  expect(refused?.status).toBe(409);
  expect((await read(id)).questions).toMatchObject(DESIGNED);
  expect(await responses(id)).toHaveLength(10);
  expect((await results(id)).questions[0]?.mean).toBe(10);
});

it("a draft that is opened while it is changed keeps answers and questions together", async () => {
  const { create, patch, read, people, responses } = await createScene();
  const everybody = await people(5);
  for (let round = 0; round < 5; round++) {
    const { id } = await create();
    await Promise.all([
      patch(id, { status: "OPEN" }),
      patch(id, { questions: having(0, { to: 6, nps: false }) }),
      ...everybody.map(({ send }) => send("PUT", `/surveys/${id}/response`, { answers: { recommend: 9 } })),
    ]);
    const { to = 0 } = (await read(id)).questions[0] ?? {};
    for (const { answers } of await responses(id)) expect(Number(answers.recommend)).toBeLessThanOrEqual(to);
  }
});
