/** Errors that do not depend on a credential, and what every request can send. */
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createIsolate } from "../support/isolate.ts";
import { createTenant } from "../support/tenant.ts";
import { addApiKey, addIdeaBank } from "../support/world.ts";

const ENDPOINTS = ["/tenant/whoami", "/public/ideabank/changelog", "/ideabank"];
const OPEN_TO_ORIGINS = ENDPOINTS.slice(1);

describe("a path that is spelled otherwise names the one that is meant", () => {
  it.each([
    ["/tenant/whoami/", "/tenant/whoami"],
    ["/v1/tenant/whoami", "/tenant/whoami"],
    ["/api/v2/tenant/ideabanks", "/tenant/ideabanks"],
    ["/tenant//whoami", "/tenant/whoami"],
    ["//tenant/whoami", "/tenant/whoami"],
    ["/Tenant/WhoAmI", "/tenant/whoami"],
    ["/tenant/ideabanks/b4nKb4nKb4nK/", "/tenant/ideabanks/{ideaBankId}"],
    ["/tenant/ideabanks/b4nKb4nKb4nK/Proposals/", "/tenant/ideabanks/{ideaBankId}/proposals"],
    ["/ideabank/", "/ideabank"],
    ["/public/ideabank/changelog.ATOM", "/public/ideabank/changelog.atom"],
  ])("%s", async (sent, meant) => {
    const isolate = createIsolate();
    for (const [method, headers] of [
      ["GET", { Accept: "*/*" }],
      ["POST", { "X-API-Key": (await addApiKey()).text }],
    ] as const) {
      const answer = await isolate.request(sent, { method, headers });
      const { detail } = await answer.json<{ detail: string }>();
      expect([answer.status, detail]).toEqual([404, expect.stringContaining(`Did you mean \`${meant}\`?`)]);
    }
  });

  it.each(["/", "//", "/v1", "/v1/nope", "/tenant/", "/tenant/nope/", "/account/members/", `/${"/".repeat(60_000)}`])(
    "%s is none",
    async (path) => {
      const answer = await createIsolate().request(path, { method: "PUT" });
      expect(await answer.text()).not.toContain("Did you mean");
    },
  );
});

describe("an unknown path answers 404 not-found", () => {
  it.each([
    "/tenant",
    "/tenant/whoami/",
    "/tenant/WHOAMI",
    "/public",
    "/public/ideabank",
    "/public/ideabank/changelog/1",
    "/ideabank/nothing",
    "//ideabank",
    "/%00",
    "/%E0%A4%A",
    `/${"x".repeat(8_000)}`,
    "/.env",
  ])("%s", async (path) => {
    const response = await createIsolate().request(path);
    expect(response.status).toBe(404);
    expect(response.headers.get("Content-Type")).toBe("application/problem+json");
    expect(response.headers.get("X-Request-Id")).toMatch(/./);
    expect(await response.json()).toMatchObject({ status: 404, error: "not-found" });
  });

  it.each(["/public/ideabank", "/public/ideabank/nothing", "/ideabank/nothing", "/ideabank/proposals/x/y/z"])(
    "%s, which a script of any origin can read",
    async (path) => {
      const response = await createIsolate().request(path, { headers: { Origin: "https://panel.example" } });
      expect(response.status).toBe(404);
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(response.headers.get("Access-Control-Expose-Headers")).toContain("X-Request-Id");
    },
  );
});

describe("a person's browser at an unknown path", () => {
  const BROWSER = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

  it("gets a page that leads on, with 404 and the headers of every response", async () => {
    const response = await createIsolate().request("/nope", { headers: BROWSER });
    expect(response.status).toBe(404);
    expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(response.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    const page = await response.text();
    for (const path of ["/", "/embed/", "/reference", "/account/api-keys"]) expect(page).toContain(`href="${path}"`);
    expect(page).not.toContain("nope");
  });

  it.each([
    ["a method that writes", "/nope", { method: "POST", headers: BROWSER }, 404],
    ["a method that a path does not have", "/tenant/whoami", { method: "POST", headers: BROWSER }, 405],
    ["a path of an operation, without a credential", "/tenant/whoami", { headers: BROWSER }, 401],
    ["a client that takes anything", "/nope", { headers: { Accept: "*/*" } }, 404],
  ] as const)("%s gets a problem document", async (_, path, init, status) => {
    const response = await createIsolate().request(path, init);
    expect(response.status).toBe(status);
    expect(response.headers.get("Content-Type")).toBe("application/problem+json");
  });
});

it.each([
  ["GET", "/tenant/ideabanks/0/proposals/0/comments/batch", "POST"],
  ["PUT", "/tenant/ideabanks/0/proposals/0/comments/0", "PATCH, DELETE"],
  ["POST", "/ideabank/proposals/similar", "GET, HEAD"],
])("%s %s: Allow has the methods of this path alone", async (method, path, allowed) => {
  const response = await createIsolate().request(path, { method });
  expect([response.status, response.headers.get("Allow")]).toEqual([405, allowed]);
});

describe.each(ENDPOINTS)("%s", (path) => {
  it.each(["POST", "PUT", "PATCH", "DELETE", "PROPFIND"])(
    "answers 405 with Allow to %s, before any credential",
    async (method) => {
      const response = await createIsolate().request(path, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get("Allow")).toBe("GET, HEAD");
      expect(await response.json()).toMatchObject({ status: 405, error: "method-not-allowed" });
    },
  );

  it("answers HEAD as GET, without a body", async () => {
    const headers = { "X-API-Key": (await addApiKey()).text, Authorization: (await addIdeaBank()).token };
    const response = await createIsolate().request(path, { method: "HEAD", headers });
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect(await response.text()).toBe("");
    expect((await createIsolate().request(path, { method: "HEAD" })).status).toBe(401);
  });

  it("ignores any query string", async () => {
    const headers = { "X-API-Key": (await addApiKey()).text, Authorization: (await addIdeaBank()).token };
    for (const query of ["?", "?a=1&a=2", "?%ZZ=%", `?q=${"x".repeat(10_000)}`, "?__proto__[x]=1", "?😀"]) {
      expect((await createIsolate().request(path + query, { headers })).status, query.slice(0, 20)).toBe(200);
    }
  });

  it("has a request id: a new one, or the client's if that is valid", async () => {
    const idFor = async (sent?: string) => {
      const response = await createIsolate().request(path, {
        headers: sent === undefined ? {} : { "X-Request-Id": sent },
      });
      return response.headers.get("X-Request-Id");
    };
    const own = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;
    expect(await idFor()).toMatch(own);
    expect(await idFor("trace-42")).toBe("trace-42");
    expect(await idFor("x".repeat(65))).toMatch(own);
    expect(await idFor("<script>")).toMatch(own);
  });

  it("has the security headers, whatever the status", async () => {
    const headers = { "X-API-Key": (await addApiKey()).text, Authorization: (await addIdeaBank()).token };
    for (const init of [{ headers }, {}, { method: "POST" }]) {
      const response = await createIsolate().request(path, init);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "strict-transport-security": "max-age=31536000",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
      });
      expect(response.headers.get("X-Powered-By")).toBeNull();
    }
  });
});

describe.each(OPEN_TO_ORIGINS)("CORS on %s", (path) => {
  it("answers a preflight without a credential, cached for a day", async () => {
    const response = await createIsolate().request(path, {
      method: "OPTIONS",
      headers: {
        Origin: "https://panel.example",
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "authorization",
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(response.headers.get("Access-Control-Max-Age")).toBe("86400");
    expect(response.headers.get("Access-Control-Allow-Methods")).toContain("GET");
    expect(response.headers.get("Access-Control-Allow-Credentials")).toBeNull();
  });

  it("lets any origin read the answer, errors included", async () => {
    const { token } = await addIdeaBank();
    for (const Authorization of [token, "no"]) {
      const response = await createIsolate().request(path, {
        headers: { Authorization, Origin: "https://any.example" },
      });
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(response.headers.get("Access-Control-Expose-Headers")).toContain("ETag");
      expect(response.headers.get("Access-Control-Expose-Headers")).toContain("X-Request-Id");
    }
  });
});

it("the tenant API sends no CORS headers", async () => {
  const response = await createIsolate().request("/tenant/whoami", { method: "OPTIONS" });
  expect(response.status).toBe(405);
  expect(response.headers.get("Access-Control-Allow-Origin")).toBeNull();
});

it("the deployed entry serves the application", async () => {
  const response = await exports.default.fetch("https://api.example/ideabank");
  expect(response.status).toBe(401);
});

it("an unknown parameter and an unknown field are refused by name", async () => {
  const tenant = await createTenant();
  const named = async (answer: Response) => (await answer.json<{ detail: string }>()).detail;
  expect([
    await named(await tenant.send("GET", "/tenant/panelists?page=2")),
    await named(await tenant.send("POST", "/tenant/panelists", { colour: "red" })),
  ]).toEqual(["`page` is not a known field or parameter.", "`colour` is not a known field or parameter."]);
});
