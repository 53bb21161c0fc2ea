/** Secrets of every kind that were found in public: known as ours, ended as their kind is, and their owner is told. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { renderNotice } from "../../../src/worker/deliveries/render-notice.ts";
import { LEAKED_SECRETS } from "../../../src/worker/model/api-key-settings.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { createGitHub } from "../../support/github.ts";
import { countStores } from "../../support/intercept.ts";
import { createIsolate, type Isolate } from "../../support/isolate.ts";
import { createOwner } from "../../support/owner.ts";
import { now, signJwt } from "../../support/sign-jwt.ts";

const URL = "https://github.com/octocat/hello/blob/main/.env";
const github = await createGitHub();
const signFor = ({ kid, secret, ideaBankId, sub }: { kid: string; secret: string; ideaBankId: string; sub: string }) =>
  signJwt({ alg: "HS256", kid }, { iss: ideaBankId, sub, iat: now(), exp: now() + 600 }, secret);

/** An account with an idea bank, through its own API key. */
async function createScene() {
  const owner = createOwner();
  const { key } = await owner.create("Server");
  const isolate = createIsolate(github.bindings);
  const send = (method: string, path: string, body?: object) =>
    isolate.request(path, {
      method,
      headers: { "X-API-Key": key, ...(body && { "Content-Type": "application/json" }) },
      body: body ? JSON.stringify(body) : null,
    });
  const bank = await (
    await send("POST", "/tenant/ideabanks", { name: "Ideas", status: "OPEN", changelogEnabled: true })
  ).json<{ id: string }>();
  const path = `/tenant/ideabanks/${bank.id}`;
  const issue = async (body: object) =>
    (await (await send("POST", `${path}/tokens`, body)).json<{ token: string }>()).token;
  const opens = async (token: string, by: Isolate = createIsolate()) =>
    (await by.request("/ideabank", { headers: { Authorization: token } })).status;
  const signing = async () =>
    (await send("GET", `${path}/signing-secret`)).json<{ kid: string; secret: string; previousUntil: string | null }>();
  return { owner, isolate, send, bank, path, issue, opens, signing };
}

type Scene = Awaited<ReturnType<typeof createScene>>;
/** `report` says whether it was taken for one of ours; null where nothing is said. */
type Way = [name: string, report: (scene: Scene, text: string) => Promise<boolean | null>];
const WAYS: [Way, Way] = [
  [
    "GitHub",
    async ({ isolate }, token) => {
      const answer = await github.report(isolate, [{ token, type: "t", url: URL, source: "content" }]);
      expect(answer.status).toBe(200);
      const [verdict] = await answer.json<{ label: string }[]>();
      return verdict?.label === "true_positive";
    },
  ],
  [
    "the page",
    async ({ isolate }, key) => {
      const body = new URLSearchParams({ key: `TOKEN="${btoa(key)}"`, foundAt: URL });
      const answer = await isolate.request("/leaks/reports", { method: "POST", body });
      expect(answer.headers.get("Location")).toBe("/leaks/thanks");
      return null;
    },
  ],
];
const leaksOf = async ({ owner }: Scene) => (await owner.events()).filter(({ event }) => event === "leaked");
const accountEventsOf = async ({ bank }: Scene) =>
  (
    await databaseOf(bank.id)
      .prepare("SELECT type, actor FROM change_log WHERE event_id IS NOT NULL AND type LIKE '%leaked'")
      .all()
  ).results;

describe.each(WAYS)("by %s", (_, report) => {
  const expectOurs = async (scene: Scene, text: string) => expect([true, null]).toContain(await report(scene, text));

  it("a panelist's token: all of the person's end, those of others and later ones do not", async () => {
    const scene = await createScene();
    const { issue, opens } = scene;
    const [leaked, another, other] = [
      await issue({ externalId: "robin" }),
      await issue({ externalId: "robin" }),
      await issue({ externalId: "kim" }),
    ];
    await expectOurs(scene, leaked);
    expect([await opens(leaked), await opens(another), await opens(other)]).toEqual([401, 401, 200]);
    expect(await opens(leaked, scene.isolate)).toBe(401);
    expect(await opens(await issue({ externalId: "robin" }))).toBe(200);
    await expectOurs(scene, leaked);
    expect(await leaksOf(scene)).toMatchObject([
      { apiKeyId: null, changes: { after: { secret: "token", foundAt: URL, ended: "tokens" } } },
    ]);
    expect(await accountEventsOf(scene)).toEqual([{ type: "secret.leaked", actor: "system" }]);
    expect(await (await scene.owner.page("/activity")).text()).toContain("A person’s token");
  });

  it.each([false, true])(
    "a token that the tenant's server has signed, also for a person who is not stored: %s",
    async (isStored) => {
      const scene = await createScene();
      const { kid, secret } = await scene.signing();
      const sign = (sub: string) => signFor({ kid, secret, ideaBankId: scene.bank.id, sub });
      if (isStored) await scene.issue({ externalId: "robin" });
      const [leaked, other] = [await sign("robin"), await sign("kim")];
      expect(await scene.opens(leaked)).toBe(200);
      await expectOurs(scene, leaked);
      expect([await scene.opens(leaked), await scene.opens(other)]).toEqual([401, 200]);
      await expectOurs(scene, leaked);
      expect(await leaksOf(scene)).toMatchObject([{ changes: { after: { secret: "signed-token", ended: "tokens" } } }]);
    },
  );

  it("a token that the tenant's server has signed, right after other letters, and after many of its first ones", async () => {
    const scene = await createScene();
    const { kid, secret } = await scene.signing();
    for (const [index, before] of ["TOKEN_", "monkey_", "ey".repeat(200), "eyJ.", "git.example."].entries()) {
      const leaked = await signFor({ kid, secret, ideaBankId: scene.bank.id, sub: `robin-${index}` });
      await expectOurs(scene, before + leaked);
      expect([before, await scene.opens(leaked)]).toEqual([before, 401]);
    }
  });

  it("a signing secret: rotated without a grace, as often as it comes", async () => {
    const scene = await createScene();
    const { kid, secret } = await scene.signing();
    const token = await signFor({ kid, secret, ideaBankId: scene.bank.id, sub: "robin" });
    expect(await scene.opens(token)).toBe(200);
    await expectOurs(scene, secret);
    expect(await scene.opens(token)).toBe(401);
    const next = await scene.signing();
    expect(next.secret).not.toBe(secret);
    expect(next.previousUntil).toBeNull();
    expect(await scene.opens(await signFor({ ...next, ideaBankId: scene.bank.id, sub: "robin" }))).toBe(200);
    await expectOurs(scene, secret);
    expect((await scene.signing()).secret).toBe(next.secret);
    expect(await leaksOf(scene)).toMatchObject([
      { changes: { after: { secret: "signing-secret", ended: "secret", ideaBankId: scene.bank.id } } },
    ]);
  });

  it("a signing secret in its grace: it ends, and the newest one does not", async () => {
    const scene = await createScene();
    const before = await scene.signing();
    await scene.send("POST", `${scene.path}/signing-secret/rotate`, { graceSeconds: 3_600 });
    const now = await scene.signing();
    const [old, fresh] = [
      await signFor({ ...before, ideaBankId: scene.bank.id, sub: "robin" }),
      await signFor({ ...now, ideaBankId: scene.bank.id, sub: "robin" }),
    ];
    expect([await scene.opens(old), await scene.opens(fresh)]).toEqual([200, 200]);
    await expectOurs(scene, before.secret);
    expect([await scene.opens(old), await scene.opens(fresh)]).toEqual([401, 200]);
    expect((await scene.signing()).secret).toBe(now.secret);
    expect(await leaksOf(scene)).toMatchObject([{ changes: { after: { ended: "old secret" } } }]);
  });

  it("a webhook's secret: rotated without a grace; one from before a rotation ends alone", async () => {
    const scene = await createScene();
    const created = await scene.owner.json("POST", "/webhooks", { url: "https://crm.example.com/hook" });
    const { webhook, secret } = await created.json<{ webhook: { id: string }; secret: string }>();
    const stored = async () =>
      databaseOf(webhook.id)
        .prepare("SELECT secret, previous_secret AS previous FROM webhooks WHERE id = ?1")
        .bind(webhook.id)
        .first<{ secret: string; previous: string | null }>();
    await expectOurs(scene, secret);
    const rotated = await stored();
    expect([rotated?.secret === secret, rotated?.previous]).toEqual([false, null]);
    expect(rotated?.secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    await report(scene, secret);
    expect(await stored()).toEqual(rotated);

    const again = await scene.owner.json("POST", `/webhooks/${webhook.id}/rotate`, {});
    const { secret: newest } = await again.json<{ secret: string }>();
    await expectOurs(scene, rotated?.secret ?? "");
    expect(await stored()).toEqual({ secret: newest, previous: null });
    expect(await leaksOf(scene)).toMatchObject([
      { webhook: { id: webhook.id }, changes: { after: { secret: "webhook-secret", ended: "old secret" } } },
      { webhook: { id: webhook.id }, changes: { after: { secret: "webhook-secret", ended: "secret" } } },
    ]);
    const page = await (await scene.owner.page("/activity")).text();
    expect(page).toContain("The secret of the webhook https://crm.example.com/hook");
  });

  it.each([
    ["the newest", 2],
    ["the one before", 1],
  ])("a webhook's secret ends every earlier one with it, that of two rotations before too: %s", async (_, found) => {
    const scene = await createScene();
    const created = await scene.owner.json("POST", "/webhooks", { url: "https://crm.example.com/hook" });
    const { webhook, secret } = await created.json<{ webhook: { id: string }; secret: string }>();
    const secrets = [secret];
    for (let times = 0; times < 2; times += 1) {
      const rotated = await scene.owner.json("POST", `/webhooks/${webhook.id}/rotate`, {});
      secrets.push((await rotated.json<{ secret: string }>()).secret);
    }
    const row = () => databaseOf(webhook.id).prepare("SELECT * FROM webhooks WHERE id = ?1").bind(webhook.id).first();
    const stored = async () => {
      const values = Object.values((await row()) ?? {}).join(" ");
      return secrets.map((text) => values.includes(text));
    };
    expect(await stored()).toEqual([true, true, true]);
    await expectOurs(scene, secrets[found] ?? "");
    expect(await stored()).toEqual([false, false, found === 1]);
  });

  it("where the owner has leaks only marked, nothing ends, and the activity says so once a day", async () => {
    const scene = await createScene();
    await scene.owner.json("PUT", "/settings", { leakedKeys: "mark" });
    const { secret } = await scene.signing();
    const { secret: ofWebhook } = await (
      await scene.owner.json("POST", "/webhooks", { url: "https://crm.example.com/hook" })
    ).json<{ secret: string }>();
    const tokens = [await scene.issue({ externalId: "robin" }), await scene.issue({ visitor: true })];
    for (let each = 0; each < 2; each += 1)
      for (const leaked of [...tokens, secret, ofWebhook]) await expectOurs(scene, leaked);
    for (const token of tokens) expect(await scene.opens(token)).toBe(200);
    expect((await scene.signing()).secret).toBe(secret);
    const ended = (await leaksOf(scene)).map(({ changes }) => [changes?.after.secret, changes?.after.ended]);
    expect(ended.toSorted()).toEqual([
      ["signing-secret", undefined],
      ["token", undefined],
      ["visitor-token", undefined],
      ["webhook-secret", undefined],
    ]);
  });
});

describe("a visitor's token", () => {
  const [[, byGitHub], [, paste]] = WAYS;

  it("that GitHub reports: all of the board's end", async () => {
    const scene = await createScene();
    const [leaked, another] = [await scene.issue({ visitor: true }), await scene.issue({ visitor: true })];
    const panelists = await scene.issue({ externalId: "robin" });
    expect(await byGitHub(scene, leaked)).toBe(true);
    expect([await scene.opens(leaked), await scene.opens(another), await scene.opens(panelists)]).toEqual([
      401, 401, 200,
    ]);
    expect(await scene.opens(await scene.issue({ visitor: true }))).toBe(200);
    expect(await byGitHub(scene, leaked)).toBe(true);
    expect(await leaksOf(scene)).toMatchObject([
      { changes: { after: { secret: "visitor-token", ended: "visitor tokens", ideaBankId: scene.bank.id } } },
    ]);
  });

  it("that somebody pastes who has read a page: nothing ends, and the team is told once in 30 days", async () => {
    const start = Date.now();
    freeze(start);
    const scene = await createScene();
    const tokens = [await scene.issue({ visitor: true }), await scene.issue({ visitor: true })];
    for (const token of [...tokens, ...tokens]) await paste(scene, token);
    for (const token of tokens) expect(await scene.opens(token)).toBe(200);
    expect(await leaksOf(scene)).toMatchObject([
      { changes: { after: { secret: "visitor-token", foundAt: URL, ideaBankId: scene.bank.id } } },
    ]);
    expect((await leaksOf(scene))[0]?.changes?.after.ended ?? null).toBeNull();
    expect(await accountEventsOf(scene)).toEqual([{ type: "secret.leaked", actor: "system" }]);
    vi.setSystemTime(start + 31 * 86_400_000);
    for (const token of tokens) await paste(scene, token);
    expect(await leaksOf(scene)).toHaveLength(2);
  });

  it("that was pasted ends when GitHub reports it", async () => {
    const scene = await createScene();
    const token = await scene.issue({ visitor: true });
    await paste(scene, token);
    await github.report(scene.isolate, [{ token, type: "t", url: URL, source: "content" }]);
    expect(await scene.opens(token)).toBe(401);
    expect((await leaksOf(scene)).map(({ changes }) => changes?.after.ended ?? null)).toEqual(["visitor tokens", null]);
  });
});

describe("texts that only the database knows", () => {
  const random = (bytes: number) => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(bytes))));
  const guesses = () =>
    Array.from({ length: 20 }, () => [
      `whsec_${random(24)}`,
      `ibs_${random(33).slice(0, 43).replaceAll("+", "-").replaceAll("/", "_")}`,
    ]).flat();
  const pasteFrom = async (isolate: Isolate, address: string, texts: readonly string[]) => {
    const init = {
      method: "POST",
      headers: { "CF-Connecting-IP": address },
      body: new URLSearchParams({ key: texts.join(" ") }),
    };
    return (await isolate.request("/leaks/reports", init)).headers.get("Location");
  };

  it("are looked up for 30 pastes a minute of an address, and a secret with our tag for all", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const scene = await createScene();
    const created = await scene.owner.json("POST", "/webhooks", { url: "https://crm.example.com/hook" });
    const { webhook, secret } = await created.json<{ webhook: { id: string }; secret: string }>();
    const counted = countStores(env);
    const { counts } = counted;
    const isolate = createIsolate(counted.env);
    for (let each = 0; each < 30; each += 1)
      expect(await pasteFrom(isolate, "192.0.2.77", guesses())).toBe("/leaks/thanks");
    const before = { ...counts };
    for (let each = 0; each < 10; each += 1)
      expect(await pasteFrom(isolate, "192.0.2.77", guesses())).toBe("/leaks/again");
    expect(counts).toEqual(before);
    expect(await pasteFrom(isolate, "192.0.2.78", guesses())).toBe("/leaks/thanks");
    expect(await pasteFrom(isolate, "192.0.2.77", [secret])).toBe("/leaks/thanks");
    const stored = databaseOf(webhook.id).prepare("SELECT secret FROM webhooks WHERE id = ?1").bind(webhook.id);
    const next = (await stored.first<{ secret: string }>())?.secret ?? "";
    expect(next).not.toBe(secret);
    // What took its place has a tag, too. It ends beside guesses that are not looked up.
    expect(await pasteFrom(isolate, "192.0.2.77", [next, ...guesses()])).toBe("/leaks/again");
    expect(await stored.first()).not.toEqual({ secret: next });
  });

  it("include a webhook's secret that 1.1.0 has made, which has no tag", async () => {
    const scene = await createScene();
    const created = await scene.owner.json("POST", "/webhooks", { url: "https://crm.example.com/hook" });
    const { webhook } = await created.json<{ webhook: { id: string } }>();
    const old = `whsec_${random(24)}`;
    const database = databaseOf(webhook.id);
    await database.prepare("UPDATE webhooks SET secret = ?1 WHERE id = ?2").bind(old, webhook.id).run();
    expect(await pasteFrom(createIsolate(), "192.0.2.79", [old])).toBe("/leaks/thanks");
    expect(await leaksOf(scene)).toMatchObject([{ changes: { after: { secret: "webhook-secret", ended: "secret" } } }]);
  });
});

it("what looks like one of ours and is not is no leak, and ends nothing", async () => {
  const scene = await createScene();
  const token = await scene.issue({ externalId: "robin" });
  const forged = token.slice(0, -1) + (token.endsWith("0") ? "1" : "0");
  const others = [
    forged,
    `ibv_${"a".repeat(40)}`,
    `whsec_${"a".repeat(32)}`,
    `ibs_${"a".repeat(43)}`,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  ];
  const answer = await github.report(
    scene.isolate,
    others.map((each) => ({ token: each, type: "t", url: URL, source: "content" })),
  );
  const verdicts = await answer.json<{ label: string }[]>();
  expect(verdicts.map(({ label }) => label)).toEqual(others.map(() => "false_positive"));
  expect(await scene.opens(token)).toBe(200);
  expect(await leaksOf(scene)).toEqual([]);
});

it("a webhook is found among many by an index, and a signing secret by its hash", async () => {
  const plan = async (sql: string) =>
    JSON.stringify((await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`).bind("[]").all()).results);
  const found = "json_each(?1) r CROSS JOIN";
  const of = (column: string) => `substr(w.${column}, 1, 14) = substr(r.value, 1, 14) AND w.${column} = r.value`;
  expect(await plan(`SELECT w.id FROM ${found} webhooks w ON ${of("secret")}`)).toContain("webhooks_by_secret");
  expect(await plan(`SELECT w.id FROM ${found} webhooks w ON ${of("previous_secret")}`)).toContain(
    "webhooks_by_previous",
  );
  expect(await plan(`SELECT s.hash FROM ${found} signing_secrets s ON s.hash = r.value`)).toContain(
    "SEARCH s USING PRIMARY KEY",
  );
});

it("the e-mail says what was found, what has ended, what to do, and the place at GitHub", () => {
  for (const secret of LEAKED_SECRETS)
    for (const ended of ["secret", null] as const) {
      const { subject, text } = renderNotice(
        {
          event: {
            ...{
              id: "E",
              event: "leaked",
              apiKeyId: null,
              apiKeyName: "",
              webhook: null,
              subject: null,
              proposals: null,
            },
            ...{ actor: "GitHub secret scanning", address: null, createdAt: "2026-11-20T12:00:00.000Z" },
            changes: { before: {}, after: { secret, foundAt: URL, ended } },
          },
          ...{ to: [], accountId: "0Account", account: "acme@example.com", by: null },
        },
        { brand: { name: "Ideas", iconUrl: "/i.svg", color: null }, signInUrl: "https://a.example/account" },
      );
      expect(subject).toMatch(/^A [\w’ ]+ was found in public$/);
      expect(text).toContain(subject);
      expect(text).toMatch(ended === null ? /It still (works|signs)/ : /^We (revoked|replaced|now sign)/m);
      expect(text).toContain("Review what happened: https://a.example/account/activity?account=0Account\n");
      expect(text).toContain(`It was found here: ${URL}`);
    }
});
