/** What the three kinds of token cost: calls to stores, cold and warm, and a page with the board (docs/operations.md). */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { issueToken } from "../../../src/worker/credentials/compound-token.ts";
import { signingSecretOf } from "../../../src/worker/model/signed-token.ts";
import { freeze } from "../../support/clock.ts";
import { countStores } from "../../support/intercept.ts";
import { meterDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { CHANGELOG, PROPOSALS, sendWith } from "../../support/panel.ts";
import { now, signJwt } from "../../support/sign-jwt.ts";
import { createTenant } from "../../support/tenant.ts";
import { addIdeaBank, addProposal, signingKeys } from "../../support/world.ts";

const NOTHING = { d1: 0, "kv.read": 0, "kv.write": 0, gate: 0 };
const KINDS = ["a panelist's", "a visitor's", "a signed one"] as const;
type Kind = (typeof KINDS)[number];

/** A minute old, so that no answer needs the primary's word. */
async function tokenOf(kind: Kind, { id: ideaBankId, accountId, panelistId }: Awaited<ReturnType<typeof addIdeaBank>>) {
  const issuedAt = now() - 60;
  if (kind === "a signed one") {
    const { kid, secret } = await signingSecretOf({ ideaBankId, accountId, accountEpoch: 0, epoch: 1 }, signingKeys);
    const claims = { iss: ideaBankId, sub: "customer-42", iat: issuedAt, exp: issuedAt + 3_600 };
    return signJwt({ alg: "HS256", kid }, claims, secret);
  }
  const holder = kind === "a visitor's" ? null : panelistId;
  return issueToken({ ideaBankId, panelistId: holder, issuedAt, expiresAt: issuedAt + 3_600 }, signingKeys);
}

it.each(KINDS)("%s costs what the budgets say, cold and warm", async (kind) => {
  freeze(1_900_000_000_000);
  const bank = await addIdeaBank();
  const proposalId = await addProposal(bank);
  const token = await tokenOf(kind, bank);
  const { env: counted, counts } = countStores(env);
  const isolate = createIsolate(counted);
  const cost = async (method: string, path: string, body?: object) => {
    Object.assign(counts, NOTHING);
    const { status } = await sendWith(isolate, token)(method, path, body);
    return { status, ...counts };
  };
  expect(await cost("GET", CHANGELOG)).toEqual({ status: 200, d1: 1, "kv.read": 1, "kv.write": 1, gate: 0 });
  for (const path of [CHANGELOG, "/ideabank"]) expect(await cost("GET", path)).toEqual({ status: 200, ...NOTHING });
  for (const path of [PROPOSALS, "/ideabank/tags"])
    expect(await cost("GET", path)).toEqual({ status: 200, ...NOTHING, d1: 1 });
  const [status, d1] = kind === "a visitor's" ? [403, 0] : [200, 1];
  expect(await cost("PUT", `${PROPOSALS}/${proposalId}/vote`)).toEqual({ status, ...NOTHING, d1 });
});

it("a page with the board costs the same rows with each kind; the API's tokens cost a request of the key, too", {
  tags: "slow",
}, async () => {
  const bank = await addIdeaBank();
  for (let proposal = 0; proposal < 40; proposal++) await addProposal(bank, { status: "planned" });
  const rows = { read: 0, written: 0 };
  const { env: counted, counts } = countStores(env);
  const metered = meterDatabases(counted, (results) => {
    for (const { meta } of results) {
      rows.read += meta.rows_read;
      rows.written += meta.rows_written;
    }
  });
  const isolate = createIsolate(metered);
  const tenant = await createTenant({ accountId: bank.accountId }, isolate);
  const view = async (kind: Kind) => {
    const token = await tokenOf(kind, bank);
    const send = sendWith(isolate, token);
    await send("GET", "/ideabank");
    Object.assign(rows, { read: 0, written: 0 });
    Object.assign(counts, NOTHING);
    for (const path of ["/ideabank", `${PROPOSALS}?sort=top`, "/ideabank/tags"])
      expect((await send("GET", path)).status).toBe(200);
    return { ...rows, ...counts };
  };
  const costs = [];
  for (const kind of KINDS) costs.push(await view(kind));
  for (const cost of costs) expect(cost).toEqual({ ...costs[0], read: expect.any(Number) });
  expect(costs[0]).toMatchObject({ ...NOTHING, d1: 2, written: 0 });
  const [least, most] = [Math.min(...costs.map(({ read }) => read)), Math.max(...costs.map(({ read }) => read))];
  expect([least > 50, most - least < 5]).toEqual([true, true]);

  const issue = () => tenant.send("POST", `/tenant/ideabanks/${bank.id}/tokens`, { panelistId: bank.panelistId });
  await issue();
  Object.assign(rows, { read: 0, written: 0 });
  Object.assign(counts, NOTHING);
  expect((await issue()).status).toBe(201);
  expect(counts).toEqual({ ...NOTHING, d1: 1, gate: 1 });
  expect([rows.read < 15, rows.written]).toEqual([true, 0]);
});
