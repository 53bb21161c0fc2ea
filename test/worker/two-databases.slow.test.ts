/** Tenants are spread over two databases: each request asks its tenant's only, and one that is down is its own tenants' matter. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { Binding } from "../support/databases.ts";
import { type Fault, type Way, withFault } from "../support/faults.ts";
import { gateOf } from "../support/gate.ts";
import { interceptDatabases } from "../support/intercept-binding.ts";
import { createIsolate } from "../support/isolate.ts";
import { addressOf, bodyOf, type OperationCase, operationsOf } from "../support/operations.ts";
import { createOutageIsolate } from "../support/outage-isolate.ts";
import { addTenants, type Ids, type Tenant } from "../support/outage-world.ts";
import { telling } from "../support/told.ts";
import { VirtualTime } from "../support/virtual-time.ts";

const operations = [...operationsOf("apiKey"), ...operationsOf("compoundToken"), ...operationsOf("access")];
const eager: Env = { ...telling, FRESHNESS_SECONDS: "0" };
/** For these the owner is looked up in the directory, unless the isolate knows the account. */
const BY_DIRECTORY = [
  "listApiKeys",
  "createApiKey",
  "listActivity",
  "listMembers",
  "addMember",
  "changeMember",
  "removeMember",
  "listWebhooks",
  "createWebhook",
  "getSettings",
  "changeSettings",
  "endTokens",
];
/** These ask the directory itself, or write to it. */
const OF_DIRECTORY = [
  "listAccounts",
  "addMember",
  "removeMember",
  "listInvitations",
  "acceptInvitation",
  "declineInvitation",
];

/** Two tenants of each database. */
async function addTwoOfEach(): Promise<Record<Binding, [Tenant, Tenant]>> {
  const [a, b] = await addTenants(2, "0");
  const [c, d] = await addTenants(2, "1");
  if (!a || !b || !c || !d) throw new Error("no tenants");
  return { DB: [a, b], DB_1: [c, d] };
}

const idsOf = ({ operation }: OperationCase, tenant: Tenant): Ids =>
  (operation.credential.kind === "compoundToken" ? tenant.panelistIds : tenant.tenantIds)[0];

/** A new isolate, the calls of which name the database that they ask, those of the key's gate included. */
async function watchedIsolate({ email, apiKeyId }: Tenant) {
  const asked: string[] = [];
  const watched = interceptDatabases(eager, (binding) => (_, makeCall) => {
    asked.push(binding);
    return makeCall();
  });
  await runInDurableObject(gateOf(apiKeyId), (instance) => void Object.assign(instance, { env: watched }));
  return { asked, isolate: createIsolate(watched, async () => ({ email, actor: email })) };
}

const requestOf = (each: OperationCase, { key, token }: Tenant, ids: Ids): [string, RequestInit] => {
  const body = bodyOf(each.operation, ids);
  const headers = { "X-API-Key": key, Authorization: token, ...(body && { "Content-Type": "application/json" }) };
  return [addressOf(each.path, ids), { method: each.method, headers, body: body ? JSON.stringify(body) : null }];
};

/** The identifiers in a database that do not begin with its digit. The directory's entries may. */
async function strangersIn(binding: Binding): Promise<string[]> {
  const { results: columns } = await env[binding]
    .prepare(
      `SELECT t.name AS "table", c.name AS "column" FROM sqlite_master t JOIN pragma_table_info(t.name) c
       WHERE t.type = 'table' AND t.name NOT GLOB '_cf_*' AND t.name NOT IN ('owners', 'memberships', 'invitees', 'invited', 'sqlite_sequence')
         AND (c.name = 'id' OR c.name GLOB '*_id') AND c.name <> 'external_id' AND NOT (t.name = 'survey_texts' AND c.name = 'question_id')`,
    )
    .all<{ table: string; column: string }>();
  expect(columns.length).toBeGreaterThan(20);
  const results = await env[binding].batch<{ id: string }>(
    columns.map(({ table, column }) => env[binding].prepare(`SELECT ${column} AS id FROM ${table}`)),
  );
  const digit = binding === "DB" ? "0" : "1";
  return results
    .flatMap((result) => result.results.map(({ id }) => id))
    .filter((id) => typeof id === "string" && id !== "" && id[0] !== digit);
}

describe.each(operations)("$name", (each) => {
  it.each(["DB", "DB_1"] as const)(
    "asks only the database of a tenant in %s, and makes identifiers of it",
    async (binding) => {
      const [tenant] = (await addTwoOfEach())[binding];
      const { isolate, asked } = await watchedIsolate(tenant);
      const byDirectory = BY_DIRECTORY.includes(each.name) && binding !== "DB";
      if (byDirectory) {
        await isolate.request("/account/api/keys");
        // Where the account is, what the person may do there, and the list.
        expect(asked).toEqual(["DB", binding, binding]);
        asked.length = 0;
      }
      const response = await isolate.request(...requestOf(each, tenant, idsOf(each, tenant)));
      expect(response.status).toBe(each.status);
      // With a key, whoami asks its gate, which asks D1.
      const isOfDirectory = OF_DIRECTORY.includes(each.name);
      expect(new Set(asked)).toEqual(new Set(isOfDirectory ? ["DB", binding] : [binding]));
      expect(await strangersIn("DB")).toEqual([]);
      expect(await strangersIn("DB_1")).toEqual([]);
    },
  );
});

describe.each(operations.filter(({ parameters }) => parameters.length > 0))("$name", (each) => {
  it.each(["1", "z"])("finds nothing by identifiers whose first digit is changed to %s", async (digit) => {
    const [tenant] = (await addTwoOfEach())[digit === "1" ? "DB" : "DB_1"];
    const { isolate } = await watchedIsolate(tenant);
    const ids = Object.fromEntries(
      Object.entries(idsOf(each, tenant)).map(([name, id]) => [name, digit + id.slice(1)]),
    );
    const response = await isolate.request(...requestOf(each, tenant, ids));
    expect(response.status).toBe(each.operation.credential.kind === "apiKey" ? 403 : 404);
  });
});

async function faultGate(tenant: Tenant, time: VirtualTime, fault: Fault): Promise<void> {
  const { bindings } = withFault(env, time, { fault, inside: true });
  await runInDurableObject(gateOf(tenant.apiKeyId), (instance) => void Object.assign(instance, { env: bindings }));
}

describe.each(operations)("$name of a tenant whose database answers", (each) => {
  // One of the two for each operation, in turn. A hang is the harder fault: what it leaves untouched, an error does.
  const down = operations.indexOf(each) % 2 === 0 ? "DB" : "DB_1";
  const way: Way = "no answer";

  it(`is untouched while ${down} hangs, beside a request that waits for it`, async () => {
    for (const level of ["warn", "error", "debug"] as const) vi.spyOn(console, level).mockImplementation(() => {});
    const time = new VirtualTime(1_900_000_000_000);
    for (const warm of [false, true]) {
      const tenants = await addTwoOfEach();
      const [troubled] = tenants[down];
      const [other, sibling] = tenants[down === "DB" ? "DB_1" : "DB"];
      const fault: Fault = { store: "d1", way, only: down, active: false };
      const isolate = createOutageIsolate(time);
      const fresh = () => withFault(eager, time, { fault });
      for (const tenant of [troubled, other, sibling]) await faultGate(tenant, time, fault);
      // An owner of another database than the directory's is looked up there once.
      const isOfDirectory = OF_DIRECTORY.includes(each.name);
      const needsDirectory = down === "DB" && (isOfDirectory || (BY_DIRECTORY.includes(each.name) && !warm));
      if (warm) for (const tenant of [troubled, other]) await isolate.warm(each, tenant, fresh().bindings);
      const control = fresh();
      const alone = createOutageIsolate(time);
      if (warm) await alone.warm(each, sibling, fresh().bindings);
      const before = alone.call(each, sibling, 1, control.bindings);
      const undisturbed = await time.until(before.answer);
      expect(undisturbed.answer.status).toBe(each.status);
      await before.done();

      fault.active = true;
      const waiting = isolate.call(each, troubled, 0, fresh().bindings);
      const { bindings, counts } = fresh();
      const beside = isolate.call(each, other, 1, bindings);
      const { answer, elapsedMs } = await time.until(beside.answer);
      await beside.done();
      if (needsDirectory) expect(answer.status).toBe(503);
      else {
        expect(answer.status).toBe(each.status);
        expect(counts).toEqual(control.counts);
        expect(elapsedMs).toBe(undisturbed.elapsedMs);
      }
      expect([200, 201, 204, 503]).toContain((await time.until(waiting.answer)).answer.status);
      await waiting.done();
    }
  });
});
