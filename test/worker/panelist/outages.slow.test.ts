/** Proposals, votes and comments while D1 or the rate-limiting binding does not answer. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { failStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { addIdeaBank, addProposal } from "../../support/world.ts";

async function createScene(scene: Env) {
  const bank = await addIdeaBank();
  const proposal = await addProposal(bank, { status: "planned" });
  const isolate = createIsolate(scene);
  return (method: string, path: string) =>
    isolate.request(`/ideabank/proposals${path.replace("{id}", proposal)}`, {
      method,
      headers: { Authorization: bank.token },
    });
}

it.each([
  ["GET", ""],
  ["GET", "/{id}"],
  ["PUT", "/{id}/vote"],
  ["DELETE", "/{id}/vote"],
  ["GET", "/{id}/comments"],
])("while D1 is down, %s /ideabank/proposals%s answers 503", async (method, path) => {
  const send = await createScene(failStores(env, "d1"));
  const response = await send(method, path);
  expect(response.status).toBe(503);
  expect(response.headers.get("Retry-After")).toBe("5");
});

describe.each([
  ["fails", () => Promise.reject(new Error("injected fault"))],
  ["hangs", () => new Promise<never>(() => {})],
])("while the rate-limiting binding %s", (_, limit) => {
  it("requests are admitted", async () => {
    const send = await createScene({ ...env, PANELIST_READS: { limit }, PANELIST_WRITES: { limit } });
    expect((await send("GET", "")).status).toBe(200);
    expect((await send("PUT", "/{id}/vote")).status).toBe(200);
  });
});
