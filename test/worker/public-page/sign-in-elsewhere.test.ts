/** Signing in at the tenant's own site: there with a state, and back with a token. */
import { describe, expect, it, vi } from "vitest";
import { createSignInScene, FROM_HERE, newEmail, type PageVisitor } from "../../support/page-visitor.ts";

const SIGN_IN = "https://customer.example/login?tenant=7&x=a%20b";
const later = (ms: number) => vi.setSystemTime(Date.now() + ms);

const createScene = async (signInUrl: string | null = SIGN_IN) => {
  const scene = await createSignInScene({ emailSignIn: false, signInUrl });
  const robin = await scene.panelist("Robin");
  return { ...scene, robin };
};

/** Presses the button, and gives what the tenant's server gets. */
async function begin(visitor: PageVisitor, to = "") {
  const answer = await visitor.open(`/sign-in/elsewhere?return=${encodeURIComponent(to)}`);
  const address = new URL(answer.headers.get("Location") ?? "");
  return { answer, address, state: address.searchParams.get("state") ?? "" };
}

const come = (visitor: PageVisitor, arrival: object, headers: Record<string, string> = FROM_HERE) =>
  visitor.send("/session", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(arrival),
  });

describe("the way there", () => {
  it("is taken at once where there is no other, and leads to the tenant’s own page with its query, the way back and a state", async () => {
    const { visitor: newVisitor, home, manage } = await createScene();
    const visitor = newVisitor();
    const elsewhere = `${home}/sign-in/elsewhere?return=${encodeURIComponent(`${home}/rider-ideas/roadmap`)}`;
    const asked = () => visitor.open(`/sign-in?return=${encodeURIComponent(`${home}/rider-ideas/roadmap`)}`);
    const led = await asked();
    expect([led.status, led.headers.get("Location"), led.headers.get("Cache-Control")]).toEqual([
      302,
      elsewhere,
      "no-store",
    ]);
    await manage("PATCH", "", { emailSignIn: true });
    expect((await asked()).status).toBe(200);
    expect(visitor.page).toContain(`href="${elsewhere}"`);
    const { answer, address } = await begin(visitor, `${home}/rider-ideas/roadmap`);
    expect([answer.status, answer.headers.get("Cache-Control")]).toEqual([302, "no-store"]);
    expect(address.href).toBe(
      `https://customer.example/login?tenant=7&x=a%20b&return=${encodeURIComponent(`https://api.example${home}/signed-in`)}&state=${address.searchParams.get("state")}`,
    );
  });

  it("has a state of its own in each tab, of which the newest ten are kept", async () => {
    const { visitor: newVisitor } = await createScene();
    const visitor = newVisitor();
    const states: string[] = [];
    for (let tab = 0; tab < 12; tab += 1) {
      states.push((await begin(visitor)).state);
      later(1_000);
    }
    const kept = Object.keys(visitor.cookies).flatMap((name) => /^__Host-state-(.*)/.exec(name)?.[1] ?? []);
    expect(kept.toSorted()).toEqual(states.slice(2).toSorted());
  });
});

describe("the way back", () => {
  it("signs in, once, with the token of the tenant’s person, and leads to where it began", async () => {
    const { visitor: newVisitor, home, robin } = await createScene();
    const visitor = newVisitor();
    const to = `${home}/rider-ideas/ideas/1dea1dea1dea`;
    const { state } = await begin(visitor, to);
    const answer = await come(visitor, { token: robin.token, state });
    expect([answer.status, await answer.json()]).toEqual([200, { return: to }]);
    expect(await visitor.token()).toMatchObject({ text: robin.token, name: "Robin" });
    await visitor.post("/sign-out", {});
    const again = await come(visitor, { token: robin.token, state });
    expect([again.status, await again.json()]).toEqual([403, { return: `${home}/rider-ideas` }]);
    expect(visitor.personCookie).toBeUndefined();
  });

  it("takes a token that the tenant’s server has signed, with the name in it", async () => {
    const { visitor: newVisitor, bank, manage } = await createScene();
    const { secret, kid } = await (await manage("GET", "/signing-secret")).json<{ secret: string; kid: string }>();
    const { signJwt } = await import("../../support/sign-jwt.ts");
    const now = Math.floor(Date.now() / 1000);
    const token = await signJwt(
      { alg: "HS256", typ: "JWT", kid },
      { iss: bank.id, sub: "customer-7", iat: now, exp: now + 3_600, name: "Kim" },
      secret,
    );
    const visitor = newVisitor();
    const { state } = await begin(visitor);
    expect((await come(visitor, { token, state })).status).toBe(200);
    expect(await visitor.token()).toMatchObject({ text: token, name: "Kim" });
    later(3_600_000);
    expect((await visitor.token()).text).toMatch(/^ibv_/);
  });

  it("has a page that tells nobody its address, and runs our script alone", async () => {
    const { visitor: newVisitor, home } = await createScene();
    const visitor = newVisitor();
    const answer = await visitor.open("/signed-in");
    expect([answer.status, answer.headers.get("Referrer-Policy"), answer.headers.get("Cache-Control")]).toEqual([
      200,
      "no-referrer",
      "no-store",
    ]);
    expect(answer.headers.get("Content-Security-Policy")).toMatch(
      /script-src 'self'; connect-src 'self'.*frame-ancestors 'none'/,
    );
    expect(visitor.page.match(/<script[^>]*>/g)).toEqual(['<script type="module" src="/embed/signed-in.js">']);
    expect(visitor.page).toContain(`data-session="${home}/session"`);
    expect(visitor.page).toContain("Try again");
  });

  it("refuses politely a token that no cookie can hold", async () => {
    const { visitor: newVisitor, bank, manage } = await createScene();
    const { secret, kid } = await (await manage("GET", "/signing-secret")).json<{ secret: string; kid: string }>();
    const { signJwt } = await import("../../support/sign-jwt.ts");
    const now = Math.floor(Date.now() / 1000);
    const token = await signJwt(
      { alg: "HS256", kid },
      { iss: bank.id, sub: "customer-7", iat: now, exp: now + 3_600, pad: "x".repeat(2_870) },
      secret,
    );
    expect(token.length).toBeLessThanOrEqual(4_096);
    expect(token.length).toBeGreaterThan(4_050);
    const visitor = newVisitor();
    const { state } = await begin(visitor);
    expect((await come(visitor, { token, state })).status).toBe(403);
    expect(visitor.personCookie).toBeUndefined();
  });
});

it("a board without that address has none of it", async () => {
  const { visitor: newVisitor, robin } = await createScene(null);
  const visitor = newVisitor();
  for (const path of ["/sign-in", "/sign-in/elsewhere", "/signed-in", "/sign-in/code"])
    expect([path, (await visitor.open(path)).status]).toEqual([path, 404]);
  expect((await come(visitor, { token: robin.token, state: "" })).status).toBe(404);
  expect((await visitor.post("/sign-in", { email: newEmail() })).status).toBe(404);
  expect(Object.keys(visitor.cookies)).toEqual([]);
});
