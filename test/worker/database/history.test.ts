/** The history of an idea: every way of changing it leaves a step, with who did it; bounded, counted, and without a deleted person's words. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { listSteps, STEPS_KEPT, type Step } from "../../../src/worker/database/proposals/history.ts";
import { DECIDED_TEXTS, DECIDED_VALUES } from "../../../src/worker/database/proposals/proposal-fields.ts";
import { createAgent } from "../../support/agent.ts";
import { databaseOf, sessionOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { runJob } from "../../support/job.ts";
import { addressOf, bodyOf, operationsOf } from "../../support/operations.ts";
import { PROPOSALS, sendWith } from "../../support/panel.ts";
import { addOneOfEverything, createTenant } from "../../support/tenant.ts";

type Row = Readonly<Record<string, string | number | null>>;

const RECORDED = "id, status, visibility, title, description, response, tags, duplicate_of, author_id IS NULL";

/** The recorded fields of an account's ideas, which can still be opened, by their identifiers. */
async function ideasOf(accountId: string) {
  const { results } = await databaseOf(accountId)
    .prepare(
      `SELECT ${RECORDED} FROM proposals WHERE account_id = ?1 AND idea_bank_id <> id AND idea_bank_id IN (SELECT id FROM idea_banks)`,
    )
    .bind(accountId)
    .all<Row>();
  return new Map(results.map((row) => [String(row.id), JSON.stringify(row)]));
}

/** The newest first. */
const stepsOf = (accountId: string, proposalId: string): Promise<readonly Step[]> =>
  listSteps(sessionOf(databaseOf(accountId)), { accountId, proposalId, most: STEPS_KEPT });

/** The bytes of the account's history, as counted and as they are. */
async function bytesOf(accountId: string) {
  const first = (sql: string) => databaseOf(accountId).prepare(sql).bind(accountId).first<number>("n");
  const events = `(SELECT coalesce(sum(400 + octet_length(api_key_name) + coalesce(octet_length(actor), 0) + coalesce(octet_length(address), 0)
    + coalesce(octet_length(changes), 0)), 0) FROM audit_events WHERE account_id = ?1)`;
  return {
    counted: await first("SELECT event_bytes AS n FROM accounts WHERE id = ?1"),
    stored: await first(
      `SELECT ${events} + (SELECT coalesce(sum(150 + octet_length(changes) + coalesce(octet_length(actor), 0)), 0) FROM proposal_steps WHERE account_id = ?1) AS n`,
    ),
  };
}

const WRITING = operationsOf("apiKey").filter(({ operation }) => operation.effect !== "reads");

describe("an API key", () => {
  it.each(WRITING)("leaves its step on each idea that $name changes or creates, and no other", async (each) => {
    const ids = await addOneOfEverything();
    const accountId = ids.accountId ?? "";
    const tenant = await createTenant({ accountId });
    const before = await ideasOf(accountId);
    const answer = await tenant.send(each.method, addressOf(each.path, ids), bodyOf(each.operation, ids));
    expect(answer.ok).toBe(true);
    const after = await ideasOf(accountId);
    for (const [id, state] of after) {
      const made = (await stepsOf(accountId, id)).filter(({ by }) => by.kind !== "service");
      const isTarget = [...after].some(
        ([other, now]) => before.get(other) !== now && now.includes(`"duplicate_of":"${id}"`),
      );
      const isChanged = (before.get(id) !== state || isTarget) && !each.path.endsWith("/panelists/{panelistId}");
      expect([id, made.map(({ by }) => by)]).toEqual([
        id,
        isChanged ? [{ kind: "key", id: tenant.id, name: expect.any(String) }] : [],
      ]);
    }
    const { counted, stored } = await bytesOf(accountId);
    expect(counted).toBe(stored);
  });

  it("that repeats a request with its Idempotency-Key leaves one step", async () => {
    const { panel } = await createDesk();
    const { accountId, id } = panel.bank;
    const create = () =>
      panel.tenant.send("POST", `/tenant/ideabanks/${id}/proposals`, { title: "Once" }, { "Idempotency-Key": "once" });
    const [first, second] = [await create(), await create()];
    const { id: idea } = await first.json<{ id: string }>();
    expect((await second.json<{ id: string }>()).id).toBe(idea);
    expect(await stepsOf(accountId, idea)).toMatchObject([
      { number: 1, changes: { created: [null, expect.any(Number)] } },
    ]);
    // What changes nothing is no step, either.
    for (let times = 0; times < 2; times++) await panel.manage("PATCH", `/proposals/${idea}`, { status: "planned" });
    expect(await stepsOf(accountId, idea)).toHaveLength(2);
  });

  it("of an agent is named by its tools, too", async () => {
    const { call, accountId } = await createAgent();
    const { ideaBankId, proposalId = "" } = await addOneOfEverything(accountId);
    expect(await call("updateProposal", { ideaBankId, proposalId, status: "declined" })).toMatchObject({
      isError: false,
    });
    const [step] = await stepsOf(accountId, proposalId);
    expect(step).toMatchObject({
      by: { kind: "key", name: expect.any(String) },
      changes: { status: ["implemented", "declined"] },
    });
  });
});

describe("a person", () => {
  it("who edits an idea leaves one step, until somebody else changes it", async () => {
    const { panel } = await createDesk();
    const { accountId } = panel.bank;
    const kim = await panel.panelist("Kim");
    const idea = await kim.submit("Night buses", "At night");
    expect(await stepsOf(accountId, idea)).toEqual([]);
    const edit = (changes: object) => kim.send("PATCH", `${PROPOSALS}/${idea}`, changes);
    await edit({ title: "Buses" });
    await edit({ title: "Night bus", description: "Every hour" });
    await edit({ title: "Night bus" });
    expect(await stepsOf(accountId, idea)).toMatchObject([
      {
        ...{ number: 1, by: { kind: "author", id: kim.id, name: "Kim" } },
        changes: { title: ["Night buses", "Night bus"], description: ["At night", "Every hour"] },
      },
    ]);
    await panel.manage("PATCH", `/proposals/${idea}`, { tags: ["Bus"] });
    await edit({ title: "Buses at night" });
    expect((await stepsOf(accountId, idea)).map(({ by, changes }) => [by.kind, changes])).toEqual([
      ["author", { title: ["Night bus", "Buses at night"] }],
      ["key", { tags: [[], ["Bus"]] }],
      ["author", expect.anything()],
    ]);
    const { counted, stored } = await bytesOf(accountId);
    expect(counted).toBe(stored);
  });

  it.each(["", "?content=delete"])(
    "who is deleted (%s) leaves no words in the history, and none for who comes back",
    { tags: "slow" },
    async (content) => {
      const { panel } = await createDesk();
      const { accountId } = panel.bank;
      // By an external id, from which the person's identifier follows.
      const person = { externalId: "kim", displayName: "Kim" };
      const create = async () =>
        (await (await panel.tenant.send("POST", "/tenant/panelists", person)).json<{ id: string }>()).id;
      const id = await create();
      const issued = await panel.tenant.send("POST", `/tenant/ideabanks/${panel.bank.id}/tokens`, { panelistId: id });
      const send = sendWith(panel.isolate, (await issued.json<{ token: string }>()).token);
      const submitted = await send("POST", PROPOSALS, { title: "Quetzal", description: "About quetzals" });
      const { id: idea } = await submitted.json<{ id: string }>();
      await send("PATCH", `${PROPOSALS}/${idea}`, { description: "More about quetzals" });
      await panel.manage("PATCH", `/proposals/${idea}`, { title: "Quetzals", status: "planned" });
      const words = () =>
        databaseOf(accountId)
          .prepare("SELECT count(*) AS n FROM proposal_steps WHERE account_id = ?1 AND changes LIKE '%quetzal%'")
          .bind(accountId)
          .first("n");
      expect(await words()).toBe(2);
      expect((await panel.tenant.send("DELETE", `/tenant/panelists/${id}${content}`)).ok).toBe(true);
      await runJob(env);
      expect(await words()).toBe(0);
      expect(await create()).toBe(id);
      const left = content === "" ? await stepsOf(accountId, idea) : [];
      expect(left.map(({ by, changes }) => [by, changes])).toEqual(
        content === ""
          ? [
              [{ kind: "service" }, { author: [1, 0] }],
              [expect.objectContaining({ kind: "key" }), { status: ["submitted", "planned"], title: [] }],
              [{ kind: "author", id: null, name: null }, { description: [] }],
            ]
          : [],
      );
      const { counted, stored } = await bytesOf(accountId);
      expect(counted).toBe(stored);
    },
  );

  it("who is being deleted is read by nobody, before the words are erased", async () => {
    const { panel } = await createDesk();
    const { accountId } = panel.bank;
    const kim = await panel.panelist("Kim");
    const idea = await kim.submit("Quetzal");
    await kim.send("PATCH", `${PROPOSALS}/${idea}`, { title: "Quetzals" });
    await databaseOf(accountId).prepare("UPDATE panelists SET deleted_at = 1 WHERE id = ?1").bind(kim.id).run();
    expect(await stepsOf(accountId, idea)).toMatchObject([{ by: { id: null, name: null }, changes: { title: [] } }]);
  });
});

describe("the history of an idea", () => {
  it("keeps the newest 200 steps, and whole texts in the newest 20", { tags: "slow" }, async () => {
    const { panel } = await createDesk();
    const { accountId } = panel.bank;
    const idea = await panel.propose({ description: "Long. ".repeat(200) });
    const database = databaseOf(accountId);
    const change = database.prepare("UPDATE proposals SET description = ?2, title = ?3 WHERE id = ?1");
    await database.batch(
      Array.from({ length: 210 }, (_, index) => change.bind(idea, `${index} ${"x".repeat(1_000)}`, `Title ${index}`)),
    );
    const steps = await stepsOf(accountId, idea);
    expect([steps.length, steps[0]?.number, steps.at(-1)?.number]).toEqual([200, 211, 12]);
    expect(steps.findIndex(({ isCut }) => isCut)).toBe(20);
    const [, after] = steps[20]?.changes.description ?? [];
    expect(after).toBe(`${`189 ${"x".repeat(1_000)}`.slice(0, 200)}…`);
    expect(steps[20]?.changes.title).toEqual(["Title 188", "Title 189"]);
    const { counted, stored } = await bytesOf(accountId);
    expect(counted).toBe(stored);
  });

  it("goes with the idea", { tags: "slow" }, async () => {
    const { panel } = await createDesk();
    const { accountId } = panel.bank;
    const idea = await panel.propose();
    await panel.manage("DELETE", `/proposals/${idea}`);
    await runJob(env);
    expect(await stepsOf(accountId, idea)).toEqual([]);
    const { counted, stored } = await bytesOf(accountId);
    expect(counted).toBe(stored);
  });

  it("is written where storage is full", async () => {
    const { panel } = await createDesk();
    const idea = await panel.propose();
    await databaseOf(idea).prepare("UPDATE accounts SET max_bytes = 0").run();
    await panel.manage("PATCH", `/proposals/${idea}`, { status: "planned" });
    expect((await stepsOf(panel.bank.accountId, idea))[0]).toMatchObject({
      changes: { status: ["submitted", "planned"] },
    });
  });

  it("has every field that a member decides about: a new one goes into the trigger step_of_change", async () => {
    const found = databaseOf("0").prepare("SELECT sql FROM sqlite_master WHERE name = 'step_of_change'");
    const trigger = (await found.first<string>("sql")) ?? "";
    const listed = [...trigger.matchAll(/json_array\('(\w+)'/g)].map(([, name]) => name);
    expect(listed).toEqual(expect.arrayContaining([...DECIDED_VALUES, ...DECIDED_TEXTS, "duplicateOf"]));
    const assigned = trigger.match(/UPDATE OF ([^)]*?) ON/)?.[1]?.split(", ") ?? [];
    const read = [...trigger.matchAll(/json_array\('\w+', (?:json\(coalesce\()?OLD\.(\w+)/g)].map(
      ([, column]) => column,
    );
    expect(assigned.toSorted()).toEqual(read.toSorted());
  });
});
