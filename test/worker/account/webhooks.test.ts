/** Webhooks as JSON: what an owner makes, changes and ends, and whose they are. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import document from "../../../public/openapi.json";
import { changeKindOf } from "../../../src/commands/openapi/change-union.ts";
import {
  changeOwnWebhook,
  changeWebhook,
  deleteWebhook,
  testWebhook,
} from "../../../src/worker/database/webhooks/webhooks.ts";
import { CHANGE_TYPES, Change } from "../../../src/worker/model/change.ts";
import { MAX_WEBHOOKS, type ShownWebhook, type Webhook } from "../../../src/worker/model/webhook.ts";
import { isMasked, maskUrl } from "../../../src/worker/model/webhook-url.ts";
import { type Digit, databaseOf, selectEverywhere, sessionOf } from "../../support/databases.ts";
import { accept } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";
import { createReceiver, type Reaction } from "../../support/webhooks.ts";
import { newId } from "../../support/world.ts";

const URL_ = "https://crm.example.com/hooks";
type Owner = ReturnType<typeof createOwner>;

async function create(owner: Owner, more: object = {}): Promise<ShownWebhook> {
  const answer = await owner.json("POST", "/webhooks", { url: URL_, ...more });
  expect(answer.status).toBe(201);
  return answer.json<ShownWebhook>();
}

const list = async (owner: Owner, query = "") =>
  (await (await owner.json("GET", `/webhooks${query}`)).json<{ items: Webhook[] }>()).items;

/** An owner with a webhook, whose receiver is `receiver`. */
async function scene(react?: Reaction) {
  const receiver = createReceiver(react);
  const owner = createOwner(undefined, env, undefined, receiver.send);
  const { webhook, secret } = await create(owner);
  receiver.secrets = [secret];
  const path = `/webhooks/${webhook.id}`;
  const log = (at: number[]) =>
    databaseOf(webhook.id).batch(
      at.map((time, index) =>
        databaseOf(webhook.id)
          .prepare(
            `INSERT INTO change_log (account_id, number, type, panelist_id, actor, changed_at)
             SELECT account_id, ?2, 'panelist.updated', 'p', 'tenant', ?3 FROM webhooks WHERE id = ?1`,
          )
          .bind(webhook.id, index + 1, time),
      ),
    );
  return { receiver, owner, id: webhook.id, path, secret, log, one: async () => (await list(owner))[0] };
}

describe.each<Digit>(["0", "1"])("in the database %s", (digit) => {
  it("is made with a secret that only that answer holds, and begins behind the newest change", async () => {
    const owner = createOwner(undefined, env, digit);
    const { webhook, secret } = await create(owner, { types: ["proposal.created"] });
    expect(webhook).toMatchObject({
      url: URL_,
      types: ["proposal.created"],
      state: "active",
      waiting: 0,
      attempts: [],
    });
    const listed = await owner.json("GET", "/webhooks");
    const text = await listed.text();
    expect(text).not.toContain(secret);
    expect(JSON.parse(text)).toMatchObject({ items: [{ id: webhook.id }], maxWebhooks: MAX_WEBHOOKS });
    const [event] = await owner.events();
    expect(event).toMatchObject({ event: "webhook-created", apiKeyName: "", webhook: { id: webhook.id, url: URL_ } });
    expect(await selectEverywhere("SELECT event FROM audit_events")).toEqual([{ event: "webhook-created" }]);
  });
});

it("cannot be in a domain that the setting OWN_ZONES names", async () => {
  const owner = createOwner(undefined, { ...env, OWN_ZONES: "shop.example" });
  const refused = await owner.json("POST", "/webhooks", { url: "https://admin.shop.example/hook" });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ errors: [{ path: "url" }] });
  expect((await owner.json("POST", "/webhooks", { url: "https://shop.example.com/hook" })).status).toBe(201);
});

it("an account has at most four, also when they are made at the same time", async () => {
  const owner = createOwner();
  await owner.keys();
  const make = () => owner.json("POST", "/webhooks", { url: URL_ });
  const answers = await Promise.all(Array.from({ length: MAX_WEBHOOKS + 2 }, make));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, 409, 409]);
  expect(await list(owner)).toHaveLength(MAX_WEBHOOKS);
  const { id } = (await list(owner))[0] ?? { id: "" };
  expect((await owner.json("DELETE", `/webhooks/${id}`)).status).toBe(204);
  await create(owner);
});

it("an Idempotency-Key makes one webhook, and one secret", async () => {
  const { owner, path, secret } = await scene();
  const send = (to: string, body?: object) =>
    owner.isolate.request(`/account/api${to}`, {
      method: "POST",
      headers: { "Idempotency-Key": "once", ...(body && { "Content-Type": "application/json" }) },
      body: body ? JSON.stringify(body) : null,
    });
  const rotated = await send(`${path}/rotate`);
  expect((await rotated.json<ShownWebhook>()).secret).not.toBe(secret);
  const again = await send(`${path}/rotate`);
  expect([again.status, again.headers.get("Idempotency-Replayed")]).toEqual([409, "true"]);
  expect((await send("/webhooks", { url: URL_ })).status).toBe(422);
  expect((await owner.events()).filter(({ event }) => event === "webhook-rotated")).toHaveLength(1);
});

it("is nobody's but its account's: not read, changed, moved, rotated, tested or deleted by another owner", {
  tags: "slow",
}, async () => {
  const { path, receiver, one } = await scene();
  const before = await one();
  const other = createOwner();
  await other.keys();
  for (const [method, to, body] of [
    ["PATCH", path, { paused: true }],
    ["PUT", `${path}/place`, { to: "now" }],
    ["POST", `${path}/rotate`],
    ["POST", `${path}/test`],
    ["DELETE", path],
    ["DELETE", "/webhooks/nothing"],
  ] as const)
    expect([method, to, (await other.json(method, to, body)).status]).toEqual([method, to, 404]);
  expect(await list(other)).toEqual([]);
  expect((await other.page(path)).status).toBe(404);
  expect(receiver.seen).toEqual([]);
  expect(await one()).toEqual(before);
});

it("is managed by every member, and by none who was removed", { tags: "slow" }, async () => {
  const { owner, id } = await scene();
  const member = createOwner();
  const added = await (await owner.json("POST", "/members", { email: member.email, role: "admin" })).json<{
    id: string;
  }>();
  expect((await accept(member, added.id)).status).toBe(200);
  const { accountId } = await (await owner.json("GET", "/members")).json<{ accountId: string }>();
  const path = `/webhooks/${id}?account=${accountId}`;
  expect((await member.json("PATCH", path, { paused: true })).status).toBe(200);
  expect((await member.json("PATCH", path, { paused: false })).status).toBe(200);
  expect((await owner.json("DELETE", `/members/${added.id}`)).status).toBe(204);
  for (const method of ["PATCH", "DELETE"])
    expect([403, 404]).toContain((await member.json(method, path, method === "PATCH" ? {} : undefined)).status);
  expect(await list(owner)).toHaveLength(1);
});

it.each([deleteWebhook, testWebhook, changeWebhook({ paused: true })])(
  "who is removed before the transaction runs makes no change: $event",
  async (change) => {
    const { owner, id, one } = await scene();
    const before = await one();
    const removed = { email: owner.email, person: "removed@example.com", actor: "removed@example.com", address: null };
    const stamp = { now: Date.now(), eventId: newId() };
    const session = sessionOf(databaseOf(id));
    expect((await changeOwnWebhook(session, { owner: removed, id, change, stamp })).made).toBeUndefined();
    expect(await one()).toEqual(before);
    expect((await owner.events()).map(({ event }) => event)).toEqual(["webhook-created"]);
  },
);

it("is changed, paused and resumed; nothing is lost meanwhile", async () => {
  const { owner, path, log, one } = await scene();
  const changed = await owner.json("PATCH", path, { url: "https://new.example.com/", types: ["comment.created"] });
  expect(await changed.json()).toMatchObject({ url: "https://new.example.com/", types: ["comment.created"] });
  expect(await (await owner.json("PATCH", path, { types: null, paused: true })).json()).toMatchObject({
    types: null,
    state: "paused",
  });
  await log([1_000, 2_000]);
  expect(await one()).toMatchObject({ state: "paused", waiting: 2, nextAttemptAt: null });
  const resumed = await (await owner.json("PATCH", path, { paused: false })).json<Webhook>();
  expect(resumed).toMatchObject({ state: "active", waiting: 2, nextAttemptAt: expect.any(String) });
  expect((await owner.events()).map(({ event }) => event)).toEqual([
    "webhook-resumed",
    "webhook-paused",
    "webhook-changed",
    "webhook-created",
  ]);
});

it.each(["failed", "ended"])("one that is %s goes on when it is resumed, with no failure behind it", async (state) => {
  const { owner, id, path, log } = await scene();
  await log([1_000]);
  await databaseOf(id)
    .prepare("UPDATE webhooks SET state = ?2, due_at = NULL, attempts = 9, failing_since = 1, missed = 3 WHERE id = ?1")
    .bind(id, state)
    .run();
  const resumed = await (await owner.json("PATCH", path, { paused: false })).json<Webhook>();
  expect(resumed).toMatchObject({ state: "active", failingSince: null, missed: 0, nextAttemptAt: expect.any(String) });
});

it.each([
  [{ to: "next" }, "1970-01-01T00:00:01.000Z", 4],
  [{ to: "now" }, "1970-01-01T00:00:05.000Z", 0],
  [{ to: "1970-01-01T00:00:03.000Z" }, "1970-01-01T00:00:02.000Z", 3],
  [{ to: "1970-01-01T00:00:02.500Z" }, "1970-01-01T00:00:02.000Z", 3],
  [{ to: "1970-01-01T00:00:00.000Z" }, null, 5],
  [{ to: "2100-01-01T00:00:00.000Z" }, "1970-01-01T00:00:05.000Z", 0],
])("is moved in the log: %j", async (to, reachedAt, waiting) => {
  const { owner, path, log } = await scene();
  await log([1_000, 2_000, 3_000, 4_000, 5_000]);
  const moved = await owner.json("PUT", `${path}/place`, to);
  expect(await moved.json()).toMatchObject({
    reachedAt,
    waiting,
    nextAttemptAt: waiting > 0 ? expect.any(String) : null,
  });
});

it("skips the change that its owner looked at, and no other: not when the request comes twice, and not where it has moved on", {
  tags: "slow",
}, async () => {
  const { owner, id, path, log, one } = await scene();
  await log([1_000, 2_000, 3_000]);
  const { accountId } = await (await owner.json("GET", "/members")).json<{ accountId: string }>();
  const skip = async (from: string) => {
    const answer = await owner.json("PUT", `${path}/place`, { to: "next", from });
    return [answer.status, (await answer.json<{ error?: string }>()).error, (await one())?.waiting];
  };
  const change = (number: number, at: string) => `chg_${accountId}_${number}_${at}`;
  // 1,000 is G8 in base62.
  const first = change(1, "000000G8");
  expect(await skip(first)).toEqual([200, undefined, 2]);
  expect(await skip(first)).toEqual([409, "conflict", 2]);
  for (const other of [change(2, "000000G8"), change(3, "000000mO"), `chg_${newId(id)}_2_000000WG`])
    expect([other, ...(await skip(other))]).toEqual([other, 409, "conflict", 2]);
  expect((await owner.events()).filter(({ event }) => event === "webhook-moved")).toHaveLength(1);
  expect(await skip(change(2, "000000WG"))).toEqual([200, undefined, 1]);
  const from = change(3, "000000mO");
  expect((await owner.json("PUT", `/webhooks/${newId(id)}/place`, { to: "next", from })).status).toBe(404);
});

it("a move of one that is paused sends nothing", async () => {
  const { owner, path, log } = await scene();
  await owner.json("PATCH", path, { paused: true });
  await log([1_000, 2_000]);
  const moved = await (await owner.json("PUT", `${path}/place`, { to: "1970-01-01T00:00:01.000Z" })).json();
  expect(moved).toMatchObject({ state: "paused", waiting: 2, nextAttemptAt: null });
});

it.each([
  ["PUT", "/place", { to: "yesterday" }, "to"],
  ["PUT", "/place", { to: "next", from: "the first" }, "from"],
  ["PATCH", "", { types: [] }, "types"],
  ["PATCH", "", { types: ["comment.created", "comment.created"] }, "types"],
  ["PATCH", "", { types: ["vote.created"] }, "types.0"],
  ["PATCH", "", { url: "http://crm.example.com/" }, "url"],
  ["PATCH", "", { secret: "mine" }, "secret"],
])("a body that breaks a rule is refused: %s %s %j", async (method, to, body, field) => {
  const { owner, path, one } = await scene();
  const before = await one();
  const refused = await owner.json(method, path + to, body);
  expect(refused.status).toBe(400);
  expect((await refused.json<{ errors: { path: string }[] }>()).errors.map((each) => each.path)).toEqual([field]);
  expect(await one()).toEqual(before);
});

it.each([
  ["an address", "https://10.0.0.1/"],
  ["localhost", "https://localhost/"],
  ["this host", "https://api.example/account/api/webhooks"],
  ["credentials", "https://user:secret@crm.example.com/"],
  ["another port", "https://crm.example.com:8443/"],
])("no webhook is made with, or changed to, a URL that is not a public receiver's: %s", async (_, url) => {
  const { owner, path, one } = await scene();
  const before = await one();
  for (const [method, to] of [
    ["POST", "/webhooks"],
    ["PATCH", path],
  ] as const) {
    const refused = await owner.json(method, to, { url });
    expect([method, refused.status]).toEqual([method, 400]);
    expect(await refused.json()).toMatchObject({ errors: [{ path: "url" }] });
  }
  expect(await list(owner)).toEqual([before]);
});

it.each(CHANGE_TYPES)("a test of a type sends an example that is such a change: %s", async (type) => {
  const { owner, path, receiver, one } = await scene();
  expect((await owner.json("POST", `${path}/test?type=${type}`)).status).toBe(200);
  const [sent] = receiver.taken;
  expect(sent).toMatchObject({ id: expect.stringMatching(/^test_/), body: { type } });
  expect(sent?.body).toEqual(z.parse(Change, sent?.body));
  const kind = Object.entries(document.components.schemas).find(([name]) => name === changeKindOf(type))?.[1];
  expect(Object.keys(sent?.body ?? {})).toEqual(
    expect.arrayContaining([...(kind && "required" in kind ? kind.required : [])]),
  );
  expect(await one()).toMatchObject({ attempts: [{ type }] });
});

it("a test of a type that does not exist is refused, and sends nothing", async () => {
  const { owner, path, receiver } = await scene();
  const refused = await owner.json("POST", `${path}/test?type=proposal.eaten`);
  expect([refused.status, await refused.json()]).toEqual([
    400,
    expect.objectContaining({ errors: [expect.objectContaining({ path: "type" })] }),
  ]);
  expect(receiver.seen).toEqual([]);
});

it("a test is signed with both secrets of a rotation, says how it was answered, and moves nothing", async () => {
  const { owner, path, receiver, secret, one } = await scene(() => 418);
  const rotated = await (await owner.json("POST", `${path}/rotate`)).json<ShownWebhook>();
  expect(rotated.webhook.previousSecretUntil).not.toBeNull();
  receiver.secrets = [secret, rotated.secret];
  const test = await owner.json("POST", `${path}/test`);
  expect(await test.json()).toEqual({ status: 418, durationMs: expect.any(Number) });
  expect(receiver.seen).toMatchObject([
    { url: URL_, id: expect.stringMatching(/^test_/), body: { type: "webhook.test" } },
  ]);
  expect(await one()).toMatchObject({
    state: "active",
    failingSince: null,
    attempts: [{ type: "webhook.test", status: 418 }],
  });
});

it("rotating again, after a lost answer, takes no secret from a receiver before its time", {
  tags: "slow",
}, async () => {
  const { owner, path, receiver, secret, one } = await scene();
  const rotate = async () => (await owner.json("POST", `${path}/rotate`)).json<ShownWebhook>();
  const first = await rotate();
  const second = await rotate();
  expect(Date.parse(second.webhook.previousSecretUntil ?? "")).toBeGreaterThanOrEqual(
    Date.parse(first.webhook.previousSecretUntil ?? ""),
  );
  // The receiver may have any of the three.
  receiver.secrets = [secret, first.secret, second.secret];
  expect(await (await owner.json("POST", `${path}/test`)).json()).toMatchObject({ status: 204 });
  for (let times = 0; times < 10; times++) await rotate();
  const last = await rotate();
  receiver.secrets = [secret, first.secret, second.secret, last.secret];
  expect(await (await owner.json("POST", `${path}/test`)).json()).toMatchObject({ status: 204 });
  expect(receiver.seen).toHaveLength(2);
  expect(await one()).toMatchObject({ previousSecretUntil: expect.any(String) });
});

describe("with the format `slack`", () => {
  const ADDRESS = "https://hooks.slack.com/services/T0000/B0000/s3cr3tXyzW";
  const SHOWN = "https://hooks.slack.com/…XyzW";
  async function slack(react?: Reaction, more: object = {}) {
    const receiver = createReceiver(react);
    const owner = createOwner(undefined, env, undefined, receiver.send);
    const { webhook, secret } = await create(owner, { url: ADDRESS, format: "slack", ...more });
    receiver.secrets = [secret];
    const stored = () =>
      databaseOf(webhook.id).prepare("SELECT url FROM webhooks WHERE id = ?1").bind(webhook.id).first("url");
    return { receiver, owner, webhook, path: `/webhooks/${webhook.id}`, stored };
  }

  it("answers show the address by its host and its end, and so do a test and the activity", {
    tags: "slow",
  }, async () => {
    const { owner, path, webhook, receiver, stored } = await slack();
    expect(webhook).toMatchObject({ url: SHOWN, format: "slack", types: null });
    await owner.json("POST", `${path}/test`);
    await owner.json("PATCH", path, { paused: true });
    await owner.json("PATCH", path, { url: `${ADDRESS}2` });
    expect(await stored()).toBe(`${ADDRESS}2`);
    const [sent] = receiver.seen;
    expect(sent?.url).toBe(ADDRESS);
    expect(sent?.body).toEqual({
      text: expect.stringMatching(/^Test message from .*: this webhook works\.\n\n`test_/),
    });
    const pages = ["/webhooks", path, "/activity", "/"].map(async (page) => (await owner.page(page)).text());
    await owner.json("DELETE", path);
    const texts = [...(await Promise.all(pages)), JSON.stringify(await owner.events())];
    for (const text of texts) expect(text).not.toContain("s3cr3t");
    expect(JSON.stringify(await owner.events())).toContain("https://hooks.slack.com/…yzW2");
    const [created] = (await owner.events()).toReversed();
    expect(created).toMatchObject({
      event: "webhook-created",
      webhook: { url: SHOWN },
      changes: { after: { url: SHOWN, format: "slack" } },
    });
  });

  it("an address that is sent back as it is shown stays; any other short form is refused, and so is a change of the format", async () => {
    const { owner, path, stored } = await slack();
    const same = await owner.json("PATCH", path, { url: SHOWN, types: ["comment.created"] });
    expect(await same.json()).toMatchObject({ url: SHOWN, types: ["comment.created"] });
    expect((await owner.json("PATCH", path, { url: SHOWN })).status).toBe(200);
    expect(await stored()).toBe(ADDRESS);
    for (const change of [
      { url: "https://hooks.slack.com/…aaaa" },
      { url: "https://hooks.slack.com/%E2%80%A6XyzW" },
      { format: "standard" },
    ])
      expect((await owner.json("PATCH", path, change)).status).toBe(400);
    expect((await owner.json("POST", "/webhooks", { url: SHOWN, format: "slack" })).status).toBe(400);
    expect(await stored()).toBe(ADDRESS);
  });

  it("takes only types that a message tells of", async () => {
    const { owner, path } = await slack();
    for (const types of [["member.added"], ["proposal.created", "ideabank.updated"]]) {
      expect((await owner.json("PATCH", path, { types })).status).toBe(400);
      expect((await owner.json("POST", "/webhooks", { url: ADDRESS, format: "slack", types })).status).toBe(400);
    }
    expect((await owner.json("PATCH", path, { types: ["proposal.created"] })).status).toBe(200);
  });

  it("a test of each type is a message without a link; of a type that no message tells of, one that says it works", async () => {
    const { owner, path, receiver } = await slack();
    for (const type of [
      "proposal.created",
      "comment.created",
      "proposal.status-changed",
      "survey-response.created",
      "member.added",
    ])
      expect(await (await owner.json("POST", `${path}/test?type=${type}`)).json()).toMatchObject({ status: 204 });
    const texts = receiver.seen.map(({ body }) => JSON.stringify(body));
    expect(
      texts.map((text) => /submitted|commented|is now|the survey|a survey|this webhook works/.exec(text)?.[0]),
    ).toEqual([...["submitted", "commented", "is now", "a survey", "this webhook works"]]);
    for (const text of texts) expect(text).not.toContain("|Open");
  });

  it("shows the address in one form, in the code and in the database: never more of it than a quarter", async () => {
    const { webhook } = await slack();
    const shownOf = async (href: string) => {
      const update = "UPDATE webhooks SET url = ?2 WHERE id = ?1 RETURNING shown_url";
      return databaseOf(webhook.id).prepare(update).bind(webhook.id, href).first("shown_url");
    };
    const paths = ["/", "/x", "/hooks/0123456789ab", "/hooks/0123456789abcdef", "/slack", "/a/slack", "/a?b=/slack"];
    for (const host of ["https://hooks.slack.com", "http://localhost:9999"])
      for (const path of [
        ...paths,
        "/api/webhooks/1/tokenAbCd/slack",
        "/services/T/B/%C3%A9cret/",
        "/a://b/0123456789abc",
      ])
        expect(await shownOf(host + path)).toBe(maskUrl(host + path));
    expect(maskUrl("https://discord.com/api/webhooks/1/tokenAbCd/slack")).toBe("https://discord.com/…AbCd/slack");
    expect(maskUrl("https://chat.example/hooks/x")).toBe("https://chat.example/…");
    expect(isMasked(maskUrl(ADDRESS))).toBe(true);
  });
});
