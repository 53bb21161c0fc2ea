/** Which account is an owner's: one, whatever fails between the directory's database and the account's. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { visitAccount } from "../../../src/worker/account/account-databases.ts";
import { KnownOwners } from "../../../src/worker/account/known-owners.ts";
import type { Identifier } from "../../../src/worker/credentials/id.ts";
import { listWebhooks } from "../../../src/worker/database/webhooks/webhooks.ts";
import { BoundedMap } from "../../../src/worker/memory/bounded-map.ts";
import type { ApiKey } from "../../../src/worker/model/account-key.ts";
import { chooseNewAccount } from "../../../src/worker/store/bindings.ts";
import { Databases } from "../../../src/worker/store/databases.ts";
import type { Session } from "../../../src/worker/store/session.ts";
import { bindingOf, CONTEXT, databaseOf, selectEverywhere } from "../../support/databases.ts";
import { type Interceptor, interceptDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { newId } from "../../support/world.ts";

const EMAIL = "owner@example.com";
const KEYS = "/account/api/keys";

/** An isolate of a deployment that makes accounts in these databases. */
const isolateOf = (NEW_ACCOUNTS: string, bindings: Env = env, email = EMAIL) =>
  createIsolate({ ...bindings, NEW_ACCOUNTS }, async () => ({ email, actor: email }));

const create = (isolate: ReturnType<typeof isolateOf>) =>
  isolate.request(KEYS, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ name: "A key" }),
  });

/** The one account that there is, in its own database, as the directory has it. */
async function theAccount(): Promise<string> {
  const accounts = await selectEverywhere<{ id: string }>("SELECT id FROM accounts");
  expect(accounts).toHaveLength(1);
  const [{ id } = { id: "" }] = accounts;
  expect(await databaseOf(id).prepare("SELECT id FROM accounts").first("id")).toBe(id);
  const directory = await env.DB.prepare("SELECT email, account_id FROM owners").all();
  expect(directory.results).toEqual([{ email: EMAIL, account_id: id }]);
  return id;
}

/** Fails the nth call to a database, before or after its work is done. */
function failCall(nth: number, afterwards: boolean): Env {
  let calls = 0;
  const interceptor: Interceptor = async (_, makeCall) => {
    calls += 1;
    if (calls !== nth) return makeCall();
    if (afterwards) await makeCall();
    throw new Error("Network connection lost.");
  };
  return interceptDatabases(env, () => interceptor);
}

describe.each(["0", "1"])("the first visit, with the account in the database %s", (digit) => {
  it("makes one entry in the directory and one account; keys and a form's id are born there", async () => {
    const isolate = isolateOf(digit);
    const { apiKey, key } = await (await create(isolate)).json<{ apiKey: ApiKey; key: string }>();
    const account = await theAccount();
    expect([account.charAt(0), apiKey.id.charAt(0)]).toEqual([digit, digit]);
    const events = await selectEverywhere<{ id: string }>("SELECT id FROM audit_events");
    expect(events.map(({ id }) => id.charAt(0))).toEqual([digit]);
    const html = await (await isolate.request("/account/api-keys/new")).text();
    expect(html.match(/name="newKeyId" value="ibf_(\w)/)?.[1]).toBe(digit);
    const whoami = await createIsolate().request("/tenant/whoami", { headers: { "X-API-Key": key } });
    expect(await whoami.json()).toEqual({ apiKeyId: apiKey.id });
  });

  const failures = [1, 2].flatMap((nth) => [false, true].map((afterwards) => ({ nth, afterwards })));

  it.each(failures)("that fails in its database call %j is completed by the next", async ({ nth, afterwards }) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const failing = isolateOf(digit, failCall(nth, afterwards));
    expect((await failing.request(KEYS)).status).toBe(503);
    // Another isolate, of a deployment that places accounts elsewhere by now; and the same one.
    const other = isolateOf(digit === "0" ? "1" : "0");
    expect((await create(other)).status).toBe(201);
    const account = await theAccount();
    if (nth > 1 || afterwards) expect(account.charAt(0)).toBe(digit);
    for (const isolate of [failing, other, isolateOf(digit)]) {
      const { items } = await (await isolate.request(KEYS)).json<{ items: ApiKey[] }>();
      expect(items.map(({ id }) => bindingOf(id))).toEqual([bindingOf(account)]);
    }
    expect(await theAccount()).toBe(account);
  });
});

it("50 first visits at once, to isolates that place accounts differently, make one account", {
  tags: "slow",
}, async () => {
  const isolates = ["0", "1", "01"].map((digits) => isolateOf(digits));
  const visits = Array.from({ length: 50 }, (_, index) => {
    const isolate = isolates[index % isolates.length] ?? isolateOf("0");
    return index % 2 ? isolate.request(KEYS) : create(isolate);
  });
  const answers = await Promise.all(visits);
  expect(
    answers
      .map(({ status }) => status)
      .toSorted()
      .slice(0, 25),
  ).toEqual(Array(25).fill(200));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
  const account = await theAccount();
  const keys = await selectEverywhere<{ id: string; account_id: string }>("SELECT id, account_id FROM api_keys");
  expect(keys.map(({ id, account_id }) => [id.charAt(0), account_id])).toEqual(
    Array(4).fill([account.charAt(0), account]),
  );
});

it("an account that SQL made in the directory's database is found, and gets its entry", async () => {
  const id = newId("0");
  await env.DB.prepare("INSERT INTO accounts (id, owner_email, created_at) VALUES (?1, ?2, 1)").bind(id, EMAIL).run();
  expect((await isolateOf("1").request(KEYS)).status).toBe(200);
  expect(await theAccount()).toBe(id);
});

it("the owner of an account whose database has no binding any more is refused, and gets no second account", async () => {
  await env.DB.prepare("INSERT INTO owners VALUES (?1, ?2)").bind(EMAIL, newId("z")).run();
  for (const response of [await isolateOf("0").request(KEYS), await create(isolateOf("0"))]) {
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("does not have the database of this account");
  }
  expect(await selectEverywhere("SELECT id FROM accounts")).toEqual([]);
});

it("the directory is asked first, then the account's database; an isolate remembers it, of a bounded number of owners", async () => {
  const known = { ...new KnownOwners(), accounts: new BoundedMap<Identifier>({ max: 2 }) };
  const databases = new Databases();
  const visit = async (email: string) => {
    const asked: string[] = [];
    const noted = interceptDatabases({ ...env, NEW_ACCOUNTS: "1" }, (binding) => (_, makeCall) => {
      asked.push(binding);
      return makeCall();
    });
    const owner = { email, person: email, actor: email, address: null };
    const own = { owner, known, databases, sessions: new Map<string, Session>() };
    const caller = { env: noted, executionCtx: CONTEXT, req: { method: "GET" }, var: own, set: () => {} };
    await visitAccount(caller, listWebhooks);
    return asked.join();
  };
  for (const email of ["a", "b"]) expect(await visit(email)).toBe("DB,DB_1");
  for (const email of ["a", "b"]) expect(await visit(email)).toBe("DB_1");
  const later = [await visit("c"), await visit("b"), await visit("c"), await visit("a")];
  expect(later).toEqual(["DB,DB_1", "DB_1", "DB_1", "DB,DB_1"]);
});

describe("NEW_ACCOUNTS", () => {
  it("places accounts by chance, as often in a database as its digit is repeated", () => {
    const placed = [...Array(8).keys()].map((byte) =>
      chooseNewAccount({ ...env, NEW_ACCOUNTS: "0111" }, () => new Uint8Array([byte])),
    );
    expect(placed.join("")).toBe("01110111");
  });

  it.each(["", "2", "0z", "-", "0,1", "DB_1"])(
    "%j fails Account Settings with the fixed 500, writes nothing, and the log names it",
    async (wrong) => {
      const log = vi.spyOn(console, "error").mockImplementation(() => {});
      const response = await isolateOf(wrong).request(KEYS);
      expect(response.status).toBe(500);
      expect(await response.text()).not.toContain("NEW_ACCOUNTS");
      expect(String(log.mock.calls[0]?.[0].cause)).toContain("NEW_ACCOUNTS");
      expect(await selectEverywhere("SELECT email FROM owners")).toEqual([]);
    },
  );
});

it.each(["0", "1"])(
  "whose account in the database %s was left makes another one when an operator has deleted the entries",
  async (digit) => {
    const isolate = isolateOf(digit);
    const statusOf = async () => (await isolate.request(KEYS)).status;
    await statusOf();
    const account = await theAccount();
    await databaseOf(account).prepare("UPDATE accounts SET owner_email = id").run();
    expect(await statusOf()).toBe(403);
    for (const each of ["0", "1"]) await databaseOf(each).prepare("DELETE FROM owners").run();
    expect(await statusOf()).toBe(200);
    const accounts = await selectEverywhere<{ owner_email: string }>("SELECT owner_email FROM accounts");
    expect(accounts.map(({ owner_email }) => owner_email).toSorted()).toEqual([account, EMAIL].toSorted());
  },
);
