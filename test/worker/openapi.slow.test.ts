/** The OpenAPI document and the routes, compared in both directions. Every other test's responses are checked against it too. */
import type { Schema } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import document from "../../public/openapi.json";
import { buildDocument } from "../../src/commands/openapi/document.ts";
import { createAccountApp } from "../../src/worker/account/app.ts";
import { createApp, createMemory } from "../../src/worker/app.ts";
import { createEveryRequest } from "../../src/worker/http/every-request.ts";
import { FILES_OF_DEVELOPERS } from "../../src/worker/http/pages.ts";
import { createOtherRoutes } from "../../src/worker/on-demand.ts";
import { createParticipationRoutes } from "../../src/worker/panelist/routes.ts";
import { createTenantRoutes } from "../../src/worker/tenant/routes.ts";
import { faultsOf } from "../support/document-check.ts";
import { takeAll } from "../support/isolate.ts";
import { bodyOf, operationsOf } from "../support/operations.ts";

type Json = { schema: Schema; example: unknown };
type Described = {
  operationId: string;
  security: Record<string, unknown>[];
  requestBody?: { content: { "application/json": Json } };
  responses: Record<string, { $ref?: string; content?: { "application/json": Json } }>;
};

type WithHeaders = Pick<Described, "security"> & {
  responses: Record<string, { headers?: object }>;
  parameters: { name: string }[];
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
  const memory = createMemory(undefined, takeAll);
  const app = createApp();
  const everyRequest = createEveryRequest(memory);
  const others = createOtherRoutes(app, memory, { everyRequest, everyCrossOrigin: everyRequest });
  const surfaces = [
    ...[app, others, createAccountApp(memory), createTenantRoutes(memory, everyRequest)],
    createParticipationRoutes(memory, everyRequest),
  ];
  const routes = surfaces
    .flatMap((each): readonly { readonly method: string; readonly path: string }[] => each.routes)
    .filter(({ method }) => method !== "ALL" && method !== "OPTIONS")
    // HTML pages and their forms are not part of the API.
    .filter(({ path }) => !path.startsWith("/account") || path.startsWith("/account/api/"))
    // Another protocol, whose tools are the operations of the document.
    .filter(({ path }) => path !== "/leaks/reports" && path !== "/mcp")
    // Texts for people.
    .filter(({ path }) => path !== "/.well-known/security.txt" && path !== "/" && !FILES_OF_DEVELOPERS.includes(path))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
  expect([...new Set(routes)].toSorted()).toEqual(described.map(({ name }) => name).toSorted());
});

it("a write names the header by which a panelist's client reads it; every request of a panelist may send that", () => {
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { security, responses, parameters }] of Object.entries(
      methods as Record<string, WithHeaders>,
    )) {
      const kinds = security.flatMap((each) => Object.keys(each));
      const isRead = method === "get" || path === "/tenant/tokens/introspect";
      const isWrite = !isRead && (kinds.includes("apiKey") || kinds.includes("compoundToken"));
      const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
      const name = `${method} ${path}`;
      expect([name, "Consistency-Token" in (success?.headers ?? {})]).toEqual([name, isWrite]);
      const isSent = parameters.some((each) => each.name === "Consistency-Token");
      expect([name, isSent]).toEqual([name, kinds.includes("compoundToken")]);
    }
});

it("a panelist's success names its limit, where requests are counted", () => {
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { security, responses }] of Object.entries(methods as Record<string, WithHeaders>)) {
      if (!security.some((each) => "compoundToken" in each)) continue;
      const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
      const named = [method, path, "RateLimit-Policy" in (success?.headers ?? {})];
      expect(named).toEqual([method, path, path.startsWith("/ideabank/") || path.startsWith("/surveys")]);
    }
});

it("the answer that can be a replay names its header: the first one again, and a conflict where a secret is shown once", () => {
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { security, responses, parameters }] of Object.entries(
      methods as Record<string, WithHeaders>,
    )) {
      if (!parameters.some((each) => each.name === "Idempotency-Key")) continue;
      const named = Object.entries(responses).flatMap(([status, { headers = {} }]) =>
        "Idempotency-Replayed" in headers ? [status] : [],
      );
      const isOwners = security.some((each) => "accessClientId" in each);
      const success = Object.keys(responses).find((status) => status.startsWith("2"));
      expect([method, path, named]).toEqual([method, path, [isOwners ? "409" : success]]);
    }
});

it("tells a panelist's client of nothing that is an API key's", () => {
  for (const { name, operation } of described) {
    if (!operation.security.some((each) => "compoundToken" in each)) continue;
    expect(JSON.stringify(operation), name).not.toMatch(/api.key/i);
  }
});

it("every tag is in one group, that of who uses its operations: a tag in no group is not drawn", () => {
  const grouped = document["x-tagGroups"].flatMap(({ tags }) => tags);
  expect(grouped.toSorted()).toEqual(document.tags.map(({ name }) => name).toSorted());
});

it("no list has a default, which generators give a type that its items do not have", () => {
  expect(JSON.stringify(document)).not.toContain('"default":[');
});

it("operation ids are unique", () => {
  expect(new Set(described.map(({ operation }) => operation.operationId)).size).toBe(described.length);
});

/** Without a credential. A leak report is signed in another way: its description says how. */
const OPEN = ["GET /health", "GET /version", "POST /leaks/github"];

it("every security scheme is used, and only by its surface", () => {
  for (const { name, operation } of described) {
    const schemes = name.includes(" /tenant/")
      ? ["apiKey"]
      : name.includes(" /account/")
        ? ["accessClientId", "accessClientSecret"]
        : name.includes(" /operator/")
          ? ["operator"]
          : ["compoundToken"];
    expect(
      operation.security.map((scheme) => Object.keys(scheme)),
      name,
    ).toEqual(OPEN.includes(name) ? [] : [schemes]);
  }
});

describe.each(described)("$name", ({ name, operation }) => {
  it("has examples that its own schemas accept", () => {
    for (const { content } of [operation.requestBody ?? {}, ...Object.values(operation.responses)]) {
      if (content?.["application/json"] === undefined) continue;
      const { schema, example } = content["application/json"];
      expect(faultsOf(schema, example), JSON.stringify(example)).toEqual([]);
    }
  });

  it("lists the errors that every client can get", () => {
    const refused = ["GET /health", "GET /version"].includes(name) ? [] : [name.includes(" /account/") ? "403" : "401"];
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining([...refused, "500", "503"]));
  });
});

it("each property of each schema says what it is", () => {
  const schemas: Record<string, { type?: string; anyOf?: object[]; properties?: Record<string, object> }> =
    document.components.schemas;
  for (const [name, { properties = {} }] of Object.entries(schemas)) {
    for (const [property, schema] of Object.entries(properties))
      expect(Object.keys(schema), `${name}.${property}`).toEqual(
        expect.arrayContaining([expect.stringMatching(/^(type|\$ref|anyOf)$/)]),
      );
  }
});

it("the document's request schemas accept what the tests send, and refuse what has an unknown field", () => {
  const kinds = ["apiKey", "compoundToken", "access", "operator"] as const;
  for (const each of kinds.flatMap(operationsOf)) {
    if (each.operation.body === undefined) continue;
    const { operation } = described.find(({ name }) => name === `${each.method} ${each.path}`) ?? {};
    const schema = operation?.requestBody?.content["application/json"].schema ?? {};
    const valid = bodyOf(each.operation);
    expect(faultsOf(schema, valid), each.name).toEqual([]);
    expect(faultsOf(schema, { ...valid, surprise: 1 }), each.name).not.toEqual([]);
  }
});
