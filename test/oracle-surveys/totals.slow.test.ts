/** Totals are what the list says, after every step of random walks, and so are filters. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { runJob } from "../support/job.ts";
import type { Panelist } from "../support/panel.ts";
import { Random } from "../support/random.ts";
import { type Answers, expectTotals, isShown, kept, type Question, withoutEmpty } from "./recount.ts";
import { answer, createScene, put, type Scene, TENANT_SURVEYS, take } from "./scene.ts";

const option = (id: string) => ({ id, label: id.toUpperCase() });
const QUESTIONS: Question[] = [
  { id: "recommend", kind: "scale", title: "R", from: 0, to: 10, nps: true, required: true },
  { id: "why", kind: "text", title: "W", showIf: { question: "recommend", anyOf: [0, 1, 2, 3, 4, 5, 6] } },
  { id: "next", kind: "choice", title: "N", options: ["dark", "night", "map"].map(option), other: true },
  {
    id: "when",
    kind: "choice",
    title: "When",
    options: ["soon", "later"].map(option),
    showIf: { question: "next", anyOf: ["dark", "night"] },
  },
  { id: "how", kind: "text", title: "How", showIf: { question: "when", anyOf: ["soon"] } },
  { id: "uses", kind: "choices", title: "U", options: ["a", "b", "c", "d", "e"].map(option), atMost: 3 },
  { id: "stars", kind: "scale", title: "S", from: 1, to: 5, showIf: { question: "uses", anyOf: ["a", "e"] } },
];

/** With answers to questions that are hidden. */
function randomAnswers(random: Random): Answers {
  const answers: Answers = { recommend: random.below(11) };
  const pick = <Value>(values: readonly Value[]): Value => values[random.below(values.length)] as Value;
  if (random.below(2) === 0) answers.why = `why ${random.below(1_000)}`;
  if (random.below(4) > 0) answers.next = pick(["dark", "night", "map", { other: `other ${random.below(9)}` }]);
  if (random.below(3) > 0) answers.when = pick(["soon", "later"]);
  if (random.below(2) === 0) answers.how = pick(["", "by bus", "by train"]);
  if (random.below(4) > 0) answers.uses = ["a", "b", "c", "d", "e"].filter(() => random.below(3) === 0).slice(0, 3);
  if (random.below(3) > 0) answers.stars = 1 + random.below(5);
  return answers;
}

type Model = Map<string, Answers>;

async function compare({ results, responses, read, texts }: Scene, id: string, model: Model, why: string) {
  const listed = await responses(id);
  const seen = Object.fromEntries(listed.map(({ panelistId, answers }) => [panelistId, withoutEmpty(answers)]));
  expect(seen, why).toEqual(Object.fromEntries(model));
  expect(listed, why).toHaveLength(model.size);
  const counted = await results(id);
  expect(counted.responses, why).toBe(model.size);
  expect((await read(id)).responses, why).toBe(model.size);
  expectTotals(counted, QUESTIONS, [...model.values()], why);
  for (const question of ["why", "how"]) {
    const written = [...model].flatMap(([panelistId, answers]) =>
      answers[question] === undefined ? [] : [{ panelistId, text: answers[question] }],
    );
    const shown = (await texts(id, question)).map(({ panelistId, text }) => ({ panelistId, text }));
    const sorted = (items: object[]) => items.map((each) => JSON.stringify(each)).toSorted();
    expect(sorted(shown), why).toEqual(sorted(written));
  }
}

async function compareFilters({ results, responses }: Scene, id: string, model: Model) {
  const filters = QUESTIONS.flatMap<readonly [string, string | number]>(
    ({ id: question, options = [], from, to, kind }) =>
      kind === "scale"
        ? Array.from({ length: (to ?? 0) - (from ?? 0) + 1 }, (_, at) => [question, at + (from ?? 0)] as const)
        : options.map((each) => [question, each.id] as const),
  );
  for (const [question, value] of filters) {
    const inside = [...model].filter(([, answers]) => [answers[question]].flat().some((each) => each === value));
    const query = `?question=${question}&answer=${value}`;
    const filtered = await results(id, query);
    expect([filtered.responses, filtered.complete], query).toEqual([inside.length, true]);
    expectTotals(
      filtered,
      QUESTIONS,
      inside.map(([, answers]) => answers),
      query,
    );
    const listed = await responses(id, query);
    expect(listed.map(({ panelistId }) => panelistId).toSorted(), query).toEqual(
      inside.map(([panelistId]) => panelistId).toSorted(),
    );
  }
}

it.each([1, 2, 3, 4])("a random walk with the seed %d", async (seed) => {
  const random = new Random(seed * 7_919);
  const scene = await createScene();
  const { panelist, open, change, tenant, patch } = scene;
  const { id } = await open({ questions: QUESTIONS });
  const other = await open({ questions: QUESTIONS, title: "Another in the same idea bank" });
  const people: Panelist[] = await scene.people(10);
  const model: Model = new Map();
  let isOpen = true;
  for (let step = 0; step < 90; step++) {
    const at = random.below(people.length);
    const person = people[at];
    if (person === undefined) throw new Error("nobody");
    const what = random.below(20);
    const answers = randomAnswers(random);
    const path = `${TENANT_SURVEYS}/${id}/responses/by-external-id/${person.externalId}`;
    const why = `seed ${seed}, step ${step}, act ${what}, ${JSON.stringify(answers)}`;
    if (what < 9) {
      const { status } = await put(person, id, answers);
      expect(status, why).toBe(isOpen ? 200 : 404);
      if (isOpen) model.set(person.id, withoutEmpty(kept(QUESTIONS, answers)));
    } else if (what < 11) {
      const { status } = await take(person, id);
      if (model.has(person.id)) expect(status, why).toBe(204);
      model.delete(person.id);
    } else if (what === 11) {
      expect((await tenant.send("DELETE", `/tenant/panelists/${person.id}`)).status, why).toBe(204);
      await runJob(env);
      model.delete(person.id);
      people[at] = await panelist();
    } else if (what === 12) {
      await change(id, { status: isOpen ? "CLOSED" : "OPEN" });
      isOpen = !isOpen;
    } else if (what === 13) {
      await put(person, id, { ...answers, recommend: 11 });
    } else if (what === 14) {
      await put(person, id, answers, { "If-Match": '"never"' });
      const stored = model.get(person.id);
      if (isOpen && stored !== undefined) expect((await put(person, id, stored)).status, why).toBe(200);
    } else if (what < 17) {
      const { status } = await tenant.send("PUT", path, { answers });
      if (status < 300) model.set(person.id, withoutEmpty(kept(QUESTIONS, answers)));
      if (isOpen) expect(status, why).toBeLessThan(300);
    } else if (what === 17) {
      const { status } = await tenant.send("DELETE", path);
      if (model.has(person.id)) expect(status, why).toBe(204);
      if (status === 204) model.delete(person.id);
    } else if (what === 18) {
      await put(person, other.id, answers);
    } else {
      await patch(id, { title: `Title ${step}`, editable: true });
    }
    await compare(scene, id, model, why);
  }
  if (!isOpen) await change(id, { status: "OPEN" });
  await compareFilters(scene, id, model);
  for (const person of people) await take(person, id);
  await compare(scene, id, new Map(), "all taken back");
});

it("half of a filter is refused, or is the same half everywhere", async () => {
  const { open, tenant, people } = await createScene();
  const { id } = await open({ questions: QUESTIONS });
  const [one, two] = await people(2);
  if (one === undefined || two === undefined) throw new Error("nobody");
  await answer(one, id, { recommend: 9 });
  await answer(two, id, { recommend: 9, next: "dark" });
  for (const query of ["?question=next", "?answer=dark"]) {
    const results = await tenant.send("GET", `${TENANT_SURVEYS}/${id}/results${query}`);
    const list = await tenant.send("GET", `${TENANT_SURVEYS}/${id}/responses${query}`);
    expect(results.status, query).toBe(list.status);
    if (results.status === 400) continue;
    const { responses } = await results.json<{ responses: number }>();
    expect((await list.json<{ items: unknown[] }>()).items, query).toHaveLength(responses);
  }
});

it("a filter that names no question or no answer is 400 by its name", async () => {
  const { open, tenant } = await createScene();
  const { id } = await open({ questions: QUESTIONS });
  for (const below of ["results", "responses"])
    for (const [query, path] of [
      ["?question=zzz&answer=1", "question"],
      ["?question=next&answer=zzz", "answer"],
      ["?question=recommend&answer=11", "answer"],
      ["?question=why&answer=x", "answer"],
    ] as const) {
      const refused = await tenant.send("GET", `${TENANT_SURVEYS}/${id}/${below}${query}`);
      const { errors = [] } = await refused.json<{ errors?: { path: string }[] }>();
      expect([refused.status, errors[0]?.path], below + query).toEqual([400, path]);
    }
});

it("of more than a page, the list has everybody once, and the totals count them all", async () => {
  const { open, people, responses, results, ask, texts } = await createScene();
  const everybody = await people(130);
  const { id } = await open({ questions: QUESTIONS });
  const random = new Random(11);
  const model: Model = new Map();
  for (const person of everybody) {
    const answers = randomAnswers(random);
    await answer(person, id, answers);
    model.set(person.id, withoutEmpty(kept(QUESTIONS, answers)));
  }
  const listed = await responses(id);
  expect(new Set(listed.map(({ panelistId }) => panelistId)).size).toBe(130);
  expectTotals(await results(id), QUESTIONS, [...model.values()]);
  const small = await ask<{ items: unknown[]; nextCursor?: string }>("GET", `${TENANT_SURVEYS}/${id}/responses`);
  expect([small.items.length, typeof small.nextCursor]).toEqual([20, "string"]);
  const written = [...model.values()].filter((answers) => answers.why !== undefined);
  const shown = await texts(id, "why");
  expect(shown).toHaveLength(written.length);
  const times = shown.map(({ createdAt = "" }) => createdAt);
  expect(times).toEqual(times.toSorted().toReversed());
  expect(QUESTIONS.every((question) => isShown(question, QUESTIONS, {}) || question.showIf)).toBe(true);
});
