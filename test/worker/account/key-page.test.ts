/** A key's own page, and its use by hour: as JSON and CSV. */
import { describe, expect, it } from "vitest";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { createOwner, ORIGIN } from "../../support/owner.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = 1_900_000_000_000 - (1_900_000_000_000 % DAY_MS) + 10 * HOUR_MS;
const timestamp = (at: number) => new Date(at).toISOString();

async function used(more: object = {}) {
  freeze(NOW);
  const owner = createOwner();
  const { apiKey, key } = await owner.create("Nightly", more);
  const other = await owner.create("Another");
  const counted = [
    [apiKey.id, NOW - 31 * DAY_MS, 1_000, 0],
    [apiKey.id, NOW - 29 * DAY_MS, 20, 3],
    [apiKey.id, NOW - 2 * HOUR_MS, 5, 1],
    [other.apiKey.id, NOW - HOUR_MS, 77, 0],
  ] as const;
  for (const [id, hour, admitted, limited] of counted)
    await databaseOf(id)
      .prepare("INSERT INTO api_key_usage VALUES (?1, ?2, ?3, ?4)")
      .bind(id, hour, admitted, limited)
      .run();
  return { owner, apiKey, key };
}

const HOURS = [
  { hour: timestamp(NOW - 29 * DAY_MS), admitted: 20, limited: 3 },
  { hour: timestamp(NOW - 2 * HOUR_MS), admitted: 5, limited: 1 },
];

describe("a key's page", () => {
  it("shows what the key may do, its last 24 hours and its last 30 days, and a curl line without the key", async () => {
    const { owner, apiKey, key } = await used({ allowedAddresses: ["203.0.113.0/24"], region: "weur" });
    const html = await (await owner.page(`/api-keys/${apiKey.id}`)).text();
    for (const text of [
      "<strong>6</strong> in 24 hours",
      "<strong>29</strong> in 30 days",
      "25 admitted",
      "4 over the limit",
      "203.0.113.0/24",
      "Western Europe",
      `curl ${ORIGIN}/tenant/whoami -H &quot;X-API-Key: $API_KEY&quot;`,
      `href="/account/api-keys/${apiKey.id}/usage.csv"`,
    ])
      expect(html).toContain(text);
    expect(html).not.toContain(key.slice(16, 43));
    expect(html).not.toContain("77 admitted");
    const list = await (await owner.page("/api-keys")).text();
    expect(list).toContain(`href="/account/api-keys/${apiKey.id}"`);
  });

  it("marks a key that expires within seven days, and no other", async () => {
    freeze(NOW);
    const owner = createOwner();
    const [soon, later] = [
      await owner.create("Soon", { expiresInDays: 7 }),
      await owner.create("Later", { expiresInDays: 8 }),
    ];
    const marked = async (path: string) =>
      ((await (await owner.page(path)).text()).match(/class="paused">Expires/g) ?? []).length;
    expect(await marked(`/api-keys/${soon.apiKey.id}`)).toBe(1);
    expect(await marked(`/api-keys/${later.apiKey.id}`)).toBe(0);
    expect(await marked("/api-keys")).toBe(1);
    await owner.json("DELETE", `/keys/${soon.apiKey.id}`);
    expect(await marked(`/api-keys/${soon.apiKey.id}`)).toBe(0);
  });

  it("is there for a key that has ended, without actions, and is 404 for another owner's", async () => {
    const { owner, apiKey } = await used();
    await owner.json("DELETE", `/keys/${apiKey.id}`);
    const html = await (await owner.page(`/api-keys/${apiKey.id}`)).text();
    expect(html).toContain("revoked");
    expect(html).not.toContain(`/account/api-keys/${apiKey.id}/revoke`);
    for (const path of ["", "/usage.csv"])
      expect((await createOwner().page(`/api-keys/${apiKey.id}${path}`)).status).toBe(404);
  });
});

it("its use by hour is JSON, and the same as CSV: 30 days, oldest first", async () => {
  const { owner, apiKey } = await used();
  expect(await (await owner.json("GET", `/keys/${apiKey.id}/usage`)).json()).toEqual({ items: HOURS });
  expect(await (await owner.json("GET", `/keys/${apiKey.id}`)).json()).toEqual({ ...apiKey, usage: HOURS.slice(1) });
  const csv = await owner.page(`/api-keys/${apiKey.id}/usage.csv`);
  expect(csv.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
  expect(csv.headers.get("Content-Disposition")).toBe(`attachment; filename="${apiKey.id}.csv"`);
  const lines = HOURS.map(({ hour, admitted, limited }) => `${hour},${admitted},${limited}\r\n`);
  expect(await csv.text()).toBe(`hour,admitted,limited\r\n${lines.join("")}`);
});
