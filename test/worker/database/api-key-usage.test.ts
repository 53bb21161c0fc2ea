/** Rows of `api_key_usage`: totals, written as often as it takes. */
import { expect, it } from "vitest";
import { saveApiKeyUsage } from "../../../src/worker/database/api-key-usage.ts";
import { databaseOf } from "../../support/databases.ts";
import { addApiKey } from "../../support/world.ts";

const HOUR = 3_600_000;
const NOW = 1_900_000_800_000 - (1_900_000_800_000 % HOUR);

const rows = async (id: string) =>
  (
    await databaseOf(id)
      .prepare("SELECT hour, admitted, limited FROM api_key_usage WHERE api_key_id = ?1 ORDER BY hour")
      .bind(id)
      .all()
  ).results;
const save = (id: string, hours: { hour: number; admitted: number; limited: number }[], lastUsedAt = NOW) =>
  saveApiKeyUsage(databaseOf(id), id, hours, { lastUsedAt, previousUsedAt: 0 });

it("totals that come again, or late, take nothing back", async () => {
  const { id } = await addApiKey();
  const early = { hour: NOW, admitted: 3, limited: 1 };
  const late = { hour: NOW, admitted: 5, limited: 2 };
  await save(id, [early]);
  await save(id, [late], NOW + 2);
  expect(await rows(id)).toEqual([late]);
  await save(id, [late], NOW + 2);
  await save(id, [early], NOW + 1);
  expect(await rows(id)).toEqual([late]);
  const row = await databaseOf(id).prepare("SELECT last_used_at FROM api_keys WHERE id = ?1").bind(id).first();
  expect(row).toEqual({ last_used_at: NOW + 2 });
});
