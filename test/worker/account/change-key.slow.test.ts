/** An owner's change of an API key's settings, and its pause: what holds from the answer on, what is recorded, what is refused. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { ApiKey } from "../../../src/worker/model/account-key.ts";
import type { AuditEvent } from "../../../src/worker/model/audit-event.ts";
import { databaseOf } from "../../support/databases.ts";
import { countStores, failStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createOwner } from "../../support/owner.ts";
import { readForms } from "../../support/read-forms.ts";

const HERE = { "CF-Connecting-IP": "203.0.113.7" };
const LATER = new Date(Date.now() + 86_400_000).toISOString();

type Refusal = { readonly error: string; readonly reason?: string; readonly detail: string };

/** A key that an isolate uses by a lease, in real time: a lease's end is a timer's. */
async function busy(path = "/tenant/whoami") {
  const owner = createOwner();
  const { apiKey, key } = await owner.create("Busy", { limit: 10_000, windowSeconds: 60 });
  const { env: counted, counts } = countStores(env);
  const isolate = createIsolate(counted);
  const send = (init: RequestInit = {}) => isolate.request(path, { ...init, headers: { "X-API-Key": key, ...HERE } });
  for (let calls = -1; calls !== counts.gate; ) {
    calls = counts.gate;
    expect((await send()).status).toBe(200);
  }
  const change = (body: object) => owner.json("PATCH", `/keys/${apiKey.id}`, body);
  return { owner, apiKey, key, send, change, counts };
}

describe("after the owner's answer to a change", () => {
  beforeEach(() => {
    env.LEASE_SECONDS = "1";
  });

  it.each([
    ["a paused key", { paused: true }, "paused", "paused"],
    ["a key that is not allowed here", { allowedAddresses: ["198.51.100.0/24"] }, "address", "this address"],
  ])(
    "%s is 403 in an isolate that held a lease, and works again when that is taken back",
    async (_, body, reason, words) => {
      const { send, change } = await busy();
      expect((await change(body)).status).toBe(200);
      const refused = await send();
      expect([refused.status, refused.headers.get("RateLimit")]).toEqual([403, null]);
      const problem = await refused.json<Refusal>();
      expect(problem).toMatchObject({ error: "forbidden", reason });
      expect(problem.detail).toContain(words);
      expect((await change({ paused: false, allowedAddresses: null })).status).toBe(200);
      expect((await send()).status).toBe(200);
    },
  );

  it("a scope that was taken away is missing in an isolate that held a lease", async () => {
    const { send, change } = await busy("/tenant/surveys");
    await change({ scopes: ["panelists:read"] });
    expect(await (await send()).json()).toMatchObject({
      error: "forbidden",
      detail: expect.stringContaining("surveys:read"),
    });
    await change({ scopes: ["panelists:read", "surveys:read"] });
    expect((await send()).status).toBe(200);
  });

  it("a lower limit holds, with what was admitted before", async () => {
    const { send, change } = await busy();
    await change({ limit: 1 });
    expect((await send()).status).toBe(429);
  });

  it("an earlier end holds", async () => {
    const { send, change } = await busy();
    await change({ expiresAt: new Date(Date.now() + 500).toISOString() });
    const refused = await send();
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ error: "unauthorized", reason: "expired" });
  });
});

it("a paused key keeps its slot, its secret and its counts, and costs no call for a second after a refusal", async () => {
  const { owner, send, change, counts, apiKey } = await busy();
  const paused = await (await change({ paused: true })).json<ApiKey>();
  expect(paused).toMatchObject({ id: apiKey.id, state: "active", pausedAt: expect.any(String) });
  for (const name of ["b", "c", "d"]) await owner.create(name);
  expect((await owner.json("POST", "/keys", { name: "e" })).status).toBe(409);
  await send();
  const before = { ...counts };
  expect((await send()).status).toBe(403);
  expect(counts).toEqual(before);
});

it("64 blocks are allowed, as many as large networks publish, in JSON and in a form", async () => {
  const owner = createOwner();
  const blocks = Array.from({ length: 64 }, (_, index) =>
    index % 2 === 0 ? `203.0.${index}.0/24` : `2001:db8:1234:5678:9abc:def0:1234:${(index << 8).toString(16)}/120`,
  );
  const { apiKey, key } = await owner.create("Behind a network", { allowedAddresses: blocks });
  expect(apiKey.allowedAddresses).toEqual(blocks);
  const from = async (address: string) =>
    (await createIsolate().request("/tenant/whoami", { headers: { "X-API-Key": key, "CF-Connecting-IP": address } }))
      .status;
  expect([await from("203.0.62.9"), await from("2001:db8:1234:5678:9abc:def0:1234:3f01")]).toEqual([200, 200]);
  expect([await from("203.0.63.9"), await from("2001:db8::1")]).toEqual([403, 403]);
  const page = await owner.page(`/api-keys/${apiKey.id}/change`);
  expect(await page.clone().text()).toContain("up to 64");
  const form = (await readForms(page)).find(({ fields }) => fields.has("allowedAddresses"));
  expect(form?.fields.get("allowedAddresses")?.split(/\s+/)).toEqual(blocks);
  const fields = {
    ...Object.fromEntries(form?.fields ?? []),
    name: "Renamed",
    allowedAddresses: blocks.slice(1).join("\n"),
  };
  expect((await owner.submit(`/api-keys/${apiKey.id}/change`, fields)).status).toBe(303);
  expect((await owner.keys())[0]).toMatchObject({ name: "Renamed", allowedAddresses: blocks.slice(1) });
});

it("a change is recorded with before and after, once however often it is sent", async () => {
  const owner = createOwner();
  const { apiKey } = await owner.create("First", { limit: 10, windowSeconds: 60, scopes: ["surveys:read"] });
  const body = {
    name: "Zweiter „Schlüssel“",
    scopes: ["panelists:read"],
    limit: 5,
    windowSeconds: 60,
    expiresAt: LATER,
    paused: true,
    allowedAddresses: ["203.0.113.0/24", "2001:DB8::/32"],
  };
  const answers = [];
  for (let times = 0; times < 3; times++)
    answers.push(await (await owner.json("PATCH", `/keys/${apiKey.id}`, body)).json<ApiKey>());
  const { windowSeconds: _, ...after } = { ...body, allowedAddresses: ["203.0.113.0/24", "2001:db8::/32"] };
  const { paused, ...shown } = after;
  expect(answers[0]).toMatchObject(shown);
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[2]).toEqual(answers[0]);
  const { items } = await (await owner.json("GET", "/activity")).json<{ items: AuditEvent[] }>();
  expect(items.map(({ event }) => event)).toEqual(["changed", "created"]);
  expect(items[0]).toMatchObject({ apiKeyName: body.name, actor: owner.email, address: "203.0.113.7" });
  expect(items[0]?.changes).toEqual({
    before: {
      name: "First",
      scopes: ["surveys:read"],
      limit: 10,
      expiresAt: null,
      paused: false,
      allowedAddresses: null,
    },
    after: { ...after, paused },
  });
  const page = await (await owner.page("/activity")).text();
  expect(page).toContain("Requests: 10 → 5.");
  expect(page).toContain("Paused: no → yes.");
  const [day, time] = [
    new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" }).format(new Date(LATER)),
    LATER.slice(11, 16),
  ];
  expect(page).toContain(`Expires: never → ${day}, ${time} UTC.`);
  await owner.json("PATCH", `/keys/${apiKey.id}`, { limit: 600, windowSeconds: 120 });
  expect(await (await owner.page("/activity")).text()).toContain(
    "Rate limit: 5 requests per minute → 600 requests per 120 seconds.",
  );
});

it("of two changes at the same time both hold, and of one field the last", async () => {
  const owner = createOwner();
  const { apiKey } = await owner.create("Both");
  const change = (body: object) => owner.json("PATCH", `/keys/${apiKey.id}`, body);
  await Promise.all([change({ limit: 7 }), change({ paused: true }), change({ name: "One" }), change({ name: "Two" })]);
  const [key] = await owner.keys();
  expect(key).toMatchObject({ limit: 7, pausedAt: expect.any(String), name: expect.stringMatching(/^(One|Two)$/) });
  const { items } = await (await owner.json("GET", "/activity")).json<{ items: AuditEvent[] }>();
  const names = items.flatMap(({ event, changes }) =>
    event !== "changed" || changes?.after.name === undefined ? [] : [changes],
  );
  const [first, last] = names.toSorted((left) => (left.after.name === key?.name ? 1 : -1));
  expect(names).toHaveLength(2);
  expect([first?.before.name, last?.before.name]).toEqual(["Both", first?.after.name]);
});

it("an empty change, and one of what is so already, change nothing", async () => {
  const owner = createOwner();
  const { apiKey } = await owner.create("Same", { limit: 5 });
  for (const body of [{}, { limit: 5 }, { paused: false }, { allowedAddresses: null }, { expiresAt: null }]) {
    const answer = await owner.json("PATCH", `/keys/${apiKey.id}`, body);
    expect(await answer.json()).toEqual({ ...apiKey, usage: [] });
  }
  expect((await owner.events()).map(({ event }) => event)).toEqual(["created"]);
});

it.each([
  [{ expiresAt: new Date(0).toISOString() }, "expiresAt"],
  [{ expiresAt: "2999-01-01T00:00:00Z" }, "expiresAt"],
  [{ expiresAt: "2027-13-01T00:00:00Z" }, "expiresAt"],
  [{ expiresAt: "tomorrow" }, "expiresAt"],
  [{ paused: "yes" }, "paused"],
  [{ region: "weur" }, "region"],
  [{ allowedAddresses: [] }, "allowedAddresses"],
  [{ allowedAddresses: "203.0.113.7" }, "allowedAddresses"],
  [{ allowedAddresses: Array.from({ length: 65 }, (_, index) => `203.0.113.${index}`) }, "allowedAddresses"],
  [{ allowedAddresses: ["first-use"] }, "allowedAddresses.0"],
  [{ allowedAddresses: ["203.0.113.7", "203.0.113.7/24"] }, "allowedAddresses.1"],
])("refuses %j, naming %s", async (body, path) => {
  const owner = createOwner();
  const { apiKey } = await owner.create();
  const answer = await owner.json("PATCH", `/keys/${apiKey.id}`, body);
  expect(answer.status).toBe(400);
  expect((await answer.json<{ errors: { path: string }[] }>()).errors.map((error) => error.path)).toEqual([path]);
  expect((await owner.events()).map(({ event }) => event)).toEqual(["created"]);
});

it("a key that has ended is not changed, and not rotated: 409", async () => {
  const owner = createOwner();
  const { apiKey } = await owner.create("Ended");
  await owner.json("DELETE", `/keys/${apiKey.id}`);
  for (const answer of [
    await owner.json("PATCH", `/keys/${apiKey.id}`, { paused: true }),
    await owner.json("POST", `/keys/${apiKey.id}/rotate`, {}),
  ]) {
    expect([answer.status, (await answer.json<Refusal>()).error]).toEqual([409, "conflict"]);
  }
  const short = await owner.create("Expired");
  await databaseOf(short.apiKey.id)
    .prepare("UPDATE api_keys SET expires_at = 1 WHERE id = ?1")
    .bind(short.apiKey.id)
    .run();
  expect((await owner.json("PATCH", `/keys/${short.apiKey.id}`, { expiresAt: null })).status).toBe(409);
  expect((await owner.json("POST", `/keys/${short.apiKey.id}/rotate`, {})).status).toBe(409);
});

it.each(["2035-02-30T00:00:00Z", "2035-06-31T00:00:00.5Z", "2035-02-28T24:00:00Z"])(
  "an end at %s, which no calendar has, is 400: it is not taken for another day",
  async (expiresAt) => {
    const owner = createOwner();
    const { apiKey } = await owner.create();
    expect((await owner.json("PATCH", `/keys/${apiKey.id}`, { expiresAt })).status).toBe(400);
    expect((await owner.keys()).map((key) => key.expiresAt)).toEqual([null]);
  },
);

it.each(["2035-06-30T02:00:00+02:00", "2035-06-30T00:00:00.000000Z"])(
  "an end at %s is taken as `createdAt` of a proposal is: an offset and microseconds are fine",
  async (expiresAt) => {
    const owner = createOwner();
    const { apiKey } = await owner.create();
    expect((await owner.json("PATCH", `/keys/${apiKey.id}`, { expiresAt })).status).toBe(200);
    expect((await owner.keys()).map((key) => key.expiresAt)).toEqual(["2035-06-30T00:00:00.000Z"]);
  },
);

it("a gate that was not reached is 503, and the same change again is sure", async () => {
  const owner = createOwner();
  const { apiKey, key } = await owner.create();
  expect(await owner.whoami(key)).toBe(200);
  const cutOff = createOwner(owner.email, failStores(env, "gate"));
  const failed = await cutOff.json("PATCH", `/keys/${apiKey.id}`, { paused: true });
  expect(failed.status).toBe(503);
  expect((await failed.json<Refusal>()).detail).toContain(
    "The key is changed, but the key's Durable Object did not answer",
  );
  // A name is nothing to the gate.
  expect((await cutOff.json("PATCH", `/keys/${apiKey.id}`, { name: "Another" })).status).toBe(200);
  expect((await owner.json("PATCH", `/keys/${apiKey.id}`, { paused: true })).status).toBe(200);
  expect(await owner.whoami(key)).toBe(403);
});

it("nothing to change makes sure of the change before it, as when a form is opened again", async () => {
  const owner = createOwner();
  const { apiKey, key } = await owner.create();
  expect(await owner.whoami(key)).toBe(200);
  const cutOff = createOwner(owner.email, failStores(env, "gate"));
  expect((await cutOff.json("PATCH", `/keys/${apiKey.id}`, { paused: true })).status).toBe(503);
  expect((await cutOff.json("PATCH", `/keys/${apiKey.id}`, {})).status).toBe(503);
  expect((await owner.json("PATCH", `/keys/${apiKey.id}`, {})).status).toBe(200);
  expect(await owner.whoami(key)).toBe(403);
});

it("a paused key is refused by D1 too, when its gate is down", async () => {
  const owner = createOwner();
  const { apiKey, key } = await owner.create();
  await owner.json("PATCH", `/keys/${apiKey.id}`, { paused: true });
  const isolate = createIsolate(failStores(env, "gate"));
  expect((await isolate.request("/tenant/whoami", { headers: { "X-API-Key": key } })).status).toBe(403);
});

describe("the form", () => {
  const fieldsOf = async (owner: ReturnType<typeof createOwner>, id: string) => {
    const html = await (await owner.page(`/api-keys/${id}/change`)).text();
    return { html, was: html.match(/name="was" value="([^"]*)"/)?.[1]?.replaceAll("&amp;", "&") ?? "" };
  };

  it("opens with what the key has, and changes what was changed in it, not what somebody else has changed since", async () => {
    const owner = createOwner();
    const { apiKey } = await owner.create("Form", {
      limit: 10,
      windowSeconds: 1,
      allowedAddresses: ["203.0.113.0/24"],
    });
    const { html, was } = await fieldsOf(owner, apiKey.id);
    expect(html).toContain('<option value="10/1" selected');
    expect(html).toContain("203.0.113.0/24</textarea>");
    await owner.json("PATCH", `/keys/${apiKey.id}`, { limit: 7 });
    const sent = Object.fromEntries(new URLSearchParams(was));
    const scopes = new URLSearchParams(was).getAll("scopes");
    const answer = await owner.submit(`/api-keys/${apiKey.id}/change`, {
      ...sent,
      scopes,
      was,
      rate: "10/1",
      paused: "on",
      allowedAddresses: " 198.51.100.7,\r\n2001:db8::/32 ",
      expiresAt: "30",
    });
    expect(answer.headers.get("Location")).toBe(`/account/api-keys?done=changed&key=${apiKey.id}`);
    const [key] = await owner.keys();
    expect(key).toMatchObject({ name: "Form", limit: 7, allowedAddresses: ["198.51.100.7", "2001:db8::/32"] });
    const days = (Date.parse(key?.expiresAt ?? "") - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    const list = await (await owner.page(`/api-keys?done=changed&key=${apiKey.id}`)).text();
    expect(list).toContain("“Form” updated. It’s paused: requests with it are refused.");
    const again = await fieldsOf(owner, apiKey.id);
    expect(again.html).toMatch(/name="paused"[^>]* checked/);
  });

  it("refuses an end that no form offers", async () => {
    const owner = createOwner();
    const { apiKey } = await owner.create();
    const { was } = await fieldsOf(owner, apiKey.id);
    const fields = { ...Object.fromEntries(new URLSearchParams(was)), was, scopes: "surveys:read", expiresAt: "soon" };
    const answer = await owner.submit(`/api-keys/${apiKey.id}/change`, fields);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('<a href="#expiresAt">Expires must be a time since 1970 in ISO 8601');
  });
});
