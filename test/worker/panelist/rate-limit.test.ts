/** Panelists' rates: 30 writes (and 300 reads of proposals: rate-of-reads.slow.test.ts) in 60 s, by Cloudflare's binding, which a minute of the clock resets. */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { createIsolate } from "../../support/isolate.ts";
import { interceptLimits } from "../../support/limits.ts";
import { CHANGELOG, createPanel, PROPOSALS, sendWith } from "../../support/panel.ts";

// However the minutes fall, twice the limit and one more is too much for one of two minutes.
it("lets 30 writes pass and no more than 30 in a minute; reads, other panelists and the changelog go on", {
  tags: "slow",
}, async () => {
  const panel = await createPanel();
  const [panelist, other] = [await panel.panelist(), await panel.panelist()];
  const path = `${PROPOSALS}/${await panel.propose()}/vote`;
  const statuses = [];
  for (let times = 0; times < 61; times++) {
    const response = await panelist.send(times % 2 ? "DELETE" : "PUT", path);
    statuses.push(response.status);
    expect(response.headers.get("RateLimit-Policy")).toBe('"panelist-writes";q=30;w=60');
    if (response.status === 429) expect(response.headers.get("Retry-After")).toMatch(/^[1-9]\d*$/);
  }
  expect((await panelist.send("GET", PROPOSALS)).headers.get("RateLimit-Policy")).toBe('"panelist-reads";q=300;w=60');
  expect(statuses.slice(0, 30)).toEqual(Array(30).fill(200));
  expect(statuses.slice(30)).toContain(429);
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(60);
  for (const read of [PROPOSALS, "/ideabank", CHANGELOG]) expect((await panelist.send("GET", read)).status).toBe(200);
  expect((await other.send("PUT", path)).status).toBe(200);
});

it("lets every request pass when the binding fails, and warns of it", { tags: "slow" }, async () => {
  const warnings = vi.spyOn(console, "warn").mockImplementation(() => {});
  const failing = interceptLimits(env, () => Promise.reject(new Error("injected fault")));
  const panel = await createPanel({}, createIsolate(failing));
  const { send } = await panel.panelist();
  const path = `${PROPOSALS}/${await panel.propose()}/vote`;
  for (let times = 0; times < 35; times++) expect((await send("PUT", path)).status).toBe(200);
  expect(warnings).toHaveBeenCalledTimes(35);
});

it("waits a second for a binding that hangs, and lets the request pass", { tags: "slow" }, async () => {
  let asked = 0;
  const hanging = interceptLimits(env, () => {
    asked += 1;
    return new Promise(() => {});
  });
  const panel = await createPanel({}, createIsolate(hanging));
  const { send } = await panel.panelist();
  const id = await panel.propose();
  const answers = await Promise.all([send("PUT", `${PROPOSALS}/${id}/vote`), send("GET", PROPOSALS)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(asked).toBe(2);
});

it("counts nothing for a token that is not valid", async () => {
  const asked: string[] = [];
  const watched = interceptLimits(env, ({ key }, makeCall) => {
    asked.push(key);
    return makeCall();
  });
  const { bank } = await createPanel();
  for (const token of ["", "ibt_no", `${bank.token.slice(0, -1)}_`])
    expect((await sendWith(createIsolate(watched), token)("GET", PROPOSALS)).status).toBe(401);
  expect(asked).toEqual([]);
});

it("counts a token that was revoked once: who holds it takes nothing from its panelist's new one", {
  tags: "slow",
}, async () => {
  const asked: string[] = [];
  const watched = interceptLimits(env, ({ key }, makeCall) => {
    asked.push(key);
    return makeCall();
  });
  const panel = await createPanel({}, createIsolate(watched));
  const { id, token } = await panel.panelist();
  await panel.tenant.send("DELETE", `/tenant/panelists/${id}/tokens`);
  const path = `${PROPOSALS}/${await panel.propose()}/vote`;
  const old = sendWith(panel.isolate, token);
  for (let times = 0; times < 61; times++) expect((await old("PUT", path)).status).toBe(401);
  expect(asked).toEqual([id]);
  const issued = await panel.tenant.send("POST", `/tenant/ideabanks/${panel.bank.id}/tokens`, { panelistId: id });
  const renewed = sendWith(panel.isolate, (await issued.json<{ token: string }>()).token);
  expect((await renewed("PUT", path)).status).toBe(200);
});
