/** The pages of Account Settings, as HTML; pages.browser.test.ts tries them in a real browser. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { relativeTime } from "../../../src/worker/account/frame/times.tsx";
import { freeze } from "../../support/clock.ts";
import { countRows, databaseOf, selectEverywhere } from "../../support/databases.ts";
import { countStores, failStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { numbers } from "../../support/many-rows.ts";
import { createOwner, ORIGIN } from "../../support/owner.ts";

const PAGES = ["/api-keys", "/activity", "/api-keys/000000000000/revoke"];
const FIELDS = { name: "A key", scopes: ["surveys:read"], limit: "600", windowSeconds: "60", expiresInDays: "" };
const keyIn = (html: string) => html.match(/ibk_[0-9A-Za-z]{47}/)?.[0] ?? "";

describe("without an identity", () => {
  const nobody = createIsolate(env, async () => undefined);

  it.each(["", ...PAGES, "/nothing"])(
    "/account%s is a 403 page that says how to turn Access on, and nothing else",
    async (path) => {
      const response = await nobody.request(`/account${path}`);
      expect(response.status).toBe(403);
      const html = await response.text();
      expect(html).toContain("Turn Cloudflare Access on");
      expect(html).not.toContain("/account/api-keys");
    },
  );

  it("no form works, and no account is created", async () => {
    expect((await nobody.request("/account/api/keys")).headers.get("Content-Type")).toBe("application/problem+json");
    for (const path of ["/account/api-keys", "/account/api/keys"]) {
      expect((await nobody.request(path, { method: "POST" })).status).toBe(403);
    }
    expect(await countRows("accounts")).toBe(0);
  });
});

describe("the first visit", () => {
  it("creates the account once, even when many first visits come at the same time", { tags: "slow" }, async () => {
    const owner = createOwner();
    const answers = await Promise.all(Array.from({ length: 20 }, () => owner.page("/api-keys")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const accounts = await selectEverywhere("SELECT owner_email FROM accounts");
    expect(accounts).toEqual([{ owner_email: owner.email }]);
    expect(await answers[0]?.text()).toContain("No active keys");
  });

  it("costs two D1 round trips, the first of them to the directory, and one in an isolate that knows the account; one more for the navigation's number", async () => {
    const { env: counted, counts } = countStores(env);
    const elsewhere = createOwner("elsewhere@example.com", counted, "1");
    const here = createOwner("here@example.com", counted, "0");
    for (const [owner, d1] of [
      [here, 5],
      [here, 2],
      [elsewhere, 5],
      [elsewhere, 2],
    ] as const) {
      counts.d1 = 0;
      expect((await owner.page("/api-keys")).status).toBe(200);
      expect(counts).toEqual({ d1, "kv.read": 0, "kv.write": 0, gate: 0 });
    }
  });
});

describe("requests from other sites", () => {
  it.each([
    { Origin: "https://evil.example" },
    { Origin: "null" },
    { Origin: ORIGIN, "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
    { "Sec-Fetch-Site": "none" },
  ])("change nothing: %j", async (headers) => {
    const owner = createOwner();
    const { apiKey } = await owner.create("mine");
    const key = `/account/api/keys/${apiKey.id}`;
    const json = { "Content-Type": "application/json" };
    for (const [method, path, more, body] of [
      ["POST", "/account/api-keys", {}, new URLSearchParams({ name: "N" })],
      ["POST", "/account/api/keys", json, JSON.stringify({ name: "N" })],
      ["PATCH", key, json, JSON.stringify({ name: "theirs" })],
      ["DELETE", key, {}, null],
    ] as const) {
      const response = await owner.isolate.request(path, { method, headers: { ...headers, ...more }, body });
      expect([method, response.status]).toEqual([method, 403]);
    }
    expect(await owner.keys()).toMatchObject([{ name: "mine", state: "active" }]);
  });
});

describe("every HTML page", () => {
  it("has a strict Content-Security-Policy with its own nonce, and is not stored", { tags: "slow" }, async () => {
    const owner = createOwner();
    const { apiKey } = await owner.create();
    const nonces = new Set<string>();
    const answers = [
      ...(await Promise.all(
        ["/api-keys", "/activity", `/api-keys/${apiKey.id}/revoke`].map((path) => owner.page(path)),
      )),
      await owner.submit("/api-keys", FIELDS),
      await owner.submit("/api-keys", { ...FIELDS, name: " " }),
      await owner.submit(`/api-keys/${apiKey.id}/change`, { name: " " }),
      await owner.page("/nothing"),
    ];
    for (const response of answers) {
      const policy = response.headers.get("Content-Security-Policy") ?? "";
      const nonce = policy.match(/script-src 'nonce-([\w-]+)'/)?.[1] ?? "";
      nonces.add(nonce);
      expect(policy.split("; ").toSorted()).toEqual([
        "base-uri 'none'",
        "default-src 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "img-src 'self'",
        `script-src 'nonce-${nonce}'`,
        `style-src 'nonce-${nonce}'`,
      ]);
      expect(response.headers.get("Cache-Control")).toBe("no-store, no-transform");
      expect(response.headers.get("Referrer-Policy")).toBe("same-origin");
      expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(response.headers.get("X-Frame-Options")).toBe("DENY");
      const html = await response.text();
      expect(html).not.toMatch(/ on\w+=|<style|style="|javascript:/);
      for (const [tag] of html.matchAll(/<(?:script|link rel="stylesheet")[^>]*>/g))
        expect(tag).toContain(`nonce="${nonce}"`);
    }
    expect(nonces.size).toBe(answers.length);
    expect(nonces).not.toContain("");
  });

  it("escapes names", async () => {
    const owner = createOwner();
    const { apiKey } = await owner.create(`<img src=x onerror=alert(1)>"'&amp;`);
    for (const path of ["/api-keys", "/activity", `/api-keys/${apiKey.id}/revoke`]) {
      const html = await (await owner.page(path)).text();
      expect(html).not.toContain("<img src=x");
      expect(html).toContain("&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;amp;");
    }
  });

  it("keeps the full key out of headers and logs", async () => {
    const logs = (["log", "debug", "info", "warn", "error"] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation(() => {}),
    );
    const owner = createOwner();
    const created = await owner.submit("/api-keys", FIELDS);
    const key = keyIn(await created.text());
    await owner.whoami(key);
    await owner.whoami(`${key.slice(0, -1)}!`);
    const everything = JSON.stringify([[...created.headers], logs.map(({ mock }) => mock.calls)]);
    expect(key).not.toBe("");
    expect(everything).not.toContain(key.slice(16, 43));
  });
});

describe("a page that is not there", () => {
  it.each(["/nope", "/api-keys/", "/api-keys/a/b/c"])("/account%s is a 404 page, with the way back", async (path) => {
    const response = await createOwner().page(path);
    expect([response.status, response.headers.get("Content-Type")]).toEqual([404, "text/html; charset=UTF-8"]);
    const html = await response.text();
    expect(html).toContain("This page doesn’t exist.");
    expect(html).toContain('href="/account/api-keys"');
  });

  it.each([
    ["POST", "", "GET, HEAD", "Home"],
    ["PUT", "/api-keys", "GET, HEAD, POST", "API keys"],
    ["POST", "/activity", "GET, HEAD", "Activity"],
    ["PUT", "/people/000000000000", "GET, HEAD, POST", "People"],
    ["GET", "/api-keys/000000000000/rotate", "POST", "API keys"],
    ["PUT", "/api-keys/000000000000/change", "GET, HEAD, POST", "API keys"],
    ["DELETE", "/api-keys/000000000000/revoke", "GET, HEAD, POST", "API keys"],
  ])(
    "a %s of /account%s is a 405 page that allows %s, and leads back to %s",
    async (method, path, allowed, section) => {
      const response = await createOwner().isolate.request(`/account${path}`, { method });
      expect([response.status, response.headers.get("Allow")]).toEqual([405, allowed]);
      expect(await response.text()).toContain(`Back to ${section}`);
    },
  );

  it("is a JSON problem for a script", async () => {
    const owner = createOwner();
    expect(await (await owner.json("GET", "/nope")).json()).toMatchObject({ status: 404, error: "not-found" });
    const refused = await owner.json("PUT", "/keys", {});
    expect([refused.status, refused.headers.get("Allow")]).toEqual([405, "GET, HEAD, POST"]);
    expect(await refused.json()).toMatchObject({ error: "method-not-allowed" });
  });

  it("carries the headers of its problem", async () => {
    const down = createOwner("o@example.com", failStores(env, "d1"));
    const response = await down.page("/api-keys");
    expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "5"]);
    expect(await response.text()).toContain("The database did not answer.");
  });
});

describe("the activity", () => {
  it("is by day of UTC, and each event leads to its key", async () => {
    freeze(Date.parse("2026-11-20T23:59:00Z"));
    const owner = createOwner();
    const { apiKey } = await owner.create("Daily");
    vi.setSystemTime(Date.parse("2026-11-21T00:01:00Z"));
    await owner.json("PATCH", `/keys/${apiKey.id}`, { name: "Nightly" });
    await owner.json("POST", "/members", { email: "colleague@example.com" });
    const html = await (await owner.page("/activity")).text();
    const [, ...days] = html.split('<tr class="day">');
    const link = (name: string) => `<a href="/account/api-keys/${apiKey.id}">${name}</a>`;
    expect(days.map((day) => [day.match(/>([^<]*)<\/th>/)?.[1], day.match(/<tr class="\w/g)?.length])).toEqual([
      ["Today", 2],
      ["Yesterday", 1],
    ]);
    expect([days[0]?.includes(link("Nightly")), days[1]?.includes(link("Daily"))]).toEqual([true, true]);
    expect(days[0]).toContain("<p>colleague@example.com was invited</p>");
    vi.setSystemTime(Date.parse("2026-11-23T00:01:00Z"));
    expect(await (await owner.page("/activity")).text()).toContain(">November 21, 2026<");
  });

  it("is found by who, what and when, in pages that keep the filters", { tags: "slow" }, async () => {
    freeze(Date.parse("2026-11-20T10:00:00Z"));
    const owner = createOwner();
    await owner.create("Daily");
    vi.setSystemTime(Date.parse("2026-11-21T10:00:00Z"));
    const { id } = await (await owner.json("POST", "/members", { email: "colleague@example.com" })).json<{
      id: string;
    }>();
    for (let times = 0; times < 21; times++) await owner.submit("/idea-banks", { name: `Board ${times}` });
    const found = async (query: string) => {
      const html = await (await owner.page(`/activity?${query}`)).text();
      return { html, rows: html.match(/<tr class="(?!day)/g)?.length ?? 0 };
    };
    expect(id).not.toBe("");
    expect((await found("what=keys")).html).toContain("Daily");
    expect((await found("what=keys")).rows).toBe(1);
    expect((await found("what=members")).rows).toBe(1);
    expect((await found("what=webhooks")).html).toContain("Nothing matches.");
    expect((await found(`what=&who=${owner.email}&to=2026-11-20&from=`)).rows).toBe(1);
    expect((await found("from=2026-11-21&what=keys")).rows).toBe(0);
    // Any part of an address, in any case.
    for (const who of [owner.email.toUpperCase(), owner.email.slice(2, 12).toUpperCase()])
      expect((await found(`what=&who=${who}&to=2026-11-20&from=`)).rows).toBe(1);
    expect((await found("who=stranger@example.com")).rows).toBe(0);
    const first = await found("what=boards&from=2026-11-21");
    const older = first.html.match(/href="\/account(\/activity\?cursor=[^"]+)"/)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(older).toContain("what=boards");
    expect([first.rows, (await found(older.split("?")[1] ?? "")).rows]).toEqual([20, 1]);
    for (const query of ["what=everything", "from=yesterday", "to=2026-13-01"])
      expect((await owner.page(`/activity?${query}`)).status).toBe(400);
  });

  it("goes on where a page has looked at its 1,000 events", { tags: "slow" }, async () => {
    const owner = createOwner();
    const { apiKey } = await owner.create("Oldest");
    const database = databaseOf(apiKey.id);
    const accountId = await database
      .prepare("SELECT account_id FROM api_keys WHERE id = ?1")
      .bind(apiKey.id)
      .first<string>("account_id");
    await database
      .prepare(
        `${numbers(1, 1_000)} INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, created_at)
         SELECT substr(?1, 1, 1) || printf('%011d', i), ?1, 'changed', NULL, '', ?2 + i FROM n`,
      )
      .bind(accountId, Date.now())
      .run();
    const first = await (await owner.page("/activity?what=keys")).text();
    expect(first).toContain("Nothing matches among the newest. Look further back.");
    const older = first.match(/href="\/account(\/activity\?cursor=[^"]+)"/)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(await (await owner.page(older)).text()).toContain("Oldest");
  });

  it("is by key, in pages that stay with the key, and nobody else's", { tags: "slow" }, async () => {
    const owner = createOwner();
    const { apiKey } = await owner.create("name 0");
    const other = (await owner.create("other")).apiKey;
    for (let times = 1; times <= 21; times++)
      await owner.json("PATCH", `/keys/${apiKey.id}`, { name: `name ${times}` });
    expect(await (await owner.page(`/api-keys/${apiKey.id}`)).text()).toContain(
      `<a href="/account/activity?apiKeyId=${apiKey.id}">`,
    );
    const first = await (await owner.page(`/activity?apiKeyId=${apiKey.id}`)).text();
    const older = first.match(/href="\/account(\/activity\?cursor=[^"]+)"/)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const second = await (await owner.page(older)).text();
    expect([first, second].map((html) => html.match(/<tr class="(?!day)/g)?.length)).toEqual([20, 2]);
    expect(first + second).not.toContain(other.id);
    const ofOther = await (await owner.json("GET", `/activity?apiKeyId=${other.id}`)).json<{ items: object[] }>();
    expect(ofOther.items).toMatchObject([{ event: "created", apiKeyId: other.id }]);
    expect(await (await createOwner().json("GET", `/activity?apiKeyId=${other.id}`)).json()).toEqual({ items: [] });
    expect((await owner.page("/activity?apiKeyId=nonsense")).status).toBe(400);
  });

  it("is paginated, newest first", { tags: "slow" }, async () => {
    const owner = createOwner();
    const { apiKey } = await owner.create("name 0");
    for (let times = 1; times <= 24; times++)
      await owner.json("PATCH", `/keys/${apiKey.id}`, { name: `name ${times}` });
    const first = await (await owner.page("/activity")).text();
    expect(first.match(/<tr class="(?!day)/g)).toHaveLength(20);
    const older = first.match(/href="\/account(\/activity\?cursor=[^"]+)"/)?.[1] ?? "";
    const second = await (await owner.page(older)).text();
    expect(second.match(/<tr class="(?!day)/g)).toHaveLength(5);
    expect(second).toContain("created");
    expect((await owner.page("/activity?cursor=nonsense")).status).toBe(400);
    expect((await owner.page(older)).status).toBe(200);
    expect((await createOwner().page(older)).status).toBe(400);
  });
});

it.each([
  [0, "now"],
  [-59, "59 seconds ago"],
  [-60, "1 minute ago"],
  [-180, "3 minutes ago"],
  [-7_200, "2 hours ago"],
  [-86_400 * 1.9, "yesterday"],
  [-86_400 * 3, "3 days ago"],
  [-86_400 * 31, "Feb 14, 2030"],
  [30, "in 30 seconds"],
  [86_400 * 30 - 1, "in 30 days"],
  [86_400 * 90, "in 90 days"],
])("a time %i seconds away is %j", (seconds, words) => {
  const now = 1_900_000_000_000;
  expect(relativeTime(new Date(now + seconds * 1000).toISOString(), now)).toBe(words);
});
