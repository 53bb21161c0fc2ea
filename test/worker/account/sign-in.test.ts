/** Sign-in through the platform by the platform's own server: the link, the session, and the attacks on both. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { freeze } from "../../support/clock.ts";
import { type Digit, databaseOf, selectEverywhere } from "../../support/databases.ts";
import { countStores } from "../../support/intercept.ts";
import { createIsolate, type Isolate } from "../../support/isolate.ts";
import { runJob } from "../../support/job.ts";
import { accept, add, invite, membersOf } from "../../support/members.ts";
import { OPERATOR_SECRET, sendAsOperator, withSecret } from "../../support/operator.ts";
import { createOwner, ORIGIN } from "../../support/owner.ts";

const HOUR_MS = 3_600_000;
const FROM_HERE = { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" };
const newEmail = () => `${crypto.randomUUID()}@example.com`;

afterEach(() => void vi.useRealTimers());

/** The platform's server. */
const ask = (body: object, bindings: Env = withSecret) =>
  createIsolate(bindings).request("/operator/sign-ins", {
    method: "POST",
    headers: { Authorization: `Bearer ${OPERATOR_SECRET}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });

async function linkFor(email: string, returnTo?: string, bindings?: Env): Promise<string> {
  const response = await ask({ email, ...(returnTo && { returnTo }) }, bindings);
  expect(response.status).toBe(201);
  const { url } = await response.json<{ url: string }>();
  expect(url).toMatch(/^https:\/\/api\.example\/account\/sign-in\?link=ibl_[0-9A-Za-z]{29}$/);
  return url.slice(ORIGIN.length);
}

/** A browser with its cookies. */
class Browser {
  cookies: Record<string, string> = {};

  readonly #isolate: Isolate;

  constructor(isolate: Isolate = createIsolate(withSecret)) {
    this.#isolate = isolate;
  }

  async send(path: string, { headers, ...init }: RequestInit & { headers?: Record<string, string> } = {}) {
    const cookie = Object.entries(this.cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join("; ");
    const response = await this.#isolate.request(path, {
      ...init,
      headers: { ...(cookie && { Cookie: cookie }), ...headers },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") delete this.cookies[name];
      else this.cookies[name] = value;
    }
    return response;
  }

  post = (path: string, fields: Record<string, string> = {}, headers: Record<string, string> = FROM_HERE) =>
    this.send(path, { method: "POST", headers, body: new URLSearchParams(fields) });

  /** Presses the button of the link's page. */
  confirm = (link: string, headers?: Record<string, string>) =>
    this.post("/account/sign-in", { link: new URLSearchParams(link.split("?")[1]).get("link") ?? "" }, headers);

  get owner(): string {
    return this.cookies["__Host-owner"] ?? "";
  }
}

async function signedIn(email = newEmail()) {
  const browser = new Browser();
  expect((await browser.send(await linkFor(email))).status).toBe(303);
  return { email, browser };
}

const statusOf = async (browser: Browser) => (await browser.send("/account/api-keys")).status;
const withCookie = (cookie: string, bindings: Env = withSecret) => {
  const browser = new Browser(createIsolate(bindings));
  browser.cookies = { "__Host-owner": cookie };
  return browser;
};

describe("a link", () => {
  it("signs in, and leads to the page that was asked for", async () => {
    const email = newEmail();
    const link = await linkFor(email.toUpperCase(), "/account/idea-banks?x=1#top");
    const browser = new Browser();
    const used = await browser.send(link);
    expect([used.status, used.headers.get("Location")]).toEqual([303, "/account/idea-banks?x=1#top"]);
    expect(used.headers.get("Cache-Control")).toBe("no-store, no-transform");
    expect(used.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-owner=ibo_[0-9A-Za-z]{29}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
    const keys = await browser.send("/account/api-keys");
    expect(keys.status).toBe(200);
    expect(await keys.text()).toContain(
      `<span class="unseen">Signed in as </span><a href="/account/accounts">${email}</a>`,
    );
  });

  it("leads to the keys where nothing was asked for", async () => {
    expect((await new Browser().send(await linkFor(newEmail()))).headers.get("Location")).toBe("/account/api-keys");
  });

  it("leads who was invited to the invitation, and who has accepted into that account, unless the own one is used", {
    tags: "slow",
  }, async () => {
    const inviter = createOwner();
    const { accountId } = await membersOf(inviter);
    const email = newEmail();
    const landing = async (browser: Browser, returnTo = "/account/members") =>
      (await browser.send(await linkFor(email, returnTo))).headers.get("Location");
    const first = new Browser();
    expect(await landing(first)).toBe("/account/members");
    // The own account is made, and empty.
    await first.send("/account/members");
    const { id } = await (await invite(inviter, email)).json<{ id: string }>();
    expect(await landing(new Browser())).toBe("/account/accounts");
    expect(await landing(new Browser(), "/account/ideas?account=0Another0000")).toBe(
      "/account/ideas?account=0Another0000",
    );
    const person = createOwner(email);
    await accept(person, id);
    const second = new Browser();
    expect(await landing(second)).toBe(`/account/members?account=${accountId}`);
    // This browser keeps it, also where the address names no account.
    expect((await second.send("/account/ideas")).headers.get("Location")).toBe(`/account/ideas?account=${accountId}`);
    expect(await landing(second)).toBe("/account/members");
    await person.submit("/idea-banks", { name: "Mine" });
    expect(await landing(new Browser())).toBe("/account/members");
  });

  it("is good once", async () => {
    const link = await linkFor(newEmail());
    expect((await new Browser().send(link)).status).toBe(303);
    const late = new Browser();
    for (const answer of [await late.send(link), await late.confirm(link)]) {
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([410, []]);
      expect(await answer.text()).toContain("This link has expired");
    }
    expect(await statusOf(late)).toBe(403);
  });

  it("that is used by many at the same moment signs one in", async () => {
    const link = await linkFor(newEmail());
    const answers = await Promise.all(Array.from({ length: 8 }, () => new Browser().send(link)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, ...Array(7).fill(410)]);
    expect(answers.flatMap(({ headers }) => headers.getSetCookie())).toHaveLength(1);
  });

  it("is not used up by what is no visit: a HEAD, a part of another page, a prefetch", { tags: "slow" }, async () => {
    const link = await linkFor(newEmail());
    for (const init of [
      { method: "HEAD" },
      ...["image", "iframe", "script", "empty"].map((dest) => ({ headers: { "Sec-Fetch-Dest": dest } })),
      { headers: { "Sec-Fetch-Dest": "document", "Sec-Purpose": "prefetch;prerender" } },
      ...[
        ["Purpose", "prefetch"],
        ["X-Moz", "prefetch"],
        ["X-Purpose", "preview"],
      ].map(([name = "", value]) => ({
        headers: { [name]: value },
      })),
    ]) {
      const answer = await new Browser().send(link, init as RequestInit & { headers?: Record<string, string> });
      expect([init, answer.status, answer.headers.getSetCookie()]).toEqual([init, 200, []]);
    }
    const visit = { "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "cross-site" };
    expect((await new Browser().send(link, { headers: visit })).status).toBe(303);
  });

  it("ends after 60 seconds", async () => {
    const start = Date.now();
    freeze(start);
    const [early, late] = [await linkFor(newEmail()), await linkFor(newEmail())];
    vi.setSystemTime(start + 59_999);
    expect((await new Browser().send(early)).status).toBe(303);
    vi.setSystemTime(start + 60_000);
    expect([(await new Browser().send(late)).status, (await new Browser().confirm(late)).status]).toEqual([410, 410]);
  });

  it("that is changed, forged, a cookie's text or another deployment's is refused without a call to a store", async () => {
    const link = await linkFor(newEmail());
    const { browser } = await signedIn();
    const other = { ...withSecret, CREDENTIAL_SECRETS: "another deployment has this secret and no other" };
    const foreign = await linkFor(newEmail(), undefined, other);
    const changed = link.replace(/.$/, (last) => (last === "a" ? "b" : "a"));
    const { env: counted, counts } = countStores(withSecret);
    for (const text of [
      changed,
      "/account/sign-in",
      "/account/sign-in?link=",
      `/account/sign-in?link=${browser.owner}`,
      foreign,
    ]) {
      const visitor = new Browser(createIsolate(counted));
      expect([(await visitor.send(text)).status, (await visitor.confirm(text)).status]).toEqual([410, 410]);
    }
    expect(counts.d1).toBe(0);
  });

  it.each([
    "//evil.example",
    "https://evil.example/account",
    "/\\evil.example",
    "/account/../x",
    "/account/..%2fx",
    "/account/%2e%2e/x",
    "/account\\..\\x",
    "/account/\\evil.example",
    "/accounts",
    "/account.evil.example",
    "/account@evil.example",
    "/operator/keys",
    "account/api-keys",
    "/account/api-keys\r\nLocation: https://evil.example",
    "/account/api-keys\t",
    "javascript:alert(1)",
    "",
    `/account/${"a".repeat(1_000)}`,
  ])("leads nowhere else: returnTo %j is 400", async (returnTo) => {
    const response = await ask({ email: newEmail(), returnTo });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ path: "returnTo" }] });
  });

  it.each(["", "nobody", "a b@example.com", "\u212aelvin@example.com", undefined])(
    "needs an address: %j is 400",
    async (email) => {
      expect((await ask({ email })).status).toBe(400);
    },
  );
});

describe("login CSRF and fixed sessions", () => {
  it("a browser in which somebody is signed in asks before another is; then the first one's session has ended", async () => {
    const first = await signedIn();
    const copy = first.browser.owner;
    const email = newEmail();
    const link = await linkFor(email);
    const page = await first.browser.send(link);
    expect([page.status, page.headers.getSetCookie()]).toEqual([200, []]);
    const text = await page.text();
    expect(text).toContain(`You’ll be signed out of ${first.email}.`);
    expect(text).toContain(`Continue as ${email}`);
    expect((await first.browser.confirm(link)).status).toBe(303);
    expect(await (await first.browser.send("/account/api-keys")).text()).toContain(
      `Signed in as </span><a href="/account/accounts">${email}</a>`,
    );
    expect(await statusOf(withCookie(copy))).toBe(403);
  });

  it.each<[string, Record<string, string>]>([
    ...["cross-site", "same-site", "same-origin", "none"].map((site): [string, Record<string, string>] => [
      `a ${site} page`,
      { "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": site },
    ]),
    ["a client that says nothing", {}],
  ])("%s does not replace the person of Access without a click", async (_, fromAfar) => {
    const access = createOwner();
    const browser = new Browser(access.isolate);
    const email = newEmail();
    const link = await linkFor(email);
    const page = await browser.send(link, { headers: fromAfar });
    expect([page.status, page.headers.getSetCookie()]).toEqual([200, []]);
    const text = await page.text();
    expect(text).toContain(`You’ll be signed out of ${access.email}.`);
    expect(text).toContain(`Continue as ${email}`);
    expect(browser.owner).toBe("");
    expect((await browser.confirm(link)).status).toBe(303);
    expect(await (await browser.send("/account/api-keys")).text()).toContain(
      `Signed in as </span><a href="/account/accounts">${email}</a>`,
    );
  });

  it("who has no link makes this read a kilobyte at most", async () => {
    const form = (bytes: number) => new Browser().post("/account/sign-in", { link: "x".repeat(bytes) });
    expect([(await form(900)).status, (await form(1_100)).status]).toEqual([410, 413]);
  });

  it("no foreign page answers for the owner: the form must come from the page of the link", async () => {
    const { browser } = await signedIn();
    const link = await linkFor(newEmail());
    for (const headers of [
      {},
      { Origin: "https://evil.example" },
      { Origin: "null" },
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site", Origin: "https://sub.api.example" },
      { Origin: ORIGIN, "Sec-Fetch-Site": "cross-site" },
    ]) {
      const answer = await browser.confirm(link, headers as Record<string, string>);
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
    }
    expect((await browser.confirm(link)).status).toBe(303);
  });

  it("who is signed in already goes on to the page, and the session does not get longer", async () => {
    const { email, browser } = await signedIn();
    const again = await browser.send(await linkFor(email, "/account/people"));
    expect([again.status, again.headers.get("Location"), again.headers.getSetCookie()]).toEqual([
      303,
      "/account/people",
      [],
    ]);
  });

  it("a session has a cookie of its own: one that was there before the sign-in is not taken over", async () => {
    const attacker = await signedIn();
    const victim = withCookie(attacker.browser.owner);
    await victim.confirm(await linkFor(newEmail()));
    expect(victim.owner).not.toBe(attacker.browser.owner);
    expect(await statusOf(attacker.browser)).toBe(403);
  });

  it("the link does not tell the cookie", async () => {
    const link = await linkFor(newEmail());
    const browser = new Browser();
    await browser.send(link);
    const text = link.replace(/.*link=ibl_/, "");
    expect(browser.owner.slice(4, 16)).toBe(text.slice(0, 12));
    expect(await statusOf(withCookie(`ibo_${text}`))).toBe(403);
    expect(await statusOf(withCookie(`ibl_${text}`))).toBe(403);
  });
});

describe("a session", () => {
  it("changes things from our own pages, and nothing without their name: as a form and as JSON", {
    tags: "slow",
  }, async () => {
    const { browser } = await signedIn();
    const body = JSON.stringify({ name: "A key" });
    const json = { "Content-Type": "application/json" };
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    const foreign: Record<string, string>[] = [
      {},
      { Origin: "https://evil.example" },
      { Origin: "null" },
      { "Sec-Fetch-Site": "same-site" },
      { "Sec-Fetch-Site": "none" },
    ];
    for (const headers of foreign) {
      const sent = await browser.send("/account/api/keys", { method: "POST", headers: { ...json, ...headers }, body });
      expect([headers, sent.status]).toEqual([headers, 403]);
      for (const path of ["/account/settings", "/account/members", "/account/sign-out"])
        expect([path, (await browser.post(path, {}, { ...form, ...headers })).status]).toEqual([path, 403]);
      for (const method of ["PUT", "PATCH", "DELETE"])
        expect((await browser.send("/account/api/settings", { method, headers, body })).status).toBe(403);
    }
    expect(await statusOf(browser)).toBe(200);
    const own = await browser.send("/account/api/keys", { method: "POST", headers: { ...json, ...FROM_HERE }, body });
    expect(own.status).toBe(201);
  });

  it("ends with Sign out, in each isolate, and a copy of the cookie with it", async () => {
    const { browser } = await signedIn();
    const copy = browser.owner;
    expect(await (await browser.send("/account/api-keys")).text()).toContain('action="/account/sign-out"');
    const out = await browser.post("/account/sign-out");
    expect([out.status, browser.owner]).toEqual([200, ""]);
    expect(await out.text()).toContain("You’re signed out");
    expect([await statusOf(browser), await statusOf(withCookie(copy))]).toEqual([403, 403]);
    expect(await selectEverywhere("SELECT opened_at FROM sign_ins")).toEqual([{ opened_at: 0 }]);
  });

  it("ends with Sign out everywhere, with each other session and unused link of the person, and nobody else's", {
    tags: "slow",
  }, async () => {
    const { email, browser } = await signedIn();
    const elsewhere = new Browser();
    await elsewhere.send(await linkFor(email));
    const unused = await linkFor(email);
    const other = await signedIn();
    const page = await (await browser.send("/account/accounts")).text();
    expect(page).toContain('action="/account/sign-out-everywhere"');
    expect(page).toContain("Cloudflare Access");
    const out = await browser.post("/account/sign-out-everywhere");
    expect([out.status, browser.owner]).toEqual([200, ""]);
    expect(await out.text()).toContain("You’re signed out everywhere");
    expect([await statusOf(browser), await statusOf(elsewhere), await statusOf(other.browser)]).toEqual([
      403, 403, 200,
    ]);
    expect((await new Browser().send(unused)).status).toBe(410);
    expect((await new Browser().send(await linkFor(email))).status).toBe(303);
  });

  it("ends when a person of Access signs out everywhere, who stays signed in by Access and is told so", async () => {
    const access = createOwner();
    const thief = new Browser();
    await thief.send(await linkFor(access.email));
    expect(await statusOf(thief)).toBe(200);
    const out = await new Browser(access.isolate).post("/account/sign-out-everywhere");
    expect(out.status).toBe(200);
    expect(await out.text()).toContain('href="/cdn-cgi/access/logout"');
    expect(await statusOf(thief)).toBe(403);
    expect((await access.page("/api-keys")).status).toBe(200);
  });

  it("is not ended everywhere by a foreign page", async () => {
    const { browser } = await signedIn();
    for (const headers of [{}, { Origin: "https://evil.example" }, { "Sec-Fetch-Site": "same-site" }])
      expect((await browser.post("/account/sign-out-everywhere", {}, headers as Record<string, string>)).status).toBe(
        403,
      );
    expect(await statusOf(browser)).toBe(200);
  });

  it("ends when the operator signs the person out, by address in any case", async () => {
    const { email, browser } = await signedIn();
    const other = await signedIn();
    const answer = await sendAsOperator("POST", "/operator/sign-outs", { email: email.toUpperCase() });
    expect([answer.status, await answer.json()]).toEqual([200, { email, ended: 1 }]);
    expect([await statusOf(browser), await statusOf(other.browser)]).toEqual([403, 200]);
    const again = await sendAsOperator("POST", "/operator/sign-outs", { email });
    expect(await again.json()).toEqual({ email, ended: 0 });
  });

  it.each<Digit>(["0", "1"])(
    "ends when an account of database %s is suspended: of its creator and each member",
    { tags: "slow" },
    async (digit) => {
      const founder = createOwner(undefined, withSecret, digit);
      const member = createOwner();
      await add(founder, member);
      const { accountId } = await membersOf(founder);
      const sessions = [await signedIn(founder.email), await signedIn(member.email), await signedIn()];
      const statuses = () => Promise.all(sessions.map(({ browser }) => statusOf(browser)));
      expect((await statuses()).map((status) => status < 400)).toEqual([true, true, true]);
      const suspend = (status: string) =>
        sendAsOperator("PUT", "/operator/account-status", { account: accountId, status });
      expect((await suspend("suspended")).status).toBe(200);
      expect(await statuses()).toEqual([403, 403, 200]);
      // They can sign in again: they may have other accounts.
      const again = await signedIn(founder.email);
      expect((await suspend("active")).status).toBe(200);
      expect(await statusOf(again.browser)).toBe(200);
    },
  );

  it("ends after 12 hours, and its row is deleted an hour later", { tags: "slow" }, async () => {
    const start = Date.now();
    freeze(start);
    const { browser } = await signedIn();
    vi.setSystemTime(start + 12 * HOUR_MS - 1);
    expect(await statusOf(browser)).toBe(200);
    vi.setSystemTime(start + 12 * HOUR_MS);
    expect(await statusOf(browser)).toBe(403);
    for (const [hours, rows] of [
      [13, 1],
      [13.1, 0],
    ] as const) {
      vi.setSystemTime(start + hours * HOUR_MS);
      await runJob({ DB: env.DB }, Date.now);
      expect(await selectEverywhere("SELECT id FROM sign_ins")).toHaveLength(rows);
    }
  });

  it("whose cookie is changed, of another deployment, or a link that was not used is nobody's, without a call to a store", async () => {
    const { browser } = await signedIn();
    const other = { ...withSecret, CREDENTIAL_SECRETS: "another deployment has this secret and no other" };
    const { env: counted, counts } = countStores(withSecret);
    for (const cookie of [
      browser.owner.replace(/.$/, (last) => (last === "a" ? "b" : "a")),
      `${browser.owner}a`,
      "x",
      "",
    ])
      expect([cookie, await statusOf(withCookie(cookie, counted))]).toEqual([cookie, 403]);
    const { env: elsewhere, counts: calls } = countStores(other);
    expect(await statusOf(withCookie(browser.owner, elsewhere))).toBe(403);
    expect([counts.d1, calls.d1]).toEqual([0, 0]);
  });

  it("outlives a rotation of the signing secret, and ends when the older one is removed", async () => {
    const { browser } = await signedIn();
    const [newest = "", older = ""] = env.CREDENTIAL_SECRETS.split(",");
    const rotated = `the secret of today which is a new one,${newest},${older}`;
    expect(await statusOf(withCookie(browser.owner, { ...withSecret, CREDENTIAL_SECRETS: rotated }))).toBe(200);
    const removed = "the secret of today which is a new one";
    expect(await statusOf(withCookie(browser.owner, { ...withSecret, CREDENTIAL_SECRETS: removed }))).toBe(403);
  });

  it("of a member is of no use for the account from removal on", { tags: "slow" }, async () => {
    const inviter = createOwner();
    const { accountId } = await membersOf(inviter);
    const email = newEmail();
    const member = createOwner(email);
    const { id } = await (await invite(inviter, email)).json<{ id: string }>();
    await accept(member, id);
    const { browser } = await signedIn(email);
    const theirs = `/account/api/keys?account=${accountId}`;
    expect((await browser.send(theirs)).status).toBe(200);
    expect((await inviter.json("DELETE", `/members/${id}`)).status).toBe(204);
    expect((await browser.send(theirs)).status).toBe(403);
  });

  it("goes before Cloudflare Access, whose person is back after Sign out", async () => {
    const access = createOwner();
    const browser = new Browser(access.isolate);
    const person = async () =>
      /Signed in as <\/span><a [^>]*>([^<]+)/.exec(await (await browser.send("/account/api-keys")).text())?.[1];
    expect(await person()).toBe(access.email);
    const email = newEmail();
    await browser.confirm(await linkFor(email));
    expect(await person()).toBe(email);
    await browser.post("/account/sign-out");
    expect(await person()).toBe(access.email);
    expect(await (await browser.send("/account/api-keys")).text()).not.toContain("sign-out");
  });
});

describe("the activity of an account", () => {
  /** An account of the person's own, and one of which the person is a member. */
  async function createAccounts() {
    const person = createOwner(undefined, withSecret);
    const founder = createOwner(undefined, withSecret);
    await person.keys();
    await founder.keys();
    await add(founder, person);
    const signIns = async () => {
      const events = [...(await person.events()), ...(await founder.events())];
      return events
        .filter(({ event }) => event.startsWith("sign"))
        .map(({ event, actor, address, changes }) => ({ event, actor, address, member: changes?.after.member }));
    };
    return { person, founder, signIns };
  }
  const BY_LINK = { event: "signed-in", address: "198.51.100.3", member: undefined };
  const AGAIN = { event: "sign-in-link-used-again", actor: null, address: "198.51.100.9" };
  const twice = <Item>(item: Item) => [item, item];

  it("has each sign-in by a link of one of its members, with the address", { tags: "slow" }, async () => {
    const { person, founder, signIns } = await createAccounts();
    const link = await linkFor(person.email);
    expect(await signIns()).toEqual([]);
    await new Browser().send(link, { headers: { "CF-Connecting-IP": "198.51.100.3" } });
    await expect.poll(signIns).toEqual(twice({ ...BY_LINK, actor: person.email }));
    const page = await (await founder.page("/activity")).text();
    expect(page).toContain(`${person.email} signed in with a link`);
  });

  it("has one event of a link that others open after it has signed in, and none of the person's own way back", {
    tags: "slow",
  }, async () => {
    const { person, founder, signIns } = await createAccounts();
    const link = await linkFor(person.email);
    const browser = new Browser();
    const own = { headers: { "CF-Connecting-IP": "198.51.100.3" } };
    await browser.send(link, own);
    expect((await browser.send(link, own)).status).toBe(410);
    const other = { headers: { "CF-Connecting-IP": "198.51.100.9" } };
    expect((await new Browser().send(link, { ...other, method: "HEAD" })).status).toBe(410);
    await expect.poll(signIns).toEqual(twice({ ...BY_LINK, actor: person.email }));
    for (let times = 0; times < 3; times++) expect((await new Browser().send(link, other)).status).toBe(410);
    expect((await new Browser().confirm(link, { ...FROM_HERE, ...other.headers })).status).toBe(410);
    const again = async () => (await signIns()).filter(({ event }) => event === AGAIN.event);
    await expect.poll(again).toEqual(twice({ ...AGAIN, member: person.email }));
    expect(await signIns()).toHaveLength(4);
    const page = await (await founder.page("/activity")).text();
    expect(page).toContain(`The sign-in link of ${person.email} opened by someone else after it was used`);
  });

  it("has nothing more once the session has ended by itself: who comes back may be the person", {
    tags: "slow",
  }, async () => {
    const { person, signIns } = await createAccounts();
    freeze(Date.now());
    const link = await linkFor(person.email);
    await new Browser().send(link);
    await expect.poll(signIns).toHaveLength(2);
    freeze(Date.now() + 12 * HOUR_MS);
    expect((await new Browser().send(link)).status).toBe(410);
    expect(await signIns()).toHaveLength(2);
  });

  it("has nothing of a link that ended unused, by time or by the operator", async () => {
    const { person, signIns } = await createAccounts();
    freeze(Date.now());
    const unused = await linkFor(person.email);
    const ended = await linkFor(person.email);
    await sendAsOperator("POST", "/operator/sign-outs", { email: person.email });
    freeze(Date.now() + 61_000);
    for (const link of [unused, ended]) expect((await new Browser().send(link)).status).toBe(410);
    expect(await signIns()).toEqual([]);
  });

  it("that cannot be written keeps nobody from signing in, and the log says so", { tags: "slow" }, async () => {
    const { person, signIns } = await createAccounts();
    const warnings = vi.spyOn(console, "warn").mockImplementation(() => {});
    const { accountId } = await membersOf(person);
    const database = databaseOf(accountId);
    await database
      .prepare("CREATE TRIGGER refuse BEFORE INSERT ON audit_events BEGIN SELECT RAISE(ABORT, 'injected fault'); END")
      .run();
    try {
      const browser = new Browser();
      expect((await browser.send(await linkFor(person.email))).status).toBe(303);
      // Signed in, and led into the account that the person has joined.
      expect(await statusOf(browser)).toBe(303);
      const warned = () => JSON.stringify(warnings.mock.calls);
      await expect.poll(warned).toContain("a sign-in is missing in an activity");
    } finally {
      await database.prepare("DROP TRIGGER refuse").run();
    }
    expect((await signIns()).length).toBeLessThan(2);
  });
});

describe("before a session ends by itself", () => {
  const notice = async (browser: Browser) =>
    /<div class="notice" role="status" data-sign-in-ends="(\d+)"( hidden="")?>/.exec(
      await (await browser.send("/account/idea-banks")).text(),
    );

  it("the pages of its last ten minutes say so, and the others have it ready for the page's script", async () => {
    const start = 1_900_000_000_000;
    freeze(start);
    const { browser } = await signedIn();
    const end = String(start + 12 * HOUR_MS);
    expect((await notice(browser))?.slice(1)).toEqual([end, ' hidden=""']);
    freeze(start + 12 * HOUR_MS - 10 * 60_000);
    expect((await notice(browser))?.slice(1)).toEqual([end, undefined]);
    freeze(start + 12 * HOUR_MS);
    expect(await statusOf(browser)).toBe(403);
  });

  it("nothing is said to a person of Access, whose session is Cloudflare's", async () => {
    const owner = createOwner();
    await owner.create();
    expect(await (await owner.page("/idea-banks")).text()).not.toContain("data-sign-in-ends");
  });
});
