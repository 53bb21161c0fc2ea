/** Invitations: nobody is made a member without accepting, and nobody's account is chosen by others. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Invitation, MAX_MEMBERS, type Member } from "../../../src/worker/model/member.ts";
import { freeze } from "../../support/clock.ts";
import { DATABASES, type Digit, databaseOf, selectEverywhere } from "../../support/databases.ts";
import { interceptDatabases } from "../../support/intercept-binding.ts";
import { runJob } from "../../support/job.ts";
import { accept, accountsOf, add, invite, membersOf, pair } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";
import { readForm } from "../../support/read-forms.ts";
import { newId } from "../../support/world.ts";

type Owner = ReturnType<typeof createOwner>;

type InvitationPage = { items: Invitation[]; nextCursor?: string };
const pageOf = async (person: Owner, query = "") =>
  (await person.json("GET", `/invitations${query}`)).json<InvitationPage>();
const invitationsOf = async (person: Owner) => (await pageOf(person)).items;
const statesOf = async (owner: Owner) => (await membersOf(owner)).items.map(({ email, state }) => [email, state]);
const decline = (person: Owner, id: string) => person.json("DELETE", `/invitations/${id}`);

const DAY_MS = 86_400_000;
const LEFT = "SELECT email FROM invitations UNION ALL SELECT email FROM invitees UNION ALL SELECT email FROM invited";

afterEach(() => void vi.useRealTimers());

describe.each<Digit>(["0", "1"])("an account in the database %s", (digit) => {
  async function invited() {
    const inviter = createOwner(undefined, env, digit);
    const person = createOwner(undefined, env, digit === "0" ? "1" : "0");
    const { accountId } = await membersOf(inviter);
    const made = await invite(inviter, person.email);
    expect(made.status).toBe(201);
    return { inviter, person, accountId, here: `?account=${accountId}`, member: await made.json<Member>() };
  }

  it("takes nobody in who was invited: the first visit makes an account of their own, and keys are made there", {
    tags: "slow",
  }, async () => {
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

  it("has the person as invited, and as a member from accepting on, who is told in JSON and on the first page", {
    tags: "slow",
  }, async () => {
    const { inviter, person, accountId, here, member } = await invited();
    expect(member).toMatchObject({ email: person.email, state: "invited", addedBy: inviter.email });
    expect(await statesOf(inviter)).toEqual([
      [inviter.email, "accepted"],
      [person.email, "invited"],
    ]);
    expect(await invitationsOf(person)).toEqual([
      {
        ...{ id: member.id, accountId, name: inviter.email, invitedBy: inviter.email, role: "admin" },
        ...{ createdAt: member.createdAt, expiresAt: member.expiresAt },
      },
    ]);
    for (const path of ["", "/accounts"])
      expect(await (await person.page(path)).text()).toContain(
        `<strong>${inviter.email}</strong> invited you to their account.`,
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
      [inviter.email, { before: { invited: null }, after: { invited: person.email, role: "admin" } }],
    ]);
    expect(await selectEverywhere(LEFT)).toEqual([]);
  });

  it("shows the inviter who has declined, who can be invited again", { tags: "slow" }, async () => {
    const { inviter, person, here, member } = await invited();
    for (let times = 0; times < 2; times++) expect((await decline(person, member.id)).status).toBe(204);
    expect(await invitationsOf(person)).toEqual([]);
    expect(await (await inviter.page("/members")).text()).toContain('<span class="pill">Declined</span>');
    expect((await statesOf(inviter)).at(-1)).toEqual([person.email, "declined"]);
    expect((await accept(person, member.id)).status).toBe(404);
    expect((await person.json("GET", `/keys${here}`)).status).toBe(403);
    expect((await invite(inviter, person.email)).status).toBe(201);
    expect((await accept(person, member.id)).status).toBe(200);
  });

  it("takes an invitation back, which is then as one that never was", { tags: "slow" }, async () => {
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

  it("is full with pending and accepted people: who has declined holds no seat", async () => {
    const { inviter, person, accountId, member } = await invited();
    const values = JSON.stringify(
      Array.from({ length: MAX_MEMBERS - 2 }, () => [newId(accountId), crypto.randomUUID()]),
    );
    await databaseOf(accountId)
      .prepare(
        `INSERT INTO invitations (id, account_id, email, added_by, created_at)
         SELECT value ->> 0, ?1, value ->> 1 || '@example.com', ?2, ?3 FROM json_each(?4)`,
      )
      .bind(accountId, inviter.email, Date.now(), values)
      .run();
    const another = createOwner();
    expect((await invite(inviter, another.email)).status).toBe(409);
    expect((await decline(person, member.id)).status).toBe(204);
    expect((await invite(inviter, another.email)).status).toBe(201);
    // All seats are taken again.
    expect((await invite(inviter, person.email)).status).toBe(409);
  });

  it("ends an invitation after 30 days: nobody is shown it or can accept it, its seat is free, and the job deletes it", {
    tags: "slow",
  }, async () => {
    const start = Date.now();
    freeze(start);
    const { inviter, person, accountId, here, member } = await invited();
    expect(member.expiresAt).toBe(new Date(start + 30 * DAY_MS).toISOString());
    for (const [who, path] of [
      [inviter, "/members"],
      [person, "/accounts"],
    ] as const)
      expect(await (await who.page(path)).text()).toContain(`<time datetime="${member.expiresAt}"`);
    vi.setSystemTime(start + 30 * DAY_MS - 1);
    expect(await invitationsOf(person)).toHaveLength(1);
    vi.setSystemTime(start + 30 * DAY_MS);
    expect([(await accept(person, member.id)).status, (await decline(person, member.id)).status]).toEqual([404, 404]);
    expect((await person.json("GET", `/keys${here}`)).status).toBe(403);
    expect([await invitationsOf(person), await statesOf(inviter)]).toEqual([[], [[inviter.email, "accepted"]]]);
    const again = await (await invite(inviter, person.email)).json<Member>();
    expect([again.state, again.createdAt]).toEqual(["invited", new Date(start + 30 * DAY_MS).toISOString()]);
    expect(await invitationsOf(person)).toHaveLength(1);
    vi.setSystemTime(start + 61 * DAY_MS);
    for (const database of DATABASES) await runJob({ DB: database }, Date.now);
    expect(await selectEverywhere(LEFT)).toEqual([]);
    expect(await databaseOf(accountId).prepare("SELECT count(*) AS n FROM accounts").first("n")).toBeGreaterThan(0);
  });

  it("keeps its last member, however many were invited", async () => {
    const { inviter, accountId } = await invited();
    expect((await inviter.json("DELETE", `/members/${accountId}`)).status).toBe(409);
  });

  it.each(["accept", "decline"] as const)(
    "whose directory fails while somebody would %s is completed by the next try",
    { tags: "slow" },
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

describe("the invitations of a person", { tags: "slow" }, () => {
  it("are newest first, and in pages: 35 accounts of a stranger hide none", async () => {
    const start = Date.now();
    freeze(start);
    const person = createOwner();
    const strangers = Array.from({ length: 35 }, () => createOwner());
    for (const [index, stranger] of strangers.entries()) {
      vi.setSystemTime(start + index);
      expect((await invite(stranger, person.email)).status).toBe(201);
    }
    const genuine = createOwner();
    vi.setSystemTime(start + 100);
    await invite(genuine, person.email);
    // Inviting again does not make it a new one.
    const [first, second] = strangers;
    vi.setSystemTime(start + 200);
    for (const stranger of [first, second]) if (stranger) await invite(stranger, person.email);
    const expected = [genuine, ...strangers.toReversed()].map(({ email }) => email);
    expect((await invitationsOf(person)).map(({ name }) => name)).toEqual(expected.slice(0, 20));
    const all: string[] = [];
    for (let query = "?limit=10"; query !== ""; ) {
      const { items, nextCursor } = await pageOf(person, query);
      all.push(...items.map(({ name }) => name));
      query = nextCursor === undefined ? "" : `?limit=10&cursor=${nextCursor}`;
    }
    expect(all).toEqual(expected);

    const page = await (await person.page("/accounts")).text();
    expect(page.indexOf(genuine.email)).toBeGreaterThan(0);
    const [, more = ""] = /href="\/account(\/accounts\?cursor=[^"]+)"/.exec(page) ?? [];
    const older = await (await person.page(more)).text();
    expect(older).toContain(`<strong>${first?.email}</strong>`);
    expect(older).not.toContain(genuine.email);
  });

  it("that a removed member had sent are shown at the removal, and canceled with it", async () => {
    const { founder, member, id, here } = await pair("0");
    const [colleague, friend] = [createOwner(), createOwner()];
    const sent = await Promise.all(
      [colleague, friend].map(async ({ email }) => (await invite(member, email, here)).json<Member>()),
    );
    const kept = await (await invite(founder, "kept@example.com")).json<Member>();
    const form = await readForm(await founder.page(`/members/${id}/remove`), "Remove member");
    expect(form.fields.getAll("invitations").toSorted()).toEqual(sent.map(({ id }) => id).toSorted());
    expect(form.fields.getAll("invitations")).not.toContain(kept.id);
    const fields = {
      ...Object.fromEntries(form.fields),
      shown: form.fields.getAll("shown"),
      // One of the two is unticked.
      invitations: sent.slice(0, 1).map(({ id }) => id),
    };
    expect((await founder.submit(`/members/${id}/remove`, fields)).status).toBe(303);
    expect((await accept(colleague, sent[0]?.id ?? "")).status).toBe(404);
    expect((await accept(friend, sent[1]?.id ?? "")).status).toBe(200);
    const changes = (await founder.events()).map((event) => event.changes);
    expect(changes).toContainEqual({ before: { invited: colleague.email }, after: { invited: null } });
    expect((await membersOf(founder)).items.map(({ email }) => email)).toContain(kept.email);
  });

  it.each(["after the page was opened", "and the removal is by JSON"])(
    "and were sent %s, are canceled, too",
    async (how) => {
      const { founder, member, id, here } = await pair("0");
      const form = await readForm(await founder.page(`/members/${id}/remove`), "Remove member");
      const late = createOwner();
      const invitation = await (await invite(member, late.email, here)).json<Member>();
      const removed = how.includes("JSON")
        ? await founder.json("DELETE", `/members/${id}`)
        : await founder.submit(`/members/${id}/remove`, Object.fromEntries(form.fields));
      expect(removed.status).toBeLessThan(400);
      expect((await accept(late, invitation.id)).status).toBe(404);
      expect(await invitationsOf(late)).toEqual([]);
    },
  );
});

describe("the choice of an account", () => {
  const cookieOf = (response: Response) => response.headers.get("Set-Cookie")?.split(";")[0] ?? "";
  const pageWith = (owner: Owner, path: string, cookie: string) =>
    owner.isolate.request(`/account${path}`, { headers: { Cookie: cookie } });

  it("is remembered by the browser, for pages; a script names its account", { tags: "slow" }, async () => {
    const [first, second, person] = [createOwner(), createOwner(), createOwner()];
    await person.create("Own");
    for (const owner of [first, second]) await add(owner, person);
    const { accountId } = await membersOf(second);
    const chosen = await person.submit("/accounts", { id: accountId, do: "open" });
    expect([chosen.status, chosen.headers.get("Location")]).toEqual([303, `/account?account=${accountId}`]);
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
    expect(accepted.headers.get("Location")).toBe(`/account?account=${accountId}`);
    expect((await pageWith(person, "/webhooks", cookieOf(accepted))).headers.get("Location")).toBe(
      `/account/webhooks?account=${accountId}`,
    );
    expect((await person.submit("/accounts", { id, do: "accept" }, { "Sec-Fetch-Site": "cross-site" })).status).toBe(
      403,
    );
  });

  it("is asked of who is a member of several and has made none: no account is the first by its id", {
    tags: "slow",
  }, async () => {
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
