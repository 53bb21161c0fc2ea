/** The vectors of docs/examples/signed-tokens.json: what the API says of each token, to the panelist and to the tenant. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import vectors from "../../../docs/examples/signed-tokens.json";
import { importSigningKeys } from "../../../src/worker/credentials/envelope.ts";
import { signingSecretOf } from "../../../src/worker/model/signed-token.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { createIsolate } from "../../support/isolate.ts";
import { PROPOSALS, sendWith } from "../../support/panel.ts";
import { signJwt } from "../../support/sign-jwt.ts";
import { statuses } from "../../support/signing.ts";
import { createTenant } from "../../support/tenant.ts";

const { deploymentSecret, accountId, ideaBankId, kid, secret, now, tokens } = vectors;

/** A deployment that has signed our key, and has the secret of the vectors. */
async function createScene() {
  freeze(now * 1000);
  const database = databaseOf(accountId);
  await database.batch([
    database
      .prepare(
        "INSERT INTO accounts (id, owner_email, created_at, panelist_salt) VALUES (?1, 'vectors@example.com', 1, 'ab')",
      )
      .bind(accountId),
    database
      .prepare(
        "INSERT INTO idea_banks (id, account_id, name, status, changelog_enabled, created_at) VALUES (?1, ?2, 'B', 'OPEN', 1, 1)",
      )
      .bind(ideaBankId, accountId),
  ]);
  const isolate = createIsolate({ ...env, CREDENTIAL_SECRETS: `${env.CREDENTIAL_SECRETS},${deploymentSecret}` });
  return { isolate, tenant: await createTenant({ accountId }, isolate) };
}

it("the kid and the secret are those of the deployment's secret", async () => {
  const keys = await importSigningKeys([deploymentSecret]);
  expect(await signingSecretOf({ ideaBankId, accountId, accountEpoch: 0, epoch: 1 }, keys)).toEqual({ kid, secret });
});

it.each(tokens.filter(({ title }) => !["another secret", "another body"].includes(title)))(
  "$title: the token is its header and claims, signed",
  async (vector) => {
    expect(await signJwt(vector.header, vector.claims, secret)).toBe(vector.token);
  },
);

describe.each(tokens)("$title", ({ token, expected: { active, ...expected } }) => {
  it(active ? "is taken" : "is 401, and the tenant is told why", async () => {
    const { isolate, tenant } = await createScene();
    const status = active ? 200 : 401;
    expect(await statuses(isolate, token)).toEqual([status, status, status]);
    const answer = await (await tenant.send("POST", "/tenant/tokens/introspect", { token })).json();
    if (!active) {
      const detail = expected.reason === "signature" && { detail: expect.any(String) };
      expect(answer).toEqual({ active, ...expected, ...detail });
      return;
    }
    const { externalId, name, email } = { externalId: "", name: null, email: null, ...expected };
    expect(answer).toMatchObject({ active, externalId });
    const submitted = await sendWith(isolate, token)("POST", PROPOSALS, { title: "An idea" });
    expect(submitted.status).toBe(201);
    expect((await submitted.json<{ author: string | null }>()).author).toBe(name);
    const found = await tenant.send("GET", `/tenant/panelists?${new URLSearchParams({ externalId })}`);
    expect((await found.json<{ items: object[] }>()).items).toMatchObject([{ email, emailVerified: false }]);
  });
});

it("a token that the tenant may not see is not explained", { tags: "slow" }, async () => {
  const { isolate } = await createScene();
  const other = await createTenant({}, isolate);
  for (const { token } of tokens)
    expect(await (await other.send("POST", "/tenant/tokens/introspect", { token })).json()).toEqual({ active: false });
});
