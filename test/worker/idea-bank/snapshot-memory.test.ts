/** What one tenant can make an isolate hold, and do. */

import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { databaseDigit } from "../../../src/worker/credentials/id.ts";
import { IdeaBankSnapshots } from "../../../src/worker/idea-bank/snapshots.ts";
import { BoundedMap } from "../../../src/worker/memory/bounded-map.ts";
import { runLater } from "../../../src/worker/memory/deadline.ts";
import { databaseOf, openDatabase } from "../../support/databases.ts";
import { countStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createTenant } from "../../support/tenant.ts";
import { addAccount, addIdeaBank, newId } from "../../support/world.ts";

it("creating and changing idea banks adds nothing to the memory of an isolate", async () => {
  const set = vi.spyOn(BoundedMap.prototype, "set");
  const tenant = await createTenant();
  const first = await tenant.send("POST", "/tenant/ideabanks", { name: "The first" });
  expect(first.status).toBe(201);
  const { length } = set.mock.calls;
  const ids: string[] = [];
  for (let times = 0; times < 5; times++) {
    const created = await tenant.send("POST", "/tenant/ideabanks", { name: "Another" });
    const { id } = await created.json<{ id: string }>();
    expect((await tenant.send("PATCH", `/tenant/ideabanks/${id}`, { name: "Renamed" })).status).toBe(200);
    ids.push(id);
  }
  expect(set.mock.calls.slice(length).filter(([key]) => ids.some((id) => String(key).includes(id)))).toEqual([]);
  expect(set.mock.calls).toHaveLength(length);
});

it("another tenant's snapshot stays, whatever a tenant creates and changes", async () => {
  const [mine, theirs] = [await addIdeaBank(), await addIdeaBank()];
  const { env: counted, counts } = countStores({ ...env, FRESHNESS_SECONDS: "300" });
  const isolate = createIsolate(counted);
  const read = () => isolate.request("/ideabank", { headers: { Authorization: theirs.token } });
  await read();
  const tenant = await createTenant({ accountId: mine.accountId }, isolate);
  for (let times = 0; times < 20; times++) {
    const created = await tenant.send("POST", "/tenant/ideabanks", { name: "Another" });
    const { id } = await created.json<{ id: string }>();
    await tenant.send("PATCH", `/tenant/ideabanks/${id}`, { name: "Renamed" });
    await tenant.send("DELETE", `/tenant/panelists/${mine.panelistId}/tokens`);
  }
  counts.d1 = 0;
  expect((await read()).status).toBe(200);
  expect(counts.d1).toBe(0);
});

it("a write does as much work with 200 idea banks of others in memory as with none", async () => {
  const { id, accountId, panelistId } = await addIdeaBank();
  const snapshots = new IdeaBankSnapshots(runLater);
  const database = databaseOf(id);
  await database
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
     INSERT INTO idea_banks (id, account_id, name, status, created_at) SELECT 'bank' || i, ?1, 'N', 'OPEN', 1 FROM n`,
    )
    .bind(await addAccount({ digit: databaseDigit(id) }))
    .run();
  const opened = openDatabase(database);
  const read = (ideaBankId: string) =>
    snapshots.read(opened, { ideaBankId, panelistId }, { freshMs: 300_000, waitUntil: () => {} });
  await Promise.all(Array.from({ length: 200 }, (_, index) => read(`bank${index + 1}`)));
  await read(id);
  const touched = new Set<unknown>();
  const peek = BoundedMap.prototype.peek;
  vi.spyOn(BoundedMap.prototype, "peek").mockImplementation(function (this: BoundedMap<unknown>, key) {
    touched.add(key);
    return peek.call(this, key);
  });
  vi.spyOn(BoundedMap.prototype, "keys").mockImplementation(() => expect.unreachable("the whole cache was walked"));
  snapshots.expire(id);
  snapshots.expireAccount(accountId);
  snapshots.expire(newId());
  snapshots.expireAccount(newId());
  expect(touched.size).toBeLessThanOrEqual(2);
  expect((await read(id)).ideaBank?.accountId).toBe(accountId);
});
