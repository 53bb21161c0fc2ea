/** A form changes what its user changed: somebody opens it, another changes X, then it is saved with a changed Y. Every pair. */
import { expect, it } from "vitest";
import type { ApiKey } from "../../../src/worker/model/account-key.ts";
import type { AuditEvent } from "../../../src/worker/model/audit-event.ts";
import type { Webhook } from "../../../src/worker/model/webhook.ts";
import { createOwner } from "../../support/owner.ts";
import { readForm } from "../../support/read-forms.ts";

type Owner = ReturnType<typeof createOwner>;
/** What the other one sends, and what the form's user does to it. */
type Change = { readonly sent: object; readonly typed?: (fields: URLSearchParams) => void; readonly typedAs?: object };

const DAY_MS = 86_400_000;

async function save(owner: Owner, action: string, fields: URLSearchParams, button: Record<string, string> = {}) {
  const sent: Record<string, string[]> = {};
  for (const name of new Set(fields.keys())) sent[name] = fields.getAll(name);
  return owner.submit(action.replace("/account", ""), { ...sent, ...button });
}

/** Of what both have changed, the form's user is asked first. */
async function saveAnyway(owner: Owner, saved: Response, isBoth: boolean): Promise<Response> {
  expect(saved.status).toBe(isBoth ? 409 : 303);
  if (!isBoth) return saved;
  const { action, fields } = await readForm(saved, "Save mine all the same");
  return save(owner, action, fields);
}

const changesOf = async (owner: Owner, event: string) =>
  (await (await owner.json("GET", "/activity")).json<{ items: AuditEvent[] }>()).items.filter(
    (each) => each.event === event,
  );

/** The order of the boxes is another one. */
const SCOPES = ["panelists:write", "surveys:read", "ideabanks:read"];
const KEY: Record<string, Change> = {
  name: { sent: { name: "Theirs" }, typed: (fields) => fields.set("name", "Mine"), typedAs: { name: "Mine" } },
  scopes: {
    sent: { scopes: ["ideabanks:read"] },
    typed: (fields) => fields.delete("scopes", "panelists:write"),
    typedAs: { scopes: ["surveys:read", "ideabanks:read"] },
  },
  // A limit and its window are one choice: halves of two would be a limit that nobody has chosen.
  rate: {
    sent: { limit: 7, windowSeconds: 70 },
    typed: (fields) => fields.set("rate", "60/60"),
    typedAs: { limit: 60, windowSeconds: 60 },
  },
  expiresAt: {
    sent: { expiresAt: new Date(Math.ceil(Date.now() / DAY_MS + 20) * DAY_MS).toISOString() },
    typed: (fields) => fields.set("expiresAt", "never"),
    typedAs: { expiresAt: null },
  },
  paused: {
    sent: { paused: true },
    typed: (fields) => fields.set("paused", "on"),
    typedAs: { pausedAt: expect.any(String) },
  },
  allowedAddresses: {
    sent: { allowedAddresses: ["192.0.2.0/24"] },
    typed: (fields) => fields.set("allowedAddresses", "2001:db8::/32 198.51.100.7"),
    typedAs: { allowedAddresses: ["2001:db8::/32", "198.51.100.7"] },
  },
};
const NOBODY: Change = { sent: {} };
const pairsOf = (changes: Record<string, Change>) =>
  ["nothing", ...Object.keys(changes)].flatMap((theirs) =>
    ["nothing", ...Object.keys(changes)].map((mine) => [theirs, mine] as const),
  );

it.each(pairsOf(KEY))("a key: another changes %s, the form %s", async (theirs, mine) => {
  const owner = createOwner();
  const { apiKey } = await owner.create("Form", {
    scopes: SCOPES,
    limit: 50,
    windowSeconds: 5,
    expiresInDays: 10,
    allowedAddresses: ["203.0.113.0/24", "2001:db8::/32", "198.51.100.9"],
  });
  const form = await readForm(await owner.page(`/api-keys/${apiKey.id}/change`), "Save");
  const other = KEY[theirs] ?? NOBODY;
  const changed = await (await owner.json("PATCH", `/keys/${apiKey.id}`, other.sent)).json<ApiKey>();
  const own = KEY[mine] ?? NOBODY;
  own.typed?.(form.fields);
  const saved = await saveAnyway(
    owner,
    await save(owner, form.action, form.fields),
    mine === theirs && !["nothing", "paused"].includes(mine),
  );
  expect(saved.status).toBe(303);
  const [key] = await owner.keys();
  expect(key).toEqual({ ...changed, usage: [], ...own.typedAs });
  const events = await changesOf(owner, "changed");
  const names = events.map(({ changes }) => Object.keys(changes?.after ?? {}).toSorted());
  const byOther = Object.keys(other.sent).toSorted();
  const byForm = mine === theirs && mine === "paused" ? [] : namesOf(mine);
  expect(names).toEqual([byForm, byOther].filter((each) => each.length > 0));
});

const namesOf = (change: string) => ({ nothing: [], rate: ["limit", "windowSeconds"] })[change] ?? [change];

const TYPES = ["proposal.status-changed", "comment.created", "proposal.created"];
const WEBHOOK: Record<string, Change> = {
  url: {
    sent: { url: "https://theirs.example.com/new" },
    typed: (fields) => fields.set("url", "https://mine.example.com/new"),
    typedAs: { url: "https://mine.example.com/new" },
  },
  types: {
    sent: { types: ["panelist.created"] },
    typed: (fields) => fields.delete("types", "comment.created"),
    typedAs: { types: ["proposal.created", "proposal.status-changed"] },
  },
  all: { sent: { types: null }, typed: (fields) => fields.set("events", "all"), typedAs: { types: null } },
  paused: { sent: { paused: true } },
};

it.each(pairsOf(WEBHOOK))("a webhook: another changes %s, the form %s", async (theirs, mine) => {
  const owner = createOwner();
  const made = await owner.json("POST", "/webhooks", { url: "https://old.example.com/", types: TYPES });
  const { webhook } = await made.json<{ webhook: Webhook }>();
  const form = await readForm(await owner.page(`/webhooks/${webhook.id}`), "Save");
  const other = WEBHOOK[theirs] ?? NOBODY;
  const changed = await (await owner.json("PATCH", `/webhooks/${webhook.id}`, other.sent)).json<Webhook>();
  const own = WEBHOOK[mine] ?? NOBODY;
  own.typed?.(form.fields);
  const isBoth =
    (mine === theirs && ["url", "types"].includes(mine)) || [mine, theirs].toSorted().join() === "all,types";
  const saved = await saveAnyway(owner, await save(owner, form.action, form.fields, { do: "change" }), isBoth);
  expect(saved.status).toBe(303);
  const { items } = await (await owner.json("GET", "/webhooks")).json<{ items: Webhook[] }>();
  const [{ types = null, ...shown } = { types: null }] = items;
  const { types: wanted, ...rest } = { ...changed, ...own.typedAs };
  expect(shown).toEqual(rest);
  expect(types?.toSorted()).toEqual(wanted?.toSorted());
});

it.each([
  ["end", "mark"],
  ["mark", "end"],
] as const)(
  "the settings: a page that was opened with %s and is saved as it is leaves the %s that was set since",
  async (was, is) => {
    const owner = createOwner();
    await owner.json("PUT", "/settings", { leakedKeys: was });
    const form = await readForm(await owner.page("/api-keys"), "Save");
    await owner.json("PUT", "/settings", { leakedKeys: is });
    expect((await save(owner, form.action, form.fields)).status).toBe(303);
    const leakedKeys = async () => (await (await owner.json("GET", "/keys")).json<{ leakedKeys: string }>()).leakedKeys;
    expect(await leakedKeys()).toBe(is);
    const again = await readForm(await owner.page("/api-keys"), "Save");
    if (is === "mark") again.fields.delete("mark");
    else again.fields.set("mark", "on");
    expect((await save(owner, again.action, again.fields)).status).toBe(303);
    expect(await leakedKeys()).toBe(was);
  },
);

it("a form that was refused still knows with what it was opened", async () => {
  const owner = createOwner();
  const { apiKey } = await owner.create("Form", { scopes: SCOPES });
  const form = await readForm(await owner.page(`/api-keys/${apiKey.id}/change`), "Save");
  form.fields.set("allowedAddresses", "nowhere");
  const refused = await save(owner, form.action, form.fields);
  expect(refused.status).toBe(400);
  await owner.json("PATCH", `/keys/${apiKey.id}`, { scopes: ["surveys:read"] });
  const again = await readForm(refused, "Save");
  again.fields.set("allowedAddresses", "203.0.113.9");
  expect((await save(owner, again.action, again.fields)).status).toBe(303);
  const [key] = await owner.keys();
  expect(key).toMatchObject({ scopes: ["surveys:read"], allowedAddresses: ["203.0.113.9"] });
});
