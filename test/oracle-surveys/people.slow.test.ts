/** People: deleted and back again, with tokens of three kinds, answered for by the tenant, and kept apart by tenant. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createIsolate } from "../support/isolate.ts";
import { runJob } from "../support/job.ts";
import { withoutLimits } from "../support/limits.ts";
import { sendWith } from "../support/panel.ts";
import { createSigner } from "../support/signing.ts";
import { createTenant, dumpDatabases } from "../support/tenant.ts";
import { expectTotals } from "./recount.ts";
import {
  answer,
  createScene,
  DESIGNED,
  type Listed,
  offered,
  own,
  pathOf,
  put,
  refusal,
  responseOf,
  SCALE,
  SURVEYS,
  type Survey,
  sleep,
  TENANT_SURVEYS,
  take,
} from "./scene.ts";

describe("deleting a person", () => {
  it.each(["", "?content=delete"])(
    "takes their responses out of every survey, open or closed, with texts (%s)",
    async (query) => {
      const { open, close, people, tenant, results, responses, texts } = await createScene();
      const [robin, kim] = await people(2);
      if (robin === undefined || kim === undefined) throw new Error("nobody");
      const surveys = [await open(), await open({ title: "Two" }), await open({ title: "Three" })];
      const [mine, theirs] = [
        { recommend: 3, why: "a text of the one who goes", uses: ["map"] },
        { recommend: 4, why: "stays", next: "dark" },
      ];
      for (const { id } of surveys) {
        await answer(robin, id, mine);
        await answer(kim, id, theirs);
      }
      await close(surveys[2]?.id ?? "");
      expect((await tenant.send("DELETE", `/tenant/panelists/${robin.id}${query}`)).status).toBe(204);
      await runJob(env);
      for (const { id } of surveys) {
        expect((await responses(id)).map(({ panelistId }) => panelistId)).toEqual([kim.id]);
        const counted = await results(id);
        expect(counted.responses).toBe(1);
        expectTotals(counted, DESIGNED, [theirs]);
        expect((await texts(id, "why")).map(({ text }) => text)).toEqual(["stays"]);
      }
      expect(JSON.stringify(await dumpDatabases())).not.toContain("a text of the one who goes");
    },
  );

  it("is not undone by their coming back under the same id, and takes nothing that they say then", async () => {
    const { open, tenant, isolate, results, responses, issue } = await createScene();
    const first = await issue("customer-42");
    const { id } = await open();
    await answer({ send: sendWith(isolate, first.token) }, id, { recommend: 1, why: "before" });
    expect((await tenant.send("DELETE", `/tenant/panelists/${first.panelistId}`)).status).toBe(204);
    expect((await put({ send: sendWith(isolate, first.token) }, id, { recommend: 2 })).status).toBe(401);
    await sleep(1_100);
    const second = await issue("customer-42");
    const back = { send: sendWith(isolate, second.token) };
    expect((await offered(back)).map(({ answered }) => answered)).toEqual([false]);
    expect((await own(back, id)).response).toBeNull();
    expect((await put(back, id, { recommend: 9 }, { "If-None-Match": "*" })).status).toBe(200);
    await runJob(env);
    await runJob(env);
    expect((await responses(id)).map(({ answers }) => answers)).toEqual([{ recommend: 9 }]);
    expectTotals(await results(id), DESIGNED, [{ recommend: 9 }]);
    expect((await own(back, id)).response?.answers).toEqual({ recommend: 9 });
  });

  it("of an anonymous survey takes them out of the totals with the next step", async () => {
    const { open, people, tenant, results } = await createScene();
    const everybody = await people(10);
    const { id } = await open({ anonymous: true, questions: SCALE });
    for (const person of everybody.slice(0, 5)) await answer(person, id, { q: 5 });
    for (const person of everybody.slice(0, 2)) await tenant.send("DELETE", `/tenant/panelists/${person.id}`);
    await runJob(env);
    expect(await results(id)).toMatchObject({ responses: 5, shown: 5 });
    for (const person of everybody.slice(5)) await answer(person, id, { q: 1 });
    const now = await results(id);
    expect([now.responses, now.shown]).toEqual([8, 8]);
    expectTotals(
      now,
      SCALE,
      [5, 5, 5, 1, 1, 1, 1, 1].map((q) => ({ q })),
    );
  });

  it("while they answer: whoever comes first, nothing of them stays", async () => {
    const { open, people, tenant, results, responses } = await createScene();
    const { id } = await open();
    const everybody = await people(12);
    await Promise.all(
      everybody.flatMap((person, at) => [
        put(person, id, { recommend: at % 11, why: "x", uses: ["map"] }),
        tenant.send("DELETE", `/tenant/panelists/${person.id}`),
      ]),
    );
    await runJob(env);
    await runJob(env);
    expect(await responses(id)).toEqual([]);
    const counted = await results(id);
    expect(counted.responses).toBe(0);
    expectTotals(counted, DESIGNED, []);
  });

  it("who is inactive answers nothing, and what they said stays", async () => {
    const { open, people, tenant, responses } = await createScene();
    const [robin] = await people(1);
    if (robin === undefined) throw new Error("nobody");
    const { id } = await open();
    await answer(robin, id, { recommend: 1 });
    await tenant.send("PATCH", `/tenant/panelists/${robin.id}`, { active: false });
    for (const send of [robin.send, sendWith(createIsolate(), robin.token)])
      expect((await put({ send }, id, { recommend: 9 })).status).toBe(401);
    expect((await responses(id)).map(({ answers }) => answers)).toEqual([{ recommend: 1 }]);
  });
});

describe("tokens", () => {
  it("the API's and the tenant's own for one person are one respondent", async () => {
    const isolate = createIsolate(withoutLimits(env));
    const { sign, issue, tenant, bank } = await createSigner(isolate);
    const fields = { title: "T", ideaBankId: bank.id, questions: SCALE, status: "DRAFT" };
    const { id } = await (await tenant.send("POST", TENANT_SURVEYS, fields)).json<Survey>();
    await tenant.send("PATCH", `${TENANT_SURVEYS}/${id}`, { status: "OPEN" });
    const signed = { send: sendWith(isolate, await sign("customer-42", { name: "Robin" })) };
    expect((await offered(signed)).map(({ answered }) => answered)).toEqual([false]);
    await answer(signed, id, { q: 1 });
    const { token, panelistId } = await issue({ externalId: "customer-42" });
    const issued = { send: sendWith(isolate, token) };
    expect((await own(issued, id)).response?.answers).toEqual({ q: 1 });
    expect((await put(issued, id, { q: 2 }, { "If-None-Match": "*" })).status).toBe(412);
    await answer(issued, id, { q: 3 });
    const { items } = await (await tenant.send("GET", `${TENANT_SURVEYS}/${id}/responses`)).json<{ items: Listed[] }>();
    expect(items).toMatchObject([{ panelistId, answers: { q: 3 } }]);
    const { items: people } = await (await tenant.send("GET", "/tenant/panelists?externalId=customer-42")).json<{
      items: object[];
    }>();
    expect(people).toMatchObject([{ id: panelistId, displayName: "Robin" }]);
    expect((await take(signed, id)).status).toBe(204);
    expect((await own(issued, id)).response).toBeNull();
  });

  it("a signed one that is refused leaves no person behind", async () => {
    const isolate = createIsolate(withoutLimits(env));
    const { sign, tenant, bank } = await createSigner(isolate);
    const fields = { title: "T", ideaBankId: bank.id, questions: SCALE };
    const { id } = await (await tenant.send("POST", TENANT_SURVEYS, fields)).json<Survey>();
    const send = sendWith(isolate, await sign("customer-42"));
    expect((await put({ send }, id, { q: 1 })).status).toBe(404);
    await tenant.send("PATCH", `${TENANT_SURVEYS}/${id}`, { status: "OPEN" });
    expect((await put({ send }, id, { q: 6 })).status).toBe(400);
    expect((await put({ send }, id, { q: 1 }, { "If-Match": '"1"' })).status).toBe(412);
    expect((await take({ send }, id)).status).toBeLessThan(500);
    const { items } = await (await tenant.send("GET", "/tenant/panelists?externalId=customer-42")).json<{
      items: object[];
    }>();
    expect(items).toEqual([]);
  });

  it("a visitor's reads what is open, has answered nothing, and writes nothing: 403 sign-in-required", async () => {
    const { open, tenant, bank, isolate, panelist, propose, responses } = await createScene();
    const robin = await panelist();
    const { id } = await open();
    const votersOf = await propose();
    const hidden = await open({ title: "For voters", audience: { votersOf } });
    await answer(robin, id, { recommend: 9 });
    const { token } = await (await tenant.send("POST", `/tenant/ideabanks/${bank.id}/tokens`, { visitor: true })).json<{
      token: string;
    }>();
    const visitor = { send: sendWith(isolate, token) };
    expect((await offered(visitor)).map((each) => [each.id, each.answered])).toEqual([[id, false]]);
    expect((await own(visitor, id)).response).toBeNull();
    expect((await visitor.send("GET", pathOf(hidden.id))).status).toBe(404);
    for (const [method, body] of [
      ["PUT", { answers: { recommend: 9 } }],
      ["PUT", { answers: {} }],
      ["DELETE", undefined],
    ] as const)
      for (const at of [id, hidden.id, "000000000000"]) {
        const refused = await refusal(await visitor.send(method, responseOf(at), body));
        expect([refused.status, refused.error], `${method} ${at}`).toEqual([403, "sign-in-required"]);
      }
    const access = await (await visitor.send("GET", "/ideabank")).json<Record<string, Record<string, boolean>>>();
    expect(access.capabilities?.canAnswerSurveys).toBe(false);
    expect(access.panelistCapabilities?.canAnswerSurveys).toBe(true);
    expect(await responses(id)).toHaveLength(1);
  });

  it.each(["nothing", "garbage", "a forged one", "an API key"])("%s is 401 on each", async (what) => {
    const { open, bank, isolate, tenant } = await createScene();
    const { id } = await open();
    const token =
      {
        nothing: "",
        garbage: "zzz",
        "a forged one": `${bank.token.slice(0, -1)}${bank.token.endsWith("0") ? "1" : "0"}`,
        "an API key": tenant.text,
      }[what] ?? "";
    for (const [method, path, body] of [
      ["GET", SURVEYS],
      ["GET", pathOf(id)],
      ["PUT", responseOf(id), { answers: { recommend: 9 } }],
      ["DELETE", responseOf(id)],
    ] as const)
      expect((await sendWith(isolate, token)(method, path, body)).status, `${method} ${path}`).toBe(401);
  });

  it.each(["revoked", "deactivated and activated"])(
    "a new one of a person whose tokens were %s answers, changes and takes back",
    async (what) => {
      const { open, people, tenant, bank, isolate, propose } = await createScene();
      const [robin] = await people(1);
      if (robin === undefined) throw new Error("nobody");
      const [{ id }, before, idea] = [await open(), await open({ title: "Answered before" }), await propose()];
      await answer(robin, before.id, { recommend: 1 });
      if (what === "revoked") await tenant.send("DELETE", `/tenant/panelists/${robin.id}/tokens`);
      else for (const active of [false, true]) await tenant.send("PATCH", `/tenant/panelists/${robin.id}`, { active });
      await sleep(1_100);
      const issued = await tenant.send("POST", `/tenant/ideabanks/${bank.id}/tokens`, { panelistId: robin.id });
      const again = { send: sendWith(isolate, (await issued.json<{ token: string }>()).token) };
      expect((await again.send("PUT", `/ideabank/proposals/${idea}/vote`)).status).toBe(200);
      for (const survey of [id, before.id]) {
        const statuses = [];
        for (const recommend of [9, 8]) statuses.push((await put(again, survey, { recommend })).status);
        expect([...statuses, (await take(again, survey)).status]).toEqual([200, 200, 204]);
      }
    },
  );

  it("a revoked one is 401 at once where it was revoked, and writes nothing anywhere", async () => {
    const { open, people, tenant, responses, take: _, ...rest } = { ...(await createScene()), take };
    const [robin] = await people(1);
    if (robin === undefined) throw new Error("nobody");
    const { id } = await open();
    const elsewhere = sendWith(createIsolate(withoutLimits(env)), robin.token);
    expect((await elsewhere("GET", SURVEYS)).status).toBe(200);
    await tenant.send("DELETE", `/tenant/panelists/${robin.id}/tokens`);
    for (const send of [robin.send, elsewhere]) expect((await put({ send }, id, { recommend: 9 })).status).toBe(401);
    expect(await responses(id)).toEqual([]);
    expect(rest.bank.id).toHaveLength(12);
  });
});

describe("an answer that came by phone", () => {
  it("is made (201), changed (200) and deleted (204) by the person's externalId", async () => {
    const { open, people, tenant, responses, results, json } = await createScene();
    const [robin] = await people(1);
    if (robin === undefined) throw new Error("nobody");
    const { id } = await open();
    const path = `${TENANT_SURVEYS}/${id}/responses/by-external-id/${encodeURIComponent(robin.externalId)}`;
    const mine = { recommend: 3, why: "x", uses: ["map"] };
    await json(await tenant.send("PUT", path, { answers: mine }), 201);
    expect(await responses(id)).toMatchObject([{ panelistId: robin.id, answers: mine }]);
    expect((await own(robin, id)).response?.answers).toEqual(mine);
    const before = await dumpDatabases();
    await json(await tenant.send("PUT", path, { answers: mine }), 200);
    expect(await dumpDatabases()).toEqual(before);
    await json(await tenant.send("PUT", path, { answers: { recommend: 9, why: "hidden" } }), 200);
    expectTotals(await results(id), DESIGNED, [{ recommend: 9 }]);
    expect((await tenant.send("DELETE", path)).status).toBe(204);
    expect(await responses(id)).toEqual([]);
    expectTotals(await results(id), DESIGNED, []);
  });

  it("is as whole as any other: 400 by the same paths", async () => {
    const { open, people, tenant, responses } = await createScene();
    const [robin] = await people(1);
    if (robin === undefined) throw new Error("nobody");
    const { id } = await open();
    const path = `${TENANT_SURVEYS}/${id}/responses/by-external-id/${robin.externalId}`;
    for (const [answers, fault] of [
      [{}, "answers.recommend"],
      [{ recommend: 11 }, "answers.recommend"],
      [{ recommend: 3, uses: ["map", "tickets", "alerts", "lost"] }, "answers.uses"],
    ] as const) {
      const refused = await refusal(await tenant.send("PUT", path, { answers }));
      expect([refused.status, refused.paths], refused.text).toEqual([400, [fault]]);
    }
    expect(await responses(id)).toEqual([]);
  });

  it("with ids that need encoding reaches that person and nobody else", async () => {
    const { open, tenant, responses, json } = await createScene();
    const { id } = await open();
    const ids = ["a/b", "a b", "ä ö", "100%", "A", "a", "x?y#z", "+49 30 1"];
    for (const [at, externalId] of ids.entries()) {
      await json(await tenant.send("POST", "/tenant/panelists", { externalId }), 201);
      const path = `${TENANT_SURVEYS}/${id}/responses/by-external-id/${encodeURIComponent(externalId)}`;
      await json(await tenant.send("PUT", path, { answers: { recommend: at } }), 201);
    }
    const listed = await responses(id);
    expect(listed.map(({ answers }) => answers.recommend).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(new Set(listed.map(({ panelistId }) => panelistId)).size).toBe(ids.length);
  });

  it("counts for maxResponses, and closes", async () => {
    const { open, people, tenant, read } = await createScene();
    const [robin, kim] = await people(2);
    if (robin === undefined || kim === undefined) throw new Error("nobody");
    const { id } = await open({ questions: SCALE, maxResponses: 1 });
    const put1 = async ({ externalId }: typeof robin) =>
      (
        await tenant.send("PUT", `${TENANT_SURVEYS}/${id}/responses/by-external-id/${externalId}`, {
          answers: { q: 1 },
        })
      ).status;
    expect(await put1(robin)).toBe(201);
    expect((await read(id)).status).toBe("CLOSED");
    expect(await put1(kim)).toBeGreaterThanOrEqual(400);
  });
});

describe("tenants are kept apart", () => {
  it("a foreign survey is 403 forbidden on every path, as a missing one, and nothing changes", async () => {
    const [mine, theirs] = [await createScene(), await createScene()];
    const robin = await theirs.panelist();
    const own1 = await mine.panelist();
    const { id } = await theirs.open();
    await answer(robin, id, { recommend: 3, why: "x" });
    const before = await dumpDatabases();
    const ask = async (surveyId: string) => {
      const path = `${TENANT_SURVEYS}/${surveyId}`;
      const all = [];
      for (const [method, below, body] of [
        ["GET", ""],
        ["PATCH", "", { title: "Mine" }],
        ["PATCH", "", { status: "CLOSED" }],
        ["PATCH", "", { maxResponses: 1 }],
        ["PATCH", "", { questions: [] }],
        ["DELETE", ""],
        ["POST", "/copy"],
        ["GET", "/results"],
        ["GET", "/results?question=next&answer=dark"],
        ["GET", "/results?question=zzz&answer=dark"],
        ["GET", "/responses"],
        ["GET", "/responses.csv"],
        ["GET", "/texts?question=why"],
        ["GET", "/texts?question=zzz"],
        ["PUT", `/responses/by-external-id/${robin.externalId}`, { answers: { recommend: 1 } }],
        ["PUT", `/responses/by-external-id/${own1.externalId}`, { answers: { recommend: 1 } }],
        ["DELETE", `/responses/by-external-id/${robin.externalId}`],
      ] as const) {
        const refused = await refusal(await mine.tenant.send(method, path + below, body));
        expect([refused.status, refused.error], `${method} ${below} ${refused.text}`).toEqual([403, "forbidden"]);
        all.push(refused.text);
      }
      return all;
    };
    expect(await ask(id)).toEqual(await ask(`${id.slice(0, 1)}00000000000`));
    expect(await dumpDatabases()).toEqual(before);
  });

  it("a person of another tenant cannot be answered for, as a missing one", async () => {
    const [mine, theirs] = [await createScene(), await createScene()];
    const robin = await theirs.panelist();
    const { id } = await mine.open();
    const answers = [];
    for (const externalId of [robin.externalId, "nobody-has-this-id"]) {
      const path = `${TENANT_SURVEYS}/${id}/responses/by-external-id/${externalId}`;
      answers.push((await mine.tenant.send("PUT", path, { answers: { recommend: 1 } })).status);
      answers.push((await mine.tenant.send("DELETE", path)).status);
    }
    expect(answers.slice(0, 2)).toEqual(answers.slice(2));
    expect(await theirs.pages(TENANT_SURVEYS)).toEqual([]);
    expect((await mine.responses(id)).every(({ panelistId }) => panelistId !== robin.id)).toBe(true);
  });

  it("lists and changes have one's own only", async () => {
    const [mine, theirs] = [await createScene(), await createScene()];
    const { id } = await theirs.open();
    await answer(await theirs.panelist(), id, { recommend: 3, why: "theirs" });
    expect(await mine.pages(TENANT_SURVEYS)).toEqual([]);
    expect(JSON.stringify(await mine.changes())).not.toContain(id);
    const narrow = await createTenant({ accountId: mine.bank.accountId });
    expect(JSON.stringify(await (await narrow.send("GET", TENANT_SURVEYS)).json())).not.toContain(id);
  });

  it("a token of a sister board of the same account answers nothing here", async () => {
    const scene = await createScene();
    const sister = await createScene({ accountId: scene.bank.accountId });
    const robin = await sister.panelist();
    const { id } = await scene.open();
    expect((await put(robin, id, { recommend: 9 })).status).toBe(404);
    expect((await robin.send("GET", pathOf(id))).status).toBe(404);
    expect(await offered(robin)).toEqual([]);
    expect(await scene.responses(id)).toEqual([]);
  });
});
