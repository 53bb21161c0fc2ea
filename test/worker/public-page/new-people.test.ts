/** What somebody may write in the first hour after signing in on a page: by mailbox, in the statement that writes. */

import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { FIRST_HOUR } from "../../../src/worker/database/pages/new-people.ts";
import { meterDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createSignInScene, newEmail } from "../../support/page-visitor.ts";
import { PROPOSALS, sendWith } from "../../support/panel.ts";

type Send = ReturnType<typeof sendWith>;
const submit = (send: Send) => send("POST", PROPOSALS, { title: "Bike racks", description: "" });
const statuses = async (answers: readonly Promise<Response>[]) =>
  (await Promise.all(answers)).map(({ status }) => status);
const times = <Answer>(count: number, act: () => Answer) => Array.from({ length: count }, act);

async function createScene() {
  const scene = await createSignInScene();
  const email = newEmail();
  const senderOf = async (address: string, from: string) => {
    const { visitor } = await scene.signIn(address, "", scene.visitor(from));
    return sendWith(scene.isolate, (await visitor.token()).text);
  };
  return { ...scene, email, senderOf, send: await senderOf(email, "198.51.100.1") };
}

it("five ideas, however many are sent at once, then 429 until the hour is over", { tags: "slow" }, async () => {
  const { send, rows } = await createScene();
  const sent = await statuses(times(8, () => submit(send)));
  expect(sent.toSorted()).toEqual([...times(FIRST_HOUR.proposals, () => 201), 429, 429, 429]);
  const refused = await submit(send);
  expect(await refused.json()).toMatchObject({
    error: "too-many-requests",
    "violated-policies": ["new-people-proposals"],
  });
  const wait = Number(refused.headers.get("Retry-After"));
  expect(wait).toBeGreaterThan(3_500);
  expect(wait).toBeLessThanOrEqual(3_600);
  await rows("UPDATE panelists SET created_at = created_at - 3600001 WHERE email IS NOT NULL");
  expect((await submit(send)).status).toBe(201);
});

it("twenty comments", { tags: "slow" }, async () => {
  const { send, propose } = await createScene();
  const idea = await propose();
  const comment = () => send("POST", `${PROPOSALS}/${idea}/comments`, { body: crypto.randomUUID() });
  for (let count = 0; count < FIRST_HOUR.comments; count += 1) expect((await comment()).status).toBe(201);
  const refused = await comment();
  expect([refused.status, await refused.json()]).toMatchObject([429, { "violated-policies": ["new-people-comments"] }]);
});

it.each(["proposals", "comments"] as const)("deleting %s gives nothing back", { tags: "slow" }, async (what) => {
  const { send, propose } = await createScene();
  const path = what === "proposals" ? PROPOSALS : `${PROPOSALS}/${await propose()}/comments`;
  const write = () =>
    send("POST", path, what === "proposals" ? { title: "Racks", description: "" } : { body: crypto.randomUUID() });
  for (let count = 0; count < FIRST_HOUR[what]; count += 1) {
    const answer = await write();
    expect(answer.status).toBe(201);
    const { id }: { id: string } = await answer.json();
    if (count < 5) expect((await send("DELETE", `${path}/${id}`)).status).toBe(204);
  }
  expect((await write()).status).toBe(429);
});

it("another address of the same mailbox gives nobody more", { tags: "slow" }, async () => {
  const { send, email, senderOf } = await createScene();
  await statuses(times(3, () => submit(send)));
  const tagged = await senderOf(email.replace("@", "+more@"), "198.51.100.2");
  expect((await statuses(times(4, () => submit(tagged)))).toSorted()).toEqual([201, 201, 429, 429]);
  const other = await senderOf(newEmail(), "198.51.100.3");
  expect((await submit(other)).status).toBe(201);
});

it("the tenant’s own people write as before, also those who have verified an address", { tags: "slow" }, async () => {
  const { panelist, rows, senderOf, bank } = await createScene();
  const robin = await panelist("Robin");
  expect(await statuses(times(8, () => submit(robin.send)))).toEqual(times(8, () => 201));
  const email = newEmail();
  await rows("UPDATE accounts SET external_ids_are_emails = 1 WHERE id = ?1", bank.accountId);
  await rows("UPDATE panelists SET external_id = ?2, created_at = ?3 WHERE id = ?1", robin.id, email, Date.now());
  const joined = await senderOf(email, "198.51.100.4");
  expect(await statuses(times(8, () => submit(joined)))).toEqual(times(8, () => 201));
});

it("what was done before is answered as then: an Idempotency-Key is no sixth idea", { tags: "slow" }, async () => {
  const { send } = await createScene();
  const once = () => send("POST", PROPOSALS, { title: "Bike racks", description: "" }, { "Idempotency-Key": "k" });
  expect((await once()).status).toBe(201);
  await statuses(times(5, () => submit(send)));
  expect((await once()).status).toBe(201);
});

it("costs no more where a mailbox and an account have stored a lot", { tags: "slow" }, async () => {
  const { visitor, signIn, rows, bank } = await createScene();
  const email = newEmail();
  const { visitor: someone } = await signIn(email, "", visitor("198.51.100.9"));
  const { text } = await someone.token();
  const readAt = async () => {
    let read = 0;
    const metered = meterDatabases(env, (results) => {
      for (const { meta } of results) read += meta.rows_read;
    });
    expect((await submit(sendWith(createIsolate(metered), text))).status).toBe(201);
    return read;
  };
  await readAt();
  const before = await readAt();
  const many = JSON.stringify(times(300, () => 0));
  await rows(
    `INSERT INTO panelists (id, account_id, created_at, email, email_verified, mailbox)
     SELECT '${bank.id.charAt(0)}many' || substr('0000000' || key, -7), ?1, 1, 'm' || key || '@example.com', 1, ?2 FROM json_each(?3)`,
    bank.accountId,
    email,
    many,
  );
  expect(await readAt()).toBeLessThanOrEqual(before + 10);
});
