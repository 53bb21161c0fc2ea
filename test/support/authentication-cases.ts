/** The one table of authentication cases: every protected route runs all of its kind. */
import { createApiKey } from "../../src/worker/credentials/api-key.ts";
import { secureRandomBytes } from "../../src/worker/credentials/base62.ts";
import { issueToken } from "../../src/worker/credentials/compound-token.ts";
import { importSigningKeys } from "../../src/worker/credentials/envelope.ts";
import { addApiKey, addIdeaBank, newId, signingKeys, toId, tokenFor } from "./world.ts";

const foreignKeys = await importSigningKeys(["a secret of another deployment, 32 chars"]);
const now = () => Math.floor(Date.now() / 1000);

const tamper = (text: string) => text.slice(0, -1) + (text.endsWith("x") ? "y" : "x");

/** Values that are not a credential of any kind. All of them are refused without I/O. */
const garbage: [string, () => Promise<string | undefined>, mistake?: RegExp][] = [
  ["no header", async () => undefined, /missing or empty/],
  ["an empty header", async () => "", /missing or empty/],
  ["a header of spaces", async () => "   ", /missing or empty/],
  ["a word", async () => "letmein"],
  ["100 KB", async () => "A".repeat(100_000)],
  ["bytes beyond ASCII", async () => "xyz_clé\u00ff"],
  ["a header that reads like SQL", async () => "' OR 1=1 --"],
  ["Basic credentials", async () => "Basic dXNlcjpwYXNz"],
];

type Case = {
  readonly title: string;
  readonly io: boolean;
  /** What the holder of the right secret is told. */
  readonly reason?: string;
  /** What the syntax alone tells everybody. Without it, the answer is the vague one. */
  readonly mistake?: RegExp;
  readonly header: () => Promise<string | undefined>;
};

/** `X-API-Key` values that get 401; those marked `io` have a correct tag, so only the key's record can refuse them. */
export const badApiKeys: Case[] = [
  ...garbage.map(([title, header, mistake]) => ({ title, io: false, header, ...(mistake && { mistake }) })),
  { title: "a key with bytes beyond ASCII", io: false, header: async () => "ibk_clé\u00ff" },
  { title: "a key with another tag", io: false, header: async () => tamper((await addApiKey()).text) },
  {
    title: "two keys joined by a comma",
    io: false,
    mistake: /several values/,
    header: async () => `${(await addApiKey()).text}, ${(await addApiKey()).text}`,
  },
  {
    title: "a key of another deployment",
    io: false,
    header: async () => (await createApiKey(foreignKeys, secureRandomBytes, newId())).text,
  },
  { title: "a compound token", io: false, mistake: /has a token/, header: async () => (await addIdeaBank()).token },
  {
    title: "a key as a Bearer token",
    io: false,
    mistake: /without `Bearer`/,
    header: async () => `Bearer ${(await addApiKey()).text}`,
  },
  {
    title: "a key of a database that has no binding",
    io: false,
    header: async () => (await createApiKey(signingKeys, secureRandomBytes, newId("z"))).text,
  },
  {
    title: "an unknown key",
    io: true,
    header: async () => (await createApiKey(signingKeys, secureRandomBytes, newId())).text,
  },
  {
    title: "a revoked key",
    io: true,
    reason: "revoked",
    header: async () => (await addApiKey({ revokedAt: Date.now() })).text,
  },
  {
    title: "an expired key",
    io: true,
    reason: "expired",
    header: async () => (await addApiKey({ expiresAt: Date.now() - 1 })).text,
  },
  {
    title: "another secret of a revoked key",
    io: true,
    header: async () => {
      const { id } = await addApiKey({ revokedAt: Date.now() });
      return (await createApiKey(signingKeys, secureRandomBytes, toId(id))).text;
    },
  },
];

/** `Authorization` values that get 401. */
export const badTokens: Case[] = [
  ...garbage.map(([title, header, mistake]) => ({ title, io: false, header, ...(mistake && { mistake }) })),
  { title: "Bearer and nothing", io: false, mistake: /one `Bearer`/, header: async () => "Bearer " },
  { title: "a token with another tag", io: false, header: async () => tamper((await addIdeaBank()).token) },
  {
    title: "two tokens joined by a comma",
    io: false,
    mistake: /several values/,
    header: async () => `${(await addIdeaBank()).token}, ${(await addIdeaBank()).token}`,
  },
  {
    title: "Bearer twice",
    io: false,
    mistake: /one `Bearer`/,
    header: async () => `Bearer Bearer ${(await addIdeaBank()).token}`,
  },
  { title: "a token as Basic", io: false, header: async () => `Basic ${(await addIdeaBank()).token}` },
  {
    title: "a token of another deployment",
    io: false,
    header: () =>
      issueToken({ ideaBankId: newId(), panelistId: newId(), issuedAt: now(), expiresAt: now() + 3_600 }, foreignKeys),
  },
  {
    title: "a token with an idea bank of one database and a panelist of the other",
    io: false,
    header: async () => {
      const [bank, other] = [await addIdeaBank({ digit: "0" }), await addIdeaBank({ digit: "1" })];
      return tokenFor(bank.id, other.panelistId);
    },
  },
  { title: "a token of a database that has no binding", io: false, header: () => tokenFor(newId("z"), newId("z")) },
  {
    title: "an expired token",
    io: false,
    header: async () => {
      const { id, panelistId } = await addIdeaBank();
      return tokenFor(id, panelistId, now() - 86_400);
    },
  },
  { title: "an API key", io: false, mistake: /has an API key/, header: async () => (await addApiKey()).text },
  {
    title: "a token issued in the future",
    io: false,
    header: async () => {
      const { id, panelistId } = await addIdeaBank();
      return tokenFor(id, panelistId, now() + 60);
    },
  },
];
