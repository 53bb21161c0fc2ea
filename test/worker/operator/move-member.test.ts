/** A person whose e-mail address has changed keeps the accounts: by the operator's command, and by the subject of a sign-in. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Digit, databaseOf, selectEverywhere } from "../../support/databases.ts";
import { interceptDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { runJob } from "../../support/job.ts";
import { accountsOf, add, invite, membersOf, pair } from "../../support/members.ts";
import { type Bindings, sendAsOperator, withSecret } from "../../support/operator.ts";
import { createOwner } from "../../support/owner.ts";

const newEmail = () => `${crypto.randomUUID()}@example.com`;
const move = (from: string, to: string, bindings: Bindings = withSecret) =>
  sendAsOperator("POST", "/operator/moves", { from, to }, bindings);
const addressesOf = async (owner: ReturnType<typeof createOwner>, here = "") =>
  (await membersOf(owner, here)).items.map(({ email, state }) => [email, state]);

/** The address is in no row as that of a person: of an event it is. */
const rowsOf = (email: string) =>
  selectEverywhere(
    `SELECT email FROM owners WHERE email = '${email}' UNION ALL SELECT email FROM memberships WHERE email = '${email}'
     UNION ALL SELECT email FROM members WHERE email = '${email}' UNION ALL SELECT owner_email FROM accounts WHERE owner_email = '${email}'`,
  );

/** The session of a person whom the platform has signed in. */
async function signIn(body: object): Promise<{ status: number; keys: () => Promise<Response> }> {
  const offered = await sendAsOperator("POST", "/operator/sign-ins", body);
  if (offered.status !== 201) return { status: offered.status, keys: () => Promise.reject(new Error("not signed in")) };
  const { url } = await offered.json<{ url: string }>();
  const isolate = createIsolate(withSecret);
  const used = await isolate.request(url.replace("https://api.example", ""));
  const cookie = used.headers.get("Set-Cookie")?.split(";")[0] ?? "";
  return {
    status: used.status,
    keys: () => isolate.request("/account/api/keys", { headers: { Cookie: cookie } }),
  };
}
const namesOf = async (session: { keys: () => Promise<Response> }) =>
  (await (await session.keys()).json<{ items: { name: string }[] }>()).items.map(({ name }) => name);

afterEach(() => void vi.restoreAllMocks());

describe.each<Digit>(["0", "1"])("of an account in the database %s", (digit) => {
  it("the creator has the new address: keys, members and webhooks stay, and the old address is nobody", {
    tags: "slow",
  }, async () => {
    const old = createOwner(undefined, env, digit);
    const colleague = createOwner();
    const { apiKey, key } = await old.create("CRM");
    await add(old, colleague);
    const { accountId } = await membersOf(old);
    const session = await signIn({ email: old.email });
    expect((await session.keys()).status).toBe(200);
    const to = newEmail();
    const moved = await move(old.email.toUpperCase(), to);
    expect([moved.status, await moved.json()]).toEqual([200, { from: old.email, to, accountIds: [accountId] }]);

    const now = createOwner(to, env, digit);
    expect((await now.keys()).map(({ id, createdBy }) => [id, createdBy])).toEqual([[apiKey.id, to]]);
    expect(await now.whoami(key)).toBe(200);
    expect(await addressesOf(now)).toEqual([
      [to, "accepted"],
      [colleague.email, "accepted"],
    ]);
    expect((await now.events())[0]).toMatchObject({
      event: "changed",
      actor: "the operator",
      changes: { before: { member: old.email }, after: { member: to } },
    });
    expect(await rowsOf(old.email)).toEqual([]);
    expect((await session.keys()).status).toBe(403);
    // In an isolate that knows the old address, too: it is a stranger with an account of its own.
    expect(await old.keys()).toEqual([]);
    expect((await membersOf(old)).accountId).not.toBe(accountId);
  });

  it("a member has the new address, in each of the accounts", { tags: "slow" }, async () => {
    const { founder, member, accountId, here } = await pair(digit);
    const other = createOwner();
    await add(other, member);
    await invite(member, "friend@example.com", here);
    const to = newEmail();
    expect((await move(member.email, to)).status).toBe(200);
    const now = createOwner(to);
    const ids = (await accountsOf(now)).map(({ id }) => id);
    expect(ids.toSorted()).toEqual([accountId, (await membersOf(other)).accountId].toSorted());
    expect((await addressesOf(founder)).map(([email]) => email)).toEqual([founder.email, to, "friend@example.com"]);
    // The removal of the member shows what the person sent under the old address.
    const removal = await founder.page(`/members/${(await membersOf(founder)).items[1]?.id}/remove`);
    expect(await removal.text()).toContain("friend@example.com");
    expect((await member.json("GET", `/keys${here}`)).status).toBe(403);
    expect(await rowsOf(member.email)).toEqual([]);
  });

  it("who came with the new address first keeps the account that this made, and gets the old one besides", {
    tags: "slow",
  }, async () => {
    const old = createOwner(undefined, env, digit);
    await old.create("Theirs");
    const { accountId } = await membersOf(old);
    const now = createOwner();
    await now.create("Of the first visit");
    const own = (await membersOf(now)).accountId;
    expect((await move(old.email, now.email)).status).toBe(200);
    expect((await now.keys()).map(({ name }) => name)).toEqual(["Of the first visit"]);
    const theirs = await now.json("GET", `/keys?account=${accountId}`);
    expect((await theirs.json<{ items: { name: string }[] }>()).items.map(({ name }) => name)).toEqual(["Theirs"]);
    expect((await accountsOf(now)).map(({ id }) => id).toSorted()).toEqual([accountId, own].toSorted());
    expect((await old.json("GET", "/keys")).status).toBe(403);
  });

  it("name and role go with the address; of two who are one person, the role with more rights stays", {
    tags: "slow",
  }, async () => {
    const { founder, member, id, here, accountId } = await pair(digit);
    await founder.json("PATCH", `/members/${accountId}`, { name: "Ana Ortiz" });
    await founder.json("PATCH", `/members/${id}`, { role: "viewer" });
    const to = newEmail();
    expect((await move(founder.email, to)).status).toBe(200);
    const now = createOwner(to, undefined, digit);
    expect((await membersOf(now, here)).items.map(({ email, name, role }) => [email, name, role])).toEqual([
      [to, "Ana Ortiz", "admin"],
      [member.email, null, "viewer"],
    ]);
    // The last admin moves into the viewer.
    expect((await move(to, member.email)).status).toBe(200);
    expect((await membersOf(member, here)).items.map(({ email, name, role }) => [email, name, role])).toEqual([
      [member.email, "Ana Ortiz", "admin"],
    ]);
  });

  it("two members who are one person become one", async () => {
    const { founder, member, accountId } = await pair(digit);
    expect((await move(founder.email, member.email)).status).toBe(200);
    expect(await addressesOf(member)).toEqual([[member.email, "accepted"]]);
    expect((await membersOf(member)).accountId).toBe(accountId);
    expect(await databaseOf(accountId).prepare("SELECT count(*) AS n FROM members").first("n")).toBe(0);
  });

  it("a move that is interrupted at any call is completed by the next", { tags: "slow" }, async () => {
    const { founder, member, accountId, here } = await pair(digit);
    const to = newEmail();
    const statuses: number[] = [];
    for (let nth = 1; nth <= 8; nth++) {
      let calls = 0;
      const failing = interceptDatabases(withSecret, () => async (_, makeCall) => {
        calls += 1;
        if (calls === nth) throw new Error("Network connection lost.");
        return makeCall();
      });
      statuses.push((await move(member.email, to, failing)).status);
    }
    expect(statuses.every((status) => [200, 404, 503].includes(status))).toBe(true);
    expect(statuses).toContain(503);
    expect([200, 404]).toContain((await move(member.email, to)).status);
    expect((await addressesOf(founder)).map(([email]) => email)).toEqual([founder.email, to]);
    expect((await createOwner(to).json("GET", `/keys${here}`)).status).toBe(200);
    expect(await rowsOf(member.email)).toEqual([]);
    const moves = (await founder.events()).filter(({ changes }) => changes?.before?.member === member.email);
    expect([accountId.length, moves.length]).toEqual([12, 1]);
  });
});

it("members, and the old address, are told by e-mail", { tags: "slow" }, async () => {
  const sent: { to: string; subject: string; text: string }[] = [];
  vi.spyOn(env.EMAIL, "send").mockImplementation(async (email) => {
    sent.push(email as never);
    return { messageId: "1" } as never;
  });
  const { founder, member } = await pair("0");
  const to = newEmail();
  await move(member.email, to);
  const settings = { NOTICES: env.EMAIL, NOTICES_FROM: "n@example.com", SIGN_IN_URL: "https://app.example.com/" };
  await runJob({ DB: env.DB, DB_1: env.DB_1, ...settings });
  const told = sent.filter(({ subject }) => subject === `${member.email} is now ${to}`);
  expect(told.map((email) => email.to).toSorted()).toEqual([founder.email, member.email, to].toSorted());
  expect(told[0]?.text).toContain(`from ${member.email} to ${to}`);
});

it.each([
  ["nobody@example.com", "new@example.com", 404],
  ["same@example.com", "SAME@example.com", 409],
  ["", "new@example.com", 400],
])("from %j to %j it is %i, and changes nothing", async (from, to, status) => {
  expect((await move(from, to)).status).toBe(status);
  expect(await rowsOf(to.toLowerCase())).toEqual([]);
});

describe("the subject of a sign-in", () => {
  it("keeps the accounts when its person comes with a new address, whose old session ends", {
    tags: "slow",
  }, async () => {
    const [first, second, third] = [newEmail(), newEmail(), newEmail()];
    const before = await signIn({ email: first, subject: "customer-42" });
    expect(before.status).toBe(303);
    await createOwner(first).create("CRM");
    expect(await namesOf(await signIn({ email: first, subject: "customer-42" }))).toEqual(["CRM"]);
    for (const email of [second, third])
      expect(await namesOf(await signIn({ email, subject: "customer-42" }))).toEqual(["CRM"]);
    expect((await before.keys()).status).toBe(403);
    expect([await rowsOf(first), await rowsOf(second)]).toEqual([[], []]);
    expect(await selectEverywhere("SELECT * FROM subjects")).toEqual([{ subject: "customer-42", email: third }]);
  });

  it("gets no address of another subject that has accounts, and nobody is signed in", { tags: "slow" }, async () => {
    const [mine, theirs] = [newEmail(), newEmail()];
    for (const [subject, email] of [
      ["me", mine],
      ["they", theirs],
    ] as const) {
      await signIn({ email, subject });
      await createOwner(email).create(`Of ${subject}`);
    }
    for (const subject of ["me", "a-new-one"]) {
      const answer = await sendAsOperator("POST", "/operator/sign-ins", { email: theirs, subject });
      expect([answer.status, (await answer.json<{ detail: string }>()).detail]).toEqual([
        409,
        expect.stringContaining("This address belongs to another `subject`"),
      ]);
    }
    expect(await namesOf(await signIn({ email: mine, subject: "me" }))).toEqual(["Of me"]);
    expect(await namesOf(await signIn({ email: theirs, subject: "they" }))).toEqual(["Of they"]);
    // The address is free when its person has another one.
    const next = newEmail();
    expect(await namesOf(await signIn({ email: next, subject: "they" }))).toEqual(["Of they"]);
    expect(await namesOf(await signIn({ email: theirs, subject: "a-new-one" }))).toEqual([]);
  });

  it("takes an address from a subject whose person is a member of no account", async () => {
    const email = newEmail();
    expect((await sendAsOperator("POST", "/operator/sign-ins", { email, subject: "gone" })).status).toBe(201);
    expect((await sendAsOperator("POST", "/operator/sign-ins", { email, subject: "next" })).status).toBe(201);
    expect(await selectEverywhere("SELECT * FROM subjects")).toEqual([{ subject: "next", email }]);
  });

  it("follows the operator's command", { tags: "slow" }, async () => {
    const [old, next] = [newEmail(), newEmail()];
    await signIn({ email: old, subject: "customer-42" });
    await createOwner(old).create("CRM");
    expect((await move(old, next)).status).toBe(200);
    expect(await namesOf(await signIn({ email: next, subject: "customer-42" }))).toEqual(["CRM"]);
  });

  it.each(["", "a b", "x".repeat(256), "é", 7])("is refused: %j", async (subject) => {
    const answer = await sendAsOperator("POST", "/operator/sign-ins", { email: newEmail(), subject });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ errors: [expect.objectContaining({ path: "subject" })] }),
    ]);
  });
});
