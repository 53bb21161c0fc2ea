/** Tenants are apart: every operation, from its definition, with what belongs to somebody else. A new endpoint is in it by itself. */
import { describe, expect, it } from "vitest";
import { expectForeignRefused, REMEDY } from "../support/foreign.ts";
import { createIsolate } from "../support/isolate.ts";
import { addressOf, bodyOf, fillPath, operationsOf } from "../support/operations.ts";
import { sendWith } from "../support/panel.ts";
import { addOneOfEverything, createTenant, dumpDatabases } from "../support/tenant.ts";
import { addAccount, newId, tokenFor } from "../support/world.ts";

const ofTenants = operationsOf("apiKey");
const naming = ofTenants.filter(({ parameters }) => parameters.length > 0);
const nested = naming.filter(({ parameters }) => parameters.length > 1);
const ofProposals = operationsOf("compoundToken").filter(({ parameters }) => parameters.length > 0);

it.each(naming)("$name of another tenant is 403, as for what does not exist, and changes nothing", (each) =>
  expectForeignRefused(each, "0"),
);

it.each(nested)(
  "$name of what is in another of the tenant's is 403 whatever was sent, and changes nothing",
  async (each) => {
    const { name, operation, method, path, parameters } = each;
    const mine = await addOneOfEverything();
    const sister = await addOneOfEverything(mine.accountId);
    const tenant = await createTenant({ accountId: mine.accountId });
    const before = await dumpDatabases();
    // A panelist is in no idea bank.
    for (const parameter of parameters.slice(1).filter((one) => one !== "panelistId")) {
      const elsewhere = Object.fromEntries(Object.entries(sister).filter(([other]) => other === parameter));
      for (const body of [bodyOf(operation), "not json", { unknown: 1 }]) {
        const { status } = await tenant.send(method, fillPath(path, { ...mine, ...elsewhere }), body);
        expect(status, `${name} takes a {${parameter}} of another parent: its WHERE needs the parent's id`).toBe(403);
      }
    }
    expect(await dumpDatabases()).toEqual(before);
  },
);

it.each(ofTenants.filter(({ method }) => method === "GET"))(
  "$name has nothing of another tenant in its answer",
  async ({ name, path }) => {
    const mine = await addOneOfEverything(await addAccount({ digit: "0" }));
    const theirs = await addOneOfEverything(await addAccount({ digit: "0" }));
    const tenant = await createTenant({ accountId: mine.accountId });
    const response = await tenant.send("GET", addressOf(path, mine));
    expect(response.status).toBe(200);
    const answer = await response.text();
    if (path.endsWith(".csv")) return expect(answer).not.toContain(theirs.panelistId);
    for (const id of Object.values(theirs)) expect(answer, `${name} ${REMEDY}`).not.toContain(id);
    const { items } = JSON.parse(answer);
    // Otherwise a list that is always empty would do.
    if (items !== undefined) expect(items.length).toBeGreaterThan(0);
  },
);

it.each(ofProposals)(
  "$name of another idea bank is 404, as for what does not exist, and changes nothing",
  async ({ name, operation, method, path }) => {
    const mine = await addOneOfEverything(undefined, "panelist");
    const sister = await addOneOfEverything(mine.accountId, "panelist");
    const theirs = await addOneOfEverything(undefined, "panelist");
    const send = sendWith(createIsolate(), await tokenFor(mine.ideaBankId, mine.panelistId));
    const unknown = { proposalId: newId(), commentId: newId() };
    const before = await dumpDatabases();
    const answers = [];
    for (const ids of [sister, theirs, unknown]) {
      const response = await send(method, fillPath(path, ids), bodyOf(operation), { "X-Request-Id": "the-same" });
      expect(response.status, `${name} answers for another idea bank: its WHERE needs the token's idea bank`).toBe(404);
      answers.push(await response.text());
    }
    expect(new Set(answers).size).toBe(1);
    expect(await dumpDatabases()).toEqual(before);
  },
);

describe("without a valid credential", () => {
  it("no operation of the tenant API answers, and nothing changes", async () => {
    const ids = await addOneOfEverything();
    const { text } = await createTenant({ accountId: ids.accountId, revokedAt: Date.now() });
    const isolate = createIsolate();
    const before = await dumpDatabases();
    for (const { name, operation, method, path } of ofTenants) {
      for (const headers of [{}, { "X-API-Key": `ibk_${"0".repeat(47)}` }, { "X-API-Key": text }]) {
        const body = method === "GET" ? null : JSON.stringify(bodyOf(operation) ?? {});
        const response = await isolate.request(fillPath(path, ids), { method, headers, body });
        expect(
          response.status,
          `${name} answers without a valid key: make its route of its definition (routes.ts)`,
        ).toBe(401);
      }
    }
    expect(await dumpDatabases()).toEqual(before);
  });
});
