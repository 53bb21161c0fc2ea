/** What is known of one panelist's revocation: of the account's list, or alone where that is too long. */
import { laterOf } from "../database/anchors.ts";
import type { TokenRevocation } from "../database/idea-bank-view.ts";
import type { TokenRevocations } from "./token-revocations.ts";
import type { View } from "./view.ts";

/** `seq` 0: nothing was ever revoked. */
export type OwnRevocation = Pick<TokenRevocation, "seq" | "revokedAt"> & Pick<View, "bookmark" | "primaryAt">;
/** `askedAt`: when the primary was last asked, of the panelist, too, where that is known alone. */
export type Found = { readonly view: View; readonly revokedAt: number; readonly askedAt: number };

/** Before the first token. */
export const NEVER_REVOKED = -1;

export const laterOwn = (next: OwnRevocation, kept: OwnRevocation): OwnRevocation => ({
  ...(next.seq >= kept.seq ? next : kept),
  bookmark: laterOf(next.bookmark, kept.bookmark),
  primaryAt: Math.max(next.primaryAt, kept.primaryAt),
});

export const foundIn = (listed: TokenRevocations, panelistId: string, view: View): Found => ({
  view,
  revokedAt: listed.of(panelistId) ?? NEVER_REVOKED,
  askedAt: view.primaryAt,
});

export const foundAlone = ({ revokedAt, primaryAt }: OwnRevocation, view: View): Found => ({
  view,
  revokedAt,
  askedAt: Math.min(primaryAt, view.primaryAt),
});
