/** "End all tokens": nothing that the account has given out opens anything, and what it gives out afterwards does. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { freeze } from "../../support/clock.ts";
import { bindingOf, databaseOf } from "../../support/databases.ts";
import { meterDatabase } from "../../support/intercept-binding.ts";
import { createIsolate, type Isolate } from "../../support/isolate.ts";
import { withSecret } from "../../support/operator.ts";
import { createOwner } from "../../support/owner.ts";
import { createPanel, PROPOSALS, sendWith } from "../../support/panel.ts";
import { readForm } from "../../support/read-forms.ts";
import { signJwt } from "../../support/sign-jwt.ts";
import { createTenant } from "../../support/tenant.ts";
import { ACCEPTED, answersTo, REFUSED } from "../../support/token-surfaces.ts";
import { addIdeaBank } from "../../support/world.ts";

type Secret = { readonly kid: string; readonly secret: string; readonly previousUntil: string | null };

async function createScene(bindings: Env = withSecret) {
  const panel = await createPanel({}, createIsolate(withSecret));
  const { bank } = panel;
  const email = await databaseOf(bank.id)
    .prepare("SELECT owner_email FROM accounts WHERE id = ?1")
    .bind(bank.accountId)
    .first<string>("owner_email");
  const owner = createOwner(email ?? "", bindings);
  /** Requests of the tenant, through the isolate of the owner. */
  const tenant = await createTenant({ accountId: bank.accountId }, owner.isolate);
  const send = async <Body>(method: string, path: string, body?: object) => {
    const response = await tenant.send(method, `/tenant/ideabanks/${bank.id}${path}`, body);
    return { status: response.status, ...(await response.json<Body>()) };
  };
  const readSecret = () => send<Secret>("GET", "/signing-secret");
  const sign = ({ kid, secret }: Secret, sub = "signed") => {
    const iat = Math.floor(Date.now() / 1000);
    return signJwt({ alg: "HS256", kid }, { iss: bank.id, sub, iat, exp: iat + 3_600 }, secret);
  };
  const issue = (body: object) => send<{ token: string }>("POST", "/tokens", body);
  /** One of every kind, by which it is. */
  const giveOut = async () => {
    const old = await readSecret();
    const secret = await send<Secret>("POST", "/signing-secret/rotate", { graceSeconds: 3_600 });
    return {
      "a panelist's": (await issue({ externalId: "ours" })).token,
      "a visitor's": (await issue({ visitor: true })).token,
      "a signed one": await sign(secret),
      "one signed with the secret in its grace": await sign(old),
    };
  };
  const end = async () => {
    const answer = await owner.json("POST", "/tokens/end");
    expect(answer.status).toBe(200);
    return answer.json<{ endedAt: string }>();
  };
  return { panel, bank, owner, tenant, send, readSecret, sign, issue, giveOut, end };
}

const answersOf = async (isolate: Isolate, accountId: string, tokens: Readonly<Record<string, string>>) => {
  const answers: Record<string, object> = {};
  for (const [kind, token] of Object.entries(tokens)) answers[kind] = await answersTo(isolate, accountId, token);
  return answers;
};
const each = (tokens: object, answer: object) => Object.fromEntries(Object.keys(tokens).map((kind) => [kind, answer]));

describe("ending all tokens", () => {
  it("refuses each kind on every surface: here from the answer on, and elsewhere within 11 seconds", {
    tags: "slow",
  }, async () => {
    const { owner, bank, giveOut, end } = await createScene();
    const tokens = await giveOut();
    const elsewhere = createIsolate(withSecret);
    freeze(Date.now());
    for (const isolate of [owner.isolate, elsewhere])
      expect(await answersOf(isolate, bank.accountId, tokens)).toEqual(each(tokens, ACCEPTED));
    await end();
    expect(await answersOf(owner.isolate, bank.accountId, tokens)).toEqual(each(tokens, REFUSED));
    expect(await answersOf(createIsolate(withSecret), bank.accountId, tokens)).toEqual(each(tokens, REFUSED));
    vi.setSystemTime(Date.now() + 11_000);
    expect(await answersOf(elsewhere, bank.accountId, tokens)).toEqual(each(tokens, REFUSED));
  });

  it("refuses every write with one, and makes nobody", { tags: "slow" }, async () => {
    const { panel, bank, giveOut, end } = await createScene();
    const proposal = `${PROPOSALS}/${await panel.propose()}`;
    const tokens = Object.values(await giveOut());
    await end();
    const isolate = createIsolate();
    for (const token of tokens) {
      const send = sendWith(isolate, token);
      for (const [method, path, body] of [
        ["PUT", `${proposal}/vote`, undefined],
        ["POST", `${proposal}/comments`, { body: "A comment" }],
        ["POST", PROPOSALS, { title: "An idea" }],
      ] as const)
        expect((await send(method, path, body)).status).toBe(401);
    }
    const listed = "SELECT external_id FROM panelists WHERE account_id = ?1 AND external_id IS NOT NULL";
    const { results } = await databaseOf(bank.id).prepare(listed).bind(bank.accountId).all();
    expect(results).toEqual([{ external_id: "ours" }]);
  });

  it("tells the tenant that a token was revoked, and ends no other account's", { tags: "slow" }, async () => {
    const { tenant, giveOut, end } = await createScene();
    const other = await addIdeaBank();
    const tokens = await giveOut();
    await end();
    for (const token of Object.values(tokens)) {
      const answer = await tenant.send("POST", "/tenant/tokens/introspect", { token });
      expect(await answer.json()).toEqual({ active: false, reason: "revoked" });
    }
    expect(await answersTo(createIsolate(withSecret), other.accountId, other.token)).toEqual(ACCEPTED);
  });

  it("leaves what is given out afterwards, in the same second too, in an isolate that does not know of it", {
    tags: "slow",
  }, async () => {
    const { panel, bank, owner, readSecret, sign, issue, giveOut, end } = await createScene();
    const proposal = await panel.propose();
    const elsewhere = createIsolate(withSecret);
    await answersOf(elsewhere, bank.accountId, await giveOut());
    await end();
    const secret = await readSecret();
    expect(secret.previousUntil).toBeNull();
    const tokens = {
      "a panelist's": (await issue({ externalId: "ours" })).token,
      "a visitor's": (await issue({ visitor: true })).token,
      "a signed one": await sign(secret),
    };
    for (const isolate of [owner.isolate, elsewhere])
      expect(await answersOf(isolate, bank.accountId, tokens)).toEqual(each(tokens, ACCEPTED));
    for (const kind of ["a panelist's", "a signed one"] as const)
      expect((await sendWith(elsewhere, tokens[kind])("PUT", `${PROPOSALS}/${proposal}/vote`)).status).toBe(200);
  });

  it("ends a grace for good, and the next rotation's grace holds", { tags: "slow" }, async () => {
    const { bank, readSecret, send, sign, giveOut, end } = await createScene();
    await giveOut();
    await end();
    const secret = await readSecret();
    const rotated = await send<Secret>("POST", "/signing-secret/rotate", { graceSeconds: 3_600 });
    expect(Date.parse(rotated.previousUntil ?? "")).toBeGreaterThan(Date.now());
    const isolate = createIsolate(withSecret);
    for (const each of [secret, rotated])
      expect(await answersTo(isolate, bank.accountId, await sign(each))).toEqual(ACCEPTED);
    await end();
    for (const each of [secret, rotated])
      expect(await answersTo(createIsolate(withSecret), bank.accountId, await sign(each))).toEqual(REFUSED);
  });

  it("twice in a second ends what was issued between, and the third token waits for the second", {
    tags: "slow",
  }, async () => {
    const { bank, issue, end } = await createScene();
    await end();
    const between = (await issue({ visitor: true })).token;
    await end();
    expect(await answersTo(createIsolate(withSecret), bank.accountId, between)).toEqual(REFUSED);
    // Two ends that fall into one second of D1's leave the next one to the tokens.
    const next = await issue({ visitor: true });
    if (next.status === 409) return;
    expect(await answersTo(createIsolate(withSecret), bank.accountId, next.token)).toEqual(ACCEPTED);
  });

  it("writes one row of the account and its event, however much is stored", async () => {
    const { owner: same, bank } = await createScene();
    let rows = 0;
    const database = meterDatabase(databaseOf(bank.id), (results) => {
      for (const { meta } of results) rows += meta.rows_written;
    });
    const owner = createOwner(same.email, { ...env, [bindingOf(bank.id)]: database });
    const cost = async () => {
      rows = 0;
      expect((await owner.json("POST", "/tokens/end")).status).toBe(200);
      return rows;
    };
    const few = await cost();
    for (let times = 0; times < 10; times++) await addIdeaBank({ accountId: bank.accountId });
    expect(await cost()).toBe(few);
    expect(few).toBeLessThan(20);
  });
});

describe("the request", () => {
  it.each([
    ["", false],
    [", within a minute of another one, too", true],
  ])("with an Idempotency-Key is made once%s", { tags: "slow" }, async (_, isSecond) => {
    const { owner, issue, bank, readSecret, sign, end } = await createScene();
    if (isSecond) await end();
    const send = async () => {
      const headers = { "Idempotency-Key": "once" };
      return owner.isolate.request("/account/api/tokens/end", { method: "POST", headers });
    };
    const first = await (await send()).json();
    // Two ends in one second of D1's leave the next one to tokens.
    await expect.poll(async () => (await issue({ visitor: true })).status, { timeout: 10_000 }).toBe(201);
    const token = (await issue({ visitor: true })).token;
    const signed = await sign(await readSecret());
    const again = await send();
    expect([again.status, await again.json()]).toEqual([200, first]);
    for (const each of [token, signed]) expect(await answersTo(owner.isolate, bank.accountId, each)).toEqual(ACCEPTED);
  });

  it("is in the activity, with who did it; the page says what it does, and then that it was done", async () => {
    const { owner, end } = await createScene();
    const { endedAt } = await end();
    expect(Math.abs(Date.parse(endedAt) - Date.now())).toBeLessThan(60_000);
    const page = await (await owner.page("/tokens/end")).text();
    for (const part of ["sign in again", "new visitor token", "read the signing secret again", "Last done"])
      expect(page).toContain(part);
    const form = await readForm(await owner.page("/tokens/end"), "End all tokens");
    const answer = await owner.submit("/tokens/end", Object.fromEntries(form.fields));
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, "/account/tokens/end?done"]);
    expect(await (await owner.page("/tokens/end?done")).text()).toContain("All tokens ended.");
    const events = (await owner.events()).filter(({ event }) => event === "tokens-ended");
    // Both times within a minute: one event.
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ actor: owner.email, address: "203.0.113.7", apiKeyId: null, changes: null });
    expect(await (await owner.page("/activity")).text()).toContain("All tokens ended");
  });

  it("is one step of a page that is one click away from every key, and from one that has ended", {
    tags: "slow",
  }, async () => {
    const { owner, bank } = await createScene();
    const { apiKey } = await owner.create("Issues");
    const { apiKey: other } = await owner.create("Reads", { scopes: ["surveys:read"] });
    const has = async (path: string, id: string) =>
      (await (await owner.page(path)).text()).includes(`href="/account/api-keys/${id}/leaked"`);
    for (const path of ["/api-keys", `/api-keys/${apiKey.id}`, `/api-keys/${apiKey.id}/revoke`])
      expect([path, await has(path, apiKey.id)]).toEqual([path, true]);
    expect([await has("/api-keys", other.id), await has(`/api-keys/${other.id}/revoke`, other.id)]).toEqual([
      true,
      false,
    ]);
    await databaseOf(bank.id).prepare("UPDATE api_keys SET leaked_at = 1 WHERE id = ?1").bind(other.id).run();
    await owner.json("DELETE", `/keys/${other.id}`);
    expect([await has("/api-keys", other.id), await has(`/api-keys/${other.id}`, other.id)]).toEqual([true, true]);
  });

  it("follows the revocation of a leaked key on one page, which ticks what is so", { tags: "slow" }, async () => {
    const { owner } = await createScene();
    const { apiKey } = await owner.create("Leaked", { scopes: ["panelists:write"], limit: 9 });
    const path = `/api-keys/${apiKey.id}/leaked`;
    const read = async () => (await owner.page(path)).text();
    const done = async () =>
      [...(await read()).matchAll(/<h2>(\d)\. [^<]*<span class="unseen"> \(done\)/g)].map(([, step]) => step).join();
    const press = async (label: string) => {
      const { action, fields } = await readForm(await owner.page(path), label);
      const answer = await owner.submit(action.replace("/account", ""), Object.fromEntries(fields));
      expect([answer.status, answer.headers.get("Location")]).toEqual([303, `/account${path}`]);
    };
    expect(await done()).toBe("");
    expect(await read()).toContain("Rotate or revoke?");
    // Until the key is revoked, it can issue new tokens.
    await press("End all tokens");
    expect(await done()).toBe("");
    await press("Revoke key");
    expect(await done()).toBe("1");
    expect(await read()).not.toContain("Rotate or revoke?");
    await press("End all tokens");
    expect(await done()).toBe("1,2");
    expect(await read()).toContain(`href="/account/api-keys/new?like=${apiKey.id}"`);
    await owner.create("Leaked");
    expect(await done()).toBe("1,2,3");
    expect((await createOwner().page(path)).status).toBe(404);
    const elsewhere = await owner.submit("/tokens/end?back=https://evil.example/", {});
    expect(elsewhere.headers.get("Location")).toBe("/account/tokens/end?done");
  });

  it("of a stranger is refused on another site, and a link that says that it was done says nothing", {
    tags: "slow",
  }, async () => {
    const { owner, giveOut, bank } = await createScene();
    const tokens = await giveOut();
    const foreign = { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
    expect((await owner.submit("/tokens/end", {}, foreign)).status).toBe(403);
    expect(await (await owner.page("/tokens/end?done")).text()).not.toContain("All tokens ended.");
    expect(await answersOf(owner.isolate, bank.accountId, tokens)).toEqual(each(tokens, ACCEPTED));
  });
});

describe("reading a signing secret", () => {
  const readings = async (owner: ReturnType<typeof createOwner>) =>
    (await owner.events()).filter(({ event }) => event === "signing-secret-read");

  it("is an event once a day for a key, whichever secret it is, and however it is got", { tags: "slow" }, async () => {
    const { owner, tenant, readSecret, send, bank } = await createScene();
    const other = await addIdeaBank({ accountId: bank.accountId });
    for (let times = 0; times < 3; times++) expect((await readSecret()).status).toBe(200);
    await tenant.send("GET", `/tenant/ideabanks/${other.id}/signing-secret`);
    await send("POST", "/signing-secret/rotate", {});
    expect(await readings(owner)).toMatchObject([{ apiKeyId: tenant.id, actor: null }]);
    const second = await createTenant({ accountId: bank.accountId }, owner.isolate);
    await second.send("POST", `/tenant/ideabanks/${bank.id}/signing-secret/rotate`, {});
    expect((await readings(owner)).map(({ apiKeyId }) => apiKeyId).toSorted()).toEqual(
      [tenant.id, second.id].toSorted(),
    );
    freeze(Date.now() + 86_400_000);
    await readSecret();
    expect(await readings(owner)).toHaveLength(3);
    expect(await (await owner.page("/activity")).text()).toContain("read a signing secret");
  });

  it("that is refused is none", async () => {
    const { owner, tenant } = await createScene();
    const foreign = await addIdeaBank();
    expect((await tenant.send("GET", `/tenant/ideabanks/${foreign.id}/signing-secret`)).status).toBe(403);
    expect(await readings(owner)).toEqual([]);
  });

  it("gives no secret that is not recorded", async () => {
    const { tenant, readSecret, bank } = await createScene();
    vi.spyOn(console, "error").mockImplementation(() => {});
    await databaseOf(bank.id)
      .prepare("CREATE TRIGGER refuse BEFORE INSERT ON audit_events BEGIN SELECT RAISE(ABORT, 'injected fault'); END")
      .run();
    const answer = await tenant.send("GET", `/tenant/ideabanks/${bank.id}/signing-secret`);
    expect([answer.status, (await answer.text()).includes("ibs_")]).toEqual([500, false]);
    await databaseOf(bank.id).prepare("DROP TRIGGER refuse").run();
    expect((await readSecret()).status).toBe(200);
  });

  it("writes nothing the second time", async () => {
    const { bank } = await createScene();
    let rows = 0;
    const database = meterDatabase(databaseOf(bank.id), (results) => {
      for (const { meta } of results) rows += meta.rows_written;
    });
    const isolate = createIsolate({ ...env, [bindingOf(bank.id)]: database });
    const tenant = await createTenant({ accountId: bank.accountId }, isolate);
    const cost = async () => {
      rows = 0;
      await tenant.send("GET", `/tenant/ideabanks/${bank.id}/signing-secret`);
      return rows;
    };
    expect(await cost()).toBeGreaterThan(0);
    expect([await cost(), await cost()]).toEqual([0, 0]);
  });
});

describe("a panelist's token of more than a day", { tags: "slow" }, () => {
  const DAY = 86_400;
  const issues = async (owner: ReturnType<typeof createOwner>) =>
    (await owner.events()).filter(({ event }) => event === "long-token-issued");

  it("is an event once a day for a key; shorter ones and visitors' are none", async () => {
    const { owner, tenant, send } = await createScene();
    const issue = (body: object) => send("POST", "/tokens", body);
    expect((await issue({ externalId: "a", lifetimeSeconds: DAY })).status).toBe(201);
    expect((await issue({ externalId: "a" })).status).toBe(201);
    expect((await issue({ visitor: true })).status).toBe(201);
    expect(await issues(owner)).toEqual([]);
    for (const externalId of ["a", "b", "c"])
      expect((await issue({ externalId, lifetimeSeconds: DAY + 1 })).status).toBe(201);
    expect(await issues(owner)).toMatchObject([{ apiKeyId: tenant.id, actor: null }]);
    freeze(Date.now() + DAY * 1000);
    expect((await issue({ externalId: "a", lifetimeSeconds: DAY + 1 })).status).toBe(201);
    expect(await issues(owner)).toHaveLength(2);
    expect(await (await owner.page("/activity")).text()).toContain("issued a token valid for more than a day");
  });

  it("that is refused is none, and one that cannot be recorded is not issued", async () => {
    const { owner, tenant, send, bank } = await createScene();
    const long = { externalId: "a", lifetimeSeconds: DAY + 1 };
    const foreign = await addIdeaBank();
    expect((await tenant.send("POST", `/tenant/ideabanks/${foreign.id}/tokens`, long)).status).toBe(403);
    const { panelistId } = await send<{ panelistId: string }>("POST", "/tokens", { externalId: "a" });
    await tenant.send("PATCH", `/tenant/panelists/${panelistId}`, { active: false });
    expect((await send("POST", "/tokens", long)).status).toBe(409);
    expect(await issues(owner)).toEqual([]);
    vi.spyOn(console, "error").mockImplementation(() => {});
    const database = databaseOf(bank.id);
    await database
      .prepare("CREATE TRIGGER refuse BEFORE INSERT ON audit_events BEGIN SELECT RAISE(ABORT, 'injected fault'); END")
      .run();
    const refused = await send("POST", "/tokens", { ...long, externalId: "b" });
    expect([refused.status, JSON.stringify(refused).includes("ibt_")]).toEqual([500, false]);
    await database.prepare("DROP TRIGGER refuse").run();
    expect((await send("POST", "/tokens", { ...long, externalId: "b" })).status).toBe(201);
    expect(await issues(owner)).toHaveLength(1);
  });
});
