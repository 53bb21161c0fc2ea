/** One response a person: again and again, in two tabs, twenty at once, and at most as many as there may be. */
import { describe, expect, it } from "vitest";
import { dumpDatabases } from "../support/tenant.ts";
import { type Answers, expectTotals, kept, withoutEmpty } from "./recount.ts";
import {
  answer,
  createScene,
  DESIGNED,
  inFuture,
  own,
  put,
  refusal,
  SCALE,
  type Stored,
  sleep,
  take,
} from "./scene.ts";

const FIRST = { recommend: 3, why: "Trains", next: "dark", uses: ["map", "tickets"] };
const SECOND = { recommend: 9, next: { other: "Later" } };

async function openScene(fields: Record<string, unknown> = {}) {
  const scene = await createScene();
  const robin = await scene.panelist("Robin");
  const { id } = await scene.open(fields);
  return { ...scene, robin, id };
}

describe("PUT", () => {
  it("answers with the response, its times and a revision that is its ETag", async () => {
    const { robin, id, responses } = await openScene();
    const begun = Date.now();
    const given = await put(robin, id, FIRST);
    const stored = await given.clone().json<Stored>();
    expect(Object.keys(stored).toSorted()).toEqual(["answers", "createdAt", "revision", "updatedAt"]);
    expect(stored.answers).toEqual(FIRST);
    expect(given.headers.get("ETag")).toBe(`"${stored.revision}"`);
    for (const time of [stored.createdAt, stored.updatedAt]) {
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(Math.abs(Date.parse(time) - begun)).toBeLessThan(60_000);
    }
    expect(await responses(id)).toEqual([
      { panelistId: robin.id, answers: FIRST, createdAt: stored.createdAt, updatedAt: stored.updatedAt },
    ]);
    expect(given.headers.get("Consistency-Token")).toBeTruthy();
  });

  it("of the same answers again changes nothing: no row, no change, no time, whatever headers say", async () => {
    const { robin, id, changes } = await openScene();
    const stored = await answer(robin, id, FIRST);
    const before = [await dumpDatabases(), await changes()];
    await sleep(20);
    const reordered = Object.fromEntries(Object.entries(FIRST).toReversed());
    for (const headers of [
      {},
      { "If-None-Match": "*" },
      { "If-Match": '"zzz"' },
      { "If-Match": `"${stored.revision}"` },
    ])
      for (const answers of [FIRST, reordered]) {
        const again = await put(robin, id, answers, headers as Record<string, string>);
        expect([again.status, await again.json()], JSON.stringify(headers)).toEqual([200, stored]);
      }
    expect([await dumpDatabases(), await changes()]).toEqual(before);
  });

  it("with hidden answers besides is still the same answers", async () => {
    const { robin, id } = await openScene();
    const stored = await answer(robin, id, SECOND);
    const before = await dumpDatabases();
    expect(await answer(robin, id, { ...SECOND, why: "hidden", uses: [] })).toEqual(stored);
    expect(await dumpDatabases()).toEqual(before);
  });

  it("of other answers replaces them whole, keeps createdAt and moves updatedAt and the revision", async () => {
    const { robin, id, responses, results } = await openScene();
    const first = await answer(robin, id, FIRST);
    await sleep(20);
    const second = await answer(robin, id, SECOND);
    expect(second.answers).toEqual(SECOND);
    expect(second.createdAt).toBe(first.createdAt);
    expect(Date.parse(second.updatedAt)).toBeGreaterThan(Date.parse(first.updatedAt));
    expect(second.revision).not.toBe(first.revision);
    expect(await responses(id)).toHaveLength(1);
    expectTotals(await results(id), DESIGNED, [SECOND]);
  });

  it("back to the first answers has a revision of its own, so that a tab from before still learns of it", async () => {
    const { robin, id } = await openScene();
    const first = await answer(robin, id, FIRST);
    await answer(robin, id, SECOND);
    const third = await answer(robin, id, FIRST);
    expect(third.revision).not.toBe(first.revision);
    const late = await put(robin, id, { recommend: 5 }, { "If-Match": `"${first.revision}"` });
    expect(late.status).toBe(412);
  });

  it("after DELETE makes a new response", async () => {
    const { robin, id, responses, results } = await openScene();
    const first = await answer(robin, id, FIRST);
    expect((await take(robin, id)).status).toBe(204);
    expect((await own(robin, id)).response).toBeNull();
    expect(await responses(id)).toEqual([]);
    expectTotals(await results(id), DESIGNED, []);
    const late = await put(robin, id, SECOND, { "If-Match": `"${first.revision}"` });
    expect(late.status).toBe(412);
    expect((await put(robin, id, SECOND, { "If-None-Match": "*" })).status).toBe(200);
    expectTotals(await results(id), DESIGNED, [SECOND]);
  });
});

describe("two tabs", () => {
  it("that were open before the first answer: the second learns that there is one, and nothing is overwritten", async () => {
    const { robin, id } = await openScene();
    const first = await put(robin, id, FIRST, { "If-None-Match": "*" });
    expect(first.status).toBe(200);
    const second = await put(robin, id, SECOND, { "If-None-Match": "*" });
    expect(await refusal(second)).toMatchObject({ status: 412, error: "precondition-failed" });
    const there = await own(robin, id);
    expect(there.response?.answers).toEqual(FIRST);
    const chosen = await put(robin, id, SECOND, { "If-Match": `"${there.response?.revision}"` });
    expect([chosen.status, (await chosen.json<Stored>()).answers]).toEqual([200, SECOND]);
  });

  it("If-Match where there is no response is 412, and stores nothing", async () => {
    const { robin, id, responses } = await openScene();
    for (const tag of ['"1"', '"0"', "*"])
      expect((await put(robin, id, FIRST, { "If-Match": tag })).status, tag).toBe(412);
    expect(await responses(id)).toEqual([]);
  });

  it("the ETag of the GET, if it has one, or the revision in it is what If-Match takes", async () => {
    const { robin, id } = await openScene();
    await answer(robin, id, FIRST);
    const { response } = await own(robin, id);
    expect((await put(robin, id, SECOND, { "If-Match": `"${response?.revision}"` })).status).toBe(200);
  });
});

describe("twenty at once", () => {
  it("of one person, each seen as the first: one is stored, nineteen learn of it", async () => {
    const { robin, id, responses, results } = await openScene();
    const given = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        put(robin, id, { recommend: 9, next: { other: `Tab ${at}` } }, { "If-None-Match": "*" }),
      ),
    );
    expect(given.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(412)]);
    const winner = given.findIndex(({ status }) => status === 200);
    const [listed, ...others] = await responses(id);
    expect(others).toEqual([]);
    expect(listed?.answers).toEqual({ recommend: 9, next: { other: `Tab ${winner}` } });
    expectTotals(await results(id), DESIGNED, [listed?.answers ?? {}]);
  });

  it("of one person with the same revision: one changes it", async () => {
    const { robin, id, responses, results } = await openScene();
    const { revision } = await answer(robin, id, FIRST);
    const given = await Promise.all(
      Array.from({ length: 11 }, (_, at) =>
        put(robin, id, { recommend: at, next: "dark" }, { "If-Match": `"${revision}"` }),
      ),
    );
    expect(given.map(({ status }) => status).toSorted()).toEqual([200, ...Array(10).fill(412)]);
    const [listed] = await responses(id);
    expect(listed?.answers.recommend).toBe(given.findIndex(({ status }) => status === 200));
    expectTotals(await results(id), DESIGNED, [listed?.answers ?? {}]);
  });

  it("of one person without conditions, put and taken back: the totals are what is stored", async () => {
    const { robin, id, responses, results } = await openScene();
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          at % 4 === 3
            ? take(robin, id)
            : put(robin, id, { recommend: at % 11, uses: ["map"], why: "x", next: "night" }),
        ),
      );
      const listed = await responses(id);
      expect(listed.length).toBeLessThanOrEqual(1);
      const { responses: counted } = await results(id);
      expect(counted).toBe(listed.length);
      expectTotals(
        await results(id),
        DESIGNED,
        listed.map(({ answers }) => answers),
      );
    }
  });

  it("of twenty people while the survey is edited and closed: who got 200 is in the list, nobody else, and totals agree", async () => {
    const { people, open, patch, change, responses, results, read } = await createScene();
    const everybody = await people(20);
    for (let round = 0; round < 4; round++) {
      const { id } = await open();
      const given: { id: string; status: number; answers: Answers }[] = [];
      const put1 = async (person: (typeof everybody)[number], at: number) => {
        const answers = {
          recommend: at % 11,
          why: `w${at}`,
          next: at % 2 === 0 ? "dark" : { other: `o${at}` },
          uses: ["map", "lost"].slice(at % 2),
        };
        const { status } = await put(person, id, answers);
        given.push({ id: person.id, status, answers });
      };
      const more = [...(DESIGNED[3]?.options ?? []), { id: "shop", label: "Shop" }];
      await Promise.all([
        ...everybody.slice(0, 8).map(put1),
        patch(id, {
          title: "Edited",
          questions: DESIGNED.map((each) => (each.id === "uses" ? { ...each, options: more } : each)),
        }),
        ...everybody.slice(8, 14).map((person, at) => put1(person, at + 8)),
        change(id, { status: "CLOSED" }),
        ...everybody.slice(14).map((person, at) => put1(person, at + 14)),
      ]);
      const taken = given.filter(({ status }) => status === 200);
      for (const { status } of given) expect([200, 404]).toContain(status);
      const listed = await responses(id);
      expect(listed.map(({ panelistId }) => panelistId).toSorted()).toEqual(taken.map((each) => each.id).toSorted());
      for (const each of taken)
        expect(listed.find(({ panelistId }) => panelistId === each.id)?.answers).toEqual(
          withoutEmpty(kept(DESIGNED, each.answers)),
        );
      const { questions, status, responses: shown } = await read(id);
      expect([status, shown]).toEqual(["CLOSED", taken.length]);
      expectTotals(
        await results(id),
        questions,
        listed.map(({ answers }) => answers),
      );
      expect((await results(id)).responses).toBe(taken.length);
    }
  });

  it("of one person through the key and the token: one response", async () => {
    const { robin, id, tenant, responses, results } = await openScene();
    const path = `/tenant/surveys/${id}/responses/by-external-id/${robin.externalId}`;
    await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        at % 2 === 0 ? put(robin, id, { recommend: at }) : tenant.send("PUT", path, { answers: { recommend: at } }),
      ),
    );
    const listed = await responses(id);
    expect(listed).toHaveLength(1);
    expectTotals(
      await results(id),
      DESIGNED,
      listed.map(({ answers }) => answers),
    );
  });
});

describe("maxResponses", () => {
  it.each([false, true])(
    "holds exactly with 50 at once (anonymous: %s), and the last one closes the survey",
    async (anonymous) => {
      const { people, open, results, read } = await createScene();
      const everybody = await people(50);
      const { id } = await open({ questions: SCALE, maxResponses: 10, anonymous });
      const given = await Promise.all(everybody.map((person, at) => put(person, id, { q: 1 + (at % 5) })));
      const statuses = given.map(({ status }) => status);
      const inAll = await results(id);
      expect(
        statuses.filter((status) => status === 200),
        `${statuses.join()} ${JSON.stringify(inAll)}`,
      ).toHaveLength(10);
      expect(statuses.filter((status) => status === 404)).toHaveLength(40);
      for (const refused of given.filter(({ status }) => status === 404))
        expect(await refused.json()).toMatchObject({ error: "survey-not-found" });
      expect((await read(id)).status).toBe("CLOSED");
      expect((await results(id)).responses).toBe(10);
    },
  );

  it("of a named survey: who has answered may still change and take back; nobody else gets in", async () => {
    const { people, open, results, responses, patch } = await createScene();
    const [one, two, three] = await people(3);
    if (one === undefined || two === undefined || three === undefined) throw new Error("nobody");
    const { id } = await open({ questions: SCALE, maxResponses: 2 });
    await answer(one, id, { q: 1 });
    await answer(two, id, { q: 2 });
    expect((await put(three, id, { q: 3 })).status).toBe(404);
    expect((await own(one, id)).response?.answers).toEqual({ q: 1 });
    expect((await three.send("GET", `/surveys/${id}`)).status).toBe(404);
    expect((await answer(one, id, { q: 5 })).answers).toEqual({ q: 5 });
    expectTotals(await results(id), SCALE, [{ q: 5 }, { q: 2 }]);
    expect((await take(two, id)).status).toBe(204);
    expect((await responses(id)).map(({ panelistId }) => panelistId)).toEqual([one.id]);
    expect((await patch(id, { maxResponses: 3 })).status).toBe(200);
  });

  it("not above the responses is refused with their number, and changes nothing", async () => {
    const { people, open, patch, read } = await createScene();
    const { id } = await open({ questions: SCALE });
    for (const person of await people(3)) await answer(person, id, { q: 1 });
    for (const maxResponses of [1, 2, 3]) {
      const refused = await refusal(await patch(id, { maxResponses }));
      expect([refused.status, refused.error, refused.paths], refused.text).toEqual([
        400,
        "invalid-request",
        ["maxResponses"],
      ]);
      expect(refused.text).toMatch(/\b3\b/);
    }
    expect(await read(id)).toMatchObject({ status: "OPEN", maxResponses: null });
    expect((await patch(id, { maxResponses: 4 })).status).toBe(200);
    const [last] = await people(1);
    if (last === undefined) throw new Error("nobody");
    await answer(last, id, { q: 1 });
    expect((await read(id)).status).toBe("CLOSED");
  });

  it("counts whole answers only: refused ones and the same person twice count nothing", async () => {
    const { people, open, results, read } = await createScene();
    const [one, two] = await people(2);
    if (one === undefined || two === undefined) throw new Error("nobody");
    const { id } = await open({ questions: SCALE, maxResponses: 2 });
    await put(one, id, {});
    await put(one, id, { q: 9 });
    await answer(one, id, { q: 1 });
    await answer(one, id, { q: 2 });
    await answer(one, id, { q: 2 });
    expect([(await read(id)).status, (await results(id)).responses]).toEqual(["OPEN", 1]);
    await take(one, id);
    await answer(one, id, { q: 2 });
    await answer(two, id, { q: 2 });
    expect([(await read(id)).status, (await results(id)).responses]).toEqual(["CLOSED", 2]);
  });

  it("reached, and reopened with a higher one, goes on", async () => {
    const { people, open, change, read } = await createScene();
    const [one, two, three] = await people(3);
    if (one === undefined || two === undefined || three === undefined) throw new Error("nobody");
    const { id } = await open({ questions: SCALE, maxResponses: 1 });
    await answer(one, id, { q: 1 });
    expect((await put(two, id, { q: 1 })).status).toBe(404);
    await change(id, { status: "OPEN", maxResponses: 2 });
    await answer(two, id, { q: 1 });
    expect((await put(three, id, { q: 1 })).status).toBe(404);
    expect((await read(id)).status).toBe("CLOSED");
  });
});

describe("an answer that may not be changed", () => {
  it("is 409 for other answers, 200 for the same, and may be taken back", async () => {
    const { robin, id, responses } = await openScene({ editable: false });
    const stored = await answer(robin, id, FIRST);
    const refused = await refusal(await put(robin, id, SECOND));
    expect([refused.status, refused.error], refused.text).toEqual([409, "conflict"]);
    expect((await own(robin, id)).response).toEqual(stored);
    expect(await answer(robin, id, FIRST)).toEqual(stored);
    expect((await put(robin, id, FIRST, { "If-None-Match": "*" })).status).toBe(200);
    expect((await take(robin, id)).status).toBe(204);
    expect(await responses(id)).toEqual([]);
  });

  it("is one of twenty at once", async () => {
    const { robin, id, responses } = await openScene({ editable: false });
    const given = await Promise.all(Array.from({ length: 11 }, (_, at) => put(robin, id, { recommend: at })));
    expect(given.map(({ status }) => status).toSorted()).toEqual([200, ...Array(10).fill(409)]);
    const [listed] = await responses(id);
    expect(listed?.answers.recommend).toBe(given.findIndex(({ status }) => status === 200));
  });
});

it("a closing time in the future does not close; one that has passed does, without a job", async () => {
  const { robin, id, panelist, tenant } = await openScene({ closesAt: inFuture(2_500) });
  const kim = await panelist();
  await answer(robin, id, FIRST);
  await sleep(2_700);
  for (const person of [robin, kim])
    expect(await refusal(await put(person, id, SECOND))).toMatchObject({ status: 404, error: "survey-not-found" });
  expect((await take(robin, id)).status).toBe(204);
  expect((await tenant.send("GET", `/tenant/surveys/${id}`)).status).toBe(200);
});
