/** Rules of every operation of Account Settings, generated from the definitions. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Member } from "../../../src/worker/model/member.ts";
import { selectEverywhere } from "../../support/databases.ts";
import { countStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { invite, pair } from "../../support/members.ts";
import { bodyOf, fillPath, type OperationCase, operationsOf } from "../../support/operations.ts";
import { createOwner } from "../../support/owner.ts";
import { newId } from "../../support/world.ts";

const operations = operationsOf("access");
const naming = operations.filter(({ parameters }) => parameters.length > 0);
/** An invitation is the person's, whatever account is chosen. */
const ofAnAccount = naming.filter(({ parameters }) => !parameters.includes("invitationId"));
const NOTHING = { d1: 0, "kv.read": 0, "kv.write": 0, gate: 0 };

const initOf = ({ operation, method }: OperationCase, headers: Record<string, string> = {}): RequestInit => ({
  method,
  headers: { ...(operation.body && { "Content-Type": "application/json" }), ...headers },
  body: operation.body ? JSON.stringify(bodyOf(operation)) : null,
});

const rowsOfAccounts = () =>
  Promise.all(
    ["accounts", "members", "api_keys", "webhooks"].map((table) => selectEverywhere(`SELECT * FROM ${table}`)),
  );

describe.each(operations)("$name", (each) => {
  const path = fillPath(each.path, { apiKeyId: newId() });

  it("answers 403 without an identity, and calls no store", async () => {
    const { env: counted, counts } = countStores(env);
    const response = await createIsolate(counted, async () => undefined).request(path, initOf(each));
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: "forbidden" });
    expect(counts).toEqual(NOTHING);
  });

  it("answers 403 to a change from another site, and calls no store", async () => {
    if (each.method === "GET") return;
    const { env: counted, counts } = countStores(env);
    const owner = createOwner(undefined, counted);
    for (const headers of [{ Origin: "https://evil.example" }, { "Sec-Fetch-Site": "cross-site" }]) {
      const response = await owner.isolate.request(path, initOf(each, headers));
      expect(response.status).toBe(403);
    }
    expect(counts).toEqual(NOTHING);
  });
});

describe.each(naming)("$name of another owner's", (each) => {
  it("answers 404, the same as for what does not exist, and changes nothing", async () => {
    const { founder, id: memberId, apiKey } = await pair("0");
    const owner = createOwner(undefined, env, "0");
    await owner.create();
    const made = await founder.json("POST", "/webhooks", { url: "https://crm.example.com/" });
    const { webhook } = await made.json<{ webhook: { id: string } }>();
    const { id: invitationId } = await (await invite(founder, "third@example.com")).json<Member>();
    const ids = (id: string) => ({ apiKeyId: id, webhookId: id, memberId: id, invitationId: id });
    const before = await rowsOfAccounts();
    const answers = [];
    for (const given of [
      { apiKeyId: apiKey.id, webhookId: webhook.id, memberId, invitationId },
      ids(newId()),
      ids("x"),
    ]) {
      const response = await owner.isolate.request(fillPath(each.path, given), initOf(each));
      expect(response.status, `${each.name} answers for another account: its WHERE needs the account's id`).toBe(404);
      answers.push(await response.text());
    }
    expect(new Set(answers).size).toBe(1);
    expect(await rowsOfAccounts()).toEqual(before);
  });
});

describe.each(ofAnAccount)("$name by a member without an account, who chooses none", (each) => {
  it("answers 403 and names the accounts, not that there is no such thing, and changes nothing", async () => {
    const { founder, member, accountId, here, apiKey } = await pair("0");
    const third = await (await invite(founder, "third@example.com")).json<Member>();
    const made = await founder.json("POST", "/webhooks", { url: "https://crm.example.com/" });
    const { webhook } = await made.json<{ webhook: { id: string } }>();
    const ids = { apiKeyId: apiKey.id, webhookId: webhook.id, memberId: third.id };
    const before = await rowsOfAccounts();
    const refused = await member.isolate.request(fillPath(each.path, ids), initOf(each));
    expect([refused.status, (await refused.json<{ detail: string }>()).detail]).toEqual([
      403,
      `Choose the account with \`?account=\`: you are a member of ${accountId}.`,
    ]);
    expect(await rowsOfAccounts()).toEqual(before);
    expect((await member.isolate.request(fillPath(each.path, ids) + here, initOf(each))).status).toBe(each.status);
  });
});
