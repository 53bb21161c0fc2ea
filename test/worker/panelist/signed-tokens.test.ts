/** Tokens that a tenant's own server signs: the same promises as for ours, without a call. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { importSigningKeys } from "../../../src/worker/credentials/envelope.ts";
import { signingSecretOf } from "../../../src/worker/model/signed-token.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { countStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { CHANGELOG, PROPOSALS, sendWith } from "../../support/panel.ts";
import { now as seconds, signJwt } from "../../support/sign-jwt.ts";
import { type Answer, createSigner, type Secret, statuses } from "../../support/signing.ts";
import { newId, signingKeys } from "../../support/world.ts";

describe("a signed token", () => {
  it("reads and writes as the panelist of that externalId, whose row is made with the first write", {
    tags: "slow",
  }, async () => {
    const { sign, isolate, tenant, propose, issue, bank } = await createSigner();
    const send = sendWith(isolate, await sign("customer-42", { name: "Robin" }));
    const voted = `${PROPOSALS}/${await propose()}`;
    expect(await statuses(isolate, await sign())).toEqual([200, 200, 200]);
    const listed = async () =>
      (await (await tenant.send("GET", "/tenant/panelists?externalId=customer-42")).json<{ items: Answer[] }>()).items;
    expect(await listed()).toEqual([]);
    expect((await send("PUT", `${voted}/vote`)).status).toBe(200);
    expect(await listed()).toMatchObject([{ externalId: "customer-42", displayName: "Robin", active: true }]);
    const ours = await issue({ externalId: "customer-42" });
    expect(ours.panelistId).toBe((await listed())[0]?.id);
    expect(await (await sendWith(isolate, ours.token)("GET", voted)).json()).toMatchObject({ voted: true });
    expect((await send("POST", PROPOSALS, { title: "Mine" })).status).toBe(201);
    expect((await send("POST", `${voted}/comments`, { body: "A comment" })).status).toBe(201);
    expect(await listed()).toHaveLength(1);
    expect(bank.accountId).toHaveLength(12);
  });

  it("takes a new name with a write, and keeps it when a token has none", async () => {
    const { sign, isolate } = await createSigner();
    const authorOf = async (claims: object) => {
      const answer = await sendWith(isolate, await sign("a", claims))("POST", PROPOSALS, { title: "An idea" });
      return (await answer.json<Answer>()).author;
    };
    expect([
      await authorOf({}),
      await authorOf({ name: "Robin" }),
      await authorOf({}),
      await authorOf({ name: "Kim" }),
    ]).toEqual([null, "Robin", "Robin", "Kim"]);
  });

  it("is another person with other capitals", async () => {
    const { sign, introspect, issue } = await createSigner();
    const { panelistId } = await issue({ externalId: "Zo\u00eb" });
    expect(await introspect(await sign("Zo\u00eb"))).toMatchObject({
      active: true,
      panelistId,
      externalId: "Zo\u00eb",
    });
    expect((await introspect(await sign("zo\u00eb"))).panelistId).not.toBe(panelistId);
  });

  it("writes nothing where it may not write", async () => {
    const { sign, isolate, manage, propose, bank } = await createSigner();
    const proposal = await propose();
    await manage("PATCH", "", { votingEnabled: false, commentsEnabled: false, submissionsEnabled: false });
    const send = sendWith(isolate, await sign());
    expect((await send("PUT", `${PROPOSALS}/${proposal}/vote`)).status).toBe(403);
    expect((await send("POST", `${PROPOSALS}/${proposal}/comments`, { body: "x" })).status).toBe(403);
    expect((await send("POST", PROPOSALS, { title: "x" })).status).toBe(403);
    await manage("PATCH", "", { votingEnabled: true });
    expect((await send("PUT", `${PROPOSALS}/${newId(bank.id)}/vote`)).status).toBe(404);
    const rows = await databaseOf(bank.id).prepare("SELECT 1 FROM panelists WHERE external_id = 'customer-42'").all();
    expect(rows.results).toEqual([]);
  });
});

describe("ending signed tokens", () => {
  it("a deleted person does not come back with a token from before, only with one that is signed afterwards", {
    tags: "slow",
  }, async () => {
    const start = Date.now();
    freeze(start);
    const { sign, isolate, tenant, propose, bank } = await createSigner();
    const proposal = `${PROPOSALS}/${await propose()}`;
    const [old, renamed] = [await sign(), await sign("customer-42", { name: "Robin" })];
    expect((await sendWith(isolate, old)("PUT", `${proposal}/vote`)).status).toBe(200);
    const rows = async () =>
      (
        await databaseOf(bank.id)
          .prepare("SELECT id, external_id, display_name FROM panelists WHERE external_id = 'customer-42'")
          .all()
      ).results;
    const [person] = await rows();
    expect((await tenant.send("DELETE", `/tenant/panelists/${person?.id}`)).status).toBe(204);
    expect(await rows()).toEqual([]);
    const writes = [
      ["PUT", `${proposal}/vote`],
      ["POST", `${proposal}/comments`, { body: "x" }],
      ["POST", PROPOSALS, { title: "x" }],
    ] as const;
    // Each in an isolate that knows nothing of the deletion.
    for (const token of [old, renamed])
      for (const [method, path, body] of writes)
        expect((await sendWith(createIsolate(), token)(method, path, body)).status).toBe(401);
    expect(await rows()).toEqual([]);
    freeze(start + 30_000);
    expect((await sendWith(createIsolate(), await sign())("PUT", `${proposal}/vote`)).status).toBe(200);
    expect(await rows()).toMatchObject([{ external_id: "customer-42", display_name: null }]);
    expect((await sendWith(createIsolate(), renamed)("PUT", `${proposal}/vote`)).status).toBe(401);
    expect(await rows()).toMatchObject([{ display_name: null }]);
  });

  it("revoking those of a panelist ends them everywhere; one that is signed afterwards works", {
    tags: "slow",
  }, async () => {
    const start = Date.now();
    freeze(start);
    const { sign, isolate, tenant, issue, introspect } = await createSigner();
    const token = await sign();
    const { panelistId } = await issue({ externalId: "customer-42" });
    const elsewhere = createIsolate({ ...env, FRESHNESS_SECONDS: "0" });
    await tenant.send("DELETE", `/tenant/panelists/${panelistId}/tokens`);
    for (const of of [isolate, elsewhere]) expect(await statuses(of, token)).toEqual([401, 401, 401]);
    expect((await sendWith(isolate, token)("POST", PROPOSALS, { title: "x" })).status).toBe(401);
    expect(await introspect(token)).toEqual({ active: false, reason: "revoked" });
    // D1 has a clock of its own.
    freeze(start + 30_000);
    const later = await sign();
    for (const of of [isolate, elsewhere]) expect(await statuses(of, later)).toEqual([200, 200, 200]);
  });

  it("by externalId, those of a person who has only read end everywhere, once for an Idempotency-Key", {
    tags: "slow",
  }, async () => {
    freeze(Date.now());
    const { sign, isolate, tenant, introspect, path } = await createSigner();
    const [token, other] = [await sign(), await sign("another")];
    const elsewhere = createIsolate({ ...env, FRESHNESS_SECONDS: "0" });
    for (const of of [isolate, elsewhere]) expect(await statuses(of, token)).toEqual([200, 200, 200]);
    const revoke = (key: string, by = tenant) =>
      by.send("POST", "/tenant/tokens/revoke", { externalId: "customer-42" }, { "Idempotency-Key": key });
    expect((await revoke("r1")).status).toBe(204);
    expect(await statuses(isolate, token)).toEqual([401, 401, 401]);
    freeze(Date.now() + 2_000);
    expect(await statuses(elsewhere, token)).toEqual([401, 401, 401]);
    expect((await sendWith(isolate, token)("POST", PROPOSALS, { title: "x" })).status).toBe(401);
    expect(await introspect(token)).toEqual({ active: false, reason: "revoked" });
    expect(await statuses(isolate, other)).toEqual([200, 200, 200]);
    freeze(Date.now() + 30_000);
    const later = await sign();
    expect(await statuses(elsewhere, later)).toEqual([200, 200, 200]);
    expect((await revoke("r1")).headers.get("Idempotency-Replayed")).toBe("true");
    expect(
      (await (await createSigner()).tenant.send("POST", "/tenant/tokens/revoke", { externalId: "customer-42" })).status,
    ).toBe(204);
    for (const of of [isolate, elsewhere]) expect(await statuses(of, later)).toEqual([200, 200, 200]);
    const issued = await tenant.send("POST", `${path}/tokens`, { externalId: "customer-42" });
    expect((await issued.json<{ panelistId: string }>()).panelistId).toBe((await introspect(later)).panelistId);
  });

  it("by externalId, those of a panelist with a row, active or not, and of one that is being deleted", {
    tags: "slow",
  }, async () => {
    const { sign, isolate, tenant, issue } = await createSigner();
    const revoke = async () =>
      (await tenant.send("POST", "/tenant/tokens/revoke", { externalId: "customer-42" })).status;
    const { token, panelistId } = await issue({ externalId: "customer-42" });
    expect(await revoke()).toBe(204);
    expect(await statuses(isolate, token)).toEqual([401, 401, 401]);
    await tenant.send("PATCH", `/tenant/panelists/${panelistId}`, { active: false });
    expect(await revoke()).toBe(204);
    const later = await sign("customer-42", { iat: seconds() + 1 });
    expect(await statuses(isolate, later)).toEqual([401, 401, 401]);
    await tenant.send("DELETE", `/tenant/panelists/${panelistId}`);
    expect(await revoke()).toBe(204);
    expect(await statuses(isolate, later)).toEqual([401, 401, 401]);
  });

  it("a panelist who is created inactive has none that is valid, before and after the first read", {
    tags: "slow",
  }, async () => {
    const { sign, isolate, tenant } = await createSigner();
    const token = await sign();
    expect(await statuses(isolate, token)).toEqual([200, 200, 200]);
    const created = await tenant.send("POST", "/tenant/panelists", { externalId: "customer-42", active: false });
    const { id } = await created.json<{ id: string }>();
    const elsewhere = createIsolate();
    freeze(Date.now() + 30_000);
    const later = await sign();
    for (const of of [isolate, elsewhere])
      for (const each of [token, later]) expect(await statuses(of, each)).toEqual([401, 401, 401]);
    await tenant.send("PATCH", `/tenant/panelists/${id}`, { active: true });
    freeze(Date.now() + 30_000);
    expect(await statuses(elsewhere, await sign())).toEqual([200, 200, 200]);
  });

  it("deleting the panelist ends them, ours and the server's, and a new one comes back as the same person, without the past", {
    tags: "slow",
  }, async () => {
    const { sign, isolate, tenant, issue, propose, bank } = await createSigner();
    const [token, ours] = [await sign(), await issue({ externalId: "customer-42" })];
    const vote = `${PROPOSALS}/${await propose()}/vote`;
    expect((await sendWith(isolate, token)("PUT", vote)).status).toBe(200);
    expect((await tenant.send("DELETE", `/tenant/panelists/${ours.panelistId}`)).status).toBe(204);
    const elsewhere = createIsolate({ ...env, FRESHNESS_SECONDS: "0" });
    for (const each of [token, ours.token])
      for (const of of [isolate, elsewhere]) {
        expect(await statuses(of, each)).toEqual([401, 401, 401]);
        expect((await sendWith(of, each)("PUT", vote)).status).toBe(401);
      }
    const later = await sign("customer-42", { iat: seconds() + 1 });
    expect(await statuses(elsewhere, later)).toEqual([200, 200, 200]);
    expect(await (await sendWith(elsewhere, later)("GET", vote.slice(0, -5))).json()).toMatchObject({
      voted: false,
      votes: 0,
    });
    expect((await sendWith(elsewhere, later)("PUT", vote)).status).toBe(200);
    const again = await issue({ externalId: "customer-42" });
    expect(again.panelistId).toBe(ours.panelistId);
    for (const each of [token, ours.token]) expect(await statuses(elsewhere, each)).toEqual([401, 401, 401]);
    expect(await statuses(elsewhere, again.token)).toEqual([200, 200, 200]);
    const bytes = await databaseOf(bank.id)
      .prepare("SELECT stored_bytes FROM accounts WHERE id = ?1")
      .bind(bank.accountId)
      .first<number>("stored_bytes");
    await tenant.send("DELETE", `/tenant/panelists/${ours.panelistId}`);
    const after = await databaseOf(bank.id)
      .prepare("SELECT stored_bytes FROM accounts WHERE id = ?1")
      .bind(bank.accountId)
      .first<number>("stored_bytes");
    expect((bytes ?? 0) - (after ?? 0)).toBe(150 + "customer-42".length - 100);
  });

  it("deactivating the panelist, closing the idea bank and suspending the account hold for them", {
    tags: "slow",
  }, async () => {
    const { sign, isolate, tenant, issue, manage } = await createSigner();
    const { panelistId } = await issue({ externalId: "customer-42" });
    const token = await sign();
    await tenant.send("PATCH", `/tenant/panelists/${panelistId}`, { active: false });
    const later = await sign("customer-42", { iat: seconds() + 1 });
    for (const each of [token, later]) expect(await statuses(isolate, each)).toEqual([401, 401, 401]);
    await manage("PATCH", "", { status: "CLOSED" });
    expect(await statuses(isolate, await sign("another"))).toEqual([404, 200, 404]);
  });

  it("a rotation ends them after its grace, at once without; the new secret works before an isolate has heard of it", {
    tags: "slow",
  }, async () => {
    freeze(Date.now());
    const { sign, bank, tenant, path, readSecret, secret } = await createSigner();
    const old = await sign();
    const elsewhere = createIsolate();
    expect(await statuses(elsewhere, old)).toEqual([200, 200, 200]);
    const rotated = await tenant.send("POST", `${path}/signing-secret/rotate`, { graceSeconds: 3_600 });
    const second = await rotated.json<Secret>();
    expect(second).toEqual(await readSecret());
    expect(second.secret).not.toBe(secret.secret);
    // Signed a minute ago by a clock that is late: not a young token.
    const late = await sign("customer-42", { iat: seconds() - 60, exp: seconds() + 60 }, {}, second);
    for (const token of [late, old]) expect(await statuses(elsewhere, token)).toEqual([200, 200, 200]);
    await databaseOf(bank.id)
      .prepare("UPDATE idea_banks SET signing_previous_until = ?2 WHERE id = ?1")
      .bind(bank.id, Date.now() - 1)
      .run();
    const still = await sign("customer-42", {}, {}, second);
    expect(await statuses(createIsolate(), await sign())).toEqual([401, 401, 401]);
    expect(await statuses(createIsolate(), still)).toEqual([200, 200, 200]);
    await tenant.send("POST", `${path}/signing-secret/rotate`, { graceSeconds: 0 });
    expect(await statuses(createIsolate(), still)).toEqual([401, 401, 401]);
    expect((await sendWith(createIsolate(), still)("POST", PROPOSALS, { title: "x" })).status).toBe(401);
  });

  it("rotating again, as a retry without a key does, cuts no grace that was promised", { tags: "slow" }, async () => {
    const start = Date.now();
    freeze(start);
    const { secret, sign, tenant, path, readSecret } = await createSigner();
    const rotate = async (graceSeconds: number) =>
      (await tenant.send("POST", `${path}/signing-secret/rotate`, { graceSeconds })).json<Secret>();
    const signedBy = (by: Secret) => sign("customer-42", {}, {}, by);
    const elsewhere = createIsolate();
    expect(await statuses(elsewhere, await signedBy(secret))).toEqual([200, 200, 200]);
    const second = await rotate(7_200);
    const third = await rotate(3_600);
    expect(third.previousUntil).toBe(new Date(start + 7_200_000).toISOString());
    for (const by of [secret, second, third])
      for (const isolate of [elsewhere, createIsolate()])
        expect(await statuses(isolate, await signedBy(by))).toEqual([200, 200, 200]);
    await tenant.send("POST", `${path}/signing-secret/rotate`, { graceSeconds: 0 });
    expect((await readSecret()).previousUntil).toBeNull();
    for (const by of [secret, second, third])
      expect(await statuses(createIsolate(), await signedBy(by))).toEqual([401, 401, 401]);
    expect(await statuses(createIsolate(), await signedBy(await readSecret()))).toEqual([200, 200, 200]);
  });

  it("each earlier secret ends with its own grace", { tags: "slow" }, async () => {
    const { secret, sign, tenant, path, bank } = await createSigner();
    const rotate = async () =>
      (await tenant.send("POST", `${path}/signing-secret/rotate`, { graceSeconds: 3_600 })).json<Secret>();
    const second = await rotate();
    await rotate();
    const past = Date.now() - 1;
    await databaseOf(bank.id)
      .prepare(
        "UPDATE idea_banks SET signing_older = replace(signing_older, signing_older ->> '$[0][1]', ?2) WHERE id = ?1",
      )
      .bind(bank.id, past)
      .run();
    expect(await statuses(createIsolate(), await sign("a", {}, {}, secret))).toEqual([401, 401, 401]);
    expect(await statuses(createIsolate(), await sign("a", {}, {}, second))).toEqual([200, 200, 200]);
  });

  it("any number of rotations keeps the promised graces, and few secrets", { tags: "slow" }, async () => {
    const { secret, sign, tenant, path, bank, readSecret } = await createSigner();
    const made: Secret[] = [];
    for (let times = 0; times < 12; times++)
      made.push(await (await tenant.send("POST", `${path}/signing-secret/rotate`, {})).json<Secret>());
    for (const by of [secret, ...made.slice(0, 3), await readSecret()])
      expect(await statuses(createIsolate(), await sign("a", {}, {}, by))).toEqual([200, 200, 200]);
    const row = await databaseOf(bank.id)
      .prepare("SELECT json_array_length(signing_older) AS kept FROM idea_banks WHERE id = ?1")
      .bind(bank.id)
      .first();
    expect(row).toEqual({ kept: 4 });
  });

  it("a rotation of the deployment's secrets fails no server that reads the secret once a day", async () => {
    const { secret, sign, bank, isolate } = await createSigner();
    const newest = "a new secret of this deployment that is long enough";
    const rotated = createIsolate({ ...env, CREDENTIAL_SECRETS: `${newest},${env.CREDENTIAL_SECRETS}` });
    expect(await statuses(rotated, await sign())).toEqual([200, 200, 200]);
    const keys = await importSigningKeys([newest]);
    const next = await signingSecretOf(
      { ideaBankId: bank.id, accountId: bank.accountId, accountEpoch: 0, epoch: 1 },
      keys,
    );
    expect(next.secret).not.toBe(secret.secret);
    const token = await sign("customer-42", {}, {}, { ...next, previousUntil: null });
    expect(await statuses(rotated, token)).toEqual([200, 200, 200]);
    expect(await statuses(isolate, token)).toEqual([401, 401, 401]);
  });
});

describe("who somebody is", () => {
  it("does not change: another externalId is 409, the same one is not", async () => {
    const { tenant } = await createSigner();
    const created = await (await tenant.send("POST", "/tenant/panelists", { externalId: "a" })).json<{ id: string }>();
    const patch = async (body: object) => (await tenant.send("PATCH", `/tenant/panelists/${created.id}`, body)).status;
    expect([
      await patch({ externalId: "a", displayName: "A" }),
      await patch({ externalId: "b" }),
      await patch({ externalId: null }),
    ]).toEqual([200, 409, 409]);
    const nobody = await (await tenant.send("POST", "/tenant/panelists", {})).json<{ id: string }>();
    expect((await tenant.send("PATCH", `/tenant/panelists/${nobody.id}`, { externalId: "c" })).status).toBe(409);
  });

  it("is another person in another account", async () => {
    const [mine, theirs] = [await createSigner(), await createSigner()];
    expect((await mine.issue({ externalId: "a" })).panelistId.slice(1)).not.toBe(
      (await theirs.issue({ externalId: "a" })).panelistId.slice(1),
    );
  });
});

describe("attacks", () => {
  const flip = (text: string) => (text.startsWith("A") ? "B" : "A") + text.slice(1);
  /** The last character of a signature has two bits that no byte holds. */
  const sameBytes = (last: string) => {
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    return digits[digits.indexOf(last) ^ 1] ?? "";
  };
  const part = (value: object) => btoa(JSON.stringify(value)).replaceAll("=", "");

  it("each is 401, without I/O", { tags: "slow" }, async () => {
    const { bank, secret, sign } = await createSigner();
    const other = await createSigner();
    const [head = "", body = "", signature = ""] = (await sign()).split(".");
    const now = seconds();
    const texts: Record<string, string> = {
      "no signature": `${head}.${body}.`,
      "alg none": `${part({ alg: "none", kid: secret.kid })}.${body}.`,
      "alg none, signed": await sign("a", {}, { alg: "none" }),
      "alg None": await sign("a", {}, { alg: "None" }),
      "alg HS512": await sign("a", {}, { alg: "HS512" }),
      "alg RS256": await sign("a", {}, { alg: "RS256" }),
      "alg hs256": await sign("a", {}, { alg: "hs256" }),
      "no alg": await sign("a", {}, { alg: undefined }),
      "an extension that must be understood": await sign("a", {}, { crit: ["b64"], b64: false }),
      "another signature": `${head}.${body}.${flip(signature)}`,
      "another body": `${head}.${part({ iss: bank.id, sub: "root", iat: now, exp: now + 60 })}.${signature}`,
      "a signature that decodes to the same bytes": `${head}.${body}.${signature.slice(0, -1)}${sameBytes(signature.slice(-1))}`,
      "a signature with padding": `${head}.${body}.${signature}=`,
      "a fourth part": `${head}.${body}.${signature}.${signature}`,
      "a key of another idea bank": await sign("a", {}, {}, other.secret),
      "another idea bank's kid": await sign("a", {}, { kid: other.secret.kid }),
      "another epoch": await sign("a", {}, { kid: secret.kid.replace(".1.", ".2.") }),
      "an epoch with a zero": await sign("a", {}, { kid: secret.kid.replace(".1.", ".01.") }),
      "another account": await sign("a", {}, { kid: secret.kid.replace(bank.accountId, other.bank.accountId) }),
      "no kid": await sign("a", {}, { kid: undefined }),
      "a kid that is a path": await sign("a", {}, { kid: "../../dev/null" }),
      "a kid that is SQL": await sign("a", {}, { kid: "x' UNION SELECT 'a" }),
      "an overlong kid": await sign("a", {}, { kid: secret.kid.repeat(500) }),
      "a kid with a line break": await sign("a", {}, { kid: `${secret.kid}\n` }),
      "a key in the header": await sign("a", {}, { kid: undefined, jwk: { kty: "oct", k: "AAAA" } }),
      "another issuer": await sign("a", { iss: other.bank.id }),
      "no issuer": await sign("a", { iss: undefined }),
      "no subject": await sign("a", { sub: undefined }),
      "a number as subject": await sign(42),
      "an empty subject": await sign(" "),
      "an overlong subject": await sign("x".repeat(201)),
      "half a character as subject": await sign("\ud800"),
      "a subject with a direction mark": await sign("customer\u202e42"),
      "an iat before 1970": await sign("a", { iat: -1, exp: 60 }),
      "an exp beyond all integers": await sign("a", { exp: 1e300 }),
      "an invisible subject": await sign("customer\u200b-42"),
      "no iat": await sign("a", { iat: undefined }),
      "no exp": await sign("a", { exp: undefined }),
      "exp as text": await sign("a", { exp: String(now + 60) }),
      "a fraction": await sign("a", { exp: now + 60.5 }),
      "a longer life": await sign("a", { iat: now, exp: now + 3_601 }),
      "no life": await sign("a", { iat: now, exp: now }),
      expired: await sign("a", { iat: now - 61, exp: now - 1 }),
      "of the future": await sign("a", { iat: now + 60, exp: now + 120 }),
      "an overlong text": await sign("a", { padding: "x".repeat(5_000) }),
      "not valid yet": await sign("a", { nbf: now + 60 }),
      "for somebody else": await sign("a", { aud: "https://example.com" }),
    };
    const { env: counted, counts } = countStores(env);
    const isolate = createIsolate(counted);
    for (const [title, text] of Object.entries(texts))
      for (const path of [CHANGELOG, PROPOSALS])
        expect((await sendWith(isolate, text)("GET", path)).status, title).toBe(401);
    expect(counts).toEqual({ d1: 0, "kv.read": 0, "kv.write": 0, gate: 0 });
  });

  it("it is no API key, and no token in the address of a feed", async () => {
    const { sign, isolate } = await createSigner();
    const token = await sign();
    expect((await isolate.request("/tenant/whoami", { headers: { "X-API-Key": token } })).status).toBe(401);
    expect((await isolate.request(`${CHANGELOG}.atom?token=${token}`)).status).toBe(401);
  });

  it("what only compatibility folding would make the same are two people", async () => {
    const { sign, introspect } = await createSigner();
    const ids = await Promise.all(
      ["\ufb01sh", "fish", "FISH", "f\u0456sh"].map(async (sub) => (await introspect(await sign(sub))).panelistId),
    );
    expect(new Set(ids).size).toBe(4);
  });

  it("a forged flood for a thousand idea banks costs no store", { tags: "slow" }, async () => {
    const { secret } = await createSigner();
    const { env: counted, counts } = countStores(env);
    const isolate = createIsolate(counted);
    for (let times = 0; times < 1_000; times++) {
      const [bankId, accountId] = [newId(), newId()];
      const kid = `${bankId}.${accountId}.1.${secret.kid.slice(-8)}`;
      const claims = { iss: bankId, sub: "a", iat: seconds(), exp: seconds() + 60 };
      const token = await signJwt({ alg: "HS256", kid }, claims, secret.secret);
      expect((await sendWith(isolate, token)("GET", CHANGELOG)).status).toBe(401);
    }
    expect(counts.d1).toBe(0);
  });

  it("a flood signed with a secret that has ended costs no store while the view is fresh", async () => {
    const { sign, tenant, path, readSecret } = await createSigner();
    await tenant.send("POST", `${path}/signing-secret/rotate`, { graceSeconds: 0 });
    const { env: counted, counts } = countStores(env);
    const isolate = createIsolate(counted);
    freeze(Date.now());
    const good = await sign("a", {}, {}, await readSecret());
    expect((await sendWith(isolate, good)("GET", CHANGELOG)).status).toBe(200);
    for (let times = 0; times < 50; times++)
      expect((await sendWith(isolate, await sign(`attacker-${times}`))("GET", CHANGELOG)).status).toBe(401);
    expect(counts.d1).toBe(1);
  });

  it("a clock that is a second ahead is taken, and one that is more is not", async () => {
    const start = Math.floor(Date.now() / 1000);
    freeze(start * 1000);
    const { sign, isolate } = await createSigner();
    const at = async (iat: number) => statuses(isolate, await sign("a", { iat, exp: iat + 60 }));
    expect(await at(start + 1)).toEqual([200, 200, 200]);
    expect(await at(start + 2)).toEqual([401, 401, 401]);
  });

  it("introspection says why to the tenant of the idea bank alone", { tags: "slow" }, async () => {
    const { sign, introspect, bank, issue } = await createSigner();
    const other = await createSigner();
    const now = seconds();
    const signed = await sign();
    const claims = (path: string, message: string) => ({
      active: false,
      reason: "claims",
      errors: [{ path, message }],
    });
    const cases: [string, Answer][] = [
      [await sign("a", { iat: now - 61, exp: now - 1 }), { active: false, reason: "expired" }],
      [await sign("a", { iat: now + 60, exp: now + 120 }), claims("iat", "is in the future")],
      [await sign("a", { iat: undefined }), claims("iat", "is required")],
      [
        `${signed.slice(0, -43)}${flip(signed.slice(-43))}`,
        { active: false, reason: "signature", detail: expect.stringContaining("not signed with the secret") },
      ],
      [`${bank.token.slice(0, -1)}_`, { active: false, reason: "signature" }],
      ["", { active: false }],
      ["nonsense", { active: false }],
      [await other.sign(), { active: false }],
      [(await other.issue({ externalId: "a" })).token, { active: false }],
    ];
    for (const [token, answer] of cases) expect(await introspect(token), token).toEqual(answer);
    expect(await introspect(signed)).toMatchObject({ active: true, externalId: "customer-42", ideaBankId: bank.id });
    expect(await introspect((await issue({ externalId: "b" })).token)).toMatchObject({ active: true, externalId: "b" });
    expect(await introspect((await issue({ visitor: true })).token)).toMatchObject({ active: true, panelistId: null });
    expect(await other.introspect(signed)).toEqual({ active: false });
  });

  it("introspection names what is wrong with the header or the key, and repeats nothing of the token", {
    tags: "slow",
  }, async () => {
    const { introspect, bank, secret, isolate } = await createSigner();
    const other = await createSigner();
    const iat = seconds();
    const claims = { iss: bank.id, sub: "customer-42", iat, exp: iat + 60 };
    const good = { alg: "HS256", typ: "JWT", kid: secret.kid };
    const decoded = (text: string) =>
      Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
    const unknown = `${secret.kid.slice(0, -8)}00000000`;
    const MISTAKES: [says: string, token: string][] = [
      // What `jwt.sign(claims, secret)` makes.
      ["has no `kid`", await signJwt({ alg: "HS256", typ: "JWT" }, claims, secret.secret)],
      ["`kid` in the header is not", await signJwt({ ...good, kid: "main" }, claims, secret.secret)],
      ["`kid` in the header is not", await signJwt({ ...good, kid: 1 }, claims, secret.secret)],
      ["`kid` in the header is not", await signJwt({ ...good, kid: unknown }, claims, secret.secret)],
      ["must be `HS256`", await signJwt({ ...good, alg: "HS512" }, claims, secret.secret, "SHA-512")],
      ["must be `HS256`", `${await signJwt({ alg: "none" }, claims, "x")}`.replace(/[^.]*$/, "")],
      ["without `ibs_`", await signJwt(good, claims, secret.secret.slice(4))],
      ["decoded as base64. Sign", await signJwt(good, claims, decoded(secret.secret))],
      ["decoded as base64, without `ibs_`", await signJwt(good, claims, decoded(secret.secret.slice(4)))],
      ["a line break", await signJwt(good, claims, `${secret.secret}\n`)],
      ["quotes", await signJwt(good, claims, `"${secret.secret}"`)],
      ["`crit`", await signJwt({ ...good, crit: ["exp"] }, claims, secret.secret)],
      ["not signed with the secret", await signJwt(good, claims, "a guess")],
    ];
    for (const [says, token] of MISTAKES) {
      const answer = await introspect(token);
      expect([says, answer]).toEqual([
        says,
        { active: false, reason: "signature", detail: expect.stringContaining(says) },
      ]);
      for (const part of [...token.split("."), secret.secret.slice(4)].filter(({ length }) => length > 3))
        expect(JSON.stringify(answer)).not.toContain(part);
      expect(await other.introspect(token)).toEqual({ active: false });
      expect(await (await sendWith(isolate, token)("GET", "/ideabank")).text()).not.toContain(says);
    }
    // The idea bank is the one that `kid` names, and of another tenant.
    const foreign = await signJwt({ ...good, kid: other.secret.kid }, claims, other.secret.secret);
    expect(await introspect(foreign)).toEqual({ active: false });
  });

  it("introspection says that a time is in milliseconds", async () => {
    const { sign, introspect } = await createSigner();
    const message = "is in milliseconds, and must be in seconds since 1970";
    const [now, ms] = [seconds(), Date.now()];
    const cases: [object, string[]][] = [
      [{ iat: ms, exp: ms + 3_600_000 }, ["iat", "exp"]],
      [{ iat: ms, exp: ms + 3_600 }, ["iat", "exp"]],
      [{ exp: ms }, ["exp"]],
      [{ iat: now, nbf: ms }, ["nbf"]],
    ];
    for (const [claims, paths] of cases)
      expect(await introspect(await sign("a", claims))).toEqual({
        ...{ active: false, reason: "claims" },
        errors: paths.map((path) => ({ path, message })),
      });
  });

  it("the secret is the tenant's alone", async () => {
    const [mine, theirs] = [await createSigner(), await createSigner()];
    expect((await mine.tenant.send("GET", `${theirs.path}/signing-secret`)).status).toBe(403);
    expect((await mine.tenant.send("POST", `${theirs.path}/signing-secret/rotate`, {})).status).toBe(403);
    expect(await theirs.readSecret()).toEqual(theirs.secret);
    expect(signingKeys.length).toBeGreaterThan(0);
  });
});
