/** `/b/<id>/token`: whom a browser is, for the elements of its page; and signing out. */
import { describe, expect, it, vi } from "vitest";
import { countStores } from "../../support/intercept.ts";
import { interceptDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createSignInScene, newEmail, PageVisitor, withMail } from "../../support/page-visitor.ts";

const TOKEN = { "Sec-Fetch-Site": "same-origin" };

describe("a stranger", () => {
  it("gets a visitor’s token of an hour, with which the elements read", async () => {
    const { visitor: newVisitor, isolate, bank } = await createSignInScene();
    const answer = await newVisitor().send("/token", { headers: TOKEN });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/plain; charset=UTF-8",
      "cache-control": "no-store",
      "cross-origin-resource-policy": "same-origin",
    });
    expect([answer.headers.get("Signed-In-As"), answer.headers.get("Access-Control-Allow-Origin")]).toEqual([
      null,
      null,
    ]);
    const token = await answer.text();
    expect(token.slice(0, 16)).toBe(`ibv_${bank.id}`);
    const read = () => isolate.request("/ideabank", { headers: { Authorization: token } });
    expect((await read()).status).toBe(200);
    vi.setSystemTime(Date.now() + 3_600_000);
    expect((await read()).status).toBe(401);
  });

  it("gets one that is valid right after visitors’ tokens were ended", async () => {
    const { visitor: newVisitor, isolate, manage } = await createSignInScene();
    const visitor = newVisitor();
    const before = (await visitor.token()).text;
    await manage("DELETE", "/visitor-tokens");
    const after = (await visitor.token()).text;
    const statusOf = async (token: string) =>
      (await isolate.request("/ideabank", { headers: { Authorization: token } })).status;
    vi.setSystemTime(Date.now() + 1_000);
    expect([await statusOf(before), await statusOf(after)]).toEqual([401, 200]);
  });

  it("of another site gets nothing", async () => {
    const { visitor: newVisitor } = await createSignInScene();
    for (const headers of [
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site" },
      { "Sec-Fetch-Site": "none" },
      { Origin: "https://evil.example" },
      { ...TOKEN, Origin: "null" },
    ]) {
      const answer = await newVisitor().send("/token", { headers });
      expect([JSON.stringify(headers), answer.status]).toEqual([JSON.stringify(headers), 403]);
      expect(await answer.text()).not.toMatch(/ib[tv]_/);
    }
    expect((await newVisitor().send("/token")).status).toBe(200);
  });

  it("gets the page’s one answer where there is no page", async () => {
    const { visitor: newVisitor, manage } = await createSignInScene();
    await manage("PATCH", "", { publicPage: false });
    const off = newVisitor(undefined, createIsolate(withMail));
    const missing = new PageVisitor("/b/1aaaaaaaaaaa", createIsolate(withMail));
    for (const visitor of [off, missing]) expect((await visitor.token()).status).toBe(404);
    expect(off.page).toBe(missing.page);
  });
});

describe("a person", () => {
  it("gets the own token and name, as often as the page asks, without a call to a store", {
    tags: "slow",
  }, async () => {
    const { signIn } = await createSignInScene();
    const { visitor } = await signIn(newEmail(), "Ana ‘Ä’ 李");
    // The isolate reads once what the sign-in has written.
    const first = await visitor.token();
    const { env: counted, counts } = countStores(withMail);
    expect([first.text.slice(0, 4), first.name]).toEqual(["ibt_", "Ana ‘Ä’ 李"]);
    expect(await visitor.token(counted)).toEqual(first);
    expect(counts).toMatchObject({ d1: 0, "kv.read": 0 });
  });

  it("whose tokens were ended, or have expired, is a visitor, and the cookie is gone", { tags: "slow" }, async () => {
    const { signIn, tenant, rows } = await createSignInScene();
    const email = newEmail();
    const { visitor } = await signIn(email);
    const kept = visitor.cookies;
    const [person] = await rows("SELECT id FROM panelists WHERE email = ?1", email);
    vi.setSystemTime(Date.now() + 2_000);
    expect((await tenant.send("DELETE", `/tenant/panelists/${person?.id}/tokens`)).status).toBe(204);
    expect((await visitor.token()).text).toMatch(/^ibv_/);
    expect(visitor.personCookie).toBeUndefined();
    // In another isolate, with a copy of the cookie.
    const copy = new PageVisitor(visitor.home, createIsolate(withMail));
    copy.cookies = { ...kept };
    expect((await copy.token()).text).toMatch(/^ibv_/);

    const { visitor: another } = await signIn(
      newEmail(),
      "",
      new PageVisitor(visitor.home, visitor.isolate, "198.51.100.1"),
    );
    vi.setSystemTime(Date.now() + 30 * 86_400_000 + 1_000);
    expect((await another.token()).text).toMatch(/^ibv_/);
    expect(another.personCookie).toBeUndefined();
  });

  it("stays signed in while the database does not answer: from memory, or later", async () => {
    const { signIn, isolate } = await createSignInScene();
    const { visitor } = await signIn(newEmail());
    await visitor.token();
    const down = interceptDatabases(withMail, () => () => Promise.reject(new Error("D1_ERROR: injected fault")));
    expect((await visitor.token(down)).text).toMatch(/^ibt_/);
    const cold = new PageVisitor(visitor.home, createIsolate(withMail));
    cold.cookies = { ...visitor.cookies };
    expect((await cold.token(down)).status).toBe(503);
    expect(cold.personCookie).toBe(visitor.personCookie);
    expect(isolate).toBe(visitor.isolate);
  });

  it("signs out: here, at once, and for good", async () => {
    const { signIn, home } = await createSignInScene({ signInUrl: "https://customer.example/login" });
    const { visitor } = await signIn(newEmail(), "Ana");
    const answer = await visitor.post("/sign-out", {});
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, `${home}/rider-ideas`]);
    expect(visitor.personCookie).toBeUndefined();
    await visitor.open("/rider-ideas");
    expect(visitor.page).not.toContain("Ana");
    expect((await visitor.token()).text).toMatch(/^ibv_/);
  });

  it("is not signed out by another site", async () => {
    const { signIn } = await createSignInScene();
    const { visitor } = await signIn(newEmail());
    const answer = await visitor.send("/sign-out", {
      method: "POST",
      headers: { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" },
    });
    expect([answer.status, visitor.personCookie === undefined]).toEqual([403, false]);
  });

  it("of more than twenty boards is signed out of the one that came first", async () => {
    const { signIn, bank } = await createSignInScene();
    const visitor = new PageVisitor(`/b/${bank.id}`, createIsolate(withMail));
    const others = Array.from({ length: 20 }, (_, index) => `__Host-board-1bank${String(index).padStart(7, "0")}`);
    for (const [index, name] of others.entries())
      visitor.cookies[name] = `${(Date.now() - 1_000 * (index + 1)).toString(36)}..ibt_x`;
    await signIn(newEmail(), "", visitor);
    const left = Object.keys(visitor.cookies).filter((name) => name.startsWith("__Host-board-"));
    expect(left).toHaveLength(20);
    expect(left).toContain(`__Host-board-${bank.id}`);
    expect(left).not.toContain(others[19]);
  });

  it("has cookies that no script, no other site and no other host gets", async () => {
    const {
      visitor: newVisitor,
      mails,
      bank,
      home,
    } = await createSignInScene({ signInUrl: "https://customer.example/login" });
    const visitor = newVisitor();
    const lines = (await visitor.ask(newEmail())).headers.getSetCookie();
    const { codeIn } = await import("../../support/page-visitor.ts");
    lines.push(...(await visitor.enter(codeIn(mails[0]))).headers.getSetCookie());
    lines.push(...(await visitor.open("/sign-in/elsewhere")).headers.getSetCookie());
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) {
      expect(line).toMatch(new RegExp(`^__Host-(board-${bank.id}|code-${bank.id}|state-[0-9A-Za-z]{22})=`));
      for (const attribute of ["Path=/", "HttpOnly", "Secure", "SameSite=Lax"]) expect(line).toContain(attribute);
      expect(line).not.toContain("Domain");
      expect(new TextEncoder().encode(line.split(";")[0]).length).toBeLessThanOrEqual(4_096);
    }
    expect(home).toContain(bank.id);
  });
});

it("the cookie acts on nothing: the panelist API reads no cookie", { tags: "slow" }, async () => {
  const { signIn, isolate } = await createSignInScene();
  const { visitor } = await signIn(newEmail());
  const Cookie = Object.entries(visitor.cookies)
    .map((each) => each.join("="))
    .join("; ");
  for (const [method, path] of [
    ["GET", "/ideabank"],
    ["GET", "/ideabank/proposals"],
    ["POST", "/ideabank/proposals"],
    ["GET", "/public/ideabank/changelog"],
    ["GET", "/surveys/open"],
  ] as const) {
    const answer = await isolate.request(path, {
      method,
      headers: { Cookie, "Content-Type": "application/json" },
      body: method === "POST" ? "{}" : null,
    });
    expect([path, answer.status]).toEqual([path, 401]);
  }
});
