/** What a 401 says of the way in which a credential was sent: by its syntax alone, so a valid one and an invalid one get the same bytes. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { countStores } from "../support/intercept.ts";
import { createIsolate } from "../support/isolate.ts";
import { createSigner } from "../support/signing.ts";
import { addApiKey, addIdeaBank } from "../support/world.ts";

type Shape = readonly [title: string, detail: RegExp, headers: (credential: string) => Record<string, string>];

const whoami = "/tenant/whoami";
const missing = /^This needs .* It is missing or empty\.$/;

const ofKeys: readonly Shape[] = [
  ["in Authorization", /`X-API-Key`, not in `Authorization`/, (key) => ({ Authorization: key })],
  [
    "in Authorization, after Bearer",
    /`X-API-Key`, not in `Authorization`/,
    (key) => ({ Authorization: `Bearer ${key}` }),
  ],
  ["after Bearer", /without `Bearer`/, (key) => ({ "X-API-Key": `Bearer ${key}` })],
  ["in quotes", /without quotes/, (key) => ({ "X-API-Key": `"${key}"` })],
  ["in single quotes", /without quotes/, (key) => ({ "X-API-Key": `'${key}'` })],
  ["twice", /several values/, (key) => ({ "X-API-Key": `${key}, ${key}` })],
  ["cut off", /51 characters/, (key) => ({ "X-API-Key": key.slice(0, -1) })],
  ["cut off after its prefix", /51 characters/, () => ({ "X-API-Key": "ibk_" })],
  ["with a character too many", /51 characters/, (key) => ({ "X-API-Key": `${key}0` })],
];

const ofTokens: readonly Shape[] = [
  ["in X-API-Key", /`Authorization`, not in `X-API-Key`/, (token) => ({ "X-API-Key": token })],
  ["after Bearer twice", /one `Bearer`/, (token) => ({ Authorization: `Bearer Bearer ${token}` })],
  ["in quotes", /without quotes/, (token) => ({ Authorization: `"${token}"` })],
  ["in quotes, after Bearer", /without quotes/, (token) => ({ Authorization: `Bearer "${token}"` })],
  ["twice", /several values/, (token) => ({ Authorization: `${token}, ${token}` })],
  ["cut off", /too short or too long/, (token) => ({ Authorization: token.slice(0, -1) })],
  ["cut off in its middle", /too short or too long/, (token) => ({ Authorization: token.slice(0, 30) })],
];

/** As `fetch` and `curl` send the UTF-8 of an ellipsis. */
const ELLIPSIS = "\u00e2\u0080\u00a6";
const placeholders = (prefix: string) => [
  `${prefix}_${ELLIPSIS}`,
  `${prefix}_EXAMPLEEXAMPLE${ELLIPSIS}`,
  "$KEY",
  "$TOKEN",
  "undefined",
];

const change = (text: string) => text.slice(0, 20) + (text[20] === "x" ? "y" : "x") + text.slice(21);

/** The bytes of a 401, without the id of its request. It asked no store. */
async function refuse(path: string, headers: Record<string, string>) {
  const { env: counted, counts } = countStores(env);
  const response = await createIsolate(counted).request(path, { headers });
  expect(counts).toEqual({ d1: 0, "kv.read": 0, "kv.write": 0, gate: 0 });
  const sent = [...response.headers].filter(([name]) => name !== "x-request-id");
  const text = await response.text();
  const { detail, ...rest } = JSON.parse(text);
  expect(rest).toEqual({ type: "about:blank", title: "Unauthorized", status: 401, error: "unauthorized" });
  return { status: response.status, sent, text, detail };
}

describe("a 401 to an API key", () => {
  it.each(ofKeys)("sent %s tells it, of a valid and of an invalid one", async (_, detail, headers) => {
    const { text } = await addApiKey();
    const valid = await refuse(whoami, headers(text));
    expect(valid.detail).toMatch(detail);
    expect(await refuse(whoami, headers(change(text)))).toEqual(valid);
    expect(await refuse("/tenant/surveys", headers(text))).toEqual(valid);
  });

  it("tells of a token in its place, of any kind, valid or not", async () => {
    const { token, sign } = await surface();
    const valid = await refuse(whoami, { "X-API-Key": token });
    expect(valid.detail).toMatch(/has a token/);
    for (const text of [change(token), await sign("somebody"), "ibv_short"])
      expect(await refuse(whoami, { "X-API-Key": text })).toEqual(valid);
  });

  it.each([...placeholders("ibk"), `ibk_${"EXAMPLE".repeat(7).slice(0, 47)}`])(
    "tells of the placeholder %s",
    async (text) => {
      expect((await refuse(whoami, { "X-API-Key": text })).detail).toMatch(/placeholder/);
    },
  );

  it("tells of a missing header, whatever else was sent", async () => {
    const { token } = await addIdeaBank();
    const none = await refuse(whoami, {});
    expect(none.detail).toMatch(missing);
    expect(await refuse(whoami, { Authorization: token })).toEqual(none);
  });

  it("tells nothing of one that has the right syntax", async () => {
    const { text } = await addApiKey();
    const { detail } = await refuse(whoami, { "X-API-Key": change(text) });
    expect(detail).toBe("This needs a valid API key (`ibk_…`) in the header `X-API-Key`.");
  });

  it("tells it at /mcp, too", async () => {
    const { text } = await addApiKey();
    const ask = (headers: Record<string, string>) => createIsolate().request("/mcp", { method: "POST", headers });
    expect(await (await ask({ "X-API-Key": `"${text}"` })).json()).toMatchObject({
      detail: expect.stringMatching(/quotes/),
    });
    expect(await (await ask({})).json()).toMatchObject({ detail: expect.stringMatching(missing) });
  });
});

const surface = async () => {
  const { sign } = await createSigner();
  return { token: (await addIdeaBank()).token, sign };
};

describe.each(["/ideabank", "/public/ideabank/changelog", "/ideabank/proposals"])("a 401 to a token at %s", (path) => {
  it.each(ofTokens)("sent %s tells it, of a valid and of an invalid one", async (_, detail, headers) => {
    const { token, sign } = await surface();
    const valid = await refuse(path, headers(token));
    expect(valid.detail).toMatch(detail);
    for (const text of [change(token), await sign("somebody")])
      expect(await refuse(path, headers(text))).toEqual(valid);
  });

  it("tells of an API key in its place, valid or not", async () => {
    const { text } = await addApiKey();
    const valid = await refuse(path, { Authorization: text });
    expect(valid.detail).toMatch(/has an API key/);
    expect(await refuse(path, { Authorization: change(text) })).toEqual(valid);
    expect(await refuse(path, { Authorization: `Bearer ${text}` })).toEqual(valid);
  });

  it.each([...placeholders("ibt"), `ibt_${"EXAMPLE".repeat(8).slice(0, 51)}`])(
    "tells of the placeholder %s",
    async (text) => {
      expect((await refuse(path, { Authorization: text })).detail).toMatch(/placeholder/);
      expect((await refuse(path, { Authorization: `Bearer ${text}` })).detail).toMatch(/placeholder/);
    },
  );

  it("tells of a missing header, whatever else was sent", async () => {
    const none = await refuse(path, {});
    expect(none.detail).toMatch(missing);
    expect(await refuse(path, { "X-API-Key": (await addApiKey()).text })).toEqual(none);
  });

  it("tells nothing of one that has the right syntax", async () => {
    const { token, sign } = await surface();
    const forged = await refuse(path, { Authorization: change(token) });
    expect(forged.detail).toMatch(/^This needs a valid token/);
    const signed = await sign("somebody");
    const [head, body, signature] = signed.split(".");
    for (const text of [
      `${head}.${body}.${change(signature ?? "")}`,
      `${head}.${body}.${signature}${signature}`,
      "eyes",
    ])
      expect(await refuse(path, { Authorization: text })).toEqual(forged);
  });
});
