/** API keys that were found in public: reported by GitHub, or by whoever found one. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { createGitHub } from "../../support/github.ts";
import { countStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createOwner } from "../../support/owner.ts";

const START = 1_900_000_000_000;
const TYPE = "edge_access_api_key";
const URL = "https://github.com/octocat/hello/blob/main/.env";
const reportOf = (token: string, url: string | null = URL) => ({ token, type: TYPE, url, source: "content" });
const verdictOf = (token: string, label = "true_positive") => ({ token_raw: token, token_type: TYPE, label });

const leaksOf = async (owner: ReturnType<typeof createOwner>) =>
  (await owner.events()).filter(({ event }) => event === "leaked");

/** A key that looks like one of ours, but has another tag. */
const forge = (key: string) => key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");

describe("a report by GitHub", () => {
  it("ends a key at once, in every isolate, and its owner sees where it was found", { tags: "slow" }, async () => {
    const [github, owner] = [await createGitHub(), createOwner()];
    const { key, apiKey } = await owner.create("CI");
    const other = await owner.create("Other");
    expect(await owner.whoami(key)).toBe(200);
    const answer = await github.report(createIsolate(github.bindings), [reportOf(key)]);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual([verdictOf(key)]);
    expect(await owner.whoami(key)).toBe(401);
    expect(await owner.whoami(other.key)).toBe(200);
    const [ended] = (await owner.keys()).filter(({ id }) => id === apiKey.id);
    expect(ended).toMatchObject({ state: "revoked", leakedAt: ended?.revokedAt });
    expect(await leaksOf(owner)).toMatchObject([
      {
        event: "leaked",
        apiKeyId: apiKey.id,
        apiKeyName: "CI",
        actor: "GitHub secret scanning",
        changes: { before: { foundAt: null, ended: null }, after: { foundAt: URL, ended: "key" } },
      },
    ]);
    const page = await (await owner.page("/activity")).text();
    expect(page).toContain("was found in public");
    expect(page).toContain(URL);
  });

  it("that comes again changes nothing: reports have no time", { tags: "slow" }, async () => {
    const [github, owner] = [await createGitHub(), createOwner()];
    const { key } = await owner.create();
    const isolate = createIsolate(github.bindings);
    await github.report(isolate, [reportOf(key), reportOf(key, "https://elsewhere.example")]);
    const before = [await owner.keys(), await owner.events()];
    const again = await github.report(isolate, [reportOf(key)]);
    expect(await again.json()).toEqual([verdictOf(key)]);
    expect([await owner.keys(), await owner.events()]).toEqual(before);
    expect(await leaksOf(owner)).toHaveLength(1);
  });

  it("tells the gate what another isolate did whose clock is ahead, and which did not reach it", async () => {
    const [github, owner] = [await createGitHub(), createOwner()];
    const { key, apiKey } = await owner.create();
    expect(await owner.whoami(key)).toBe(200);
    await databaseOf(apiKey.id)
      .prepare("UPDATE api_keys SET revoked_at = ?1, leaked_at = ?1 WHERE id = ?2")
      .bind(Date.now() + 30_000, apiKey.id)
      .run();
    await github.report(createIsolate(github.bindings), [reportOf(key)]);
    expect(await owner.whoami(key)).toBe(401);
  });

  it("ends an old secret also by clocks that are behind the isolate's, and does so once", {
    tags: "slow",
  }, async () => {
    freeze(START);
    const [github, owner] = [await createGitHub(), createOwner()];
    const { key, apiKey } = await owner.create();
    expect((await owner.json("POST", `/keys/${apiKey.id}/rotate`, { graceSeconds: 3600 })).status).toBe(201);
    vi.setSystemTime(START + 10_000);
    await github.report(createIsolate(github.bindings), [reportOf(key)]);
    vi.setSystemTime(START + 9_000);
    expect(await owner.whoami(key)).toBe(401);
    await github.report(createIsolate(github.bindings), [reportOf(key)]);
    expect(await leaksOf(owner)).toHaveLength(1);
  });

  it("only marks a key where its owner has chosen so, once; a rotation takes the mark away", {
    tags: "slow",
  }, async () => {
    const [github, owner] = [await createGitHub(), createOwner()];
    const { key, apiKey } = await owner.create();
    expect((await owner.json("PUT", "/settings", { leakedKeys: "mark" })).status).toBe(200);
    expect(await (await owner.json("GET", "/keys")).json()).toMatchObject({ leakedKeys: "mark" });
    const isolate = createIsolate(github.bindings);
    for (let each = 0; each < 2; each += 1) await github.report(isolate, [reportOf(key)]);
    expect(await owner.whoami(key)).toBe(200);
    expect((await owner.keys())[0]).toMatchObject({ state: "active", leakedAt: expect.any(String) });
    expect(await leaksOf(owner)).toHaveLength(1);
    expect(await (await owner.page("/api-keys")).text()).toContain("Found in public");
    await owner.json("POST", `/keys/${apiKey.id}/rotate`, {});
    expect((await owner.keys())[0]?.leakedAt).toBeNull();
    expect((await owner.submit("/settings", {})).headers.get("Location")).toBe("/account/api-keys?done=settings");
    expect(await (await owner.json("GET", "/keys")).json()).toMatchObject({ leakedKeys: "end" });
  });

  it("ends a key that was marked, when its owner has keys ended since", { tags: "slow" }, async () => {
    const [github, owner] = [await createGitHub(), createOwner()];
    const { key } = await owner.create();
    await owner.submit("/settings", { mark: "on" });
    const isolate = createIsolate(github.bindings);
    await github.report(isolate, [reportOf(key)]);
    expect(await owner.whoami(key)).toBe(200);
    await owner.submit("/settings", {});
    await github.report(isolate, [reportOf(key)]);
    expect(await owner.whoami(key)).toBe(401);
    const settings = (await owner.events()).filter(({ event }) => event === "changed");
    expect(settings).toMatchObject([
      { changes: { before: { leakedKeys: "mark" }, after: { leakedKeys: "end" } } },
      { changes: { before: { leakedKeys: "end" }, after: { leakedKeys: "mark" } } },
    ]);
  });

  it("of the secret from before a rotation ends that one alone", { tags: "slow" }, async () => {
    const [github, owner] = [await createGitHub(), createOwner()];
    const { key: old, apiKey } = await owner.create();
    const { key } = await (await owner.json("POST", `/keys/${apiKey.id}/rotate`, {})).json<{ key: string }>();
    expect([await owner.whoami(old), await owner.whoami(key)]).toEqual([200, 200]);
    await github.report(createIsolate(github.bindings), [reportOf(old)]);
    expect([await owner.whoami(old), await owner.whoami(key)]).toEqual([401, 200]);
    expect((await owner.keys())[0]).toMatchObject({ state: "active", previous: null, leakedAt: null });
    expect(await leaksOf(owner)).toMatchObject([{ changes: { after: { ended: "old secret" } } }]);
    await github.report(createIsolate(github.bindings), [reportOf(key), reportOf(old)]);
    expect(await owner.whoami(key)).toBe(401);
  });

  it.each([
    ["half a character where it is cut", `${"x".repeat(499)}😀`, `${"x".repeat(499)}\ufffd`],
    ["a lone surrogate", "a\ud83db", "a\ufffdb"],
    ["a NUL", "a\u0000b", "a b"],
    ["line breaks", "a forum\n\nYour account\u2028is closed", "a forum Your account is closed"],
    ["characters that turn what follows around", "\u202ehttps://git.example/\u2066a\u200b", "https://git.example/a"],
    ["a token where it is cut", `${"x".repeat(490)}ibt_${"a1B2".repeat(13)}`, `${"x".repeat(490)}ibt_…`],
  ])("ends a key wherever it was found: %s", { tags: "slow" }, async (_, url, shown) => {
    const [github, owner] = [await createGitHub(), createOwner()];
    const { key } = await owner.create();
    const answer = await github.report(createIsolate(github.bindings), [reportOf(key, url)]);
    expect(answer.status).toBe(200);
    expect(await owner.whoami(key)).toBe(401);
    expect(await leaksOf(owner)).toMatchObject([{ changes: { after: { foundAt: shown } } }]);
    expect((await owner.page("/activity")).status).toBe(200);
  });

  it("of what is no key of ours costs no call of a store", async () => {
    const [github, owner] = [await createGitHub(), createOwner()];
    const { key } = await owner.create();
    const counted = countStores(github.bindings);
    const tokens = [forge(key), "ibk_short", "", "ghp_0123456789"];
    const answer = await github.report(
      createIsolate(counted.env),
      tokens.map((token) => reportOf(token)),
    );
    expect(await answer.json()).toEqual(tokens.map((token) => verdictOf(token, "false_positive")));
    expect(counted.counts).toEqual({ d1: 0, "kv.read": 1, "kv.write": 1, gate: 0 });
    expect(await owner.whoami(key)).toBe(200);
  });

  it("is judged item by item: what a committer chose beside a leaked key does not keep it alive", {
    tags: "slow",
  }, async () => {
    const [github, owner] = [await createGitHub(), createOwner()];
    const { key } = await owner.create();
    const path = encodeURIComponent("漢".repeat(480));
    const beside: unknown[] = [
      reportOf("ghp_0123456789", `https://github.com/o/r/blob/main/${path}`),
      reportOf("x".repeat(5_000)),
      { token: "no type" },
      { type: TYPE },
      { token: 1, type: [], url: {}, source: 7 },
      null,
      "text",
      [],
      ...Array.from({ length: 1_200 }, (_, index) => reportOf(`ghp_${index}`)),
    ];
    const url = `https://github.com/o/r/blob/main/${path}`;
    const answer = await github.report(createIsolate(github.bindings), [...beside, reportOf(key, url)]);
    expect(answer.status).toBe(200);
    const verdicts = await answer.json<{ label: string }[]>();
    expect(verdicts.map(({ label }) => label)).toEqual([...beside.map(() => "false_positive"), "true_positive"]);
    expect(verdicts.slice(2, 8)).toEqual([
      { token_raw: "no type", token_type: "", label: "false_positive" },
      { token_raw: "", token_type: TYPE, label: "false_positive" },
      ...Array.from({ length: 4 }, () => ({ token_raw: "", token_type: "", label: "false_positive" })),
    ]);
    expect(await owner.whoami(key)).toBe(401);
    expect(await leaksOf(owner)).toMatchObject([{ changes: { after: { foundAt: url.slice(0, 500), ended: "key" } } }]);
  });

  it("of a key that is encoded, or has a line break in it, ends it", { tags: "slow" }, async () => {
    const [github, owner] = [await createGitHub(), createOwner()];
    const isolate = createIsolate(github.bindings);
    for (const encode of [
      btoa,
      (key: string) => key.replace("_", "%5F"),
      (key: string) => `${key.slice(0, 9)}\n${key.slice(9)}`,
    ]) {
      const { key } = await owner.create();
      const answer = await github.report(isolate, [reportOf(encode(key))]);
      expect(await answer.json()).toEqual([verdictOf(encode(key))]);
      expect(await owner.whoami(key)).toBe(401);
    }
  });

  it("of another secret of the same key, of a revoked and of an expired one changes nothing", {
    tags: "slow",
  }, async () => {
    const [github, owner] = [await createGitHub(), createOwner()];
    const { key: first, apiKey } = await owner.create();
    await owner.json("POST", `/keys/${apiKey.id}/rotate`, { graceSeconds: 0 });
    const revoked = await owner.create();
    await owner.json("DELETE", `/keys/${revoked.apiKey.id}`);
    const expired = await owner.create();
    await databaseOf(expired.apiKey.id)
      .prepare("UPDATE api_keys SET expires_at = 1 WHERE id = ?1")
      .bind(expired.apiKey.id)
      .run();
    const before = [await owner.keys(), await owner.events()];
    const keys = [first, revoked.key, expired.key];
    const answer = await github.report(
      createIsolate(github.bindings),
      keys.map((key) => reportOf(key)),
    );
    expect(await answer.json()).toEqual(keys.map((key) => verdictOf(key)));
    expect([await owner.keys(), await owner.events()]).toEqual(before);
  });

  it("of a thousand keys at once is done in one round trip to each database; of more than 1 MiB it is refused", {
    tags: "slow",
  }, async () => {
    const [github, owners] = [
      await createGitHub(),
      [createOwner(undefined, env, "0"), createOwner(undefined, env, "1")],
    ];
    const keys = await Promise.all(owners.map(async (owner) => (await owner.create()).key));
    const many = Array.from({ length: 998 }, (_, index) => forge(keys[0] ?? "").slice(0, -4) + String(1000 + index));
    const counted = countStores(github.bindings);
    const answer = await github.report(
      createIsolate(counted.env),
      [...many, ...keys].map((key) => reportOf(key)),
    );
    expect(answer.status).toBe(200);
    expect((await answer.json<unknown[]>()).slice(-2)).toEqual(keys.map((key) => verdictOf(key)));
    expect(counted.counts).toEqual({ d1: 2, "kv.read": 1, "kv.write": 1, gate: 2 });
    for (const [index, owner] of owners.entries()) expect(await owner.whoami(keys[index] ?? "")).toBe(401);
    const isolate = createIsolate(github.bindings);
    expect((await github.report(isolate, `[${" ".repeat(1024 * 1024)}]`)).status).toBe(413);
  });

  it("is refused without a signature by a published key, and changes nothing", async () => {
    const [github, other, owner] = [await createGitHub(), await createGitHub(), createOwner()];
    const { key } = await owner.create();
    const isolate = createIsolate(github.bindings);
    const body = [reportOf(key)];
    const refused = [
      await other.report(isolate, body),
      await github.report(isolate, body, { "Github-Public-Key-Identifier": "unknown" }),
      await github.report(isolate, body, { "Github-Public-Key-Signature": "" }),
      await github.report(isolate, body, { "Github-Public-Key-Signature": await github.sign("[]") }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    const curve = await createGitHub("P-384");
    expect((await curve.report(createIsolate(curve.bindings), body)).status).toBe(401);
    expect(await owner.whoami(key)).toBe(200);
  });

  it("that is signed and no list of reports is 400; without the setting there is no such path", async () => {
    const github = await createGitHub();
    const isolate = createIsolate(github.bindings);
    for (const body of ["no json", "{}", "null"]) expect((await github.report(isolate, body)).status).toBe(400);
    expect(await (await github.report(isolate, [])).json()).toEqual([]);
    expect((await github.report(createIsolate({ ...env, GITHUB_KEYS_URL: "" }), [])).status).toBe(404);
    const unknown = await github.report(createIsolate({ ...env, GITHUB_KEYS_URL: "data:,no" }), []);
    expect([unknown.status, unknown.headers.get("Retry-After")]).toEqual([503, "60"]);
  });
});

describe("whoever found a key", () => {
  const paste = (key: string, bindings: Env = env, foundAt = "a forum") =>
    createIsolate(bindings).request("/leaks/reports", {
      method: "POST",
      headers: { Origin: "https://api.example" },
      body: new URLSearchParams({ key, foundAt }),
    });

  it("pastes many: each is ended, however often another is there, and whatever stands before it", async () => {
    const owner = createOwner();
    const [often, last] = [await owner.create("Often"), await owner.create("Last")];
    await paste(`${`${often.key}\n`.repeat(20)}${`${forge(often.key)}\n`.repeat(20)}"line\\n${last.key}"`);
    expect([await owner.whoami(often.key), await owner.whoami(last.key)]).toEqual([401, 401]);
  });

  it("pastes what looks like a thousand keys: the tags of 200 are computed, and no more", async () => {
    const alike = Array.from({ length: 1_000 }, (_, index) => `ibk_${String(index).padStart(47, "0")}`);
    const sign = vi.spyOn(crypto.subtle, "sign");
    expect((await paste(alike.join("\n"))).status).toBe(303);
    // With each of the two keys that sign here.
    expect(sign.mock.calls.length).toBeLessThanOrEqual(2 * 200);
  });

  it("pastes it encoded: a secret of Kubernetes, Basic auth, with a line break, as a URL has it", {
    tags: "slow",
  }, async () => {
    const owner = createOwner();
    for (const encode of [
      (key: string) => `data:\n  API_KEY: ${btoa(key)}\n`,
      (key: string) => `Authorization: Basic ${btoa(`api:${key}`)}`,
      (key: string) => `${key.slice(0, 30)}\n${key.slice(30)}`,
      (key: string) => key.replace("ibk_", "ibk%5F"),
    ]) {
      const { key } = await owner.create();
      await paste(encode(key));
      expect(await owner.whoami(key)).toBe(401);
    }
  });

  it("pastes it, with what is around it, and it is ended; the answer is the same for whatever is pasted", {
    tags: "slow",
  }, async () => {
    const owner = createOwner();
    const { key } = await owner.create();
    const answers = [
      await paste(`API_KEY="${key}" # for CI`),
      await paste(key),
      await paste(forge(key)),
      await paste("nothing"),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(303);
      expect(answer.headers.get("Location")).toBe("/leaks/thanks");
    }
    expect(await owner.whoami(key)).toBe(401);
    expect(await leaksOf(owner)).toMatchObject([{ changes: { after: { foundAt: "a forum" } } }]);
  });

  it("has what they write shown as text, cut after 500 characters", { tags: "slow" }, async () => {
    const owner = createOwner();
    const { key } = await owner.create();
    await paste(key, env, `<script>alert(1)</script>${"x".repeat(600)}`);
    const page = await (await owner.page("/activity")).text();
    expect(page).not.toContain("<script>alert");
    expect(page).toContain("&lt;script");
    expect(page).not.toContain("x".repeat(500));
  });
});
