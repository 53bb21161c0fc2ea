/** Tells the tenant of a token's idea bank whether the token is valid, and if not, why. */
import { isIssuedAfter, timeRefusal, type VerifiedToken } from "../../credentials/compound-token.ts";
import type { SigningKeys } from "../../credentials/envelope.ts";
import { deriveId } from "../../credentials/id.ts";
import type { Introspection } from "../../model/introspection.ts";
import {
  type AnyToken,
  claimErrorsOf,
  mistakeInSigning,
  namedIdeaBank,
  verifyAnyToken,
} from "../../model/signed-token.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { selectAccess, toAccess } from "../panelists/panelist-access.ts";
import type { PanelistSalt } from "../panelists/panelist-salts.ts";

type Asked = {
  readonly accountId: string;
  /** A token of any kind, or any other text. */
  readonly token: string;
  readonly keys: SigningKeys;
  /** Unix milliseconds. */
  readonly now: number;
};

/** Returns a `reason` only for a token that names an idea bank of the tenant. At most two round trips. */
export async function introspect(session: Session, { accountId, token, keys, now }: Asked): Promise<Introspection> {
  const verified = await verifyAnyToken(token, keys);
  const ideaBankId = verified.ok ? verified.value.ideaBankId : namedIdeaBank(token);
  if (ideaBankId === undefined) return { active: false };
  const owner = await loadOwner(session, accountId, ideaBankId);
  if (owner === null) return { active: false };
  if (!verified.ok) {
    if (verified.reason === "claims")
      return { active: false, reason: "claims", errors: claimErrorsOf(token, ideaBankId) };
    const detail = await mistakeInSigning(token, accountId, keys);
    return { active: false, reason: "signature", ...(detail !== undefined && { detail }) };
  }
  const claims = await identify(verified.value, owner.salt);
  const refusal = timeRefusal(claims, Math.floor(now / 1000));
  if (refusal === "expired") return { active: false, reason: refusal };
  if (refusal !== undefined) {
    const path = refusal === "not valid yet" ? "nbf" : "iat";
    return { active: false, reason: "claims", errors: [{ path, message: "is in the future" }] };
  }
  const { panelist, externalId } = await loadHolder(session, accountId, claims);
  if (panelist === null || !isIssuedAfter(claims, panelist.tokensValidAfter))
    return { active: false, reason: "revoked" };
  return {
    active: true,
    panelistId: claims.panelistId,
    externalId: claims.signed?.externalId ?? externalId,
    ideaBankId,
    issuedAt: toTimestamp(claims.issuedAt * 1000),
    expiresAt: toTimestamp(claims.expiresAt * 1000),
  };
}

/** Null when the idea bank is not the tenant's. */
const loadOwner = (session: Session, accountId: string, ideaBankId: string) =>
  session.first(
    prepare<{ salt: PanelistSalt }>(
      `SELECT a.panelist_salt AS salt FROM idea_banks b JOIN accounts a ON a.id = b.account_id
       WHERE b.account_id = :accountId AND b.id = :ideaBankId`,
      { accountId, ideaBankId },
    ),
  );

const identify = async (token: AnyToken, salt: PanelistSalt): Promise<VerifiedToken> =>
  token.panelistId === undefined ? { ...token, panelistId: await deriveId(token.signed, salt) } : token;

/** D1's state of the holder of a token with a correct tag. `externalId` is null for a panelist without one. */
async function loadHolder(session: Session, accountId: string, claims: VerifiedToken) {
  const rows = await session.batch({
    access: selectAccess(claims),
    holder: prepare<{ external_id: string | null }>(
      "SELECT external_id FROM panelists WHERE id = :panelistId AND account_id = :accountId",
      { panelistId: claims.panelistId, accountId },
    ),
  });
  return { panelist: toAccess(rows.access).panelist, externalId: rows.holder[0]?.external_id ?? null };
}
