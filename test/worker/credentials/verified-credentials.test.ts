/** An isolate computes the tag of a credential once; its cache never accepts what the check itself would refuse. */
import { describe, expect, it, vi } from "vitest";
import { type ApiKeyCredential, createApiKey, verifyApiKey } from "../../../src/worker/credentials/api-key.ts";
import { secureRandomBytes } from "../../../src/worker/credentials/base62.ts";
import { importSigningKeys } from "../../../src/worker/credentials/envelope.ts";
import { ok } from "../../../src/worker/credentials/result.ts";
import { VerifiedCredentials } from "../../../src/worker/credentials/verified-credentials.ts";
import { freeze } from "../../support/clock.ts";
import { createIsolate } from "../../support/isolate.ts";
import { addIdeaBank, newId } from "../../support/world.ts";

const keys = await importSigningKeys(["a-secret-that-only-this-file-signs-with"]);
const otherKeys = await importSigningKeys(["another-secret-that-only-this-file-has"]);

function counting() {
  const verify = vi.fn(verifyApiKey);
  return { verify, credentials: new VerifiedCredentials<ApiKeyCredential, string>(verify) };
}

describe("verified credentials", () => {
  it("verify a credential once, and return the same result every time", async () => {
    const { verify, credentials } = counting();
    const { text } = await createApiKey(keys, secureRandomBytes, newId());
    const first = await credentials.verify(text, keys);
    expect(first).toMatchObject({ ok: true, value: { text } });
    expect(await credentials.verify(text, keys)).toEqual(first);
    expect(verify).toHaveBeenCalledTimes(1);
  });

  it("do not cache refused credentials", async () => {
    const { verify, credentials } = counting();
    const { text } = await createApiKey(otherKeys, secureRandomBytes, newId());
    for (let time = 1; time <= 2; time++) {
      expect(await credentials.verify(text, keys)).toEqual({ ok: false, reason: "forged" });
      expect(await credentials.verify(undefined, keys)).toEqual({ ok: false, reason: "missing" });
      expect(verify).toHaveBeenCalledTimes(2 * time);
    }
  });

  it("are valid only for the signing keys that verified them", async () => {
    const { credentials } = counting();
    const { text } = await createApiKey(keys, secureRandomBytes, newId());
    expect((await credentials.verify(text, keys)).ok).toBe(true);
    expect(await credentials.verify(text, otherKeys)).toEqual({ ok: false, reason: "forged" });
    expect((await credentials.verify(text, keys)).ok).toBe(true);
  });

  it("do not cache a result if the signing keys changed during the check", async () => {
    const { text } = await createApiKey(keys, secureRandomBytes, newId());
    const { verify, credentials } = counting();
    const verifying = credentials.verify(text, keys);
    await credentials.verify(undefined, otherKeys);
    expect((await verifying).ok).toBe(true);
    expect(await credentials.verify(text, otherKeys)).toEqual({ ok: false, reason: "forged" });
    expect(verify).toHaveBeenCalledTimes(3);
  });
});

it("hold as many bytes whatever they hold: 10,000 of ours, and fewer that a tenant's server has made long", async () => {
  const verify = vi.fn(async (text: string | undefined) => ok(text ?? ""));
  const fill = async (count: number, length: number) => {
    const credentials = new VerifiedCredentials<string, string>(verify);
    const texts = Array.from({ length: count }, (_, index) => String(index).padStart(length, "x"));
    for (const text of texts) await credentials.verify(text, keys);
    verify.mockClear();
    for (const text of texts.toReversed()) await credentials.verify(text, keys);
    return count - verify.mock.calls.length;
  };
  expect(await fill(10_000, 55)).toBe(10_000);
  expect(await fill(2_000, 4_096)).toBeLessThan(700);
});

it("a cached token still expires at its exact second", async () => {
  freeze(1_900_000_000_000);
  const { token } = await addIdeaBank();
  const isolate = createIsolate();
  const read = async () => (await isolate.request("/ideabank", { headers: { Authorization: token } })).status;
  expect(await read()).toBe(200);
  vi.setSystemTime(1_900_000_000_000 + 86_400_000 - 1);
  expect(await read()).toBe(200);
  vi.setSystemTime(1_900_000_000_000 + 86_400_000);
  expect(await read()).toBe(401);
});
