/** What an owner's operations, the operator's and those without a credential cost, generated from their tables: the same whatever is stored, by others and by oneself. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { AppEnv } from "../../../src/worker/http/app-env.ts";
import { freeze } from "../../support/clock.ts";
import { createGitHub } from "../../support/github.ts";
import { meterDatabase } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { numbers } from "../../support/many-rows.ts";
import { bodyOf, fillPath, operationsOf } from "../../support/operations.ts";
import { OPERATOR_SECRET } from "../../support/operator.ts";
import { createOwner } from "../../support/owner.ts";
import { tokenFor } from "../../support/world.ts";

type Cost = { read: number; written: number; bytes: number };

const START = 1_900_000_800_000;
/** A day ago: what an owner has changed in the last hour holds the next change. */
const BEFORE = START - 24 * 3_600_000;
/** Both are past what is kept of keys that have ended, 1,000 of each way to end. */
const SIZES = [2_200, 4_400] as const;

/** `count` keys that have ended, half of them revoked and half expired, each with a use, and `count` events of the first. */
async function fill(email: string, count: number): Promise<void> {
  const owned = "FROM n, accounts a WHERE a.owner_email = ?1";
  const id = (kind: string) => `substr(a.id, 1, 6) || '${kind}' || printf('%05d', i)`;
  await env.DB.batch(
    [
      `api_keys (id, account_id, name, secret_hash, scopes, created_at, revoked_at, expires_at)
       SELECT ${id("k")}, a.id, 'K', '', '["surveys:read"]', ?2 - i * 10, iif(i % 2, ?2 - i, NULL), iif(i % 2, NULL, ?2 - i) ${owned}`,
      `api_key_usage (api_key_id, hour, admitted, limited) SELECT ${id("k")}, ?2 - ?2 % 3600000, i, 0 ${owned}`,
      `audit_events (id, account_id, event, api_key_id, api_key_name, created_at)
       SELECT ${id("e")}, a.id, 'changed', substr(a.id, 1, 6) || 'k00001', 'K', ?2 - i ${owned}`,
      `idea_banks (id, account_id, name, created_at) SELECT ${id("b")}, a.id, 'B', ?2 ${owned} AND i = 1`,
      ...["pending", "public"].map(
        (visibility, kind) =>
          `proposals (id, account_id, idea_bank_id, title, description, visibility, created_at, last_activity_at, words)
           SELECT ${id(`${kind}`)}, a.id, b.id, 'alpha bravo', 'D', '${visibility}', ?2 - i, ?2 - i, '["alpha","bravo"]'
           FROM n, accounts a JOIN idea_banks b ON b.account_id = a.id WHERE a.owner_email = ?1`,
      ),
    ].map((rows) => env.DB.prepare(`${numbers(1, count)} INSERT INTO ${rows}`).bind(email, BEFORE)),
  );
}

/** An owner beside another one, and a key that is used for what changes one. */
async function createScene(count: number) {
  freeze(START);
  const spent: Cost = { read: 0, written: 0, bytes: 0 };
  const metered = meterDatabase(env.DB, (results) => {
    for (const { meta } of results) {
      spent.read += meta.rows_read;
      spent.written += meta.rows_written;
    }
  });
  // Nobody waits for the end of a lease: none is granted.
  const github = await createGitHub();
  const bindings: AppEnv["Bindings"] = { ...github.bindings, DB: metered, LEASE_SECONDS: "0", OPERATOR_SECRET };
  const [owner, other] = [createOwner(undefined, bindings, "0"), createOwner(undefined, env, "0")];
  await other.create();
  const { apiKey } = await owner.create();
  const { key: leaked } = await owner.create();
  await fill(other.email, count);
  await fill(owner.email, count);
  const member = await owner.json("POST", "/members", { email: "member@example.com" });
  const { id: memberId } = await member.json<{ id: string }>();
  const invitationId = await invited(owner.email);
  const added = await owner.json("POST", "/webhooks", { url: "https://crm.example.com/" });
  const { webhook } = await added.json<{ webhook: { id: string } }>();
  const prefixOf = ({ email }: { email: string }) =>
    env.DB.prepare("SELECT substr(id, 1, 6) AS prefix FROM accounts WHERE owner_email = ?1")
      .bind(email)
      .first<string>("prefix");
  const [own, foreign] = [await prefixOf(owner), await prefixOf(other)];
  return {
    spent,
    bindings,
    leaked,
    github,
    owner,
    other,
    ids: { apiKeyId: apiKey.id, webhookId: webhook.id, memberId, invitationId },
    watched: { own: `${own}k00001`, foreign: `${foreign}k00001` },
    waiting: `${own}000002`,
    ideaBank: `${own}b00001`,
  };
}

/** The invitation of this person to another account, in the database that is metered. */
async function invited(email: string): Promise<string> {
  const made = await createOwner(undefined, env, "0").json("POST", "/members", { email });
  return (await made.json<{ id: string }>()).id;
}

async function measure(count: number): Promise<Map<string, Cost>> {
  const { spent, bindings, leaked, github, owner, other, ids, watched, waiting, ideaBank } = await createScene(count);
  const costs = new Map<string, Cost>();
  const measured = async (name: string, status: number, send: () => Promise<Response>) => {
    Object.assign(spent, { read: 0, written: 0 });
    const answer = await send();
    const text = await answer.text();
    expect(answer.status, `${name}: ${text}`).toBe(status);
    costs.set(name, { ...spent, bytes: text.length });
  };
  for (const { name, operation, method, path, status } of operationsOf("access")) {
    // Of those who were invited, each answers once.
    if (name === "declineInvitation") ids.invitationId = await invited(owner.email);
    const query = operation.query === undefined ? "" : "?limit=100";
    const sent = fillPath(path, ids).replace("/account/api", "") + query;
    await measured(name, status, () => owner.json(method, sent, bodyOf(operation)));
  }
  for (const page of ["/api-keys", "/activity", "/ideas?visibility=pending&limit=100"])
    await measured(page, 200, () => owner.page(page));
  for (const [whose, id] of Object.entries(watched))
    await measured(`activity of a key, ${whose}`, 200, () => owner.json("GET", `/activity?limit=100&apiKeyId=${id}`));
  const idea = `/idea-banks/${ideaBank}/ideas/${waiting}`;
  await measured("an idea that waits", 200, () => owner.page(idea));
  await measured("approving it", 303, () => owner.submit(idea, { do: "approve", edits: "0" }));
  const operator = createIsolate(bindings);
  const headers = { Authorization: `Bearer ${OPERATOR_SECRET}`, "Content-Type": "application/json" };
  const { apiKey: changed, key } = await owner.create();
  const token = await tokenFor(ideaBank, `${ideaBank.slice(0, 6)}p00001`);
  // The other one moves, as the operator's calls name the first one's account by its address.
  const to = `${crypto.randomUUID()}@example.com`;
  const own: Record<string, string> = { account: owner.email, key, token, from: other.email, to };
  for (const { name, operation, method, path, status } of operationsOf("operator")) {
    const example = bodyOf(operation);
    const body =
      example &&
      JSON.stringify(Object.fromEntries(Object.entries(example).map(([field, value]) => [field, own[field] ?? value])));
    const sent = fillPath(path, { apiKeyId: changed.id });
    await measured(name, status, () => operator.request(sent, { method, headers, body: body ?? null }));
  }
  for (const { name, method, path, status } of operationsOf("none")) {
    const reports = [{ token: leaked, type: "edge_access_api_key", url: "u" }];
    const isLeaks = path.startsWith("/leaks");
    await measured(name, status, () =>
      isLeaks ? github.report(operator, reports) : operator.request(path, { method }),
    );
  }
  return costs;
}

it("no operation of an owner, the operator or nobody costs more in a large database than in a small one", async () => {
  const [small, large] = [await measure(SIZES[0]), await measure(SIZES[1])];
  expect([...large.keys()]).toEqual([...small.keys()]);
  expect(large.size).toBe(
    operationsOf("access").length + operationsOf("operator").length + operationsOf("none").length + 7,
  );
  for (const [name, { read, written, bytes }] of large) {
    const few = small.get(name) ?? { read: 0, written: 0, bytes: 0 };
    // A key is verified by its gate, which has no metered database; the version is part of the code.
    if (name !== "verifyKey" && name !== "getVersion")
      expect(read + written, `${name}: rows read and written`).toBeGreaterThan(0);
    // An account has at most 50 members, which are counted.
    expect(read, `${name}: rows read`).toBeLessThanOrEqual(few.read + 50);
    expect(written, `${name}: rows written`).toBeLessThanOrEqual(few.written + 12);
    // Numbers have more digits.
    expect(bytes, `${name}: bytes`).toBeLessThanOrEqual(few.bytes + 200);
    expect([read <= 10_000, written <= 5_000, bytes <= 2 ** 20], name).toEqual([true, true, true]);
  }
});
