/** Invitations: nobody is made a member without accepting, and nobody's account is chosen by others. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Invitation, Member } from "../../../src/worker/model/member.ts";
import { type Digit, databaseOf, selectEverywhere } from "../../support/databases.ts";
import { interceptDatabases } from "../../support/intercept-binding.ts";
import { accept, accountsOf, add, invite, membersOf, pair } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";

type Owner = ReturnType<typeof createOwner>;

const invitationsOf = async (person: Owner) =>
  (await (await person.json("GET", "/invitations")).json<{ items: Invitation[] }>()).items;
const statesOf = async (owner: Owner) => (await membersOf(owner)).items.map(({ email, state }) => [email, state]);
const decline = (person: Owner, id: string) => person.json("DELETE", `/invitations/${id}`);

describe.each<Digit>(["0", "1"])("an account in the database %s", (digit) => {
  async function invited() {
    const inviter = createOwner(undefined, env, digit);
    const person = createOwner(undefined, env, digit === "0" ? "1" : "0");
    const { accountId } = await membersOf(inviter);
    const made = await invite(inviter, person.email);
    expect(made.status).toBe(201);
    return { inviter, person, accountId, here: `?account=${accountId}`, member: await made.json<Member>() };
  }

  it("takes nobody in who was invited: the first visit makes an account of their own, and keys are made there", async () => {
    const { inviter, person, accountId, here } = await invited();
    expect((await person.page("/api-keys")).status).toBe(200);
    const { apiKey, key } = await person.create("Theirs");
    expect(await person.whoami(key)).toBe(200);
    expect((await membersOf(person)).accountId).not.toBe(accountId);
    expect((await person.keys()).map(({ id }) => id)).toEqual([apiKey.id]);
    expect(await inviter.keys()).toEqual([]);
    for (const [method, path, body] of [
      ["GET", "/keys", undefined],
      ["POST", "/keys", { name: "Not yet" }],
      ["GET", "/members", undefined],
      ["POST", "/members", { email: "more@example.com" }],
    ] as const)
      expect([path, (await person.json(method, path + here, body)).status]).toEqual([path, 403]);
    expect((await accountsOf(person)).map(({ name }) => name)).toEqual([person.email]);
  });

  it("has the person as invited, and as a member from accepting on, who is told in JSON and on the first page", async () => {
    const { inviter, person, accountId, here, member } = await invited();
    expect(member).toMatchObject({ email: person.email, state: "invited", addedBy: inviter.email });
    expect(await statesOf(inviter)).toEqual([
      [inviter.email, "accepted"],
      [person.email, "invited"],
    ]);
    expect(await invitationsOf(person)).toEqual([
      { id: member.id, accountId, name: inviter.email, invitedBy: inviter.email, createdAt: member.createdAt },
    ]);
    for (const path of ["/api-keys", "/accounts"])
      expect(await (await person.page(path)).text()).toContain(
        `<strong>${inviter.email}</strong> invites you to the account ${inviter.email}.`,
      );
    for (let times = 0; times < 2; times++) {
      const accepted = await accept(person, member.id);
      expect([accepted.status, await accepted.json()]).toEqual([200, { id: accountId, name: inviter.email }]);
    }
    expect((await person.json("GET", `/keys${here}`)).status).toBe(200);
    expect(await statesOf(inviter)).toEqual([
      [inviter.email, "accepted"],
      [person.email, "accepted"],
    ]);
    expect(await invitationsOf(person)).toEqual([]);
    // Without a choice it is still the account that the person made.
    expect((await membersOf(person)).accountId).not.toBe(accountId);
    expect((await inviter.events()).map(({ actor, changes }) => [actor, changes])).toEqual([
      [
        person.email,
        { before: { invited: person.email, member: null }, after: { invited: null, member: person.email } },
      ],
      [inviter.email, { before: { invited: null }, after: { invited: person.email } }],
    ]);
    expect(await selectEverywhere("SELECT * FROM invitations UNION ALL SELECT *, 1, 1, 1, 1 FROM invitees")).toEqual(
      [],
    );
  });

  it("shows the inviter who has declined, who can be invited again", async () => {
    const { inviter, person, here, member } = await invited();
    for (let times = 0; times < 2; times++) expect((await decline(person, member.id)).status).toBe(204);
    expect(await invitationsOf(person)).toEqual([]);
    expect(await (await inviter.page("/members")).text()).toContain("declined; invited by");
    expect((await statesOf(inviter)).at(-1)).toEqual([person.email, "declined"]);
    expect((await accept(person, member.id)).status).toBe(404);
    expect((await person.json("GET", `/keys${here}`)).status).toBe(403);
    expect((await invite(inviter, person.email)).status).toBe(201);
    expect((await accept(person, member.id)).status).toBe(200);
  });

  it("takes an invitation back, which is then as one that never was", async () => {
    const { inviter, person, member } = await invited();
    const [other, none] = [createOwner(), "0aaaaaaaaaaa"];
    expect((await inviter.json("DELETE", `/members/${member.id}`)).status).toBe(204);
    const answers = [
      await accept(person, member.id),
      await decline(person, member.id),
      await accept(other, member.id),
      await accept(person, none),
      await accept(person, "x"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect(await invitationsOf(person)).toEqual([]);
    expect((await membersOf(inviter)).items).toHaveLength(1);
  });

  it("keeps its last member, however many were invited", async () => {
    const { inviter, accountId } = await invited();
    expect((await inviter.json("DELETE", `/members/${accountId}`)).status).toBe(409);
  });

  it.each(["accept", "decline"] as const)(
    "whose directory fails while somebody would %s is completed by the next try",
    async (what) => {
      const { inviter, person, accountId, member } = await invited();
      const answer = { accept, decline }[what];
      for (let nth = 1; nth <= 4; nth++) {
        let calls = 0;
        const failing = interceptDatabases(env, () => async (_, makeCall) => {
          calls += 1;
          if (calls === nth) throw new Error("Network connection lost.");
          return makeCall();
        });
        expect([200, 204, 503]).toContain((await answer(createOwner(person.email, failing), member.id)).status);
      }
      expect((await answer(person, member.id)).ok).toBe(true);
      expect((await statesOf(inviter)).at(-1)).toEqual([person.email, what === "accept" ? "accepted" : "declined"]);
      expect((await accountsOf(person)).map(({ id }) => id)).toEqual(what === "accept" ? [accountId] : []);
      expect(await inviter.events()).toHaveLength(2);
    },
  );
});

describe("the choice of an account", () => {
  const cookieOf = (response: Response) => response.headers.get("Set-Cookie")?.split(";")[0] ?? "";
  const pageWith = (owner: Owner, path: string, cookie: string) =>
    owner.isolate.request(`/account${path}`, { headers: { Cookie: cookie } });

  it("is remembered by the browser, for pages; a script names its account", async () => {
    const [first, second, person] = [createOwner(), createOwner(), createOwner()];
    await person.create("Own");
    for (const owner of [first, second]) await add(owner, person);
    const { accountId } = await membersOf(second);
    const chosen = await person.submit("/accounts", { id: accountId, do: "open" });
    expect([chosen.status, chosen.headers.get("Location")]).toEqual([303, `/account/api-keys?account=${accountId}`]);
    expect(chosen.headers.get("Set-Cookie")).toBe(
      `__Host-account=${accountId}; Max-Age=31536000; Path=/; HttpOnly; Secure; SameSite=Lax`,
    );
    const cookie = cookieOf(chosen);
    const led = await pageWith(person, "/activity?apiKeyId=0aaaaaaaaaaa", cookie);
    expect(led.headers.get("Location")).toBe(`/account/activity?apiKeyId=0aaaaaaaaaaa&account=${accountId}`);
    const keys = await person.isolate.request("/account/api/keys", { headers: { Cookie: cookie } });
    expect((await keys.json<{ items: { name: string }[] }>()).items.map(({ name }) => name)).toEqual(["Own"]);
    // Of somebody who is no member any more, of another person, and of no account, it is nothing.
    const id = (await membersOf(second)).items.at(-1)?.id;
    expect((await second.json("DELETE", `/members/${id}`)).status).toBe(204);
    expect((await pageWith(person, "/api-keys", cookie)).status).toBe(200);
    expect((await pageWith(first, "/api-keys", cookie)).status).toBe(200);
    expect((await pageWith(first, "/api-keys", "__Host-account=x")).status).toBe(200);
  });

  it("is made by accepting on the page, and not by declining", async () => {
    const [inviter, person] = [createOwner(), createOwner()];
    await person.create("Own");
    const { accountId } = await membersOf(inviter);
    const { id } = await (await invite(inviter, person.email)).json<Member>();
    const declined = await person.submit("/accounts", { id, do: "decline" });
    expect([declined.headers.get("Location"), declined.headers.get("Set-Cookie")]).toEqual(["/account/accounts", null]);
    await invite(inviter, person.email);
    const accepted = await person.submit("/accounts", { id, do: "accept" });
    expect(accepted.headers.get("Location")).toBe(`/account/api-keys?account=${accountId}`);
    expect((await pageWith(person, "/webhooks", cookieOf(accepted))).headers.get("Location")).toBe(
      `/account/webhooks?account=${accountId}`,
    );
    expect((await person.submit("/accounts", { id, do: "accept" }, { "Sec-Fetch-Site": "cross-site" })).status).toBe(
      403,
    );
  });

  it("is asked of who is a member of several and has made none: no account is the first by its id", async () => {
    const { member } = await pair("0");
    const other = createOwner();
    await add(other, member);
    const led = await member.page("/webhooks");
    expect([led.status, led.headers.get("Location")]).toEqual([303, "/account/accounts"]);
    expect(await (await member.page("/accounts")).text()).toContain(`<strong>${other.email}</strong>`);
  });

  it("cannot be filled by strangers: an entry of the directory of invitations alone is nothing, and goes", async () => {
    const [owner, person] = [createOwner(), createOwner()];
    const { accountId } = await membersOf(owner);
    await env.DB.prepare("INSERT INTO invitees VALUES (?1, ?2)").bind(person.email, accountId).run();
    expect(await invitationsOf(person)).toEqual([]);
    expect(await env.DB.prepare("SELECT count(*) AS n FROM invitees").first("n")).toBe(0);
    expect(await databaseOf(accountId).prepare("SELECT count(*) AS n FROM members").first("n")).toBe(0);
  });
});
