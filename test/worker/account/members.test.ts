/** The members of an account: who may do what, in whichever database, and what a first visit makes. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { AuditEvent } from "../../../src/worker/model/audit-event.ts";
import type { OwnAccount } from "../../../src/worker/model/member.ts";
import { type Digit, databaseOf, selectEverywhere } from "../../support/databases.ts";
import { interceptDatabases } from "../../support/intercept-binding.ts";
import { accountsOf, add, invite, membersOf, pair } from "../../support/members.ts";
import { createOwner, ORIGIN } from "../../support/owner.ts";

describe.each<Digit>(["0", "1"])("an account in the database %s", (digit) => {
  it("has who made it as its first member, and others who can do everything", { tags: "slow" }, async () => {
    const { founder, member, id, accountId, here, apiKey, key } = await pair(digit);
    expect((await membersOf(founder)).items).toMatchObject([
      { id: accountId, email: founder.email, addedBy: null },
      { id, email: member.email, addedBy: founder.email },
    ]);
    const { items } = await (await member.json("GET", `/keys${here}`)).json<{ items: { id: string }[] }>();
    expect(items.map((each) => each.id)).toEqual([apiKey.id]);
    const made = await member.json("POST", `/keys${here}`, { name: "Made by a member" });
    expect(made.status).toBe(201);
    expect((await member.json("PATCH", `/keys/${apiKey.id}${here}`, { name: "Changed" })).status).toBe(200);
    expect((await member.json("DELETE", `/keys/${apiKey.id}${here}`)).status).toBe(200);
    expect(await founder.whoami(key)).toBe(401);
    const activity = await (await member.json("GET", `/activity${here}`)).json<{ items: AuditEvent[] }>();
    const seen = activity.items.map(({ event, actor, changes }) => [event, actor, changes?.after.member]);
    expect(seen).toEqual(
      expect.arrayContaining([
        ["revoked", member.email, undefined],
        ["created", member.email, undefined],
        ["changed", founder.email, undefined],
        ["changed", member.email, member.email],
        ["created", founder.email, undefined],
      ]),
    );
    expect(await accountsOf(member)).toEqual([{ id: accountId, name: founder.email }]);
  });

  it("makes no account for a member of another: a person is led there, a script is told", async () => {
    const { member, here, accountId } = await pair(digit);
    const page = await member.page("/api-keys");
    expect([page.status, page.headers.get("Location")]).toEqual([303, `/account/api-keys${here}`]);
    const refused = await member.json("GET", "/keys");
    expect(refused.status).toBe(403);
    expect((await refused.json<{ detail: string }>()).detail).toContain(accountId);
    expect(await selectEverywhere("SELECT id FROM accounts")).toHaveLength(1);
  });

  it("is left by a member with the answer, who then gets one of their own; the keys stay", {
    tags: "slow",
  }, async () => {
    const { founder, member, id, here, key } = await pair(digit);
    expect((await founder.json("DELETE", `/members/${id}`)).status).toBe(204);
    for (const path of [`/keys${here}`, `/members${here}`])
      expect([path, (await member.json("GET", path)).status]).toEqual([path, 403]);
    expect((await founder.json("DELETE", `/members/${id}`)).status).toBe(404);
    expect((await member.json("GET", "/keys")).status).toBe(200);
    expect(await member.keys()).toEqual([]);
    expect(await founder.whoami(key)).toBe(200);
    const [event] = await (await founder.json("GET", "/activity"))
      .json<{ items: AuditEvent[] }>()
      .then(({ items }) => items);
    expect(event).toMatchObject({
      apiKeyId: null,
      actor: founder.email,
      changes: { before: { member: member.email }, after: { member: null } },
    });
  });

  it("can lose who made it, and is then the others'", { tags: "slow" }, async () => {
    const { founder, member, here, accountId, apiKey, key } = await pair(digit);
    expect((await member.json("DELETE", `/members/${accountId}${here}`)).status).toBe(204);
    expect((await founder.json("PATCH", `/keys/${apiKey.id}`, { name: "Mine" })).status).toBe(403);
    expect((await founder.json("GET", `/keys${here}`)).status).toBe(403);
    expect((await membersOf(member, here)).items.map(({ email }) => email)).toEqual([member.email]);
    expect((await member.json("PATCH", `/keys/${apiKey.id}${here}`, { name: "Ours" })).status).toBe(200);
    expect(await accountsOf(member)).toEqual([{ id: accountId, name: accountId }]);
    expect(await selectEverywhere("SELECT email FROM owners WHERE account_id = email")).toEqual([]);
    expect(await founder.whoami(key)).toBe(200);
    // Nobody gets account after account by giving each away: the first comes back as any other.
    for (const answer of [await founder.json("GET", "/keys"), await founder.json("POST", "/keys", { name: "More" })]) {
      expect(answer.status).toBe(403);
      expect(await answer.text()).toContain("Ask a member to invite you");
    }
    expect(await selectEverywhere("SELECT id FROM accounts")).toHaveLength(1);
    expect((await add(member, founder, here)).status).toBe(201);
    expect(await accountsOf(founder)).toEqual([{ id: accountId, name: accountId }]);
    const led = await founder.page("/api-keys");
    expect([led.status, led.headers.get("Location")]).toEqual([303, `/account/api-keys${here}`]);
  });

  it("keeps its last member, however many are removed at the same time", async () => {
    const { founder, member, id, here, accountId } = await pair(digit);
    const answers = await Promise.all([
      founder.json("DELETE", `/members/${id}`),
      member.json("DELETE", `/members/${accountId}${here}`),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    const rows = await selectEverywhere(
      "SELECT owner_email FROM accounts WHERE owner_email <> id UNION ALL SELECT email FROM members",
    );
    expect(rows.length).toBeGreaterThan(0);
    const alone = createOwner(undefined, env, digit);
    const only = await membersOf(alone);
    const last = await alone.json("DELETE", `/members/${only.accountId}`);
    expect([last.status, (await last.json<{ error: string }>()).error]).toEqual([409, "conflict"]);
  });

  it.each([1, 2, 3, 4])(
    "whose directory fails in call %i of an addition is completed by sending it again",
    async (nth) => {
      const founder = createOwner(undefined, env, digit);
      const member = createOwner();
      const { accountId } = await membersOf(founder);
      let calls = 0;
      const failing = interceptDatabases(env, () => async (_, makeCall) => {
        calls += 1;
        if (calls === nth) throw new Error("Network connection lost.");
        return makeCall();
      });
      const cutOff = createOwner(founder.email, failing, digit);
      const first = (await invite(cutOff, member.email)).status;
      expect([201, 503]).toContain(first);
      expect((await add(founder, member)).status).toBe(201);
      expect((await membersOf(founder)).items).toHaveLength(2);
      expect((await accountsOf(member)).map(({ id }) => id)).toEqual([accountId]);
      const { items } = await (await founder.json("GET", "/activity")).json<{ items: AuditEvent[] }>();
      expect(items).toHaveLength(2);
    },
  );
});

it("each answer with 201 to a script says where it is, in the account that was chosen", { tags: "slow" }, async () => {
  const owner = createOwner();
  const { apiKey } = await owner.create();
  const { items } = await (await owner.json("GET", "/accounts")).json<{ items: { id: string }[] }>();
  const account = items[0]?.id;
  const made = async (path: string, body?: object) => {
    const answer = await owner.json("POST", path, body);
    expect(answer.status, path).toBe(201);
    return answer.headers.get("Location")?.replace("/account/api", "") ?? "";
  };
  const key = `/keys/${apiKey.id}`;
  expect(await made(`${key}/rotate`, { graceSeconds: 0 })).toBe(key);
  expect(await made("/keys", { name: "Second" })).toMatch(/^\/keys\/\w{12}$/);
  const inChosen = await made(`/keys?account=${account}`, { name: "Third" });
  expect(inChosen).toMatch(new RegExp(`^/keys/\\w{12}\\?account=${account}$`));
  expect((await owner.json("GET", inChosen)).status).toBe(200);
  const webhook = await made("/webhooks", { url: "https://hooks.example.com/", types: ["proposal.created"] });
  expect(await made(`${webhook}/rotate`)).toBe(webhook);
  expect((await owner.json("PATCH", webhook, { paused: true })).status).toBe(200);
  const member = await made("/members", { email: "new@example.com" });
  expect((await owner.json("DELETE", member)).status).toBe(204);
});

it("a member of several chooses on a page that the navigation leads to, and stays there by every link and form", {
  tags: "slow",
}, async () => {
  const [first, second, person] = [createOwner(), createOwner(), createOwner()];
  await person.create("Own");
  for (const owner of [first, second]) await add(owner, person);
  expect(await accountsOf(person)).toHaveLength(3);
  expect(await (await person.page("/activity")).text()).toContain('<a href="/account/accounts">');
  const page = await (await person.page("/accounts")).text();
  const names = [...page.matchAll(/<strong>([^<]*)<\/strong>( \(this one\))?/g)];
  expect(names.map(([, name, current]) => [name, current !== undefined]).toSorted()).toEqual(
    [first, second, person].map(({ email }) => [email, email === person.email]).toSorted(),
  );
  const { accountId } = await membersOf(first);
  const there = await (await person.page(`/api-keys?account=${accountId}`)).text();
  const leads = [...there.matchAll(/ (?:href|action)="(\/account[^"]*)"/g)].map(([, path = ""]) => path);
  expect(leads.length).toBeGreaterThan(3);
  expect(leads.filter((path) => !path.includes(`account=${accountId}`))).toEqual([]);
  expect(await (await person.page(`/accounts?account=${accountId}`)).text()).toContain(
    `${first.email}</strong> (this one)`,
  );
  expect(there).toContain(`in ${first.email}`);
  const made = await first.create("Link");
  const changed = await person.submit(`/api-keys/${made.apiKey.id}/change?account=${accountId}`, {
    name: "Linked",
    scopes: ["surveys:read"],
    rate: "600/60",
  });
  const location = `/account/api-keys?done=changed&key=${made.apiKey.id}&account=${accountId}`;
  expect([changed.status, changed.headers.get("Location")]).toEqual([303, location]);
  expect(await (await person.page(location.replace("/account", ""))).text()).toContain("“Linked” updated");
});

it("nobody else's account can be chosen: one that exists and one that does not are one answer", {
  tags: "slow",
}, async () => {
  const [owner, stranger] = [createOwner(), createOwner()];
  const { accountId } = await membersOf(owner);
  const answers = [];
  for (const account of [accountId, `${accountId.charAt(0)}aaaaaaaaaaa`, "zaaaaaaaaaaa", "x", ""]) {
    for (const path of ["/keys", "/members", "/activity", "/accounts"])
      answers.push([...new Set([(await stranger.json("GET", `${path}?account=${account}`)).status])]);
    answers.push([(await stranger.json("POST", `/members?account=${account}`, { email: stranger.email })).status]);
  }
  expect(new Set(answers.flat())).toEqual(new Set([403]));
  expect((await membersOf(owner)).items).toHaveLength(1);
});

it("an entry of the directory alone opens nothing, and keeps nobody from an account of their own", async () => {
  const [owner, person] = [createOwner(), createOwner()];
  const { accountId } = await membersOf(owner);
  await env.DB.prepare("INSERT INTO memberships VALUES (?1, ?2)").bind(person.email, accountId).run();
  expect((await person.json("GET", `/keys?account=${accountId}`)).status).toBe(403);
  expect((await person.json("GET", "/keys")).status).toBe(200);
  expect((await membersOf(person)).accountId).not.toBe(accountId);
  expect(await env.DB.prepare("SELECT count(*) AS n FROM memberships").first("n")).toBe(0);
});

it("has at most 50 members, and takes addresses that Access knows", async () => {
  const owner = createOwner();
  const { accountId } = await membersOf(owner);
  for (const email of ["", "nobody", "a b@example.com", "ä@example.com", `${"x".repeat(320)}@example.com`])
    expect([email, (await invite(owner, email)).status]).toEqual([email, 400]);
  expect((await invite(owner, " Somebody@Example.COM ")).status).toBe(201);
  expect((await membersOf(owner)).items.at(-1)?.email).toBe("somebody@example.com");
  await databaseOf(accountId)
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 48)
       INSERT INTO members (id, account_id, email, added_by, created_at) SELECT ?1 || printf('%011d', i), ?2, i || '@example.com', 'x', 1 FROM n`,
    )
    .bind(accountId.charAt(0), accountId)
    .run();
  const full = await invite(owner, "more@example.com");
  expect(full.status).toBe(409);
  expect((await full.json<{ detail: string }>()).detail).toContain("at most 50 members");
  expect((await invite(owner, "somebody@example.com")).status).toBe(201);
});

it("the page adds and removes, and says what is wrong", { tags: "slow" }, async () => {
  const owner = createOwner();
  const added = await owner.submit("/members", { email: "colleague@example.com" });
  expect([added.status, added.headers.get("Location")]).toEqual([
    303,
    "/account/members?invited=colleague%40example.com",
  ]);
  const html = await (await owner.page("/members")).text();
  const remove =
    html.match(/href="\/account(\/members\/\w{12}\/remove)" aria-label="Cancel the invitation of colleague/)?.[1] ?? "";
  const asked = await (await owner.page(remove)).text();
  expect(asked).toContain("Cancel the invitation of colleague@example.com?</h1>");
  expect(asked).toContain("You can invite them again at any time.");
  expect(asked).toContain(`action="/account${remove}"`);
  const { items } = await membersOf(owner);
  const self = items.find(({ email }) => email === owner.email)?.id;
  expect(await (await owner.page(`/members/${self}/remove`)).text()).toContain("You’ll lose access to it right away.");
  expect((await owner.page("/members/000000000000/remove")).status).toBe(404);
  const canceled = (await owner.submit(remove, {})).headers.get("Location")?.replace("/account", "") ?? "";
  expect((await membersOf(owner)).items).toHaveLength(1);
  expect(await (await owner.page(canceled)).text()).toContain(
    ">The invitation of colleague@example.com was canceled.</p>",
  );
  const refused = await owner.submit("/members", { email: "<b>" });
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain('<a href="#email">Email address must be an e-mail address');
});

it("a member leaves by a button of their own, and is told where they still are", { tags: "slow" }, async () => {
  const { founder, member, accountId, id } = await pair("0");
  const here = `?account=${accountId}`;
  const list = await (await member.page(`/members${here}`)).text();
  expect(list).toContain('aria-label="Leave this account">Leave<');
  const path = `/members/${id}/remove${here}`;
  const asked = await (await member.page(path)).text();
  for (const part of ["Leave this account?</h1>", "You’ll lose access to it right away.", ">Leave account</button>"])
    expect(asked).toContain(part);
  const left = await member.submit(path, {});
  const accounts = new URL(left.headers.get("Location") ?? "", ORIGIN);
  expect(accounts.pathname + accounts.search).toBe("/account/accounts?told=left");
  const told = await member.page(accounts.pathname.replace("/account", "") + accounts.search);
  expect([told.status, (await told.text()).includes(">You’ve left this account.</p>")]).toEqual([200, true]);
  expect((await membersOf(founder)).items).toHaveLength(1);
});

it("the page says who was removed, and nothing that is not so or no address", { tags: "slow" }, async () => {
  const { founder, member, id } = await pair("0");
  const removed = `/account/members?removed=${encodeURIComponent(member.email)}`;
  const notice = async (path: string) =>
    (await (await founder.page(path.replace("/account", ""))).text()).match(/ data-done[^>]*>([^<]*)</)?.[1];
  expect(await notice(removed)).toBeUndefined();
  expect((await founder.submit(`/members/${id}/remove`, {})).headers.get("Location")).toBe(removed);
  expect(await notice(removed)).toBe(`${member.email} was removed.`);
  for (const foreign of ["Call%20555%200100", "%3Cb%3E", founder.email])
    for (const name of ["removed", "canceled"]) expect(await notice(`/members?${name}=${foreign}`)).toBeUndefined();
});

it("an account whose database does not answer keeps nobody from the others, and makes nobody another one", {
  tags: "slow",
}, async () => {
  const [here, there] = [createOwner(undefined, env, "0"), createOwner(undefined, env, "1")];
  const down = interceptDatabases(env, (binding) =>
    binding === "DB_1"
      ? async () => Promise.reject(new Error("Network connection lost."))
      : (_, makeCall) => makeCall(),
  );
  const [person, other] = [createOwner(undefined, down), createOwner(undefined, down)];
  for (const owner of [there, here]) await add(owner, createOwner(person.email));
  await add(there, createOwner(other.email));
  const accounts = await selectEverywhere<{ id: string }>("SELECT id FROM accounts");
  const { accountId } = await membersOf(here);
  expect(await accountsOf(person)).toEqual([{ id: accountId, name: here.email }]);
  const led = await person.page("/members");
  expect([led.status, led.headers.get("Location")]).toEqual([303, `/account/members?account=${accountId}`]);
  expect((await person.page(`/members?account=${accountId}`)).status).toBe(200);
  expect([(await other.json("GET", "/keys")).status, (await other.json("GET", "/accounts")).status]).toEqual([
    503, 503,
  ]);
  expect(await selectEverywhere<{ id: string }>("SELECT id FROM accounts")).toEqual(accounts);
  expect(await env.DB.prepare("SELECT count(*) AS n FROM memberships").first("n")).toBe(3);
});

it("an account that is being made while its person's accounts are listed is one account", async () => {
  const person = createOwner(undefined, env, "1");
  let listed: readonly OwnAccount[] | undefined;
  // Between the directory's entry and the account, in another database.
  const slow = interceptDatabases(env, (binding) => async (_, makeCall) => {
    if (binding === "DB_1") listed ??= await accountsOf(person);
    return makeCall();
  });
  expect((await createOwner(person.email, slow, "1").json("GET", "/keys")).status).toBe(200);
  expect(listed).toEqual([]);
  expect((await createOwner(person.email, env, "0").json("GET", "/keys")).status).toBe(200);
  expect(await selectEverywhere("SELECT id FROM accounts")).toHaveLength(1);
});

it("who is added while being removed is a member, and the directory knows it", { tags: "slow" }, async () => {
  const { founder, member, id, accountId } = await pair("0");
  let isAdded = false;
  // The removal is done, and the directory does not know of it yet.
  const slow = interceptDatabases(env, () => async (_, makeCall) => {
    const answer = await makeCall();
    const left = await databaseOf(accountId).prepare("SELECT 1 FROM members WHERE id = ?1").bind(id).first();
    if (left === null && !isAdded) {
      isAdded = true;
      expect((await add(founder, member)).status).toBe(201);
    }
    return answer;
  });
  const removal = await createOwner(founder.email, slow, "0").json("DELETE", `/members/${id}`);
  expect(removal.status).toBe(204);
  expect((await membersOf(founder)).items).toHaveLength(2);
  expect((await accountsOf(member)).map((account) => account.id)).toContain(accountId);
});
