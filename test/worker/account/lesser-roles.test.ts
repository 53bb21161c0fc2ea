/** What members and viewers are not shown, what ends with a lesser role, and that a refused request writes nothing. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Identity } from "../../../src/worker/account/identity/identity.ts";
import { keepSiteToken } from "../../../src/worker/database/tokens/site-tokens.ts";
import type { Member } from "../../../src/worker/model/member.ts";
import type { Role } from "../../../src/worker/model/role.ts";
import { databaseOf, sessionOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { createIsolate } from "../../support/isolate.ts";
import { accept, add, invite, membersOf, pair } from "../../support/members.ts";
import { createOwner, ORIGIN } from "../../support/owner.ts";
import { readForm } from "../../support/read-forms.ts";

const locationOf = (answer: Response) => answer.headers.get("Location") ?? "";

describe("the activity", () => {
  const PATH = "/in?token=SECRETTOKEN12345";

  it.each(["viewer", "member"] as const)(
    "has no whole URL of a webhook for a %s, on the page and in JSON",
    { tags: "slow" },
    async (role) => {
      const { founder, accountId } = await pair("1");
      const person = createOwner();
      await add(founder, person, "", role);
      const { webhook } = await (
        await founder.json("POST", "/webhooks", { url: `https://hooks.example.net${PATH}` })
      ).json<{
        webhook: { id: string };
      }>();
      await founder.json("PATCH", `/webhooks/${webhook.id}`, { url: `https://other.example.net${PATH}` });
      const json = await (await person.json("GET", `/activity?account=${accountId}`)).text();
      const html = await (await person.page(`/activity?account=${accountId}`)).text();
      for (const text of [json, html]) {
        expect(text).not.toContain("SECRETTOKEN");
        expect(text).toContain("https://hooks.example.net/…2345");
        expect(text).toContain("https://other.example.net/…2345");
      }
      expect(await (await founder.json("GET", "/activity")).text()).toContain(PATH);
      expect(await (await founder.page("/activity")).text()).toContain("SECRETTOKEN");
    },
  );
});

describe("a lesser role", () => {
  const invited = async (by: ReturnType<typeof createOwner>, here: string, role: Role) => {
    const person = createOwner();
    const { id } = await (await invite(by, person.email, here, role)).json<Member>();
    return { person, id };
  };

  it("ends the invitations that the person sent to a higher one, as its page says, each with an event", {
    tags: "slow",
  }, async () => {
    const { founder, member, id, here } = await pair("1");
    const [admin, colleague, viewer] = [
      await invited(member, here, "admin"),
      await invited(member, here, "member"),
      await invited(member, here, "viewer"),
    ];
    const others = await invited(founder, "", "admin");
    const html = (await (await founder.page(`/members/${id}`)).text()).replaceAll(/<\/?bdi>/g, "");
    expect(html).toContain("A lesser role cancels the invitations they sent to a higher one: ");
    expect(html).toContain(`${admin.person.email} (Admin)`);
    expect(html).not.toContain(viewer.person.email);
    await founder.submit(`/members/${id}`, { role: "member" });
    expect((await accept(admin.person, admin.id)).status).toBe(404);
    const canceled = (await founder.events()).filter(({ changes }) => changes?.before?.invited !== undefined);
    expect(canceled.map(({ changes }) => changes?.before?.invited)).toContain(admin.person.email);
    await founder.json("PATCH", `/members/${id}`, { role: "viewer" });
    expect((await accept(colleague.person, colleague.id)).status).toBe(404);
    for (const still of [viewer, others]) expect((await accept(still.person, still.id)).status).toBe(200);
    const roles = (await membersOf(founder)).items.map(({ email, role }) => [email, role]);
    expect(roles).toContainEqual([viewer.person.email, "viewer"]);
    expect(roles).toContainEqual([others.person.email, "admin"]);
  });

  it("ends none where it is refused, and none with more rights", { tags: "slow" }, async () => {
    const { founder, member, id, here, accountId } = await pair("1");
    const { person, id: invitation } = await invited(member, here, "admin");
    await founder.json("PATCH", `/members/${id}`, { role: "admin" });
    const outsider = createOwner();
    expect((await outsider.json("PATCH", `/members/${id}?account=${accountId}`, { role: "viewer" })).status).toBe(403);
    expect((await accept(person, invitation)).status).toBe(200);
  });

  it.each([
    ["", { role: "member" }, "stays one"],
    ["/remove", {}, "cannot be removed"],
  ])("revokes no key of the last admin, who is refused: %s", async (page, fields, says) => {
    const owner = createOwner();
    const { accountId } = await membersOf(owner);
    const { apiKey } = await (await owner.json("POST", "/keys", { name: "Mine" })).json<{ apiKey: { id: string } }>();
    const answer = await owner.submit(`/members/${accountId}${page}`, { ...fields, keys: apiKey.id });
    expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining(says)]);
    expect((await owner.keys()).find(({ id }) => id === apiKey.id)).toMatchObject({ revokedAt: null });
  });

  it.each(["viewer", "member"] as const)(
    "lets a former admin, now %s, leave; the keys stay",
    { tags: "slow" },
    async (role) => {
      const { founder, member, id, here } = await pair("1");
      const { apiKey } = await (await member.json("POST", `/keys${here}`, { name: "Mine" })).json<{
        apiKey: { id: string };
      }>();
      await member.json("POST", `/webhooks${here}`, { url: "https://hooks.example.net/in?token=SECRETTOKEN12345" });
      await founder.json("PATCH", `/members/${id}`, { role });
      const page = await member.page(`/members/${id}/remove${here}`);
      const html = await page.clone().text();
      expect(html).toContain("only admins can end them");
      expect(html).toContain("<bdi>Mine</bdi>");
      expect(html).not.toContain("SECRETTOKEN");
      const { fields } = await readForm(page, "Leave account");
      // A form that was opened before still has the boxes.
      const left = await member.submit(`/members/${id}/remove${here}`, {
        ...Object.fromEntries(fields),
        keys: apiKey.id,
      });
      expect(locationOf(left)).toContain("told=left");
      expect((await membersOf(founder)).items).toHaveLength(1);
      expect((await founder.keys()).find((key) => key.id === apiKey.id)).toMatchObject({ revokedAt: null });
    },
  );
});

it("who may only do one half of a change does neither", { tags: "slow" }, async () => {
  const { founder } = await pair("1");
  const person = createOwner();
  const { id } = await (await add(founder, person, "", "member")).json<Member>();
  const { accountId } = await membersOf(founder);
  const change = (who: ReturnType<typeof createOwner>, of: string, body: object) =>
    who.json("PATCH", `/members/${of}?account=${accountId}`, body);
  const nameOf = async (of: string) => (await membersOf(founder)).items.find((each) => each.id === of)?.name;
  expect((await change(person, id, { name: "Zoe", role: "admin" })).status).toBe(403);
  expect(await nameOf(id)).toBe(null);
  const alone = createOwner();
  const { accountId: own } = await membersOf(alone);
  expect((await alone.json("PATCH", `/members/${own}`, { name: "Zoe", role: "viewer" })).status).toBe(409);
  expect((await membersOf(alone)).items[0]).toMatchObject({ name: null, role: "admin" });
  const both = await change(founder, accountId, { name: "Ana", role: "member" });
  expect(await both.json()).toMatchObject({ name: "Ana", role: "member" });
});

it("a viewer’s service token changes neither the name nor the e-mails of its member, and ends no key", {
  tags: "slow",
}, async () => {
  const { founder, member, id, here } = await pair("1");
  const { apiKey } = await (await member.json("POST", `/keys${here}`, { name: "Mine" })).json<{
    apiKey: { id: string };
  }>();
  const bindings = { ...env, SERVICE_TOKEN_OWNERS: `token.access=${member.email}` };
  const identity: Identity = { email: member.email, actor: "token.access" };
  const script = createIsolate(bindings, async () => identity);
  const rename = (name: string) =>
    script.request(`/account/api/members/${id}${here}`, {
      method: "PATCH",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ name }),
    });
  const post = (path: string, fields: Record<string, string>) =>
    script.request(`/account${path}${here}`, {
      method: "POST",
      headers: { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" },
      body: new URLSearchParams(fields),
    });
  expect((await rename("By a script")).status).toBe(200);
  await createOwner(founder.email, bindings).submit(`/members/${id}`, {
    role: "admin",
    "token-token.access": "viewer",
  });
  const choices = () =>
    databaseOf(id)
      .prepare("SELECT * FROM member_mails ORDER BY email, idea_bank_id")
      .all()
      .then(({ results }) => results);
  const before = await choices();
  expect((await rename("By a viewer")).status).toBe(403);
  expect((await post("/profile", { name: "By a viewer" })).status).toBe(403);
  expect((await post("/emails", { ideas: "never", comments: "never" })).status).toBe(403);
  expect((await post(`/members/${id}/remove`, { keys: apiKey.id })).status).toBe(403);
  expect(await choices()).toEqual(before);
  expect((await founder.keys()).find((key) => key.id === apiKey.id)).toMatchObject({ revokedAt: null });
  expect((await membersOf(founder)).items.find((each) => each.id === id)).toMatchObject({ name: "By a script" });
  // The member's own role is no matter: a viewer has a name and e-mails.
  await founder.json("PATCH", `/members/${id}`, { role: "viewer" });
  expect((await member.json("PATCH", `/members/${id}${here}`, { name: "Ana" })).status).toBe(200);
  expect((await member.submit(`/emails${here}`, { ideas: "never" })).status).toBe(303);
});

it("a page that is refused stores no visitor token, however far its reading has come", { tags: "slow" }, async () => {
  const { owner, panel, bank } = await createDesk();
  const viewer = createOwner();
  await add(owner, viewer, "", "viewer");
  const { accountId, id: ideaBankId } = panel.bank;
  const database = databaseOf(ideaBankId);
  const issued = () =>
    database.prepare("SELECT site_token_issued_at AS at FROM idea_banks WHERE id = ?1").bind(ideaBankId).first("at");
  expect((await viewer.page(`${bank}/embed?account=${accountId}`)).status).toBe(403);
  // What the page reads runs beside the question whether it may be opened.
  const asked = { accountId, ideaBankId, now: Date.now(), lifetime: 60, renew: false };
  const asViewer = { person: viewer.email, actor: viewer.email };
  expect(await keepSiteToken(sessionOf(database), { ...asked, owner: asViewer })).toBe(undefined);
  expect(await issued()).toBe(null);
  expect((await owner.page(`${bank}/embed`)).status).toBe(200);
  expect(await issued()).not.toBe(null);
});
