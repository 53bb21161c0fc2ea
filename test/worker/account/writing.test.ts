/** Who writes an official response: for colleagues, on the idea's page and in the queue. */
import { afterEach, expect, it, vi } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { add } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";

afterEach(() => {
  vi.useRealTimers();
});

const SAYS = "Ana is writing a response.";

/** A desk with a colleague who is called Ana, and an idea. */
async function createScene() {
  const desk = await createDesk();
  const { accountId } = desk.panel.bank;
  const ana = createOwner();
  const { id: anaId } = await (await add(desk.owner, ana)).json<{ id: string }>();
  await databaseOf(accountId).prepare("UPDATE members SET name = 'Ana' WHERE id = ?1").bind(anaId).run();
  const idea = await desk.panel.propose({ title: "Night buses" });
  const path = `${desk.bank}/ideas/${idea}`;
  return {
    ...{ ...desk, accountId, ana, anaId, idea, path },
    anaWrites: (to = path) => ana.submit(`${to}/writing?account=${accountId}`, {}),
    rows: async () => (await databaseOf(accountId).prepare("SELECT * FROM writing_members").all()).results,
  };
}

it("a colleague reads who is writing, on the idea's page and in its row; the one who writes does not", {
  tags: "slow",
}, async () => {
  const { panel, bank, page, owner, ana, accountId, path, anaWrites } = await createScene();
  const other = await panel.propose({ title: "Dogs" });
  expect(await page(path)).not.toContain("is writing");
  expect(await (await anaWrites()).json()).toEqual({ words: "" });
  expect(await page(path)).toContain(`>${SAYS}</p>`);
  expect(await page(bank)).toContain(">Ana is writing a response</bdi>");
  expect(await page(`${bank}/ideas/${other}`)).not.toContain("is writing");
  expect(await (await ana.page(`${path}?account=${accountId}`)).text()).not.toContain("is writing");
  // Whoever begins as well learns of it with the first letters.
  expect(await (await owner.submit(`${path}/writing`, {})).json()).toEqual({ words: SAYS });
});

it("is over with the response, after three minutes, with another idea, and when the colleague leaves", {
  tags: "slow",
}, async () => {
  const { panel, page, bank, owner, ana, anaId, accountId, path, anaWrites, rows } = await createScene();
  await anaWrites();
  await ana.submit(`${path}?account=${accountId}`, { do: "decide", response: "From May on.", status: "planned" });
  expect(await page(path)).not.toContain("is writing");
  const other = `${bank}/ideas/${await panel.propose({ title: "Dogs" })}`;
  await anaWrites(other);
  expect(await page(other)).toContain(SAYS);
  const third = `${bank}/ideas/${await panel.propose({ title: "Cats" })}`;
  await anaWrites(third);
  expect(await page(other)).not.toContain("is writing");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3 * 60_000 + 1_000 });
  expect(await page(third)).not.toContain("is writing");
  vi.useRealTimers();
  expect(await rows()).toHaveLength(1);
  await owner.json("DELETE", `/members/${anaId}`);
  expect(await rows()).toEqual([]);
});

it("is over when the text is discarded", async () => {
  const { page, ana, accountId, path, anaWrites } = await createScene();
  await anaWrites();
  expect((await ana.submit(`${path}/writing?account=${accountId}`, { ends: "" })).status).toBe(200);
  expect(await page(path)).not.toContain("is writing");
});

it("is said where the page of a member of several accounts says it", { tags: "slow" }, async () => {
  const { ana, accountId, path } = await createScene();
  await ana.keys();
  const html = await (await ana.page(`${path}?account=${accountId}`)).text();
  expect(html).toContain(`data-writing="/account${path}/writing?account=${accountId}"`);
});

it("is not said about other accounts' ideas, nor by viewers and strangers", { tags: "slow" }, async () => {
  const { accountId, anaId, path, anaWrites, rows } = await createScene();
  const elsewhere = await createScene();
  expect((await anaWrites(elsewhere.path)).status).toBe(404);
  expect(await rows()).toEqual([]);
  expect((await createOwner().submit(`${path}/writing?account=${accountId}`, {})).status).toBe(403);
  await databaseOf(accountId).prepare("UPDATE members SET role = 'viewer' WHERE id = ?1").bind(anaId).run();
  expect((await anaWrites()).status).toBe(403);
  expect(await rows()).toEqual([]);
});
