/** Authenticates a panelist: first the token, without I/O, then the idea bank that it names. */
import type { Context } from "hono";
import { isExpired, type VerifiedToken, verifyToken } from "../credentials/compound-token.ts";
import { VerifiedCredentials } from "../credentials/verified-credentials.ts";
import type { Database, Databases } from "../database/databases.ts";
import type { Alongside } from "../database/idea-bank-snapshots.ts";
import type { AppEnv } from "../http/app-env.ts";
import { oncePer } from "../http/once-per.ts";
import type { IdeaBankSnapshots, OpenedIdeaBank } from "../idea-bank/snapshots.ts";
import { Problem } from "../problem.ts";

/** The same response for every reason: it says what is expected, not what was wrong. */
export const unauthorized = oncePer(
  (reason: string) =>
    new Problem("unauthorized", {
      detail: "This needs a valid token (`ibt_…`) in the header `Authorization`.",
      headers: { "WWW-Authenticate": 'Bearer realm="panelist"' },
      cause: reason,
    }),
);

/** A valid token, and the database that holds what it names. */
export type PresentedToken = { readonly token: VerifiedToken; readonly database: Database };

/**
 * A reader of the token in `Authorization: <token>` or `Authorization: Bearer <token>`: signed by us and not expired. No I/O.
 * It throws `unauthorized`.
 */
export type ReadToken = (c: Context<AppEnv>) => Promise<PresentedToken>;

export function createTokenReader(databases: Databases): ReadToken {
  const verified = new VerifiedCredentials(verifyToken);
  return async function readToken(c) {
    const text = c.req.header("Authorization")?.replace(/^Bearer +/i, "");
    const token = await verified.verify(text, c.get("settings").signingKeys);
    if (!token.ok) throw unauthorized(token.reason);
    const now = Math.floor(Date.now() / 1000);
    if (isExpired(token.value, now)) throw unauthorized("expired");
    // One issued after a revocation belongs to the next second; nothing is issued later than that.
    if (token.value.issuedAt > now + 1) throw unauthorized("issued in the future");
    const database = databases.of(c.env, token.value.ideaBankId);
    if (database === undefined) throw unauthorized("of no database");
    return { token: token.value, database };
  };
}

/** The idea bank of a token, which may not exist. Throws `unauthorized` when the token has been revoked. */
export async function openIdeaBank(
  c: Context<AppEnv>,
  snapshots: IdeaBankSnapshots,
  { token, database }: PresentedToken,
  alongside: Alongside | undefined,
): Promise<OpenedIdeaBank> {
  const waitUntil = (promise: Promise<void>) => c.executionCtx.waitUntil(promise);
  const opened = await snapshots.read(database, token, {
    freshMs: c.get("settings").freshnessMs,
    waitUntil,
    alongside,
  });
  const { tokensRevokedAt } = opened;
  if (tokensRevokedAt !== null && token.issuedAt * 1000 <= tokensRevokedAt) throw unauthorized("revoked");
  return opened;
}
