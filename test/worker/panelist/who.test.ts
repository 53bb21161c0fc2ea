/**
 * Who a panelist is: the account and the tenant's own id. An identifier follows from both and the account's salt, and no write takes
 * somebody for another person.
 */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { digestToBase62 } from "../../../src/worker/credentials/base62.ts";
import { openAccount } from "../../../src/worker/database/members/owners.ts";
import { databaseOf, sessionOf } from "../../support/databases.ts";
import { countStores } from "../../support/intercept.ts";
import { createIsolate, type Isolate } from "../../support/isolate.ts";
import { CHANGELOG, PROPOSALS, sendWith } from "../../support/panel.ts";
import { now } from "../../support/sign-jwt.ts";
import { createSigner, statuses } from "../../support/signing.ts";
import { addAccount, newId } from "../../support/world.ts";

type Scene = Awaited<ReturnType<typeof createSigner>>;

/** The identifier that 1.0.0 gave. */
async function unkeyedId(accountId: string, externalId: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`panelist ${accountId} ${externalId}`));
  return accountId.charAt(0) + digestToBase62(digest, 11);
}

const insertPanelist = (id: string, accountId: string, externalId: string | null, active = 1) =>
  databaseOf(id)
    .prepare(
      `INSERT INTO panelists (id, account_id, external_id, display_name, active, created_at) VALUES (?1, ?2, ?3, 'Robin', ?4, 1)`,
    )
    .bind(id, accountId, externalId, active)
    .run();

const panelistIdOf = async ({ isolate, sign }: Scene, sub: string, by: Isolate = isolate) => {
  const token = await sign(sub);
  const answer = await by.ask((access) => access.panelist(token));
  return answer.ok ? answer.panelistId : answer.problem;
};

const rowOf = (id: string) => databaseOf(id).prepare("SELECT * FROM panelists WHERE id = ?1").bind(id).first();

describe("an identifier", () => {
  it("cannot be computed from the account and the externalId, and is the same wherever it is shown", async () => {
    const scene = await createSigner();
    const { panelistId } = await scene.issue({ externalId: "robin@example.com" });
    expect(panelistId).not.toBe(await unkeyedId(scene.bank.accountId, "robin@example.com"));
    const ways = [
      panelistIdOf(scene, "robin@example.com"),
      panelistIdOf(scene, "robin@example.com", createIsolate()),
      scene.introspect(await scene.sign("robin@example.com")).then((answer) => answer.panelistId),
    ];
    expect(await Promise.all(ways)).toEqual([panelistId, panelistId, panelistId]);
  });

  it("is the same before and after the row is made, by a token, by the API and by a revocation", {
    tags: "slow",
  }, async () => {
    const scene = await createSigner();
    const proposalId = await scene.propose();
    const create = (externalId: string) => scene.tenant.send("POST", "/tenant/panelists", { externalId });
    const writes: Record<string, (sub: string) => Promise<Response>> = {
      "signed token": async (sub) =>
        sendWith(scene.isolate, await scene.sign(sub))("PUT", `${PROPOSALS}/${proposalId}/vote`),
      creation: create,
      issue: (sub) => scene.tenant.send("POST", `${scene.path}/tokens`, { externalId: sub }),
      revocation: (sub) => scene.tenant.send("POST", "/tenant/tokens/revoke", { externalId: sub }),
    };
    for (const [way, write] of Object.entries(writes)) {
      const before = await panelistIdOf(scene, way, createIsolate());
      expect((await write(way)).ok, way).toBe(true);
      const { items } = await (
        await scene.tenant.send("GET", `/tenant/panelists?externalId=${encodeURIComponent(way)}`)
      ).json<{ items: { id: string }[] }>();
      expect(
        items.map(({ id }) => id),
        way,
      ).toEqual([before]);
    }
  });

  it("follows from a salt that is made with the account and is random", async () => {
    const salts = await Promise.all(
      ["a@example.com", "b@example.com"].map(async (email) => {
        const visit = { email, digit: "0", accountId: newId("0"), now: Date.now() };
        const { accountId } = await openAccount(email)(sessionOf(env.DB), visit);
        await openAccount(email)(sessionOf(env.DB), { ...visit, accountId: newId("0") });
        return env.DB.prepare("SELECT panelist_salt FROM accounts WHERE id = ?1")
          .bind(accountId)
          .first<string>("panelist_salt");
      }),
    );
    for (const salt of salts) expect(salt).toMatch(/^[0-9a-f]{32}$/);
    expect(salts[0]).not.toBe(salts[1]);
  });
});

describe("a row that somebody else has under one's identifier", () => {
  it("of another account is not renamed, and the token is refused", async () => {
    const scene = await createSigner();
    const proposalId = await scene.propose();
    const id = String(await panelistIdOf(scene, "mallory"));
    const victim = await addAccount({ digit: id.charAt(0) });
    await insertPanelist(id, victim, "victim");
    const before = await rowOf(id);
    for (const isolate of [scene.isolate, createIsolate()]) {
      const send = sendWith(isolate, await scene.sign("mallory", { name: "Mallory" }));
      expect((await send("PUT", `${PROPOSALS}/${proposalId}/vote`)).status).toBe(401);
      expect((await send("POST", PROPOSALS, { title: "Mine" })).status).toBe(401);
      expect((await send("GET", `${PROPOSALS}?mine=true`)).status).toBe(401);
    }
    expect((await scene.tenant.send("POST", `${scene.path}/tokens`, { externalId: "mallory" })).status).toBe(403);
    expect((await scene.tenant.send("POST", "/tenant/tokens/revoke", { externalId: "mallory" })).status).toBe(403);
    expect((await scene.tenant.send("POST", "/tenant/panelists", { externalId: "mallory" })).status).toBe(409);
    expect(await rowOf(id)).toEqual(before);
  });

  it("of the same account is not acted as", async () => {
    const scene = await createSigner();
    const proposalId = await scene.propose();
    const id = String(await panelistIdOf(scene, "mallory"));
    await insertPanelist(id, scene.bank.accountId, "victim");
    const before = await rowOf(id);
    const send = sendWith(scene.isolate, await scene.sign("mallory", { name: "Mallory" }));
    expect((await send("PUT", `${PROPOSALS}/${proposalId}/vote`)).status).toBe(401);
    expect((await send("POST", PROPOSALS, { title: "Mine" })).status).toBe(401);
    expect((await send("GET", `${PROPOSALS}?mine=true`)).status).toBe(401);
    expect((await scene.tenant.send("POST", `${scene.path}/tokens`, { externalId: "mallory" })).status).toBe(403);
    expect((await scene.tenant.send("POST", "/tenant/tokens/revoke", { externalId: "mallory" })).status).toBe(403);
    expect(await rowOf(id)).toEqual(before);
    const votes = databaseOf(id).prepare("SELECT count(*) AS n FROM votes WHERE panelist_id = ?1").bind(id);
    expect(await votes.first("n")).toBe(0);
  });
});

describe("an account that 1.0.0 made", () => {
  /** Its panelists have the identifiers, and the revocations, that 1.0.0 wrote. */
  async function createOld() {
    const scene = await createSigner();
    const { accountId } = scene.bank;
    const database = databaseOf(accountId);
    await database.prepare("UPDATE accounts SET panelist_salt = NULL WHERE id = ?1").bind(accountId).run();
    const idOf = (externalId: string) => unkeyedId(accountId, externalId);
    await insertPanelist(await idOf("robin"), accountId, "robin");
    await insertPanelist(await idOf("blocked"), accountId, "blocked");
    await insertPanelist(await idOf("deleted"), accountId, "deleted");
    await database
      .prepare("UPDATE panelists SET active = 0 WHERE id = ?1")
      .bind(await idOf("blocked"))
      .run();
    await database
      .prepare("DELETE FROM panelists WHERE id = ?1")
      .bind(await idOf("deleted"))
      .run();
    return { ...scene, isolate: createIsolate(), idOf };
  }

  it("has the same people: who comes back by a signed token is the same row", async () => {
    const scene = await createOld();
    const proposalId = await scene.propose();
    const send = sendWith(scene.isolate, await scene.sign("robin"));
    expect((await send("PUT", `${PROPOSALS}/${proposalId}/vote`)).status).toBe(200);
    const robin = await scene.idOf("robin");
    expect(await panelistIdOf(scene, "robin")).toBe(robin);
    const voted = databaseOf(robin).prepare("SELECT panelist_id FROM votes WHERE proposal_id = ?1").bind(proposalId);
    expect(await voted.first("panelist_id")).toBe(robin);
    expect((await scene.issue({ externalId: "robin" })).panelistId).toBe(robin);
    expect((await scene.issue({ externalId: "new" })).panelistId).toBe(await scene.idOf("new"));
  });

  it("refuses a blocked person everywhere, in a cold isolate and in one that knows the view", {
    tags: "slow",
  }, async () => {
    const scene = await createOld();
    const blocked = await scene.sign("blocked");
    const warm = createIsolate();
    expect(await statuses(warm, await scene.sign("robin"))).toEqual([200, 200, 200]);
    for (const isolate of [createIsolate(), warm]) {
      expect(await statuses(isolate, blocked)).toEqual([401, 401, 401]);
      expect(await isolate.ask((access) => access.panelist(blocked))).toMatchObject({ ok: false });
    }
    expect(await scene.introspect(blocked)).toEqual({ active: false, reason: "revoked" });
  });

  it("refuses a deleted person's tokens of before, and takes those of after", async () => {
    const scene = await createOld();
    const [before, after] = [now() - 5, now() + 1];
    const issuedAt = (iat: number) => scene.sign("deleted", { iat, exp: iat + 60 });
    expect(await statuses(createIsolate(), await issuedAt(before))).toEqual([401, 401, 401]);
    expect(await statuses(createIsolate(), await issuedAt(after))).toEqual([200, 200, 200]);
  });
});

describe("what it costs to find out", () => {
  it("a cold isolate reads the salt with the view, or once for an account; a warm one reads nothing more", async () => {
    const scene = await createSigner();
    const proposalId = await scene.propose();
    // Old enough that a replica's answer counts.
    const issued = { iat: now() - 60, exp: now() + 600 };
    const token = await scene.sign("robin", issued);
    const other = await scene.sign("sam", issued);
    const { env: counted, counts } = countStores(env);
    const cost = async (isolate: Isolate, by: string, method: string, path: string) => {
      counts.d1 = 0;
      const { status } = await sendWith(isolate, by)(method, path);
      return [status, counts.d1];
    };
    const vote = `${PROPOSALS}/${proposalId}/vote`;
    const reader = createIsolate(counted);
    expect(await cost(reader, token, "GET", CHANGELOG)).toEqual([200, 1]);
    expect(await cost(createIsolate({ ...counted, FRESHNESS_SECONDS: "0" }), token, "GET", CHANGELOG)).toEqual([
      200, 1,
    ]);
    expect(await cost(reader, token, "PUT", vote)).toEqual([200, 1]);
    const voter = createIsolate(counted);
    expect(await cost(voter, token, "PUT", vote)).toEqual([200, 2]);
    expect(await cost(voter, other, "PUT", vote)).toEqual([200, 1]);
    expect(await cost(voter, other, "GET", PROPOSALS)).toEqual([200, 1]);
  });
});
