/** The pages of Account Settings, as HTML; real browsers see them in node/browser.test.ts. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { relativeTime } from "../src/account/pages/times.tsx";
import { countStores } from "./support/intercept.ts";
import { createIsolate } from "./support/isolate.ts";
import { createOwner, ORIGIN } from "./support/owner.ts";

const PAGES = ["/api-keys", "/activity", "/api-keys/000000000000/revoke"];
const FIELDS = { name: "A key", scopes: ["surveys:read"], limit: "600", windowSeconds: "60", expiresInDays: "" };
const keyIn = (html: string) => html.match(/ibk_[0-9A-Za-z]{47}/)?.[0] ?? "";
const formId = async (owner: ReturnType<typeof createOwner>) =>
  (await (await owner.page("/api-keys")).text()).match(/name="newKeyId" value="(\w+)"/)?.[1] ?? "";

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

  it("nothing can be done, and no account comes into being", async () => {
    expect((await nobody.request("/account/api/keys")).headers.get("Content-Type")).toBe("application/problem+json");
    for (const path of ["/account/api-keys", "/account/api/keys"]) {
      expect((await nobody.request(path, { method: "POST" })).status).toBe(403);
    }
    expect(await env.DB.prepare("SELECT count(*) AS n FROM accounts").first("n")).toBe(0);
  });
});

describe("the first visit", () => {
  it("creates the account, once, however many first visits there are at the same time", async () => {
    const owner = createOwner();
    const answers = await Promise.all(Array.from({ length: 20 }, () => owner.page("/api-keys")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const accounts = await env.DB.prepare("SELECT owner_email FROM accounts").all();
    expect(accounts.results).toEqual([{ owner_email: owner.email }]);
    expect(await answers[0]?.text()).toContain("There are no keys yet");
  });

  it("costs one D1 round trip, as every other", async () => {
    const { env: counted, counts } = countStores(env);
    await createOwner("o@example.com", counted).page("/api-keys");
    expect(counts).toEqual({ d1: 1, "kv.read": 0, "kv.write": 0, gate: 0 });
  });
});

describe("the forms", () => {
  it("create a key that is shown once, with a curl line", async () => {
    const owner = createOwner();
    const created = await owner.submit("/api-keys", { ...FIELDS, newKeyId: await formId(owner) });
    expect(created.status).toBe(201);
    const html = await created.text();
    const key = keyIn(html);
    expect(await owner.whoami(key)).toBe(200);
    expect(html).toContain(`curl ${ORIGIN}/tenant/whoami -H &#39;X-API-Key: ${key}&#39;`);
    expect(await (await owner.page("/api-keys")).text()).not.toContain(key);
  });

  it("create one key when they are sent twice", async () => {
    const owner = createOwner();
    const fields = { ...FIELDS, newKeyId: await formId(owner) };
    const answers = await Promise.all([owner.submit("/api-keys", fields), owner.submit("/api-keys", fields)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    expect(await owner.keys()).toHaveLength(1);
  });

  it("say nothing of another owner's key that has the same id", async () => {
    const theirs = await createOwner().create();
    const owner = createOwner();
    const refused = await owner.submit("/api-keys", { ...FIELDS, newKeyId: theirs.apiKey.id });
    expect(refused.status).toBe(409);
    expect(await refused.text()).not.toContain("was created");
    expect(await owner.whoami(theirs.key)).toBe(200);
  });

  it("do not take an empty grace for none", async () => {
    const owner = createOwner();
    const { apiKey, key } = await owner.create();
    expect((await owner.submit(`/api-keys/${apiKey.id}/rotate`, { graceSeconds: "" })).status).toBe(400);
    expect(await owner.whoami(key)).toBe(200);
  });

  it("come back with what was typed and what is wrong", async () => {
    const owner = createOwner();
    const response = await owner.submit("/api-keys", { ...FIELDS, name: "x".repeat(101), limit: "0", scopes: [] });
    expect(response.status).toBe(400);
    const html = await response.text();
    for (const text of [
      "x".repeat(101),
      'value="0"',
      "must have 1 to 100 characters",
      "must name at least one scope",
    ]) {
      expect(html).toContain(text);
    }
    expect(await owner.keys()).toEqual([]);
  });

  it("give way to a sentence at four keys", async () => {
    const owner = createOwner();
    for (const name of ["a", "b", "c", "d"]) await owner.create(name);
    const html = await (await owner.page("/api-keys")).text();
    expect(html).toContain("4 of 4 keys active: revoke one first.");
    expect(html).not.toContain('name="newKeyId"');
    const refused = await owner.submit("/api-keys", FIELDS);
    expect(refused.status).toBe(409);
    expect(await refused.text()).toContain("Revoke one first");
  });

  it("rotate, rename and revoke, after a confirmation that names the key and its last use", async () => {
    const owner = createOwner();
    const { apiKey, key } = await owner.create("CRM");
    const path = `/api-keys/${apiKey.id}`;
    const renamed = await owner.submit(`${path}/rename`, { name: "CRM import" });
    expect([renamed.status, renamed.headers.get("Location")]).toEqual([303, "/account/api-keys"]);
    const rotated = await owner.submit(`${path}/rotate`, { graceSeconds: "0" });
    const newKey = keyIn(await rotated.text());
    expect([await owner.whoami(key), await owner.whoami(newKey)]).toEqual([401, 200]);
    const confirmation = await (await owner.page(`${path}/revoke`)).text();
    expect(confirmation).toContain("CRM import");
    expect(confirmation).toContain("never used");
    const revoked = await owner.submit(`${path}/revoke`, {});
    expect([revoked.status, revoked.headers.get("Location")]).toEqual([303, "/account/api-keys"]);
    expect(await owner.whoami(newKey)).toBe(401);
    expect(await (await owner.page("/api-keys")).text()).toContain('class="card revoked"');
  });

  it("for a key that is not there are a 404 page", async () => {
    const owner = createOwner();
    for (const answer of [
      await owner.page("/api-keys/000000000000/revoke"),
      await owner.submit("/api-keys/000000000000/revoke", {}),
      await owner.submit("/api-keys/000000000000/rotate", { graceSeconds: "0" }),
      await owner.submit("/api-keys/000000000000/rename", { name: "N" }),
    ]) {
      expect(answer.status).toBe(404);
      expect(await answer.text()).toContain("There is no such API key.");
    }
  });

  it("take only forms, of at most 64 KiB", async () => {
    const owner = createOwner();
    const send = (type: string, body: string) =>
      owner.isolate.request("/account/api-keys", { method: "POST", headers: { "Content-Type": type }, body });
    expect((await send("application/json", "{}")).status).toBe(415);
    expect((await send("application/x-www-form-urlencoded", `name=${"x".repeat(65_536)}`)).status).toBe(413);
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
    for (const path of ["/account/api-keys", "/account/api/keys"]) {
      const response = await owner.isolate.request(path, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ name: "N" }).toString(),
      });
      expect(response.status).toBe(403);
    }
    expect(await env.DB.prepare("SELECT count(*) AS n FROM api_keys").first("n")).toBe(0);
  });
});

describe("every page", () => {
  it("has a strict policy with a nonce of its own, and is stored nowhere", async () => {
    const owner = createOwner();
    const { apiKey } = await owner.create();
    const nonces = new Set<string>();
    const answers = [
      ...(await Promise.all(
        ["/api-keys", "/activity", `/api-keys/${apiKey.id}/revoke`].map((path) => owner.page(path)),
      )),
      await owner.submit("/api-keys", FIELDS),
    ];
    for (const response of answers) {
      const policy = response.headers.get("Content-Security-Policy") ?? "";
      const nonce = policy.match(/script-src 'nonce-([\w-]+)'/)?.[1] ?? "";
      nonces.add(nonce);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
      expect(response.headers.get("Cache-Control")).toBe("no-store");
      expect(response.headers.get("Referrer-Policy")).toBe("same-origin");
      const html = await response.text();
      expect(html).not.toMatch(/ on\w+=|<style|style="|javascript:/);
      for (const [tag] of html.matchAll(/<(?:script|link rel="stylesheet")[^>]*>/g))
        expect(tag).toContain(`nonce="${nonce}"`);
    }
    expect(nonces.size).toBe(answers.length);
  });

  it("shows names as they are, never as markup", async () => {
    const owner = createOwner();
    const { apiKey } = await owner.create(`<img src=x onerror=alert(1)>"'&amp;`);
    for (const path of ["/api-keys", "/activity", `/api-keys/${apiKey.id}/revoke`]) {
      const html = await (await owner.page(path)).text();
      expect(html).not.toContain("<img");
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

describe("the activity", () => {
  it("has pages, newest first", async () => {
    const owner = createOwner();
    const { apiKey } = await owner.create("name 0");
    for (let times = 1; times <= 24; times++)
      await owner.json("PATCH", `/keys/${apiKey.id}`, { name: `name ${times}` });
    const first = await (await owner.page("/activity")).text();
    expect(first.match(/<li class=/g)).toHaveLength(20);
    const older = first.match(/href="\/account(\/activity\?cursor=[^"]+)"/)?.[1] ?? "";
    const second = await (await owner.page(older)).text();
    expect(second.match(/<li class=/g)).toHaveLength(5);
    expect(second).toContain("created");
    expect((await owner.page("/activity?cursor=nonsense")).status).toBe(400);
  });
});

it.each([
  [0, "less than a minute ago"],
  [-59, "less than a minute ago"],
  [-60, "1 minute ago"],
  [-180, "3 minutes ago"],
  [-7_200, "2 hours ago"],
  [-86_400 * 3, "3 days ago"],
  [30, "in less than a minute"],
  [86_400 * 30 - 1, "in 30 days"],
])("a time %i seconds away is %j", (seconds, words) => {
  const now = 1_900_000_000_000;
  expect(relativeTime(new Date(now + seconds * 1000).toISOString(), now)).toBe(words);
});
