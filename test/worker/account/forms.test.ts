/** The forms of Account Settings: what they send, and what comes back when it is refused. */
import { describe, expect, it, vi } from "vitest";
import { SCOPE_GROUPS } from "../../../src/worker/account/keys/key-words.ts";
import { SCOPES } from "../../../src/worker/model/scope.ts";
import { createOwner, ORIGIN } from "../../support/owner.ts";
import { readForm } from "../../support/read-forms.ts";
import { newId } from "../../support/world.ts";

const FIELDS = { name: "A key", scopes: ["surveys:read"], limit: "600", windowSeconds: "60", expiresInDays: "" };
/** What a key may do that only reads. */
const READING = SCOPES.filter((scope) => scope.endsWith(":read"));
const keyIn = (html: string) => html.match(/ibk_[0-9A-Za-z]{47}/)?.[0] ?? "";
const formId = async (owner: ReturnType<typeof createOwner>) =>
  (await (await owner.page("/api-keys/new")).text()).match(/name="newKeyId" value="(\w+)"/)?.[1] ?? "";

describe("the forms", () => {
  it("create a key that is shown once, with a curl line", async () => {
    const owner = createOwner();
    const created = await owner.submit("/api-keys", { ...FIELDS, newKeyId: await formId(owner) });
    expect(created.status).toBe(201);
    const html = await created.text();
    const key = keyIn(html);
    expect(await owner.whoami(key)).toBe(200);
    expect(html).toContain(`curl ${ORIGIN}/tenant/whoami -H &quot;X-API-Key: $API_KEY&quot;`);
    expect(await (await owner.page("/api-keys")).text()).not.toContain(key);
  });

  it("from another site are refused, and nothing of what they send is in the log", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const owner = createOwner();
    const { key } = await owner.create();
    const answer = await owner.isolate.request("/account/api-keys", { method: "POST", headers: { Origin: key } });
    expect(answer.status).toBe(403);
  });

  it("create one key when they are sent twice", async () => {
    const owner = createOwner();
    const fields = { ...FIELDS, newKeyId: await formId(owner) };
    const answers = await Promise.all([owner.submit("/api-keys", fields), owner.submit("/api-keys", fields)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    expect(await owner.keys()).toHaveLength(1);
  });

  it("say nothing of whether another owner's key has an id", { tags: "slow" }, async () => {
    const other = createOwner();
    const theirs = await other.create();
    const owner = createOwner();
    const offered = await formId(owner);
    const offeredToOther = await formId(other);
    // One that exists, one that does not, one that another owner was offered, one that this owner was offered, changed.
    const ids = [theirs.apiKey.id, newId(), offeredToOther, offered.replace(/....$/, "0000")];
    for (const id of ids) {
      const created = await owner.submit("/api-keys", { ...FIELDS, newKeyId: id });
      expect(created.status).toBe(201);
      const [mine] = await owner.keys();
      expect(ids.join()).not.toContain(mine?.id);
      await owner.json("DELETE", `/keys/${mine?.id}`);
    }
    expect(await owner.whoami(theirs.key)).toBe(200);
    expect((await other.submit("/api-keys", { ...FIELDS, newKeyId: offeredToOther })).status).toBe(201);
  });

  it("that are sent again, as by a reload, say that it was done before", async () => {
    const owner = createOwner();
    const fields = { ...FIELDS, newKeyId: await formId(owner) };
    await owner.submit("/api-keys", fields);
    const again = await (await owner.submit("/api-keys", fields)).text();
    expect(again).toContain("<title>Nothing was changed · Idea boards</title>");
    expect(again).not.toContain("Conflict");
    expect(again).toContain("its key was created");
  });

  it("do not take an empty grace for none", async () => {
    const owner = createOwner();
    const { apiKey, key } = await owner.create();
    expect((await owner.submit(`/api-keys/${apiKey.id}/rotate`, { graceSeconds: "" })).status).toBe(400);
    expect(await owner.whoami(key)).toBe(200);
  });

  it("come back with what was typed and what is wrong", async () => {
    const owner = createOwner();
    const response = await owner.submit("/api-keys", { ...FIELDS, name: "x".repeat(101), limit: "0", scopes: [] });
    expect(response.status).toBe(400);
    const html = await response.text();
    for (const text of [
      "x".repeat(101),
      'value="0"',
      '<a href="#name">Name must have 1 to 100 characters after trimming</a>',
      '<a href="#scopes">Scopes must name at least one scope</a>',
      '<a href="#limit">Requests must be an integer from 1 to 10000</a>',
    ]) {
      expect(html).toContain(text);
    }
    expect(html.match(/aria-invalid="true"/g)).toHaveLength(2);
    expect(await owner.keys()).toEqual([]);
  });

  it("open when they are asked for, and offer a key that reads for 90 days", async () => {
    const owner = createOwner();
    const link = await owner.page("/api-keys?create");
    expect([link.status, link.headers.get("Location")]).toEqual([303, "/account/api-keys/new"]);
    const { fields } = await readForm(await owner.page("/api-keys/new"), "Create key");
    expect([fields.get("preset"), fields.getAll("scopes"), fields.get("expiresInDays")]).toEqual(["read", [], "90"]);
    expect((await owner.submit("/api-keys", { ...Object.fromEntries(fields), name: "Reader" })).status).toBe(201);
    expect((await owner.keys())[0]?.scopes).toEqual(READING);
  });

  it.each([
    ["read", READING],
    ["sync", ["ideabanks:read", "ideabanks:write", "panelists:read"]],
    ["tokens", ["panelists:read", "panelists:write"]],
    ["all", SCOPES],
    ["custom", ["surveys:write"]],
    [undefined, ["surveys:write"]],
    ["constructor", ["surveys:write"]],
  ])("take the purpose %s, whatever single scopes are ticked", async (preset, expected) => {
    const owner = createOwner();
    const fields = { ...FIELDS, scopes: ["surveys:write"], ...(preset && { preset }) };
    expect((await owner.submit("/api-keys", fields)).status).toBe(201);
    expect((await owner.keys())[0]?.scopes).toEqual(expected);
  });

  it("say what each purpose allows; a refused one stays chosen", async () => {
    const owner = createOwner();
    const html = await (await owner.submit("/api-keys", { ...FIELDS, name: "", preset: "tokens" })).text();
    expect(html).toContain('value="tokens" checked=""');
    expect(html).toContain('<code class="hint">panelists:read, panelists:write</code>');
  });

  it("copy another key's settings", { tags: "slow" }, async () => {
    const owner = createOwner();
    const { apiKey } = await owner.create("Old one", { scopes: ["surveys:write"], limit: 7, windowSeconds: 9 });
    const { fields } = await readForm(await owner.page(`/api-keys/new?like=${apiKey.id}`), "Create key");
    expect((await owner.submit("/api-keys", Object.fromEntries(fields))).status).toBe(201);
    const [copy] = await owner.keys();
    expect(copy).toMatchObject({
      name: "Old one",
      scopes: ["surveys:write"],
      limit: 7,
      windowSeconds: 9,
      expiresAt: null,
    });
    // It ends when the other one does.
    const expiresAt = new Date(Date.now() + 40.5 * 86_400_000).toISOString();
    await owner.json("PATCH", `/keys/${apiKey.id}`, { expiresAt });
    const like = await owner.page(`/api-keys/new?like=${apiKey.id}`);
    expect(await like.clone().text()).toContain('<option value="41" selected="">In 41 days</option>');
    expect((await readForm(like, "Create key")).fields.get("expiresInDays")).toBe("41");
    expect((await createOwner().page(`/api-keys/new?like=${apiKey.id}`)).status).toBe(404);
  });

  it("come back with the scopes that were chosen, and the limit", async () => {
    const owner = createOwner();
    const html = await (
      await owner.submit("/api-keys", { name: "", scopes: ["surveys:write"], rate: "10/1", expiresInDays: "90" })
    ).text();
    expect([...html.matchAll(/value="([\w:]+)" checked/g)].map(([, scope]) => scope)).toEqual([
      "custom",
      "surveys:write",
    ]);
    expect([...html.matchAll(/<option value="([\w/]+)" selected/g)].map(([, value]) => value)).toEqual(["90", "10/1"]);
  });

  it("give way to a sentence at four keys", async () => {
    const owner = createOwner();
    for (const name of ["a", "b", "c", "d"]) await owner.create(name);
    expect(await (await owner.page("/api-keys")).text()).not.toContain('href="/account/api-keys/new"');
    const html = await (await owner.page("/api-keys/new")).text();
    expect(html).toMatch(/You have 4 active keys, the maximum. <a [^>]*>Revoke one first</);
    expect(html).not.toContain('name="newKeyId"');
    const refused = await owner.submit("/api-keys", FIELDS);
    expect(refused.status).toBe(409);
    expect(await refused.text()).toContain('<h1 dir="auto">Revoke a key to create another</h1>');
  });

  it("change nothing from an old tab when the key is revoked, and say so", async () => {
    const owner = createOwner();
    const { apiKey } = await owner.create("Old");
    await owner.json("DELETE", `/keys/${apiKey.id}`);
    const refused = await owner.submit(`/api-keys/${apiKey.id}/change`, { ...FIELDS, name: "Renamed", was: "" });
    expect(refused.status).toBe(409);
    expect(await refused.text()).toMatch(/<h1 dir="auto">Nothing was changed<\/h1>.*This key is revoked or expired/);
    expect((await owner.keys()).map(({ name }) => name)).toEqual(["Old"]);
  });

  it("change, rotate and revoke, after a confirmation that names the key and its last use", {
    tags: "slow",
  }, async () => {
    const owner = createOwner();
    const { apiKey, key } = await owner.create("CRM");
    const path = `/api-keys/${apiKey.id}`;
    const changed = await owner.submit(`${path}/change`, { ...FIELDS, name: "CRM import" });
    expect([changed.status, changed.headers.get("Location")]).toEqual([
      303,
      `/account/api-keys?done=changed&key=${apiKey.id}`,
    ]);
    const rotated = await owner.submit(`${path}/rotate`, { graceSeconds: "0" });
    const newKey = keyIn(await rotated.text());
    expect([await owner.whoami(key), await owner.whoami(newKey)]).toEqual([401, 200]);
    const confirmation = await (await owner.page(`${path}/revoke`)).text();
    expect(confirmation).toContain("CRM import");
    expect(confirmation).toContain("never used");
    const revoked = await owner.submit(`${path}/revoke`, {});
    const location = revoked.headers.get("Location") ?? "";
    expect([revoked.status, location]).toEqual([303, `/account/api-keys?done=revoked&key=${apiKey.id}`]);
    expect(await owner.whoami(newKey)).toBe(401);
    const list = await (await owner.page(location.replace("/account", ""))).text();
    expect(list).toContain("“CRM import” revoked.");
    expect(list).not.toContain(`/account${path}/`);
  });

  it("for a key that is not there are a 404 page", { tags: "slow" }, async () => {
    const owner = createOwner();
    for (const answer of [
      await owner.page("/api-keys/000000000000/revoke"),
      await owner.submit("/api-keys/000000000000/revoke", {}),
      await owner.submit("/api-keys/000000000000/rotate", { graceSeconds: "0" }),
      await owner.page("/api-keys/000000000000/change"),
      await owner.submit("/api-keys/000000000000/change", FIELDS),
    ]) {
      expect(answer.status).toBe(404);
      expect(await answer.text()).toContain("There is no such API key.");
    }
  });

  it("say what was done, and only what is so", async () => {
    const owner = createOwner();
    const [mine, theirs] = [await owner.create("Mine"), await createOwner().create("Theirs")];
    const noteOf = async (what: string, key: string) =>
      (await (await owner.page(`/api-keys?done=${what}&key=${key}`)).text()).match(/role="status"[^>]*>([^<]*)</)?.[1];
    expect(await noteOf("changed", mine.apiKey.id)).toBe("“Mine” updated.");
    expect(await noteOf("revoked", mine.apiKey.id)).toBeUndefined();
    expect(await noteOf("hacked", mine.apiKey.id)).toBeUndefined();
    expect(await noteOf("changed", theirs.apiKey.id)).toBeUndefined();
  });

  it("for a change that is refused come back with it, and say why", async () => {
    const owner = createOwner();
    const { apiKey } = await owner.create("CRM");
    const response = await owner.submit(`/api-keys/${apiKey.id}/change`, {
      ...FIELDS,
      name: "  ",
      allowedAddresses: "198.51.100.7\n203.0.113.9/24",
    });
    expect(response.status).toBe(400);
    const html = await response.text();
    expect(html).toContain('<a href="#name">Name must have 1 to 100 characters after trimming</a>');
    expect(html).toContain(
      '<a href="#allowedAddresses">Allowed addresses “203.0.113.9/24” must be an address or a CIDR block',
    );
    expect(html).toContain("203.0.113.9/24</textarea>");
    expect(html).toContain(`action="/account/api-keys/${apiKey.id}/change"`);
    expect(html).not.toContain("`errors`");
    expect((await owner.keys())[0]?.name).toBe("CRM");
    expect((await owner.submit(`/api-keys/000000000000/change`, { name: " " })).status).toBe(404);
  });

  it("for a rotation that no form offers name what is wrong", async () => {
    const owner = createOwner();
    const { apiKey } = await owner.create();
    const html = await (await owner.submit(`/api-keys/${apiKey.id}/rotate`, { graceSeconds: "5" })).text();
    expect(html).toContain("graceSeconds must be one of 0, 3600, 86400, 604800");
  });

  it.each([
    ["600/60", {}, [600, 60]],
    ["10/1", { limit: "7", windowSeconds: "7" }, [10, 1]],
    ["other", { limit: "7", windowSeconds: "90" }, [7, 90]],
  ])("take the limit %s with %j as %j", async (rate, others, expected) => {
    const owner = createOwner();
    await owner.submit("/api-keys", { name: "N", scopes: ["surveys:read"], rate, ...others });
    expect((await owner.keys()).map(({ limit, windowSeconds }) => [limit, windowSeconds])).toEqual([expected]);
  });

  it("offer limits in words, the default first", async () => {
    const html = await (await createOwner().page("/api-keys/new")).text();
    const rates = html.match(/<select id="rate"[\s\S]*?<\/select>/)?.[0] ?? "";
    expect(rates).toMatch(/^<select[^>]*><option value="600\/60" selected="">600 requests per minute<\/option>/);
    expect(rates).toContain('<option value="10/1">10 requests per second</option>');
  });

  it("explain each scope, by noun", async () => {
    const html = await (await createOwner().page("/api-keys/new")).text();
    const nouns = [...html.matchAll(/<legend>([^<]+)<\/legend>/g)].map(([, noun]) => noun);
    expect(nouns).toEqual(["What is it for?", ...SCOPE_GROUPS.map(({ noun }) => noun)]);
    const offered = [...html.matchAll(/[^<>]{10,}<code class="hint">(\w+:\w+)<\/code>/g)].map(([, scope]) => scope);
    expect(offered).toEqual(SCOPES);
  });

  it("take only forms, of at most 64 KiB", async () => {
    const owner = createOwner();
    const send = (type: string, body: string) =>
      owner.isolate.request("/account/api-keys", { method: "POST", headers: { "Content-Type": type }, body });
    const refused = await send("application/json", "{}");
    expect(refused.status).toBe(415);
    const html = await refused.text();
    expect(html).toContain("application/x-www-form-urlencoded");
    expect(html).not.toContain("JSON");
    expect((await send("application/x-www-form-urlencoded", `name=${"x".repeat(65_536)}`)).status).toBe(413);
  });
});
