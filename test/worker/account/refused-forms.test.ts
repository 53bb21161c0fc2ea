/** A form that is refused keeps what was written: on the page that refuses it, from where it is sent again. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { SIGN_IN_COOKIE, signSignIn } from "../../../src/worker/credentials/sign-in.ts";
import { failStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createOwner, ORIGIN } from "../../support/owner.ts";
import { readForm, readForms } from "../../support/read-forms.ts";
import { newId, signingKeys, tokenFor } from "../../support/world.ts";

afterEach(() => void vi.useRealTimers());

const WROTE = 'Twenty minutes of work & "more" <b>of it</b>';
const SHOWN = "Twenty minutes of work &amp; &quot;more&quot; &lt;b&gt;of it&lt;/b&gt;";
const [BANK, IDEA, KEY, HOOK] = ["0IdeaBank001", "0Idea0000001", "0ApiKey00001", "0Webhook0001"];

/** The forms in which somebody writes, and those that only decide. */
const FORMS: [string, string, Record<string, string>][] = [
  ["a comment", `/idea-banks/${BANK}/ideas/${IDEA}?back=%2Faccount%2Fideas`, { do: "comment", body: WROTE }],
  [
    "an official response",
    `/idea-banks/${BANK}/ideas/${IDEA}`,
    { do: "decide", was: "", response: WROTE, status: "planned" },
  ],
  ["an idea in other words", `/idea-banks/${BANK}/ideas/${IDEA}`, { do: "edit", title: "A title", description: WROTE }],
  ["the answer to a submission", `/idea-banks/${BANK}/ideas/${IDEA}`, { do: "approve", edits: "1", response: WROTE }],
  ["a new board", "/idea-banks", { name: WROTE }],
  ["a board's settings", `/idea-banks/${BANK}/settings`, { name: WROTE, was: "name=Old" }],
  ["a new API key", "/api-keys", { name: WROTE, once: "ibf_0ApiKey00001abcdefgh", scopes: "surveys:read" }],
  ["a key's settings", `/api-keys/${KEY}/change`, { name: WROTE, allowedAddresses: "203.0.113.0/24" }],
  [
    "a webhook",
    "/webhooks",
    { url: `https://crm.example.com/${encodeURIComponent(WROTE)}`, types: "proposal.created" },
  ],
  ["another webhook", `/webhooks/${HOOK}`, { url: "https://crm.example.com/hook", do: "change" }],
  ["an invitation", "/members", { email: "colleague@example.com" }],
];

const FROM_HERE = { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" };

/** Sends a form in a browser where nobody is signed in any more. */
const sendSignedOut = (
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = FROM_HERE,
  bindings = env,
) =>
  createIsolate(bindings, async () => undefined).request(`/account${path}`, {
    method: "POST",
    headers: { ...ENDED, ...headers },
    body: new URLSearchParams(fields),
  });

const ENDED = { Cookie: `__Host-owner=${await signSignIn(SIGN_IN_COOKIE, newId(), signingKeys)}` };

describe("when the sign-in has ended", () => {
  it.each(FORMS)("%s stays on the page, to be sent again as it was", async (_, path, fields) => {
    const response = await sendSignedOut(path, fields);
    expect(response.status).toBe(403);
    const form = await readForm(response.clone(), "Try again");
    expect(form.action).toBe(`/account${path}`);
    expect(Object.fromEntries(form.fields)).toEqual(fields);
    const html = await response.text();
    expect(html).toContain("You&#39;re signed out");
    expect(html).not.toContain("<b>of it");
  });

  it("what a person has written can be read and corrected, and the rest is not in the way", async () => {
    const html = await (
      await sendSignedOut(`/idea-banks/${BANK}/ideas/${IDEA}`, { do: "comment", body: WROTE })
    ).text();
    expect(html).toMatch(new RegExp(`<label for="body">Comment</label><textarea [^>]*>${SHOWN}</textarea>`));
    expect(html).toContain('<input type="hidden" name="do" value="comment"/>');
  });

  it("the page leads to the platform's sign-in, beside this page, and says there where the owner was", async () => {
    const bindings = { ...env, SIGN_IN_URL: "https://platform.example/sign-in?from=ideas" };
    const headers = { ...FROM_HERE, Referer: `${ORIGIN}/account/idea-banks/${BANK}` };
    const html = await (await sendSignedOut("/idea-banks", { name: WROTE }, headers, bindings)).text();
    expect(html).toContain(
      `href="https://platform.example/sign-in?from=ideas&amp;returnTo=%2Faccount%2Fidea-banks%2F${BANK}" target="_blank"`,
    );
    expect(html).not.toContain("For the operator");
  });

  it("the page leads to Access where that is on, and otherwise says how to come back", async () => {
    const access = { ...env, ACCESS_AUD: "an-audience" };
    const headers = { ...FROM_HERE, Referer: `${ORIGIN}/account/idea-banks` };
    const withAccess = await (await sendSignedOut("/idea-banks", { name: WROTE }, headers, access)).text();
    expect(withAccess).toContain('href="/account/idea-banks" target="_blank"');
    const withNeither = await (await sendSignedOut("/idea-banks", { name: WROTE })).text();
    expect(withNeither).toContain("Open Account Settings in another tab, the way you usually do.");
    expect(withNeither).not.toContain("For the operator");
  });

  it("a page of another site puts nothing on ours: one click would send it in the owner's name", async () => {
    for (const headers of [{ Origin: "https://evil.example" }, { "Sec-Fetch-Site": "cross-site" }, {}]) {
      const response = await sendSignedOut("/members", { email: "evil@example.com" }, headers);
      expect(response.status).toBe(403);
      const html = await response.text();
      expect(html).not.toContain("evil@example.com");
      expect(html).not.toContain("Try again");
    }
  });

  it("a credential that was pasted is not shown", async () => {
    const token = await tokenFor(newId(), newId());
    const html = await (
      await sendSignedOut("/tokens", { token, name: `key ibk_${"a1B2".repeat(12)}`, q: "kept" })
    ).text();
    expect(html).not.toMatch(/ib[kt]_[0-9A-Za-z]{8}/);
    expect(html).toContain('name="q" value="kept"');
  });

  it("a stranger, who was never signed in here, gets nothing back: no body of one is read", async () => {
    for (const Cookie of ["", "__Host-owner=forged", `__Host-owner=ibo_${"0".repeat(29)}`]) {
      const html = await (await sendSignedOut("/members", { email: "x@example.com" }, { ...FROM_HERE, Cookie })).text();
      expect(html).toContain("Sign in to see this page.");
      expect(html).not.toContain("x@example.com");
    }
  });

  it("a body that is no form is refused as before", async () => {
    const response = await createIsolate(env, async () => undefined).request("/account/members", {
      method: "POST",
      headers: { ...FROM_HERE, ...ENDED, "Content-Type": "application/json" },
      body: '{"email":"x@example.com"}',
    });
    expect(response.status).toBe(403);
    expect(await response.text()).not.toContain("x@example.com");
  });

  it("after signing in, the button does what was wanted", async () => {
    const held = await readForm(await sendSignedOut("/idea-banks", { name: "Roadmap" }), "Try again");
    const owner = createOwner();
    const response = await owner.submit(held.action.replace("/account", ""), Object.fromEntries(held.fields));
    expect(response.status).toBe(303);
    expect(await (await owner.page("/idea-banks")).text()).toContain("Roadmap");
  });

  it("a page that was asked for says in an owner's words what to do", async () => {
    const response = await createIsolate(env, async () => undefined).request("/account/idea-banks");
    expect(response.status).toBe(403);
    const html = await response.text();
    expect(html).toContain("Sign in to see this page.");
    expect(await readForms(new Response(html))).toEqual([]);
  });
});

describe("what was written stays", () => {
  const comment = { do: "comment", body: WROTE };

  it("when the idea is gone, to be copied: it cannot be sent again", async () => {
    const owner = createOwner();
    await owner.create();
    const response = await owner.submit(`/idea-banks/${newId()}/ideas/${newId()}`, comment);
    expect(response.status).toBe(404);
    const html = await response.text();
    expect(html).toContain("Copy what you wrote");
    expect(html).toMatch(new RegExp(`<textarea [^>]*readonly[^>]*>${SHOWN}</textarea>`));
    expect(html).not.toContain("Try again");
  });

  it("when the database does not answer, with a button that sends it again", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const owner = createOwner(undefined, failStores(env, "d1"));
    const response = await owner.submit("/idea-banks", { name: WROTE });
    expect(response.status).toBe(503);
    expect(response.headers.get("Retry-After")).toBe("5");
    const form = await readForm(response.clone(), "Try again");
    expect(form.fields.get("name")).toBe(WROTE);
    expect(await response.text()).toContain("Your change may or may not have been saved");
  });

  it("when something has changed in the meantime", { tags: "slow" }, async () => {
    const owner = createOwner();
    for (let times = 0; times < 4; times++) await owner.create(`Key ${times}`);
    const fields = { name: WROTE, scopes: "surveys:read", rate: "600/60", expiresInDays: "90", region: "" };
    const response = await owner.submit("/api-keys", fields);
    expect(response.status).toBe(409);
    expect((await readForms(response)).some((form) => form.fields.get("name") === WROTE)).toBe(true);
  });

  it("when the person is no member of the account any more", async () => {
    const [owner, other] = [createOwner(), createOwner()];
    await owner.create();
    const { accountId } = await (await owner.json("GET", "/members")).json<{ accountId: string }>();
    const response = await other.submit(`/idea-banks?account=${accountId}`, { name: WROTE });
    expect(response.status).toBe(403);
    const form = await readForm(response, "Try again");
    expect([form.action, form.fields.get("name")]).toEqual([`/account/idea-banks?account=${accountId}`, WROTE]);
  });

  it("when the owner has made too many changes in a minute", async () => {
    const OWNER_WRITES: RateLimit = { limit: async () => ({ success: false }) };
    const response = await createOwner(undefined, { ...env, OWNER_WRITES }).submit("/idea-banks", { name: WROTE });
    expect([response.status, response.headers.get("Retry-After")]).toEqual([429, "60"]);
    expect((await readForm(response, "Try again")).fields.get("name")).toBe(WROTE);
  });
});
