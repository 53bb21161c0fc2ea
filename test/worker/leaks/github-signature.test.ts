/** The signature of GitHub's reports. */
import { describe, expect, it } from "vitest";
import { isSignedBy } from "../../../src/worker/leaks/github-signature.ts";
import { createGitHub, toDer } from "../../support/github.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const encode = (der: Uint8Array) => btoa(String.fromCharCode(...der));
const decode = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

describe("a signature", () => {
  it("is checked as in GitHub's own example, whose second number is a byte shorter", async () => {
    // https://docs.github.com/en/code-security/secret-scanning/secret-scanning-partner-program
    const key =
      "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYAGMWO8XgCamYKMJS6jc/qgvSlAd\nAjPuDPRcXU22YxgBrz+zoN19MzuRyW87qEt9/AmtoNP5GrobzUvQSyJFVw==\n-----END PUBLIC KEY-----\n";
    const signature =
      "MEQCIQDaMKqrGnE27S0kgMrEK0eYBmyG0LeZismAEz/BgZyt7AIfXt9fErtRS4XaeSt/AO1RtBY66YcAdjxji410VQV4xg==";
    const body =
      '[{"source":"commit","token":"some_token","type":"some_type","url":"https://example.com/base-repo-url/"}]';
    expect(await isSignedBy(key, signature, bytes(body))).toBe(true);
    expect(await isSignedBy(key, signature, bytes(`${body} `))).toBe(false);
  });

  it("holds for numbers of every length", async () => {
    const github = await createGitHub();
    for (let each = 0; each < 300; each += 1) {
      const body = `body ${each}`;
      expect(await isSignedBy(github.key, await github.sign(body), bytes(body))).toBe(true);
    }
  });

  it("is refused when it is not one: cut, longer, with other tags, by another key, over another curve", async () => {
    const [github, other, larger] = await Promise.all([createGitHub(), createGitHub(), createGitHub("P-384")]);
    const good = decode(await github.sign("body"));
    const broken = [
      good.subarray(0, -1),
      Uint8Array.from([...good, 0]),
      Uint8Array.from([0x31, ...good.subarray(1)]),
      good.map((byte, index) => (index === 2 ? 3 : byte)),
      good.map((byte, index) => (index === 3 ? byte + 1 : byte)),
      Uint8Array.from([0x30, 2 * 67, 2, 65, ...new Uint8Array(65).fill(1), 2, 65, ...new Uint8Array(65).fill(1)]),
      toDer(new Uint8Array(64).fill(1)),
      good.map((byte, index) => (index === 1 ? byte + 1 : byte)),
      new Uint8Array(),
    ];
    for (const der of broken) expect(await isSignedBy(github.key, encode(der), bytes("body"))).toBe(false);
    expect(await isSignedBy(github.key, "no base64!", bytes("body"))).toBe(false);
    expect(await isSignedBy(other.key, encode(good), bytes("body"))).toBe(false);
    expect(await isSignedBy(larger.key, await larger.sign("body"), bytes("body"))).toBe(false);
    expect(await isSignedBy("no key", encode(good), bytes("body"))).toBe(false);
  });
});
