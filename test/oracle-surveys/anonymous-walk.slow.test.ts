/** Random walks over an anonymous survey: what is seen moves only by five people or more, and is then what they said. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { runJob } from "../support/job.ts";
import type { Panelist } from "../support/panel.ts";
import { Random } from "../support/random.ts";
import { type Answers, expectTotals, kept, type Question, withoutEmpty } from "./recount.ts";
import { createScene, inFuture, put, type Scene, TENANT_SURVEYS, take } from "./scene.ts";

const QUESTIONS: Question[] = [
  { id: "s", kind: "scale", title: "S", from: 0, to: 10, nps: true, required: true },
  { id: "t", kind: "text", title: "T", showIf: { question: "s", anyOf: [0, 1, 2, 3, 4] } },
  { id: "c", kind: "choices", title: "C", options: ["x", "y", "z"].map((id) => ({ id, label: id })) },
];

/** What a key reads of the survey: the same text as long as nothing is to be seen. */
async function seen({ tenant }: Scene, id: string): Promise<string> {
  const path = `${TENANT_SURVEYS}/${id}`;
  const survey = await tenant.send("GET", path);
  const results = await tenant.send("GET", `${path}/results`);
  const texts = await (await tenant.send("GET", `${path}/texts?question=t&limit=100`)).json<{ items: object[] }>();
  const list = await tenant.send("GET", TENANT_SURVEYS);
  const changes = await (await tenant.send("GET", "/tenant/changes?limit=100&after=")).text();
  expect(changes).toBeTypeOf("string");
  return JSON.stringify([
    survey.headers.get("ETag"),
    await survey.text(),
    results.headers.get("ETag"),
    await results.text(),
    texts.items.map((item) => JSON.stringify(item)).toSorted(),
    await list.text(),
  ]);
}

async function told({ changes }: Scene): Promise<number> {
  return (await changes()).filter(({ type }) => type.startsWith("survey")).length;
}

function randomAnswers(random: Random): Answers {
  return {
    s: random.below(11),
    ...(random.below(2) === 0 && { t: `text ${random.below(1_000_000)}` }),
    ...(random.below(2) === 0 && { c: ["x", "y", "z"].filter(() => random.below(2) === 0) }),
  };
}

/** Between two states, the people whose answers are not the same. */
const changedPeople = (before: Map<string, Answers>, now: Map<string, Answers>): number =>
  [...new Set([...before.keys(), ...now.keys()])].filter(
    (person) => JSON.stringify(before.get(person)) !== JSON.stringify(now.get(person)),
  ).length;

/** In odd ones no person is deleted. */
it.each([1, 2, 3, 4, 5, 6, 7, 8])("a random walk with the seed %d", async (seed) => {
  const random = new Random(seed * 104_729);
  const scene = await createScene();
  const { panelist, open, tenant, results, texts, close, read } = scene;
  const { id } = await open({ questions: QUESTIONS, anonymous: true });
  const people: Panelist[] = await scene.people(8 + 2 * (seed % 3));
  const model = new Map<string, Answers>();
  let atStep = new Map<string, Answers>();
  let acted = new Set<string>();
  let [before, toldBefore] = [await seen(scene, id), await told(scene)];
  for (let step = 0; step < 70; step++) {
    const at = random.below(people.length);
    const person = people[at];
    if (person === undefined) throw new Error("nobody");
    const what = random.below(20);
    const answers = randomAnswers(random);
    const why = `seed ${seed}, step ${step}, act ${what} of person ${at}`;
    if (what < 12) {
      expect((await put(person, id, answers)).status, why).toBe(200);
      model.set(person.id, withoutEmpty(kept(QUESTIONS, answers)));
      acted.add(person.id);
    } else if (what < 16) {
      const { status } = await take(person, id);
      if (model.has(person.id)) expect(status, why).toBe(204);
      if (model.delete(person.id)) acted.add(person.id);
    } else if (what < 18 && seed % 2 === 0) {
      await tenant.send("DELETE", `/tenant/panelists/${person.id}`);
      await runJob(env);
      if (model.delete(person.id)) acted.add(person.id);
      people[at] = await panelist();
    } else if (what < 19) {
      await runJob(env);
    } else {
      expect((await put(person, id, { ...answers, s: 11 })).status, why).toBe(400);
    }
    const [now, toldNow] = [await seen(scene, id), await told(scene)];
    const newPeople = [...model.keys()].filter((each) => !atStep.has(each)).length;
    const title = `${why}: ${acted.size} acted, ${newPeople} new, ${changedPeople(atStep, model)} changed`;
    if (now === before) {
      expect(toldNow, title).toBe(toldBefore);
      expect(newPeople, `${title}; it should have moved`).toBeLessThan(5);
      continue;
    }
    expect(acted.size, `${title}; it moved`).toBeGreaterThanOrEqual(5);
    expect(changedPeople(atStep, model), `${title}; what moved is of fewer than five`).toBeGreaterThanOrEqual(5);
    expect(toldNow, title).toBe(toldBefore + 1);
    const counted = await results(id);
    expect([counted.responses, counted.shown], title).toEqual([model.size, model.size]);
    expectTotals(counted, QUESTIONS, [...model.values()], title);
    const written = [...model.values()].flatMap(({ t }) => (t === undefined ? [] : [t]));
    expect((await texts(id, "t")).map(({ text }) => text).toSorted(), title).toEqual(written.toSorted());
    [atStep, acted, before, toldBefore] = [new Map(model), new Set(), now, toldNow];
  }
  const { questions } = await results(id);
  await close(id);
  const closed = await results(id);
  expect(closed.responses).toBe(model.size);
  if (acted.size < 5 || changedPeople(atStep, model) < 5) expect(closed.questions).toEqual(questions);
  for (const person of people) await take(person, id);
  await runJob(env);
  expect(await results(id)).toEqual(closed);
  expect((await read(id)).responses).toBe(closed.responses);
});

it.each([11, 12])("answers at once and a close among them: the seed %d", async (seed) => {
  const random = new Random(seed);
  for (let round = 0; round < 4; round++) {
    const scene = await createScene();
    const count = 6 + random.below(12);
    const people = await scene.people(count);
    const { id } = await scene.open({ questions: QUESTIONS, anonymous: true, closesAt: inFuture(600_000) });
    const given = people.map((person) => ({ person, answers: { s: random.below(11), c: ["x"] } }));
    const outcomes = await Promise.all([
      ...given.map(({ person, answers }) => put(person, id, answers)),
      (async () => {
        for (let times = 0; times < random.below(6); times++) await scene.read(id);
        return scene.patch(id, { status: "CLOSED" });
      })(),
    ]);
    const taken = given.filter((_, at) => outcomes[at]?.status === 200);
    const { responses, shown = -1, questions } = await scene.results(id);
    expect(responses).toBe(taken.length);
    expect(shown % 5).toBe(0);
    expect(responses - shown).toBeLessThan(5);
    for (const { answered, skipped, notShown } of questions) expect(answered + skipped + notShown).toBe(shown);
  }
});

it.each([21, 22, 23])("what comes at once is counted as what comes one after the other: the seed %d", async (seed) => {
  const random = new Random(seed * 31);
  const scene = await createScene();
  const { open, results, tenant, texts } = scene;
  const { id } = await open({ questions: QUESTIONS, anonymous: true });
  const people = await scene.people(24);
  const model = new Map<string, Answers>();
  for (let round = 0; round < 5; round++) {
    const acts = people
      .slice(0, 14)
      .map((person) => ({ person, what: random.below(10), answers: randomAnswers(random) }));
    await Promise.all(
      acts.map(async ({ person, what, answers }) => {
        if (what < 7) {
          if ((await put(person, id, answers)).status === 200)
            model.set(person.id, withoutEmpty(kept(QUESTIONS, answers)));
        } else if (what < 9) {
          await take(person, id);
          model.delete(person.id);
        } else {
          await tenant.send("DELETE", `/tenant/panelists/${person.id}`);
          model.delete(person.id);
        }
      }),
    );
    await runJob(env);
    const { shown = -1, responses, questions } = await results(id);
    expect(responses, `round ${round}`).toBe(shown);
    for (const { answered, skipped, notShown } of questions) expect(answered + skipped + notShown).toBe(shown);
  }
  // Five more, one after the other, and everything is seen.
  const told = JSON.stringify(await results(id));
  for (const person of people.slice(14)) {
    const answers = randomAnswers(random);
    expect((await put(person, id, answers)).status).toBe(200);
    model.set(person.id, withoutEmpty(kept(QUESTIONS, answers)));
    if (JSON.stringify(await results(id)) === told) continue;
    const now = await results(id);
    expect([now.responses, now.shown]).toEqual([model.size, model.size]);
    expectTotals(now, QUESTIONS, [...model.values()]);
    const written = [...model.values()].flatMap(({ t }) => (t === undefined ? [] : [t]));
    expect((await texts(id, "t")).map(({ text }) => text).toSorted()).toEqual(written.toSorted());
    return;
  }
  throw new Error("ten new people made no step");
});
