/**
 * Nothing of what a team keeps to itself leaves it: an idea has a note, a private tag and an assignee, its author has a note, too, and each has a
 * text that stands nowhere else. Every surface that anybody but a member reads is derived, asked and searched for them.
 */
import { describe, expect, it } from "vitest";
import { TENANT_OPERATIONS } from "../../src/worker/tenant/routes.ts";
import { createAgent } from "../support/agent.ts";
import { databaseOf } from "../support/databases.ts";
import { createDesk } from "../support/desk.ts";
import { add } from "../support/members.ts";
import { addressOf, bodyOf, type OperationCase, operationsOf } from "../support/operations.ts";
import { createOwner } from "../support/owner.ts";
import { CHANGELOG } from "../support/panel.ts";
import { addWebhook, createReceiver } from "../support/webhooks.ts";

const MARKS = { note: "quokka-note", about: "quoll-note", tag: "numbat-tag", assignee: "bilby" };
const MARKED = new RegExp(Object.values(MARKS).join("|"), "i");

/** What only reads comes first, and last what deletes what the others are about. */
const inOrder = (operations: readonly OperationCase[]) => {
  const rank = ({ method }: OperationCase) => ["GET", "POST", "PUT", "PATCH", "DELETE"].indexOf(method);
  return operations.toSorted((one, other) => rank(one) - rank(other));
};

/** What a text has of the marks. */
const marksIn = (text: string) => text.match(MARKED) ?? [];

async function createScene() {
  const receiver = createReceiver();
  const desk = await createDesk({ send: receiver.send });
  const { panel, owner, bank } = desk;
  const { accountId } = panel.bank;
  await panel.manage("PATCH", "", { publicPage: true, changelogEnabled: true, approvalRequired: false });
  const bilby = createOwner(`${MARKS.assignee}-${crypto.randomUUID()}@example.com`);
  const { id: bilbyId } = await (await add(owner, bilby)).json<{ id: string }>();
  const robin = await panel.panelist("Robin");
  const proposalId = await robin.submit("Night buses");
  await panel.manage("PATCH", `/proposals/${proposalId}`, { status: "implemented" });
  const otherProposalId = await panel.propose({ title: "Other" });
  const commented = await robin.send("POST", `/ideabank/proposals/${proposalId}/comments`, { body: "Mine." });
  const { id: commentId } = await commented.json<{ id: string }>();
  const idea = `${bank}/ideas/${proposalId}`;
  const mark = async () => {
    for (const [path, fields] of [
      [idea, { do: "assign", assignee: bilbyId }],
      [idea, { do: "private-tags", was: "privateTags=", privateTags: MARKS.tag }],
      [idea, { do: "add-note", note: `${MARKS.note}. Ask @${bilby.email.split("@")[0]}` }],
      [`/people/${robin.id}`, { do: "add-note", note: MARKS.about }],
      ["/ideas", { do: "private-tag", privateTag: MARKS.tag, ids: `${panel.bank.id}-${otherProposalId}` }],
    ] as const)
      expect((await owner.submit(path, fields)).status).toBe(303);
  };
  const rows = async (sql: string) => (await databaseOf(accountId).prepare(sql).all<Record<string, unknown>>()).results;
  return {
    ...desk,
    ...{ robin, idea, mark, rows, receiver, accountId, bilby, bilbyId },
    ids: {
      ...{ proposalId, otherProposalId, commentId, ideaBankId: panel.bank.id, panelistId: robin.id },
      ...{ externalId: robin.externalId },
    },
  };
}

it("the desk itself shows all of it, so the search below can find it", { tags: "slow" }, async () => {
  const { page, idea, mark, robin } = await createScene();
  await mark();
  const shown = (await page(idea)) + (await page(`/people/${robin.id}`)) + (await page("/ideas"));
  for (const text of Object.values(MARKS)) expect(shown).toContain(text);
});

describe("no mark is in", { tags: "slow" }, () => {
  it("any answer to a panelist, a visitor or a reader of feeds", async () => {
    const operations = operationsOf("compoundToken");
    expect(operations.length).toBeGreaterThan(20);
    const { robin, panel, ids, mark } = await createScene();
    await mark();
    const kim = await panel.panelist("Kim");
    for (const { name, operation, method, path } of inOrder(operations))
      for (const { send } of [robin, kim]) {
        const answer = await send(method, addressOf(path, { ...ids, surveyId: "x" }), bodyOf(operation, ids));
        expect([name, marksIn(await answer.text()), marksIn(JSON.stringify([...answer.headers]))]).toEqual([
          name,
          [],
          [],
        ]);
      }
    for (const feed of [CHANGELOG, `${CHANGELOG}.atom`, `${CHANGELOG}.json`]) {
      const answer = await robin.send("GET", feed);
      expect([feed, answer.status, marksIn(await answer.text())]).toEqual([feed, 200, []]);
    }
  });

  it("any answer to a tenant's server, to an agent, or to nobody in particular", async () => {
    const { panel, ids, mark, accountId } = await createScene();
    await mark();
    const agent = await createAgent({ accountId });
    const { result } = await agent.ask("tools/list");
    const parameters = new Map(
      result.tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties ?? {})]),
    );
    const operations = inOrder(operationsOf("apiKey"));
    expect(operations.length).toBe(Object.keys(TENANT_OPERATIONS).length);
    let answered = 0;
    for (const { name, operation, method, path } of operations) {
      const body = bodyOf(operation, ids);
      const given = Object.entries({ ...ids, ...body }).filter(([each]) => parameters.get(name)?.includes(each));
      const told = await agent.call(name, Object.fromEntries(given));
      expect([name, "mcp", marksIn(told.text)]).toEqual([name, "mcp", []]);
      answered += Number(told.isError === false);
      const answer = await panel.tenant.send(method, addressOf(path, ids), body);
      expect([name, marksIn(await answer.text()), marksIn(JSON.stringify([...answer.headers]))]).toEqual([
        name,
        [],
        [],
      ]);
    }
    expect(answered).toBeGreaterThan(operations.length / 2);
    for (const { name, method, path } of operationsOf("none")) {
      const answer = await panel.isolate.request(addressOf(path, ids), { method });
      expect([name, marksIn(await answer.text())]).toEqual([name, []]);
    }
  });

  it("the board's own page, and the pages that it leads to", async () => {
    const { panel, mark } = await createScene();
    await mark();
    const seen = new Set<string>();
    const waiting = [`/b/${panel.bank.id}`];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (seen.has(path) || seen.size > 60) continue;
      seen.add(path);
      const answer = await panel.isolate.request(path, { redirect: "manual" });
      const location = answer.headers.get("Location");
      const html = await answer.text();
      expect([path, marksIn(html)]).toEqual([path, []]);
      for (const link of [location, ...[...html.matchAll(/href="(\/b\/[^"#]*)"/g)].map(([, href = ""]) => href)])
        if (link) waiting.push(new URL(link.replaceAll("&amp;", "&"), "https://api.example").pathname);
    }
    expect(seen.size).toBeGreaterThan(2);
  });
});

it("no webhook, no change and no public time follows from any of it, and none from editing and deleting it again", {
  tags: "slow",
}, async () => {
  const { accountId, mark, rows, receiver, owner, idea, robin, bilbyId } = await createScene();
  for (const format of ["standard", "slack"]) await addWebhook(accountId, { format });
  const state = () =>
    Promise.all(
      [
        "SELECT number, type FROM change_log ORDER BY number",
        "SELECT id, last_activity_at, published_at, panelist_writes, votes, comments FROM proposals ORDER BY id",
        "SELECT id, changelog_version FROM idea_banks ORDER BY id",
        "SELECT changelog_epoch FROM accounts",
        "SELECT number, due_at FROM webhooks ORDER BY id",
        "SELECT id, kind FROM outbox ORDER BY id",
        "SELECT id, tokens_revoked_at, deleted_at FROM panelists ORDER BY id",
      ].map(rows),
    );
  const before = [
    await state(),
    await (await robin.send("GET", CHANGELOG)).text(),
    await rows("SELECT id FROM audit_events"),
  ];
  await mark();
  const noteId = String((await rows("SELECT id FROM notes WHERE proposal_id IS NOT NULL"))[0]?.id);
  for (const fields of [
    { do: "edit-note", noteId, note: "Another text" },
    { do: "delete-note", noteId },
    { do: "private-tags", was: `privateTags=${MARKS.tag}`, privateTags: "" },
    { do: "assign", assignee: "" },
    { do: "assign", assignee: bilbyId },
  ])
    expect((await owner.submit(idea, fields)).status).toBe(303);
  expect([
    await state(),
    await (await robin.send("GET", CHANGELOG)).text(),
    await rows("SELECT id FROM audit_events"),
  ]).toEqual(before);
  expect(receiver.seen).toEqual([]);
});
