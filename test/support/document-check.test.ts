/** The check that every test's responses go through: it refuses what the OpenAPI document does not describe. */
import type { Schema } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import document from "../../public/openapi.json";
import { checkAgainstDocument, faultsOf } from "./document-check.ts";
import { spoil } from "./spoil.ts";

const HEADERS = { "X-Request-Id": "trace-42", "RateLimit-Policy": '"api-key";q=1;w=1', RateLimit: '"api-key";r=1;t=1' };
const JSON_TYPE = { "Content-Type": "application/json" };
const PROBLEM_TYPE = { "Content-Type": "application/problem+json" };
const WHOAMI = { apiKeyId: "000000000000" };
const PROBLEM = {
  type: "about:blank",
  title: "Unauthorized",
  status: 401,
  detail: "A sentence.",
  error: "unauthorized",
};

const check = (status: number, body: object, headers: Record<string, string>, path = "/tenant/whoami") =>
  checkAgainstDocument("GET", path, new Response(JSON.stringify(body), { status, headers }));

describe("a response", () => {
  const { "RateLimit-Policy": _, ...withoutPolicy } = HEADERS;
  const unauthorized = { ...HEADERS, ...PROBLEM_TYPE, "WWW-Authenticate": "ApiKey" };

  it.each([
    ["that is announced", 200, WHOAMI, { ...HEADERS, ...JSON_TYPE }],
    ["with a charset", 200, WHOAMI, { ...HEADERS, "Content-Type": "application/json; charset=UTF-8" }],
    ["with an announced error", 401, PROBLEM, unauthorized],
  ])("%s is accepted", async (_, status, body, headers) => {
    await expect(check(status, body, headers)).resolves.toBeUndefined();
  });

  it.each([
    ["a status that is not announced", 418, {}, { ...HEADERS, ...JSON_TYPE }, "does not know this status"],
    ["an unknown property", 200, { ...WHOAMI, accountId: "x" }, { ...HEADERS, ...JSON_TYPE }, "accountId"],
    ["a property of another type", 200, { apiKeyId: 1 }, { ...HEADERS, ...JSON_TYPE }, "#/apiKeyId"],
    ["a missing property", 200, {}, { ...HEADERS, ...JSON_TYPE }, "apiKeyId"],
    ["a missing header", 200, WHOAMI, { ...withoutPolicy, ...JSON_TYPE }, "the header RateLimit-Policy is missing"],
    ["another media type", 200, WHOAMI, { ...HEADERS, "Content-Type": "text/plain" }, "no text/plain"],
    ["a problem as plain JSON", 401, PROBLEM, { ...unauthorized, ...JSON_TYPE }, "no application/json"],
    ["a problem without its fields", 401, { error: "unauthorized" }, unauthorized, "detail"],
    ["a code of other operations", 401, { ...PROBLEM, error: "conflict" }, unauthorized, "announces no conflict"],
    ["an unknown code", 401, { ...PROBLEM, error: "surprise" }, unauthorized, "#/error"],
    ["a problem without its header", 401, PROBLEM, { ...HEADERS, ...PROBLEM_TYPE }, "WWW-Authenticate is missing"],
  ])("with %s is refused", async (_, status, body, headers, message) => {
    await expect(check(status, body, headers)).rejects.toThrow(message);
  });

  it("to an unknown path is a problem with a request id", async () => {
    await expect(check(404, PROBLEM, { ...PROBLEM_TYPE, ...HEADERS }, "/nope")).resolves.toBeUndefined();
    await expect(check(404, PROBLEM, PROBLEM_TYPE, "/nope")).rejects.toThrow("X-Request-Id");
    await expect(check(404, {}, { ...PROBLEM_TYPE, ...HEADERS }, "/nope")).rejects.toThrow("detail");
  });
});

type Content = { "application/json"?: { schema: Schema; example: unknown } };
type Described = { requestBody?: { content: Content }; responses: Record<string, { content?: Content }> };

/** Every body that the document gives an example of. */
const examples = Object.values(document.paths)
  .flatMap((methods) => Object.values(methods as Record<string, Described>))
  .flatMap(({ requestBody, responses }) => [requestBody ?? {}, ...Object.values(responses)])
  .flatMap(({ content }) => content?.["application/json"] ?? [])
  .concat([
    {
      schema: { $ref: "#/components/schemas/Problem" },
      example: { ...PROBLEM, errors: [{ path: "title", message: "is required" }] },
    },
    // No example of the document has a list with a maximum.
    { schema: { $ref: "#/components/schemas/NewProposal" }, example: { title: "Dark mode", tags: ["Mobile"] } },
  ]);

describe("the schemas of the document", () => {
  const spoiled = examples.flatMap(({ schema, example }) =>
    spoil(schema, example).map(({ rule, value }) => ({ schema, rule: `${schema.$ref} ${rule}`, value })),
  );

  it("refuse each example of the document that is broken in one place", () => {
    expect(spoiled.filter(({ schema, value }) => faultsOf(schema, value).length === 0)).toEqual([]);
  });

  it("are broken in every rule that they contain", () => {
    const used = JSON.stringify(document.components.schemas).match(
      /"(type|enum|pattern|format|m(in|ax)Length|m(in|ax)imum|m(in|ax)Items|required|additionalProperties)":/g,
    );
    const broken = spoiled.map(({ rule }) => `"${rule.split(" ").at(-1)}":`);
    expect(new Set(broken)).toEqual(new Set(used));
  });
});
