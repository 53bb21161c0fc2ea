/** Many and large responses, many surveys of one person: pages end, deletions finish, totals stay right. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { databaseOf } from "../support/databases.ts";
import { meterDatabases } from "../support/intercept-binding.ts";
import { createIsolate } from "../support/isolate.ts";
import { runJob } from "../support/job.ts";
import { withoutLimits } from "../support/limits.ts";
import { numbers } from "../support/many-rows.ts";
import { dumpDatabases } from "../support/tenant.ts";
import { expectTotals, type Question, type Results } from "./recount.ts";
import { answer, createScene, put, refusal, SCALE, type Scene, TENANT_SURVEYS, take } from "./scene.ts";

const LARGE: Question[] = Array.from({ length: 6 }, (_, at) => ({
  id: `t${at}`,
  kind: "text",
  title: `T${at}`,
  long: true,
}));
const MIB = 2 ** 20;

/** The same row as the first of a survey, so many times, under other respondents. Totals do not follow. */
async function multiply({ bank }: Scene, surveyId: string, count: number): Promise<void> {
  const database = databaseOf(bank.id);
  const row = await database
    .prepare("SELECT * FROM survey_responses WHERE survey_id = ?1 LIMIT 1")
    .bind(surveyId)
    .first<Record<string, unknown>>();
  if (row === null) throw new Error("no row");
  const names = Object.keys(row);
  const values = names.map((name) =>
    name === "respondent"
      ? "substr(respondent, 1, 6) || (100000 + i)"
      : name === "updated_at" || name === "created_at"
        ? `${name} - i`
        : name,
  );
  await database
    .prepare(
      `${numbers(1, count)} INSERT INTO survey_responses (${names.join()}) SELECT ${values.join()} FROM n, survey_responses WHERE survey_id = ?1 AND respondent = ?2`,
    )
    .bind(surveyId, row.respondent)
    .run();
}

describe("pages", () => {
  it("of large responses end at about 1 MiB, and have everybody once", async () => {
    const { open, people, tenant } = await createScene();
    const everybody = await people(45);
    const { id } = await open({ questions: LARGE });
    const answers = Object.fromEntries(LARGE.map((question) => [question.id, "x".repeat(5_000)]));
    for (const person of everybody) await answer(person, id, answers);
    const seen: string[] = [];
    let cursor = "";
    do {
      const text = await (await tenant.send("GET", `${TENANT_SURVEYS}/${id}/responses?limit=100${cursor}`)).text();
      expect(text.length).toBeLessThan(1.1 * MIB);
      const page = JSON.parse(text) as { items: { panelistId: string }[]; nextCursor?: string };
      expect(page.items.length).toBeGreaterThan(0);
      seen.push(...page.items.map(({ panelistId }) => panelistId));
      cursor = page.nextCursor === undefined ? "" : `&cursor=${page.nextCursor}`;
    } while (cursor !== "");
    expect(seen.toSorted()).toEqual(everybody.map((each) => each.id).toSorted());
  });

  it.each([false, true])("of long texts in four bytes a character end too (anonymous: %s)", async (anonymous) => {
    const { open, people, tenant } = await createScene();
    const everybody = await people(75);
    const { id } = await open({ questions: LARGE.slice(0, 1), anonymous });
    for (const person of everybody) await answer(person, id, { t0: "\u{1f600}".repeat(5_000) });
    let [count, cursor] = [0, ""];
    do {
      const given = await tenant.send("GET", `${TENANT_SURVEYS}/${id}/texts?question=t0&limit=100${cursor}`);
      const bytes = await given.arrayBuffer();
      expect([given.status, bytes.byteLength < 1.1 * MIB]).toEqual([200, true]);
      const page = JSON.parse(new TextDecoder().decode(bytes)) as { items: unknown[]; nextCursor?: string };
      count += page.items.length;
      cursor = page.nextCursor === undefined ? "" : `&cursor=${page.nextCursor}`;
    } while (cursor !== "");
    expect(count).toBe(75);
  });

  it("begun before responses come and go have the others once", async () => {
    const { open, people, ask } = await createScene();
    const everybody = await people(30);
    const { id } = await open({ questions: SCALE });
    for (const person of everybody.slice(0, 25)) await answer(person, id, { q: 1 });
    type Page = { items: { panelistId: string }[]; nextCursor?: string };
    const first = await ask<Page>("GET", `${TENANT_SURVEYS}/${id}/responses?limit=10`);
    for (const person of everybody.slice(25)) await answer(person, id, { q: 2 });
    const seen = first.items.map(({ panelistId }) => panelistId);
    const gone = everybody.slice(0, 25).find((person) => !seen.includes(person.id));
    if (gone === undefined) throw new Error("nobody");
    await take(gone, id);
    let cursor = first.nextCursor;
    while (cursor !== undefined) {
      const page: Page = await ask<Page>("GET", `${TENANT_SURVEYS}/${id}/responses?limit=10&cursor=${cursor}`);
      seen.push(...page.items.map(({ panelistId }) => panelistId));
      cursor = page.nextCursor;
    }
    expect(new Set(seen).size).toBe(seen.length);
    for (const person of everybody.slice(0, 25)) if (person !== gone) expect(seen).toContain(person.id);
    expect(seen).not.toContain(gone.id);
  });
});

describe("a filter", () => {
  it("over more than 5,000 reads the newest 5,000 and says that it is not complete", async () => {
    const scene = await createScene();
    const { id } = await scene.open({ questions: SCALE });
    await answer(await scene.panelist(), id, { q: 3 });
    await multiply(scene, id, 4_999);
    const filter = () => scene.ask<Results>("GET", `${TENANT_SURVEYS}/${id}/results?question=q&answer=3`);
    expect(await filter()).toMatchObject({ responses: 5_000, complete: true });
    await answer(await scene.panelist(), id, { q: 4 });
    const more = await filter();
    expect([more.responses, more.complete]).toEqual([4_999, false]);
    expectTotals(more, SCALE, Array(4_999).fill({ q: 3 }));
  });

  it("over large responses answers as well", async () => {
    const scene = await createScene();
    const questions: Question[] = [...SCALE, ...LARGE];
    const { id } = await scene.open({ questions });
    await answer(await scene.panelist(), id, {
      q: 3,
      ...Object.fromEntries(LARGE.map((question) => [question.id, "x".repeat(5_000)])),
    });
    await multiply(scene, id, 700);
    const given = await scene.ask<Results>("GET", `${TENANT_SURVEYS}/${id}/results?question=q&answer=3`);
    expect(given.responses).toBeGreaterThan(0);
    if (given.complete === true) expect(given.responses).toBe(701);
  });
});

describe("deleting", () => {
  it("a person who answered 60 surveys takes them out of all", async () => {
    const { open, close, people, tenant, results, responses } = await createScene();
    const [robin, kim] = await people(2);
    if (robin === undefined || kim === undefined) throw new Error("nobody");
    const ids: string[] = [];
    for (let count = 0; count < 60; count++) {
      const { id } = await open({ questions: SCALE, anonymous: count % 10 === 9 });
      ids.push(id);
      await answer(robin, id, { q: 1 });
      if (count % 10 !== 9) await answer(kim, id, { q: 5 });
      if (count % 10 !== 9 || count > 49) await close(id);
    }
    expect((await tenant.send("DELETE", `/tenant/panelists/${robin.id}`)).status).toBe(204);
    for (let times = 0; times < 3; times++) await runJob(env);
    for (const [at, id] of ids.entries()) {
      if (at % 10 === 9) continue;
      expectTotals(await results(id), SCALE, [{ q: 5 }]);
      expect((await responses(id)).map(({ panelistId }) => panelistId)).toEqual([kim.id]);
    }
  });

  it("a survey with 6,000 responses answers at once, writes at most 5,000 rows, and leaves nothing", async () => {
    const scene = await createScene();
    const { id } = await scene.open({ questions: [{ id: "t", kind: "text", title: "T" }] });
    await answer(await scene.panelist(), id, { t: "a-text-to-find" });
    await multiply(scene, id, 6_000);
    let written = 0;
    const isolate = createIsolate(
      withoutLimits(
        meterDatabases(env, (results) => {
          for (const { meta } of results) written += meta.rows_written;
        }),
      ),
    );
    const given = await isolate.request(`${TENANT_SURVEYS}/${id}`, {
      method: "DELETE",
      headers: { "X-API-Key": scene.tenant.text },
    });
    expect(given.status).toBe(204);
    expect(written).toBeLessThanOrEqual(5_000);
    expect((await scene.tenant.send("GET", `${TENANT_SURVEYS}/${id}`)).status).toBe(403);
    for (let times = 0; times < 6; times++) await runJob(env);
    expect(JSON.stringify(await dumpDatabases())).not.toContain("a-text-to-find");
  });
});

describe("a survey that is full", () => {
  it("is not reopened without a higher limit, unless somebody has gone", async () => {
    const { open, patch, change, people, read } = await createScene();
    const [one, two, three] = await people(3);
    if (one === undefined || two === undefined || three === undefined) throw new Error("nobody");
    const { id } = await open({ questions: SCALE, maxResponses: 2 });
    for (const person of [one, two]) await answer(person, id, { q: 1 });
    const refused = await refusal(await patch(id, { status: "OPEN" }));
    expect([400, 409], refused.text).toContain(refused.status);
    expect((await read(id)).status).toBe("CLOSED");
    await change(id, { status: "OPEN", maxResponses: null });
    await answer(three, id, { q: 1 });
  });

  it("never takes more than it may through reopening, taking back and answering at once", async () => {
    const { open, patch, people, responses, read } = await createScene();
    const everybody = await people(12);
    const { id } = await open({ questions: SCALE, maxResponses: 4 });
    for (let round = 0; round < 6; round++) {
      await Promise.all([
        ...everybody.map((person, at) =>
          (at + round) % 4 === 0 ? take(person, id) : put(person, id, { q: 1 + ((at + round) % 5) }),
        ),
        patch(id, { status: "OPEN" }),
      ]);
      const listed = await responses(id);
      expect(listed.length).toBeLessThanOrEqual(4);
      expect((await read(id)).responses).toBe(listed.length);
    }
  });
});
