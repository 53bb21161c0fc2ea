/**
 * Nobody empties an account's activity: every kind of event says what bounds it (docs/security.md), and what is never refused, or is done
 * by others than members, leaves the earlier events where they are, however often it is done.
 */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import security from "../../../docs/security.md?raw";
import { recordUseAfterRevocation } from "../../../src/worker/database/activity/audit-events.ts";
import { recordSignIn } from "../../../src/worker/database/members/sign-in-events.ts";
import { rotateLeakedSigningSecrets } from "../../../src/worker/database/secrets/leaked-secrets.ts";
import { recordLeakedTokens } from "../../../src/worker/database/tokens/leaked-tokens.ts";
import { AUDIT_EVENTS } from "../../../src/worker/model/audit-event.ts";
import { databaseOf, sessionOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { membersOf } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";
import { addPanelist, newId } from "../../support/world.ts";

/** The events in the second column of the table. */
const BOUNDED = (security.split("## What bounds the activity")[1]?.split("\n## ")[0] ?? "")
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .flatMap((line) => [...(line.split("|")[2] ?? "").matchAll(/`([\w-]+)`/g)].map(([, event = ""]) => event));

it("every kind of event is in the table of bounds, once, and no other is", () => {
  expect(BOUNDED.toSorted()).toEqual([...AUDIT_EVENTS].toSorted());
});

/** More than the 100 that are recorded in a day. */
const TIMES = 130;
const LEFT = 110;
const times = Array.from({ length: TIMES }, (_, index) => index);

/** The events of the account until now would be pushed out by the next 110 of their kind. */
async function crowd(accountId: string): Promise<() => Promise<number>> {
  const database = databaseOf(accountId);
  const shift = (table: string) =>
    database
      .prepare(`UPDATE ${table} SET position = position - 10000 + ${LEFT} WHERE account_id = ?1`)
      .bind(accountId)
      .run();
  await shift("kept_events");
  await shift("audit_events");
  // The newest of each kind stays the newest: so the next position is the one after it.
  for (const [kind, subject, key] of [
    [0, null, null],
    [1, "0Subject0001", null],
    [2, "0Subject0001", "0ApiKey00001"],
  ] as const) {
    const id = newId(accountId.slice(0, 1));
    await database
      .prepare(
        `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, subject_id, created_at, number, position)
         VALUES (?1, ?2, 'refused', ?3, '', ?4, 1, 0, 0)`,
      )
      .bind(id, accountId, key, subject)
      .run();
    await database.prepare("INSERT INTO kept_events VALUES (?1, ?2, 0, ?3)").bind(accountId, kind, id).run();
  }
  const count = () =>
    database
      .prepare("SELECT count(*) AS n FROM audit_events WHERE account_id = ?1 AND position < 0")
      .bind(accountId)
      .first<number>("n");
  const before = await count();
  expect(before).toBeGreaterThan(0);
  return async () => (before ?? 0) - ((await count()) ?? 0);
}

/** The real binding, until its rate is said to be used up: a minute would give it back in the middle of a loop. */
function limiter() {
  let isUsedUp = false;
  const limit = async (options: RateLimitOptions): Promise<RateLimitOutcome> =>
    isUsedUp ? { success: false } : env.OWNER_WRITES.limit(options);
  return {
    bindings: { ...env, OWNER_WRITES: { limit } },
    useUp: () => {
      isUsedUp = true;
    },
  };
}

const since = async (accountId: string, event: string) =>
  databaseOf(accountId)
    .prepare("SELECT count(*) AS n FROM audit_events WHERE account_id = ?1 AND event = ?2 AND position > 0")
    .bind(accountId, event)
    .first<number>("n");

/** An owner with a key, a webhook, a person and a board, whose earlier events are at the edge. */
async function atTheEdge() {
  const { bindings, useUp } = limiter();
  const desk = await createDesk({ bindings });
  const { owner, panel } = desk;
  const { apiKey } = await owner.create("First");
  const { webhook } = await (await owner.json("POST", "/webhooks", { url: "https://crm.example.com/" })).json<{
    webhook: { id: string };
  }>();
  const people = [await panel.panelist("Robin"), await panel.panelist("Kim")];
  await owner.submit(`/people/${people[0]?.id}`, { do: "end-tokens" });
  const { accountId } = await membersOf(owner);
  return { ...desk, useUp, apiKey, webhook, people, accountId, pushedOut: await crowd(accountId) };
}

/** Within a second a second end of the same person's tokens changes nothing. */
async function manyPeople(accountId: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const _ of times) ids.push(await addPanelist(accountId));
  return ids;
}

describe("an owner in a loop", () => {
  it("pauses a webhook and a key, with and without another change: what is more than a pause waits, and a pause is one event", async () => {
    const { owner, useUp, apiKey, webhook, accountId, pushedOut } = await atTheEdge();
    useUp();
    const statuses = new Set<string>();
    const note = (what: string, { status }: Response) => statuses.add(`${what} ${status}`);
    for (const index of times) {
      const url = `https://crm.example.com/${index}`;
      note("pause", await owner.json("PATCH", `/webhooks/${webhook.id}`, { paused: true }));
      note("pause and move", await owner.json("PATCH", `/webhooks/${webhook.id}`, { paused: true, url }));
      note("pause and choose", await owner.json("PATCH", `/webhooks/${webhook.id}`, { paused: true, types: null }));
      note("pause a key", await owner.json("PATCH", `/keys/${apiKey.id}`, { paused: true }));
      note("pause and name", await owner.json("PATCH", `/keys/${apiKey.id}`, { paused: true, name: `${index}` }));
    }
    expect([...statuses].toSorted()).toEqual([
      "pause 200",
      "pause a key 200",
      "pause and choose 429",
      "pause and move 429",
      "pause and name 429",
    ]);
    expect([await since(accountId, "webhook-paused"), await since(accountId, "changed")]).toEqual([1, 1]);
    expect(await pushedOut()).toBe(0);
  });

  it("ends all tokens: all ends are made, and one is recorded in an hour for each member", async () => {
    const { owner, accountId, pushedOut } = await atTheEdge();
    for (const _ of times) expect((await owner.json("POST", "/tokens/end")).status).toBe(200);
    expect(await since(accountId, "tokens-ended")).toBe(1);
    expect(await pushedOut()).toBe(0);
    const epoch = await databaseOf(accountId)
      .prepare("SELECT token_epoch FROM accounts WHERE id = ?1")
      .bind(accountId)
      .first<number>("token_epoch");
    expect(epoch).toBe(TIMES);
  });

  it("ends the tokens of people: each is made, and beyond the rate a hundred a day are recorded", async () => {
    const { owner, useUp, people, accountId, pushedOut } = await atTheEdge();
    const last = people[1]?.id ?? "";
    const crowded = await manyPeople(accountId);
    useUp();
    for (const id of crowded) expect((await owner.submit(`/people/${id}`, { do: "end-tokens" })).status).toBe(303);
    // With the one within the rate, before.
    expect(await since(accountId, "panelist-changed")).toBe(99);
    expect((await owner.submit(`/people/${last}`, { do: "delete" })).status).toBe(303);
    expect((await owner.page(`/people/${last}`)).status).toBe(404);
    expect(await pushedOut()).toBe(0);
    // Who is no member does nothing, recorded or not.
    const stranger = createOwner();
    const foreign = await stranger.submit(`/people/${people[0]?.id}?account=${accountId}`, { do: "end-tokens" });
    expect(foreign.status).toBe(403);
  });
});

describe("somebody else in a loop", () => {
  it("with an API key: nothing of the account's or the members' events is pushed out, and 100 in an hour of its own", async () => {
    const { panel, accountId, pushedOut } = await atTheEdge();
    const read = `/tenant/ideabanks/${panel.bank.id}/signing-secret`;
    for (const id of await manyPeople(accountId)) {
      expect((await panel.tenant.send("DELETE", `/tenant/panelists/${id}/tokens`)).status).toBe(204);
      expect((await panel.tenant.send("GET", read)).status).toBe(200);
    }
    expect(await since(accountId, "panelist-changed")).toBe(100);
    expect(await since(accountId, "signing-secret-read")).toBe(1);
    expect(await pushedOut()).toBe(0);
  });

  it("by signing in, by opening used links, and by using revoked keys", async () => {
    const { owner, apiKey, accountId, pushedOut } = await atTheEdge();
    const session = sessionOf(databaseOf(accountId));
    const now = Date.now();
    const digit = accountId.slice(0, 1);
    for (const event of ["signed-in", "sign-in-link-used-again"] as const)
      for (const _ of times)
        await session.run(
          recordSignIn({ event, eventId: newId(digit), accountId, person: owner.email, address: null, now }),
        );
    for (const index of times) {
      const id = `${digit}${String(index).padStart(11, "0")}`;
      await databaseOf(accountId)
        .prepare(
          `INSERT INTO api_keys (id, account_id, name, secret_hash, scopes, created_at, revoked_at)
           SELECT ?2, account_id, name, ?2, scopes, created_at, 1 FROM api_keys WHERE id = ?1`,
        )
        .bind(apiKey.id, id)
        .run();
      await recordUseAfterRevocation(session, { apiKeyId: id, eventId: newId(digit), address: null, now });
    }
    expect([
      await since(accountId, "signed-in"),
      await since(accountId, "sign-in-link-used-again"),
      await since(accountId, "used-after-revocation"),
    ]).toEqual([100, 100, 100]);
    // Three kinds of acts, a hundred each: together they are more than the edge.
    expect(await pushedOut()).toBeGreaterThan(0);
    // Another member's sign-in is recorded all the same.
    await session.run(
      recordSignIn({
        event: "signed-in",
        eventId: newId(digit),
        accountId,
        person: "b@example.com",
        address: null,
        now,
      }),
    );
    expect(await since(accountId, "signed-in")).toBe(101);
  });

  it("by reporting tokens: all end, 100 a day are recorded, and another account's in the same report is", async () => {
    const [own, other] = [await atTheEdge(), await createDesk()];
    const { accountId, panel } = own;
    const session = sessionOf(databaseOf(accountId));
    const isBeside = databaseOf(accountId) === databaseOf(other.panel.bank.accountId);
    const leakOf = (ideaBankId: string, index: number) => ({
      ...{ secret: "signed-token" as const, ideaBankId, issuedAt: Date.now() - 1_000, foundAt: "https://github.com/a" },
      ...{
        eventId: newId(accountId.slice(0, 1)),
        panelistId: `${accountId.slice(0, 1)}${String(index).padStart(11, "P")}`,
      },
      externalId: `person-${index}`,
      ends: true,
    });
    const found = [...times.map((index) => leakOf(panel.bank.id, index)), leakOf(other.panel.bank.id, TIMES)];
    await recordLeakedTokens(session, { found, reporter: "a form", now: Date.now() });
    const ended = await databaseOf(accountId)
      .prepare(
        "SELECT count(*) AS n FROM panelists WHERE account_id = ?1 AND external_id LIKE 'person-%' AND tokens_revoked_at > 0",
      )
      .bind(accountId)
      .first<number>("n");
    expect([ended, await since(accountId, "leaked"), await own.pushedOut()]).toEqual([TIMES, 100, 0]);
    if (isBeside) expect(await since(other.panel.bank.accountId, "leaked")).toBe(1);
    // A signing secret that is reported now is rotated without an event.
    const secret = await (await panel.tenant.send("GET", `/tenant/ideabanks/${panel.bank.id}/signing-secret`)).json<{
      secret: string;
    }>();
    const hash = await databaseOf(accountId)
      .prepare("SELECT hash FROM signing_secrets WHERE idea_bank_id = ?1")
      .bind(panel.bank.id)
      .first<string>("hash");
    const leak = { text: secret.secret, hash: hash ?? "", eventId: newId(accountId.slice(0, 1)), foundAt: "" };
    await rotateLeakedSigningSecrets(session, { found: [leak], reporter: "a form", now: Date.now() });
    const epoch = await databaseOf(accountId)
      .prepare("SELECT signing_epoch FROM idea_banks WHERE id = ?1")
      .bind(panel.bank.id)
      .first<number>("signing_epoch");
    expect([epoch, await since(accountId, "leaked")]).toEqual([2, 100]);
  });
});
