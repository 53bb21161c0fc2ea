/** The operator suspends and resumes an account: it is true everywhere when it is answered. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { bindingOf, databaseOf } from "../../support/databases.ts";
import { hangStores, holdTimers } from "../../support/hang.ts";
import { failStores } from "../../support/intercept.ts";
import { interceptDatabase } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { sendAsOperator, withSecret } from "../../support/operator.ts";
import { createOwner } from "../../support/owner.ts";
import { createTenant } from "../../support/tenant.ts";
import { addIdeaBank } from "../../support/world.ts";

const PATH = "/operator/account-status";

const send = (body: object | string, bindings = withSecret) => sendAsOperator("PUT", PATH, body, bindings);

/** Two keys in use, in isolates that know them. */
async function createAccount() {
  const bank = await addIdeaBank();
  const { accountId } = bank;
  const keys = [await createTenant({ accountId }), await createTenant({ accountId })];
  await createTenant({ accountId, revokedAt: 1 });
  await createTenant({ accountId, expiresAt: 1 });
  const statuses = () => Promise.all(keys.map(async (tenant) => (await tenant.send("GET", "/tenant/surveys")).status));
  expect(await statuses()).toEqual([200, 200]);
  const email = `${accountId}@example.com`.toLowerCase();
  await databaseOf(accountId)
    .prepare("UPDATE accounts SET owner_email = ?2 WHERE id = ?1")
    .bind(accountId, email)
    .run();
  return { accountId, bank, keys, statuses, email };
}

describe("suspending an account", () => {
  it("is true for each of its keys, in every isolate, when it is answered; resuming too", {
    tags: "slow",
  }, async () => {
    const { accountId, statuses, email } = await createAccount();
    const other = await createAccount();
    const suspended = await send({ account: email.toUpperCase(), status: "suspended" });
    expect(await suspended.json()).toEqual({ accountId, status: "suspended", apiKeys: 2, sessionsEnded: true });
    expect(await statuses()).toEqual([403, 403]);
    expect(await other.statuses()).toEqual([200, 200]);
    const resumed = await send({ account: accountId, status: "active" });
    expect(await resumed.json()).toEqual({ accountId, status: "active", apiKeys: 2, sessionsEnded: null });
    expect(await statuses()).toEqual([200, 200]);
  });

  it("is in the activity, by the operator; saying it again is not", { tags: "slow" }, async () => {
    const { accountId, email } = await createAccount();
    for (const status of ["suspended", "suspended", "active", "active"]) await send({ account: accountId, status });
    const owner = createOwner(email);
    expect((await owner.events()).map(({ event, actor }) => [event, actor])).toEqual([
      ["account-resumed", "the operator"],
      ["account-suspended", "the operator"],
    ]);
    const words = (await (await owner.page("/activity")).text()).replace(/<[^>]*>/g, "");
    for (const part of ["Account suspended", "Account resumed", "the operator"]) expect(words).toContain(part);
  });

  it("is not kept from an account by a database that is down and has it not", { tags: "slow" }, async () => {
    const { accountId, email } = await createAccount();
    expect(bindingOf(accountId)).toBe("DB_1");
    const down = interceptDatabase(env.DB, () => Promise.reject(new Error("Network connection lost.")));
    for (const account of [accountId, email]) {
      const answer = await send({ account, status: "suspended" }, { ...withSecret, DB: down });
      // The directory is in that database, and nobody uses a session meanwhile.
      expect(await answer.json()).toEqual({ accountId, status: "suspended", apiKeys: 2, sessionsEnded: false });
    }
    expect((await send({ account: "nobody@example.com", status: "active" }, { ...withSecret, DB: down })).status).toBe(
      503,
    );
  });

  it("reaches the gates of keys that were revoked a moment ago: theirs may not have heard of it", {
    tags: "slow",
  }, async () => {
    const { accountId, keys, statuses } = await createAccount();
    const [first] = keys;
    await databaseOf(accountId)
      .prepare("UPDATE api_keys SET revoked_at = ?2 WHERE id = ?1")
      .bind(first?.id, Date.now() - 60_000)
      .run();
    expect(await statuses()).toEqual([200, 200]);
    const suspended = await send({ account: accountId, status: "suspended" });
    expect(await suspended.json()).toMatchObject({ apiKeys: 2 });
    expect(await statuses()).toEqual([401, 403]);
  });

  it("closes every capability to panelists", { tags: "slow" }, async () => {
    const { bank, accountId } = await createAccount();
    const capabilities = async () => {
      const response = await createIsolate().request("/ideabank", { headers: { Authorization: bank.token } });
      const { capabilities } = await response.json<{ capabilities: Record<string, boolean> }>();
      return new Set(Object.values(capabilities));
    };
    expect(await capabilities()).toEqual(new Set([true]));
    await send({ account: accountId, status: "suspended" });
    expect(await capabilities()).toEqual(new Set([false]));
  });

  it("again is harmless", { tags: "slow" }, async () => {
    const { accountId, statuses } = await createAccount();
    for (let times = 0; times < 2; times++) {
      expect((await send({ account: accountId, status: "suspended" })).status).toBe(200);
    }
    expect(await statuses()).toEqual([403, 403]);
  });

  it("of an unknown account is 404, and of a wrong body 400", async () => {
    for (const account of ["nobody@example.com", "nobody"]) {
      expect((await send({ account, status: "suspended" })).status).toBe(404);
    }
    for (const body of ["{", {}, { account: "x", status: "gone" }, { account: "x", status: "active", more: 1 }]) {
      expect((await send(body)).status).toBe(400);
    }
  });
});

describe("when a gate", () => {
  it("fails, the answer is 503 and says what is certain; sending it again completes it", { tags: "slow" }, async () => {
    const { accountId, statuses } = await createAccount();
    const body = { account: accountId, status: "suspended" };
    vi.spyOn(console, "error").mockImplementation(() => {});
    const response = await send(body, failStores(withSecret, "gate"));
    expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "1"]);
    const { detail } = await response.json<{ detail: string }>();
    expect(detail).toContain("The account is suspended, but the gates of 2 of its 2 API keys did not answer, ");
    expect((await send(body)).status).toBe(200);
    expect(await statuses()).toEqual([403, 403]);
  });

  it("hangs, the answer comes within ten seconds", async () => {
    const { accountId } = await createAccount();
    vi.spyOn(console, "error").mockImplementation(() => {});
    holdTimers();
    const hanging = hangStores(withSecret, "gate");
    const answered = vi.fn();
    const answer = send({ account: accountId, status: "suspended" }, hanging.env).finally(answered);
    await hanging.reached;
    await vi.advanceTimersByTimeAsync(9_999);
    expect(answered).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect((await answer).status).toBe(503);
  });
});
