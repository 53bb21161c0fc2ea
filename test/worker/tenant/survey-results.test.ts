/** What the tenant reads of responses: lists, texts, a CSV file; and responses that it records. */
import { describe, expect, it } from "vitest";
import { sendWith } from "../../support/panel.ts";
import { answer, createSurveyPanel, outcomeOf } from "../../support/surveys.ts";
import { createTenant } from "../../support/tenant.ts";
import { addAccount } from "../../support/world.ts";

type Listed = {
  readonly items: readonly { readonly panelistId: string; readonly answers: object }[];
  readonly nextCursor?: string;
};

async function createScene(fields: object = {}) {
  const panel = await createSurveyPanel();
  const id = await panel.survey(fields);
  const file = async (query = "") => {
    const response = await panel.tenant.send("GET", `/tenant/surveys/${id}/responses.csv${query}`);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await response.arrayBuffer());
    return { response, lines: text.split("\r\n") };
  };
  return { ...panel, id, file, list: (query = "") => panel.read<Listed>(`${id}/responses${query}`) };
}

describe("responses", () => {
  it("are listed newest first, a page at a time, and only those with an answer", async () => {
    const { id, list, panelist, results, read } = await createScene();
    const people = [await panelist(), await panelist(), await panelist()];
    for (const [index, one] of people.entries())
      await answer(one, id, { recommend: 8 + (index % 2), next: index === 1 ? "night" : { other: "Trains" } });
    const newest = people.toReversed().map((one) => one.id);
    expect((await list()).items.map(({ panelistId }) => panelistId)).toEqual(newest);
    const first = await list("?limit=2");
    const second = await list(`?limit=2&cursor=${first.nextCursor}`);
    expect([...first.items, ...second.items].map(({ panelistId }) => panelistId)).toEqual(newest);
    expect((await list("?question=next&answer=night")).items).toMatchObject([{ panelistId: people[1]?.id }]);
    expect((await list("?question=next&answer=*")).items).toHaveLength(2);
    expect((await list("?question=uses")).items).toEqual([]);
    const part = await read<object>(`${id}/results?question=recommend&answer=8`);
    expect(part).toMatchObject({
      responses: 2,
      shown: 2,
      complete: true,
      questions: [{ mean: 8 }, {}, { answered: 2, other: 2 }, {}],
    });
    expect(await results(id)).toMatchObject({ responses: 3 });
  });

  it("a filter that the survey does not have is 400 and says what there is", { tags: "slow" }, async () => {
    const { id, tenant } = await createScene();
    for (const [query, path] of [
      ["question=other", "question"],
      ["question=next&answer=light", "answer"],
      ["answer=dark", "answer"],
      ["question=recommend&answer=11", "answer"],
    ])
      for (const below of ["responses", "results", "responses.csv"]) {
        const refused = await tenant.send("GET", `/tenant/surveys/${id}/${below}?${query}`);
        expect([refused.status, await refused.json()]).toMatchObject([400, { errors: [{ path }] }]);
      }
    expect(await outcomeOf(await tenant.send("GET", `/tenant/surveys/${id}/texts?question=recommend`))).toEqual([
      400,
      "invalid-request",
    ]);
  });

  it("of one person are listed for a copy, without anonymous ones", async () => {
    const { id, survey, panelist, tenant } = await createScene();
    const anonymous = await survey({ anonymous: true });
    const ana = await panelist();
    await answer(ana, id, { recommend: 9 });
    await answer(ana, anonymous, { recommend: 1 });
    expect(await (await tenant.send("GET", `/tenant/panelists/${ana.id}/responses`)).json()).toMatchObject({
      items: [{ surveyId: id, answers: { recommend: 9 } }],
    });
    const stranger = await createTenant({ accountId: await addAccount() });
    expect((await stranger.send("GET", `/tenant/panelists/${ana.id}/responses`)).status).toBe(403);
  });
});

it("texts are found by what is in them, and follow an edit and a deletion", async () => {
  const { id, panelist, read } = await createScene();
  const [ana, ben] = [await panelist(), await panelist()];
  await answer(ana, id, { recommend: 2, why: "Night buses, please", next: { other: "Trains" } });
  await answer(ben, id, { recommend: 2, why: "A map" });
  const texts = async (query: string) =>
    (await read<{ items: { text: string; panelistId: string }[] }>(`${id}/texts?question=${query}`)).items;
  expect(await texts("why")).toMatchObject([
    { text: "A map", panelistId: ben.id },
    { text: "Night buses, please", panelistId: ana.id },
  ]);
  expect((await texts("why&q=BUSES")).map(({ text }) => text)).toEqual(["Night buses, please"]);
  expect((await texts("next")).map(({ text }) => text)).toEqual(["Trains"]);
  await answer(ana, id, { recommend: 2, why: "Later buses", next: "dark" });
  expect((await texts("why")).map(({ text }) => text)).toEqual(["A map", "Later buses"]);
  expect(await texts("next")).toEqual([]);
  await ben.send("DELETE", `/surveys/${id}/response`);
  expect((await texts("why")).map(({ text }) => text)).toEqual(["Later buses"]);
});

describe("the CSV file", () => {
  it("has a column for each question and option, in their order, even if empty", async () => {
    const { id, file, panelist } = await createScene();
    const ana = await panelist();
    await answer(ana, id, { recommend: 0, why: '=1+1, "so"', next: { other: "@home" }, uses: ["map"] });
    const { response, lines } = await file();
    expect(response.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    expect(response.headers.get("Content-Disposition")).toBe('attachment; filename="A-survey.csv"');
    expect(lines[0]).toBe(
      "\ufeffpanelistId,createdAt (UTC),updatedAt (UTC),recommend,why,next,next.other,uses.map,uses.tickets,uses.none",
    );
    expect(lines[1]).toMatch(
      new RegExp(`^${ana.id},\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d,[^,]+,0,"'=1\\+1, ""so""",,'@home,1,0,0$`),
    );
    expect(lines[2]).toBe("");
  });

  it("has labels if asked, and no two columns with one title", async () => {
    const questions = [
      { id: "one", kind: "text", title: "Why?" },
      { id: "two", kind: "text", title: "Why?" },
    ];
    const { file, id, panelist } = await createScene({ questions });
    await answer(await panelist(), id, { two: "-5" });
    const { lines } = await file("?labels=true");
    expect(lines[0]).toBe("\ufeffPanelist,Answered (UTC),Changed (UTC),Why? (one),Why? (two)");
    expect(lines[1]).toMatch(/,,-5$/);
    expect((await file("?question=one")).response.headers.get("Content-Disposition")).toContain(
      "A-survey-only-one.csv",
    );
    expect((await file("?question=one")).lines).toHaveLength(2);
  });
});

describe("a response by phone", () => {
  it("creates the person, is replaced, and is deleted", { tags: "slow" }, async () => {
    const { id, tenant, list, results, close } = await createScene();
    const path = `/tenant/surveys/${id}/responses/by-external-id/customer-7`;
    const first = await tenant.send("PUT", path, { answers: { recommend: 9 } });
    const { panelistId } = await first.json<{ panelistId: string }>();
    expect(first.status).toBe(201);
    expect((await tenant.send("PUT", path, { answers: { recommend: 2 } })).status).toBe(200);
    expect((await list()).items).toMatchObject([{ panelistId, answers: { recommend: 2 } }]);
    expect(await outcomeOf(await tenant.send("PUT", path, { answers: { recommend: 12 } }))).toEqual([
      400,
      "invalid-request",
    ]);
    const { items } = await (await tenant.send("GET", "/tenant/changes")).json<{
      items: { type: string; by: string; panelistId?: string }[];
    }>();
    expect(items.filter((change) => change.panelistId === panelistId).map(({ type, by }) => `${by} ${type}`)).toEqual([
      ...["tenant panelist.created", "tenant survey-response.created", "tenant survey-response.updated"],
    ]);
    await close(id);
    expect(await outcomeOf(await tenant.send("PUT", path, { answers: { recommend: 5 } }))).toEqual([409, "conflict"]);
    expect((await tenant.send("DELETE", path)).status).toBe(204);
    expect((await tenant.send("DELETE", path)).status).toBe(403);
    expect(await results(id)).toMatchObject({ responses: 0 });
  });

  it("is the person's own afterwards", async () => {
    const { id, tenant, manage, isolate } = await createScene();
    await tenant.send("PUT", `/tenant/surveys/${id}/responses/by-external-id/customer-8`, {
      answers: { recommend: 9 },
    });
    const { token } = await (await manage("POST", "/tokens", { externalId: "customer-8" })).json<{ token: string }>();
    const send = sendWith(isolate, token);
    expect(await (await send("GET", `/surveys/${id}`)).json()).toMatchObject({
      response: { answers: { recommend: 9 } },
    });
    expect((await send("DELETE", `/surveys/${id}/response`)).status).toBe(204);
    const { items } = await (await tenant.send("GET", "/tenant/changes")).json<{
      items: { type: string; by: string; panelistId?: string }[];
    }>();
    expect(items.at(-1)).toMatchObject({ type: "survey-response.deleted", by: "panelist", response: null });
  });
});
