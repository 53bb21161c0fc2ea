/** `Consistency-Token`: on every answer to a write; and a request that sends it back is answered from what includes that write. */
import { describe, expect, it } from "vitest";
import { signConsistencyToken } from "../../../src/worker/credentials/consistency-token.ts";
import { bindingOf } from "../../support/databases.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createReplica } from "../../support/lagging-replica.ts";
import { bodyOf, fillPath, operationsOf } from "../../support/operations.ts";
import { addOneOfEverything, createTenant } from "../../support/tenant.ts";
import { telling as env, giveAddress } from "../../support/told.ts";
import { addIdeaBank, addProposal, signingKeys, tokenFor } from "../../support/world.ts";

const HEADER = "Consistency-Token";
const writes = (kind: "apiKey" | "compoundToken") =>
  operationsOf(kind).filter(({ operation }) => operation.effect !== "reads");

describe("the answer to a write carries one:", () => {
  it.each(writes("apiKey"))("tenant, $method $path", async ({ operation, method, path }) => {
    const ids = await addOneOfEverything();
    const tenant = await createTenant({ accountId: ids.accountId });
    const answer = await tenant.send(method, fillPath(path, ids), bodyOf(operation, ids));
    expect([answer.ok, answer.headers.get(HEADER)]).toEqual([true, expect.stringMatching(/^ibw_.{1,156}$/)]);
  });

  it.each(writes("compoundToken"))("panelist, $method $path", async ({ operation, method, path }) => {
    const ids = await addOneOfEverything(undefined, "panelist");
    await giveAddress(ids.panelistId);
    const isolate = createIsolate(env);
    const headers = {
      Authorization: await tokenFor(ids.ideaBankId, ids.panelistId),
      "Content-Type": "application/json",
    };
    const own = await isolate.request("/ideabank/proposals", {
      method: "POST",
      headers,
      body: JSON.stringify({ title: "Mine", description: "An idea." }),
    });
    expect(own.status).toBe(201);
    const { id } = await own.json<{ id: string }>();
    const proposalId = path === "/ideabank/proposals/{proposalId}" ? id : ids.proposalId;
    const body = bodyOf(operation, ids);
    const answer = await isolate.request(fillPath(path, { ...ids, proposalId }), {
      method,
      headers: body ? headers : { Authorization: headers.Authorization },
      body: body ? JSON.stringify(body) : null,
    });
    expect([answer.ok, answer.headers.get(HEADER)]).toEqual([true, expect.stringMatching(/^ibw_.{1,156}$/)]);
  });
});

describe("in another isolate, before a replica that never learns of the write,", () => {
  async function setUp() {
    const bank = await addIdeaBank();
    await addProposal(bank, { title: "Before" });
    const replica = await createReplica(bank.id);
    const bindings: Env = { ...env, [bindingOf(bank.id)]: replica.database };
    const [here, elsewhere] = [createIsolate(bindings), createIsolate(bindings)];
    const read = async (path: string, token?: string) => {
      const headers = { Authorization: bank.token, ...(token !== undefined && { [HEADER]: token }) };
      return (await elsewhere.request(path, { headers })).text();
    };
    for (const path of PATHS) await read(path);
    const tenant = await createTenant({ accountId: bank.accountId }, here);
    const changed = await tenant.send("PATCH", `/tenant/ideabanks/${bank.id}`, { name: "After" });
    await replica.write("UPDATE proposals SET title = 'After' WHERE idea_bank_id = ?1", bank.id);
    const again = await tenant.send("PATCH", `/tenant/ideabanks/${bank.id}`, { name: "After" });
    expect(changed.ok).toBe(true);
    return { bank, replica, read, token: again.headers.get(HEADER) ?? "" };
  }
  const PATHS = ["/public/ideabank/changelog", "/ideabank", "/ideabank/proposals"];

  it.each(PATHS)("GET %s with the token of the write includes it, and without does not yet", async (path) => {
    const { read, token } = await setUp();
    expect(await read(path)).not.toContain("After");
    expect(await read(path, token)).toContain("After");
  });

  it("a token that is forged or foreign changes nothing: neither the answer nor who is asked", async () => {
    const { bank, replica, read, token } = await setUp();
    const foreign = await signConsistencyToken("99999999", {
      subject: "another bank",
      now: Math.floor(Date.now() / 1000),
      keys: signingKeys,
    });
    replica.asked.length = 0;
    for (const sent of [token.slice(0, -1), `${token}0`, foreign ?? "", "x".repeat(10_000), ""]) {
      for (const path of PATHS.slice(0, 2)) expect(await read(path, sent)).not.toContain("After");
    }
    expect(replica.asked.filter((constraint) => constraint !== "00000001")).toEqual([]);
    expect(bank.id).toBeTruthy();
  });
});
