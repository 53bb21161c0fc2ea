/** What a tenant has changed through an isolate shows in every later answer of it to panelists, whichever replica is read. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { issueToken } from "../../../src/worker/credentials/compound-token.ts";
import { bindingOf } from "../../support/databases.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createReplica } from "../../support/lagging-replica.ts";
import { CHANGELOG, PROPOSALS, sendWith } from "../../support/panel.ts";
import { createTenant } from "../../support/tenant.ts";
import { addIdeaBank, signingKeys, tokenFor } from "../../support/world.ts";

/** A minute old: no refusal of it is confirmed by the primary. */
const tokenOf = (ideaBankId: string, panelistId: string) =>
  tokenFor(ideaBankId, panelistId, Math.floor(Date.now() / 1000) - 60);

/** An isolate that reads a replica, which stays behind. */
async function createScene(status: "OPEN" | "CLOSED" = "OPEN") {
  const bank = await addIdeaBank({ status });
  const replica = await createReplica(bank.id);
  const bindings = { ...env, [bindingOf(bank.id)]: replica.database };
  const isolate = createIsolate(bindings);
  const send = sendWith(isolate, await tokenOf(bank.id, bank.panelistId));
  // An anchor: from now on the replica is read.
  const first = await send("GET", PROPOSALS);
  const tenant = await createTenant({ accountId: bank.accountId }, isolate);
  return { bank, bindings, first, send, tenant };
}

const WRONG = [
  ["GET", `${PROPOSALS}?sort=best`, undefined, 400],
  ["POST", PROPOSALS, { title: "" }, 400],
  ["GET", `${PROPOSALS}/nonsense`, undefined, 404],
] as const;

it.each(WRONG)("a token that was revoked here is 401 here, whatever else is wrong: %s %s", async (...sent) => {
  const [method, path, body, otherwise] = sent;
  const { bank, send, tenant } = await createScene();
  expect((await send(method, path, body)).status).toBe(otherwise);
  expect((await tenant.send("DELETE", `/tenant/panelists/${bank.panelistId}/tokens`)).status).toBe(204);
  expect((await send(method, path, body)).status).toBe(401);
});

it.each(WRONG)("a wrong request is refused as of what its Consistency-Token includes: %s %s", async (...sent) => {
  const [method, path, body, otherwise] = sent;
  const { bank, first, tenant, bindings } = await createScene("CLOSED");
  expect(first.status).toBe(404);
  const elsewhere = sendWith(createIsolate(bindings), await tokenOf(bank.id, bank.panelistId));
  expect((await elsewhere("GET", PROPOSALS)).status).toBe(404);
  const opened = await tenant.send("PATCH", `/tenant/ideabanks/${bank.id}`, { status: "OPEN" });
  const headers = { "Consistency-Token": opened.headers.get("Consistency-Token") ?? "" };
  const answer = await elsewhere(method, path, body, headers);
  const { error } = await answer.json<{ error: string }>();
  expect([answer.status, error]).toEqual([otherwise, otherwise === 400 ? "invalid-request" : "proposal-not-found"]);
});

it.each([CHANGELOG, "/ideabank", PROPOSALS])(
  "a Consistency-Token of a revocation includes it elsewhere: GET %s",
  async (path) => {
    const { bank, tenant, bindings } = await createScene();
    const elsewhere = sendWith(createIsolate(bindings), await tokenOf(bank.id, bank.panelistId));
    expect((await elsewhere("GET", path)).status).toBe(200);
    const revoked = await tenant.send("DELETE", `/tenant/panelists/${bank.panelistId}/tokens`);
    const headers = { "Consistency-Token": revoked.headers.get("Consistency-Token") ?? "" };
    expect((await elsewhere("GET", path)).status).toBe(200);
    expect((await elsewhere("GET", path, undefined, headers)).status).toBe(401);
  },
);

it("visitors' tokens that were ended here are 401 here, whichever replica is read", async () => {
  const { bank, bindings } = await createScene();
  const isolate = createIsolate(bindings);
  const tenant = await createTenant({ accountId: bank.accountId }, isolate);
  const issuedAt = Math.floor(Date.now() / 1000) - 60;
  const claims = { ideaBankId: bank.id, panelistId: null, issuedAt, expiresAt: issuedAt + 3_600 };
  const send = sendWith(isolate, await issueToken(claims, signingKeys));
  expect((await send("GET", PROPOSALS)).status).toBe(200);
  expect((await tenant.send("DELETE", `/tenant/ideabanks/${bank.id}/visitor-tokens`)).status).toBe(204);
  expect((await send("GET", PROPOSALS)).status).toBe(401);
});
