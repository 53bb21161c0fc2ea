/** The activity and the changes say which API key did it. */
import { expect, it } from "vitest";
import type { Change } from "../../../src/worker/model/change.ts";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { numbers } from "../../support/many-rows.ts";
import { addressOf, bodyOf, operationsOf } from "../../support/operations.ts";
import { addOneOfEverything, createTenant } from "../../support/tenant.ts";

async function createScene() {
  const desk = await createDesk();
  const first = await desk.owner.create("First");
  const second = await desk.owner.create("Second");
  const { id } = desk.panel.bank;
  const send = (key: string, method: string, path: string, body?: object) =>
    desk.owner.isolate.request(path, {
      method,
      headers: { "X-API-Key": key, ...(body && { "Content-Type": "application/json" }) },
      body: body ? JSON.stringify(body) : null,
    });
  const acts = async () => (await desk.activity()).filter(({ apiKeyId, subject }) => apiKeyId && subject);
  const feed = async () => (await desk.changes()) as Change[];
  return { ...desk, first, second, bankPath: `/tenant/ideabanks/${id}`, send, acts, feed };
}

it("what a key ends for good is an event with the key: deleting, merging, blocking, revoking tokens, rotating secrets", {
  tags: "slow",
}, async () => {
  const { panel, first, second, send, bankPath, acts, owner } = await createScene();
  const robin = await panel.panelist("Robin");
  const other = await panel.panelist("Other");
  const [one, two, three] = [
    await panel.propose({ title: "One" }),
    await panel.propose({ title: "Two" }),
    await panel.propose({ title: "Three" }),
  ];
  const comment = await (
    await send(second.key, "POST", `${bankPath}/proposals/${two}/comments`, { body: "Hm." })
  ).json<{ id: string }>();
  const survey = await (await send(second.key, "POST", "/tenant/surveys", { title: "S" })).json<{ id: string }>();
  expect(await acts()).toEqual([]);
  const by = (method: string, path: string, body?: object) => send(first.key, method, path, body);
  const answers = [
    await by("POST", `${bankPath}/signing-secret/rotate`, {}),
    await by("DELETE", `${bankPath}/visitor-tokens`),
    await by("PATCH", `/tenant/panelists/${robin.id}`, { active: false }),
    await by("DELETE", `/tenant/panelists/${other.id}/tokens`),
    await by("DELETE", `/tenant/panelists/${other.id}?content=delete`),
    await by("DELETE", `${bankPath}/proposals/${two}/comments/${comment.id}`),
    await by("POST", `${bankPath}/proposals/${one}/merge`, { into: two }),
    await by("DELETE", `${bankPath}/proposals/${three}`),
    await by("DELETE", `/tenant/surveys/${survey.id}`),
    await by("DELETE", bankPath),
  ];
  expect(answers.map(({ status }) => status).filter((status) => status >= 300)).toEqual([]);
  const events = (await acts()).toReversed();
  expect(events.map(({ event, apiKeyId, actor }) => [event, apiKeyId, actor])).toEqual(
    [
      "signing-secret-rotated",
      "visitor-tokens-ended",
      "panelist-changed",
      "panelist-changed",
      "panelist-deleted",
      "comment-deleted",
      "proposal-changed",
      "proposal-deleted",
      "survey-deleted",
      "ideabank-deleted",
    ].map((event) => [event, first.apiKey.id, null]),
  );
  expect(events[2]).toMatchObject({
    subject: { id: robin.id },
    changes: { before: { active: true }, after: { active: false } },
  });
  expect(events[6]).toMatchObject({ subject: { id: one, name: "One" }, changes: { after: { duplicateOf: two } } });
  const words = (await (await owner.page("/activity")).text()).replace(/<[^>]*>/g, "");
  expect(words).toContain("API key First");
});

it("each change says which key made it, and null for members and panelists; adding and reading are no events", {
  tags: "slow",
}, async () => {
  const { panel, first, second, send, bankPath, feed, acts, owner, bank } = await createScene();
  const made = await (await send(first.key, "POST", `${bankPath}/proposals`, { title: "By the first" })).json<{
    id: string;
  }>();
  await send(second.key, "PATCH", `${bankPath}/proposals/${made.id}`, { status: "planned" });
  const robin = await panel.panelist("Robin");
  await robin.submit("By a panelist");
  await owner.submit(bank, { ids: [made.id], do: "status", status: "declined" });
  await send(second.key, "GET", `${bankPath}/proposals`);
  expect(
    (await feed())
      .filter(({ type }) => type.startsWith("proposal"))
      .map(({ type, by, apiKeyId }) => [type, by, apiKeyId]),
  ).toEqual([
    ["proposal.created", "tenant", first.apiKey.id],
    ["proposal.status-changed", "tenant", second.apiKey.id],
    ["proposal.created", "panelist", null],
    ["proposal.status-changed", "tenant", null],
  ]);
  expect(await acts()).toEqual([]);
});

it("a loop of a key is at most 100 events of a kind in an hour; the log has each change with the key", {
  tags: "slow",
}, async () => {
  const { first, send, bankPath, acts } = await createScene();
  for (let times = 0; times < 101; times++) await send(first.key, "POST", `${bankPath}/signing-secret/rotate`, {});
  await send(first.key, "DELETE", `${bankPath}/visitor-tokens`);
  const events = (await acts()).map(({ event }) => event);
  expect(events[0]).toBe("visitor-tokens-ended");
});

it("a loop of one key hides nothing that another key ends", { tags: "slow" }, async () => {
  const { panel, first, second, send, bankPath } = await createScene();
  const { accountId } = panel.bank;
  const loop = ["comment-deleted", "panelist-changed", "signing-secret-rotated"];
  for (const [kind, event] of loop.entries())
    await databaseOf(accountId)
      .prepare(
        `${numbers(100, 199)} INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, created_at)
         SELECT substr(?1, 1, 8) || ?2 || i, ?1, ?3, ?4, '', unixepoch() * 1000 FROM n`,
      )
      .bind(accountId, kind, event, first.apiKey.id)
      .run();
  const path = `${bankPath}/proposals/${await panel.propose({ title: "A" })}/comments`;
  const { id } = await (await send(second.key, "POST", path, { body: "B" })).json<{ id: string }>();
  const robin = await panel.panelist("Robin");
  await send(second.key, "POST", `${bankPath}/signing-secret/rotate`, {});
  await send(second.key, "DELETE", `/tenant/panelists/${robin.id}/tokens`);
  await send(second.key, "DELETE", `${path}/${id}`);
  // From the database: the rows of the loop are not whole events.
  const { results } = await databaseOf(accountId)
    .prepare("SELECT event FROM audit_events WHERE account_id = ?1 AND api_key_id = ?2 ORDER BY event")
    .bind(accountId, second.apiKey.id)
    .all<{ event: string }>();
  expect(results.map(({ event }) => event).filter((event) => loop.includes(event))).toEqual(loop);
});

/** The account's changes from this number on: each with the key that made it. */
const keysOf = async (accountId: string, from = 0) =>
  (
    await databaseOf(accountId)
      .prepare("SELECT type, api_key_id AS key FROM change_log WHERE account_id = ?1 AND number > ?2 ORDER BY number")
      .bind(accountId, from)
      .all<{ type: string; key: string | null }>()
  ).results;

const WRITING = operationsOf("apiKey").filter(({ operation }) => operation.effect !== "reads");

it.each(WRITING)(
  "all changes of $name are the key's, and the next one is nobody's",
  async ({ operation, method, path }) => {
    const ids = await addOneOfEverything();
    const accountId = ids.accountId ?? "";
    const tenant = await createTenant({ accountId });
    const before = (await keysOf(accountId)).length;
    expect((await tenant.send(method, addressOf(path, ids), bodyOf(operation, ids))).ok).toBe(true);
    const database = databaseOf(accountId);
    await database
      .prepare(
        "INSERT INTO surveys (id, account_id, title, description, created_at, updated_at) VALUES ('by-hand', ?1, '', '', 1, 1)",
      )
      .bind(accountId)
      .run();
    const made = await keysOf(accountId, before);
    const last = made.pop();
    expect(last).toEqual({ type: "survey.created", key: null });
    const withoutKey = made.filter(({ key }) => key !== tenant.id);
    expect(withoutKey.filter(({ type }) => !path.includes("/votes") && type !== "panelist.created")).toEqual([]);
  },
);

it("all of several changes in a request are the key's", async () => {
  const { panel, first, send, bankPath } = await createScene();
  const path = `${bankPath}/proposals/${await panel.propose()}/comments/batch`;
  const before = (await keysOf(panel.bank.accountId)).length;
  expect((await send(first.key, "POST", path, { comments: [{ body: "One" }, { body: "Two" }] })).status).toBe(201);
  const made = (await keysOf(panel.bank.accountId, before)).map(({ key }) => key);
  expect(made).toEqual([first.apiKey.id, first.apiKey.id]);
});

it("a request of 1.1.0, which knows no number, acts with its key until it deletes the row", async () => {
  const { panel, first, second, send, bankPath } = await createScene();
  const { accountId } = panel.bank;
  await send(first.key, "POST", `${bankPath}/proposals`, { title: "A change of today's Worker" });
  const before = (await keysOf(accountId)).length;
  const database = databaseOf(accountId);
  const rename = (name: string) =>
    database.prepare("UPDATE idea_banks SET name = ?2 WHERE account_id = ?1").bind(accountId, name);
  await database.batch([
    database
      .prepare(
        "INSERT INTO acting_keys (account_id, api_key_id) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET api_key_id = excluded.api_key_id",
      )
      .bind(accountId, second.apiKey.id),
    rename("One"),
    rename("Two"),
    database.prepare("DELETE FROM acting_keys WHERE account_id = ?1").bind(accountId),
  ]);
  await rename("Three").run();
  expect((await keysOf(accountId, before)).map(({ key }) => key)).toEqual([second.apiKey.id, second.apiKey.id, null]);
});
