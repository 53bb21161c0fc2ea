/** Rows of `api_key_usage`: totals, written as often as it takes. */
import { expect, it } from "vitest";
import {
  type HourlyUsage,
  type LastSeen,
  saveApiKeyUsage,
  USAGE_KEPT_MS,
} from "../../../src/worker/database/keys/api-key-usage.ts";
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
