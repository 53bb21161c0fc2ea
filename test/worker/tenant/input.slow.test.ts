/** Bad input to the tenant API: every broken field is named, and nothing is written. */
import { describe, expect, it } from "vitest";
import { addOneOfEverything, createTenant, dumpDatabases } from "../../support/tenant.ts";

const rejected = async (method: string, path: string, body: unknown, headers?: Record<string, string>) => {
  const ids = await addOneOfEverything();
  const tenant = await createTenant({ accountId: ids.accountId });
  const before = await dumpDatabases();
  const named = path.replace("{bank}", ids.ideaBankId).replace("{proposal}", ids.proposalId);
  const response = await tenant.send(method, named, body, headers);
  expect(await dumpDatabases()).toEqual(before);
  expect(response.headers.get("Content-Type")).toBe("application/problem+json");
  const document = await response.json<{
    error: string;
    detail: string;
    errors?: { path: string; message: string }[];
  }>();
  const { error, detail, errors = [] } = document;
  return { status: response.status, error, detail, errors };
};

describe("a body that breaks rules", () => {
  const bodies: [string, string, unknown, string[]][] = [
    ["a missing field", "/tenant/surveys", {}, ["title"]],
    [
      "every broken field at once",
      "/tenant/surveys",
      { title: 1, status: "open", x: 1, y: 2 },
      ["title", "status", "x", "y"],
    ],
    ["the name __proto__", "/tenant/surveys", '{"title":"T","__proto__" : {}}', ["__proto__"]],
    [
      "metadata of the name __proto__",
      "/tenant/ideabanks/{bank}/proposals",
      '{"title":"T","description":"","metadata":{"__proto__":"x"}}',
      ["__proto__"],
    ],
    [
      "metadata of the name __proto__, in escapes",
      "/tenant/ideabanks/{bank}/proposals",
      '{"title":"T","description":"","metadata":{"\\u005F_\\u0070rot\\u006f__":"x"}}',
      ["__proto__"],
    ],
    ["an array", "/tenant/surveys", [], [""]],
    ["null", "/tenant/surveys", "null", [""]],
    ["a number", "/tenant/surveys", "1", [""]],
    ["an empty title", "/tenant/surveys", { title: "" }, ["title"]],
    ["a title of spaces", "/tenant/surveys", { title: " \t " }, ["title"]],
    ["a title of 201 characters", "/tenant/surveys", { title: "é".repeat(201) }, ["title"]],
    ["a line break in a title", "/tenant/surveys", { title: "a\nb" }, ["title"]],
    [
      "nothing but a zero-width joiner and a soft hyphen for a title",
      "/tenant/surveys",
      { title: "\u200d\u00ad" },
      ["title"],
    ],
    ["a right-to-left override in an externalId", "/tenant/panelists", { externalId: "a\u202eb" }, ["externalId"]],
    ["a NUL in a description", "/tenant/surveys", { title: "T", description: "a\0b" }, ["description"]],
    ["half a surrogate pair", "/tenant/surveys", '{"title":"\\ud800"}', ["title"]],
    [
      "a description of 10,001 characters",
      "/tenant/surveys",
      { title: "T", description: "x".repeat(10_001) },
      ["description"],
    ],
    ["a name of 101 characters", "/tenant/ideabanks", { name: "x".repeat(101) }, ["name"]],
    [
      "a day that does not exist",
      "/tenant/ideabanks/{bank}/proposals",
      { title: "T", createdAt: "2025-02-30T00:00:00Z" },
      ["createdAt"],
    ],
    [
      "an hour that does not exist",
      "/tenant/ideabanks/{bank}/proposals",
      { title: "T", createdAt: "2025-02-28T24:00:00Z" },
      ["createdAt"],
    ],
    ["a maximum of 0", "/tenant/ideabanks", { name: "N", changelogMaxEntries: 0 }, ["changelogMaxEntries"]],
    ["a maximum of 101", "/tenant/ideabanks", { name: "N", changelogMaxEntries: 101 }, ["changelogMaxEntries"]],
    ["half an entry", "/tenant/ideabanks", { name: "N", changelogMaxEntries: 1.5 }, ["changelogMaxEntries"]],
    [
      "a number beyond doubles",
      "/tenant/ideabanks",
      '{"name":"N","changelogMaxEntries":1e999}',
      ["changelogMaxEntries"],
    ],
    ["a word for a flag", "/tenant/ideabanks", { name: "N", internal: "yes" }, ["internal"]],
    ["null for a flag", "/tenant/ideabanks", { name: "N", internal: null }, ["internal"]],
    ["fields of the server", "/tenant/ideabanks", { name: "N", id: "x", accountId: "y" }, ["id", "accountId"]],
    ["__proto__", "/tenant/ideabanks", '{"name":"N","__proto__":{"internal":true}}', ["__proto__"]],
    ["deep nesting", "/tenant/ideabanks", `{"name":${"[".repeat(30_000)}${"]".repeat(30_000)}}`, ["name"]],
    ["an unknown status", "/tenant/ideabanks/{bank}/proposals", { title: "T", status: "done" }, ["status"]],
    ["an empty externalId", "/tenant/panelists", { externalId: "" }, ["externalId"]],
    ["a token without a panelist", "/tenant/ideabanks/{bank}/tokens", {}, [""]],
    ["a token by two ids", "/tenant/ideabanks/{bank}/tokens", { panelistId: "000000000000", externalId: "x" }, [""]],
    ["a token for an invalid id", "/tenant/ideabanks/{bank}/tokens", { panelistId: "x" }, ["panelistId"]],
    ["a number for an id", "/tenant/ideabanks/{bank}/tokens", { panelistId: 1 }, ["panelistId"]],
    ["null for an id", "/tenant/ideabanks/{bank}/proposals", { title: "T", panelistId: null }, ["panelistId"]],
    ["a missing id", "/tenant/ideabanks/{bank}/proposals/{proposal}/merge", {}, ["into"]],
    [
      "a lifetime of 59 s",
      "/tenant/ideabanks/{bank}/tokens",
      { externalId: "x", lifetimeSeconds: 59 },
      ["lifetimeSeconds"],
    ],
    [
      "a lifetime of 91 days",
      "/tenant/ideabanks/{bank}/tokens",
      { externalId: "x", lifetimeSeconds: 7_776_001 },
      ["lifetimeSeconds"],
    ],
  ];

  it.each(bodies)("%s: POST %s", async (_, path, body, paths) => {
    const { status, error, errors } = await rejected("POST", path, body);
    expect([status, error]).toEqual([400, "invalid-request"]);
    expect(errors.map((entry) => entry.path).toSorted()).toEqual(paths.toSorted());
    for (const { message } of errors) expect(message).toMatch(/^(must|is) /);
  });

  it.each([
    ["", "it is empty"],
    ["{", "Expected property name or '}' in JSON at position 1 (line 1 column 2)"],
    ['{\n  "title": "T",\n}', "Expected double-quoted property name in JSON at position 18 (line 3 column 1)"],
  ])("is refused when it is not JSON, and told where: %j", async (body, where) => {
    const { status, errors, detail } = await rejected("POST", "/tenant/surveys", body);
    expect([status, errors]).toEqual([400, [{ path: "", message: `must be valid JSON: ${where}` }]]);
    expect(detail).toBe(`The request body must be valid JSON: ${where}.`);
  });
});

describe("text", () => {
  it("is stored as sent, except that both ends are trimmed", async () => {
    const tenant = await createTenant();
    for (const title of [
      "a  b",
      "😀".repeat(200),
      "<b>&amp;</b>",
      "عربي",
      "e\u0301",
      "👨\u200d👩\u200d👧",
      "'; DROP TABLE surveys; --",
      '"__proto__": {}',
    ]) {
      const created = await tenant.send("POST", "/tenant/surveys", { title: ` ${title}\n`, description: "a\n\tb\r\n" });
      expect(await created.json()).toMatchObject({ title, description: "a\n\tb" });
    }
  });

  it("for people loses what no screen shows, and is not refused for it", async () => {
    const tenant = await createTenant();
    const created = await tenant.send("POST", "/tenant/ideabanks", { name: "Ideas\u200b for\u00ad you\u200e" });
    const { id, name } = await created.json<{ id: string; name: string }>();
    expect(name).toBe("Ideas for you");
    const named = { "/tenant/surveys": "title", [`/tenant/ideabanks/${id}/proposals`]: "title" };
    for (const [path, field] of Object.entries(named)) {
      const created = await tenant.send("POST", path, { [field]: "\u200eDark\u00ad mode\u200b" });
      expect(await created.json()).toMatchObject({ [field]: "Dark mode" });
    }
    const person = await tenant.send("POST", "/tenant/panelists", {
      externalId: "p1",
      displayName: "\u200fRobin\u00ad",
    });
    expect(await person.json()).toMatchObject({ displayName: "Robin" });
  });
});

describe("the body's format", () => {
  it.each([
    "text/plain",
    "application/xml",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "json",
    "",
  ])("of type %j is 415", async (type) => {
    expect(await rejected("POST", "/tenant/surveys", { title: "T" }, { "Content-Type": type })).toMatchObject({
      status: 415,
      error: "unsupported-media-type",
    });
  });

  it.each(["gzip", "br", "deflate", "GZIP"])("in the encoding %s is 415, which says so", async (encoding) => {
    const tenant = await createTenant();
    const headers = { "Content-Encoding": encoding };
    const response = await tenant.send("POST", "/tenant/surveys", { title: "T" }, headers);
    expect(response.headers.get("Accept-Encoding")).toBe("identity");
    expect(await response.json()).toMatchObject({
      error: "unsupported-media-type",
      detail: "The request body must not be compressed: send it without `Content-Encoding`.",
    });
  });

  it("may say that it has no encoding", async () => {
    const tenant = await createTenant();
    const headers = { "Content-Encoding": "identity" };
    expect((await tenant.send("POST", "/tenant/surveys", { title: "T" }, headers)).status).toBe(201);
  });

  it("may name its charset", async () => {
    const tenant = await createTenant();
    const headers = { "Content-Type": "Application/JSON; charset=utf-8" };
    expect((await tenant.send("POST", "/tenant/surveys", { title: "T" }, headers)).status).toBe(201);
  });

  it("may begin with a byte order mark", async () => {
    const tenant = await createTenant();
    expect((await tenant.send("POST", "/tenant/surveys", '\uFEFF{"title":"T"}')).status).toBe(201);
  });

  it("may have at most 64 KiB", async () => {
    const json = (size: number) => `{"title":"T"${" ".repeat(size - 13)}}`;
    const tenant = await createTenant();
    expect((await tenant.send("POST", "/tenant/surveys", json(65_536))).status).toBe(201);
    expect(await rejected("POST", "/tenant/surveys", json(65_537))).toMatchObject({
      status: 413,
      error: "payload-too-large",
    });
  });

  it("in another encoding than UTF-8 is 400", async () => {
    const { isolate, text } = await createTenant();
    const response = await isolate.request("/tenant/surveys", {
      method: "POST",
      headers: { "X-API-Key": text, "Content-Type": "application/json" },
      body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]),
    });
    expect(response.status).toBe(400);
  });
});

describe("a query that breaks rules", () => {
  it.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=-1", "limit"],
    ["limit=1.5", "limit"],
    ["limit=ten", "limit"],
    ["limit=", "limit"],
    ["limit=1&limit=2", "limit"],
    ["cursor=", "cursor"],
    ["cursor=abc", "cursor"],
    ["offset=10", "offset"],
    ["status=OPENED", "status"],
  ])("is named: ?%s", async (query, path) => {
    const { status, errors } = await rejected("GET", `/tenant/surveys?${query}`, undefined);
    expect([status, errors.map((entry) => entry.path)]).toEqual([400, [path]]);
  });
});
