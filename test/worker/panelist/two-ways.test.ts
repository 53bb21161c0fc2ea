/** The changelog from memory is given by one synchronous function before any middleware: what it answers is what the longer way does. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { createApp } from "../../../src/worker/app.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { addIdeaBank, addProposal, newId, tokenFor } from "../../support/world.ts";

const START = 1_900_000_000_000;
const URL = "https://api.example/public/ideabank/changelog";
const ID = "X-Request-Id";
const short: Env = Object.assign({}, env, { REQUESTS: undefined, REQUEST_LOG_SHARE: "0" });
const logged: Env = { ...short, REQUEST_LOG_SHARE: "1" };
const measured: Env = { ...env, REQUEST_LOG_SHARE: "0" };

type Sent = { readonly url?: string; readonly method?: string; readonly headers?: Record<string, string> };

/** An isolate that has read the idea bank of a token, both ways. */
async function setUp() {
  freeze(START);
  const bank = await addIdeaBank();
  await addProposal(bank, { title: "Größer, 大きい" });
  const app = createApp();
  const send = async ({ url = URL, method = "GET", headers = {} }: Sent, bindings: Env) => {
    const context = createExecutionContext();
    const request = new Request(url, { method, headers: { [ID]: "one", Authorization: bank.token, ...headers } });
    const answer = app.fetch(request, bindings, context);
    const isSynchronous = answer instanceof Response;
    const response = await answer;
    const seen = {
      status: response.status,
      headers: [...response.headers].toSorted(),
      bytes: [...new Uint8Array(await response.arrayBuffer())],
    };
    await waitOnExecutionContext(context);
    return { isSynchronous, seen, etag: response.headers.get("ETag") ?? "", id: response.headers.get(ID) };
  };
  const { etag } = await send({}, logged);
  return { bank, send, etag };
}

type Scene = Awaited<ReturnType<typeof setUp>>;

const STATES: [string, boolean, (scene: Scene) => Sent | Promise<Sent>][] = [
  ["a plain request", true, () => ({})],
  ["a Bearer token", true, ({ bank }) => ({ headers: { Authorization: `Bearer ${bank.token}` } })],
  ["a query", true, () => ({ url: `${URL}?cursor=1&limit=2` })],
  ["its ETag", true, ({ etag }) => ({ headers: { "If-None-Match": etag } })],
  ["its ETag, weak, in a list", true, ({ etag }) => ({ headers: { "If-None-Match": `"other", W/${etag}` } })],
  ["any ETag", true, () => ({ headers: { "If-None-Match": "*" } })],
  ["another ETag", true, () => ({ headers: { "If-None-Match": '"other"' } })],
  ["an empty If-None-Match", true, () => ({ headers: { "If-None-Match": "" } })],
  ["an origin", true, () => ({ headers: { Origin: "https://panel.example" } })],
  ["HEAD", false, () => ({ method: "HEAD" })],
  ["POST", false, () => ({ method: "POST" })],
  ["a preflight", false, () => ({ method: "OPTIONS", headers: { "Access-Control-Request-Method": "GET" } })],
  ["a longer path", false, () => ({ url: `${URL}s` })],
  ["a path below", false, () => ({ url: `${URL}/` })],
  ["a forged token", false, ({ bank }) => ({ headers: { Authorization: `${bank.token.slice(0, -1)}!` } })],
  ["no token", false, () => ({ headers: { Authorization: "" } })],
  ["a Consistency-Token", false, () => ({ headers: { "Consistency-Token": "forged" } })],
  [
    "a token that has expired",
    false,
    async ({ bank }) => ({
      headers: { Authorization: await tokenFor(bank.id, bank.panelistId, START / 1000 - 86_400) },
    }),
  ],
  [
    "a token of no idea bank",
    false,
    async ({ bank }) => ({
      headers: { Authorization: await tokenFor(newId(bank.id), bank.panelistId, 1_899_999_000) },
    }),
  ],
  [
    "a closed idea bank",
    false,
    async ({ bank }) => {
      await databaseOf(bank.id).prepare("UPDATE idea_banks SET status = 'CLOSED' WHERE id = ?1").bind(bank.id).run();
      vi.setSystemTime(START + 60_000);
      return {};
    },
  ],
  [
    "a revoked token",
    false,
    async ({ bank }) => {
      await databaseOf(bank.id).prepare("UPDATE panelists SET active = 0 WHERE id = ?1").bind(bank.panelistId).run();
      vi.setSystemTime(START + 60_000);
      return {};
    },
  ],
];

it.each(STATES)("%s is answered the same, byte for byte and header for header", async (_, isShort, prepare) => {
  const scene = await setUp();
  const sent = await prepare(scene);
  // Afterwards memory has what D1 says now.
  await scene.send(sent, logged);
  const [longer, shorter] = [await scene.send(sent, logged), await scene.send(sent, short)];
  expect([longer.isSynchronous, shorter.isSynchronous]).toEqual([false, isShort]);
  expect(shorter.seen).toEqual(longer.seen);
  expect((await scene.send(sent, measured)).isSynchronous).toBe(false);
});

it.each(["", "ibt_secret", "with space", "x".repeat(65)])(
  "a request id %j that is not taken is made anew, both ways",
  async (id) => {
    const { send } = await setUp();
    const ids = [await send({ headers: { [ID]: id } }, logged), await send({ headers: { [ID]: id } }, short)].map(
      (each) => each.id,
    );
    for (const each of ids) expect(each).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(2);
  },
);

it.each([
  ["200", {}],
  ["304", { "If-None-Match": "*" }],
])("an answer keeps its own headers when others are given: %s", async (_, headers) => {
  const { bank } = await setUp();
  const app = createApp();
  const send = (id: string, bindings: Env) => {
    const request = new Request(URL, { headers: { ...headers, [ID]: id, Authorization: bank.token } });
    return app.fetch(request, bindings, createExecutionContext());
  };
  await send("first", logged);
  const answers = [await send("one", short), await send("two", short)];
  answers[1]?.headers.set("ETag", "changed");
  answers.push(await send("three", short));
  expect(answers.map((answer) => answer.headers.get(ID))).toEqual(["one", "two", "three"]);
  expect(answers[2]?.headers.get("ETag")).toBe(answers[0]?.headers.get("ETag"));
});
