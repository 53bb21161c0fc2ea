/**
 * Reads a token's panelist and the capabilities of its idea bank: one statement, in the same batch as the work.
 *
 * A write repeats the check in its own statement (`permitted`), so that no change can come between check and write. `tokenValues`
 * are the values for the SQL fragments here.
 */
import type { SignedBy } from "../../credentials/compound-token.ts";
import { type Condition, REQUIRED } from "../../model/capabilities.ts";
import type { Capability, IdeaBankStatus, IdeaBankSwitches } from "../../model/idea-bank.ts";
import type { Session } from "../../store/session.ts";
import { prepare, type Statement } from "../../store/statement.ts";
import { proposalStays } from "../proposals/merges.ts";
import { issuedAfter, lastEnd } from "../tokens/token-dates.ts";
import { addressValues } from "./address.ts";

/** The content of a valid token. `issuedAt` is in Unix seconds; `panelistId` is null for a visitor, who only reads. */
export type TokenClaims = {
  readonly ideaBankId: string;
  readonly panelistId: string | null;
  readonly issuedAt: number;
  readonly signed?: SignedBy;
};

/**
 * `accountId` and `ideaBank` are null when the idea bank does not exist; `panelist` is null when it was deleted or is another
 * account's. A visitor has a panelist without a name. `canBeTold`: the panelist has an address that can be reached, and neither the board nor
 * the account has switched e-mails to people off.
 */
export type PanelistAccess = {
  readonly accountId: string | null;
  readonly ideaBank: IdeaBankSwitches | null;
  readonly panelist: { readonly tokensValidAfter: number; readonly displayName: string | null } | null;
  readonly canBeTold: boolean;
};

export type AccessRow = {
  bank: string | null;
  account_id: string | null;
  account_status: string | null;
  status: IdeaBankStatus | null;
  internal: number;
  changelog_enabled: number;
  submissions_enabled: number;
  voting_enabled: number;
  comments_enabled: number;
  surveys_enabled: number;
  panelist: string | null;
  active: number | null;
  tokens_revoked_at: number | null;
  display_name: string | null;
  can_be_told: number | null;
};

export const tokenValues = ({ ideaBankId, panelistId, issuedAt, signed }: TokenClaims) => ({
  ideaBankId,
  panelistId,
  externalId: signed?.externalId,
  epoch: signed?.epoch,
  accountEpoch: signed?.accountEpoch,
  /** In Unix milliseconds. */
  issuedAt: issuedAt * 1000,
});

export const selectAccess = (token: TokenClaims) =>
  prepare<AccessRow>(
    `SELECT b.id AS bank, b.account_id, a.status AS account_status, b.status, b.internal, b.changelog_enabled, b.submissions_enabled,
         b.voting_enabled, b.comments_enabled, b.surveys_enabled, w.display_name, ${CAN_BE_TOLD} AS can_be_told,
         ${token.panelistId === null ? VISITOR : token.signed ? SIGNED : PANELIST}
       FROM (SELECT 1) LEFT JOIN idea_banks b ON b.id = :ideaBankId LEFT JOIN accounts a ON a.id = b.account_id
         LEFT JOIN panelists w ON w.id = :panelistId AND w.account_id = coalesce(b.account_id, w.account_id)`,
    { ...tokenValues(token), accountId: token.signed?.accountId },
  );

/** The condition of `canBeTold`, with the rows b, a and w. */
export const CAN_BE_TOLD = `(w.email IS NOT NULL AND w.unreachable_at IS NULL AND w.deleted_at IS NULL AND b.notifies_people = 1
  AND a.notifies_people = 1)`;

/** Tokens that we have issued end with all of the account's, too. */
const PANELIST = `w.id AS panelist, w.active, ${lastEnd("w.tokens_revoked_at", "a.tokens_ended_at")} AS tokens_revoked_at`;
const VISITOR = `'' AS panelist, 1 AS active, ${lastEnd("b.visitor_tokens_ended_at", "a.tokens_ended_at")} AS tokens_revoked_at`;

/** The token was not ended with all of the account's: by the time of its issue, or by the epochs of the secret that signed it. */
const NOT_ENDED = `iif(:epoch IS NULL, ${issuedAfter(":issuedAt", lastEnd("a.tokens_ended_at"))}, :accountEpoch = a.token_epoch AND (:epoch = b.signing_epoch
  OR (:epoch = b.signing_epoch - 1 AND coalesce(b.signing_previous_until, 0) > unixepoch('subsec') * 1000)
  OR EXISTS (SELECT 1 FROM json_each(coalesce(b.signing_older, '[]'))
    WHERE value ->> 0 = :epoch AND value ->> 1 > unixepoch('subsec') * 1000)))`;
/** Another person's row with this identifier, or this person's row with another one. */
const NOT_THE_SAME = `EXISTS (SELECT 1 FROM panelists o
  WHERE (o.id = :panelistId OR (o.account_id = :accountId AND o.external_id = :externalId))
    AND NOT (o.id = :panelistId AND o.account_id = :accountId AND o.external_id IS :externalId))`;
/** A panelist who has not written yet has no row. */
const SIGNED = `iif(${NOT_THE_SAME}, NULL, coalesce(w.id, '')) AS panelist, coalesce(w.active, 1) AND coalesce(${NOT_ENDED}, 1) AS active,
  coalesce(w.tokens_revoked_at, (SELECT revoked_at FROM token_revocations
    WHERE panelist_id = :panelistId AND account_id = :accountId)) AS tokens_revoked_at`;

/**
 * Creates the row of a signed token's panelist before the first write, if the token has the capability now and `condition` holds,
 * and sets the name and the address in the token. Undefined for other tokens, because their panelists have rows. `now` is in Unix milliseconds.
 */
export const makePanelist = (
  token: TokenClaims,
  {
    capability,
    now,
    also = { sql: "1", values: {} },
  }: {
    readonly capability: Capability;
    readonly now: number;
    readonly also?: { readonly sql: string; readonly values: Parameters<typeof prepare>[1] } | undefined;
  },
): Statement | undefined =>
  token.signed &&
  prepare(
    `INSERT INTO panelists (id, account_id, external_id, display_name, email, mailbox, created_at, tokens_issued)
     SELECT :panelistId, b.account_id, :externalId, :name, :email, :mailbox, :now, 1 FROM idea_banks b JOIN accounts a ON a.id = b.account_id
     WHERE b.id = :ideaBankId AND b.account_id = :accountId AND ${conditionsOf(capability)} AND ${also.sql}
       AND NOT EXISTS (SELECT 1 FROM token_revocations
         WHERE panelist_id = :panelistId AND account_id = :accountId AND NOT ${issuedAfter(":issuedAt", "revoked_at")})
     ON CONFLICT (id) DO UPDATE SET display_name = coalesce(excluded.display_name, display_name), email = coalesce(excluded.email, email),
         mailbox = coalesce(excluded.mailbox, mailbox), email_verified = iif(coalesce(excluded.email, email) IS email, email_verified, 0)
       WHERE panelists.account_id = excluded.account_id AND panelists.external_id = excluded.external_id
         AND (coalesce(excluded.display_name, display_name) IS NOT display_name OR coalesce(excluded.email, email) IS NOT email)
         AND panelists.active = 1 AND ${issuedAfter(":issuedAt", lastEnd("panelists.tokens_revoked_at"))}
     ON CONFLICT DO NOTHING`,
    { ...also.values, ...tokenValues(token), ...token.signed, ...addressValues(token.signed.email), now },
  );

export function toAccess([row]: readonly AccessRow[]): PanelistAccess {
  return {
    accountId: row?.account_id ?? null,
    ideaBank: row === undefined || row.bank === null ? null : toSwitches(row),
    panelist: row === undefined || row.panelist === null ? null : toPanelist(row),
    canBeTold: row?.can_be_told === 1,
  };
}

/** Reads only the access, for a request that is refused for another reason. One round trip. */
export const loadAccess = async (session: Session, token: TokenClaims): Promise<PanelistAccess> =>
  toAccess(await session.all(selectAccess(token)));

const toSwitches = (row: AccessRow): IdeaBankSwitches => ({
  accountSuspended: row.account_status === "suspended",
  status: row.status ?? "CLOSED",
  internal: row.internal === 1,
  changelogEnabled: row.changelog_enabled === 1,
  submissionsEnabled: row.submissions_enabled === 1,
  votingEnabled: row.voting_enabled === 1,
  commentsEnabled: row.comments_enabled === 1,
  surveysEnabled: row.surveys_enabled === 1,
});

const toPanelist = (row: AccessRow) => ({
  tokensValidAfter: row.active === 1 ? (row.tokens_revoked_at ?? -1) : Number.POSITIVE_INFINITY,
  displayName: row.display_name,
});

const SQL: Record<Condition, string> = {
  open: "b.status = 'OPEN' AND a.status = 'active'",
  notInternal: "b.internal = 0",
  changelogEnabled: "b.changelog_enabled = 1",
  submissionsEnabled: "b.submissions_enabled = 1",
  votingEnabled: "b.voting_enabled = 1",
  commentsEnabled: "b.comments_enabled = 1",
  surveysEnabled: "b.surveys_enabled = 1",
};

const conditionsOf = (capability: Capability): string =>
  [NOT_ENDED, ...REQUIRED[capability].map((condition) => SQL[condition])].join(" AND ");

const IS_VALID = `w.active = 1 AND ${issuedAfter(":issuedAt", lastEnd("w.tokens_revoked_at"))}`;

/** `FROM … WHERE …` that gives one row (b: the idea bank, w: the panelist) if the token has the capability now, otherwise none. */
export const permitted = (capability: Capability): string =>
  `FROM idea_banks b JOIN accounts a ON a.id = b.account_id JOIN panelists w ON w.id = :panelistId AND w.account_id = b.account_id
   WHERE b.id = :ideaBankId AND (:externalId IS NULL OR w.external_id = :externalId) AND ${IS_VALID}
     AND ${conditionsOf(capability)}`;

/**
 * The same, also for the panelist of a signed token who has no row yet and needs none: an anonymous response makes nobody. It needs the value
 * `:accountId`, of a signed token.
 */
export const permittedWithoutRow = (capability: Capability): string =>
  `FROM idea_banks b JOIN accounts a ON a.id = b.account_id LEFT JOIN panelists w ON w.id = :panelistId AND w.account_id = b.account_id
   WHERE b.id = :ideaBankId AND ${conditionsOf(capability)} AND iif(w.id IS NOT NULL,
     (:externalId IS NULL OR w.external_id = :externalId) AND ${IS_VALID},
     :externalId IS NOT NULL AND b.account_id = :accountId AND NOT ${NOT_THE_SAME} AND NOT EXISTS (SELECT 1 FROM token_revocations
       WHERE panelist_id = :panelistId AND account_id = :accountId AND NOT ${issuedAfter(":issuedAt", "revoked_at")}))`;

/** The condition that the panelist may see a proposal; with it, the proposal `:proposalId`. */
export const visible = (p: string): string =>
  `(${p}.visibility = 'public' OR (${p}.visibility = 'pending' AND ${p}.author_id = :panelistId))`;
export const VISIBLE = visible("p");
export const SEEN_PROPOSAL = `SELECT 1 FROM proposals p
  WHERE p.id = :proposalId AND p.idea_bank_id = :ideaBankId AND ${VISIBLE} AND ${proposalStays("p")}`;
