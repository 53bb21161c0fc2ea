/** What an anonymous survey tells: attacks by subtraction, by time, by list, by name. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { DATABASES } from "../support/databases.ts";
import { createIsolate } from "../support/isolate.ts";
import { runJob } from "../support/job.ts";
import { withoutLimits } from "../support/limits.ts";
import { dataPoints, requestLines, textOf } from "../support/observed.ts";
import { createOwner } from "../support/owner.ts";
import { type Panelist, sendWith } from "../support/panel.ts";
import { createSigner } from "../support/signing.ts";
import { dumpDatabases } from "../support/tenant.ts";
import { createWebhookScene } from "../support/webhooks.ts";
import { expectTotals, type Question } from "./recount.ts";
import {
  answer,
  createScene,
  DESIGNED,
  inFuture,
  put,
  refusal,
  responseOf,
  SCALE,
  type Scene,
  type Survey,
  sleep,
  TENANT_SURVEYS,
  take,
} from "./scene.ts";

const TWO_TEXTS: Question[] = [
  { id: "a", kind: "text", title: "A" },
  { id: "b", kind: "text", title: "B" },
  { id: "s", kind: "scale", title: "S", from: 0, to: 10 },
];

async function openScene(count: number, fields: object = {}) {
  const scene = await createScene();
  const people = await scene.people(count);
  const survey = await scene.open({ anonymous: true, questions: SCALE, ...fields });
  return { ...scene, everybody: people, person: (at: number) => at_(people, at), survey, id: survey.id };
}

function at_<Item>(items: readonly Item[], at: number): Item {
  const item = items[at];
  if (item === undefined) throw new Error(`there is no ${at}`);
  return item;
}

/** Everything that the key reads of a survey, with ETags. */
async function seen({ tenant }: Pick<Scene, "tenant">, id: string, texts: readonly string[] = []): Promise<unknown[]> {
  const path = `${TENANT_SURVEYS}/${id}`;
  const all = [];
  for (const at of [
    path,
    `${path}/results`,
    TENANT_SURVEYS,
    "/tenant/changes?limit=100",
    `${path}/responses`,
    `${path}/responses.csv`,
  ]) {
    const given = await tenant.send("GET", at);
    const text = (await given.text()).replace(/"nextCursor":"[^"]*"/, "");
    all.push([at, given.status, given.headers.get("ETag"), given.headers.get("Last-Modified"), text]);
  }
  for (const question of texts) {
    const { items } = await (await tenant.send("GET", `${path}/texts?question=${question}&limit=100`)).json<{
      items: object[];
    }>();
    all.push([question, items.map((item) => JSON.stringify(item)).toSorted()]);
  }
  return all;
}

describe("steps of five", () => {
  it("nothing moves before the fifth, then it moves by five, and again at the tenth", async () => {
    const scene = await openScene(11);
    const { id, person, results, read } = scene;
    let before = await seen(scene, id);
    expect(await results(id)).toMatchObject({ responses: 0, shown: 0 });
    for (let count = 1; count <= 11; count++) {
      await answer(person(count - 1), id, { q: 1 + (count % 5) });
      const now = await seen(scene, id);
      const { responses, shown, questions } = await results(id);
      const step = count - (count % 5);
      expect([responses, shown, (await read(id)).responses], `after ${count}`).toEqual([step, step, step]);
      if (count % 5 !== 0) expect(now, `after ${count}`).toEqual(before);
      const counted = Array.from({ length: step }, (_, at) => ({ q: 1 + ((at + 1) % 5) }));
      expectTotals({ responses, questions }, SCALE, counted, `after ${count}`);
      before = now;
    }
  });

  it("an edit shows with the next step, and so does what was taken back", async () => {
    const scene = await openScene(10);
    const { id, person, results } = scene;
    for (let at = 0; at < 5; at++) await answer(person(at), id, { q: 1 });
    const before = await seen(scene, id);
    await answer(person(0), id, { q: 5 });
    expect(await seen(scene, id)).toEqual(before);
    expect((await take(person(1), id)).status).toBe(204);
    expect(await seen(scene, id)).toEqual(before);
    for (let at = 5; at < 9; at++) await answer(person(at), id, { q: 2 });
    expect(await seen(scene, id)).toEqual(before);
    await answer(person(9), id, { q: 2 });
    const now = await results(id);
    expect([now.responses, now.shown]).toEqual([9, 9]);
    expectTotals(
      now,
      SCALE,
      [5, 1, 1, 1, 2, 2, 2, 2, 2].map((q) => ({ q })),
    );
  });

  it("one person who answers and takes back five times makes no step", async () => {
    const scene = await openScene(3);
    const { id, person } = scene;
    await answer(person(1), id, { q: 3 });
    const before = await seen(scene, id);
    for (let times = 0; times < 6; times++) {
      await answer(person(0), id, { q: 1 });
      await take(person(0), id);
      expect(await seen(scene, id)).toEqual(before);
    }
    for (let times = 0; times < 6; times++) {
      await answer(person(0), id, { q: 1 + (times % 5) });
      expect(await seen(scene, id)).toEqual(before);
    }
  });

  it("one person of those who are shown, who takes back and answers again, makes no step with one other", async () => {
    const scene = await openScene(7);
    const { id, person } = scene;
    for (let at = 0; at < 5; at++) await answer(person(at), id, { q: 1 });
    const before = await seen(scene, id);
    for (let times = 0; times < 4; times++) {
      await take(person(0), id);
      await answer(person(0), id, { q: 1 });
    }
    await answer(person(5), id, { q: 5 });
    expect(await seen(scene, id)).toEqual(before);
  });

  it.each(["take back", "are deleted by the owner"])(
    "four who %s before the fifth answers leave nothing to subtract from",
    async (how) => {
      const scene = await openScene(12);
      const { id, person, tenant } = scene;
      for (let at = 0; at < 5; at++) await answer(person(at), id, { q: 1 });
      const before = await scene.results(id);
      for (let at = 5; at < 9; at++) {
        await answer(person(at), id, { q: 2 });
        if (how === "take back") await take(person(at), id);
        else await tenant.send("DELETE", `/tenant/panelists/${person(at).id}`);
      }
      await runJob(env);
      await answer(person(9), id, { q: 5 });
      expect(await scene.results(id)).toEqual(before);
    },
  );

  it("twenty at once never show a number that is no step", async () => {
    const scene = await openScene(20);
    const { id, everybody, results } = scene;
    const numbers = new Set<number>();
    const [counted] = await Promise.all([
      (async () => {
        for (let times = 0; times < 20; times++) numbers.add((await results(id)).responses);
        return numbers;
      })(),
      ...everybody.map((person) => answer(person, id, { q: 3 })),
    ]);
    for (const number of counted) expect(number % 5).toBe(0);
    expect((await results(id)).responses).toBe(20);
  });
});

describe("the close", () => {
  it.each([1, 2, 3, 4])(
    "shows the number alone of %d since the last step, and totals never move again",
    async (more) => {
      const scene = await openScene(5 + more, { questions: TWO_TEXTS });
      const { id, person, results, close, texts } = scene;
      for (let at = 0; at < 5; at++) await answer(person(at), id, { a: `a${at}`, s: 1 });
      const { questions } = await results(id);
      for (let at = 5; at < 5 + more; at++) await answer(person(at), id, { a: `secret${at}`, s: 10 });
      await close(id);
      expect(await results(id)).toMatchObject({ responses: 5 + more, shown: 5, questions });
      expect((await texts(id, "a")).map(({ text }) => text).toSorted()).toEqual(["a0", "a1", "a2", "a3", "a4"]);
      const before = await seen(scene, id, ["a"]);
      await take(person(0), id);
      await scene.tenant.send("DELETE", `/tenant/panelists/${person(6 - (more === 1 ? 1 : 0)).id}`);
      await runJob(env);
      const after = await seen(scene, id, ["a"]);
      const withoutChanges = (all: unknown[]) =>
        all.filter((each) => !JSON.stringify(each).startsWith('["/tenant/changes'));
      expect(withoutChanges(after)).toEqual(withoutChanges(before));
    },
  );

  it("of fewer than five in all shows their number and nothing else", async () => {
    const scene = await openScene(4, { questions: TWO_TEXTS });
    const { id, everybody, results, close, texts } = scene;
    for (const person of everybody) await answer(person, id, { a: "secret", b: "secret", s: 7 });
    expect(await results(id)).toMatchObject({ responses: 0, shown: 0 });
    await close(id);
    const shown = await results(id);
    expect([shown.responses, shown.shown]).toEqual([4, 0]);
    expectTotals(shown, TWO_TEXTS, []);
    expect(await texts(id, "a")).toEqual([]);
  });

  it("does not reveal one that was edited, taken back or deleted since the last step", async () => {
    for (const act of ["edit", "take back", "delete"]) {
      const scene = await openScene(5);
      const { id, person, results, close, tenant } = scene;
      for (let at = 0; at < 5; at++) await answer(person(at), id, { q: at === 0 ? 5 : 1 });
      const { questions } = await results(id);
      if (act === "edit") await answer(person(0), id, { q: 2 });
      if (act === "take back") await take(person(0), id);
      if (act === "delete") await tenant.send("DELETE", `/tenant/panelists/${person(0).id}`);
      await runJob(env);
      await close(id);
      const closed = await results(id);
      expect(closed.questions, act).toEqual(questions);
      expect([closed.responses, closed.shown], act).toEqual([act === "edit" ? 5 : 4, 5]);
    }
  });

  it("by maxResponses is one as well", async () => {
    const { id, everybody, results, read } = await openScene(8, { maxResponses: 7 });
    for (const person of everybody.slice(0, 7)) await answer(person, id, { q: 2 });
    expect((await read(id)).status).toBe("CLOSED");
    expect(await results(id)).toMatchObject({ responses: 7, shown: 5 });
    for (const person of everybody) expect((await put(person, id, { q: 4 })).status).toBe(404);
  });

  it.each(["by hand", "by maxResponses", "by closesAt and the job"])(
    "%s destroys the salt, and it is never open again",
    async (how) => {
      const { id, everybody, patch, close, read } = await openScene(5, {
        ...(how === "by maxResponses" && { maxResponses: 5 }),
        ...(how === "by closesAt and the job" && { closesAt: inFuture(2_000) }),
      });
      const salts = async () => {
        const found: unknown[] = [];
        for (const database of DATABASES) {
          const { results } = await database.prepare("SELECT * FROM surveys").all();
          for (const row of results)
            for (const [name, value] of Object.entries(row)) if (name.includes("salt")) found.push(value);
        }
        return found;
      };
      expect((await salts()).filter((salt) => salt !== null)).toHaveLength(1);
      for (const person of everybody) await answer(person, id, { q: 1 });
      if (how === "by hand") await close(id);
      if (how === "by closesAt and the job") {
        await sleep(2_100);
        await runJob(env);
      }
      expect(await salts()).toEqual([null]);
      expect((await read(id)).status).toBe("CLOSED");
      for (const fields of [
        { status: "OPEN" },
        { status: "DRAFT" },
        { status: "OPEN", closesAt: inFuture(60_000), maxResponses: 100 },
      ]) {
        const refused = await refusal(await patch(id, fields));
        expect([refused.status, refused.error], refused.text).toEqual([409, "conflict"]);
      }
      for (const person of everybody) expect((await put(person, id, { q: 2 })).status).toBe(404);
    },
  );

  it("by closesAt is one before the job has run, too: nothing reopens it and nothing shows", async () => {
    const { id, everybody, patch, results } = await openScene(7, { closesAt: inFuture(2_000) });
    for (const person of everybody) await answer(person, id, { q: 1 });
    await sleep(2_100);
    const { questions } = await results(id);
    for (const fields of [{ status: "OPEN" }, { closesAt: inFuture(60_000) }, { closesAt: null }]) {
      const refused = await patch(id, fields);
      expect([200, 400, 409], JSON.stringify(fields)).toContain(refused.status);
      if (refused.status === 200) expect((await refused.json<Survey>()).status).toBe("CLOSED");
    }
    for (const person of everybody) expect((await put(person, id, { q: 2 })).status).toBe(404);
    await runJob(env);
    expect(await results(id)).toMatchObject({ responses: 7, shown: 5, questions });
  });
});

describe("rows", () => {
  it("there are none, no CSV of them, and no answer on somebody's behalf: 409, whoever has answered", async () => {
    const { id, everybody, person, tenant, close } = await openScene(10);
    for (const each of everybody.slice(0, 9)) await answer(each, id, { q: 1 });
    const path = `${TENANT_SURVEYS}/${id}`;
    const ask = async () => {
      const texts = [];
      for (const [method, below, body] of [
        ["GET", "/responses"],
        ["GET", "/responses?question=q&answer=1"],
        ["GET", "/responses.csv"],
        ["GET", "/responses.csv?labels=true"],
        ["PUT", `/responses/by-external-id/${person(0).externalId}`, { answers: { q: 1 } }],
        ["PUT", `/responses/by-external-id/${person(9).externalId}`, { answers: { q: 1 } }],
        ["DELETE", `/responses/by-external-id/${person(0).externalId}`],
        ["DELETE", `/responses/by-external-id/${person(9).externalId}`],
      ] as const) {
        const refused = await refusal(await tenant.send(method, path + below, body));
        expect([refused.status, refused.error], `${method} ${below} ${refused.text}`).toEqual([409, "conflict"]);
        texts.push(refused.text);
      }
      expect(texts[4]).toBe(texts[5]);
      expect(texts[6]).toBe(texts[7]);
    };
    await ask();
    await close(id);
    await ask();
  });

  it("texts have only a text, none before its step, and each question's stand in an order of their own", async () => {
    const scene = await openScene(30, { questions: TWO_TEXTS });
    const { id, everybody, texts, tenant } = scene;
    for (const [at, person] of everybody.entries()) {
      await answer(person, id, { a: `a${at}`, b: `b${at}` });
      for (const question of ["a", "b"]) expect(await texts(id, question)).toHaveLength(at + 1 - ((at + 1) % 5));
    }
    const orders = [];
    for (const question of ["a", "b"]) {
      const items = await texts(id, question);
      for (const item of items) expect(Object.keys(item)).toEqual(["text"]);
      orders.push(items.map(({ text }) => Number(text.slice(1))));
    }
    const given = everybody.map((_, at) => at);
    for (const order of orders) {
      expect(order.toSorted((left, right) => left - right)).toEqual(given);
      expect(order).not.toEqual(given);
      expect(order).not.toEqual(given.toReversed());
      expect(correlation(order)).toBeLessThan(0.7);
    }
    expect(orders[0]).not.toEqual(orders[1]);
    const pages = [];
    let cursor = "";
    do {
      const page = await (await tenant.send("GET", `${TENANT_SURVEYS}/${id}/texts?question=a&limit=7${cursor}`)).json<{
        items: { text: string }[];
        nextCursor?: string;
      }>();
      pages.push(...page.items.map(({ text }) => text));
      cursor = page.nextCursor === undefined ? "" : `&cursor=${page.nextCursor}`;
    } while (cursor !== "");
    expect(new Set(pages).size).toBe(30);
  });

  it("the order of texts does not tell which five came last", async () => {
    const { id, everybody, texts } = await openScene(30, { questions: TWO_TEXTS });
    for (const [at, person] of everybody.entries()) await answer(person, id, { a: `a${at}` });
    const blocks = (await texts(id, "a")).map(({ text }) => Math.floor(Number(text.slice(1)) / 5));
    const changesOfBlock = blocks.filter((block, at) => at > 0 && block !== blocks[at - 1]).length;
    expect(changesOfBlock, blocks.join()).toBeGreaterThan(10);
  });
});

/** Of the order with the numbers themselves, whichever way it runs. */
function correlation(order: readonly number[]): number {
  const mean = (order.length - 1) / 2;
  const spread = order.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.abs(order.reduce((sum, value, at) => sum + (value - mean) * (at - mean), 0) / spread);
}

describe("a filter", () => {
  const CHOICE: Question[] = [
    { id: "c", kind: "choice", title: "C", required: true, options: ["x", "y", "z"].map((id) => ({ id, label: id })) },
    { id: "s", kind: "scale", title: "S", from: 0, to: 10 },
    { id: "t", kind: "text", title: "T" },
  ];
  /** `counts` people each choose x, y, z; who chooses the nth gives that point. */
  async function filterScene(counts: readonly number[]) {
    const chosen = counts.flatMap((count, at) => Array<number>(count).fill(at));
    const scene = await openScene(chosen.length, { questions: CHOICE });
    for (const [at, which] of chosen.entries())
      await answer(scene.person(at), scene.id, { c: ["x", "y", "z"][which], s: which, t: `t${at}` });
    const filter = (query: string) => scene.tenant.send("GET", `${TENANT_SURVEYS}/${scene.id}/results?${query}`);
    return { ...scene, filter };
  }

  it("is 409 while it is open, even with enough on both sides", async () => {
    const { filter, close, id } = await filterScene([10, 10]);
    expect(await refusal(await filter("question=c&answer=x"))).toMatchObject({ status: 409, error: "conflict" });
    await close(id);
    expect((await filter("question=c&answer=x")).status).toBe(200);
  });

  it("needs five inside and five outside, and a refusal does not say which is missing", async () => {
    const { filter, close, id } = await filterScene([4, 6]);
    await close(id);
    const texts = [];
    for (const answer of ["x", "y", "z"]) {
      const refused = await refusal(await filter(`question=c&answer=${answer}`));
      expect([refused.status, refused.error], answer + refused.text).toEqual([409, "conflict"]);
      texts.push(refused.text);
    }
    expect(new Set(texts).size).toBe(1);
  });

  it("counts those who are shown, not those who came after the last step", async () => {
    const { filter, close, id, results } = await filterScene([5, 5, 3]);
    await close(id);
    const all = await results(id);
    expect([all.responses, all.shown]).toEqual([13, 10]);
    const given = await filter("question=c&answer=x");
    expect(given.status).toBe(200);
    const inside = await given.json<{ responses: number; questions: { id: string; mean?: number }[] }>();
    expect(inside.responses).toBe(5);
    for (const answer of ["y", "z"])
      expect(
        (await (await filter(`question=c&answer=${answer}`)).json<{ responses: number }>()).responses,
        answer,
      ).toBe(answer === "y" ? 5 : 0);
  });

  it("with five on each side is the recount, and the complement is theirs", async () => {
    const { filter, close, id } = await filterScene([5, 5]);
    await close(id);
    for (const [answer, point] of [
      ["x", 0],
      ["y", 1],
    ] as const) {
      const given = await (await filter(`question=c&answer=${answer}`)).json<Parameters<typeof expectTotals>[0]>();
      expect(given.responses).toBe(5);
      expectTotals(given, CHOICE.slice(0, 2).concat(CHOICE[2] ?? []), Array(5).fill({ c: answer, s: point, t: "t" }));
    }
  });

  it("and another one leave nobody alone between them: 7, 1 and 7 of three options", async () => {
    const { filter, close, id } = await filterScene([7, 1, 7]);
    await close(id);
    const statuses = [];
    for (const answer of ["x", "y", "z"]) statuses.push((await filter(`question=c&answer=${answer}`)).status);
    // With both of x and z, all less x less z is what y's one person said.
    expect(statuses.filter((status) => status === 200).length).toBeLessThan(2);
  });
});

describe("numbers that could be had otherwise", () => {
  it("maxResponses is compared with the number that is shown, so that asking tells nothing", async () => {
    const outcomes = [];
    for (const count of [5, 8]) {
      const { id, everybody, patch, read } = await openScene(count);
      for (const person of everybody) await answer(person, id, { q: 1 });
      const outcome: unknown[] = [];
      for (const maxResponses of [3, 5]) {
        const refused = await refusal(await patch(id, { maxResponses }));
        outcome.push([refused.status, refused.text.replaceAll(id, "")]);
      }
      outcome.push((await patch(id, { maxResponses: 9 })).status);
      outcome.push((await patch(id, { maxResponses: null })).status);
      expect((await read(id)).status).toBe("OPEN");
      outcome.push((await patch(id, { maxResponses: 7 })).status);
      outcomes.push(outcome);
    }
    expect(outcomes[1]).toEqual(outcomes[0]);
  });

  it("the same after a deletion of a person: maxResponses does not say whether that person had answered", async () => {
    const outcomes = [];
    for (const hasAnswered of [true, false]) {
      const { id, everybody, person, patch, tenant } = await openScene(11);
      for (const each of everybody.slice(0, 9)) await answer(each, id, { q: 1 });
      await tenant.send("DELETE", `/tenant/panelists/${person(hasAnswered ? 0 : 10).id}`);
      await runJob(env);
      outcomes.push((await patch(id, { maxResponses: 9 })).status);
    }
    expect(outcomes[1]).toBe(outcomes[0]);
  });

  it("opening, copying and editing a survey between steps tells no number", async () => {
    const outcomes = [];
    for (const count of [5, 9]) {
      const { id, everybody, change, tenant } = await openScene(count);
      for (const person of everybody) await answer(person, id, { q: 1 });
      const edited = await change(id, { title: "New" });
      const copied = await (await tenant.send("POST", `${TENANT_SURVEYS}/${id}/copy`)).json<Survey>();
      outcomes.push([edited.responses, copied.responses]);
    }
    expect(outcomes).toEqual([
      [5, 0],
      [5, 0],
    ]);
  });

  it("an edit of the survey between steps does not show what has come since", async () => {
    const scene = await openScene(8);
    const { id, everybody, results, change } = scene;
    for (const person of everybody) await answer(person, id, { q: 1 });
    const before = await results(id);
    await change(id, { title: "New", description: "New", closesAt: inFuture(1_000_000) });
    await runJob(env);
    expect(await results(id)).toEqual(before);
  });
});

describe("who has answered", () => {
  it("is in no row, no change, no log line and no data point, also with an Idempotency-Key", async () => {
    const { id, everybody, changes } = await openScene(6, { questions: TWO_TEXTS });
    const rows = async () => {
      const tables = (await dumpDatabases()) as [string, object[]][][];
      return tables.flat().flatMap(([table, each]) => each.map((row) => `${table} ${JSON.stringify(row)}`));
    };
    const before = new Set(await rows());
    const [linesBefore, told] = [requestLines().length, (await changes()).length];
    for (const [at, person] of everybody.entries()) {
      const given = await put(person, id, { a: `text ${at}`, s: 3 }, { "Idempotency-Key": `key-${at}` });
      expect([200, 400]).toContain(given.status);
      if (given.status !== 200) await answer(person, id, { a: `text ${at}`, s: 3 });
    }
    const written = (await rows()).filter((row) => !before.has(row));
    expect(written.length).toBeGreaterThan(0);
    const logged = [...requestLines().slice(linesBefore), ...dataPoints()].map((line) => textOf(line));
    for (const text of [...written, ...logged, JSON.stringify((await changes()).slice(told))])
      for (const { id: panelistId, externalId } of everybody) {
        expect(text).not.toContain(panelistId);
        expect(text).not.toContain(externalId);
      }
  });

  it("a row of a response has the day, and so have the person's own times", async () => {
    const { id, person } = await openScene(1, { questions: TWO_TEXTS });
    const stored = await answer(person(0), id, { a: "a text to find" });
    for (const time of [stored.createdAt, stored.updatedAt]) expect(time).toMatch(/T00:00:00\.000Z$/);
    await sleep(20);
    const edited = await answer(person(0), id, { a: "a text to find again" });
    for (const time of [edited.createdAt, edited.updatedAt]) expect(time).toMatch(/T00:00:00\.000Z$/);
    const now = Date.now();
    const tables = ((await dumpDatabases()) as [string, object[]][][]).flat();
    const found = tables.flatMap(([, rows]) => rows).filter((row) => JSON.stringify(row).includes("a text to find"));
    expect(found.length).toBeGreaterThan(0);
    for (const row of found)
      for (const [name, value] of Object.entries(row))
        if (typeof value === "number" && Math.abs(value - now) < 600_000)
          expect(`${name}: ${value}`).toBe("no time of day");
  });

  it("cannot be seen by the panelists: a signed token's person is not made, renamed or told of by an answer", async () => {
    const isolate = createIsolate(withoutLimits(env));
    const { sign, tenant, bank } = await createSigner(isolate);
    const fields = { title: "T", ideaBankId: bank.id, questions: SCALE, anonymous: true };
    const { id } = await (await tenant.send("POST", TENANT_SURVEYS, fields)).json<Survey>();
    expect((await tenant.send("PATCH", `${TENANT_SURVEYS}/${id}`, { status: "OPEN" })).status).toBe(200);
    await tenant.send("POST", "/tenant/panelists", { externalId: "known", displayName: "Before" });
    const look = async () => {
      const all = [];
      for (const path of [
        "/tenant/panelists?limit=100",
        "/tenant/changes?limit=100",
        "/tenant/panelists?externalId=customer-42",
      ])
        all.push((await (await tenant.send("GET", path)).text()).replace(/"nextCursor":"[^"]*"/, ""));
      return all;
    };
    const before = await look();
    for (const [sub, name] of [
      ["customer-42", "Robin"],
      ["known", "After"],
    ] as const) {
      const send = sendWith(isolate, await sign(sub, { name }));
      expect((await send("PUT", responseOf(id), { answers: { q: 3 } })).status).toBe(200);
      expect((await send("PUT", responseOf(id), { answers: { q: 4 } })).status).toBe(200);
      expect(await (await send("GET", `/surveys/${id}`)).json()).toMatchObject({ response: { answers: { q: 4 } } });
    }
    expect(await look()).toEqual(before);
  });

  it("a panelist's own record stays as it was, byte for byte", async () => {
    const { id, person, tenant } = await openScene(2);
    const paths = [`/tenant/panelists/${person(0).id}`, `/tenant/panelists/${person(0).id}/votes`];
    const look = () =>
      Promise.all(
        paths.map(async (path) => {
          const given = await tenant.send("GET", path);
          return [given.status, given.headers.get("ETag"), await given.text()];
        }),
      );
    const before = await look();
    await answer(person(0), id, { q: 1 });
    expect(await look()).toEqual(before);
  });

  it("deleting a person who answered, or did not, looks the same", async () => {
    const outcomes = [];
    for (const hasAnswered of [true, false]) {
      const scene = await openScene(8);
      const { id, everybody, person, tenant, changes } = scene;
      for (const each of everybody.slice(0, 7)) await answer(each, id, { q: 1 });
      const deleted = await tenant.send("DELETE", `/tenant/panelists/${person(hasAnswered ? 0 : 7).id}`);
      await runJob(env);
      const { items } = await (await tenant.send("GET", TENANT_SURVEYS)).json<{ items: Survey[] }>();
      const types = (await changes()).map(({ type }) => type);
      outcomes.push([
        deleted.status,
        await scene.results(id),
        items.map(({ responses, status }) => [responses, status]),
        types,
      ]);
    }
    expect(outcomes[1]).toEqual(outcomes[0]);
  });
});

describe("the account's storage", () => {
  it("as its owner reads it moves with the steps alone, whatever is written, taken back or deleted", async () => {
    const owner = createOwner();
    const { key } = await owner.create();
    const isolate = owner.isolate;
    const ask = async <Body>(method: string, path: string, body?: object) => {
      const headers = { "X-API-Key": key, "Content-Type": "application/json" };
      const given = await isolate.request(path, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await given.text();
      expect(given.status, text).toBeLessThan(300);
      return (text === "" ? {} : JSON.parse(text)) as Body;
    };
    const bank = await ask<{ id: string }>("POST", "/tenant/ideabanks", { name: "N", status: "OPEN" });
    const { id } = await ask<Survey>("POST", TENANT_SURVEYS, {
      title: "T",
      ideaBankId: bank.id,
      questions: TWO_TEXTS,
      anonymous: true,
    });
    await ask("PATCH", `${TENANT_SURVEYS}/${id}`, { status: "OPEN" });
    const people: { send: ReturnType<typeof sendWith>; panelistId: string }[] = [];
    for (let count = 0; count < 10; count++) {
      const { token, panelistId } = await ask<{ token: string; panelistId: string }>(
        "POST",
        `/tenant/ideabanks/${bank.id}/tokens`,
        { externalId: `p${count}` },
      );
      people.push({ send: sendWith(isolate, token), panelistId });
    }
    const used = async () => {
      const { storage } = await (await owner.json("GET", "/keys")).json<{ storage: { usedBytes: number } }>();
      return storage.usedBytes;
    };
    for (let at = 0; at < 5; at++) await answer(at_(people, at), id, { a: "x".repeat(100 * at), s: at });
    const before = await used();
    for (let at = 5; at < 9; at++) {
      await answer(at_(people, at), id, { a: "x".repeat(at) });
      expect(await used(), `after ${at + 1}`).toBe(before);
    }
    await answer(at_(people, 0), id, { a: "x".repeat(4_000) });
    expect(await used(), "after an edit").toBe(before);
    await take(at_(people, 1), id);
    expect(await used(), "after one was taken back").toBe(before);
    const freed: number[] = [];
    for (const at of [2, 9]) {
      const here = await used();
      await ask("DELETE", `/tenant/panelists/${at_(people, at).panelistId}`);
      await runJob(env);
      freed.push(here - (await used()));
    }
    expect(freed[0], "who answered and who did not free the same").toBe(freed[1]);
  });
});

describe("changes and webhooks", () => {
  it("tell one `created` for each step, that names nobody", async () => {
    const { id, everybody, changes, bank } = await openScene(12, { questions: TWO_TEXTS });
    const told = async () => (await changes()).filter(({ type }) => type.startsWith("survey-response"));
    for (const [at, person] of everybody.entries()) {
      await answer(person, id, { a: `text ${at}` });
      expect(await told(), `after ${at + 1}`).toHaveLength(Math.floor((at + 1) / 5));
    }
    await take(everybody[0] as Panelist, id);
    await answer(everybody[1] as Panelist, id, { a: "other" });
    for (const each of await told()) {
      expect(each).toMatchObject({ type: "survey-response.created", surveyId: id, ideaBankId: bank.id });
      expect(each.panelistId ?? null).toBeNull();
      expect(each.response ?? null).toBeNull();
      expect(JSON.stringify(each)).not.toMatch(/text \d/);
    }
    expect(await told()).toHaveLength(2);
    expect((await changes()).filter(({ type }) => type === "survey.updated")).toEqual(
      (await changes()).filter(({ type }) => type === "survey.updated").slice(0, 1),
    );
  });

  it("a webhook is sent nothing between steps", async () => {
    const scene = await createWebhookScene();
    const { tenant, bank, receiver, panelist, job } = scene;
    const { id } = await (
      await tenant.send("POST", TENANT_SURVEYS, { title: "T", ideaBankId: bank.id, questions: SCALE, anonymous: true })
    ).json<Survey>();
    await tenant.send("PATCH", `${TENANT_SURVEYS}/${id}`, { status: "OPEN" });
    await job();
    const before = receiver.seen.length;
    for (let count = 1; count <= 6; count++) {
      await answer(await panelist(), id, { q: 1 });
      await job();
      expect(
        receiver.seen.slice(before).filter(({ body }) => body.type.startsWith("survey")),
        `after ${count}`,
      ).toHaveLength(count < 5 ? 0 : 1);
    }
  });
});

it("a survey of the design that is anonymous is answered, changed and taken back by its person while it is open", async () => {
  const { id, person } = await openScene(1, { questions: DESIGNED });
  await answer(person(0), id, { recommend: 3, why: "x" });
  expect(await (await person(0).send("GET", `/surveys/${id}`)).json()).toMatchObject({
    anonymous: true,
    response: { answers: { recommend: 3, why: "x" } },
  });
  await answer(person(0), id, { recommend: 9 });
  expect((await take(person(0), id)).status).toBe(204);
  expect(await (await person(0).send("GET", `/surveys/${id}`)).json()).toMatchObject({ response: null });
});

it("after the close a person's DELETE finds nothing, and the answer is no fault of the service", async () => {
  const { id, everybody, person, close, results } = await openScene(6);
  for (const each of everybody) await answer(each, id, { q: 1 });
  await close(id);
  const before = await results(id);
  expect((await take(person(0), id)).status).toBeLessThan(500);
  expect(await results(id)).toEqual(before);
});
