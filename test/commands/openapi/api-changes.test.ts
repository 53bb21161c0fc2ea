/** What is said to be breaking in the API, and the page about it. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import today from "../../../public/openapi.json" with { type: "json" };
import { API_CHANGES, RELEASED_DOCUMENT } from "../../../src/commands/development/build.ts";
import {
  type ApiDocument,
  compareApis,
  describeChanges,
  releaseChanges,
  withoutWords,
} from "../../../src/commands/openapi/api-changes.ts";

type Schema = Readonly<Record<string, unknown>>;
const text = { type: "string" };
const nullable = { anyOf: [text, { type: "null" }] };
const json = (schema: object) => ({ content: { "application/json": { schema: { ...schema } } } });
const fields = (properties: Record<string, object>, ...required: string[]) => ({
  type: "object",
  properties,
  required,
});

/** An API with one operation, which takes `taken` and answers `given`. */
const api = (taken: Schema, given: Schema, parameters: { name: string; in: string; schema: Schema }[] = []) => ({
  paths: {
    "/ideas": {
      post: {
        parameters,
        requestBody: json({ $ref: "#/components/schemas/NewIdea" }),
        responses: { 201: json({ $ref: "#/components/schemas/Idea" }) },
      },
    },
  },
  components: { schemas: { NewIdea: taken, Idea: given } },
});
const request = (before: Schema, after: Schema) => compareApis(api(before, {}), api(after, {}));
const answer = (before: Schema, after: Schema) => compareApis(api({}, before), api({}, after));
const nothing = { breaking: [], added: [] };

describe("a request", () => {
  it("breaks when a field is gone or required, or takes less", () => {
    const before = fields({
      title: { ...text, maxLength: 200 },
      mood: { ...text, enum: ["high", "low"] },
      note: nullable,
    });
    expect(
      request(before, fields({ title: { ...text, maxLength: 100 }, mood: { ...text, enum: ["high"] } }, "title")),
    ).toEqual({
      breaking: [
        "`NewIdea`: `title` is required",
        "`NewIdea`: `title`: `maxLength` is 100",
        "`NewIdea`: `mood` takes not `low`",
        "`NewIdea`: `note` is gone",
      ],
      added: [],
    });
    expect(request(fields({ note: nullable }), fields({ note: text })).breaking).toEqual([
      "`NewIdea`: `note` takes no `null` any more",
    ]);
    expect(request(fields({ mood: text }), fields({ mood: { ...text, enum: ["high"] } })).breaking).toEqual([
      "`NewIdea`: `mood` takes only `high`",
    ]);
    expect(request(fields({}), fields({ mood: text }, "mood")).breaking).toEqual(["`NewIdea`: `mood` is required"]);
    expect(request(fields({ n: {} }), fields({ n: { minimum: 1 } })).breaking).toEqual([
      "`NewIdea`: `n`: `minimum` is 1",
    ]);
  });

  it("grows when it takes more", () => {
    const before = fields({ tags: { type: "array", maxItems: 5, items: { ...text, enum: ["a"] } }, note: text });
    const after = fields({ tags: { type: "array", items: { ...text, enum: ["a", "b"] } }, note: nullable, mood: text });
    expect(request(before, after)).toEqual({
      breaking: [],
      added: [
        "`NewIdea`: `tags`: `maxItems` is gone",
        "`NewIdea`: `tags`, each: the value `b`",
        "`NewIdea`: `note` takes `null`",
        "`NewIdea`: `mood`",
      ],
    });
  });
});

describe("an answer", () => {
  it("breaks when a member is gone, may be missing or is another kind", () => {
    const before = fields({ id: text, title: text, votes: { type: "integer" } }, "id", "title", "votes");
    expect(answer(before, fields({ title: nullable, votes: { type: "integer" } }, "title")).breaking).toEqual([
      "`Idea`: `id` is gone",
      "`Idea`: `title` can be `null`",
      "`Idea`: `votes` may be missing",
    ]);
  });

  it("grows by members and values, and may promise more", () => {
    const before = fields({ status: { ...text, enum: ["new"] }, note: nullable });
    const after = fields({ status: { ...text, enum: ["new", "done"], maxLength: 9 }, note: text, url: text }, "status");
    expect(answer(before, after)).toEqual({
      breaking: [],
      added: ["`Idea`: `status`: the value `done`", "`Idea`: `url`"],
    });
  });
});

it("an operation or a parameter that is gone breaks, a new one does not, and words count for nothing", () => {
  const old = api({}, {}, [{ name: "q", in: "query", schema: text }]);
  const words = api({ description: "Made." }, { example: 1 }, [{ name: "sort", in: "query", schema: text }]);
  expect(compareApis(old, words)).toEqual({
    breaking: ["`POST /ideas`: `q` is gone"],
    added: ["`POST /ideas`: `sort`"],
  });
  const moved = { ...old, paths: { "/thoughts": old.paths["/ideas"] } };
  expect(compareApis(old, moved)).toEqual({ breaking: ["`POST /ideas` is gone"], added: ["`POST /thoughts`"] });
});

it("a released document is kept with all that is compared, a field that is called `description` too", {
  tags: "slow",
}, () => {
  const document: ApiDocument = JSON.parse(JSON.stringify(today));
  expect(compareApis(withoutWords(document), document)).toEqual(nothing);
  expect(compareApis(document, withoutWords(document))).toEqual(nothing);
  expect(withoutWords(document).components.schemas.NewProposal).toHaveProperty("properties.description.type");
});

it(`${API_CHANGES} is true`, () => {
  const read = (path: string) => readFileSync(path, "utf8");
  const changes = compareApis(JSON.parse(read(RELEASED_DOCUMENT)), JSON.parse(read("public/openapi.json")));
  expect(read(API_CHANGES)).toContain(`<!-- changes -->\n\n${describeChanges(changes)}\n\n<!-- end of changes -->`);
});

it("a release gives its number to what was not released, once, and a new section begins", () => {
  const page = (body: string) => `# Changes\n\n${body}## 1.0.0 (2026-01-01)\n\nThe first.\n`;
  const section = (since: string, added: string[]) =>
    `## Unreleased, since ${since}\n\n<!-- changes -->\n\n${describeChanges({ breaking: [], added })}\n\n<!-- end of changes -->\n\n`;
  const before = page(section("1.0.0", ["`GET /new`"]));
  const after = releaseChanges(before, { version: "1.1.0", date: "2026-02-03" });
  const released = `## 1.1.0 (2026-02-03), since 1.0.0\n\n${describeChanges({ breaking: [], added: ["`GET /new`"] })}\n\n`;
  expect(after).toBe(page(section("1.1.0", []) + released));
  expect(releaseChanges(after, { version: "1.1.0", date: "2026-02-04" })).toBe(after);
});
