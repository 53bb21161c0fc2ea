/** docs/security.md, "What an attack costs": its counts, counted on the real stores, and the dollars that follow from them. */
import { expect, it } from "vitest";
import security from "../../docs/security.md?raw";
import { dollarsPerMillion } from "../bench/prices.ts";
import { ATTACKS, github, NOW, type Send } from "../support/attacks.ts";
import { freeze } from "../support/clock.ts";
import { countStores } from "../support/intercept.ts";
import { meterDatabases } from "../support/intercept-binding.ts";
import { createIsolate } from "../support/isolate.ts";

/** An isolate, and what its last request cost, in the order of the table's columns. A Durable Object's own bookkeeping is not in it. */
function createCounted() {
  const rows = { read: 0, written: 0 };
  const metered = meterDatabases(github.bindings, (results) => {
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
  expect((await send(counted.send, () => createCounted().send)).status).toBe(status);
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
  const whoami = documented.get("valid API key: whoami")?.at(-1) ?? 0;
  expect(text).toContain(`cost 86.4 × $${dollars} = $${(86.4 * dollars).toFixed(2)} a day`);
  expect(text).toContain(`cost about 864 × $${whoami} = $${(864 * whoami).toFixed(2)} a day for each key`);
  const edit =
    documented
      .get("valid token: edit one's own proposal, which has tags and waits for approval again, sent to 4 webhooks")
      ?.at(-1) ?? 0;
  expect(text).toContain(`costs 0.0432 × $${edit} = $${(0.0432 * edit).toFixed(2)} a day`);
  const written = documented.get("valid API key: change everything of a proposal, sent to 4 webhooks")?.[3];
  expect(text).toContain(`Other operations write at most ${written} rows.`);
});
