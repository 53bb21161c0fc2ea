/** Members who are removed while a request of theirs is under way. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Digit } from "../../support/databases.ts";
import { interceptDatabases } from "../../support/intercept-binding.ts";
import { membersOf, pair } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";

describe.each<Digit>(["0", "1"])("an account in the database %s", (digit) => {
  it.each([
    ["POST", "/keys", { name: "Too late" }],
    ["POST", "/members", { email: "again@example.com" }],
    ["POST", "/webhooks", { url: "https://crm.example.com/" }],
  ])("takes nothing from who is removed before the body of %s %s has come", async (method, path, body) => {
    const { founder, member, id, here, apiKey } = await pair(digit);
    const removed = Promise.withResolvers<void>();
    const late = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await removed.promise;
        controller.enqueue(new TextEncoder().encode(JSON.stringify(body)));
        controller.close();
      },
    });
    const headers = { "Content-Type": "application/json" };
    const answering = member.isolate.request(`/account/api${path}${here}`, { method, headers, body: late });
    expect((await founder.json("DELETE", `/members/${id}`)).status).toBe(204);
    removed.resolve();
    expect((await answering).status).toBeGreaterThanOrEqual(400);
    expect((await founder.keys()).map((each) => each.id)).toEqual([apiKey.id]);
    expect((await membersOf(founder)).items.map(({ email }) => email)).toEqual([founder.email]);
    expect(await (await founder.json("GET", "/webhooks")).json()).toMatchObject({ items: [] });
  });

  it.each([
    ["POST", "/keys", { name: "Too late" }],
    ["POST", "/members", { email: "again@example.com" }],
    ["POST", "/webhooks", { url: "https://crm.example.com/" }],
    ["PUT", "/settings", { leakedKeys: "mark" }],
    ["GET", "/keys", undefined],
  ])(
    "tells who has made it, and is removed while %s %s is under way, that it is theirs no more",
    { tags: "slow" },
    async (...sent) => {
      const [method, path, body] = sent;
      const { founder, member, accountId, here, apiKey } = await pair(digit);
      let isRemoved = false;
      // The first call says that the account is theirs.
      const slow = interceptDatabases(env, () => async (_, makeCall) => {
        const answer = await makeCall();
        if (!isRemoved) {
          isRemoved = true;
          expect((await member.json("DELETE", `/members/${accountId}${here}`)).status).toBe(204);
        }
        return answer;
      });
      const leaving = createOwner(founder.email, slow, digit);
      const answer = await leaving.json(method, `${path}${here}`, body);
      expect(isRemoved).toBe(true);
      expect([answer.status, (await answer.json<{ detail: string }>()).detail]).toEqual([
        403,
        "You are not a member of this account.",
      ]);
      const keys = await (await member.json("GET", `/keys${here}`)).json<{ items: { id: string }[] }>();
      expect(keys.items.map(({ id }) => id)).toEqual([apiKey.id]);
      expect((await membersOf(member, here)).items).toHaveLength(1);
    },
  );
});
