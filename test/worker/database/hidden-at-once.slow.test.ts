/**
 * A person is deleted with more than a request may delete: 130 ideas, and 60 comments and 60 votes on others' ideas. Nothing of it is
 * to be seen from the answer on, and all of it is gone after the job.
 */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { deleteLeftovers, deletePanelistLeftovers } from "../../../src/worker/database/proposals/deletions.ts";
import { titleWords } from "../../../src/worker/model/words.ts";
import { databaseOf, sessionOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { createIsolate } from "../../support/isolate.ts";
import { runJob } from "../../support/job.ts";
import { findMiscounts, numbers } from "../../support/many-rows.ts";
import { CHANGELOG, PROPOSALS, sendWith } from "../../support/panel.ts";
import { addIdeaBank, newId } from "../../support/world.ts";

const MARK = "Quetzal";
const IDEAS = 130;
const OTHERS = 60;

type Surfaces = Readonly<Record<string, () => Promise<string>>>;

/** The person's ideas are of each status and visibility, tagged, voted for, commented, and merged with those of Kim. */
async function createScene() {
  const desk = await createDesk();
  const { panel, owner } = desk;
  const { bank, tenant } = panel;
  const database = databaseOf(bank.id);
  const [robin, kim] = [await panel.panelist(`Robin ${MARK}`), await panel.panelist("Kim")];
  const own = (number: number) => `${bank.id.slice(0, 8)}${1000 + number}`;
  const others = (number: number) => `${bank.id.slice(0, 8)}${5000 + number}`;
  const insert = `INSERT INTO proposals (id, account_id, idea_bank_id, author_id, title, description, words, status, visibility, tags, external_id,
    created_at, last_activity_at)`;
  const comment = "INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at)";
  const values = [bank.accountId, bank.id] as const;
  // In the order of identifiers, in which slices go, the first fifty are plain.
  await database.batch([
    database
      .prepare(
        `${numbers(1, IDEAS)} ${insert} SELECT substr(?2, 1, 8) || (1000 + i), ?1, ?2, ?3, 'Kiosk ' || ?4 || ' ' || i, ?4, ?5,
           iif(i BETWEEN 51 AND 75, 'implemented', 'submitted'), iif(i = 76, 'pending', 'public'), iif(i > 50, '["Lathe"]', NULL), 'own-' || i, i, i FROM n`,
      )
      .bind(...values, robin.id, MARK, titleWords(`Kiosk ${MARK}`)),
    database
      .prepare(
        `${numbers(1, OTHERS)} ${insert} SELECT substr(?2, 1, 8) || (5000 + i), ?1, ?2, ?3, 'Lamp ' || i, '', ?4,
           'planned', 'public', NULL, NULL, i, i FROM n`,
      )
      .bind(...values, kim.id, titleWords("Lamp")),
    database
      .prepare(
        `${numbers(1, OTHERS)} INSERT INTO votes SELECT substr(?2, 1, 8) || (5000 + i), ?3, ?1, ?2, i FROM n
         UNION ALL SELECT substr(?2, 1, 8) || (1000 + i), ?4, ?1, ?2, i FROM n`,
      )
      .bind(...values, robin.id, kim.id),
    database
      .prepare(`${numbers(1, OTHERS)} ${comment} SELECT substr(?2, 1, 8) || (7000 + i), ?1, ?2, ?4, ?3, ?5, i FROM n`)
      .bind(...values, robin.id, others(1), MARK),
    database.prepare(`${comment} VALUES ('${own(0)}', ?1, ?2, ?4, ?3, 'By Kim', 1)`).bind(...values, kim.id, own(90)),
  ]);
  await panel.manage("POST", `/proposals/${others(2)}/merge`, { into: own(100) });
  await panel.manage("POST", `/proposals/${own(101)}/merge`, { into: others(3) });

  /** In a new isolate: what an isolate remembers is as old as the promises say. */
  const fresh = (token: string) => sendWith(createIsolate(), token);
  const pages = async (read: (path: string) => Promise<Response>, path: string): Promise<string> => {
    let text = "";
    for (let cursor = ""; ; ) {
      const answer = await (await read(`${path}${path.includes("?") ? "&" : "?"}limit=100${cursor}`)).text();
      text += answer;
      const next = /"nextCursor":"([^"]+)"/.exec(answer)?.[1];
      if (next === undefined) return text;
      cursor = `&cursor=${next}`;
    }
  };
  const asKim = (path: string) => () => pages((each) => fresh(kim.token)("GET", each), path);
  const read = (path: string) => () => fresh(kim.token)("GET", path).then((answer) => answer.text());
  const asTenant = (path: string) => () => pages((each) => tenant.send("GET", each), path);
  const below = `/tenant/ideabanks/${bank.id}`;
  const page = (path: string) => () => desk.page(path);
  const list = `${PROPOSALS}?`;
  const ideas = `/idea-banks/${bank.id}/ideas`;
  const surfaces: Surfaces = {
    ...Object.fromEntries(
      ["new", "top", "hot", "active"].flatMap((sort) =>
        ["", "&status=implemented", `&tag=Lathe`].map((more) => [sort + more, asKim(`${list}sort=${sort}${more}`)]),
      ),
    ),
    voted: asKim(`${list}mine=voted`),
    "voted, by votes": asKim(`${list}mine=voted&sort=top`),
    search: read(`${list}q=Kiosk`),
    similar: read(`${PROPOSALS}/similar?title=Kiosk+${MARK}`),
    one: read(`${PROPOSALS}/${own(100)}`),
    "one that was merged": read(`${PROPOSALS}/${own(101)}`),
    comments: asKim(`${PROPOSALS}/${others(1)}/comments`),
    changelog: read(CHANGELOG),
    "changelog.atom": read(`${CHANGELOG}.atom`),
    "changelog.json": read(`${CHANGELOG}.json`),
    ...Object.fromEntries(
      ["sort=new", "sort=top", "sort=active", "status=implemented", "visibility=pending", `tag=Lathe`].map((query) => [
        `tenant's ${query}`,
        asTenant(`${below}/proposals?${query}`),
      ]),
    ),
    "tenant's search": () => tenant.send("GET", `${below}/proposals?q=Kiosk`).then((answer) => answer.text()),
    "tenant's by external id": asTenant(`${below}/proposals?externalId=own-100`),
    "tenant's of the person": asTenant(`${below}/proposals?panelistId=${robin.id}`),
    "tenant's one": () => tenant.send("GET", `${below}/proposals/${own(100)}`).then((answer) => answer.text()),
    "tenant's comments of one": asTenant(`${below}/proposals/${others(1)}/comments`),
    "tenant's comments": asTenant(`${below}/comments`),
    "tenant's comments of the person": asTenant(`${below}/comments?panelistId=${robin.id}`),
    "tenant's voters": asTenant(`${below}/proposals/${others(1)}/votes`),
    "tenant's votes of Kim": asTenant(`/tenant/panelists/${kim.id}/votes`),
    "tenant's panelists": asTenant("/tenant/panelists"),
    "tenant's changes": asTenant("/tenant/changes"),
    queue: page("/ideas"),
    "queue by votes": page("/ideas?sort=top&status=implemented"),
    "queue of one board": page(`${desk.bank}?sort=active&status=implemented`),
    "queue, unanswered": page("/ideas?status=unanswered"),
    "queue, searched": page(`/ideas?q=Kiosk`),
    // By a part of it, because the page repeats what was searched.
    "comments, searched": () =>
      page(`/ideas?q=${MARK.slice(1)}`)().then((html) => html.split('<h2 id="comments">')[1] ?? ""),
    "one board, searched": page(`${desk.bank}?q=Kiosk`),
    "queue by tag": page(`${desk.bank}?tag=Lathe`),
    "what waits for approval": page("/ideas?visibility=pending"),
    "several to delete": page(`/ideas/delete?ids=${bank.id}-${own(100)}`),
    "the merge's page": page(`${ideas}/${own(100)}/merge`),
    "a waiting idea's page": page(`${ideas}/${own(76)}`),
    "an idea's page": page(`${ideas}/${own(100)}`),
    "page with merged ones": page(`${ideas}/${others(3)}`),
    "page with comments": page(`${ideas}/${others(1)}`),
    voters: page(`${ideas}/${others(1)}/voters`),
    people: page(`/people?q=Robin`),
    "Kim's page": page(`/people/${kim.id}`),
    "the person's page": page(`/people/${robin.id}`),
  };
  const seenOn = async () => {
    const seen: string[] = [];
    for (const [name, ask] of Object.entries(surfaces)) {
      if ((await ask()).includes(MARK)) seen.push(name);
    }
    return seen;
  };
  const count = (of: string) => database.prepare(`SELECT count(*) AS n FROM ${of}`).first<number>("n");
  const isWritten = async () => (await count(`proposals WHERE title LIKE '%${MARK}%'`)) ?? 0;
  return { desk, panel, owner, database, robin, kim, own, others, surfaces, seenOn, count, isWritten, below };
}

type Scene = Awaited<ReturnType<typeof createScene>>;
const WAYS: [string, (scene: Scene) => Promise<number>][] = [
  [
    "the tenant API",
    async ({ panel, robin }) =>
      (await panel.tenant.send("DELETE", `/tenant/panelists/${robin.id}?content=delete`)).status,
  ],
  [
    "Account Settings",
    async ({ owner, robin }) => (await owner.submit(`/people/${robin.id}`, { do: "delete-all" })).status,
  ],
];

it.each(WAYS)("what a person wrote is hidden at once when %s deletes it, and deleted in slices", async (_, remove) => {
  const scene = await createScene();
  const { surfaces, seenOn, isWritten, panel, kim, own, others, below, database, count } = scene;
  // Each can see it.
  expect(await seenOn()).toEqual(Object.keys(surfaces));
  expect(await remove(scene)).toBeOneOf([204, 303]);
  // The rest is the job's.
  expect(await isWritten()).toBeGreaterThan(50);
  expect(await seenOn()).toEqual([]);
  // What was merged into it went, too; and nobody writes to it.
  const { tenant } = panel;
  for (const id of [own(100), others(2)]) {
    const path = `${PROPOSALS}/${id}`;
    expect((await kim.send("GET", path)).status).toBe(404);
    expect((await kim.send("PUT", `${path}/vote`)).status).toBe(404);
    expect((await kim.send("POST", `${path}/comments`, { body: "B" })).status).toBe(404);
    for (const [method, more, body] of [
      ["GET", ""],
      ["PATCH", "", { status: "planned" }],
      ["POST", "/merge", { into: others(4) }],
      ["POST", "/comments", { body: "B" }],
      ["DELETE", ""],
    ] as const)
      expect([method, (await tenant.send(method, `${below}/proposals/${id}${more}`, body)).status]).toEqual([
        method,
        403,
      ]);
  }
  const into = await tenant.send("POST", `${below}/proposals/${others(4)}/merge`, { into: own(100) });
  expect(into.status).toBe(403);
  const hidden =
    (await database.prepare("SELECT id FROM comments WHERE body = ?1").bind(MARK).first<string>("id")) ?? "";
  const path = `/proposals/${others(1)}/comments/${hidden}`;
  expect((await kim.send("DELETE", `/ideabank${path}`)).status).toBe(404);
  expect((await tenant.send("DELETE", `${below}${path}`)).status).toBe(403);

  // A run that ends in the middle shows nothing either.
  const session = sessionOf(database);
  for (let slices = 0; slices < 3; slices += 1) {
    await deletePanelistLeftovers(session);
    await deleteLeftovers(session);
    expect(await seenOn()).toEqual([]);
  }
  for (let runs = 0; runs < 3; runs += 1) await runJob(env);
  expect(await isWritten()).toBe(0);
  expect(await count(`panelists WHERE id = '${scene.robin.id}'`)).toBe(0);
  expect(await count("comments")).toBe(0);
  expect(await findMiscounts(panel.bank)).toEqual([]);
  expect((await kim.read<{ items: unknown[] }>("/ideabank/tags")).items).toEqual([]);
  expect((await kim.read<{ items: unknown[] }>(`${PROPOSALS}?limit=100`)).items).toHaveLength(OTHERS - 1);
});

it("a changelog in memory drops it within the freshness window, and so does every other one of the account", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const start = Date.now();
  vi.setSystemTime(start);
  const { panel, kim, robin, database } = await createScene();
  const other = await addIdeaBank({ accountId: panel.bank.accountId });
  await database
    .prepare(
      `INSERT INTO proposals (id, account_id, idea_bank_id, author_id, title, description, status, created_at, last_activity_at)
       VALUES (?1, ?2, ?3, ?4, ?5, '', 'implemented', 1, 1)`,
    )
    .bind(newId(other.id), other.accountId, other.id, robin.id, MARK)
    .run();
  const warm = createIsolate();
  const seen = async () => {
    const answers = await Promise.all([kim.token, other.token].map((token) => sendWith(warm, token)("GET", CHANGELOG)));
    return Promise.all(answers.map(async (answer) => (await answer.text()).includes(MARK)));
  };
  expect(await seen()).toEqual([true, true]);
  vi.setSystemTime(start + 10);
  await panel.tenant.send("DELETE", `/tenant/panelists/${robin.id}?content=delete`);
  vi.setSystemTime(start + 5_011);
  expect(await seen()).toEqual([false, false]);
});
