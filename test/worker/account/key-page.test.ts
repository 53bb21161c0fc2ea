/** A key's own page, and its use by hour: as JSON and CSV. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { countStores } from "../../support/intercept.ts";
import { interceptObjects } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createOwner, ORIGIN } from "../../support/owner.ts";
import { BROKEN, usageOf } from "../../support/use-of-key.ts";

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
      .prepare("INSERT INTO api_key_usage (api_key_id, hour, admitted, limited) VALUES (?1, ?2, ?3, ?4)")
      .bind(id, hour, admitted, limited)
      .run();
  return { owner, apiKey, key };
}

const HOURS = [
  { hour: timestamp(NOW - 29 * DAY_MS), admitted: 20, limited: 3 },
  { hour: timestamp(NOW - 2 * HOUR_MS), admitted: 5, limited: 1 },
];

const NOT_SEEN = { hours: [], days: [], lastUse: null, lastRefusal: null, previousLastUse: null };

describe("a key's page", () => {
  it("shows what the key may do, its last 24 hours and its last 30 days, and a curl line without the key", async () => {
    const { owner, apiKey, key } = await used({ allowedAddresses: ["203.0.113.0/24"], region: "weur" });
    const html = await (await owner.page(`/api-keys/${apiKey.id}`)).text();
    for (const text of [
      "<strong>6</strong> in 24 hours",
      "<strong>29</strong> in 30 days (UTC)",
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

  it("marks a key in the last third of its life, at most 30 days before its end, and no other", {
    tags: "slow",
  }, async () => {
    freeze(NOW);
    const owner = createOwner();
    const [soon, later] = [
      await owner.create("Soon", { expiresInDays: 180 }),
      await owner.create("Later", { expiresInDays: 181 }),
    ];
    expect(await (await owner.page("/api-keys")).text()).not.toContain('class="paused">Expires');
    vi.setSystemTime(NOW + 150 * DAY_MS);
    const fresh = await owner.create("Fresh", { expiresInDays: 30 });
    const marked = async (path: string) =>
      ((await (await owner.page(path)).text()).match(/class="paused">Expires/g) ?? []).length;
    expect(await marked(`/api-keys/${soon.apiKey.id}`)).toBe(1);
    expect(await marked(`/api-keys/${later.apiKey.id}`)).toBe(0);
    expect(await marked(`/api-keys/${fresh.apiKey.id}`)).toBe(0);
    expect(await marked("/api-keys")).toBe(1);
    const changed = (id: string) => owner.page(`/api-keys?done=changed&key=${id}`).then((page) => page.text());
    expect(await changed(soon.apiKey.id)).toContain("“Soon” updated. It expires in 30 days.");
    expect(await changed(later.apiKey.id)).toContain("“Later” updated.</p>");
    await owner.json("DELETE", `/keys/${soon.apiKey.id}`);
    expect(await marked(`/api-keys/${soon.apiKey.id}`)).toBe(0);
    vi.setSystemTime(NOW + 170 * DAY_MS + 1);
    expect(await marked(`/api-keys/${fresh.apiKey.id}`)).toBe(1);
  });

  it("is there for a key that has ended, without actions, and is 404 for another owner's", {
    tags: "slow",
  }, async () => {
    const { owner, apiKey } = await used();
    await owner.json("DELETE", `/keys/${apiKey.id}`);
    const html = await (await owner.page(`/api-keys/${apiKey.id}`)).text();
    expect(html).toMatch(/Revoked <time[^>]*>(now|\d seconds? ago)<\/time>\. Requests with it are refused\./);
    expect(html).not.toContain(`/account/api-keys/${apiKey.id}/revoke`);
    for (const path of ["", "/usage.csv", "/operations.csv"])
      expect((await createOwner().page(`/api-keys/${apiKey.id}${path}`)).status).toBe(404);
  });
});

it("its use by hour is JSON, and the same as CSV: 30 days, oldest first", async () => {
  const { owner, apiKey } = await used();
  expect(await (await owner.json("GET", `/keys/${apiKey.id}/usage`)).json()).toEqual({
    items: HOURS,
    ...NOT_SEEN,
  });
  expect(await (await owner.json("GET", `/keys/${apiKey.id}`)).json()).toEqual({ ...apiKey, usage: HOURS.slice(1) });
  const csv = await owner.page(`/api-keys/${apiKey.id}/usage.csv`);
  expect(csv.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
  expect(csv.headers.get("Content-Disposition")).toBe(`attachment; filename="${apiKey.id}-usage.csv"`);
  const lines = HOURS.map(({ hour, admitted, limited }) => `${hour},${admitted},${limited}\r\n`);
  expect(await csv.text()).toBe(`hour,admitted,limited\r\n${lines.join("")}`);
});

describe("who uses a key, and what for", () => {
  const DAY = timestamp(NOW - 10 * HOUR_MS);
  const counted = (operation: string, admitted: number) => ({ operation, admitted });

  /** Counts of three hours: two of today, and one of yesterday which is no part of the last 24. */
  async function answered() {
    const { owner, apiKey, key } = await used();
    const statement = databaseOf(apiKey.id).prepare(
      "INSERT INTO api_key_usage VALUES (?1, ?2, 9, 9, ?3) ON CONFLICT DO UPDATE SET operations = ?3",
    );
    await databaseOf(apiKey.id).batch([
      statement.bind(apiKey.id, NOW - 2 * HOUR_MS, '{"whoami":4,"listSurveys":1}'),
      statement.bind(apiKey.id, NOW, '{"whoami":2,"createSurvey":5}'),
      statement.bind(apiKey.id, NOW - 25 * HOUR_MS, '{"whoami":100}'),
    ]);
    return { owner, apiKey, key };
  }

  it("is counted by operation: 24 hours by hour, 30 days by day, as JSON and CSV", async () => {
    const { owner, apiKey } = await answered();
    const { hours, days } = await (await owner.json("GET", `/keys/${apiKey.id}/usage`)).json<{
      hours: { start: string; operation: string }[];
      days: { start: string; operation: string }[];
    }>();
    const [early, late] = [timestamp(NOW - 2 * HOUR_MS), timestamp(NOW)];
    expect(hours).toEqual([
      { start: early, ...counted("listSurveys", 1) },
      { start: early, ...counted("whoami", 4) },
      { start: late, ...counted("createSurvey", 5) },
      { start: late, ...counted("whoami", 2) },
    ]);
    expect(days).toEqual([
      { start: timestamp(Date.parse(DAY) - DAY_MS), ...counted("whoami", 100) },
      { start: DAY, ...counted("createSurvey", 5) },
      { start: DAY, ...counted("listSurveys", 1) },
      { start: DAY, ...counted("whoami", 6) },
    ]);
    const csv = await (await owner.page(`/api-keys/${apiKey.id}/operations.csv`)).text();
    const lines = [...hours, ...days].map((count, index) =>
      [index < hours.length ? "hour" : "day", ...Object.values(count)].join(","),
    );
    expect(csv).toBe(["span,start,operation,admitted", ...lines, ""].join("\r\n"));
  });

  it("is a table on its page", async () => {
    const { owner, apiKey } = await answered();
    const html = await (await owner.page(`/api-keys/${apiKey.id}`)).text();
    const rows = [...html.matchAll(/<tr><th scope="row">(\w+)<\/th><td>(\d+)<\/td><td>(\d+)<\/td><\/tr>/g)];
    expect(rows.map(([, ...cells]) => cells)).toEqual([
      ["createSurvey", "5", "5"],
      ["listSurveys", "1", "1"],
      ["whoami", "6", "106"],
    ]);
  });

  it("shows the last requests as text, whatever a client has sent", async () => {
    freeze(NOW);
    const owner = createOwner();
    const { apiKey, key } = await owner.create("Watched", { limit: 1 });
    const send = (userAgent: string) =>
      createIsolate().request("/tenant/whoami", {
        headers: { "X-API-Key": key, "CF-Connecting-IP": "::ffff:203.0.113.7", "User-Agent": userAgent },
        cf: { country: "DE" },
      });
    expect((await send('"><script>alert(1)</script>')).status).toBe(200);
    expect((await send("=cmd|' /C calc'!A0 <b>")).status).toBe(429);
    await usageOf(apiKey.id);
    const { lastUse, lastRefusal, previousLastUse } = await (await owner.json("GET", `/keys/${apiKey.id}/usage`)).json<
      Record<string, object>
    >();
    const seen = { at: timestamp(NOW), network: "203.0.113.0/24", country: "DE", operation: "whoami" };
    expect(lastUse).toEqual({ ...seen, userAgent: '"><script>alert(1)</script>' });
    expect(lastRefusal).toEqual({ ...seen, userAgent: "=cmd|' /C calc'!A0 <b>", reason: "limited" });
    expect(previousLastUse).toBeNull();
    const html = await (await owner.page(`/api-keys/${apiKey.id}`)).text();
    expect(html).not.toContain("<script>alert");
    for (const text of [
      "<bdi>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;</bdi>",
      "203.0.113.0/24",
      ", Germany",
      ": over its limit",
    ])
      expect(html).toContain(text);
    for (const whole of [html, JSON.stringify(lastUse)]) expect(whole).not.toContain("203.0.113.7");
  });

  it("shows who still uses the old secret until its grace ends, and nothing from before the rotation", {
    tags: "slow",
  }, async () => {
    const { owner, apiKey, key } = await used();
    const whoami = () =>
      createIsolate().request("/tenant/whoami", { headers: { "X-API-Key": key, "User-Agent": "old" } });
    const previous = async () => {
      await usageOf(apiKey.id);
      return (await (await owner.json("GET", `/keys/${apiKey.id}/usage`)).json<Record<string, unknown>>())
        .previousLastUse;
    };
    const rotate = () => owner.json("POST", `/keys/${apiKey.id}/rotate`, { graceSeconds: 3_600 });
    expect((await whoami()).status).toBe(200);
    vi.setSystemTime(NOW + 1_000);
    const rotated = await (await rotate()).json<{ key: string }>();
    expect(await previous()).toBeNull();
    vi.setSystemTime(NOW + 2_000);
    expect((await whoami()).status).toBe(200);
    expect(await previous()).toMatchObject({ userAgent: "old", at: timestamp(NOW + 2_000) });
    expect(await (await owner.page(`/api-keys/${apiKey.id}`)).text()).toContain("Last use of the old secret");
    vi.setSystemTime(NOW + 3_000);
    await rotate();
    expect(await previous()).toMatchObject({ userAgent: "old", at: timestamp(NOW + 2_000) });
    const newest = await (await rotate()).json<{ key: string }>();
    expect([await owner.whoami(rotated.key), await owner.whoami(newest.key)]).toEqual([401, 200]);
    await rotate();
    expect(await previous()).toBeNull();
  });

  it("shows no use of the secret before the old one, also by a clock that is behind", { tags: "slow" }, async () => {
    const { owner, apiKey, key } = await used();
    const rotate = () => owner.json("POST", `/keys/${apiKey.id}/rotate`, { graceSeconds: 3_600 });
    vi.setSystemTime(NOW + 1_000);
    const rotated = await (await rotate()).json<{ key: string }>();
    expect(await owner.whoami(rotated.key)).toBe(200);
    vi.setSystemTime(NOW + 3_000);
    expect((await createIsolate().request("/tenant/whoami", { headers: { "X-API-Key": key } })).status).toBe(200);
    vi.setSystemTime(NOW + 2_000);
    await rotate();
    await usageOf(apiKey.id);
    expect(await (await owner.json("GET", `/keys/${apiKey.id}/usage`)).json()).toMatchObject({
      lastUse: { at: timestamp(NOW + 3_000) },
      previousLastUse: null,
    });
  });

  it("is not shown when it is older than 31 days", { tags: "slow" }, async () => {
    const { owner, apiKey, key } = await used();
    expect((await createIsolate().request("/tenant/whoami", { headers: { "X-API-Key": key } })).status).toBe(200);
    await usageOf(apiKey.id);
    const lastUse = async () =>
      (await (await owner.json("GET", `/keys/${apiKey.id}/usage`)).json<Record<string, unknown>>()).lastUse;
    vi.setSystemTime(NOW + 31 * DAY_MS);
    expect(await lastUse()).toMatchObject({ operation: "whoami" });
    vi.setSystemTime(NOW + 31 * DAY_MS + 1);
    expect(await lastUse()).toBeNull();
  });
});

describe("use that D1 does not have yet", { tags: "slow" }, () => {
  const send = (key: string) =>
    createIsolate().request("/tenant/whoami", { headers: { "X-API-Key": key, "User-Agent": "crm" } });

  /** A key whose first use D1 has. Two more, at the other limit of an hour, only its gate has. */
  async function usedSince(bindings: Env = env) {
    freeze(NOW);
    const owner = createOwner(undefined, bindings);
    const { apiKey, key } = await owner.create("Nightly", { limit: 2 });
    expect((await send(key)).status).toBe(200);
    await usageOf(apiKey.id);
    vi.setSystemTime(NOW + HOUR_MS);
    expect([(await send(key)).status, (await send(key)).status, (await send(key)).status]).toEqual([200, 200, 429]);
    return { owner, apiKey, key, lastUsedAt: timestamp(NOW + HOUR_MS) };
  }

  const COUNTED = [
    { hour: timestamp(NOW), admitted: 1, limited: 0 },
    { hour: timestamp(NOW + HOUR_MS), admitted: 2, limited: 1 },
  ];

  it("is in every answer and on every page that shows use, and counts once when D1 has it too", async () => {
    const { owner, apiKey, lastUsedAt } = await usedSince();
    const answer = async (path: string) => (await owner.json("GET", path)).json<Record<string, unknown>>();
    for (const savedBefore of [false, true]) {
      if (savedBefore) await usageOf(apiKey.id);
      expect(await owner.keys()).toMatchObject([{ lastUsedAt, usage: COUNTED }]);
      expect(await answer(`/keys/${apiKey.id}`)).toMatchObject({ lastUsedAt, usage: COUNTED });
      expect(await answer(`/keys/${apiKey.id}/usage`)).toMatchObject({
        items: COUNTED,
        hours: COUNTED.map(({ hour, admitted }) => ({ start: hour, operation: "whoami", admitted })),
        days: [{ operation: "whoami", admitted: 3 }],
        lastUse: { at: lastUsedAt, userAgent: "crm" },
        lastRefusal: { at: lastUsedAt, reason: "limited" },
      });
      const csv = await (await owner.page(`/api-keys/${apiKey.id}/usage.csv`)).text();
      expect(csv.split("\r\n").slice(1, 3)).toEqual(
        COUNTED.map(({ hour, ...counts }) => [hour, ...Object.values(counts)].join(",")),
      );
      for (const path of ["", `/${apiKey.id}`])
        expect(await (await owner.page(`/api-keys${path}`)).text()).toContain("3 admitted");
      expect(await (await owner.page(`/api-keys/${apiKey.id}`)).text()).toContain("a few seconds behind");
      for (const path of ["", `/${apiKey.id}`, `/${apiKey.id}/revoke`, `/${apiKey.id}/leaked`])
        expect([path, await (await owner.page(`/api-keys${path}`)).text()]).toEqual([
          path,
          expect.stringContaining(`datetime="${lastUsedAt}"`),
        ]);
    }
  });

  it("is the old secret's too, while its grace lasts", async () => {
    const { owner, apiKey, key, lastUsedAt } = await usedSince();
    await owner.json("POST", `/keys/${apiKey.id}/rotate`, { graceSeconds: 3_600 });
    expect(await owner.keys()).toMatchObject([{ lastUsedAt, previous: { lastUsedAt: null } }]);
    vi.setSystemTime(NOW + 1.5 * HOUR_MS);
    expect((await send(key)).status).toBe(200);
    const now = timestamp(Date.now());
    const shown = { lastUsedAt: now, previous: { lastUsedAt: now } };
    expect(await owner.keys()).toMatchObject([shown]);
    // The secret that replaces one that nobody has used leaves the old one its use, also in D1.
    await owner.json("POST", `/keys/${apiKey.id}/rotate`, { graceSeconds: 3_600 });
    expect(await owner.keys()).toMatchObject([shown]);
    await usageOf(apiKey.id);
    expect(await owner.keys()).toMatchObject([shown]);
  });

  it.each(BROKEN)("is missing when the gate %s: the page shows what D1 has, and says so", async (_, fault) => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const broken = { ...env, API_KEY_GATE: interceptObjects(env.API_KEY_GATE, ["unsavedUse"], fault) };
    const { owner, apiKey } = await usedSince(broken);
    const page = await owner.page(`/api-keys/${apiKey.id}`);
    const html = await page.text();
    expect(page.status).toBe(200);
    for (const text of ["1 admitted", "up to a day behind"]) expect(html).toContain(text);
  });

  it("is said to be missing before somebody ends a key because of its last use", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const fail = () => Promise.reject(new Error("injected fault: gate"));
    const broken = { ...env, API_KEY_GATE: interceptObjects(env.API_KEY_GATE, ["unsavedUse"], fail) };
    for (const [bindings, isSaid] of [
      [broken, true],
      [env, false],
    ] as const) {
      const { owner, apiKey } = await usedSince(bindings);
      for (const page of ["revoke", "leaked"]) {
        const html = await (await owner.page(`/api-keys/${apiKey.id}/${page}`)).text();
        expect([page, html.includes("</time>, or later")]).toEqual([page, isSaid]);
      }
    }
  });

  it("is asked of the gates of the owner's own keys that were used: a call would make another's near the owner", async () => {
    freeze(NOW);
    const { env: counted, counts } = countStores(env);
    const owner = createOwner(undefined, counted);
    const { apiKey, key } = await owner.create();
    const look = async (who: typeof owner, path: string) => {
      counts.gate = 0;
      return [(await who.page(path)).status, counts.gate];
    };
    const paths = [
      "/api-keys",
      `/api-keys/${apiKey.id}`,
      `/api-keys/${apiKey.id}/revoke`,
      `/api-keys/${apiKey.id}/leaked`,
    ];
    for (const path of paths) expect(await look(owner, path)).toEqual([200, 0]);
    expect((await send(key)).status).toBe(200);
    await usageOf(apiKey.id);
    for (const path of paths) expect(await look(owner, path)).toEqual([200, 1]);
    const stranger = createOwner(undefined, counted);
    expect(await look(stranger, `/api-keys/${apiKey.id}`)).toEqual([404, 0]);
  });
});
