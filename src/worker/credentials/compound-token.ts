/**
 * Compound tokens: which panelist, or visitor, may use which idea bank, until when.
 *
 *     ibt_ BBBBBBBBBBBB PPPPPPPPPPPP IIIIII LLLL TTTTTTTTTTTTTTTTT      55 characters
 *          │            │            │      │    └ tag       17 digits, 101 bits
 *          │            │            │      └ lifetime        4 digits, seconds
 *          │            │            └ issued at              6 digits, Unix seconds
 *          │            └ panelist id                        12 digits
 *          └ idea bank id                                    12 digits
 *
 *     ibv_ BBBBBBBBBBBB IIIIII LLLLL TTTTTTTTTTTTTTTTT                  44 characters: for everybody who is not signed in
 *
 * Both identifiers begin with the digit of the database that holds the account.
 * Tokens are not stored: the tag proves that one is genuine. Expiry is issued-at plus lifetime.
 */
import { decodeBase62, encodeBase62 } from "./base62.ts";
import { defineEnvelope, type SigningKeys, signEnvelope, verifyEnvelope } from "./envelope.ts";
import { databaseDigit, ID_WIDTH, type Identifier } from "./id.ts";
import { ok, type Result, refuse } from "./result.ts";

const ISSUED_AT_WIDTH = 6;
const LIFETIME_WIDTH = 4;
const VISITOR_LIFETIME_WIDTH = 5;

export const COMPOUND_TOKEN = defineEnvelope("ibt", 2 * ID_WIDTH + ISSUED_AT_WIDTH + LIFETIME_WIDTH, 17);

export const VISITOR_TOKEN = defineEnvelope("ibv", ID_WIDTH + ISSUED_AT_WIDTH + VISITOR_LIFETIME_WIDTH, 17);

/** Lifetimes in seconds: 24 hours unless asked otherwise, 60 seconds to 90 days. */
export const TOKEN_LIFETIME = { default: 86_400, min: 60, max: 90 * 86_400 } as const;
/** A visitor's token is in the source of a page, so its default lifetime is the longest. */
export const VISITOR_LIFETIME = { default: 366 * 86_400, min: 60, max: 366 * 86_400 } as const;

/** Times are Unix seconds. `panelistId` is null for a visitor. */
export type CompoundToken = {
  readonly ideaBankId: string;
  readonly panelistId: string | null;
  readonly issuedAt: number;
  readonly expiresAt: number;
};

type Times = Pick<CompoundToken, "issuedAt" | "expiresAt">;

/**
 * The additional claims of a token that the tenant's own server has signed (model/signed-token.ts). Its panelist may have no row
 * yet. The secret is that of an epoch of the idea bank, within an epoch of the account.
 */
export type SignedBy = {
  readonly accountId: string;
  readonly externalId: string;
  readonly name: string | null;
  /** In plain form (model/mailbox.ts). */
  readonly email: string | null;
  readonly accountEpoch: number;
  readonly epoch: number;
  /** Unix seconds, maybe with a fraction. */
  readonly notBefore: number;
};

/** A token with a correct tag: it names an idea bank and a panelist of one database. */
export type VerifiedToken = CompoundToken & {
  readonly ideaBankId: Identifier;
  readonly panelistId: Identifier | null;
  readonly signed?: SignedBy;
};

/** A token that a tenant's server has signed. The account's salt, not read yet, tells which panelist it names. */
export type SignedToken = Omit<VerifiedToken, "panelistId" | "signed"> & {
  readonly panelistId?: undefined;
  readonly signed: SignedBy;
};

export type TokenRefusal = "missing" | "malformed" | "forged" | "of two databases";

/** Signs a token. Throws a RangeError for a lifetime that its kind may not have. */
export async function issueToken(token: CompoundToken, keys: SigningKeys): Promise<string> {
  const { ideaBankId, panelistId, issuedAt, expiresAt } = token;
  const lifetime = expiresAt - issuedAt;
  const { min, max } = panelistId === null ? VISITOR_LIFETIME : TOKEN_LIFETIME;
  if (lifetime < min || lifetime > max) throw new RangeError(`a token lasts ${min} to ${max} seconds, not ${lifetime}`);
  const since = encodeBase62(issuedAt, ISSUED_AT_WIDTH);
  return panelistId === null
    ? signEnvelope(VISITOR_TOKEN, { body: ideaBankId + since + encodeBase62(lifetime, VISITOR_LIFETIME_WIDTH), keys })
    : signEnvelope(COMPOUND_TOKEN, {
        body: ideaBankId + panelistId + since + encodeBase62(lifetime, LIFETIME_WIDTH),
        keys,
      });
}

/** Checks the tag of a presented token, not its expiry: see `isExpired`. No I/O. */
export async function verifyToken(
  text: string | undefined,
  keys: SigningKeys,
): Promise<Result<VerifiedToken, TokenRefusal>> {
  if (!text) return refuse("missing");
  const isVisitor = text.startsWith(VISITOR_TOKEN.prefix);
  const verified = await verifyEnvelope(isVisitor ? VISITOR_TOKEN : COMPOUND_TOKEN, { text, keys });
  if (!verified.ok) return verified;
  const body = verified.value;
  const timesStart = isVisitor ? ID_WIDTH : 2 * ID_WIDTH;
  const issuedAt = decodeBase62(body.slice(timesStart, timesStart + ISSUED_AT_WIDTH));
  const expiresAt = issuedAt + decodeBase62(body.slice(timesStart + ISSUED_AT_WIDTH));
  const ideaBankId = body.slice(0, ID_WIDTH) as Identifier;
  const panelistId = isVisitor ? null : (body.slice(ID_WIDTH, timesStart) as Identifier);
  if (panelistId !== null && databaseDigit(ideaBankId) !== databaseDigit(panelistId)) return refuse("of two databases");
  return ok({ ideaBankId, panelistId, issuedAt, expiresAt });
}

/**
 * Whether the token was issued less than `milliseconds` before `now` (Unix milliseconds). Its time is in whole seconds, and may
 * be up to a second ahead.
 */
export const isYoungToken = ({ issuedAt }: Pick<Times, "issuedAt">, milliseconds: number, now: number): boolean =>
  now - issuedAt * 1000 < milliseconds + 1_000;

/** The clocks of D1 and of the Workers may differ by this much. */
export const CLOCKS_APART_SECONDS = 5;

/**
 * The reason why a token is not valid at `now` (Unix seconds). A token that is issued after a revocation in the same second is
 * dated in the next second, but no further ahead. D1's clock dates the tokens that we issue; the tenant's server dates those that it
 * signs, and its clock must be right.
 */
export function timeRefusal(
  token: Times & { readonly signed?: Pick<SignedBy, "notBefore"> },
  now: number,
): "expired" | "issued in the future" | "not valid yet" | undefined {
  if (isExpired(token, now)) return "expired";
  if (token.issuedAt > now + 1 + (token.signed === undefined ? CLOCKS_APART_SECONDS : 0)) return "issued in the future";
  return token.signed !== undefined && token.signed.notBefore > now + 1 ? "not valid yet" : undefined;
}

/** Whether the token is dated later than an end of tokens (Unix milliseconds). The rule of these dates: database/tokens/token-dates.ts. */
export const isIssuedAfter = ({ issuedAt }: Pick<Times, "issuedAt">, endedAt: number): boolean =>
  issuedAt * 1000 > endedAt;

/** `now` is in Unix seconds. */
export const isExpired = ({ expiresAt }: Pick<Times, "expiresAt">, now: number): boolean => now >= expiresAt;
