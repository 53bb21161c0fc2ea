/** Account events: for webhooks that choose them, never in the feed; and what members are told of by e-mail. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";
import { renderNotice } from "../../../src/worker/deliveries/render-notice.ts";
import type { Send } from "../../../src/worker/deliveries/send.ts";
import { ACCOUNT_EVENT_TYPES, type AccountEvent } from "../../../src/worker/model/account-event.ts";
import type { AuditEvent } from "../../../src/worker/model/audit-event.ts";
import { CHANGE_TYPES, type Change } from "../../../src/worker/model/change.ts";
import type { Webhook } from "../../../src/worker/model/webhook.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf, selectEverywhere } from "../../support/databases.ts";
import { runJob } from "../../support/job.ts";
import { add, membersOf } from "../../support/members.ts";
import { OPERATOR_SECRET, withSecret } from "../../support/operator.ts";
import { createOwner } from "../../support/owner.ts";

type Owner = ReturnType<typeof createOwner>;

const DAY_MS = 86_400_000;
const SETTINGS = {
  NOTICES: env.EMAIL,
  NOTICES_FROM: "notices@example.com",
  SIGN_IN_URL: "https://app.example.com/settings?a=1&b=2",
};
const BINDINGS = { DB: env.DB, DB_1: env.DB_1 };

afterEach(() => void vi.useRealTimers());

/** A receiver that keeps what it got. */
function receiver(status = 204) {
  const got: (AccountEvent | Change)[] = [];
  const send: Send = async ({ body }) => {
    got.push(JSON.parse(body));
    return { status, retryAfter: null };
  };
  return { got, send };
}

async function createWebhook(owner: Owner, types: string[] | null): Promise<Webhook> {
  const made = await owner.json("POST", "/webhooks", { url: `https://${crypto.randomUUID()}.example.com/`, types });
  expect(made.status).toBe(201);
  return (await made.json<{ webhook: Webhook }>()).webhook;
}

const deliver = (send: Send) => runJob(BINDINGS, Date.now, send);
const feed = async (owner: Owner, key: string, query = "") =>
  (await owner.isolate.request(`/tenant/changes${query}`, { headers: { "X-API-Key": key } })).json<{
    items: Change[];
    nextCursor: string;
  }>();
const addPanelist = (owner: Owner, key: string) =>
  owner.isolate.request("/tenant/panelists", {
    method: "POST",
    headers: { "X-API-Key": key, "Content-Type": "application/json" },
    body: JSON.stringify({ externalId: crypto.randomUUID() }),
  });

const KEY_TYPES = ["api-key.created", "api-key.changed", "api-key.rotated", "api-key.revoked"];

/** The types that one request each has delivered by its end: nothing waits for the job. */
describe("an account event is delivered after the answer that it follows from", () => {
  const scene = async (types: string[]) => {
    const { got, send } = receiver();
    const owner = createOwner(undefined, withSecret, undefined, send);
    await createWebhook(owner, types);
    return { owner, types: () => got.splice(0).map(({ type }) => type) };
  };
  const asOperator = { Authorization: `Bearer ${OPERATOR_SECRET}`, "Content-Type": "application/json" };

  it("for keys, by their owner and by the operator", async () => {
    const { owner, types } = await scene(KEY_TYPES);
    const { apiKey } = await owner.create("CRM sync");
    expect(types()).toEqual(["api-key.created"]);
    await owner.json("PATCH", `/keys/${apiKey.id}`, { limit: 60 });
    expect(types()).toEqual(["api-key.changed"]);
    await owner.json("POST", `/keys/${apiKey.id}/rotate`, {});
    expect(types()).toEqual(["api-key.rotated"]);
    const path = `/operator/keys/${apiKey.id}`;
    const body = JSON.stringify({ limit: 10, windowSeconds: 60 });
    await owner.isolate.request(`${path}/limit`, { method: "PUT", headers: asOperator, body });
    expect(types()).toEqual(["api-key.changed"]);
    await owner.isolate.request(path, { method: "DELETE", headers: asOperator });
    expect(types()).toEqual(["api-key.revoked"]);
    const other = await owner.create("Another");
    await owner.submit(`/api-keys/${other.apiKey.id}/revoke`, {});
    expect(types()).toEqual(["api-key.created", "api-key.revoked"]);
  });

  it("for a key that was found in public", async () => {
    const { owner, types } = await scene(["api-key.leaked"]);
    const { key } = await owner.create("CRM sync");
    await owner.isolate.request("/leaks/reports", { method: "POST", body: new URLSearchParams({ key }) });
    expect(types()).toEqual(["api-key.leaked"]);
  });

  it("for members, in the account that they join or leave", async () => {
    const { got, send } = receiver();
    const owner = createOwner(undefined, env, undefined, send);
    const member = createOwner(undefined, env, undefined, send);
    await createWebhook(owner, ["member.added", "member.removed"]);
    await add(owner, member);
    expect(got.map(({ type }) => type)).toEqual(["member.added"]);
    const [, { id = "" } = {}] = (await membersOf(owner)).items;
    await owner.json("DELETE", `/members/${id}`);
    expect(got.map(({ type }) => type)).toEqual(["member.added", "member.removed"]);
  });
});

describe("a webhook that chooses account events", () => {
  it("gets what happens to keys and members, each with who did it and what was before and after", async () => {
    const { got, send } = receiver();
    const owner = createOwner(undefined, env, undefined, send);
    await createWebhook(owner, [...KEY_TYPES, "member.added", "member.removed"]);
    const { apiKey } = await owner.create("CRM sync");
    await owner.json("PATCH", `/keys/${apiKey.id}`, { limit: 60 });
    await owner.json("POST", `/keys/${apiKey.id}/rotate`, {});
    await owner.json("DELETE", `/keys/${apiKey.id}`);
    await owner.json("PUT", "/settings", { leakedKeys: "mark" });
    const member = createOwner(undefined, env, undefined, send);
    await add(owner, member);
    const [, { id = "" } = {}] = (await membersOf(owner)).items;
    await owner.json("DELETE", `/members/${id}`);
    expect(got.map(({ type }) => type)).toEqual([...KEY_TYPES, "member.added", "member.removed"]);
    expect(got[1]).toMatchObject({
      type: "api-key.changed",
      by: "tenant",
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      event: {
        event: "changed",
        apiKeyId: apiKey.id,
        apiKeyName: "CRM sync",
        actor: owner.email,
        changes: { before: { limit: 600 }, after: { limit: 60 } },
      },
    });
    expect(got[4]).toMatchObject({ event: { actor: member.email, changes: { after: { member: member.email } } } });
    expect(JSON.stringify(got)).not.toContain("ibk_");
  });

  it("gets those that it has chosen, in order with the changes; one for all changes gets no account event", async () => {
    const { got, send } = receiver();
    const owner = createOwner(undefined, env, undefined, send);
    const { key } = await owner.create();
    const chosen = await createWebhook(owner, ["api-key.created", "panelist.created"]);
    const all = await createWebhook(owner, null);
    await owner.create("Second");
    await addPanelist(owner, key);
    await owner.create("Third");
    await deliver(send);
    const { items } = await (await owner.json("GET", "/webhooks")).json<{ items: Webhook[] }>();
    const typesOf = ({ id }: Webhook) =>
      items
        .find((webhook) => webhook.id === id)
        ?.attempts.map(({ type }) => type)
        .toReversed();
    expect(typesOf(chosen)).toEqual(["api-key.created", "panelist.created", "api-key.created"]);
    expect(typesOf(all)).toEqual(["panelist.created"]);
    expect(items.map(({ waiting, missed }) => [waiting, missed])).toEqual(Array(2).fill([0, 0]));
    expect(got).toHaveLength(4);
  });

  it("is on the form, ticked where it was chosen", async () => {
    const owner = createOwner();
    const url = "https://crm.example.com/";
    const made = await owner.submit("/webhooks", {
      url,
      types: ["api-key.leaked", "proposal.created"],
      once: "1",
      do: "change",
    });
    expect(made.status).toBe(201);
    const page = await made.text();
    const ticked = [...page.matchAll(/name="types" value="([^"]+)" checked/g)].map(([, type]) => type);
    expect(ticked).toEqual(["proposal.created", "api-key.leaked"]);
    // The form has each type that there is, with a sentence; all of them, or those that are chosen.
    const types = [...page.matchAll(/name="types" value="([^"]+)"/g)].map(([, type]) => type);
    expect(types.toSorted()).toEqual([...CHANGE_TYPES, ...ACCOUNT_EVENT_TYPES].toSorted());
    const all = await owner.submit("/webhooks", {
      url: `${url}all`,
      events: "all",
      types: ["comment.created"],
      once: "2",
    });
    expect((await all.text()).match(/name="types" value="[^"]+" checked/)).toBeNull();
    const none = await owner.submit("/webhooks", { url: `${url}none`, events: "chosen", once: "3" });
    expect([none.status, (await none.text()).includes("Events must")]).toEqual([400, true]);
  });
});

describe("the feed", () => {
  it("never shows an account event, and goes on behind them", async () => {
    const owner = createOwner();
    const { key, apiKey } = await owner.create();
    await addPanelist(owner, key);
    for (let limit = 1; limit < 4; limit++) await owner.json("PATCH", `/keys/${apiKey.id}`, { limit: 600 + limit });
    const first = await feed(owner, key);
    expect(first.items.map(({ type }) => type)).toEqual(["panelist.created"]);
    const empty = await feed(owner, key, `?after=${first.nextCursor}`);
    expect(empty.items).toEqual([]);
    await addPanelist(owner, key);
    for (const cursor of [first.nextCursor, empty.nextCursor])
      expect((await feed(owner, key, `?after=${cursor}`)).items.map(({ type }) => type)).toEqual(["panelist.created"]);
  });

  it("reads at most 1,000 rows of the log, and gets past more account events than that", async () => {
    const owner = createOwner();
    const { key } = await owner.create();
    const { accountId } = await membersOf(owner);
    await databaseOf(accountId)
      .prepare(
        `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
         INSERT INTO change_log (account_id, number, type, actor, changed_at, event_id) SELECT ?1, i, 'api-key.changed', 'tenant', 1, 'x' FROM n`,
      )
      .bind(accountId)
      .run();
    await addPanelist(owner, key);
    let cursor = "";
    const pages: number[] = [];
    for (let page = 0; page < 3; page++) {
      const { items, nextCursor } = await feed(owner, key, cursor && `?after=${cursor}`);
      pages.push(items.length);
      cursor = nextCursor;
    }
    expect(pages).toEqual([0, 0, 1]);
  });
});

describe("a key that expires", () => {
  /** The events after a run of the job at these times, in days after `start`. */
  async function eventsAt(owner: Owner, start: number, days: readonly number[]) {
    const told: number[] = [];
    for (const day of days) {
      vi.setSystemTime(start + day * DAY_MS);
      await runJob(BINDINGS, Date.now);
      await runJob(BINDINGS, Date.now);
      told.push((await owner.events()).filter(({ event }) => event === "expiring").length);
    }
    return told;
  }

  it("is told of 30, 7 and 1 days before, once each", async () => {
    const start = Date.now();
    freeze(start);
    const owner = createOwner();
    await createWebhook(owner, ["api-key.expiring"]);
    await owner.create("Soon", { expiresInDays: 90 });
    await owner.create("Never");
    expect(await eventsAt(owner, start, [0, 59.9, 60, 70, 82.9, 83, 84, 88.9, 89, 89.5, 91])).toEqual([
      0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3,
    ]);
  });

  it("is not told of a time that had passed when it was made; after a pause of the job, once", async () => {
    const start = Date.now();
    freeze(start);
    const owner = createOwner();
    await owner.create("A week", { expiresInDays: 7 });
    expect(await eventsAt(owner, start, [0, 1, 5.9, 6])).toEqual([0, 0, 0, 1]);
    await owner.create("A month", { expiresInDays: 40 });
    expect(await eventsAt(owner, start, [6 + 34])).toEqual([2]);
  });

  it("is not told of when it was revoked, or its end was moved; then again before that end", async () => {
    const start = Date.now();
    freeze(start);
    const owner = createOwner();
    const [revoked, moved] = [
      await owner.create("Revoked", { expiresInDays: 40 }),
      await owner.create("Moved", { expiresInDays: 40 }),
    ];
    await owner.json("DELETE", `/keys/${revoked.apiKey.id}`);
    await owner.json("PATCH", `/keys/${moved.apiKey.id}`, { expiresAt: new Date(start + 100 * DAY_MS).toISOString() });
    expect(await eventsAt(owner, start, [11, 34, 69, 71])).toEqual([0, 0, 0, 1]);
  });
});

describe("members by e-mail", () => {
  /** What the stand-in was given, by whom it is for. */
  const emails = () => vi.spyOn(env.EMAIL, "send");
  const tell = (more: object = {}) => runJob({ ...BINDINGS, ...SETTINGS, ...more }, Date.now);
  const Email = z.object({
    ...{ to: z.string(), from: z.string(), subject: z.string(), text: z.string(), html: z.string() },
  });
  const sentBy = (send: ReturnType<typeof emails>) => send.mock.calls.map(([email]) => z.parse(Email, email));

  /** Events of an account in the database 0, each a millisecond after the one before. */
  const addEvents = (email: string, count: number, { from, kind = "leaked" }: { from: number; kind?: string }) =>
    env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
       INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, created_at)
       SELECT substr(a.id, 1, 3) || lower(hex(randomblob(4))) || '0', a.id, ?4, NULL, 'K', ?3 + i
       FROM n JOIN accounts a ON a.owner_email = ?1`,
    )
      .bind(email, count, from, kind)
      .run();

  it("of an account are 20 of a kind in a day: it fills neither its members' mailboxes nor the place of others", async () => {
    const start = Date.now();
    freeze(start);
    const [waiting, flooding] = [createOwner(undefined, env, "0"), createOwner(undefined, env, "0")];
    for (const owner of [waiting, flooding]) await owner.create();
    await addEvents(waiting.email, 1, { from: start });
    await addEvents(flooding.email, 600, { from: start + 100 });
    const send = emails();
    const told = async (owner: Owner, runs: number) => {
      send.mockClear();
      for (let run = 0; run < runs; run++) await tell();
      return sentBy(send).filter(({ to }) => to === owner.email).length;
    };
    expect(await told(waiting, 1)).toBe(1);
    expect(await told(flooding, 4)).toBe(11);
    await addEvents(flooding.email, 1, { from: start + 2_000 });
    await addEvents(flooding.email, 1, { from: start + 2_000, kind: "webhook-failed" });
    expect(await told(flooding, 1)).toBe(1);
    vi.setSystemTime(start + DAY_MS + 3_000);
    await addEvents(flooding.email, 1, { from: start + DAY_MS + 2_000 });
    expect(await told(flooding, 1)).toBe(1);
  });

  it("of an account wait for no other account, however many events that one has", async () => {
    const start = Date.now();
    freeze(start);
    const [waiting, busy] = [createOwner(undefined, env, "0"), createOwner(undefined, env, "0")];
    for (const owner of [waiting, busy]) await owner.create();
    await addEvents(waiting.email, 1, { from: start });
    await addEvents(busy.email, 30, { from: start + 100 });
    const send = emails();
    await tell();
    const told = sentBy(send).map(({ to }) => to);
    expect(told).toHaveLength(10);
    expect(told.filter((to) => to === waiting.email)).toHaveLength(1);
  });

  it("are told of a new member, a key that was found, one that expires in 7 days, and a webhook that failed; once each", async () => {
    const start = Date.now();
    freeze(start);
    const send = emails();
    const gone = new Set<string>();
    const owner = createOwner(undefined, env, undefined, async ({ url }) => ({
      status: gone.has(url) ? 410 : 204,
      retryAfter: null,
    }));
    const member = createOwner();
    await add(owner, member);
    await tell();
    expect(sentBy(send).map(({ to, subject }) => [to, subject])).toEqual([
      [owner.email, `${member.email} joined ${owner.email}`],
      [member.email, `${member.email} joined ${owner.email}`],
    ]);
    expect(sentBy(send)[0]).toMatchObject({ from: "notices@example.com" });
    const link = /^https:\/\/app\.example\.com\/settings\?a=1&b=2&returnTo=%2Faccount%2Fmembers%3Faccount%3D\w{12}$/;
    expect(sentBy(send)[0]?.text.match(/https:\/\/\S+/g)).toEqual([expect.stringMatching(link)]);
    expect(sentBy(send)[0]?.html.match(/href="[^"]*"/g)).toEqual([
      expect.stringContaining("?a=1&#38;b=2&#38;returnTo="),
    ]);
    await tell();
    expect(send).toHaveBeenCalledTimes(2);

    send.mockClear();
    const { key } = await owner.create("<b>Leaky</b>");
    await owner.isolate.request("/leaks/reports", {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ key, foundAt: "https://example.com/paste" }),
    });
    await tell();
    expect(sentBy(send).map(({ subject }) => subject)).toEqual(
      Array(2).fill("API key “<b>Leaky</b>” was found in public"),
    );
    expect(sentBy(send)[0]?.html).toContain("&#60;b&#62;Leaky&#60;/b&#62;");

    send.mockClear();
    await owner.create("Soon", { expiresInDays: 40 });
    for (const day of [11, 33, 34, 39]) {
      vi.setSystemTime(start + day * DAY_MS);
      await tell();
      await tell();
    }
    expect(sentBy(send).map(({ subject }) => subject)).toEqual([
      ...Array(2).fill("API key “Soon” expires in 7 days"),
      ...Array(2).fill("API key “Soon” expires in a day"),
    ]);

    send.mockClear();
    vi.useRealTimers();
    const failed = await createWebhook(owner, ["api-key.created"]);
    gone.add(failed.url);
    await owner.create("Another");
    await tell();
    expect(sentBy(send).map(({ subject, text }) => [subject, text.includes(failed.url)])).toEqual(
      Array(2).fill([`Deliveries to ${new URL(failed.url).host} have stopped`, true]),
    );
  });

  it("that cannot be sent are logged: the others are sent, and nothing else is lost", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    const owner = createOwner();
    const member = createOwner();
    await add(owner, member);
    const sent: string[] = [];
    const NOTICES = {
      send: async ({ to }: { to: string }) => {
        if (to === owner.email) throw new Error("no such mailbox");
        sent.push(to);
      },
    };
    await tell({ NOTICES });
    expect(sent).toEqual([member.email]);
    expect(error.mock.calls.map(([text]) => text)).toEqual(["an e-mail to a member was not sent"]);
    await tell({ NOTICES });
    expect(sent).toEqual([member.email]);
    expect((await owner.events())[0]?.changes?.after.member).toBe(member.email);
  });

  it("wait without the binding or a setting; what is older than a day is not told any more", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const start = Date.now();
    freeze(start);
    const send = emails();
    const owner = createOwner();
    await add(owner, createOwner());
    await runJob(BINDINGS, Date.now);
    // Whoever sends codes for signing in alone has no page for owners.
    for (const without of [{ NOTICES_FROM: "" }, { SIGN_IN_URL: "" }]) await tell(without);
    await expect(tell({ SIGN_IN_URL: "app.example.com" })).rejects.toThrow("the scheduled job failed in part");
    expect(await selectEverywhere("SELECT notice FROM audit_events WHERE notice = 1")).toHaveLength(2);
    vi.setSystemTime(start + DAY_MS);
    await tell();
    expect(send).not.toHaveBeenCalled();
    expect(await selectEverywhere("SELECT notice FROM audit_events WHERE notice = 1")).toEqual([]);
  });

  it("go to the invited person, and to nobody else; a canceled invitation is not sent", async () => {
    const send = emails();
    const owner = createOwner();
    const { id } = await (await owner.json("POST", "/members", { email: "canceled@example.com" })).json<{
      id: string;
    }>();
    await owner.json("DELETE", `/members/${id}`);
    await owner.json("POST", "/members", { email: "invited@example.com" });
    await tell();
    await tell();
    expect(sentBy(send).map(({ to, subject }) => [to, subject])).toEqual([
      ["invited@example.com", `${owner.email} invited you to their account`],
    ]);
    expect(sentBy(send)[0]?.text).toContain("returnTo=%2Faccount%2Faccounts");
  });

  it("of keys go to who is an admin when they are sent, and of a new member to that person, too", async () => {
    const send = emails();
    const owner = createOwner();
    const [former, viewer] = [createOwner(), createOwner()];
    const { key } = await owner.create("CRM");
    const { id } = await (await add(owner, former)).json<{ id: string }>();
    await add(owner, viewer, "", "viewer");
    await owner.isolate.request("/leaks/reports", { method: "POST", body: new URLSearchParams({ key }) });
    await owner.json("PATCH", `/members/${id}`, { role: "member" });
    await tell();
    const toOf = (subject: RegExp) =>
      sentBy(send)
        .filter((sent) => subject.test(sent.subject))
        .map(({ to }) => to)
        .toSorted();
    expect(toOf(/was found in public/)).toEqual([owner.email]);
    expect(toOf(new RegExp(`^${viewer.email} joined`))).toEqual([owner.email, viewer.email].toSorted());
  });

  it("of an invitation are 20 in a day from an account, and take no place from those to its members", async () => {
    const send = emails();
    const owner = createOwner();
    for (let times = 0; times < 25; times++) {
      const email = `invited-${times}@example.com`;
      await owner.json("POST", "/members", { email });
    }
    const member = createOwner();
    await add(owner, member);
    for (let run = 0; run < 4; run++) await tell();
    const sent = sentBy(send).map(({ subject }) => subject);
    expect(sent.filter((subject) => subject.includes("invited you"))).toHaveLength(20);
    expect(sent.filter((subject) => subject === `${member.email} joined ${owner.email}`)).toHaveLength(2);
  });

  describe("say what happened, what to do, and why they come", () => {
    const notice = (more: Partial<AuditEvent>) => ({
      event: {
        ...{ id: "0", event: "leaked" as const, apiKeyId: "0Key", apiKeyName: "CRM", webhook: null, subject: null },
        ...{ proposals: null, actor: null, address: null, createdAt: "2026-11-20T10:02:00.000Z", changes: null },
        ...more,
      },
      ...{ to: [], accountId: "0Account", account: "acme@example.com", by: more.actor ?? null },
    });
    const brand = { name: "Acme & Co ideas", iconUrl: "/i.svg", color: "#0b6b3a" };
    const at = (signInUrl: string, more: Partial<AuditEvent>) => renderNotice(notice(more), { brand, signInUrl });
    const leaked = (after: object) => ({ changes: { before: {}, after } }) as Partial<AuditEvent>;

    it("a leaked key, with the page that ends all tokens", () => {
      const { subject, text, html } = at(
        "https://a.example/login",
        leaked({ foundAt: "https://github.com/x/y/blob/main/a.env", ended: "key" }),
      );
      expect(subject).toBe("API key “CRM” was found in public");
      expect(text).toBe(
        "Your API key “CRM” was found in public. We revoked it at 10:02 UTC.\n\n" +
          "It was found here: https://github.com/x/y/blob/main/a.env\n\n" +
          "Tokens that the key issued still work, and so do tokens signed with a secret that it read. To stop those too, end all tokens: everyone then has to sign in again.\n\n" +
          "End all tokens: https://a.example/login?returnTo=%2Faccount%2Ftokens%2Fend%3Faccount%3D0Account\n\n" +
          "--\nYou’re getting this because you’re a member of the account acme@example.com on Acme & Co ideas.\n",
      );
      expect(html).toContain("background:#0b6b3a");
      expect(html).toContain("Acme &#38; Co ideas");
    });

    it.each([
      "https://evil.example/paste",
      "github.com/x",
      "https://github.com.evil.example/x",
      "https://github.com/x y",
    ])("no place that anybody could have written: %s", (foundAt) => {
      const { text, html } = at("https://a.example/login", leaked({ foundAt, ended: null }));
      expect(text + html).not.toContain(foundAt);
      expect(text).toContain("Your activity shows where it was found.");
      expect(text).toContain("It still works: rotate or revoke it now.");
    });

    it("of a visitor token that ends: when, what happens then, and where to renew it", () => {
      const { subject, text } = at("https://a.example/account", {
        ...{ event: "visitor-token-expiring", createdAt: "2026-10-28T10:02:00.000Z" },
        subject: { id: "0Bank", name: "Rider <ideas>", ideaBankId: null },
        changes: { before: {}, after: { expiresAt: "2026-11-27T10:02:00.000Z" } },
      });
      expect(subject).toBe("The visitor token of “Rider <ideas>” expires in 30 days");
      expect(text).toContain("expires on November 27, 2026 at 10:02 UTC. Visitors can’t see the board from then on.");
      expect(text).toContain("Renew the token: https://a.example/account/idea-banks/0Bank/embed?account=0Account");
    });

    it.each([
      ["https://a.example/account", "https://a.example/account/api-keys/0Key?account=0Account"],
      ["https://a.example/account/api-keys", "https://a.example/account/api-keys/0Key?account=0Account"],
      [
        "https://a.example/account-settings",
        "https://a.example/account-settings?returnTo=%2Faccount%2Fapi-keys%2F0Key%3F",
      ],
      ["https://a.example/x/account", "https://a.example/x/account?returnTo=%2Faccount%2Fapi-keys%2F0Key%3F"],
    ])("with owners who sign in at %s, the key is one click", (signInUrl, link) => {
      const changes = { before: {}, after: { expiresAt: "2026-11-27T10:02:00.000Z" } };
      const { text } = at(signInUrl, { event: "expiring", changes });
      expect(text).toContain(`Open the key: ${link}`);
      expect(text).toContain("expires on November 27, 2026 at 10:02 UTC");
    });
  });
});

it("a webhook that has failed for a day is told of once: in the activity, to other webhooks, by e-mail; and again after a success", async () => {
  const { got, send } = receiver();
  const broken = new Set<string>();
  const owner = createOwner(undefined, env, undefined, async (request) =>
    broken.has(request.url) ? { status: 500, retryAfter: null } : send(request),
  );
  const { url, id } = await createWebhook(owner, ["api-key.created"]);
  await createWebhook(owner, ["webhook.failing"]);
  broken.add(url);
  await owner.create();
  const emails = vi.spyOn(env.EMAIL, "send");
  // The job makes no attempt: what it does for a webhook that fails is not for one that is tried.
  const job = () => runJob({ ...BINDINGS, ...SETTINGS }, Date.now, send);
  const database = databaseOf(id);
  const failFor = (milliseconds: number) =>
    database
      .prepare(
        "UPDATE webhooks SET failing_since = unixepoch() * 1000 - ?2, due_at = unixepoch() * 1000 + 1e9, attempts = 5 WHERE id = ?1",
      )
      .bind(id, milliseconds)
      .run();
  const told = async () => (await owner.events()).filter(({ event }) => event === "webhook-failing");
  await failFor(DAY_MS - 60_000);
  await job();
  expect(await told()).toEqual([]);
  await failFor(DAY_MS + 60_000);
  for (let times = 0; times < 3; times++) await job();
  expect(await told()).toMatchObject([{ actor: null, webhook: { id, url } }]);
  expect(got).toMatchObject([{ type: "webhook.failing", by: "system", event: { webhook: { id } } }]);
  const subjects = () => emails.mock.calls.map(([email]) => ("subject" in email ? email.subject : ""));
  expect(subjects()).toEqual([`Deliveries to ${new URL(url).host} are failing`]);
  expect(await (await owner.page("/activity")).text()).toContain("failing");
  await database.prepare("UPDATE webhooks SET failing_since = NULL, attempts = 0 WHERE id = ?1").bind(id).run();
  await failFor(DAY_MS + 60_000);
  await job();
  expect(await told()).toHaveLength(2);
});

it("a webhook that is given up is in the activity, and other webhooks hear of it", async () => {
  const gone = new Set<string>();
  const owner = createOwner(undefined, env, undefined, async ({ url }) => ({
    status: gone.has(url) ? 410 : 503,
    retryAfter: null,
  }));
  const broken = await createWebhook(owner, ["api-key.created"]);
  gone.add(broken.url);
  await createWebhook(owner, ["webhook.failed"]);
  await owner.create();
  expect((await owner.events())[0]).toMatchObject({
    event: "webhook-failed",
    actor: null,
    webhook: { id: broken.id, url: broken.url },
  });
  const { got, send } = receiver();
  await databaseOf(broken.id).prepare("UPDATE webhooks SET due_at = 1 WHERE due_at IS NOT NULL").run();
  await deliver(send);
  expect(got).toMatchObject([{ type: "webhook.failed", by: "system", event: { webhook: { id: broken.id } } }]);
  expect(await (await owner.page("/activity")).text()).toContain("failed");
});
