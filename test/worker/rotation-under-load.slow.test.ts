/** A rotation of the signing secret under load, with which no request fails. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createOwner } from "../support/owner.ts";
import { addAccount, addApiKey, addIdeaBank } from "../support/world.ts";

const SECOND = "the second slot's secret has 32 characters";

type Slots = { CREDENTIAL_SECRETS?: string; CREDENTIAL_SECRETS_2?: string; SIGNING_SECRETS?: string };
const withSlots = (slots: Slots): Env => Object.assign({}, env, slots);

describe("a rotation under load", () => {
  const FIRST = { CREDENTIAL_SECRETS: env.CREDENTIAL_SECRETS };
  const BOTH = { ...FIRST, CREDENTIAL_SECRETS_2: SECOND };
  const SWITCHED = { ...BOTH, SIGNING_SECRETS: "CREDENTIAL_SECRETS_2" };

  /** Deploys each stage to one location after the other, with requests everywhere meanwhile. Returns the statuses, counted. */
  async function rotate(stages: readonly Slots[]) {
    // The directory of owners finds the account by its address.
    const accountId = await addAccount({ digit: "0" });
    const owner = `${accountId}@example.com`;
    const locations = [0, 1, 2].map(() => createOwner(owner, withSlots(FIRST)));
    const statuses = new Map<number, number>();
    let [turn, choice] = [0, 0];
    const anywhere = () => locations[turn++ % locations.length] ?? createOwner(owner);
    const send = async (path: string, init: RequestInit, at = anywhere()) => {
      const response = await at.isolate.request(path, init);
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      return response;
    };
    const { key, apiKey } = await anywhere().create();
    const old = await addApiKey({ accountId, limit: 10_000 });
    const banks = [await addIdeaBank({ accountId }), await addIdeaBank({ accountId })];
    const [keys, tokens] = [[key, old.text], banks.map(({ token }) => token)];
    const pick = (all: readonly string[]) => all[choice++ % all.length] ?? "";

    /** What clients do all the time, with credentials of any age: use a key, a token, a page's cursor; get a new token. */
    async function client() {
      await send("/tenant/whoami", { headers: { "X-API-Key": pick(keys) } });
      await send("/public/ideabank/changelog", { headers: { Authorization: pick(tokens) } });
      const issued = await send(`/tenant/ideabanks/${banks[0]?.id}/tokens`, {
        method: "POST",
        headers: { "X-API-Key": pick(keys), "Content-Type": "application/json" },
        body: JSON.stringify({ externalId: "one-panelist" }),
      });
      if (issued.ok) {
        const { token } = await issued.json<{ token: string }>();
        tokens.push(token);
        for (const location of locations) {
          await send("/public/ideabank/changelog", { headers: { Authorization: token } }, location);
        }
      }
      const headers = { "X-API-Key": pick(keys) };
      const page = await (await send("/tenant/ideabanks?limit=1", { headers })).json<{ nextCursor?: string }>();
      await send(`/tenant/ideabanks?limit=1&cursor=${page.nextCursor}`, { headers });
    }

    for (const stage of stages) {
      for (let index = 0; index < locations.length; index++) {
        locations[index] = createOwner(owner, withSlots(stage));
        await Promise.all(Array.from({ length: 6 }, client));
      }
    }
    // The owner replaces a key: what the new secret signs is a key too.
    const rotated = await anywhere().json("POST", `/keys/${apiKey.id}/rotate`, { graceSeconds: 3600 });
    keys.push((await rotated.json<{ key: string }>()).key);
    await Promise.all(Array.from({ length: 6 }, client));
    return statuses;
  }

  it("no request fails: the new secret is everywhere before it signs, and the old one goes on verifying", async () => {
    const statuses = await rotate([BOTH, SWITCHED]);
    expect([...statuses.keys()].toSorted()).toEqual([200, 201]);
    expect(statuses.get(200)).toBeGreaterThan(100);
  });

  it("this load would notice: if the new secret signs at once, tokens are refused where it is not known yet", async () => {
    expect((await rotate([SWITCHED])).get(401)).toBeGreaterThan(0);
  });
});
