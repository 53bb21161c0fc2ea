/** The check that every test's responses go through: it refuses what the OpenAPI document does not describe. */
import type { Schema } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import document from "../../public/openapi.json";
import { checkAgainstDocument, faultsOf } from "./document-check.ts";

/** A value that is valid but for one rule. */
type Spoiled = { readonly rule: string; readonly value: unknown };

const named = document.components.schemas as Record<string, Schema>;

/** The valid value, broken in one place: once for each rule of its schema, below it too. */
function spoil({ anyOf = [], ...schema }: Schema, valid: unknown): Spoiled[] {
  const option = anyOf.find((candidate) => faultsOf(candidate, valid).length === 0);
  if (option !== undefined) return spoil({ ...schema, ...option }, valid);
  if (schema.$ref) return spoil(named[schema.$ref.replace("#/components/schemas/", "")] ?? {}, valid);
  if (typeof valid === "string") return spoilString(schema, valid);
  if (typeof valid === "number") return spoilNumber(schema, valid);
  if (Array.isArray(valid)) return spoilArray(schema, valid);
  if (typeof valid === "object" && valid !== null) return spoilObject(schema, valid);
  return [{ rule: "type", value: [] }];
}

const NO_FORMAT: Record<string, string> = { "date-time": "2026-13-40T25:61:61.000Z", uri: "not a <URI>" };

function spoilString({ minLength, maxLength, ...schema }: Schema, valid: string): Spoiled[] {
  const found = [{ rule: "type", value: 1 as unknown }];
  if (schema.enum) found.push({ rule: "enum", value: `${valid}?\u007f` });
  if (schema.pattern) found.push({ rule: "pattern", value: `${valid}?\u007f` });
  if (schema.format) found.push({ rule: "format", value: NO_FORMAT[schema.format] });
  if (minLength) found.push({ rule: "minLength", value: "x".repeat(minLength - 1) });
  if (maxLength) found.push({ rule: "maxLength", value: "x".repeat(maxLength + 1) });
  return found;
}

function spoilNumber({ type, minimum, maximum }: Schema, valid: number): Spoiled[] {
  const found = [{ rule: "type", value: String(valid) as unknown }];
  if (type === "integer") found.push({ rule: "type", value: valid + 0.5 });
  if (minimum !== undefined) found.push({ rule: "minimum", value: minimum - 1 });
  if (maximum !== undefined) found.push({ rule: "maximum", value: maximum + 1 });
  return found;
}

function spoilArray({ items, minItems, maxItems }: Schema, valid: unknown[]): Spoiled[] {
  // An example may be empty.
  const [first = "x"] = valid;
  const found = [{ rule: "type", value: {} as unknown }];
  if (minItems) found.push({ rule: "minItems", value: valid.slice(0, minItems - 1) });
  if (maxItems) found.push({ rule: "maxItems", value: Array(maxItems + 1).fill(first) });
  if (valid.length === 0 || typeof items !== "object" || Array.isArray(items)) return found;
  return [...found, ...spoil(items, first).map(({ rule, value }) => ({ rule: `[0] ${rule}`, value: [value] }))];
}

const schemaOf = (schema: Schema | boolean | undefined): Schema => (typeof schema === "object" ? schema : {});

/** Names that every JavaScript object has are unknown properties too. */
const UNKNOWN = ["surprise", "constructor", "toString"];

function spoilObject({ required = [], properties = {}, additionalProperties }: Schema, valid: object): Spoiled[] {
  const fields = Object.entries(valid);
  return [
    { rule: "type", value: [] },
    // A schema that says what others may be is open on purpose.
    ...(typeof additionalProperties === "object" ? [] : UNKNOWN).map((name) => ({
      rule: `${name} additionalProperties`,
      value: { ...valid, [name]: 1 },
    })),
    ...required.map((name) => ({
      rule: `${name} required`,
      value: Object.fromEntries(fields.filter(([other]) => other !== name)),
    })),
    // Another kind of value is an answer, too.
    ...fields.flatMap(([name, field]) =>
      (name in properties || !schemaOf(additionalProperties).anyOf ? spoil(schemaOf(properties[name]), field) : []).map(
        ({ rule, value }) => ({
          rule: `${name} ${rule}`,
          value: { ...valid, [name]: value },
        }),
      ),
    ),
  ];
}

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

  it("refuse each example of the document that is broken in one place", { tags: "slow" }, () => {
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
