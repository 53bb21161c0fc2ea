/** Members who are removed between two calls to the database of one request of theirs: nothing is done after the removal, and they are told so. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { Member } from "../../../src/worker/model/member.ts";
import { selectEverywhere } from "../../support/databases.ts";
import { interceptDatabases } from "../../support/intercept-binding.ts";
import { add, invite, pair } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";

/** An account with a key, a webhook, a proposal that waits for approval, its maker, a member, and one more. */
async function createScene() {
  const { founder, member, id, here, accountId, apiKey, key } = await pair("0");
  const third = await (await add(founder, createOwner())).json<Member>();
  const hook = await founder.json("POST", "/webhooks", { url: "https://crm.example.com/" });
  const { webhook } = await hook.json<{ webhook: { id: string } }>();
  const tenant = async (path: string, body: object) => {
    const headers = { "X-API-Key": key, "Content-Type": "application/json" };
    const sent = await founder.isolate.request(path, { method: "POST", headers, body: JSON.stringify(body) });
    return (await sent.json<{ id: string }>()).id;
  };
  const bank = await tenant("/tenant/ideabanks", { name: "Ideas", status: "OPEN" });
  const proposal = await tenant(`/tenant/ideabanks/${bank}/proposals`, { title: "Dogs", visibility: "pending" });
  return { founder, member, id, here, accountId, apiKey, third, webhook, bank, proposal };
}
type Scene = Awaited<ReturnType<typeof createScene>>;
type Owner = ReturnType<typeof createOwner>;

const TABLES = [
  "accounts",
  "members",
  "invitations",
  "api_keys",
  "webhooks",
  "idea_banks",
  "proposals",
  "audit_events",
];
/** The columns that deliveries write. They go on after an answer, whoever is removed then. */
const OF_DELIVERIES = ["number", "due_at", "claimed_until", "recent"];
const everything = async () => {
  const tables = await Promise.all(TABLES.map((table) => selectEverywhere(`SELECT * FROM ${table}`)));
  return tables.map((rows, index) =>
    TABLES[index] === "webhooks"
      ? rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !OF_DELIVERIES.includes(name))))
      : rows,
  );
};

const REQUESTS: Record<string, (who: Owner, scene: Scene) => Promise<Response>> = {
  "creates a key": (who, { here }) => who.json("POST", `/keys${here}`, { name: "Late" }),
  "changes a key": (who, { here, apiKey }) => who.json("PATCH", `/keys/${apiKey.id}${here}`, { limit: 1 }),
  "rotates a key": (who, { here, apiKey }) => who.json("POST", `/keys/${apiKey.id}/rotate${here}`, {}),
  "revokes a key": (who, { here, apiKey }) => who.json("DELETE", `/keys/${apiKey.id}${here}`),
  "invites a member": (who, { here }) => invite(who, "fourth@example.com", here),
  "removes a member": (who, { here, third }) => who.json("DELETE", `/members/${third.id}${here}`),
  "changes the settings": (who, { here }) => who.json("PUT", `/settings${here}`, { leakedKeys: "mark" }),
  "makes a webhook": (who, { here }) => who.json("POST", `/webhooks${here}`, { url: "https://b.example.com/" }),
  "changes a webhook": (who, { here, webhook }) => who.json("PATCH", `/webhooks/${webhook.id}${here}`, { types: null }),
  "deletes a webhook": (who, { here, webhook }) => who.json("DELETE", `/webhooks/${webhook.id}${here}`),
  "approves a proposal": (who, { here, bank, proposal }) =>
    who.submit(`/idea-banks/${bank}/ideas/${proposal}${here}`, { do: "approve" }),
  "approves several at once": (who, { here, bank, proposal }) =>
    who.submit(`/ideas${here}`, { ids: `${bank}-${proposal}-0`, do: "public" }),
  "deletes an idea bank": (who, { here, bank }) => who.submit(`/idea-banks/${bank}/settings${here}`, { do: "delete" }),
};

it.each(Object.keys(REQUESTS).flatMap((what) => (["member", "founder"] as const).map((who) => [who, what] as const)))(
  "a %s who %s is removed after any of the calls",
  async (who, what) => {
    for (let after = 1, calls = 1; after <= calls; after++) {
      const scene = await createScene();
      const { founder, member, id, here, accountId } = scene;
      const remove = () =>
        who === "member"
          ? founder.json("DELETE", `/members/${id}`)
          : member.json("DELETE", `/members/${accountId}${here}`);
      let then: unknown;
      calls = 0;
      const slow = interceptDatabases(env, () => async (_, makeCall) => {
        const answer = await makeCall();
        calls += 1;
        if (calls === after) {
          expect((await remove()).status).toBe(204);
          then = await everything();
        }
        return answer;
      });
      const late = createOwner(scene[who].email, slow, "0");
      const answer = await REQUESTS[what]?.(late, scene);
      expect(await everything()).toEqual(then);
      // Or it was done before.
      if (answer?.status !== 403) expect(answer?.status).toBeLessThan(400);
    }
  },
);

it.each(Object.keys(REQUESTS))(
  "a member %s, though the one who has made the account is removed after any of the calls: it is done, or to be sent again",
  async (what) => {
    for (let after = 1, calls = 1; after <= calls; after++) {
      const scene = await createScene();
      const { member, here, accountId } = scene;
      let then: unknown;
      calls = 0;
      const slow = interceptDatabases(env, () => async (_, makeCall) => {
        const answer = await makeCall();
        calls += 1;
        if (calls === after) {
          expect((await member.json("DELETE", `/members/${accountId}${here}`)).status).toBe(204);
          then = await everything();
        }
        return answer;
      });
      const answer = await REQUESTS[what]?.(createOwner(member.email, slow, "0"), scene);
      const isDone = answer?.ok || answer?.status === 303;
      if (!isDone) {
        expect([after, answer?.status, answer?.headers.get("Retry-After")]).toEqual([after, 503, "1"]);
        expect(await everything()).toEqual(then);
      }
      if (["creates a key", "makes a webhook"].includes(what)) expect([after, answer?.status]).toEqual([after, 201]);
    }
  },
);
