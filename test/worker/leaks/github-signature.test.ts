/** The signature of GitHub's reports, and the keys that it publishes. */
import { describe, expect, it, vi } from "vitest";
import { isSignedBy, PublishedKeys } from "../../../src/worker/leaks/github-signature.ts";
import { freeze } from "../../support/clock.ts";
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

describe("the published keys", () => {
  const URL = "https://keys.example/";
  const START = 1_900_000_000_000;
  const answer = (keys: Record<string, string>, etag: string) =>
    Response.json(
      { public_keys: Object.entries(keys).map(([key_identifier, key]) => ({ key_identifier, key, is_current: true })) },
      { headers: { ETag: etag } },
    );

  it("are asked for once an hour, with the ETag of before", async () => {
    freeze(START);
    const asked = vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(answer({ one: "first" }, '"a"'));
    const keys = new PublishedKeys();
    expect(await keys.find(URL, "one")).toBe("first");
    freeze(START + 3_599_000);
    expect(await keys.find(URL, "one")).toBe("first");
    expect(asked).toHaveBeenCalledTimes(1);
    freeze(START + 3_600_000);
    asked.mockResolvedValueOnce(new Response(null, { status: 304 }));
    expect(await keys.find(URL, "one")).toBe("first");
    expect(new Headers(asked.mock.calls[1]?.[1]?.headers).get("If-None-Match")).toBe('"a"');
    freeze(START + 7_300_000);
    asked.mockResolvedValueOnce(answer({ two: "second" }, '"b"'));
    expect(await keys.find(URL, "one")).toBeUndefined();
    expect(await keys.find(URL, "two")).toBe("second");
    expect(asked).toHaveBeenCalledTimes(3);
  });

  it("are asked for again for an unknown identifier, once in ten minutes at most", async () => {
    freeze(START);
    const asked = vi
      .spyOn(globalThis, "fetch")
      .mockImplementation(async () => answer({ one: "first", ...(Date.now() > START && { two: "second" }) }, '"a"'));
    const keys = new PublishedKeys();
    for (let each = 0; each < 50; each += 1) expect(await keys.find(URL, `nobody's ${each}`)).toBeUndefined();
    expect(await keys.find(URL, "two")).toBeUndefined();
    expect(asked).toHaveBeenCalledTimes(1);
    freeze(START + 599_000);
    expect(await keys.find(URL, "two")).toBeUndefined();
    expect(asked).toHaveBeenCalledTimes(1);
    freeze(START + 600_000);
    expect(await keys.find(URL, "two")).toBe("second");
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it("cannot be had: that is said, and asked again a minute later", async () => {
    freeze(START);
    const asked = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response("no", { status: 500 }));
    const keys = new PublishedKeys();
    for (let each = 0; each < 20; each += 1) await expect(keys.find(URL, "one")).rejects.toThrow("500");
    freeze(START + 59_000);
    await expect(keys.find(URL, "one")).rejects.toThrow("500");
    expect(asked).toHaveBeenCalledTimes(1);
    freeze(START + 60_000);
    asked.mockResolvedValueOnce(answer({ one: "first" }, '"a"'));
    expect(await keys.find(URL, "one")).toBe("first");
  });

  it("cannot be had when a new one is asked for: that is said, and not that there is none", async () => {
    freeze(START);
    const asked = vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(answer({ one: "first" }, '"a"'));
    const keys = new PublishedKeys();
    expect(await keys.find(URL, "one")).toBe("first");
    asked.mockResolvedValue(new Response("no", { status: 500 }));
    freeze(START + 601_000);
    await expect(keys.find(URL, "two")).rejects.toThrow("500");
    expect(await keys.find(URL, "one")).toBe("first");
  });

  it("that are known serve for a day while GitHub refuses to answer, which strangers can bring about", async () => {
    freeze(START);
    const asked = vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(answer({ one: "first" }, '"a"'));
    const keys = new PublishedKeys();
    expect(await keys.find(URL, "one")).toBe("first");
    asked.mockImplementation(async () => new Response("rate limit exceeded", { status: 403 }));
    for (let minute = 0; minute < 120; minute += 1) {
      freeze(START + minute * 60_000);
      await keys.find(URL, `nobody's ${minute}`).catch(() => undefined);
      expect(await keys.find(URL, "one")).toBe("first");
    }
    freeze(START + 86_500_000);
    await expect(keys.find(URL, "one")).rejects.toThrow("403");
  });

  it("are asked for a few times an hour, however many unknown identifiers come", async () => {
    freeze(START);
    const asked = vi.spyOn(globalThis, "fetch").mockImplementation(async () => answer({ one: "first" }, '"a"'));
    const keys = new PublishedKeys();
    for (let second = 0; second < 3_600; second += 5) {
      freeze(START + second * 1_000);
      await keys.find(URL, `nobody's ${second}`);
    }
    expect(asked.mock.calls.length).toBeLessThanOrEqual(6);
  });

  it("do not come: given up after five seconds", async () => {
    const clock = new AbortController();
    const deadline = vi.spyOn(AbortSignal, "timeout").mockReturnValue(clock.signal);
    vi.spyOn(globalThis, "fetch").mockImplementation(
      (_, init) => new Promise((_, fail) => init?.signal?.addEventListener("abort", () => fail(init.signal?.reason))),
    );
    const found = new PublishedKeys().find(URL, "one");
    await expect.poll(() => deadline.mock.calls).toEqual([[5_000]]);
    clock.abort(new Error("too late"));
    await expect(found).rejects.toThrow("too late");
  });
});
