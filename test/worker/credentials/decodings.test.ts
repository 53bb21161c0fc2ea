/** Credentials in what a text decodes to, within a bound. */
import { describe, expect, it } from "vitest";
import { createApiKey, findApiKeys } from "../../../src/worker/credentials/api-key.ts";
import { secureRandomBytes } from "../../../src/worker/credentials/base62.ts";
import { decodingsOf } from "../../../src/worker/credentials/decodings.ts";
import { newId, signingKeys } from "../../support/world.ts";

const { text: key } = await createApiKey(signingKeys, secureRandomBytes, newId());
const half = (place: string) => `${key.slice(0, 20)}${place}${key.slice(20)}`;
const wrap = (text: string) => text.replace(/.{40}/g, "$&\n");
const twoBytes = (text: string) => [...text].map((letter) => `${letter}\0`).join("");

describe("a key is found", () => {
  it.each([
    ["as it is", key],
    ["in base64", btoa(key)],
    [
      "in base64 without padding, for URLs",
      btoa(`${key}??>>`).replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_"),
    ],
    [
      "as a secret of Kubernetes",
      `apiVersion: v1\nkind: Secret\ndata:\n  API_KEY: ${btoa(key)}\n  OTHER: ${btoa("x")}\n`,
    ],
    ["as a secret of Kubernetes with a line break at its end", `  API_KEY: ${btoa(`${key}\n`)}`],
    ["as Basic auth", `Authorization: Basic ${btoa(`api:${key}`)}`],
    ["as Basic auth of a name alone", `Authorization: Basic ${btoa(`${key}:`)}`],
    ["in base64 twice", btoa(JSON.stringify({ auths: { x: { auth: btoa(`api:${key}`) } } }))],
    ["in base64 of two bytes a letter", btoa(twoBytes(`$env:KEY = "${key}"`))],
    ["in base64 that is wrapped", wrap(btoa(`a longer file\nAPI_KEY=${key}\nand more`))],
    ["in base64 after letters", `\\n${btoa(key)}`],
    ["with a line break in it", half("\n")],
    ["with a line break and an indent in it", half("\r\n    ")],
    ["with a line break of a shell", half("\\\n")],
    ["with a line break of an e-mail", half("=\r\n")],
    ["with a line break of JSON", half("\\n")],
    ["in a URL", `https://x.example/?key=${key.replace("_", "%5F")}`],
    ["in a URL in a URL", `https://x.example/?to=${encodeURIComponent(`/?key=${key.replace("_", "%5f")}`)}`],
    ["in an e-mail", key.replace("_", "=5F")],
    ["in JSON", `{"key":"${key.replace("_", "\\u005f")}"}`],
    ["in JavaScript", key.replace("_", "\\x5F")],
    ["in HTML", key.replace("_", "&#95;")],
    ["in HTML, by its hexadecimal digits", key.replace("_", "&#x5F;")],
    ["in base64 in a URL", `https://x.example/?auth=${encodeURIComponent(btoa(`api:${key}`))}`],
  ])("%s", async (_, text) => {
    const [texts = []] = decodingsOf([text]);
    expect(await findApiKeys(texts, signingKeys)).toEqual([key]);
  });
});

it("what it looks at is bounded by the text's length, whatever the text is", () => {
  const nested = (text: string, times: number): string => (times === 0 ? text : nested(btoa(text), times - 1));
  const hostile = [
    "%25".repeat(21_845),
    "A".repeat(65_536),
    btoa("\n%5F".repeat(12_000)),
    nested(`${key}\n`.repeat(300), 4),
    `${btoa("x".repeat(30))} `.repeat(1_500),
    "\\n".repeat(32_768),
    "=\n ".repeat(21_845),
  ];
  for (const text of hostile) {
    const [decoded = []] = decodingsOf([text]);
    const length = decoded.reduce((sum, each) => sum + each.length, 0);
    expect([text.slice(0, 20), length <= 17 * text.length]).toEqual([text.slice(0, 20), true]);
  }
});

it("the texts of a report share what is decoded, and a short one has its share beside long ones", async () => {
  const nested = btoa(btoa("a text of somebody else, ".repeat(1_300)));
  const texts = [...Array.from({ length: 16 }, () => nested), btoa(`api:${key}`)];
  const decoded = decodingsOf(texts);
  const length = decoded.flatMap(([, ...decodings]) => decodings).reduce((sum, each) => sum + each.length, 0);
  expect(length).toBeLessThanOrEqual(1024 * 1024);
  expect(decoded.map(([text]) => text)).toEqual(texts);
  expect(await findApiKeys(decoded.at(-1) ?? [], signingKeys)).toEqual([key]);
});
