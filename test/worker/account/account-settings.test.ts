/** The account's settings: each changes alone, and the activity says what it was. */
import { expect, it } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { membersOf } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";

/** Another setting, which none of these requests names. */
const TOLD = { notifiesPeople: true, viewersExport: false, serviceTokenRoles: [] };

async function createScene() {
  const owner = createOwner();
  return {
    owner,
    read: async () => (await owner.json("GET", "/settings")).json(),
    change: async (changes: object) => (await owner.json("PUT", "/settings", changes)).json(),
    changes: async () => (await owner.events()).map(({ event, changes }) => [event, changes]),
  };
}

it("change alone: what is not sent stays, also for a client that knows one of them", async () => {
  const { read, change } = await createScene();
  expect(await read()).toEqual({ leakedKeys: "end", externalIdsAreEmails: false, ...TOLD });
  expect(await change({ externalIdsAreEmails: true })).toEqual({
    leakedKeys: "end",
    externalIdsAreEmails: true,
    ...TOLD,
  });
  expect(await change({ leakedKeys: "mark" })).toEqual({ leakedKeys: "mark", externalIdsAreEmails: true, ...TOLD });
  expect(await change({})).toEqual({ leakedKeys: "mark", externalIdsAreEmails: true, ...TOLD });
  expect(await read()).toEqual({ leakedKeys: "mark", externalIdsAreEmails: true, ...TOLD });
});

it("are in the activity with what they were, and a value that was there already is no event", async () => {
  const { owner, change, changes } = await createScene();
  await change({ externalIdsAreEmails: true });
  await change({ externalIdsAreEmails: true });
  await change({ leakedKeys: "end" });
  expect(await changes()).toEqual([
    ["changed", { before: { externalIdsAreEmails: false }, after: { externalIdsAreEmails: true } }],
  ]);
  expect(await (await owner.page("/activity")).text()).toContain("IDs are verified email addresses: no → yes.");
  await change({ leakedKeys: "mark" });
  expect(await changes()).toContainEqual(["changed", { before: { leakedKeys: "end" }, after: { leakedKeys: "mark" } }]);
});

it("are changed by members only", async () => {
  const { owner } = await createScene();
  const { accountId } = await membersOf(owner);
  const stranger = createOwner();
  const answer = await stranger.json("PUT", `/settings?account=${accountId}`, { externalIdsAreEmails: true });
  const sql = "SELECT external_ids_are_emails AS is_on FROM accounts WHERE id = ?";
  const stored = await databaseOf(accountId).prepare(sql).bind(accountId).first();
  expect([answer.status, stored]).toEqual([403, { is_on: 0 }]);
});
