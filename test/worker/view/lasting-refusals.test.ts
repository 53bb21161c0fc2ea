/** What was refused stays refused, however long ago: the scheduled job deletes no row that a credential could still need. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { issueToken } from "../../../src/worker/credentials/compound-token.ts";

import { freeze } from "../../support/clock.ts";
import { createIsolate } from "../../support/isolate.ts";
import { runJob } from "../../support/job.ts";
import { withSecret } from "../../support/operator.ts";
import { createPanel } from "../../support/panel.ts";
import { signJwt } from "../../support/sign-jwt.ts";
import { ACCEPTED, answersTo, REFUSED } from "../../support/token-surfaces.ts";
import { addApiKey, signingKeys } from "../../support/world.ts";

const DAY = 86_400_000;

/** Tokens of people, visitors and a secret that were all ended at `endedAt` (Unix milliseconds), and of somebody who was not. */
async function createScene() {
  const panel = await createPanel({}, createIsolate(withSecret));
  const { bank, tenant, manage } = panel;
  const start = Date.now();
  const second = Math.floor(start / 1000);
  const person = async (externalId: string) => {
    const body = { externalId, lifetimeSeconds: 90 * 86_400 };
    return (await manage("POST", "/tokens", body)).json<{ panelistId: string; token: string }>();
  };
  const [blocked, revoked, deleted] = [await person("blocked"), await person("revoked"), await person("deleted")];
  const visitor = await issueToken(
    { ideaBankId: bank.id, panelistId: null, issuedAt: second - 1, expiresAt: second - 1 + 366 * 86_400 },
    signingKeys,
  );
  const readSecret = async () =>
    (await manage("GET", "/signing-secret")).json<{ readonly kid: string; readonly secret: string }>();
  const old = await readSecret();
  const key = await addApiKey({ accountId: bank.accountId, revokedAt: start });
  const send = async (...[method, path, body]: Parameters<typeof tenant.send>) =>
    expect((await tenant.send(method, path, body)).status).toBeLessThan(300);
  await send("PATCH", `/tenant/panelists/${blocked.panelistId}`, { active: false });
  await send("DELETE", `/tenant/panelists/${revoked.panelistId}/tokens`);
  await send("DELETE", `/tenant/panelists/${deleted.panelistId}`);
  await manage("DELETE", "/visitor-tokens");
  await manage("POST", "/signing-secret/rotate", { graceSeconds: 0 });
  const secret = await readSecret();
  const sign = (sub: string, by = secret) => {
    const iat = Math.floor(Date.now() / 1000);
    return signJwt({ alg: "HS256", kid: by.kid }, { iss: bank.id, sub, iat, exp: iat + 3_600 }, by.secret);
  };
  return {
    start,
    bank,
    key,
    sign,
    /** By what each is; made at the present time of the clock, where that is possible. */
    ended: async () => ({
      "a blocked person's": blocked.token,
      "a blocked person's signed now": await sign("blocked"),
      "a person's that was revoked": revoked.token,
      "a deleted person's": deleted.token,
      "a visitor's": visitor,
      "one signed now with a secret that was ended": await sign("somebody", old),
    }),
  };
}

it.each([40, 100, 400])(
  "%i days later, on every surface, for a credential of every kind",
  { tags: "slow" },
  async (days) => {
    const { start, bank, key, sign, ended } = await createScene();
    freeze(start + days * DAY);
    for (let times = 0; times < 2; times++) await runJob(env, () => start + days * DAY);
    for (const [whose, token] of Object.entries(await ended()))
      expect({ whose, ...(await answersTo(createIsolate(withSecret), bank.accountId, token)) }).toEqual({
        whose,
        ...REFUSED,
      });
    const whoami = await createIsolate().request("/tenant/whoami", { headers: { "X-API-Key": key.text } });
    expect(whoami.status).toBe(401);
    expect(await answersTo(createIsolate(withSecret), bank.accountId, await sign("somebody else"))).toEqual(ACCEPTED);
  },
);
