/** Who made and changed what: it stands on the key and the webhook, and their events have what was set, before and after. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { AuditEvent } from "../../../src/worker/model/audit-event.ts";
import type { Webhook } from "../../../src/worker/model/webhook.ts";
import { createIsolate } from "../../support/isolate.ts";
import { pair } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";
import { readForm } from "../../support/read-forms.ts";

const OLD = "https://old.example.com/";
const NEW = "https://new.example.com/";

it("a webhook's events say where it points, what it is sent and where it was moved, before and after", {
  tags: "slow",
}, async () => {
  const owner = createOwner();
  const made = await owner.json("POST", "/webhooks", { url: OLD, types: ["proposal.created"] });
  const { webhook } = await made.json<{ webhook: Webhook }>();
  const { key } = await owner.create();
  const tenant = (path: string) =>
    owner.isolate.request(path, {
      method: "POST",
      headers: { "X-API-Key": key, "Content-Type": "application/json" },
      body: JSON.stringify({ externalId: crypto.randomUUID() }),
    });
  const path = `/webhooks/${webhook.id}`;
  await owner.json("PATCH", path, { url: NEW, types: ["proposal.created"] });
  await owner.json("PATCH", path, { types: null, paused: true });
  for (let each = 0; each < 2; each++) expect((await tenant("/tenant/panelists")).status).toBe(201);
  await owner.json("PATCH", path, {});
  await owner.json("PUT", `${path}/place`, { to: "next" });
  await owner.json("PUT", `${path}/place`, { to: "now" });
  await owner.json("PATCH", path, { paused: false });
  await owner.json("DELETE", path);
  const events = (await owner.events()).filter((event) => event.webhook !== null);
  const all = { url: NEW, types: null, format: "standard", paused: false };
  expect(events.map(({ event, changes }) => [event, changes])).toEqual([
    ["webhook-deleted", { before: all, after: {} }],
    ["webhook-resumed", { before: { paused: true }, after: { paused: false } }],
    ["webhook-moved", { before: { place: 2 }, after: { place: 3 } }],
    ["webhook-moved", { before: { place: 1 }, after: { place: 2 } }],
    [
      "webhook-paused",
      { before: { types: ["proposal.created"], paused: false }, after: { types: null, paused: true } },
    ],
    ["webhook-changed", { before: { url: OLD }, after: { url: NEW } }],
    [
      "webhook-created",
      { before: {}, after: { url: OLD, types: ["proposal.created"], format: "standard", paused: false } },
    ],
  ]);
  const page = await (await owner.page("/activity")).text();
  expect(page).toContain(`URL: ${OLD} → ${NEW}.`);
  expect(page).toContain(`URL: ${OLD}. Types: proposal.created. Format: standard. Paused: no.`);
});

it("a key and a webhook name who made them, on their pages too", { tags: "slow" }, async () => {
  const { founder, member, here, apiKey } = await pair("1");
  const created = await (await member.json("POST", `/keys${here}`, { name: "By a member" })).json<{
    apiKey: { id: string; createdBy: string };
  }>();
  expect([apiKey.createdBy, created.apiKey.createdBy]).toEqual([founder.email, member.email]);
  expect((await founder.keys()).map(({ createdBy }) => createdBy)).toEqual([member.email, founder.email]);
  const made = await (await member.json("POST", `/webhooks${here}`, { url: NEW })).json<{ webhook: Webhook }>();
  expect(made.webhook.createdBy).toBe(member.email);
  for (const path of [`/api-keys/${created.apiKey.id}`, `/webhooks/${made.webhook.id}`])
    expect(await (await founder.page(path)).text()).toContain(` by ${member.email}`);
  const { items } = await (await founder.json("GET", "/activity")).json<{ items: AuditEvent[] }>();
  const event = items.find(({ apiKeyId }) => apiKeyId === created.apiKey.id);
  expect(event?.changes?.after).toMatchObject({ name: "By a member", limit: 600, expiresAt: null });
});

it("removing a member lists the keys and webhooks that the person made or changed, and ends those that are marked", {
  tags: "slow",
}, async () => {
  const { founder, member, id, here, apiKey } = await pair("0");
  const asMember = (method: string, path: string, body?: object) => member.json(method, path + here, body);
  const keyNamed = async (who: Promise<Response>) => await (await who).json<{ apiKey: { id: string }; key: string }>();
  const marked = await keyNamed(asMember("POST", "/keys", { name: "Marked" }));
  const kept = await keyNamed(asMember("POST", "/keys", { name: "Kept" }));
  const untouched = await founder.create("Untouched");
  expect((await founder.json("PATCH", `/keys/${kept.apiKey.id}`, { limit: 70 })).status).toBe(200);
  expect((await asMember("PATCH", `/keys/${apiKey.id}`, { limit: 50 })).status).toBe(200);
  const hook = async (send: Promise<Response>) => (await (await send).json<{ webhook: Webhook }>()).webhook;
  const foreign = await hook(founder.json("POST", "/webhooks", { url: "https://founder.example.com/" }));
  const changed = await hook(founder.json("POST", "/webhooks", { url: OLD }));
  expect((await asMember("PATCH", `/webhooks/${changed.id}`, { url: NEW })).status).toBe(200);
  const own = await hook(asMember("POST", "/webhooks", { url: "https://member.example.com/" }));

  const form = await readForm(await founder.page(`/members/${id}/remove`), "Remove member");
  // Only what is this person's alone is ticked: one key was changed by another member.
  expect(form.fields.toString()).toBe(
    new URLSearchParams([
      ["keys", marked.apiKey.id],
      ["webhooks", own.id],
    ]).toString(),
  );
  const page = await (await founder.page(`/members/${id}/remove`)).text();
  const listed = [
    ...page.matchAll(
      /name="(keys|webhooks)" value="(\w{12})"(?: checked="")?\/><span><bdi>([^<]*)<\/bdi><span class="hint">(\w+)/g,
    ),
  ];
  expect(listed.map(([, ...what]) => what)).toEqual([
    ["keys", apiKey.id, "Theirs", "Changed"],
    ["keys", marked.apiKey.id, "Marked", "Made"],
    ["keys", kept.apiKey.id, "Kept", "Made"],
    ["webhooks", changed.id, NEW, "Changed"],
    ["webhooks", own.id, "https://member.example.com/", "Made"],
  ]);
  // Of what is not listed nothing is ended.
  const sent = { keys: [marked.apiKey.id, untouched.apiKey.id], webhooks: [own.id, foreign.id] };
  expect((await founder.submit(`/members/${id}/remove`, sent)).status).toBe(303);
  expect(await Promise.all([marked, kept, untouched].map(({ key }) => founder.whoami(key)))).toEqual([401, 200, 200]);
  const { items } = await (await founder.json("GET", "/webhooks")).json<{ items: Webhook[] }>();
  expect(items.map((each) => each.id).toSorted()).toEqual([foreign.id, changed.id].toSorted());
  expect((await asMember("GET", "/keys")).status).toBe(403);
});

it("what a person's service token made or changed is listed, too", { tags: "slow" }, async () => {
  const { founder, member, id, here } = await pair("1");
  const bindings = { ...env, SERVICE_TOKEN_OWNERS: `token.access=${member.email}` };
  const script = createIsolate(bindings, async () => ({ email: member.email, actor: "token.access" }));
  const made = await script.request(`/account/api/keys${here}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ name: "By a script" }),
  });
  expect(made.status).toBe(201);
  const page = await createOwner(founder.email, bindings).page(`/members/${id}/remove`);
  expect(await page.text()).toContain("<bdi>By a script</bdi>");
});
