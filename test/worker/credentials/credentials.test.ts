import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createApiKey, verifyApiKey } from "../../../src/worker/credentials/api-key.ts";
import { decodeBase62, encodeBase62, randomBase62, secureRandomBytes } from "../../../src/worker/credentials/base62.ts";
import {
  type CompoundToken,
  isExpired,
  issueToken,
  TOKEN_LIFETIME,
  verifyToken,
} from "../../../src/worker/credentials/compound-token.ts";
import { constantTimeEqual } from "../../../src/worker/credentials/constant-time-equal.ts";
import { importSigningKeys } from "../../../src/worker/credentials/envelope.ts";
import { newId, toId } from "../../support/world.ts";

const NEWEST = "the newest secret, of at least 32 characters";
const OLDER = "an older secret, of at least 32 characters";
const keys = await importSigningKeys([NEWEST, OLDER]);
const olderKeys = await importSigningKeys([OLDER]);
const foreignKeys = await importSigningKeys(["another deployment's secret, 32 characters"]);

const base62Text = (width: number) => fc.stringMatching(new RegExp(`^[0-9A-Za-z]{${width}}$`));
const token = fc
  .record({
    ideaBankId: base62Text(12),
    panelistId: base62Text(12),
    issuedAt: fc.integer({ min: 0, max: 4_000_000_000 }),
    lifetime: fc.integer({ min: TOKEN_LIFETIME.min, max: TOKEN_LIFETIME.max }),
  })
  .map(
    ({ lifetime, panelistId, ...rest }): CompoundToken => ({
      ...rest,
      panelistId: rest.ideaBankId.charAt(0) + panelistId.slice(1),
      expiresAt: rest.issuedAt + lifetime,
    }),
  );
const aToken: CompoundToken = { ideaBankId: newId(), panelistId: newId(), issuedAt: 1_000, expiresAt: 2_000 };

describe("an API key", () => {
  it("is ibk_ and 47 base62 digits, as the pattern for secret scanners says", async () => {
    const { text } = await createApiKey(keys, secureRandomBytes, newId());
    expect(text).toMatch(/^ibk_[0-9A-Za-z]{47}$/);
  });

  it("verifies to its id when its tag is correct", async () => {
    const apiKey = await createApiKey(keys, secureRandomBytes, newId());
    expect(await verifyApiKey(apiKey.text, keys)).toEqual({ ok: true, value: apiKey });
  });

  it("never repeats an id or a secret", async () => {
    const made = await Promise.all(Array.from({ length: 200 }, () => createApiKey(keys, secureRandomBytes, newId())));
    expect(new Set(made.map(({ id }) => id)).size).toBe(200);
    expect(new Set(made.map(({ id }) => id.charAt(0)))).toEqual(new Set(["1"]));
    expect(new Set(made.map(({ text }) => text.slice(16, 43))).size).toBe(200);
  });

  it.each([
    ["missing", undefined],
    ["missing", ""],
    ["malformed", "ibk_short"],
    ["malformed", `ibk_${"-".repeat(47)}`],
    ["malformed", `xyz_${"0".repeat(47)}`],
    ["malformed", "0".repeat(100_000)],
    ["malformed", `ibk_${"é".repeat(47)}`],
    ["forged", `ibk_${"0".repeat(47)}`],
  ])("is refused as %s: %j", async (reason, text) => {
    expect(await verifyApiKey(text, keys)).toEqual({ ok: false, reason });
  });
});

describe("a compound token", () => {
  it("contains idea bank, panelist and times, for any values", async () => {
    await fc.assert(
      fc.asyncProperty(token, async (value) => {
        const text = await issueToken(value, keys);
        expect(text).toMatch(/^ibt_[0-9A-Za-z]{51}$/);
        expect(await verifyToken(text, keys)).toEqual({ ok: true, value });
      }),
    );
  });

  it("is refused when its idea bank and its panelist are of two databases, although the tag is correct", async () => {
    const text = await issueToken({ ...aToken, ideaBankId: newId("0"), panelistId: newId("1") }, keys);
    expect(await verifyToken(text, keys)).toEqual({ ok: false, reason: "of two databases" });
  });

  it("expires at its exact second", async () => {
    expect(isExpired(aToken, 1_999)).toBe(false);
    expect(isExpired(aToken, 2_000)).toBe(true);
  });

  it.each([0, TOKEN_LIFETIME.min - 1, TOKEN_LIFETIME.max + 1])(
    "is not issued for a lifetime of %i seconds",
    async (lifetime) => {
      await expect(issueToken({ ...aToken, expiresAt: aToken.issuedAt + lifetime }, keys)).rejects.toThrow(RangeError);
    },
  );

  it("is not issued for an id of another length", async () => {
    await expect(issueToken({ ...aToken, panelistId: "short" }, keys)).rejects.toThrow(RangeError);
  });
});

describe("the envelope", () => {
  it("never changes: credentials issued before stay valid", async () => {
    const known = await importSigningKeys(["the-secret-of-a-known-answer-test-only"]);
    const { text } = await createApiKey(known, (length) => new Uint8Array(length).fill(7), toId("ApiKey000001"));
    expect(text).toBe("ibk_ApiKey000001777777777777777777777777777h3y1D4JI");
    const token = {
      ideaBankId: "IdeaBank0001",
      panelistId: "Panelist0001",
      issuedAt: 1_900_000_000,
      expiresAt: 1_900_086_400,
    };
    expect(await issueToken(token, known)).toBe("ibt_IdeaBank0001Panelist000124aCnI0MTYZD7jujhP7yxqzVpMU");
  });

  it("refuses every one-character change of a key or a token", async () => {
    const character = fc.string({ unit: "grapheme-composite", minLength: 1, maxLength: 1 });
    const apiKey = (await createApiKey(keys, secureRandomBytes, newId())).text;
    const tokenText = await issueToken(aToken, keys);
    await fc.assert(
      fc.asyncProperty(fc.nat(54), character, fc.constantFrom("replace", "insert", "drop"), async (at, other, how) => {
        for (const [text, verify] of [
          [apiKey, (changed: string) => verifyApiKey(changed, keys)],
          [tokenText, (changed: string) => verifyToken(changed, keys)],
        ] as const) {
          const rest = text.slice(how === "insert" ? at : at + 1);
          const changed = text.slice(0, at) + (how === "drop" ? "" : other) + rest;
          if (changed !== text) expect((await verify(changed)).ok).toBe(false);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("refuses every other base62 digit at every place", async () => {
    const { text } = await createApiKey(keys, secureRandomBytes, newId());
    for (let at = 4; at < text.length; at++) {
      const other = text[at] === "x" ? "y" : "x";
      const changed = text.slice(0, at) + other + text.slice(at + 1);
      expect(await verifyApiKey(changed, keys), changed).toEqual({ ok: false, reason: "forged" });
    }
  });

  it("verifies under every secret of the deployment, and signs with the newest", async () => {
    const old = await createApiKey(olderKeys, secureRandomBytes, newId());
    expect((await verifyApiKey(old.text, keys)).ok).toBe(true);
    const current = await createApiKey(keys, secureRandomBytes, newId());
    expect((await verifyApiKey(current.text, await importSigningKeys([NEWEST]))).ok).toBe(true);
    expect(await verifyApiKey(current.text, olderKeys)).toEqual({ ok: false, reason: "forged" });
  });

  it("refuses the credentials of another deployment", async () => {
    const foreign = await createApiKey(foreignKeys, secureRandomBytes, newId());
    expect(await verifyApiKey(foreign.text, keys)).toEqual({ ok: false, reason: "forged" });
  });

  it("separates the kinds: a token's tag is not valid for a key", async () => {
    const text = await issueToken(aToken, keys);
    expect(await verifyApiKey(text, keys)).toEqual({ ok: false, reason: "malformed" });
    expect(await verifyApiKey(`ibk_${text.slice(4, 51)}`, keys)).toEqual({ ok: false, reason: "forged" });
  });
});

describe("base62", () => {
  it("reads back every number that fits", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 62 ** 6 - 1 }), (value) => {
        expect(decodeBase62(encodeBase62(value, 6))).toBe(value);
      }),
    );
  });

  it.each([62 ** 4, -1, 1.5, Number.NaN])("refuses %d in four digits", (value) => {
    expect(() => encodeBase62(value, 4)).toThrow(RangeError);
  });

  it("discards bytes that would make some digits more likely", () => {
    const draws = [new Uint8Array([255, 248]), new Uint8Array([247]), new Uint8Array([0])];
    expect(randomBase62(2, () => draws.shift() ?? new Uint8Array())).toBe("z0");
  });
});

it("constantTimeEqual distinguishes equal and unequal texts", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (left, right) => {
      expect(constantTimeEqual(left, right)).toBe(left === right);
      expect(constantTimeEqual(left + right, `${left}${right}`)).toBe(true);
    }),
  );
});
