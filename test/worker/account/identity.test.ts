/** Who the owner is: what Cloudflare Access says, and how far it is trusted. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { identifyByAccess } from "../../../src/worker/account/identity/identity.ts";
import { createApp } from "../../../src/worker/app.ts";
import { createIsolate } from "../../support/isolate.ts";

type Case = {
  identity?: { email?: unknown; service_token_id?: unknown; common_name?: unknown };
  aud?: string;
  settings?: Partial<Env>;
  url?: string;
};

const AUD = "4714c1358e65fe4b408ad6d432a5f878f08194bdb4752441fd56faefa9b2b6f2";

/** What a request brings that Cloudflare Access has authenticated so; without an identity it did not. */
const contextOf = ({ identity, aud = AUD }: Case) =>
  Object.assign(createExecutionContext(), identity && { access: { aud, getIdentity: async () => identity } });

const identify = ({ settings = {}, url = "https://api.example/account", ...signIn }: Case) =>
  identifyByAccess({ executionCtx: contextOf(signIn), env: { ...env, ...settings }, req: { url } });

/** What somebody is told who is signed in so. */
async function told(signIn: Case): Promise<string> {
  const request = new Request("https://api.example/account/api/keys");
  const answer = await createApp().fetch(request, env, contextOf(signIn));
  expect(answer.status).toBe(403);
  return (await answer.json<{ detail: string }>()).detail;
}

const person = { email: "owner@example.com" };
const OWNER = { email: "owner@example.com", actor: "owner@example.com" };

describe("a person", () => {
  it("is the e-mail address that Access gives, whatever its case", async () => {
    expect(await identify({ identity: { email: "Owner@Example.com" } })).toEqual(OWNER);
  });

  it.each([
    ["a Kelvin sign, which lowers to a k", "\u212aelvin@example.com"],
    ["a letter beyond ASCII", "björn@example.com"],
    ["a space", "a b@example.com"],
    ["a control character", "a\u0000@example.com"],
    ["a zero-width space", "own\u200ber@example.com"],
  ])("with %s in the address is nobody", async (_, email) => {
    expect(await identify({ identity: { email } })).toBeUndefined();
  });

  it.each([undefined, {}, { email: "" }, { email: 1 }])("is nobody for %j", async (identity) => {
    expect(await identify(identity === undefined ? {} : { identity })).toBeUndefined();
  });

  it("is nobody without Access", async () => {
    expect((await createIsolate().request("/account/api-keys")).status).toBe(403);
  });
});

describe("a service token", () => {
  const settings = { SERVICE_TOKEN_OWNERS: "ci.access=Owner@example.com, other.access=x@example.com" };
  const token = (service_token_id: unknown) => ({ email: "", common_name: "", service_token_id });

  it("acts for the owner that the setting names for its Client ID", async () => {
    expect(await identify({ identity: token("ci.access"), settings })).toEqual({
      email: "owner@example.com",
      actor: "ci.access",
    });
  });

  it.each(["stranger.access", "", undefined, 1])("%j is nobody", async (id) => {
    expect(await identify({ identity: token(id), settings })).toBeUndefined();
  });

  it("is nobody for an empty entry of the setting, and for an owner with more than visible ASCII", async () => {
    expect(
      await identify({ identity: token(""), settings: { SERVICE_TOKEN_OWNERS: "=x@example.com" } }),
    ).toBeUndefined();
    const kelvin = { SERVICE_TOKEN_OWNERS: "ci.access=\u212a@example.com" };
    expect(await identify({ identity: token("ci.access"), settings: kelvin })).toBeUndefined();
  });

  it("is not a client certificate of the same name", async () => {
    expect(await identify({ identity: { common_name: "ci.access" }, settings })).toBeUndefined();
  });
});

it("who is signed in and nobody here is told why, and not to turn on what is on", async () => {
  expect(await told({})).toMatch(/^You are not signed in, .*: Turn Cloudflare Access on /);
  for (const identity of [{ email: "", service_token_id: "stranger.access" }, { email: "björn@example.com" }]) {
    const detail = await told({ identity });
    expect(detail).toContain("SERVICE_TOKEN_OWNERS");
    expect(detail).toContain("visible ASCII");
    expect(detail).not.toContain("Turn");
  }
});

describe("the audience", () => {
  it("is the one of the setting ACCESS_AUD, or the request is nobody's", async () => {
    const settings = { ACCESS_AUD: AUD };
    expect(await identify({ identity: person, settings })).toEqual(OWNER);
    for (const aud of ["another application", AUD.slice(1), ""]) {
      expect(await identify({ identity: person, settings, aud })).toBeUndefined();
    }
  });

  it("is any while the setting is empty", async () => {
    expect(await identify({ identity: person, settings: { ACCESS_AUD: "" }, aud: "any" })).toEqual(OWNER);
  });
});

describe("the stand-in for Access under `npm run dev`", () => {
  const standIn = (url: string) => identify({ identity: person, aud: "local", url, settings: { ACCESS_AUD: AUD } });

  it.each(["http://localhost:8787", "http://127.0.0.1:8787", "http://[::1]:8787", "http://app.localhost:9000"])(
    "signs in at %s",
    async (origin) => expect(await standIn(`${origin}/account`)).toEqual(OWNER),
  );

  // A page whose name is made to resolve to this machine (DNS rebinding) has the same origin as the server that it asks.
  it.each(["http://evil.example:8787", "http://localhost.evil.example:8787", "http://127.0.0.1.evil.example:8787"])(
    "refuses a request for the host of %s",
    async (origin) => {
      await expect(standIn(`${origin}/account`)).rejects.toMatchObject({
        code: "forbidden",
        message: expect.stringContaining("localhost"),
      });
    },
  );
});
