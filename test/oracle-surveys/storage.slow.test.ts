/** What surveys store: bytes, deletions, changes, and what requests cost. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { databaseOf } from "../support/databases.ts";
import { countStores } from "../support/intercept.ts";
import { meterDatabases } from "../support/intercept-binding.ts";
import { createIsolate } from "../support/isolate.ts";
import { runJob } from "../support/job.ts";
import { withoutLimits } from "../support/limits.ts";
import { sendWith } from "../support/panel.ts";
import { createTenant, dumpDatabases } from "../support/tenant.ts";
import { expectTotals } from "./recount.ts";
import {
  answer,
  type Change,
  createScene,
  DESIGNED,
  own,
  pathOf,
  put,
  refusal,
  responseOf,
  SURVEYS,
  type Survey,
  TENANT_SURVEYS,
  take,
} from "./scene.ts";

const storedBytes = (accountId: string) =>
  databaseOf(accountId)
    .prepare("SELECT stored_bytes FROM accounts WHERE id = ?1")
    .bind(accountId)
    .first<number>("stored_bytes");
const setMaximum = (accountId: string, bytes: string) =>
  databaseOf(accountId).prepare(`UPDATE accounts SET max_bytes = ${bytes} WHERE id = ?1`).bind(accountId).run();
const WORDS = "a-text-that-can-be-found";

describe("the quota", () => {
  it("a full account takes no answer, by token or by key, and everything else works", async () => {
    const { open, people, tenant, bank, responses, results, close, texts } = await createScene();
    const [robin, kim] = await people(2);
    if (robin === undefined || kim === undefined) throw new Error("nobody");
    const { id } = await open();
    await answer(robin, id, { recommend: 3, why: "x" });
    await setMaximum(bank.accountId, "stored_bytes");
    const before = await dumpDatabases();
    const path = `${TENANT_SURVEYS}/${id}/responses/by-external-id/${kim.externalId}`;
    for (const given of [
      await put(kim, id, { recommend: 3, why: "y" }),
      await tenant.send("PUT", path, { answers: { recommend: 3, why: "y" } }),
      await put(robin, id, { recommend: 3, why: "longer than it was" }),
    ])
      expect(await refusal(given)).toMatchObject({ status: 409, error: "quota-exceeded" });
    expect(await dumpDatabases()).toEqual(before);
    expect((await put(robin, id, { recommend: 3, why: "x" })).status).toBe(200);
    expect((await results(id)).responses).toBe(1);
    expect((await responses(id)).length).toBe(1);
    expect((await texts(id, "why")).length).toBe(1);
    expect((await own(robin, id)).response?.answers).toEqual({ recommend: 3, why: "x" });
    await close(id);
    expect((await take(robin, id)).status).toBe(204);
  });

  it("counts a response, and gives its bytes back in whatever way it goes", async () => {
    for (const way of ["taken back", "by key", "with its person", "with its survey"]) {
      const { open, tenant, bank, panelist } = await createScene();
      const robin = await panelist();
      const empty = await storedBytes(bank.accountId);
      const { id } = await open();
      const before = (await storedBytes(bank.accountId)) ?? 0;
      await answer(robin, id, { recommend: 3, why: "x".repeat(1_000) });
      const filled = (await storedBytes(bank.accountId)) ?? 0;
      expect(filled - before, way).toBeGreaterThanOrEqual(1_000);
      await answer(robin, id, { recommend: 3, why: "x".repeat(500) });
      expect(filled - ((await storedBytes(bank.accountId)) ?? 0), way).toBeGreaterThanOrEqual(500);
      if (way === "taken back") await take(robin, id);
      if (way === "by key")
        await tenant.send("DELETE", `${TENANT_SURVEYS}/${id}/responses/by-external-id/${robin.externalId}`);
      if (way === "with its survey") await tenant.send("DELETE", `${TENANT_SURVEYS}/${id}`);
      if (way === "with its person") {
        await tenant.send("DELETE", `/tenant/panelists/${robin.id}`);
        await tenant.send("DELETE", `${TENANT_SURVEYS}/${id}`);
        await runJob(env);
        // The person's row is gone, and the revocation is kept.
        const left = (await storedBytes(bank.accountId)) ?? 0;
        expect(Math.abs(left - (empty ?? 0)), way).toBeLessThan(200);
        continue;
      }
      await runJob(env);
      // Totals may take a few bytes of the survey.
      const left = (await storedBytes(bank.accountId)) ?? 0;
      expect(left, way).toBe(way === "with its survey" ? empty : before);
    }
  });
});

describe("deletions", () => {
  it("of a survey: gone for everybody at once, and every answer with the job; one change", async () => {
    const { open, people, tenant, changes, bank } = await createScene();
    const everybody = await people(25);
    const [robin] = everybody;
    if (robin === undefined) throw new Error("nobody");
    const empty = await storedBytes(bank.accountId);
    const { id } = await open();
    for (const person of everybody) await answer(person, id, { recommend: 1, why: WORDS });
    const before = (await changes()).length;
    expect((await tenant.send("DELETE", `${TENANT_SURVEYS}/${id}`)).status).toBe(204);
    expect((await tenant.send("GET", `${TENANT_SURVEYS}/${id}`)).status).toBe(403);
    for (const below of ["/results", "/responses", "/texts?question=why", "/responses.csv"])
      expect((await tenant.send("GET", `${TENANT_SURVEYS}/${id}${below}`)).status, below).toBe(403);
    expect((await robin.send("GET", pathOf(id))).status).toBe(404);
    expect((await put(robin, id, { recommend: 1 })).status).toBe(404);
    await runJob(env);
    expect((await changes()).slice(before)).toMatchObject([{ type: "survey.deleted", surveyId: id }]);
    expect(JSON.stringify(await dumpDatabases())).not.toContain(WORDS);
    expect(await storedBytes(bank.accountId)).toBe(empty);
  });

  it("of an idea bank: its surveys are answered by nobody, and their answers go with the job", async () => {
    const scene = await createScene();
    const { open, people, tenant, manage, bank, changes, anew } = scene;
    const [robin, kim] = await people(2);
    if (robin === undefined || kim === undefined) throw new Error("nobody");
    const [named, anonymous] = [await open(), await open({ anonymous: true, title: "Anonymous" })];
    for (const person of [robin, kim])
      for (const { id } of [named, anonymous]) await answer(person, id, { recommend: 1, why: WORDS });
    const before = (await changes()).length;
    await manage("DELETE", "");
    for (const { id } of [named, anonymous]) {
      expect((await anew(robin)("GET", pathOf(id))).status).toBe(404);
      expect((await put({ send: anew(robin) }, id, { recommend: 2 })).status).toBe(404);
    }
    for (let times = 0; times < 3; times++) await runJob(env);
    expect(JSON.stringify(await dumpDatabases())).not.toContain(WORDS);
    expect((await changes()).slice(before).map(({ type }) => type)).toEqual(["ideabank.deleted"]);
    for (const { id } of [named, anonymous])
      expect((await tenant.send("GET", `${TENANT_SURVEYS}/${id}`)).status).toBe(403);
    expect(await scene.pages(TENANT_SURVEYS)).toEqual([]);
    const { results } = await databaseOf(bank.id).prepare("SELECT count(*) AS n FROM surveys").all<{ n: number }>();
    expect(results).toEqual([{ n: 0 }]);
  });

  it("while people answer leave nothing", async () => {
    const { open, people, tenant } = await createScene();
    const everybody = await people(15);
    const { id } = await open();
    await Promise.all([
      ...everybody.slice(0, 8).map((person) => put(person, id, { recommend: 1, why: WORDS })),
      tenant.send("DELETE", `${TENANT_SURVEYS}/${id}`),
      ...everybody.slice(8).map((person) => put(person, id, { recommend: 1, why: WORDS })),
    ]);
    for (let times = 0; times < 3; times++) await runJob(env);
    expect(JSON.stringify(await dumpDatabases())).not.toContain(WORDS);
  });
});

describe("changes of a named survey", () => {
  it("are one for each act, with the response as it is now, and null when it is gone", async () => {
    const { open, people, changes, bank, tenant } = await createScene();
    const [robin, kim] = await people(2);
    if (robin === undefined || kim === undefined) throw new Error("nobody");
    const { id } = await open();
    const told = async () => (await changes()).filter(({ type }) => type.startsWith("survey-response."));
    const names = { surveyId: id, ideaBankId: bank.id };
    await answer(robin, id, { recommend: 1 });
    await answer(robin, id, { recommend: 1 });
    await answer(robin, id, { recommend: 9 });
    await answer(kim, id, { recommend: 5 });
    const now = await told();
    expect(now.map(({ type, panelistId, by }) => [type, panelistId, by])).toEqual([
      ["survey-response.created", robin.id, "panelist"],
      ["survey-response.updated", robin.id, "panelist"],
      ["survey-response.created", kim.id, "panelist"],
    ]);
    for (const each of now) expect(each).toMatchObject(names);
    expect(now[0]?.response).toMatchObject({ answers: { recommend: 9 } });
    expect(now[2]?.response).toMatchObject({ answers: { recommend: 5 } });
    await take(robin, id);
    await tenant.send("PUT", `${TENANT_SURVEYS}/${id}/responses/by-external-id/${kim.externalId}`, {
      answers: { recommend: 6 },
    });
    await tenant.send("DELETE", `${TENANT_SURVEYS}/${id}/responses/by-external-id/${kim.externalId}`);
    const later = await told();
    expect(later.map(({ type, panelistId, by }) => [type, panelistId, by]).slice(3)).toEqual([
      ["survey-response.deleted", robin.id, "panelist"],
      ["survey-response.updated", kim.id, "tenant"],
      ["survey-response.deleted", kim.id, "tenant"],
    ]);
    for (const each of later) expect(each.response).toBeNull();
  });

  it("an answer is no change of the survey: neither `survey.updated`, nor updatedAt, nor its ETag", async () => {
    const { open, panelist, changes, read, tenant } = await createScene();
    const robin = await panelist();
    const { id } = await open();
    const tag = async () => (await tenant.send("GET", `${TENANT_SURVEYS}/${id}`)).headers.get("ETag");
    const [before, told, seen] = [await tag(), (await changes()).length, await read(id)];
    await answer(robin, id, { recommend: 1 });
    expect(await tag()).toBe(before);
    expect((await read(id)).updatedAt).toBe(seen.updatedAt);
    expect((await changes()).slice(told).map(({ type }) => type)).toEqual(["survey-response.created"]);
  });

  it("show a response only to a key that may read surveys", async () => {
    const { open, panelist, bank } = await createScene();
    const robin = await panelist();
    const { id } = await open();
    await answer(robin, id, { recommend: 1, why: "secret words" });
    const narrow = await createTenant({ accountId: bank.accountId, scopes: ["ideabanks:read", "panelists:read"] });
    const text = await (await narrow.send("GET", "/tenant/changes?limit=100")).text();
    expect(text).toContain("survey-response.created");
    expect(text).not.toContain("secret words");
    const { items } = JSON.parse(text) as { items: Change[] };
    expect(items.find(({ type }) => type === "survey-response.created")).not.toHaveProperty("response");
  });

  it("a closing by the last response is told as a change of the survey", async () => {
    const { open, panelist, changes } = await createScene();
    const robin = await panelist();
    const { id } = await open({ maxResponses: 1 });
    const before = (await changes()).length;
    await answer(robin, id, { recommend: 1 });
    const told = (await changes()).slice(before);
    expect(told.map(({ type }) => type).toSorted()).toEqual(["survey-response.created", "survey.updated"]);
    expect(told.find(({ type }) => type === "survey.updated")?.survey).toMatchObject({ id, status: "CLOSED" });
  });
});

describe("costs", () => {
  /** A survey with so many responses, and one more person. */
  async function filled(count: number) {
    const scene = await createScene();
    const { id } = await scene.open();
    for (const person of await scene.people(count))
      await answer(person, id, { recommend: 3, why: "x", next: "dark", uses: ["map", "lost"] });
    const robin = await scene.panelist();
    const rows = { read: 0, written: 0 };
    const metered = meterDatabases(env, (results) => {
      for (const { meta } of results) {
        rows.read += meta.rows_read;
        rows.written += meta.rows_written;
      }
    });
    const { env: counted, counts } = countStores(metered);
    const isolate = createIsolate(withoutLimits(counted));
    const send = sendWith(isolate, robin.token);
    await send("GET", "/ideabank");
    const cost = async (work: () => Promise<Response>) => {
      Object.assign(rows, { read: 0, written: 0 });
      counts.d1 = 0;
      const { status } = await work();
      expect(status).toBeLessThan(300);
      return { ...rows, d1: counts.d1 };
    };
    const key = (method: string, path: string, body?: unknown) =>
      isolate.request(path, {
        method,
        headers: { "X-API-Key": scene.tenant.text, "Content-Type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
      });
    await key("GET", "/tenant/whoami");
    const path = `${TENANT_SURVEYS}/${id}`;
    const all: Record<string, Awaited<ReturnType<typeof cost>>> = {};
    all.list = await cost(() => send("GET", SURVEYS));
    all.one = await cost(() => send("GET", pathOf(id)));
    all.put = await cost(() => send("PUT", responseOf(id), { answers: { recommend: 3, why: "x", uses: ["map"] } }));
    all.same = await cost(() => send("PUT", responseOf(id), { answers: { recommend: 3, why: "x", uses: ["map"] } }));
    all.edit = await cost(() => send("PUT", responseOf(id), { answers: { recommend: 9, uses: ["lost"] } }));
    all.results = await cost(() => key("GET", `${path}/results`));
    all.responses = await cost(() => key("GET", `${path}/responses?limit=5`));
    all.texts = await cost(() => key("GET", `${path}/texts?question=why&limit=5`));
    all.delete = await cost(() => send("DELETE", responseOf(id)));
    return all;
  }

  it("are the same whatever has been answered; a read is one round trip, the same answers write nothing", async () => {
    const [few, many] = [await filled(12), await filled(150)];
    for (const [name, cost] of Object.entries(many)) {
      expect(cost.written, name).toBe(few[name]?.written);
      expect(cost.read, `${name} reads ${cost.read}, with few ${few[name]?.read}`).toBeLessThanOrEqual(
        (few[name]?.read ?? 0) + 10,
      );
    }
    expect(many.same?.written).toBe(0);
    for (const name of ["list", "one"]) expect(many[name]?.d1, name).toBe(1);
    for (const name of ["put", "edit", "delete", "same"])
      expect(many[name]?.d1, `${name}: ${many[name]?.d1} round trips`).toBeLessThanOrEqual(2);
    for (const name of ["put", "edit", "delete"]) expect(many[name]?.written, name).toBeLessThanOrEqual(10);
  });
});

it("an Idempotency-Key of a copy makes one copy", async () => {
  const { open, tenant, pages } = await createScene();
  const { id } = await open();
  const copy = async () =>
    (await tenant.send("POST", `${TENANT_SURVEYS}/${id}/copy`, undefined, { "Idempotency-Key": "one" })).json<Survey>();
  expect(await copy()).toEqual(await copy());
  expect(await pages(TENANT_SURVEYS)).toHaveLength(2);
});

it("two surveys of two idea banks of one account count for themselves", async () => {
  const scene = await createScene();
  const sister = await createScene({ accountId: scene.bank.accountId });
  const [mine, theirs] = [await scene.open(), await sister.open()];
  await answer(await scene.panelist(), mine.id, { recommend: 9 });
  await answer(await sister.panelist(), theirs.id, { recommend: 1 });
  await answer(await sister.panelist(), theirs.id, { recommend: 2 });
  expectTotals(await scene.results(mine.id), DESIGNED, [{ recommend: 9 }]);
  expectTotals(await sister.results(theirs.id), DESIGNED, [{ recommend: 1 }, { recommend: 2 }]);
});
