/** Bad input to the panelist API: every broken field is named, and nothing is written. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createIsolate } from "../../support/isolate.ts";
import { withoutLimits } from "../../support/limits.ts";
import { createPanel, PROPOSALS } from "../../support/panel.ts";
import { dumpDatabases } from "../../support/tenant.ts";

async function createScene() {
  const panel = await createPanel({}, createIsolate(withoutLimits(env)));
  const panelist = await panel.panelist();
  const own = `${PROPOSALS}/${await panelist.submit()}`;
  return { panelist, POST: PROPOSALS, PATCH: own, COMMENT: `${own}/comments` };
}

type Target = "POST" | "PATCH" | "COMMENT";

async function rejected(target: Target | "GET", body: unknown, headers?: Record<string, string>, query = "") {
  const { panelist, ...paths } = await createScene();
  const before = await dumpDatabases();
  const path = target === "GET" ? PROPOSALS : paths[target];
  const response = await panelist.send(target === "COMMENT" ? "POST" : target, path + query, body, headers);
  expect(await dumpDatabases()).toEqual(before);
  expect(response.headers.get("Content-Type")).toBe("application/problem+json");
  const document = await response.json<{ error: string; errors?: { path: string; message: string }[] }>();
  return { status: response.status, error: document.error, errors: document.errors ?? [] };
}

const D = "What it is about.";
const long = (length: number) => "é".repeat(length);

describe("a body that breaks rules is 400, and names its fields", () => {
  const bodies: [string, Target, unknown, string[]][] = [
    ["nothing", "POST", {}, ["title"]],
    ["no comment", "COMMENT", {}, ["body"]],
    ["an array", "POST", [], [""]],
    ["null", "COMMENT", "null", [""]],
    ["numbers", "POST", { title: 1, description: 2 }, ["title", "description"]],
    ["null for a title", "PATCH", { title: null }, ["title"]],
    ["an empty title", "POST", { title: "", description: D }, ["title"]],
    ["an empty title in an edit", "PATCH", { title: "" }, ["title"]],
    ["a title of spaces", "POST", { title: " \t ", description: D }, ["title"]],
    ["a title of 201 characters", "POST", { title: long(201), description: D }, ["title"]],
    ["a title of 201 characters in an edit", "PATCH", { title: long(201) }, ["title"]],
    ["a line break in a title", "POST", { title: "a\nb", description: D }, ["title"]],
    ["null for a description", "PATCH", { description: null }, ["description"]],
    ["a description of 10,001 characters", "POST", { title: "T", description: long(10_001) }, ["description"]],
    ["a description of 10,001 characters in an edit", "PATCH", { description: long(10_001) }, ["description"]],
    ["an empty comment", "COMMENT", { body: "" }, ["body"]],
    ["a comment of line breaks", "COMMENT", { body: "\n\r\n" }, ["body"]],
    ["a comment of 10,001 characters", "COMMENT", { body: long(10_001) }, ["body"]],
    ["a NUL", "COMMENT", { body: "a\0b" }, ["body"]],
    ["an escape sequence", "POST", { title: "T", description: "\u001b[2J" }, ["description"]],
    ["half a surrogate pair", "POST", '{"title":"\\ud800","description":"D"}', ["title"]],
    [
      "the tenant's fields",
      "POST",
      { title: "T", description: D, status: "implemented", visibility: "public" },
      ["status", "visibility"],
    ],
    ["fields of the server", "PATCH", { id: "x", votes: 99, authorId: "y" }, ["id", "votes", "authorId"]],
    ["an author", "COMMENT", { body: "B", by: "tenant", author: "Robin" }, ["by", "author"]],
    ["__proto__", "COMMENT", '{"body":"B","__proto__":{"by":"tenant"}}', ["__proto__"]],
    ["deep nesting", "COMMENT", `{"body":${"[".repeat(30_000)}${"]".repeat(30_000)}}`, ["body"]],
  ];

  it.each(bodies)("%s: %s", async (_, target, body, paths) => {
    const { status, error, errors } = await rejected(target, body);
    expect([status, error]).toEqual([400, "invalid-request"]);
    expect(errors.map((entry) => entry.path).toSorted()).toEqual(paths.toSorted());
    for (const { message } of errors) expect(message).toMatch(/^(must|is) /);
  });

  it.each(["", "{", "{'body':'B'}", "\u0000"])("%j is no JSON", async (body) => {
    const { status, errors } = await rejected("COMMENT", body, { "Content-Type": "application/json" });
    expect(status).toBe(400);
    expect(errors).toEqual([{ path: "", message: expect.stringMatching(/^must be valid JSON: /) }]);
  });
});

describe("a query that breaks rules is 400, and is named", () => {
  it.each([
    ["sort=votes", "sort"],
    ["sort=", "sort"],
    ["sort=top&sort=new", "sort"],
    ["status=done", "status"],
    ["status=IMPLEMENTED", "status"],
    ["mine=true", "mine"],
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=1e1", "limit"],
    ["cursor=abc", "cursor"],
    ["cursor=", "cursor"],
  ])("?%s", async (query, path) => {
    const { status, errors } = await rejected("GET", undefined, {}, `?${query}`);
    expect([status, errors.map((entry) => entry.path)]).toEqual([400, [path]]);
  });
});

describe("the body's envelope", { tags: "slow" }, () => {
  it.each(["text/plain", "application/x-www-form-urlencoded", "json", ""])("of type %j is 415", async (type) => {
    for (const target of ["POST", "PATCH", "COMMENT"] as const)
      expect(await rejected(target, { body: "B" }, { "Content-Type": type })).toMatchObject({
        status: 415,
        error: "unsupported-media-type",
      });
  });

  it("has at most 64 KiB", async () => {
    for (const target of ["POST", "PATCH", "COMMENT"] as const)
      expect(await rejected(target, `{"title":"T"${" ".repeat(65_536)}}`)).toMatchObject({
        status: 413,
        error: "payload-too-large",
      });
  });
});

it("what keeps the rules is kept as it was sent, trimmed at its ends, in whole characters", {
  tags: "slow",
}, async () => {
  const { panelist, COMMENT } = await createScene();
  const titles = ["x", "a  b", "😀".repeat(200), "<b>&amp;</b>", "عربي", "e\u0301", "'; DROP TABLE proposals; --"];
  for (const title of titles) {
    const description = `${title}\n\t${"ü".repeat(9_000)}`;
    const created = await panelist.send("POST", PROPOSALS, { title: ` ${title}\n`, description: `\n${description} ` });
    const proposal = await created.json<{ id: string }>();
    expect(proposal).toMatchObject({ title, description });
    expect(await panelist.read(`${PROPOSALS}/${proposal.id}`)).toEqual(proposal);
    const edited = await panelist.send("PATCH", `${PROPOSALS}/${proposal.id}`, { title: `${title} ` });
    expect(await edited.json()).toEqual(proposal);
    const comment = await (await panelist.send("POST", COMMENT, { body: ` ${description}` })).json();
    expect(comment).toMatchObject({ body: description });
    const { items } = await panelist.read<{ items: unknown[] }>(COMMENT);
    expect(items.at(-1)).toEqual(comment);
  }
  const longest = { title: "T", description: "😀".repeat(10_000) };
  expect((await panelist.send("POST", PROPOSALS, longest)).status).toBe(201);
  expect((await panelist.send("POST", COMMENT, { body: "é".repeat(10_000) })).status).toBe(201);
});
