/** The rates of an owner's changes (OWNER_WRITES) and reads (OWNER_READS), and what they never refuse. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { createDesk } from "../../support/desk.ts";
import { pair } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";

/** Until the real binding refuses this person. */
async function useUp(person: string, binding = env.OWNER_WRITES): Promise<number> {
  let times = 0;
  while ((await binding.limit({ key: person })).success) times += 1;
  return times;
}

const minute = () => Math.floor(Date.now() / 60_000);

/** Each minute of the clock resets the local binding. If one began meanwhile, what fails is done again, with people of its own. */
const inOneMinute = (test: () => Promise<void>) => async () => {
  for (let began = minute(); ; began = minute()) {
    try {
      return await test();
    } catch (error) {
      if (minute() === began) throw error;
    }
  }
};

it(
  "120 changes a minute of a person are made; the next is 429, as a problem and as a page, and nobody else's",
  inOneMinute(async () => {
    const [owner, other] = [createOwner(), createOwner()];
    await owner.create("First");
    expect(await useUp(owner.email)).toBe(119);
    const refused = await owner.json("POST", "/keys", { name: "One too many" });
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "60"]);
    expect(await refused.json()).toMatchObject({ error: "too-many-requests", "violated-policies": ["owner-writes"] });
    const page = await owner.submit("/idea-banks", { name: "A board" });
    const html = await page.text();
    expect([page.status, html.includes("Too much at once"), html.includes("Wait a minute, then try again.")]).toEqual([
      429,
      true,
      true,
    ]);
    expect((await owner.keys()).map(({ name }) => name)).toEqual(["First"]);
    expect((await other.json("POST", "/keys", { name: "Mine" })).status).toBe(201);
  }),
);

it(
  "revoking, pausing, narrowing, removing, deleting and ending tokens are not refused; what takes them back is",
  inOneMinute(async () => {
    const { founder, id, apiKey, here: _ } = await pair("1");
    const { apiKey: another } = await founder.create("Another");
    const { webhook } = await (await founder.json("POST", "/webhooks", { url: "https://crm.example.com/" })).json<{
      webhook: { id: string };
    }>();
    const invited = await (await founder.json("POST", "/members", { email: "x@example.com" })).json<{ id: string }>();
    await useUp(founder.email);
    expect((await founder.json("PATCH", `/keys/${apiKey.id}`, { paused: true })).status).toBe(200);
    expect((await founder.json("PATCH", `/keys/${apiKey.id}`, { paused: false })).status).toBe(429);
    expect((await founder.json("PATCH", `/keys/${apiKey.id}`, { name: "Renamed" })).status).toBe(429);
    expect((await founder.json("PATCH", `/keys/${apiKey.id}`, { limit: 1 })).status).toBe(200);
    expect((await founder.submit(`/api-keys/${apiKey.id}/revoke`, {})).status).toBe(303);
    expect((await founder.json("DELETE", `/keys/${another.id}`)).status).toBe(200);
    expect((await founder.json("PATCH", `/webhooks/${webhook.id}`, { paused: true })).status).toBe(200);
    expect((await founder.json("PATCH", `/webhooks/${webhook.id}`, { paused: false })).status).toBe(429);
    const elsewhere = { paused: true, url: "https://crm.example.com/elsewhere" };
    expect((await founder.json("PATCH", `/webhooks/${webhook.id}`, elsewhere)).status).toBe(429);
    expect((await founder.submit(`/webhooks/${webhook.id}`, { do: "rotate" })).status).toBe(429);
    expect((await founder.submit(`/webhooks/${webhook.id}`, { do: "test" })).status).toBe(429);
    expect((await founder.submit(`/webhooks/${webhook.id}`, { do: "delete" })).status).toBe(303);
    expect((await founder.json("DELETE", `/members/${invited.id}`)).status).toBe(204);
    expect((await founder.submit(`/members/${id}/remove`, {})).status).toBe(303);
    expect((await founder.json("POST", "/tokens/end")).status).toBe(200);
    expect((await founder.submit("/tokens/end", {})).status).toBe(303);
  }),
);

it(
  "a person is blocked, loses tokens and is deleted, however many changes were made; unblocking waits",
  inOneMinute(async () => {
    const { panel, owner } = await createDesk();
    const { id } = await panel.panelist("Robin");
    await useUp(owner.email);
    const statuses: number[] = [];
    for (const what of ["end-tokens", "block", "unblock", "delete"])
      statuses.push((await owner.submit(`/people/${id}`, { do: what })).status);
    expect(statuses).toEqual([303, 303, 429, 303]);
  }),
);

it("what is never refused fills the activity with nothing: doing it again is no event, or one in an hour", async () => {
  const owner = createOwner();
  const { apiKey } = await owner.create("First");
  const { webhook } = await (await owner.json("POST", "/webhooks", { url: "https://crm.example.com/" })).json<{
    webhook: { id: string };
  }>();
  for (let times = 0; times < 3; times++) {
    await owner.json("PATCH", `/keys/${apiKey.id}`, { paused: true });
    expect((await owner.json("PATCH", `/webhooks/${webhook.id}`, { paused: true })).status).toBe(200);
    await owner.json("POST", "/tokens/end");
  }
  expect((await owner.events()).map(({ event }) => event).toSorted()).toEqual([
    "changed",
    "created",
    "tokens-ended",
    "webhook-created",
    "webhook-paused",
  ]);
});

it.each([
  ["fails", () => Promise.reject(new Error("the binding fails"))],
  ["hangs", () => new Promise<RateLimitOutcome>(() => {})],
])("while the binding %s, changes are made", async (_, limit) => {
  const owner = createOwner(undefined, { ...env, OWNER_WRITES: { limit } });
  expect((await owner.json("POST", "/keys", { name: "A key" })).status).toBe(201);
});

it(
  "300 reads a minute of a person are answered; the next is 429, as a problem and as a page, and changes go on",
  inOneMinute(async () => {
    const [owner, other] = [createOwner(), createOwner()];
    expect((await owner.json("GET", "/keys")).status).toBe(200);
    expect(await useUp(owner.email, env.OWNER_READS)).toBe(299);
    const refused = await owner.json("GET", "/activity");
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "60"]);
    expect(await refused.json()).toMatchObject({ "violated-policies": ["owner-reads"] });
    expect((await owner.json("HEAD", "/activity")).status).toBe(429);
    const page = await owner.page("/ideas?q=night");
    expect([page.status, (await page.text()).includes("You have opened 300 pages or lists in a minute.")]).toEqual([
      429,
      true,
    ]);
    expect((await owner.json("POST", "/keys", { name: "A key" })).status).toBe(201);
    expect((await other.json("GET", "/keys")).status).toBe(200);
  }),
);

it.each([
  ["fails", () => Promise.reject(new Error("the binding fails"))],
  ["hangs", () => new Promise<RateLimitOutcome>(() => {})],
])("while the binding of reads %s, pages are shown", async (_, limit) => {
  const owner = createOwner(undefined, { ...env, OWNER_READS: { limit } });
  expect((await owner.page("/ideas")).status).toBe(200);
});
