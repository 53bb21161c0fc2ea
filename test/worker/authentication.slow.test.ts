import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { badApiKeys, badTokens } from "../support/authentication-cases.ts";
import { freeze } from "../support/clock.ts";
import { databaseOf } from "../support/databases.ts";
import { countStores } from "../support/intercept.ts";
import { createIsolate } from "../support/isolate.ts";
import { fillPath, operationsOf } from "../support/operations.ts";
import { addIdeaBank, newId, tokenFor } from "../support/world.ts";

const WANTED = {
  "X-API-Key": "This needs a valid API key (`ibk_…`) in the header `X-API-Key`.",
  Authorization:
    "This needs a valid token (`ibt_…`, `ibv_…` or one that your server has signed) in the header `Authorization`.",
};
/** Every operation of the panelist API, and one of the tenant API: tenant/operations.test.ts runs the cases on the others. */
const routes = [
  ...operationsOf("apiKey")
    .filter(({ name }) => name === "whoami")
    .map((each) => ({
      ...each,
      header: "X-API-Key",
      wanted: WANTED["X-API-Key"],
      challenge: 'ApiKey realm="tenant"',
      cases: badApiKeys,
    })),
  ...operationsOf("compoundToken").map((each) => ({
    ...each,
    header: "Authorization",
    wanted: WANTED.Authorization,
    challenge: 'Bearer realm="panelist"',
    cases: badTokens,
  })),
];

describe.each(routes)("$method $path answers 401", ({ method, path, header, challenge, wanted, cases }) => {
  it.each(cases)("to $title", async ({ header: makeValue, io, reason, mistake }) => {
    const value = await makeValue();
    const { env: counted, counts } = countStores(env);
    const response = await createIsolate(counted).request(fillPath(path, {}), {
      method,
      headers: value === undefined ? {} : { [header]: value },
    });
    expect(response.status).toBe(401);
    expect(response.headers.get("WWW-Authenticate")).toBe(challenge);
    expect(response.headers.get("Content-Type")).toBe("application/problem+json");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(await response.json()).toEqual({
      type: "about:blank",
      title: "Unauthorized",
      status: 401,
      detail: mistake === undefined ? wanted : expect.stringMatching(mistake),
      error: "unauthorized",
      ...(reason && { reason }),
    });
    expect(counts).toEqual({ d1: 0, "kv.read": 0, "kv.write": 0, gate: io ? 1 : 0 });
  });
});

describe.each(["/public/ideabank/changelog", "/ideabank"])("GET %s", (path) => {
  const read = (token: string) => createIsolate().request(path, { headers: { Authorization: token } });

  it("accepts the raw token, and `Bearer <token>` in any case", async () => {
    const { token } = await addIdeaBank();
    for (const value of [token, `Bearer ${token}`, `bearer ${token}`, `BEARER  ${token}`]) {
      expect((await read(value)).status, value).toBe(200);
    }
  });

  it("refuses a panelist whose tokens were revoked, until a token is issued afterwards", async () => {
    const second = 1_900_000_000;
    freeze(second * 1000 + 2_000);
    const { id, panelistId } = await addIdeaBank();
    await databaseOf(panelistId)
      .prepare("UPDATE panelists SET tokens_revoked_at = ?2 WHERE id = ?1")
      .bind(panelistId, second * 1000 + 500)
      .run();
    expect((await read(await tokenFor(id, panelistId, second - 1))).status).toBe(401);
    expect((await read(await tokenFor(id, panelistId, second))).status).toBe(401);
    expect((await read(await tokenFor(id, panelistId, second + 1))).status).toBe(200);
  });

  it("refuses a deactivated panelist's tokens for ever, and admits a token issued after the reactivation", async () => {
    const { id, panelistId, token } = await addIdeaBank();
    const switchTo = (active: number) =>
      databaseOf(panelistId).prepare("UPDATE panelists SET active = ?2 WHERE id = ?1").bind(panelistId, active).run();
    await switchTo(0);
    expect((await read(token)).status).toBe(401);
    await switchTo(1);
    expect((await read(token)).status).toBe(401);
    const later = await tokenFor(id, panelistId, Math.floor(Date.now() / 1000) + 1);
    expect((await read(later)).status).toBe(200);
  });

  it("refuses a deleted panelist", async () => {
    const { panelistId, token } = await addIdeaBank();
    await databaseOf(panelistId).prepare("DELETE FROM panelists WHERE id = ?1").bind(panelistId).run();
    expect((await read(token)).status).toBe(401);
  });

  it("does not affect the tenant's other panelists", async () => {
    const { id, panelistId } = await addIdeaBank();
    const other = await addIdeaBank();
    await databaseOf(panelistId).prepare("UPDATE panelists SET active = 0 WHERE id = ?1").bind(panelistId).run();
    expect((await read(await tokenFor(id, newId(id)))).status).toBe(200);
    expect((await read(other.token)).status).toBe(200);
  });

  it("applies a revocation made after the isolate has read the idea bank", async () => {
    const { panelistId, token } = await addIdeaBank();
    const isolate = createIsolate({ ...env, FRESHNESS_SECONDS: "0" });
    const status = async () => (await isolate.request(path, { headers: { Authorization: token } })).status;
    expect(await status()).toBe(200);
    await databaseOf(panelistId).prepare("UPDATE panelists SET active = 0 WHERE id = ?1").bind(panelistId).run();
    expect(await status()).toBe(401);
    expect(await status()).toBe(401);
  });
});
