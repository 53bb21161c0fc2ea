/** Isolates that remember what was, and panelists who write through them: the statement decides, and no answer is lost in silence. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { databaseOf } from "../support/databases.ts";
import { createIsolate } from "../support/isolate.ts";
import { runJob } from "../support/job.ts";
import { interceptLimits, withoutLimits } from "../support/limits.ts";
import { sendWith } from "../support/panel.ts";
import { expectTotals, type Question } from "./recount.ts";
import {
  answer,
  createScene,
  DESIGNED,
  own,
  pathOf,
  put,
  refusal,
  responseOf,
  SCALE,
  type Stored,
  SURVEYS,
  take,
} from "./scene.ts";

/** An isolate that has read the survey as somebody, before anything happens to it elsewhere. */
async function staleScene(fields: Record<string, unknown> = {}) {
  const scene = await createScene();
  const [robin, kim] = [await scene.panelist(), await scene.panelist()];
  const survey = await scene.open(fields);
  const elsewhere = createIsolate(withoutLimits(env));
  const there = ({ token }: { token: string }) => ({ send: sendWith(elsewhere, token) });
  for (const person of [robin, kim]) {
    expect((await there(person).send("GET", SURVEYS)).status).toBe(200);
    expect((await there(person).send("GET", pathOf(survey.id))).status).toBe(200);
  }
  return { ...scene, robin, kim, there, survey, id: survey.id };
}

describe("through an isolate that has read the survey before", () => {
  it("a question or an option that was added is answered, or refused, and never dropped in silence", async () => {
    const { robin, kim, there, id, change, responses, results } = await staleScene();
    await answer(there(kim), id, { recommend: 9 });
    const questions: Question[] = [
      ...DESIGNED.map((each) =>
        each.id === "uses" ? { ...each, options: [...(each.options ?? []), { id: "shop", label: "Shop" }] } : each,
      ),
      { id: "more", kind: "text", title: "Anything else?" },
    ];
    await change(id, { questions });
    const sent = { recommend: 9, uses: ["shop"], more: "words that matter" };
    const given = await put(there(robin), id, sent);
    expect([200, 400, 409]).toContain(given.status);
    if (given.status === 200) expect((await given.json<Stored>()).answers).toEqual(sent);
    const listed = await responses(id);
    expect(listed.find(({ panelistId }) => panelistId === robin.id)?.answers).toEqual(
      given.status === 200 ? sent : undefined,
    );
    // Who answered before the question was there was not shown it.
    for (const { answered, skipped, notShown } of (await results(id)).questions)
      expect(answered + skipped + notShown).toBe(listed.length);
  });

  it("a question that was added alone is not dropped either", async () => {
    const { robin, kim, there, id, change, responses } = await staleScene();
    await answer(there(kim), id, { recommend: 9 });
    await change(id, { questions: [...DESIGNED, { id: "more", kind: "text", title: "Anything else?" }] });
    const sent = { recommend: 9, more: "words that matter" };
    const given = await put(there(robin), id, sent);
    if (given.status === 200)
      expect((await responses(id)).find(({ panelistId }) => panelistId === robin.id)?.answers).toEqual(sent);
    else expect([400, 409]).toContain(given.status);
  });

  it("a survey that is closed takes nothing", async () => {
    const { robin, there, id, close, responses } = await staleScene();
    await close(id);
    expect((await put(there(robin), id, { recommend: 9 })).status).toBe(404);
    expect(await responses(id)).toEqual([]);
  });

  it("one that is opened now is answered now", async () => {
    const { robin, there, create, patch } = await staleScene();
    const { id } = await create();
    expect((await there(robin).send("GET", pathOf(id))).status).toBe(404);
    expect((await put(there(robin), id, { recommend: 9 })).status).toBe(404);
    await patch(id, { status: "OPEN" });
    expect((await put(there(robin), id, { recommend: 9 })).status).toBe(200);
  });

  it("one that is not editable any more takes no other answers", async () => {
    const { robin, there, id, change, responses } = await staleScene();
    await answer(there(robin), id, { recommend: 9 });
    await change(id, { editable: false });
    expect((await put(there(robin), id, { recommend: 1 })).status).toBe(409);
    expect((await responses(id))[0]?.answers).toEqual({ recommend: 9 });
  });

  it("one that is now for voters takes none of others", async () => {
    const { robin, there, id, change, propose, responses } = await staleScene();
    await change(id, { audience: { votersOf: await propose() } });
    expect((await put(there(robin), id, { recommend: 9 })).status).toBe(404);
    expect(await responses(id)).toEqual([]);
  });

  it("one that takes at most one takes one", async () => {
    const { robin, kim, there, id, change, responses } = await staleScene();
    await change(id, { maxResponses: 1 });
    const statuses = await Promise.all(
      [robin, kim].map(async (person) => (await put(there(person), id, { recommend: 9 })).status),
    );
    expect(statuses.toSorted()).toEqual([200, 404]);
    expect(await responses(id)).toHaveLength(1);
  });

  it("one that is deleted takes nothing, and an account that is suspended neither", async () => {
    const { robin, there, id, tenant, open, bank } = await staleScene();
    const other = await open({ title: "Other" });
    await there(robin).send("GET", pathOf(other.id));
    await tenant.send("DELETE", `/tenant/surveys/${id}`);
    expect((await put(there(robin), id, { recommend: 9 })).status).toBe(404);
    await databaseOf(bank.accountId)
      .prepare("UPDATE accounts SET status = 'suspended' WHERE id = ?1")
      .bind(bank.accountId)
      .run();
    expect((await put(there(robin), other.id, { recommend: 9 })).status).toBe(404);
    const fresh = sendWith(createIsolate(), robin.token);
    expect(await refusal(await fresh("GET", SURVEYS))).toMatchObject({ status: 404, error: "idea-bank-not-found" });
    expect((await fresh("GET", pathOf(other.id))).status).toBe(404);
  });

  it("an anonymous one that is closed finds nobody's response any more, whatever the isolate remembers", async () => {
    const { robin, kim, there, id, close, results, people } = await staleScene({ anonymous: true, questions: SCALE });
    for (const person of [...(await people(4)), robin, kim]) await answer(person, id, { q: 3 });
    expect((await own(there(robin), id)).response?.answers).toEqual({ q: 3 });
    await close(id);
    const before = await results(id);
    await take(there(robin), id);
    await take(robin, id);
    expect(await results(id)).toEqual(before);
    expect((await put(there(robin), id, { q: 4 })).status).toBe(404);
  });
});

describe("a person who was deleted and is back", () => {
  it("answers like anybody: a survey that they had answered, and one that they had not", async () => {
    const { tenant, isolate, open, propose, responses, issue } = await createScene();
    const first = await issue("customer-42");
    const [one, two, idea] = [await open(), await open({ title: "Two" }), await propose()];
    await answer({ send: sendWith(isolate, first.token) }, one.id, { recommend: 1 });
    expect((await tenant.send("DELETE", `/tenant/panelists/${first.panelistId}`)).status).toBe(204);
    await runJob(env);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const second = await issue("customer-42");
    const send = sendWith(isolate, second.token);
    expect((await send("PUT", `/ideabank/proposals/${idea}/vote`)).status).toBe(200);
    for (const { id } of [two, one]) {
      await answer({ send }, id, { recommend: 9 });
      expect((await responses(id)).map(({ panelistId, answers }) => [panelistId, answers])).toEqual([
        [second.panelistId, { recommend: 9 }],
      ]);
    }
  });
});

describe("limits and methods", () => {
  it("writes are held to the panelist's rate of writes: 429 with Retry-After, and nothing is stored", async () => {
    const { robin, id, responses } = await staleScene();
    const asked: string[] = [];
    const limited = interceptLimits(env, async ({ policy }) => {
      asked.push(policy);
      return { success: policy !== "writes" };
    });
    const { send } = { send: sendWith(createIsolate(limited), robin.token) };
    for (const given of [await put({ send }, id, { recommend: 9 }), await take({ send }, id)]) {
      expect(await given.clone().json()).toMatchObject({ error: "too-many-requests" });
      expect([given.status, Number(given.headers.get("Retry-After"))], asked.join()).toEqual([429, expect.any(Number)]);
    }
    expect((await send("GET", SURVEYS)).status).toBe(200);
    expect(await responses(id)).toEqual([]);
  });

  it("CORS is open, and the preflight lets If-Match and If-None-Match through", async () => {
    const { robin, id, isolate } = await staleScene();
    const origin = { Origin: "https://shop.example" };
    for (const path of [SURVEYS, pathOf(id)]) {
      const given = await robin.send("GET", path, undefined, origin);
      expect(given.headers.get("Access-Control-Allow-Origin"), path).toBe("*");
    }
    const given = await put(robin, id, { recommend: 9 }, origin);
    expect(given.headers.get("Access-Control-Allow-Origin")).toBe("*");
    const missing = await robin.send("GET", pathOf("000000000000"), undefined, origin);
    expect([missing.status, missing.headers.get("Access-Control-Allow-Origin")]).toEqual([404, "*"]);
    const preflight = await isolate.request(responseOf(id), {
      method: "OPTIONS",
      headers: {
        ...origin,
        "Access-Control-Request-Method": "PUT",
        "Access-Control-Request-Headers": "authorization,if-match,if-none-match,content-type",
      },
    });
    expect(preflight.status).toBeLessThan(300);
    expect(preflight.headers.get("Access-Control-Allow-Headers")).toContain("*");
    expect(preflight.headers.get("Access-Control-Allow-Methods")).toMatch(/PUT.*DELETE|DELETE.*PUT|\*/);
  });

  it.each([
    ["POST", SURVEYS],
    ["DELETE", SURVEYS],
    ["PATCH", `${SURVEYS}/000000000000`],
    ["PUT", `${SURVEYS}/000000000000`],
    ["GET", `${SURVEYS}/000000000000/response`],
    ["POST", `${SURVEYS}/000000000000/response`],
  ])("%s %s is 405", async (method, path) => {
    const { panelist } = await createScene();
    const { send } = await panelist();
    const given = await send(method, path, method === "GET" ? undefined : {});
    expect([given.status, (await given.json<{ error: string }>()).error]).toEqual([405, "method-not-allowed"]);
  });
});

describe("hostile texts", () => {
  const TEXTS = [
    "\ud800",
    "a\u0000b",
    "\ufeff",
    "\u202e",
    "\u200b",
    "\uffff",
    "\u2028",
    "'; DROP TABLE surveys; --",
    "$.x",
    '"',
    "\\",
    "%",
    "null",
    "0",
    "[]",
    "{}",
    " padded ",
  ];
  it("are stored as the answer says, in list, texts and CSV, or refused: never a fault of the service", async () => {
    const { open, people, responses, texts, tenant, results } = await createScene();
    const everybody = await people(TEXTS.length);
    const { id } = await open();
    const stored: Record<string, unknown> = {};
    for (const [at, person] of everybody.entries()) {
      const given = await put(person, id, { recommend: 1, why: TEXTS[at], next: { other: TEXTS[at] } });
      expect([200, 400], JSON.stringify(TEXTS[at])).toContain(given.status);
      if (given.status === 200) stored[person.id] = (await given.json<Stored>()).answers;
    }
    const listed = await responses(id);
    expect(Object.fromEntries(listed.map(({ panelistId, answers }) => [panelistId, answers]))).toEqual(stored);
    expectTotals(
      await results(id),
      DESIGNED,
      listed.map(({ answers }) => answers),
    );
    const written = listed.flatMap(({ answers }) =>
      typeof answers.why === "string" && answers.why !== "" ? [answers.why] : [],
    );
    expect((await texts(id, "why")).map(({ text }) => text).toSorted()).toEqual(written.toSorted());
    expect((await tenant.send("GET", `/tenant/surveys/${id}/responses.csv`)).status).toBe(200);
    for (const [at, person] of everybody.entries()) {
      const answers = stored[person.id];
      if (answers === undefined) continue;
      const again = await put(person, id, answers, { "If-None-Match": "*" });
      expect(again.status, JSON.stringify(TEXTS[at])).toBe(200);
    }
  });

  it("as ids, titles and labels of a survey are kept or refused, and answered", async () => {
    const { create, tenant, bank, read } = await createScene();
    for (const text of TEXTS) {
      const questions = [
        {
          id: "c",
          kind: "choice",
          title: text,
          options: [
            { id: "x", label: text },
            { id: "y", label: `${text}y` },
          ],
        },
      ];
      const given = await tenant.send("POST", "/tenant/surveys", { title: text, ideaBankId: bank.id, questions });
      expect([201, 400], JSON.stringify(text)).toContain(given.status);
    }
    for (const id of ["constructor", "toString", "hasownproperty", "__proto__", "0", "a-b", "null"]) {
      const given = await tenant.send("POST", "/tenant/surveys", {
        title: "T",
        ideaBankId: bank.id,
        questions: [{ id, kind: "text", title: "T" }],
      });
      expect(given.status, id).toBe(id === "toString" || id === "__proto__" ? 400 : 201);
    }
    expect((await read((await create()).id)).questions).toMatchObject(DESIGNED);
  });

  it("question ids such as `constructor` and `0` count as any other", async () => {
    const questions: Question[] = [
      { id: "constructor", kind: "scale", title: "A", from: 0, to: 2 },
      {
        id: "0",
        kind: "choice",
        title: "B",
        options: [
          { id: "0", label: "Zero" },
          { id: "constructor", label: "C" },
        ],
        showIf: { question: "constructor", anyOf: [0] },
      },
      { id: "valueof", kind: "text", title: "C" },
    ];
    const { open, people, results, responses } = await createScene();
    const [one, two, three] = await people(3);
    if (one === undefined || two === undefined || three === undefined) throw new Error("nobody");
    const { id } = await open({ questions });
    const all: Record<string, unknown>[] = [{ constructor: 0, "0": "constructor" }, { constructor: 1 }, {}];
    for (const [at, person] of [one, two, three].entries()) await answer(person, id, all[at] ?? {});
    expect((await responses(id)).map(({ answers }) => JSON.stringify(answers)).toSorted()).toEqual(
      all.map((each) => JSON.stringify(each)).toSorted(),
    );
    expectTotals(
      await results(id),
      questions,
      all.map((each) => Object.assign(Object.create(null), each)),
    );
  });
});
