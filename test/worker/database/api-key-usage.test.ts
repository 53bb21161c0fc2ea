/** Rows of `api_key_usage`: totals, written as often as it takes. */
import { expect, it } from "vitest";
import {
  type HourlyUsage,
  type LastSeen,
  saveApiKeyUsage,
  USAGE_KEPT_MS,
} from "../../../src/worker/database/keys/api-key-usage.ts";
import { mergeHours, mergeLastUses } from "../../../src/worker/database/keys/unsaved-use.ts";
import { databaseOf, sessionOf } from "../../support/databases.ts";
import { addApiKey } from "../../support/world.ts";

const HOUR = 3_600_000;
const NOW = 1_900_000_800_000 - (1_900_000_800_000 % HOUR);

const rows = async (id: string) =>
  (
    await databaseOf(id)
      .prepare("SELECT hour, admitted, limited, operations FROM api_key_usage WHERE api_key_id = ?1 ORDER BY hour")
      .bind(id)
      .all<Record<string, string>>()
  ).results.map((row) => ({ ...row, operations: JSON.parse(row.operations ?? "") }));
const seenAt = (at: number, userAgent: string | null) => ({
  at,
  network: null,
  country: null,
  userAgent,
  operation: "whoami",
});
const save = (id: string, hours: HourlyUsage[], lastUsedAt = NOW) =>
  saveApiKeyUsage(sessionOf(databaseOf(id)), {
    apiKeyId: id,
    hours,
    seen: { used: seenAt(lastUsedAt, null) },
  });

it("totals that come again, or late, take nothing back", async () => {
  const { id } = await addApiKey();
  const early = { hour: NOW, admitted: 3, limited: 1, operations: { whoami: 3 } };
  const late = { hour: NOW, admitted: 5, limited: 2, operations: { whoami: 4, listSurveys: 1 } };
  await save(id, [early]);
  await save(id, [late], NOW + 2);
  expect(await rows(id)).toEqual([late]);
  await save(id, [late], NOW + 2);
  await save(id, [early], NOW + 1);
  expect(await rows(id)).toEqual([late]);
  const row = await databaseOf(id).prepare("SELECT last_used_at FROM api_keys WHERE id = ?1").bind(id).first();
  expect(row).toEqual({ last_used_at: NOW + 2 });
});

it("what was seen is kept part by part, for 31 days; the same again writes nothing", async () => {
  const { id } = await addApiKey();
  const write = (seen: LastSeen) => saveApiKeyUsage(sessionOf(databaseOf(id)), { apiKeyId: id, hours: [], seen });
  const row = async () =>
    databaseOf(id).prepare("SELECT last_used_at, seen FROM api_keys WHERE id = ?1").bind(id).first();
  const refused = { ...seenAt(NOW, "old"), reason: "paused" as const };
  await write({ refused });
  expect(await row()).toEqual({
    last_used_at: null,
    seen: `{"refused":{"at":${NOW},"userAgent":"old","operation":"whoami","reason":"paused"}}`,
  });
  const later = NOW + USAGE_KEPT_MS;
  await write({ used: seenAt(later, null) });
  const both = await row();
  expect(both).toMatchObject({ last_used_at: later, seen: expect.stringContaining('"old"') });
  await write({ used: seenAt(later, null), refused });
  expect(await row()).toEqual(both);
  await write({ used: seenAt(later + 1, null), refused });
  expect(await row()).toMatchObject({ seen: `{"used":{"at":${later + 1},"operation":"whoami"}}` });
});

it("what a gate has counted since is merged as it is stored: of an hour the higher totals, each hour once", () => {
  const hour = (hours: number, admitted: number, limited: number, operation = "whoami") => ({
    ...{ hour: NOW + hours * HOUR, admitted, limited },
    operations: admitted > 0 ? { [operation]: admitted } : {},
  });
  const saved = [hour(-2, 5, 1), hour(-1, 3, 9), hour(0, 2, 0, "mcp")];
  const unsaved = [hour(-26, 9, 0), hour(-1, 2, 4), hour(-3, 0, 0), hour(0, 2, 0), hour(1, 1, 0)];
  expect(mergeHours(saved, unsaved, NOW - 24 * HOUR)).toEqual([
    hour(-2, 5, 1),
    hour(-1, 3, 9),
    hour(0, 2, 0),
    hour(1, 1, 0),
  ]);
  expect(mergeHours(saved, undefined, NOW - 24 * HOUR)).toEqual(saved);
});

it("a use of a secret before the last rotation is that of the old secret only if it was made with that", async () => {
  const { id } = await addApiKey();
  const hash = (letter: string) => letter.repeat(64);
  const set = databaseOf(id).prepare("UPDATE api_keys SET previous_secret_hash = ?2, rotated_at = ?3 WHERE id = ?1");
  await set.bind(id, hash("a"), NOW).run();
  const column = () =>
    databaseOf(id).prepare("SELECT previous_last_used_at AS at FROM api_keys WHERE id = ?1").bind(id).first("at");
  for (const [letter, at, expected] of [
    ["b", NOW + 2, null],
    // The rotation before the last gave the secret its grace.
    ["a", NOW - 5, NOW - 5],
    ["a", NOW + 3, NOW + 3],
    ["a", NOW + 1, NOW + 3],
  ] as const) {
    const seen = {
      used: seenAt(NOW + 9, null),
      previous: { ...seenAt(at, String(at)), secret: hash(letter).slice(0, 12) },
    };
    const row = {
      last_used_at: null,
      previous_secret_hash: hash("a"),
      previous_last_used_at: (await column()) as number | null,
    };
    await saveApiKeyUsage(sessionOf(databaseOf(id)), { apiKeyId: id, hours: [], seen });
    expect([letter, at, await column()]).toEqual([letter, at, expected]);
    expect(mergeLastUses(row, { hours: [], seen }).previous_last_used_at).toBe(expected);
  }
});
