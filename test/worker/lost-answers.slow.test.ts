/**
 * D1 makes the change, and its answer is lost. Nobody knows that then: the answer says that the change may have been made, and sending
 * it again ends in what was wanted. It never says that nothing was stored.
 */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { failStores } from "../support/intercept.ts";
import { interceptDatabases } from "../support/intercept-binding.ts";
import { createIsolate } from "../support/isolate.ts";
import { add, membersOf } from "../support/members.ts";
import { sendAsOperator, withSecret } from "../support/operator.ts";
import { createOwner } from "../support/owner.ts";
import { createPanel } from "../support/panel.ts";
import { createTenant } from "../support/tenant.ts";

/** The answer to each call that has written something is lost. */
function loseAnswers<E extends { readonly DB: D1Database }>(bindings: E): E {
  let written = 0;
  return interceptDatabases(
    bindings,
    () => async (_, makeCall) => {
      const before = written;
      const answer = await makeCall();
      if (written > before) throw new Error("Network connection lost.");
      return answer;
    },
    (results) => {
      for (const { meta } of results) written += meta.rows_written;
    },
  );
}

const UNCERTAIN = /may or may not/;
const CERTAIN = /not stored|not revoked|not saved|not changed|nothing was|still works/i;

beforeEach(() => {
  for (const level of ["warn", "error"] as const) vi.spyOn(console, level).mockImplementation(() => {});
});

async function tellsDoubt(answer: Response): Promise<string> {
  const text = await answer.text();
  expect(answer.status).toBe(503);
  expect(answer.headers.get("Retry-After")).not.toBeNull();
  expect(text).toMatch(UNCERTAIN);
  expect(text).not.toMatch(CERTAIN);
  return text;
}

describe("an owner whose answer is lost", () => {
  it("revokes a key: it is refused, and the answer does not say that the revocation is not stored", async () => {
    const owner = createOwner();
    const { apiKey, key } = await owner.create();
    const loses = createOwner(owner.email, loseAnswers(env));
    expect(await tellsDoubt(await loses.json("DELETE", `/keys/${apiKey.id}`))).toContain(
      "The key is refused from now on.",
    );
    expect((await owner.keys())[0]?.state).toBe("revoked");
    expect(await owner.whoami(key)).toBe(401);
    expect((await owner.json("DELETE", `/keys/${apiKey.id}`)).status).toBe(200);
  });

  it("revokes a key whose Durable Object does not answer either: nothing is certain", async () => {
    const owner = createOwner();
    const { apiKey } = await owner.create();
    const loses = createOwner(owner.email, failStores(loseAnswers(env), "gate"));
    await tellsDoubt(await loses.json("DELETE", `/keys/${apiKey.id}`));
    expect((await owner.keys())[0]?.state).toBe("revoked");
  });

  it("by the page of a key, of webhooks, of members and of tokens", async () => {
    const owner = createOwner();
    const { apiKey } = await owner.create();
    const { webhook } = await (await owner.json("POST", "/webhooks", { url: "https://crm.example.com/" })).json<{
      webhook: { id: string };
    }>();
    const person = createOwner();
    await add(owner, person);
    const { items } = await membersOf(owner);
    const member = items.find(({ email }) => email === person.email);
    const loses = () => createOwner(owner.email, loseAnswers(env));
    await tellsDoubt(await loses().submit(`/api-keys/${apiKey.id}/revoke`, {}));
    await tellsDoubt(await loses().submit(`/webhooks/${webhook.id}`, { do: "delete" }));
    await tellsDoubt(await loses().submit(`/members/${member?.id}/remove`, {}));
    await tellsDoubt(await loses().submit("/tokens/end", {}));
    expect((await owner.keys())[0]?.state).toBe("revoked");
    expect((await membersOf(owner)).items).toHaveLength(1);
    expect((await owner.submit("/tokens/end", {})).status).toBe(303);
  });

  it("ends tokens, a webhook and a membership by their scripts", async () => {
    const owner = createOwner();
    const { webhook } = await (await owner.json("POST", "/webhooks", { url: "https://crm.example.com/" })).json<{
      webhook: { id: string };
    }>();
    const loses = () => createOwner(owner.email, loseAnswers(env));
    await tellsDoubt(await loses().json("DELETE", `/webhooks/${webhook.id}`));
    await tellsDoubt(await loses().json("POST", "/tokens/end"));
    expect((await owner.json("POST", "/tokens/end")).status).toBe(200);
  });
});

it("a tenant ends a panelist's tokens, a board's visitor tokens and its signing secret", async () => {
  const panel = await createPanel();
  const { id } = await panel.panelist();
  const path = `/tenant/ideabanks/${panel.bank.id}`;
  const ends: [string, string][] = [
    ["DELETE", `/tenant/panelists/${id}/tokens`],
    ["DELETE", `${path}/visitor-tokens`],
    ["POST", `${path}/signing-secret/rotate`],
    ["DELETE", `/tenant/panelists/${id}`],
  ];
  for (const [method, each] of ends) {
    const tenant = await createTenant({ accountId: panel.bank.accountId }, createIsolate(loseAnswers(env)));
    await tellsDoubt(await tenant.send(method, each, method === "POST" ? {} : undefined));
  }
  // The row of the panelist has gone with the answer that was lost.
  expect((await panel.tenant.send("GET", `/tenant/panelists/${id}`)).status).toBe(403);
});

it("a panelist's comment and the operator's suspension say the same", async () => {
  const panel = await createPanel();
  const { token } = await panel.panelist();
  const commented = await createIsolate(loseAnswers(env)).request(
    `/ideabank/proposals/${await panel.propose()}/comments`,
    {
      method: "POST",
      headers: { Authorization: token, "Content-Type": "application/json" },
      body: '{"body":"A comment"}',
    },
  );
  await tellsDoubt(commented);
  const suspended = await sendAsOperator(
    "PUT",
    "/operator/account-status",
    { account: panel.bank.accountId, status: "suspended" },
    loseAnswers(withSecret),
  );
  await tellsDoubt(suspended);
});
