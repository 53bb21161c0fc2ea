/** Who somebody is that signs in by e-mail: joined with nobody by guess, blocked by mailbox, new after a deletion. */
import { describe, expect, it } from "vitest";
import { addComments } from "../../support/many-rows.ts";
import { codeIn, createSignInScene, newEmail } from "../../support/page-visitor.ts";

type Scene = Awaited<ReturnType<typeof createSignInScene>>;
const people = ({ rows, bank }: Scene) =>
  rows<{ id: string; external_id: string | null; email: string | null; display_name: string | null }>(
    "SELECT id, external_id, email, display_name FROM panelists WHERE account_id = ?1 AND email IS NOT NULL ORDER BY created_at",
    bank.accountId,
  );
const createTenants = async ({ tenant }: Scene, fields: object) =>
  (await (await tenant.send("POST", "/tenant/panelists", fields)).json<{ id: string }>()).id;
const saysIdsAreAddresses = ({ rows, bank }: Scene) =>
  rows("UPDATE accounts SET external_ids_are_emails = 1 WHERE id = ?1", bank.accountId);

describe("the tenant’s own person with the address as id", () => {
  it("is somebody else, because nobody has said that the ids are verified addresses", { tags: "slow" }, async () => {
    const scene = await createSignInScene();
    const email = newEmail();
    const own = await createTenants(scene, { externalId: email, displayName: "Theirs" });
    await scene.signIn(email, "Ana");
    const [signedIn, ...more] = await people(scene);
    expect(more).toEqual([]);
    expect(signedIn).toMatchObject({ external_id: null, display_name: "Ana" });
    expect(signedIn?.id).not.toBe(own);
  });

  it("is joined where the account has said so, and keeps the tenant’s name", async () => {
    const scene = await createSignInScene();
    await saysIdsAreAddresses(scene);
    const email = newEmail();
    const own = await createTenants(scene, { externalId: email, displayName: "Theirs" });
    const { visitor } = await scene.signIn(email.toUpperCase(), "Mallory");
    expect(await people(scene)).toEqual([{ id: own, external_id: email, email, display_name: "Theirs" }]);
    expect((await visitor.token()).text.slice(16, 28)).toBe(own);
  });

  it("is not joined when the id is spelled in another way: ids are compared exactly", { tags: "slow" }, async () => {
    const scene = await createSignInScene();
    await saysIdsAreAddresses(scene);
    const email = newEmail();
    const own = await createTenants(scene, { externalId: email.replace("v", "V") });
    await scene.signIn(email);
    expect((await people(scene)).map(({ id }) => id)).not.toContain(own);
  });

  it("is not joined after somebody has verified the address as a person of its own", { tags: "slow" }, async () => {
    const scene = await createSignInScene();
    const email = newEmail();
    await scene.signIn(email, "Ana");
    await saysIdsAreAddresses(scene);
    await createTenants(scene, { externalId: email });
    await scene.signIn(email, "", scene.visitor("198.51.100.1"));
    expect(await people(scene)).toMatchObject([{ external_id: null, display_name: "Ana" }]);
  });

  it("who is blocked lets nobody in with that address", async () => {
    const scene = await createSignInScene();
    await saysIdsAreAddresses(scene);
    const email = newEmail();
    await createTenants(scene, { externalId: email, active: false });
    const { answer, visitor } = await scene.signIn(email);
    expect([answer.status, visitor.personCookie]).toEqual([200, undefined]);
    expect(await people(scene)).toEqual([]);
  });
});

describe("an address that the tenant gave its own person", () => {
  it("is no proof: whoever signs in with it is somebody else, also where the ids are addresses", {
    tags: "slow",
  }, async () => {
    const scene = await createSignInScene();
    await saysIdsAreAddresses(scene);
    const email = newEmail();
    const own = await createTenants(scene, { externalId: "customer-42", email, displayName: "Theirs" });
    const { visitor } = await scene.signIn(email, "Ana");
    const person = (await visitor.token()).text.slice(16, 28);
    expect(person).not.toBe(own);
    expect(await scene.rows("SELECT email_verified AS verified FROM panelists WHERE id = ?1", own)).toEqual([
      { verified: 0 },
    ]);
    // The person of the page stays who it is, whatever becomes of the other one.
    await scene.tenant.send("PATCH", `/tenant/panelists/${own}`, { email: null });
    const { visitor: again } = await scene.signIn(email, "", scene.visitor("198.51.100.1"));
    expect((await again.token()).text.slice(16, 28)).toBe(person);
  });

  it("is blocked with the person, and with it the mailbox", async () => {
    const scene = await createSignInScene();
    await createTenants(scene, { externalId: "customer-42", email: "Ana+x@example.com", active: false });
    expect((await scene.signIn("ana@example.com")).answer.status).toBe(200);
  });

  it("that was somebody’s of the page leads to a new person once the team has corrected it", {
    tags: "slow",
  }, async () => {
    const scene = await createSignInScene();
    const email = newEmail();
    const { visitor } = await scene.signIn(email);
    const person = (await visitor.token()).text.slice(16, 28);
    await scene.tenant.send("PATCH", `/tenant/panelists/${person}`, { email: newEmail() });
    const { visitor: again } = await scene.signIn(email, "", scene.visitor("198.51.100.1"));
    expect((await again.token()).text.slice(16, 28)).not.toBe(person);
  });
});

describe("a blocked id that is an address", () => {
  it.each([
    ["ana@example.com", "ana+x@example.com"],
    ["ana@gmail.com", "a.na+x@googlemail.com"],
    ["a.na@gmail.com", "a.na+x@gmail.com"],
  ])("blocks its mailbox: %s, and somebody comes as %s", async (id, address) => {
    const scene = await createSignInScene();
    await saysIdsAreAddresses(scene);
    await createTenants(scene, { externalId: id, active: false });
    const { answer } = await scene.signIn(address);
    expect(answer.status).toBe(200);
    expect(await people(scene)).toEqual([]);
  });

  it("blocks nobody where the ids are said to be no addresses", async () => {
    const scene = await createSignInScene();
    await createTenants(scene, { externalId: "ana@example.com", active: false });
    expect((await scene.signIn("ana+x@example.com")).answer.status).toBe(303);
  });
});

describe("a blocked person", () => {
  const blocked = async (email: string) => {
    const scene = await createSignInScene();
    const { visitor } = await scene.signIn(email);
    const [person] = await people(scene);
    const answer = await scene.tenant.send("PATCH", `/tenant/panelists/${person?.id}`, { active: false });
    expect(answer.status).toBe(200);
    return { scene, visitor, id: person?.id };
  };

  it.each(["", "+two"])("is told kindly after a right code, and only then: address%s", async (tag) => {
    const email = newEmail();
    const { scene } = await blocked(email);
    const another = scene.visitor("198.51.100.1");
    const asked = await another.ask(email.replace("@", `${tag}@`));
    expect(asked.status).toBe(303);
    expect(another.page).not.toContain("can’t take part");
    const answer = await another.enter(codeIn(scene.mails.at(-1)));
    expect([answer.status, another.personCookie]).toEqual([200, undefined]);
    expect(another.page).toContain("You can’t take part with this address.");
    expect(await people(scene)).toHaveLength(1);
  });

  it("with dots at Google’s is the same mailbox", async () => {
    const name = `ana${Date.now().toString(36)}`;
    const { scene } = await blocked(`${name}@gmail.com`);
    const { answer } = await scene.signIn(
      `${name.slice(0, 3)}.${name.slice(3)}+x@googlemail.com`,
      "",
      scene.visitor("198.51.100.1"),
    );
    expect(answer.status).toBe(200);
  });

  it("has no token on the page any more, and can come back when the team unblocks", { tags: "slow" }, async () => {
    const email = newEmail();
    const { scene, visitor, id } = await blocked(email);
    expect((await visitor.token()).text).toMatch(/^ibv_/);
    expect(visitor.personCookie).toBeUndefined();
    await scene.tenant.send("PATCH", `/tenant/panelists/${id}`, { active: true });
    const { visitor: again } = await scene.signIn(email, "", scene.visitor("198.51.100.1"));
    expect((await again.token()).text.slice(16, 28)).toBe(id);
  });
});

it("a deleted person leaves no address, and may come again as a new person", { tags: "slow" }, async () => {
  const scene = await createSignInScene();
  const email = newEmail();
  const { visitor } = await scene.signIn(email, "Ana");
  const [person] = await people(scene);
  expect((await scene.tenant.send("DELETE", `/tenant/panelists/${person?.id}`)).status).toBe(204);
  expect(await people(scene)).toEqual([]);
  expect((await visitor.token()).text).toMatch(/^ibv_/);
  const { visitor: again } = await scene.signIn(email, "", scene.visitor("198.51.100.1"));
  const [newcomer] = await people(scene);
  expect(newcomer?.id).not.toBe(person?.id);
  expect((await again.token()).text.slice(16, 28)).toBe(newcomer?.id);
});

it("a deletion that takes a while keeps neither the address nor the person out", { tags: "slow" }, async () => {
  const scene = await createSignInScene();
  const email = newEmail();
  await scene.signIn(email, "Ana");
  const [person] = await people(scene);
  await addComments(scene.bank, await scene.propose(), person?.id ?? "", 200);
  await scene.tenant.send("DELETE", `/tenant/panelists/${person?.id}`);
  // The row is there until the last slice.
  expect(await scene.rows("SELECT email, email_verified, mailbox FROM panelists WHERE id = ?1", person?.id)).toEqual([
    { email: null, email_verified: 0, mailbox: null },
  ]);
  const { answer } = await scene.signIn(email, "", scene.visitor("198.51.100.1"));
  expect(answer.status).toBe(303);
});

it("two people of one mailbox stay two people", async () => {
  const scene = await createSignInScene();
  const email = newEmail();
  await scene.signIn(email, "One");
  await scene.signIn(email.replace("@", "+two@"), "Two", scene.visitor("198.51.100.1"));
  expect((await people(scene)).map(({ display_name }) => display_name).toSorted()).toEqual(["One", "Two"]);
  expect(await scene.rows("SELECT DISTINCT mailbox FROM panelists WHERE mailbox IS NOT NULL")).toEqual([
    { mailbox: email },
  ]);
});

it("the tenant hears of a new person by a webhook’s change, with the address", async () => {
  const scene = await createSignInScene();
  const email = newEmail();
  await scene.signIn(email, "Ana");
  const changes = await (await scene.tenant.send("GET", "/tenant/changes")).json<{
    items: { type: string; panelist?: object }[];
  }>();
  expect(changes.items.filter(({ type }) => type === "panelist.created").at(-1)?.panelist).toMatchObject({
    email,
    displayName: "Ana",
    externalId: null,
  });
});
