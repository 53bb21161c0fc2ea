/** The operation behind the page of imports: parts of a file, sent once, twice, at once, and by who may not. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { runJob } from "../../support/job.ts";
import { add } from "../../support/members.ts";
import { createOwner, ORIGIN } from "../../support/owner.ts";
import { collectMails } from "../../support/page-visitor.ts";
import { createTold, telling, WINDOW } from "../../support/told.ts";

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

it("writes ideas with people, votes and comments, and the same again changes nothing", { tags: "slow" }, async () => {
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

it("leaves an idea that is here as it is, and adds what is missing of its votes and comments", {
  tags: "slow",
}, async () => {
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

it("two tabs that send the same at once write it once", { tags: "slow" }, async () => {
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

it("is one event for a file and a day, with how many; nothing new is no event", { tags: "slow" }, async () => {
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

it("refuses more tags than a board may have: nothing of the part is written, and another part is", {
  tags: "slow",
}, async () => {
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

it("knows no board of another account, and makes nobody for it", { tags: "slow" }, async () => {
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

it("a row that stands twice in a part is new once, and then here", async () => {
  const desk = await createDesk();
  expect((await send(desk, [row("csv:1"), row("csv:2"), row("csv:1")])).answer).toEqual({
    rows: ["new", "new", "here"],
  });
});

it.each(["block", "clear"])(
  "writes nothing of a person whom the team stopped (%s), and says so of the row",
  { tags: "slow" },
  async (what) => {
    const desk = await createDesk();
    const bo = await desk.panel.panelist("Bo");
    await desk.owner.submit(`/people/${bo.id}`, { do: what });
    await runJob(env);
    const before = await stored(desk);
    const [kim, robin] = ["kim", bo.externalId];
    const rows = [
      row("csv:1", { author: robin }),
      row("csv:2", { author: kim, voters: [kim, robin] }),
      row("csv:3", { comments: [comment("BACK AGAIN", robin), comment("Yes", kim)] }),
      row("csv:4", { author: kim, voters: [kim] }),
    ];
    const sent = () => send(desk, rows, { people: [KIM, { externalId: bo.externalId, displayName: "Bo" }] });
    expect((await sent()).answer).toEqual({ rows: ["author-blocked", "in-part", "in-part", "new"] });
    expect(await stored(desk)).toMatchObject({
      proposals: before.proposals + 3,
      votes: before.votes + 2,
      comments: before.comments + 1,
    });
    expect((await sent()).answer).toEqual({ rows: ["author-blocked", "in-part", "in-part", "here"] });
    await desk.owner.submit(`/people/${bo.id}`, { do: "unblock" });
    expect((await sent()).answer).toEqual({ rows: ["new", "here", "here", "here"] });
  },
);

it("tells nobody of imported words: not who follows the idea, and not the team", { tags: "slow" }, async () => {
  const { panel, person, pass, mails, rows } = await createTold();
  const [account] = await rows("SELECT owner_email FROM accounts WHERE id = ?1", panel.bank.accountId);
  const owner = createOwner(String(account?.owner_email));
  const ana = await person("ana@example.com");
  const bo = await person("bo@example.com", { name: "Bo" });
  const idea = await panel.propose({ title: "Night buses", externalId: "csv:1" });
  const path = `/ideabank/proposals/${idea}`;
  await ana.send("PUT", `${path}/follow`);
  await rows("DELETE FROM member_mails");
  await rows("UPDATE audit_events SET notice = NULL");
  const now = () => new Date(Date.now() - 2_000).toISOString();
  const imported = { ...comment("IMPORTED"), createdAt: now() };
  const part = { board: panel.bank.id, file: "x.csv", people: [KIM] };
  await post({ owner }, { ...part, rows: [row("csv:1", { comments: [imported] })] });
  await pass(WINDOW);
  expect(mails).toEqual([]);
  // Nor beside a comment of which they are told.
  await bo.send("POST", `${path}/comments`, { body: "Said here" });
  await post(
    { owner },
    { ...part, rows: [row("csv:1", { comments: [{ ...comment("IMPORTED TOO"), createdAt: now() }] })] },
  );
  await pass(WINDOW);
  expect(mails.map(({ to }) => to)).toEqual(["ana@example.com"]);
  expect(mails[0]?.text).toContain("Said here");
  expect(mails[0]?.text).not.toContain("IMPORTED");
});

it("a colleague’s e-mail of the day has no imported ideas and comments", { tags: "slow" }, async () => {
  const mails = collectMails();
  const desk = await createDesk();
  const { accountId } = desk.panel.bank;
  const ana = createOwner();
  await add(desk.owner, ana);
  const sql = (text: string) => databaseOf(accountId).prepare(text).run();
  const day = 86_400_000;
  await sql(`UPDATE told_members SET told_up_to_now = 0, told_up_to_daily = 0, next_digest_at = 1`);
  await sql("UPDATE audit_events SET notice = NULL");
  await desk.panel.propose({ title: "Night buses" });
  const written = { ...comment("IMPORTED"), createdAt: new Date(Date.now() - 2_000).toISOString() };
  await send(desk, [row("csv:1", { comments: [written] }), row("csv:2")], { people: [KIM] });
  await runJob(telling, () => Date.now() + day);
  const told = mails.filter(({ to }) => to === ana.email);
  expect(told.map(({ subject }) => subject)).toEqual(["Your boards: 1 new idea"]);
  expect(told[0]?.text).toContain("Night buses");
});
