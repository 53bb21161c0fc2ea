/**
 * No text of a stranger holds an isolate: each entry, and each page that shows what is stored, gets the worst texts that are known, over
 * HTTP, and takes about as much of the Worker's processor time as for plain words of the same length.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OUR_OBJECTS, type Runtime, startRuntime } from "../bench/runtime.ts";
import {
  ACCOUNT_ID,
  ideaBankIds,
  OWNER_EMAIL,
  seedAccount,
  seedApiKeys,
  seedIdeaBanks,
  tokenFor,
} from "../bench/seed.ts";
import { findSlow, worstTexts } from "../support/hostile-texts.ts";
import { bundleWorker } from "../support/node/bundle-worker.ts";

/** The Worker, which signs the reports of leaks itself, as GitHub would. */
const WORKER = `
  import worker from "../../src/worker/index.ts";
  export { ApiKeyGate } from "../../src/worker/index.ts";
  export default worker;`;

const OPERATOR_SECRET = "the-operators-secret-of-this-test-alone";
/** Less than this says nothing, in milliseconds of processor time: other threads of the runtime take some, too. */
const FLOOR = 20;
const BODY = 64_000;
const QUERY = 6_000;
const HEADER = 8_000;
const DESCRIPTION = 10_000;

let runtime: Runtime;
let url: string;
let token: string;
let apiKey: string;
let cookie: string;
let visitorToken: string;
const [bank = ""] = ideaBankIds(1);

const ask = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(url + path, { redirect: "manual", ...init });
  await response.arrayBuffer();
  return response;
};
const json = (value: object, headers: Record<string, string>): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify(value),
});
const form = (fields: Record<string, string>, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { Origin: url, "Content-Type": "application/x-www-form-urlencoded", ...headers },
  body: new URLSearchParams(fields).toString(),
});
const owner = () => ({ Cookie: cookie });
const tenant = () => ({ "X-API-Key": apiKey });
const panelist = () => ({ Authorization: token });
const ofHeader = (text: string) => text.replaceAll(/[^ -~]/g, "?").trim();
const query = (name: string, text: string) => `?${new URLSearchParams({ [name]: text.slice(0, QUERY / 3) })}`;
const tool = (text: string) => ({
  ...{ jsonrpc: "2.0", id: text.slice(0, 100), method: "tools/call" },
  params: { name: "createProposal", arguments: { ideaBankId: bank, title: text, description: text, [text]: text } },
});

beforeAll(async () => {
  const script = await bundleWorker(WORKER, "test/worker");
  const variables = { OPERATOR_SECRET, FRESHNESS_SECONDS: "0", REQUEST_LOG_SHARE: "0" };
  runtime = await startRuntime([{ name: "hostile", script, variables, objects: OUR_OBJECTS }]);
  url = runtime.url("hostile");
  const database = await runtime.database("hostile");
  await seedAccount(database);
  await seedIdeaBanks(database, [bank]);
  [apiKey = ""] = await seedApiKeys(database, 1, { limit: 10_000, windowSeconds: 1 });
  token = await tokenFor(bank);
  const issued = await fetch(`${url}/tenant/ideabanks/${bank}/tokens`, json({ visitor: true }, tenant()));
  visitorToken = ((await issued.json()) as { token: string }).token;
  const offered = await fetch(
    `${url}/operator/sign-ins`,
    json({ email: OWNER_EMAIL }, { Authorization: `Bearer ${OPERATOR_SECRET}` }),
  );
  const link = ((await offered.json()) as { url: string }).url;
  const signedIn = await fetch(link, { redirect: "manual" });
  cookie = signedIn.headers.get("Set-Cookie")?.split(";")[0] ?? "";
});
afterAll(() => runtime.stop());

/** `prepare` does not count. */
async function expectNoneSlow(
  texts: ReadonlyMap<string, string>,
  {
    prepare = async () => {},
    read,
  }: { readonly prepare?: (text: string) => Promise<void>; readonly read: (text: string) => Promise<Response> },
): Promise<void> {
  const millisecondsOf = async (text: string) => {
    await prepare(text);
    const before = runtime.processorSeconds();
    expect((await read(text)).status).toBeLessThan(500);
    return (runtime.processorSeconds() - before) * 1_000;
  };
  const { slow, slowest } = await findSlow(texts, { millisecondsOf, floor: FLOOR });
  console.log(`the slowest: ${slowest.ratio.toFixed(1)} times, ${JSON.stringify(slowest.text)}`);
  expect(slow).toEqual([]);
}

/** The entries: who may send it, the longest text, and how it is sent. */
const ENTRIES: readonly (readonly [name: string, length: number, send: (text: string) => Promise<Response>])[] = [
  ["a leak, pasted", BODY / 3, (text) => ask("/leaks/reports", form({ key: text }))],
  ["the place of a leak", BODY / 3, (text) => ask("/leaks/reports", form({ key: "a", foundAt: text }))],
  [
    "a leak without a signature",
    BODY,
    (text) =>
      ask("/leaks/github", json([{ token: text, type: "a", url: text }], { "Github-Public-Key-Identifier": "a" })),
  ],
  [
    "a request id, a trace and a user agent",
    HEADER,
    (text) =>
      ask("/tenant/whoami", {
        headers: {
          ...tenant(),
          "X-Request-Id": ofHeader(text),
          traceparent: ofHeader(text),
          "User-Agent": ofHeader(text),
        },
      }),
  ],
  ["an API key", HEADER, (text) => ask("/tenant/whoami", { headers: { "X-API-Key": ofHeader(text) } })],
  ["a token", HEADER, (text) => ask("/public/ideabank/changelog", { headers: { Authorization: ofHeader(text) } })],
  [
    "an ETag",
    HEADER,
    (text) => ask("/public/ideabank/changelog", { headers: { ...panelist(), "If-None-Match": ofHeader(text) } }),
  ],
  [
    "an If-Match",
    HEADER,
    (text) =>
      ask(`/tenant/ideabanks/${bank}`, { ...json({}, { ...tenant(), "If-Match": ofHeader(text) }), method: "PATCH" }),
  ],
  [
    "an Idempotency-Key",
    HEADER,
    (text) => ask("/tenant/panelists", json({}, { ...tenant(), "Idempotency-Key": ofHeader(text) })),
  ],
  [
    "an address of a client",
    HEADER,
    (text) => ask("/tenant/whoami", { headers: { ...tenant(), "CF-Connecting-IP": ofHeader(text) } }),
  ],
  ["a search", QUERY, (text) => ask(`/ideabank/proposals${query("q", text)}`, { headers: panelist() })],
  [
    "a title that may be there already",
    QUERY,
    (text) => ask(`/ideabank/proposals/similar${query("title", text)}`, { headers: panelist() }),
  ],
  ["a feed's token", QUERY, (text) => ask(`/public/ideabank/changelog.atom${query("token", text)}`)],
  [
    "a parameter that nobody knows",
    QUERY,
    (text) =>
      ask(`/tenant/ideabanks?${new URLSearchParams({ [text.slice(0, QUERY / 3)]: "a" })}`, { headers: tenant() }),
  ],
  ["a cursor", QUERY, (text) => ask(`/tenant/ideabanks${query("cursor", text)}`, { headers: tenant() })],
  ["a path", QUERY, (text) => ask(`/${encodeURIComponent(text.slice(0, QUERY / 3).toWellFormed())}`)],
  [
    "an idea of a panelist",
    BODY / 6,
    (text) => ask("/ideabank/proposals", json({ title: text, description: text }, panelist())),
  ],
  [
    "an idea of a tenant",
    BODY / 6,
    (text) =>
      ask(
        `/tenant/ideabanks/${bank}/proposals`,
        json({ title: text, description: text, tags: text.split(","), metadata: { [text]: text } }, tenant()),
      ),
  ],
  ["JSON that is none", BODY, (text) => ask("/tenant/panelists", { ...json({}, tenant()), body: `{"a":${text}` })],
  [
    "JSON that nests",
    BODY,
    (text) => ask("/tenant/panelists", { ...json({}, tenant()), body: `[${text.slice(0, 9)}`.padEnd(BODY, "[") }),
  ],
  [
    "a call of a tool",
    BODY / 8,
    (text) => ask("/mcp", json(tool(text), { ...tenant(), Accept: "application/json, text/event-stream" })),
  ],
  ["a sign-in link", QUERY, (text) => ask(`/account/sign-in${query("link", text)}`)],
  ["a sign-in form", 300, (text) => ask("/account/sign-in", form({ link: text }))],
  [
    "a form of Account Settings that is refused",
    BODY / 3,
    (text) =>
      ask(
        "/account/idea-banks",
        form({ name: text, description: text, [text.slice(0, 1_000)]: text.slice(0, 1_000) }, owner()),
      ),
  ],
  [
    "a form of somebody who is signed out",
    BODY / 3,
    (text) => ask("/account/idea-banks", form({ name: text }, { Cookie: "__Host-owner=a" })),
  ],
  [
    "the page that a form came from",
    HEADER,
    (text) => ask("/account/idea-banks", form({ name: "" }, { ...owner(), Referer: ofHeader(text) })),
  ],
  ["a webhook's URL", BODY / 3, (text) => ask("/account/webhooks", form({ do: "create", url: text }, owner()))],
  ["a search at the desk", QUERY, (text) => ask(`/account/ideas${query("q", text)}`, { headers: owner() })],
  ["a pasted token", BODY / 3, (text) => ask("/account/tokens", form({ token: text }, owner()))],
];

describe("an entry", () => {
  it.each(ENTRIES)("%s", async (_, length, send) => {
    await expectNoneSlow(worstTexts(length), { read: send });
  });
});

/** As many as a page has. */
const COMMENTS = 100;
const ENTRIES_OF_CHANGELOG = 20;
const idsOf = (count: number) => Array.from({ length: count }, (_, at) => `0Hostile${String(at).padStart(4, "0")}`);
const [idea = ""] = idsOf(1);

/** Every text of a person that is shown again. */
async function store(text: string): Promise<void> {
  const database = await runtime.database("hostile");
  await database.batch([
    database.prepare("UPDATE proposals SET description = ?1, response = ?1").bind(text),
    database.prepare("UPDATE comments SET body = ?1").bind(text),
  ]);
}

const PAGES: readonly (readonly [name: string, open: () => Promise<Response>])[] = [
  [
    "an idea with its comments at the desk",
    () => ask(`/account/idea-banks/${bank}/ideas/${idea}`, { headers: owner() }),
  ],
  ["the queue", () => ask("/account/ideas", { headers: owner() })],
  ["what is published", () => ask(`/account/idea-banks/${bank}/ideas/${idea}/publish`, { headers: owner() })],
  ["the changelog", () => ask("/public/ideabank/changelog", { headers: panelist() })],
  ["a feed", () => ask(`/public/ideabank/changelog.atom?token=${visitorToken}`)],
  ["another feed", () => ask(`/public/ideabank/changelog.json?token=${visitorToken}`)],
  ["a list of ideas", () => ask("/ideabank/proposals?limit=20", { headers: panelist() })],
  ["a list of comments", () => ask(`/ideabank/proposals/${idea}/comments?limit=100`, { headers: panelist() })],
  ["the tenant's list of ideas", () => ask(`/tenant/ideabanks/${bank}/proposals?limit=20`, { headers: tenant() })],
];

describe("a page of what is stored", () => {
  beforeAll(async () => {
    const database = await runtime.database("hostile");
    const of = `'${ACCOUNT_ID}', '${bank}'`;
    await database.batch([
      database
        .prepare(
          `INSERT INTO proposals (id, account_id, idea_bank_id, title, description, status, responded_at, created_at, last_activity_at)
           SELECT value, ${of}, 'An idea', 'a', 'implemented', 1, 1, 1 FROM json_each(?1)`,
        )
        .bind(JSON.stringify(idsOf(ENTRIES_OF_CHANGELOG))),
      database
        .prepare(
          `INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, body, created_at, by_tenant)
           SELECT value, ${of}, ?2, 'a', 1, 1 FROM json_each(?1)`,
        )
        .bind(JSON.stringify(idsOf(COMMENTS)), idea),
    ]);
  });

  it.each(PAGES)("%s", async (_, open) => {
    let stored = "";
    await expectNoneSlow(worstTexts(DESCRIPTION), {
      prepare: async (text) => {
        if (text !== stored) await store(text.toWellFormed());
        stored = text;
      },
      read: open,
    });
  });
});
