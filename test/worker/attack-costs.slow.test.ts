/** docs/attack-costs.md: what each attack costs, counted on the real stores. docs/security.md, "What an attack costs": what follows from it. */
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
  const cost = () => [counts.gate, rows.read, rows.written, counts["kv.read"], counts["kv.write"]];
  return { send, cost };
}

/** Five counts and the dollars, by attack. Each is one Worker request. */
const measured = new Map<string, readonly number[]>();

it.each(ATTACKS)("%s is answered as ever", async (attack, status, send) => {
  freeze(NOW);
  const counted = createCounted();
  expect((await send(counted.send, () => createCounted().send)).status).toBe(status);
  const cost = counted.cost();
  const [objectRequests = 0, rowsRead = 0, rowsWritten = 0, kvReads = 0, kvWrites = 0] = cost;
  const stores = { objectRequests, objectMs: 0, rowsRead, rowsWritten, kvReads, kvWrites, d1RoundTrips: 0 };
  const counts = { requests: 1, ...stores, logLines: 0 };
  measured.set(attack, [...cost, Number(dollarsPerMillion(counts).toFixed(3))]);
});

const row = (...cells: readonly unknown[]) => `| ${cells.join(" | ")} |`;

it("docs/attack-costs.md is the table of today", async () => {
  const page = [
    "# What each attack costs",
    `Counted by \`npx vitest run -u --project workerd-slow test/worker/attack-costs.slow.test.ts\`, on the real stores. [security.md](security.md#what-an-attack-costs) says what bounds it.
Each is one Worker request, without leases, a Durable Object's own bookkeeping and its duration. The dollars are for a million of them.`,
    [
      row("attack", "object requests", "rows read", "rows written", "KV reads", "KV writes", "$ per million"),
      row("---", ...Array.from({ length: 6 }, () => "---:")),
      ...[...measured].map(([attack, numbers]) => row(attack, ...numbers.slice(0, 5), numbers[5]?.toFixed(3))),
    ].join("\n"),
  ];
  await expect(`${page.join("\n\n")}\n`).toMatchFileSnapshot("../../docs/attack-costs.md");
});

it("docs/security.md has what some of them cost", () => {
  const documented = [...security.matchAll(/^\| (.+?) \| ([\d.]+) \|$/gm)].filter(([, attack = ""]) =>
    measured.has(attack),
  );
  expect(documented.length).toBeGreaterThan(5);
  for (const [, attack = "", dollars] of documented)
    expect([attack, dollars]).toEqual([attack, measured.get(attack)?.at(-1)?.toFixed(3)]);
  expect(security).toContain(`counts ${ATTACKS.length} kinds of request`);
});

it("the example and the bound follow from the most expensive row", () => {
  const [, rowsRead = 0, rowsWritten = 0, , , dollars = 0] = [...measured.values()].at(-1) ?? [];
  expect(Math.max(...[...measured.values()].map((numbers) => numbers[5] ?? 0))).toBe(dollars);
  const text = security.replaceAll(/\s+/g, " ");
  const example = text.match(/the last row is ([^=]+) = ([\d.]+)\./)?.slice(1);
  expect(example).toEqual([`0.30 + 0.15 + ${rowsRead} × 0.001 + ${rowsWritten} × 1.00`, String(dollars)]);
  const bound = text
    .match(/costs 0\.864 × \$([\d.]+) = \$([\d.]+) a day for each key.* 4 active keys: \$([\d.]+) a day/)
    ?.slice(1);
  expect(bound?.map(Number)).toEqual([dollars, ...[1, 4].map((keys) => Number((keys * 0.864 * dollars).toFixed(2)))]);
  const whoami = measured.get("key: whoami")?.at(-1) ?? 0;
  expect(text).toContain(`cost 86.4 × $${dollars} = $${(86.4 * dollars).toFixed(2)} a day`);
  expect(text).toContain(`cost about 864 × $${whoami} = $${(864 * whoami).toFixed(2)} a day for each key`);
  const edit = measured.get("token: edit one's own proposal that waits for approval again, 4 webhooks")?.at(-1) ?? 0;
  expect(text).toContain(`costs 0.0432 × $${edit} = $${(0.0432 * edit).toFixed(2)} a day`);
  const written = measured.get("key: change everything of a proposal, 4 webhooks")?.[2];
  expect(text).toContain(`Other operations write at most ${written} rows.`);
});
