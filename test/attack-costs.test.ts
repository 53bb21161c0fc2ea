/** docs/security.md, "What an attack costs": its counts, counted on the real stores, and the dollars that follow from them. */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import security from "../docs/security.md?raw";
import { dollarsPerMillion } from "./bench/prices.ts";
import { freeze } from "./support/clock.ts";
import { interceptStores } from "./support/intercept.ts";
import { createIsolate } from "./support/isolate.ts";
import { addApiKey, addIdeaBank, addProposal, tokenFor } from "./support/world.ts";

const NOW = 1_900_000_000_000;
const WHOAMI = "/tenant/whoami";
const CHANGELOG = "/public/ideabank/changelog";

type Send = (path: string, init?: RequestInit) => Promise<Response>;

const NOTHING = { gate: 0, d1: 0, rowsRead: 0, rowsWritten: 0, "kv.read": 0, "kv.write": 0 };

/** An isolate, and what its last request cost, in the order of the table's columns. A Durable Object's own bookkeeping is not in it. */
function createCounted() {
  const counts = { ...NOTHING };
  const counted = interceptStores(env, async (kind, makeCall) => {
    counts[kind] += 1;
    const result = await makeCall();
    if (kind !== "d1") return result;
    for (const { meta } of [result as D1Result | D1Result[]].flat()) {
      counts.rowsRead += meta.rows_read;
      counts.rowsWritten += meta.rows_written;
    }
    return result;
  });
  const isolate = createIsolate(counted);
  const send: Send = (path, init) => {
    Object.assign(counts, NOTHING);
    return isolate.request(path, init);
  };
  const cost = () => [1, counts.gate, counts.rowsRead, counts.rowsWritten, counts["kv.read"], counts["kv.write"]];
  return { send, cost };
}

const withKey = (key: string) => ({ headers: { "X-API-Key": key } });
const withToken = (token: string) => ({ headers: { Authorization: token } });

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
  ["valid API key: whoami", 200, async (send) => send(WHOAMI, withKey((await addApiKey()).text))],
  [
    "valid API key: a page of 100 proposals",
    200,
    async (send) => {
      const { id, accountId } = await addChangelog(110);
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
      return send(`/tenant/ideabanks/${id}/proposals`, {
        method: "POST",
        headers: { "X-API-Key": text, "Content-Type": "application/json", "Idempotency-Key": "one" },
        body: JSON.stringify({ title: "T", status: "implemented" }),
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
  const counts = { requests, objectRequests, rowsRead, rowsWritten, kvReads, kvWrites, d1RoundTrips: 0 };
  expect(documented.get(attack)).toEqual([...cost, Number(dollarsPerMillion(counts).toFixed(3))]);
});

it("the example and the bound follow from the dearest row", () => {
  const [, , rowsRead = 0, rowsWritten = 0, , , dollars = 0] = [...documented.values()].at(-1) ?? [];
  expect(Math.max(...[...documented.values()].map((numbers) => numbers[6] ?? 0))).toBe(dollars);
  const text = security.replaceAll(/\s+/g, " ");
  const example = text.match(/the last row is ([^=]+) = ([\d.]+)\./)?.slice(1);
  expect(example).toEqual([`0.30 + 0.15 + ${rowsRead} × 0.001 + ${rowsWritten} × 1.00`, String(dollars)]);
  const bound = text
    .match(/costs 0\.864 × \$([\d.]+) = \$([\d.]+) a day for each key.* 4 active keys: \$([\d.]+) a day/)
    ?.slice(1);
  expect(bound?.map(Number)).toEqual([dollars, ...[1, 4].map((keys) => Number((keys * 0.864 * dollars).toFixed(2)))]);
});
