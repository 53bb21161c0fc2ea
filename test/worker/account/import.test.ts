/** The operation behind the page of imports: parts of a file, sent once, twice, at once, and by who may not. */
import { expect, it } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { ORIGIN } from "../../support/owner.ts";

type Desk = Awaited<ReturnType<typeof createDesk>>;
type Row = Readonly<Record<string, unknown>> & { readonly externalId: string };

const row = (externalId: string, more: object = {}): Row => ({
  ...{ externalId, idea: { title: `Idea ${externalId}` }, author: null, voters: [], comments: [] },
  ...more,
});
const comment = (body: string, author: string | null = "kim") => ({
  author,
  body,
  createdAt: "2026-01-01T00:00:00.000Z",
});
const KIM = { externalId: "kim", displayName: "Kim" };

async function post({ owner }: Pick<Desk, "owner">, body: object) {
  const headers = { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json" };
  const answer = await owner.isolate.request("/account/import", {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return { status: answer.status, answer: await answer.json<Record<string, unknown>>() };
}
const send = (desk: Desk, rows: readonly Row[], more: object = {}) =>
  post(desk, { board: desk.panel.bank.id, file: "ideas.csv", rows, ...more });

const count = (desk: Desk, table: string) =>
  databaseOf(desk.panel.bank.accountId)
    .prepare(`SELECT count(*) AS n FROM ${table} WHERE account_id = ?1`)
    .bind(desk.panel.bank.accountId)
    .first<number>("n");
const stored = async (desk: Desk) =>
  Object.fromEntries(
    await Promise.all(
      ["proposals", "panelists", "votes", "comments", "outbox"].map(async (table) => [table, await count(desk, table)]),
    ),
  );

it("writes ideas with people, votes and comments, and the same again changes nothing", async () => {
  const desk = await createDesk();
  const before = await stored(desk);
  const rows = [
    row("csv:1", {
      idea: {
        title: "Night buses",
        description: "Every hour.",
        status: "planned",
        tags: ["Bus"],
        response: { text: "Soon." },
        createdAt: "2025-01-01T00:00:00.000Z",
      },
      author: "kim",
      voters: ["kim", "robin"],
      comments: [comment("Yes"), comment("As the team", null)],
    }),
    row("csv:2", { idea: { title: "Hidden", visibility: "hidden" } }),
  ];
  const people = [KIM, { externalId: "robin" }];
  expect(await send(desk, rows, { people })).toEqual({ status: 200, answer: { rows: ["new", "new"] } });
  const after = await stored(desk);
  expect(after).toEqual({
    proposals: before.proposals + 2,
    panelists: before.panelists + 2,
    votes: before.votes + 2,
    comments: before.comments + 2,
    outbox: before.outbox,
  });
  const { items } = await (await desk.panel.manage("GET", "/proposals?externalId=csv:1")).json<{
    items: Record<string, unknown>[];
  }>();
  expect(items[0]).toMatchObject({
    ...{ title: "Night buses", description: "Every hour.", status: "planned", tags: ["Bus"], votes: 2, comments: 2 },
    ...{ createdAt: "2025-01-01T00:00:00.000Z", response: { text: "Soon." }, visibility: "public" },
    panelistId: expect.any(String),
  });
  expect(await send(desk, rows, { people })).toEqual({ status: 200, answer: { rows: ["here", "here"] } });
  expect(await stored(desk)).toEqual(after);
});

it("leaves an idea that is here as it is, and adds what is missing of its votes and comments", async () => {
  const desk = await createDesk();
  await send(desk, [row("csv:1", { voters: ["kim"] })], { people: [KIM] });
  const changed = row("csv:1", { idea: { title: "Another" }, voters: ["kim", "robin"], comments: [comment("New")] });
  const people = [{ ...KIM, displayName: "Other" }, { externalId: "robin" }];
  expect((await send(desk, [changed], { people })).answer).toEqual({ rows: ["here"] });
  const { items } = await (await desk.panel.manage("GET", "/proposals?externalId=csv:1")).json<{
    items: Record<string, unknown>[];
  }>();
  expect(items[0]).toMatchObject({ title: "Idea csv:1", votes: 2, comments: 1 });
});

it("two tabs that send the same at once write it once", async () => {
  const desk = await createDesk();
  const before = await stored(desk);
  const rows = [row("csv:1", { author: "kim", voters: ["kim"], comments: [comment("Yes")] })];
  const answers = await Promise.all(Array.from({ length: 4 }, () => send(desk, rows, { people: [KIM] })));
  expect(answers.map(({ answer }) => answer.rows).toSorted()).toEqual([["here"], ["here"], ["here"], ["new"]]);
  expect(await stored(desk)).toMatchObject({
    proposals: before.proposals + 1,
    votes: before.votes + 1,
    comments: before.comments + 1,
  });
});

it("is one event for a file and a day, with how many; nothing new is no event", async () => {
  const desk = await createDesk();
  await send(desk, [row("csv:1"), row("csv:2")]);
  await send(desk, [row("csv:2"), row("csv:3")]);
  await send(desk, [row("csv:1")], { file: "again.csv" });
  const events = (await desk.activity()).filter(({ event }) => event === "proposals-imported");
  expect(events).toMatchObject([
    {
      actor: desk.owner.email,
      subject: { id: desk.panel.bank.id, name: "ideas.csv" },
      changes: { after: { count: 3 } },
    },
  ]);
  expect((await desk.page("/activity")).replace(/<[^>]*>/g, "")).toContain("Imported 3 ideas from ideas.csv");
  expect((await desk.page("/activity?what=ideas")).replace(/<[^>]*>/g, "")).toContain("Imported 3 ideas");
});

it("is in the log of changes, as ideas of the tenant API are", async () => {
  const desk = await createDesk();
  await send(desk, [row("csv:1")]);
  expect((await desk.changes()).at(-1)).toMatchObject({ type: "proposal.created", by: "tenant" });
});

it.each([
  ["a title that is empty", row("csv:1", { idea: { title: "" } })],
  ["a time of the future", row("csv:1", { idea: { title: "A", createdAt: "2999-01-01T00:00:00.000Z" } })],
  ["an unknown status", row("csv:1", { idea: { title: "A", status: "someday" } })],
  ["a person with too long an id", row("csv:1", { author: "x".repeat(201) })],
  ["more votes than a part may have", row("csv:1", { voters: Array.from({ length: 101 }, (_, index) => `p${index}`) })],
])("refuses %s, and writes nothing", async (_, refused) => {
  const desk = await createDesk();
  const before = await stored(desk);
  const { status, answer } = await send(desk, [row("csv:0"), refused], { people: [KIM] });
  expect([status, answer.error]).toEqual([400, "invalid-request"]);
  expect(await stored(desk)).toEqual(before);
});

it("refuses more tags than a board may have: nothing of the part is written, and another part is", async () => {
  const desk = await createDesk();
  for (let from = 0; from < 200; from += 100)
    await send(
      desk,
      Array.from({ length: 20 }, (_, index) =>
        row(`csv:${from + index}`, {
          idea: { title: "A", tags: Array.from({ length: 5 }, (__, tag) => `t${from + 5 * index + tag}`) },
        }),
      ),
    );
  const before = await stored(desk);
  const { status, answer } = await send(desk, [
    row("csv:a"),
    row("csv:b", { idea: { title: "B", tags: ["one more"] } }),
  ]);
  expect([status, answer.error]).toEqual([409, "conflict"]);
  expect(await stored(desk)).toEqual(before);
  expect((await send(desk, [row("csv:a")])).answer).toEqual({ rows: ["new"] });
});

it("knows no board of another account, and makes nobody for it", async () => {
  const [mine, theirs] = [await createDesk(), await createDesk()];
  const before = [await stored(mine), await stored(theirs)];
  const part = { board: theirs.panel.bank.id, file: "ideas.csv", people: [KIM], rows: [row("csv:1")] };
  expect((await post(mine, part)).status).toBe(404);
  expect((await post(mine, { board: theirs.panel.bank.id, merge: "csv:1", into: "csv:2" })).status).toBe(404);
  expect([await stored(mine), await stored(theirs)]).toEqual(before);
});

it("refuses another site, and an author who is being deleted is told", async () => {
  const desk = await createDesk();
  const headers = { Origin: "https://evil.example", "Content-Type": "application/json" };
  const foreign = await desk.owner.isolate.request("/account/import", { method: "POST", headers, body: "{}" });
  expect(foreign.status).toBe(403);
  await send(desk, [row("csv:1", { author: "kim" })], { people: [KIM] });
  await databaseOf(desk.panel.bank.accountId)
    .prepare("UPDATE panelists SET deleted_at = 1 WHERE account_id = ?1 AND external_id = 'kim'")
    .bind(desk.panel.bank.accountId)
    .run();
  expect((await send(desk, [row("csv:2", { author: "kim" }), row("csv:3")])).answer).toEqual({
    rows: ["author-deleted", "new"],
  });
});

it("merges what repeats another idea, once", async () => {
  const desk = await createDesk();
  await send(desk, [row("fider:1", { voters: ["kim"] }), row("fider:2", { voters: ["robin"] })], {
    people: [KIM, { externalId: "robin" }],
  });
  const board = desk.panel.bank.id;
  const merge = { board, merge: "fider:2", into: "fider:1" };
  expect((await post(desk, merge)).answer).toEqual({ merged: true });
  expect((await post(desk, merge)).answer).toEqual({ merged: false });
  expect((await post(desk, { board, merge: "fider:1", into: "fider:2" })).answer).toEqual({ merged: false });
  const { items } = await (await desk.panel.manage("GET", "/proposals?externalId=fider:1")).json<{
    items: Record<string, unknown>[];
  }>();
  expect(items[0]).toMatchObject({ votes: 2, duplicateOf: null });
  // Sent again, its votes are not counted at the merged one.
  expect((await send(desk, [row("fider:2", { voters: ["robin"] })])).answer).toEqual({ rows: ["here"] });
});
