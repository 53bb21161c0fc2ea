/** The OpenAPI document and the routes, held against each other both ways. Every other test's responses are held against it too. */
import { validators } from "virtual:openapi-validators";
import { describe, expect, it } from "vitest";
import document from "../public/openapi.json";
import { createApp } from "../src/app.ts";
import { buildDocument } from "../src/openapi/document.ts";
import { checkAgainstDocument } from "./support/document-check.ts";
import { bodyOf, operationsOf } from "./support/operations.ts";

type Described = {
  operationId: string;
  security: Record<string, unknown>[];
  requestBody?: { content: { "application/json": { example: unknown } } };
  responses: Record<string, { $ref?: string; content?: { "application/json"?: { example: unknown } } }>;
};

const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Described>).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    operation,
  })),
);

it("the committed document is the one that the schemas make", () => {
  expect(document).toEqual(JSON.parse(JSON.stringify(buildDocument())));
});

it("every route is in the document, and everything in the document is a route", () => {
  const routes = createApp()
    .routes.filter(({ method }) => method !== "ALL")
    // The pages of Account Settings are for people.
    .filter(({ path }) => !path.startsWith("/account") || path.startsWith("/account/api/"))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
  expect([...new Set(routes)].toSorted()).toEqual(described.map(({ name }) => name).toSorted());
});

it("operation ids are unique", () => {
  expect(new Set(described.map(({ operation }) => operation.operationId)).size).toBe(described.length);
});

it("the security schemes are used, each where it belongs", () => {
  for (const { name, operation } of described) {
    const schemes = name.includes(" /tenant/")
      ? ["apiKey"]
      : name.includes(" /account/")
        ? ["accessClientId", "accessClientSecret"]
        : ["compoundToken"];
    expect(
      operation.security.map((scheme) => Object.keys(scheme)),
      name,
    ).toEqual([schemes]);
  }
});

describe.each(described)("$name", ({ name, operation }) => {
  it("has examples that its own schemas accept", () => {
    const request = operation.requestBody?.content["application/json"].example;
    if (operation.requestBody) expect(validators[`${name} body`]?.(request), JSON.stringify(request)).toBe(true);
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const example = content?.["application/json"]?.example;
      if (content?.["application/json"])
        expect(validators[`${name} ${status}`]?.(example), JSON.stringify(example)).toBe(true);
    }
  });

  it("announces the errors that anyone can meet", () => {
    const refused = name.includes(" /account/") ? "403" : "401";
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining([refused, "500", "503"]));
  });
});

it("the document's request schemas accept what the tests send, and refuse what has an unknown field", () => {
  for (const { name, operation, method, path } of [
    ...operationsOf("apiKey"),
    ...operationsOf("compoundToken"),
    ...operationsOf("access"),
  ]) {
    if (operation.body === undefined) continue;
    const validator = validators[`${method} ${path} body`];
    const valid = bodyOf(operation);
    expect(validator?.(valid), name).toBe(true);
    expect(validator?.({ ...valid, surprise: 1 }), name).toBe(false);
  }
});

describe("the check that every test's responses go through", () => {
  const check = (status: number, body: object | null) =>
    checkAgainstDocument("GET", "/tenant/whoami", new Response(body && JSON.stringify(body), { status }));

  it("accepts what is announced", async () => {
    await expect(check(200, { apiKeyId: "000000000000" })).resolves.toBeUndefined();
  });

  it.each([
    [200, { apiKeyId: "000000000000", accountId: "x" }],
    [200, { apiKeyId: 1 }],
    [200, {}],
    [418, {}],
    [401, { error: "unauthorized" }],
    [401, { type: "about:blank", title: "t", status: 401, detail: "d", error: "surprise" }],
  ])("refuses %i with %j", async (status, body) => {
    await expect(check(status, body)).rejects.toThrow();
  });
});
