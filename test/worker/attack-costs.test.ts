/** docs/security.md, "What an attack costs": its counts, counted on the real stores, and the dollars that follow from them. */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import security from "../../docs/security.md?raw";
import { titleWords } from "../../src/worker/model/words.ts";
import { dollarsPerMillion } from "../bench/prices.ts";
import { freeze } from "../support/clock.ts";
import { databaseOf } from "../support/databases.ts";
import { countStores } from "../support/intercept.ts";
import { meterDatabases } from "../support/intercept-binding.ts";
import { createIsolate } from "../support/isolate.ts";
import { addComments, addVoters, addVotes } from "../support/many-rows.ts";
import { addWebhook } from "../support/webhooks.ts";
import { addApiKey, addIdeaBank, addProposal, tokenFor } from "../support/world.ts";

const NOW = 1_900_000_000_000;
const WHOAMI = "/tenant/whoami";
const CHANGELOG = "/public/ideabank/changelog";

type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** An isolate, and what its last request cost, in the order of the table's columns. A Durable Object's own bookkeeping is not in it. */
function createCounted() {
  const rows = { read: 0, written: 0 };
  const metered = meterDatabases(env, (results) => {
    for (const { meta } of results) {
      rows.read += meta.rows_read;
      rows.written += meta.rows_written;
    }
  });
  const { env: counted, counts } = countStores(metered);
  const isolate = createIsolate(counted);
  const send: Send = (path, init) => {
    Object.assign(rows, { read: 0, written: 0 });
    Object.assign(counts, { d1: 0, gate: 0, "kv.read": 0, "kv.write": 0 });
    return isolate.request(path, init);
  };
  const cost = () => [1, counts.gate, rows.read, rows.written, counts["kv.read"], counts["kv.write"]];
  return { send, cost };
}

const SIX_WORDS = "alpha bravo charly delta echo foxtrott";
const TWELVE_WORDS = `${SIX_WORDS} golf hotel india juliett kilo lima`;

const withKey = (key: string) => ({ headers: { "X-API-Key": key } });
const withToken = (token: string) => ({ headers: { Authorization: token } });

const post = (credential: Record<string, string>, fields = {}) => ({
  method: "POST",
  headers: { ...credential, "Content-Type": "application/json", "Idempotency-Key": "one" },
  body: JSON.stringify({ title: TWELVE_WORDS, description: "D", ...fields }),
});

async function addChangelog(entries: number) {
  const bank = await addIdeaBank();
  for (let index = 0; index < entries; index++) await addProposal(bank);
  return bank;
}

/** The attacks of the table, each with its status: what comes before it, then one request of it. */
const ATTACKS: [string, number, (send: Send) => Promise<Response>][] = [
  ["forged or garbage credential", 401, (send) => send(WHOAMI, withKey("ibk_garbage"))],
  [
    "expired token",
    401,
    async (send) => {
      const { id, panelistId } = await addIdeaBank();
      return send(CHANGELOG, withToken(await tokenFor(id, panelistId, NOW / 1000 - 86_400)));
    },
  ],
  ["unknown path", 404, (send) => send("/wp-login.php")],
  [
    "API key over its limit",
    429,
    async (send) => {
      const { text } = await addApiKey({ limit: 1 });
      for (let times = 0; times < 2; times++) await send(WHOAMI, withKey(text));
      return send(WHOAMI, withKey(text));
    },
  ],
  [
    "revoked API key (expired, unknown: the same)",
    401,
    async (send) => send(WHOAMI, withKey((await addApiKey({ revokedAt: NOW })).text)),
  ],
  [
    "valid token: changelog, fresh in the isolate",
    200,
    async (send) => {
      const { token } = await addChangelog(20);
      await send(CHANGELOG, withToken(token));
      return send(CHANGELOG, withToken(token));
    },
  ],
  [
    "valid token: changelog, past the freshness window",
    200,
    async (send) => {
      const { token } = await addChangelog(20);
      await send(CHANGELOG, withToken(token));
      vi.setSystemTime(NOW + 60_000);
      return send(CHANGELOG, withToken(token));
    },
  ],
  [
    "valid token: changelog, a new isolate each time",
    200,
    async (send) => {
      const { token } = await addChangelog(20);
      await createCounted().send(CHANGELOG, withToken(token));
      return send(CHANGELOG, withToken(token));
    },
  ],
  [
    "valid token: changelog of 20 entries, changed before each read",
    200,
    async (send) => send(CHANGELOG, withToken((await addChangelog(20)).token)),
  ],
  [
    "valid token: a page of 100 proposals, each with an author and the panelist's vote",
    200,
    async (send) => {
      const bank = await addIdeaBank();
      for (let index = 0; index < 120; index++)
        await addProposal(bank, { status: index % 2 ? "planned" : "submitted" });
      const database = databaseOf(bank.id);
      await database.prepare("UPDATE proposals SET author_id = ?1").bind(bank.panelistId).run();
      await database
        .prepare("INSERT INTO votes SELECT id, ?1, account_id, idea_bank_id, 1 FROM proposals")
        .bind(bank.panelistId)
        .run();
      return send("/ideabank/proposals?sort=hot&limit=100", withToken(bank.token));
    },
  ],
  [
    "valid token: a search for six words that many titles have",
    200,
    async (send) => {
      const bank = await addIdeaBank();
      await addProposal(bank, { status: "submitted" });
      const database = databaseOf(bank.id);
      await database
        .prepare("UPDATE proposals SET author_id = ?1, words = ?2")
        .bind(bank.panelistId, titleWords(SIX_WORDS))
        .run();
      await database
        .prepare(`INSERT INTO proposals (id, account_id, idea_bank_id, author_id, title, description, created_at, last_activity_at, words)
          SELECT substr(proposals.id, 1, 8) || (value + 1000), account_id, idea_bank_id, author_id, title, '', value, value, words
          FROM proposals, json_each(?1)`)
        .bind(JSON.stringify(Array.from({ length: 120 }, (_, index) => index)))
        .run();
      await database
        .prepare("INSERT INTO votes SELECT id, ?1, account_id, idea_bank_id, 1 FROM proposals")
        .bind(bank.panelistId)
        .run();
      return send(`/ideabank/proposals?q=${encodeURIComponent(SIX_WORDS)}`, withToken(bank.token));
    },
  ],
  [
    "valid token: a vote",
    200,
    async (send) => {
      const bank = await addIdeaBank();
      const id = await addProposal(bank, { status: "planned" });
      return send(`/ideabank/proposals/${id}/vote`, { method: "PUT", ...withToken(bank.token) });
    },
  ],
  [
    "valid token: submit a proposal, with an Idempotency-Key",
    201,
    async (send) => send("/ideabank/proposals", post({ Authorization: (await addIdeaBank()).token })),
  ],
  [
    "valid token: withdraw a proposal with many votes and comments",
    204,
    async (send) => {
      const bank = await addIdeaBank();
      const id = await addProposal(bank, { status: "submitted" });
      await databaseOf(id).prepare("UPDATE proposals SET author_id = ?1").bind(bank.panelistId).run();
      await addVoters(bank, 1, 400);
      await addVotes(bank, id, 1, 400);
      await addComments(bank, id, bank.panelistId, 400);
      return send(`/ideabank/proposals/${id}`, { method: "DELETE", ...withToken(bank.token) });
    },
  ],
  ["valid API key: whoami", 200, async (send) => send(WHOAMI, withKey((await addApiKey()).text))],
  [
    "valid API key: a page of 100 proposals, each with an author",
    200,
    async (send) => {
      const { id, accountId, panelistId } = await addChangelog(110);
      await databaseOf(id).prepare("UPDATE proposals SET author_id = ?1").bind(panelistId).run();
      const { text } = await addApiKey({ accountId });
      return send(`/tenant/ideabanks/${id}/proposals?limit=100`, withKey(text));
    },
  ],
  [
    "valid API key: create an implemented proposal, with an Idempotency-Key",
    201,
    async (send) => {
      const { id, accountId } = await addIdeaBank();
      const { text } = await addApiKey({ accountId });
      return send(`/tenant/ideabanks/${id}/proposals`, post({ "X-API-Key": text }, { status: "implemented" }));
    },
  ],
  [
    "valid API key: change a proposal, and deliver that to a webhook",
    200,
    async (send) => {
      const bank = await addIdeaBank();
      const id = await addProposal(bank);
      const { text } = await addApiKey({ accountId: bank.accountId });
      await addWebhook(bank.accountId);
      return send(`/tenant/ideabanks/${bank.id}/proposals/${id}`, {
        method: "PATCH",
        headers: { "X-API-Key": text, "Content-Type": "application/json" },
        body: JSON.stringify({ status: "planned" }),
      });
    },
  ],
  [
    "valid API key: delete a panelist with many votes, proposals and comments",
    204,
    async (send) => {
      const bank = await addIdeaBank();
      for (let index = 0; index < 120; index++) await addProposal(bank);
      const database = databaseOf(bank.id);
      await database.prepare("UPDATE proposals SET author_id = ?1").bind(bank.panelistId).run();
      await database
        .prepare("INSERT INTO votes SELECT id, ?1, account_id, idea_bank_id, 1 FROM proposals")
        .bind(bank.panelistId)
        .run();
      await addComments(bank, await addProposal(bank), bank.panelistId, 400);
      const { text } = await addApiKey({ accountId: bank.accountId });
      return send(`/tenant/panelists/${bank.panelistId}`, { method: "DELETE", ...withKey(text) });
    },
  ],
  [
    "valid API key: merge a proposal with many votes, which many were merged into",
    200,
    async (send) => {
      const bank = await addIdeaBank();
      const [source, into] = [await addProposal(bank), await addProposal(bank)];
      await addVoters(bank, 1, 400);
      await addVotes(bank, source, 1, 400);
      await addVotes(bank, into, 51, 200);
      for (let index = 0; index < 60; index++) {
        const merged = await addProposal(bank);
        await databaseOf(merged)
          .prepare("UPDATE proposals SET duplicate_of = ?2 WHERE id = ?1")
          .bind(merged, source)
          .run();
      }
      await databaseOf(source).prepare("DELETE FROM merges").run();
      const { text } = await addApiKey({ accountId: bank.accountId });
      return send(`/tenant/ideabanks/${bank.id}/proposals/${source}/merge`, {
        method: "POST",
        headers: { "X-API-Key": text, "Content-Type": "application/json" },
        body: JSON.stringify({ into }),
      });
    },
  ],
];

/** The table's rows: six counts and the dollars, by attack. */
const documented = new Map(
  [...security.matchAll(/^\| (.+?) \|((?: [\d.]+ \|){7})$/gm)].map(([, attack = "", cells = ""]) => [
    attack,
    cells.split("|").slice(0, 7).map(Number),
  ]),
);

it("the table has these attacks, and no others", () => {
  expect([...documented.keys()]).toEqual(ATTACKS.map(([attack]) => attack));
});

it.each(ATTACKS)("%s costs what the table says", async (attack, status, send) => {
  freeze(NOW);
  const counted = createCounted();
  expect((await send(counted.send)).status).toBe(status);
  const cost = counted.cost();
  const [requests = 0, objectRequests = 0, rowsRead = 0, rowsWritten = 0, kvReads = 0, kvWrites = 0] = cost;
  const stores = { objectRequests, objectMs: 0, rowsRead, rowsWritten, kvReads, kvWrites, d1RoundTrips: 0 };
  const counts = { requests, ...stores, logLines: 0 };
  expect(documented.get(attack)).toEqual([...cost, Number(dollarsPerMillion(counts).toFixed(3))]);
});

it("the example and the bound follow from the most expensive row", () => {
  const [, , rowsRead = 0, rowsWritten = 0, , , dollars = 0] = [...documented.values()].at(-1) ?? [];
  expect(Math.max(...[...documented.values()].map((numbers) => numbers[6] ?? 0))).toBe(dollars);
  const text = security.replaceAll(/\s+/g, " ");
  const example = text.match(/the last row is ([^=]+) = ([\d.]+)\./)?.slice(1);
  expect(example).toEqual([`0.30 + 0.15 + ${rowsRead} × 0.001 + ${rowsWritten} × 1.00`, String(dollars)]);
  const bound = text
    .match(/costs 0\.864 × \$([\d.]+) = \$([\d.]+) a day for each key.* 4 active keys: \$([\d.]+) a day/)
    ?.slice(1);
  expect(bound?.map(Number)).toEqual([dollars, ...[1, 4].map((keys) => Number((keys * 0.864 * dollars).toFixed(2)))]);
  const submission = documented.get("valid token: submit a proposal, with an Idempotency-Key")?.at(-1) ?? 0;
  expect(text).toContain(`costs 0.0432 × $${submission} = $${(0.0432 * submission).toFixed(2)} a day.`);
});
