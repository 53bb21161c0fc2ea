/** `/` leads to the one public page of the deployment. Everything else is the start page as it was. */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { hangStores } from "../../support/hang.ts";
import { interceptDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createTenant } from "../../support/tenant.ts";

async function addPage(fields: object = {}) {
  const { send, accountId } = await createTenant();
  const body = { name: "Rider ideas", status: "OPEN", publicPage: true, ...fields };
  const { id } = await (await send("POST", "/tenant/ideabanks", body)).json<{ id: string }>();
  return { id, accountId, change: (changes: object) => send("PATCH", `/tenant/ideabanks/${id}`, changes) };
}

/** As every answer of the Worker has them. */
const SAFE = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "strict-transport-security": "max-age=31536000",
  "x-content-type-options": "nosniff",
};

/** Where `/` leads, asked by an isolate that knows nothing yet; the status where it leads nowhere. */
async function ask(bindings: Env = env) {
  const { status, headers } = await createIsolate(bindings).request("/");
  return headers.get("Location") ?? status;
}

it("leads to the page while it is the only one that is open, and no cache keeps that", { tags: "slow" }, async () => {
  expect(await ask()).toBe(200);
  const { id, change } = await addPage();
  const answer = await createIsolate().request("/");
  expect([answer.status, answer.headers.get("Location"), answer.headers.get("Cache-Control")]).toEqual([
    302,
    `https://api.example/b/${id}/rider-ideas`,
    "no-store",
  ]);
  expect(Object.fromEntries(answer.headers)).toMatchObject(SAFE);
  expect(await ask({ ...env, PAGES_HOST: "ideas.example" })).toBe(`https://ideas.example/b/${id}/rider-ideas`);
  await change({ status: "CLOSED" });
  expect(await ask()).toBe(200);
});

it("leads nowhere while there are several, in one database or in two", async () => {
  const [first, second] = [await addPage(), await addPage()];
  expect(await ask()).toBe(200);
  // The start page leads to much that the host of pages does not have.
  const none = await createIsolate({ ...env, PAGES_HOST: "api.example" }).request("/");
  expect([none.status, Object.fromEntries(none.headers)]).toMatchObject([404, SAFE]);
  await second.change({ publicPage: false });
  expect(await ask()).toBe(`https://api.example/b/${first.id}/rider-ideas`);
});

it("leads to no page of a suspended account", async () => {
  const { accountId } = await addPage();
  await databaseOf(accountId).prepare("UPDATE accounts SET status = 'suspended' WHERE id = ?").bind(accountId).run();
  expect(await ask()).toBe(200);
});

it("shows the board that START_PAGE_TOKEN names", async () => {
  await addPage();
  expect(await ask({ ...env, START_PAGE_TOKEN: "ibv_0Board" })).toBe(200);
});

it("asks the databases once a minute", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const { id } = await addPage();
  let calls = 0;
  const counted = interceptDatabases(env, () => (_, makeCall) => {
    calls += 1;
    return makeCall();
  });
  const { request } = createIsolate(counted);
  const leadsTo = async () => (await request("/")).headers.get("Location");
  expect([await leadsTo(), calls]).toEqual([`https://api.example/b/${id}/rider-ideas`, 2]);
  vi.setSystemTime(Date.now() + 59_000);
  expect([await leadsTo(), calls]).toEqual([`https://api.example/b/${id}/rider-ideas`, 2]);
  vi.setSystemTime(Date.now() + 1_000);
  expect([await leadsTo(), calls]).toEqual([`https://api.example/b/${id}/rider-ideas`, 4]);
});

it("is the start page while a database fails, or lacks the column", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  await addPage();
  for (const message of ["D1_ERROR: Network connection lost.", "D1_ERROR: no such column: SQLITE_ERROR"])
    expect(await ask(interceptDatabases(env, () => () => Promise.reject(new Error(message))))).toBe(200);
});

it("is the start page a second later while a database hangs", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  await addPage();
  const { env: hanging, reached } = hangStores(env, "d1");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  const began = Date.now();
  let answeredAt = Number.NaN;
  const answer = createIsolate(hanging).request("/", {}, hanging, () => {
    answeredAt = Date.now() - began;
  });
  await reached;
  // The read itself goes on until its own deadline.
  await vi.advanceTimersByTimeAsync(20_000);
  expect([(await answer).status, answeredAt]).toEqual([200, 1_000]);
});
