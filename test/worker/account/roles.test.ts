/**
 * The roles of members: what each page, form and operation needs, by what the routes say; and that a role which is taken away holds from
 * the answer on.
 */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { ACCOUNT_OPERATIONS } from "../../../src/worker/account/api.ts";
import type { Identity } from "../../../src/worker/account/identity/identity.ts";
import { ROUTES } from "../../../src/worker/account/routes.ts";
import type { Member } from "../../../src/worker/model/member.ts";
import { lesserRole, type Needs, ROLE_NAMES, ROLES, type Role } from "../../../src/worker/model/role.ts";
import { selectEverywhere } from "../../support/databases.ts";
import { createFilledDesk } from "../../support/filled-desk.ts";
import { interceptDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { add, invite, membersOf, pair } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";
import { readForm } from "../../support/read-forms.ts";

type Asked = { readonly method: string; readonly path: string; readonly needs: Needs };

const PAGES: readonly Asked[] = ROUTES.flat();
const OPERATIONS: readonly Asked[] = Object.values(ACCOUNT_OPERATIONS);
const word = (needs: Needs): string => (needs === "anyone" ? "Anyone" : ROLE_NAMES[needs]);

it("docs/roles.md has what each page and operation needs: a new one is looked at first", async () => {
  const rows = (asked: readonly Asked[]) =>
    [...new Map(asked.map((each) => [`${each.method} ${each.path}`, each])).values()].map(
      ({ method, path, needs }) => `| ${method === "GET" ? "open" : "send"} | \`${path}\` | ${word(needs)} |`,
    );
  const document = [
    "# Roles",
    "",
    "What each page and operation of Account Settings needs. An admin can do what a member can, and a member what a viewer can. “Anyone” is who is signed in, also without an account.",
    "A viewer takes files about people (people, voters, responses, one person's data) only with the switch `viewersExport`. Some pages ask for more for one of their buttons: only an admin deletes a board or changes the account's settings. Everybody may leave an account and change their own name. Only an admin removes others and gives them roles.",
    "[docs/api.md](api.md#members-and-accounts) has the rules. To change this table, change a definition, then run `npx vitest run -u --project workerd test/worker/account/roles.test.ts`.",
    "",
    "## Pages",
    "",
    "| act | path | needs |",
    "|---|---|---|",
    ...rows(PAGES.filter(({ method }) => method !== "ALL")).toSorted(),
    "",
    "## Operations",
    "",
    "| method | path | needs |",
    "|---|---|---|",
    ...OPERATIONS.map(({ method, path, needs }) => `| ${method} | \`${path}\` | ${word(needs)} |`).toSorted(),
    "",
  ];
  await expect(document.join("\n")).toMatchFileSnapshot("../../../docs/roles.md");
});

it("are in the order of the alphabet, by which SQL compares them", () => {
  expect(ROLES.toSorted()).toEqual([...ROLES]);
  expect([lesserRole("admin", "viewer"), lesserRole("viewer", "member"), lesserRole("member", "admin")]).toEqual([
    ...["viewer", "viewer", "member"],
  ]);
});

describe("a page", { tags: "slow" }, () => {
  it("that a role may not open says so, names an admin, and is in no navigation", async () => {
    const { founder, member, here } = await pair("1");
    await founder.json("PATCH", `/members/${(await membersOf(founder)).accountId}`, { name: "Ana Ortiz" });
    await founder.json("PATCH", `/members/${(await membersOf(founder)).items[1]?.id}`, { role: "member" });
    const refused = await member.page(`/api-keys${here}`);
    const html = await refused.text();
    expect([refused.status, html.includes('<h1 dir="auto">Only admins can do this</h1>')]).toEqual([403, true]);
    // What the heading says is said once, and the way back is to a page that opens.
    expect(html).toContain("<p>Ask Ana Ortiz.</p>");
    expect(html).toContain(`<a href="/account?account=${(await membersOf(founder)).accountId}">Back to Home</a>`);
    const ideas = await (await member.page(`/ideas${here}`)).text();
    expect([ideas.includes(">People</a>"), ideas.includes(">Developers</a>")]).toEqual([true, false]);
    expect(await (await founder.page("/ideas")).text()).toContain(">Developers</a>");
  });

  it("of an idea, and of the list, has no form for a viewer", async () => {
    const { owner, ids } = await createFilledDesk();
    const { accountId } = await membersOf(owner);
    const viewer = createOwner();
    await add(owner, viewer, "", "viewer");
    for (const path of [`/idea-banks/${ids.ideaBankId}/ideas/${ids.proposalId}`, "/ideas", "/surveys", "/idea-banks"]) {
      const html = await (await viewer.page(`${path}?account=${accountId}`)).text();
      const buttons = [...html.matchAll(/<button[^>]*name="do"[^>]*>/g)].map(([button]) => button);
      expect([path, buttons]).toEqual([path, []]);
      expect(html).not.toContain("/ideas/new");
    }
  });
});

describe("a role that is taken away", () => {
  /** A member of the desk, whose form was opened before. */
  const openForm = async () => {
    const { owner, ids } = await createFilledDesk();
    const { accountId } = await membersOf(owner);
    const member = createOwner();
    const { id } = await (await add(owner, member, "", "member")).json<Member>();
    const path = `/idea-banks/${ids.ideaBankId}/ideas/${ids.proposalId}?account=${accountId}`;
    expect((await member.page(path)).status).toBe(200);
    return { owner, member, id, path, accountId, ids };
  };
  const comments = () => selectEverywhere("SELECT body FROM comments WHERE body = 'Too late'");

  it("refuses a form that is open, and keeps what was written", { tags: "slow" }, async () => {
    const { owner, member, id, path } = await openForm();
    expect((await owner.json("PATCH", `/members/${id}`, { role: "viewer" })).status).toBe(200);
    const answer = await member.submit(path, { do: "comment", body: "Too late" });
    const html = await answer.text();
    expect([answer.status, html.includes("Too late"), html.includes("to make you a member.")]).toEqual([
      403,
      true,
      true,
    ]);
    expect(await comments()).toEqual([]);
  });

  it("counts in the statement that writes, when it is taken away right before", { tags: "slow" }, async () => {
    const { owner, member, id, path } = await openForm();
    let isDemoted = false;
    const slow = interceptDatabases(env, () => async (_, makeCall) => {
      const answer = await makeCall();
      // The first call says what the person may do.
      if (!isDemoted) {
        isDemoted = true;
        expect((await owner.json("PATCH", `/members/${id}`, { role: "viewer" })).status).toBe(200);
      }
      return answer;
    });
    const late = createOwner(member.email, slow);
    const answer = await late.submit(path, { do: "comment", body: "Too late" });
    expect(isDemoted).toBe(true);
    expect([answer.status, (await answer.text()).includes("to make you a member.")]).toEqual([403, true]);
    expect(await comments()).toEqual([]);
  });

  it.each([
    ["POST", "/keys", { name: "Too late" }],
    ["POST", "/webhooks", { url: "https://crm.example.com/" }],
    ["PUT", "/settings", { leakedKeys: "mark" }],
    ["POST", "/members", { email: "again@example.com" }],
    ["POST", "/tokens/end", undefined],
  ])("counts in the statement of %s %s", async (method, path, body) => {
    const { founder, member, id, here } = await pair("1");
    let isDemoted = false;
    const slow = interceptDatabases(env, () => async (_, makeCall) => {
      const answer = await makeCall();
      if (!isDemoted) {
        isDemoted = true;
        expect((await founder.json("PATCH", `/members/${id}`, { role: "member" })).status).toBe(200);
      }
      return answer;
    });
    const answer = await createOwner(member.email, slow).json(method, `${path}${here}`, body);
    const { detail } = await answer.json<{ detail: string }>();
    expect([isDemoted, answer.status, detail]).toEqual([true, 403, `Only admins can do this. Ask ${founder.email}.`]);
    expect([(await founder.keys()).length, (await membersOf(founder)).items.length]).toEqual([1, 2]);
  });

  it("stays with the last admin; who was only invited counts for nothing", { tags: "slow" }, async () => {
    const owner = createOwner();
    const { accountId } = await membersOf(owner);
    const second = createOwner();
    const invited = await (await invite(owner, second.email)).json<Member>();
    const step = () => owner.json("PATCH", `/members/${accountId}`, { role: "viewer" });
    const leave = () => owner.json("DELETE", `/members/${accountId}`);
    for (const refused of [await step(), await leave()]) {
      expect(refused.status).toBe(409);
      expect((await refused.json<{ detail: string }>()).detail).toContain("last admin");
    }
    expect((await second.json("PUT", `/invitations/${invited.id}`)).status).toBe(200);
    expect((await step()).status).toBe(200);
    // Anybody else may leave.
    expect((await leave()).status).toBe(204);
    const last = await second.json("PATCH", `/members/${invited.id}?account=${accountId}`, { role: "member" });
    expect(last.status).toBe(409);
  });
});

it("an invitation has a role, which an admin can change until it is accepted; the default is a member", {
  tags: "slow",
}, async () => {
  const owner = createOwner();
  const { accountId } = await membersOf(owner);
  const [one, other] = [createOwner(), createOwner()];
  const { id, role } = await (await owner.json("POST", "/members", { email: one.email })).json<Member>();
  expect(role).toBe("member");
  const form = await owner.submit("/members", { email: other.email, role: "viewer" });
  expect(form.status).toBe(303);
  expect((await owner.json("PATCH", `/members/${id}`, { role: "admin" })).status).toBe(200);
  const { items } = await (await one.json("GET", "/invitations")).json<{ items: { role: Role }[] }>();
  expect(items.map((each) => each.role)).toEqual(["admin"]);
  expect((await one.json("PUT", `/invitations/${id}`)).status).toBe(200);
  const roles = (await membersOf(owner)).items.map((member) => [member.email, member.role, member.state]);
  expect(roles).toEqual([
    [owner.email, "admin", "accepted"],
    [one.email, "admin", "accepted"],
    [other.email, "viewer", "invited"],
  ]);
  const refused = await other.json("PATCH", `/members/${id}?account=${accountId}`, { role: "viewer" });
  expect(refused.status).toBe(403);
});

it("each member sets the own name, and nobody another one's; the activity has both", { tags: "slow" }, async () => {
  const { founder, member, id, here } = await pair("0");
  expect((await member.submit(`/profile${here}`, { name: "  Ben Li " })).status).toBe(303);
  expect((await membersOf(founder)).items[1]).toMatchObject({ id, name: "Ben Li", role: "admin" });
  expect((await founder.json("PATCH", `/members/${id}`, { name: "Benny" })).status).toBe(403);
  await founder.json("PATCH", `/members/${id}`, { role: "viewer" });
  const [roles, names] = (await founder.events()).map(({ changes }) => changes);
  expect(roles).toMatchObject({ before: { role: "admin" }, after: { role: "viewer", colleague: member.email } });
  expect(names).toMatchObject({
    before: { memberName: null },
    after: { memberName: "Ben Li", colleague: member.email },
  });
  const page = await (await founder.page("/members")).text();
  expect(page).toContain('aria-hidden="true">BL</span>');
  const activity = await (await founder.page("/activity")).text();
  expect(activity).toContain(`Role: Admin → Viewer. Member: ${member.email}.`);
  // A viewer still has a name.
  expect((await member.submit(`/profile${here}`, { name: "" })).status).toBe(303);
  expect((await membersOf(founder)).items[1]?.name).toBeNull();
  expect((await member.submit(`/profile${here}`, { name: "x".repeat(101) })).status).toBe(400);
});

it("a member's page gives back no role that another admin has taken away since, unless that is what is chosen", {
  tags: "slow",
}, async () => {
  const { founder, id } = await pair("1");
  const roleOf = async () => (await membersOf(founder)).items.find((each) => each.id === id)?.role;
  const path = `/members/${id}`;
  const open = async () => Object.fromEntries((await readForm(await founder.page(path), "Save")).fields);
  const ticking = await open();
  await founder.json("PATCH", path, { role: "viewer" });
  // Whoever only ticks a key leaves the role as it is.
  expect((await founder.submit(path, ticking)).status).toBe(303);
  expect(await roleOf()).toBe("viewer");
  // Whoever chooses another one sees both.
  const late = await founder.submit(path, { ...ticking, role: "member" });
  expect(late.status).toBe(409);
  const { fields } = await readForm(late, "Save mine all the same");
  expect(await roleOf()).toBe("viewer");
  expect((await founder.submit(path, Object.fromEntries(fields))).status).toBe(303);
  expect(await roleOf()).toBe("member");
});

it("a member's page takes the role away, and ends the keys and webhooks that are ticked, and no other", {
  tags: "slow",
}, async () => {
  const { founder, member, id, here } = await pair("1");
  const made = async (name: string) =>
    (await (await member.json("POST", `/keys${here}`, { name })).json<{ apiKey: { id: string } }>()).apiKey.id;
  const [kept, ended] = [await made("Kept"), await made("Ended")];
  const html = await (await founder.page(`/members/${id}`)).text();
  expect([
    html.includes("<bdi>Kept</bdi>"),
    html.includes("<bdi>Ended</bdi>"),
    / name="keys"[^>]* checked/.test(html),
  ]).toEqual([true, true, false]);
  const saved = await founder.submit(`/members/${id}`, { role: "member", keys: ended });
  expect([saved.status, saved.headers.get("Location")]).toEqual([303, `/account/members?changed=${id}`]);
  const states = Object.fromEntries((await founder.keys()).map((key) => [key.id, key.state]));
  expect([states[kept], states[ended]]).toEqual(["active", "revoked"]);
  expect((await membersOf(founder)).items[1]?.role).toBe("member");
  expect((await member.page(`/members/${id}${here}`)).status).toBe(403);
});

it("everybody may leave, and only an admin removes others", { tags: "slow" }, async () => {
  const { founder, member, id, here, accountId } = await pair("1");
  await founder.json("PATCH", `/members/${id}`, { role: "viewer" });
  expect((await member.page(`/members/${accountId}/remove${here}`)).status).toBe(403);
  expect((await member.submit(`/members/${accountId}/remove${here}`, {})).status).toBe(403);
  expect((await member.json("DELETE", `/members/${accountId}${here}`)).status).toBe(403);
  expect((await membersOf(founder)).items).toHaveLength(2);
  expect((await member.page(`/members/${id}/remove${here}`)).status).toBe(200);
  expect((await member.submit(`/members/${id}/remove${here}`, {})).status).toBe(303);
  expect((await membersOf(founder)).items).toHaveLength(1);
});

it("only an admin deletes a board", { tags: "slow" }, async () => {
  const { owner, ids } = await createFilledDesk();
  const { accountId } = await membersOf(owner);
  const member = createOwner();
  await add(owner, member, "", "member");
  const settings = `/idea-banks/${ids.ideaBankId}/settings`;
  expect(await (await member.page(`${settings}?account=${accountId}`)).text()).not.toContain("Delete this board");
  expect((await member.submit(`${settings}?account=${accountId}`, { do: "delete" })).status).toBe(403);
  expect((await owner.page(settings)).status).toBe(200);
  expect((await owner.submit(settings, { do: "delete" })).status).toBe(303);
});

it("viewers export who people are only where an admin allows it", { tags: "slow" }, async () => {
  const { owner, ids } = await createFilledDesk();
  const { accountId } = await membersOf(owner);
  const viewer = createOwner();
  await add(owner, viewer, "", "viewer");
  const file = () => viewer.page(`/surveys/${ids.surveyId}/responses.csv?account=${accountId}`);
  const refused = await file();
  expect([refused.status, (await refused.text()).includes("Viewers can’t export who people are.")]).toEqual([
    403,
    true,
  ]);
  const page = async () => (await viewer.page(`/surveys/${ids.surveyId}?account=${accountId}`)).text();
  expect(await page()).not.toContain("responses.csv");
  const turned = await viewer.submit(`/accounts?account=${accountId}`, { do: "viewersExport", viewersExport: "on" });
  expect(turned.status).toBe(403);
  expect((await owner.submit("/accounts", { do: "viewersExport", viewersExport: "on" })).status).toBe(303);
  expect((await file()).status).toBe(200);
  expect(await page()).toContain("responses.csv");
});

describe("a service token", { tags: "slow" }, () => {
  const scripted = async () => {
    const { founder, member, id, here } = await pair("1");
    const bindings = { ...env, SERVICE_TOKEN_OWNERS: `token.access=${member.email}` };
    const identity: Identity = { email: member.email, actor: "token.access" };
    const script = createIsolate(bindings, async () => identity);
    const create = () =>
      script.request(`/account/api/keys${here}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ name: "By a script" }),
      });
    return {
      founder: createOwner(founder.email, bindings),
      member,
      id,
      here,
      script,
      create,
      accountId: here.slice(9),
    };
  };

  it("has the role of its member, until an admin gives it a lesser one", async () => {
    const { founder, id, here, script, create } = await scripted();
    expect((await create()).status).toBe(201);
    expect(await (await founder.page(`/members/${id}`)).text()).toContain('name="token-token.access"');
    const saved = await founder.submit(`/members/${id}`, { role: "admin", "token-token.access": "viewer" });
    expect(saved.status).toBe(303);
    const { serviceTokenRoles } = await (await founder.json("GET", "/settings")).json<{ serviceTokenRoles: unknown }>();
    expect(serviceTokenRoles).toEqual([{ clientId: "token.access", role: "viewer" }]);
    expect((await create()).status).toBe(403);
    expect((await script.request(`/account/api/members${here}`)).status).toBe(200);
    expect((await founder.submit(`/members/${id}`, { role: "admin", "token-token.access": "admin" })).status).toBe(303);
    expect((await create()).status).toBe(201);
    // It has never more than its member.
    expect((await founder.json("PATCH", `/members/${id}`, { role: "member" })).status).toBe(200);
    expect((await create()).status).toBe(403);
  });

  it("has it in the statement that writes, too", async () => {
    const { founder, member, here } = await pair("1");
    let isHeldBack = false;
    const slow = interceptDatabases(env, () => async (_, makeCall) => {
      const answer = await makeCall();
      if (!isHeldBack) {
        isHeldBack = true;
        const serviceTokenRoles = [{ clientId: "token.access", role: "member" }];
        expect((await founder.json("PUT", "/settings", { serviceTokenRoles })).status).toBe(200);
      }
      return answer;
    });
    const identity: Identity = { email: member.email, actor: "token.access" };
    const answer = await createIsolate(slow, async () => identity).request(`/account/api/keys${here}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ name: "By a script" }),
    });
    expect([isHeldBack, answer.status]).toEqual([true, 403]);
    expect(await founder.keys()).toHaveLength(1);
  });
});
