/**
 * Reads everything that a panelist's request depends on in one D1 batch: an idea bank's state, its changelog's entries, its
 * account's revocations.
 */
import { type ChangelogEntry, MAX_CHANGELOG_BYTES } from "../../model/changelog.ts";
import type { IdeaBankState, IdeaBankStatus } from "../../model/idea-bank.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { authorStays } from "../proposals/deletions.ts";
import { EPOCH_COLUMNS, type EpochColumns, toEpochs } from "../secrets/signing-secrets.ts";
import { KEPT_FOR_GOOD } from "../tokens/token-dates.ts";

type StateRow = EpochColumns & {
  account_id: string;
  account_status: string;
  panelist_salt: string | null;
  name: string;
  url: string | null;
  status: IdeaBankStatus;
  internal: number;
  changelog_enabled: number;
  submissions_enabled: number;
  voting_enabled: number;
  comments_enabled: number;
  surveys_enabled: number;
  description: string;
  public_page: number;
  hidden_from_search: number;
  email_sign_in: number;
  sign_in_url: string | null;
  changelog_version: number;
  visitor_tokens_ended_at: number | null;
  tokens_ended_at: number | null;
};
type Row = (StateRow | { account_id: null }) & { own: string | null; revocations: string };
type EntryRow = {
  id: string;
  title: string;
  description: string;
  last_activity_at: number;
  published_at: number;
};

/** A view lists the newest revocations of its account: this many. */
export const MAX_LISTED = 2_000;

/** The time of revocation of a panelist who is inactive: it makes every token invalid. */
export const INACTIVE = Number.MAX_SAFE_INTEGER;

/**
 * Tokens of this panelist that were issued at or before `revokedAt` (Unix milliseconds) are not valid. For all visitors of an
 * idea bank, `panelistId` is the idea bank's id.
 */
export type TokenRevocation = { readonly seq: number; readonly panelistId: string; readonly revokedAt: number };
/** `recordedAt`: when it was made, in Unix milliseconds. A later one has a higher `seq`. */
export type ListedRevocation = TokenRevocation & { readonly recordedAt: number };

/**
 * The subject of a read, and the known part, which is not read again: the changelog up to `version`, and the account's
 * revocations up to `seq`. The panelist, null for a visitor, is always looked up.
 */
export type KnownOfView = {
  readonly ideaBankId: string;
  readonly panelistId: string | null;
  readonly version: number;
  readonly seq: number;
};

/**
 * `ideaBank` is null when it does not exist. `entries` belong to its version; undefined when that version is known. `revocations`
 * are the account's unknown ones, newest first; more than `MAX_LISTED` are not complete. `own` is the panelist's.
 */
export type LoadedView = {
  readonly ideaBank: IdeaBankState | null;
  readonly entries: readonly ChangelogEntry[] | undefined;
  readonly revocations: readonly ListedRevocation[];
  readonly own: TokenRevocation | undefined;
};

/**
 * One round trip and one transaction, so entries are never combined with a version or a switch of another moment. It reads at
 * most about 2,000 revocations and the changelog's entries, however much is stored.
 */
export async function loadIdeaBankView(
  session: Session,
  { ideaBankId, panelistId, version, seq }: KnownOfView,
): Promise<LoadedView> {
  const rows = await session.batch({
    states: prepare<Row>(
      `SELECT b.account_id, a.status AS account_status, a.panelist_salt, b.name, b.url, b.status, b.internal, b.changelog_enabled,
         b.submissions_enabled, b.voting_enabled, b.comments_enabled, b.surveys_enabled,
         b.description, b.public_page, b.hidden_from_search, b.email_sign_in, b.sign_in_url, b.changelog_version + a.changelog_epoch AS changelog_version, b.visitor_tokens_ended_at, a.tokens_ended_at, ${EPOCH_COLUMNS},
         (SELECT json_array(seq, panelist_id, revoked_at, recorded_at) FROM token_revocations
          WHERE panelist_id = :panelistId AND account_id = coalesce(b.account_id, account_id)) AS own,
         (SELECT json_group_array(json_array(seq, panelist_id, revoked_at, recorded_at)) FROM (
            SELECT seq, panelist_id, revoked_at, recorded_at FROM token_revocations
            WHERE account_id = b.account_id AND seq > :seq
            ORDER BY seq DESC LIMIT ${MAX_LISTED + 1})) AS revocations
       FROM (SELECT 1) LEFT JOIN idea_banks b ON b.id = :ideaBankId LEFT JOIN accounts a ON a.id = b.account_id`,
      { ideaBankId, panelistId, seq },
    ),
    entries: selectEntries(ideaBankId, version),
  });
  const [row] = rows.states;
  const ideaBank = row === undefined || row.account_id === null ? null : toIdeaBankState(row);
  const hasEntries = ideaBank !== null && ideaBank.changelogVersion > version && ideaBank.changelogEnabled;
  return {
    ideaBank,
    entries: hasEntries ? rows.entries.map(toEntry) : undefined,
    revocations: row === undefined ? [] : (JSON.parse(row.revocations) as RevocationRow[]).map(toRevocation),
    own: row?.own == null ? undefined : toRevocation(JSON.parse(row.own) as RevocationRow),
  };
}

/**
 * An idea bank's implemented proposals (public and not merged), newest first by last activity, ties by id: at most its configured
 * maximum, and as many as a rendered changelog may hold; fewer while those of a deleted person are being deleted. None when its
 * changelog is disabled, or no newer than `version`. Uses the index `proposals_active`.
 */
const selectEntries = (ideaBankId: string, version: number) =>
  prepare<EntryRow>(
    `SELECT id, title, description, last_activity_at, published_at FROM (
       SELECT title, description, last_activity_at, coalesce(published_at, last_activity_at) AS published_at, id,
         sum(octet_length(title) + octet_length(description)) OVER (ORDER BY last_activity_at DESC, id DESC) AS bytes
       FROM (SELECT title, description, last_activity_at, published_at, id, author_id FROM proposals
             WHERE idea_bank_id = :ideaBankId AND status = 'implemented' AND listed = 1
             ORDER BY last_activity_at DESC, id DESC
             LIMIT coalesce((SELECT iif(changelog_version + changelog_epoch > :version AND changelog_enabled, changelog_max_entries, 0)
                             FROM idea_banks b JOIN accounts a ON a.id = b.account_id WHERE b.id = :ideaBankId), 0))
       WHERE ${authorStays("author_id")})
     WHERE bytes <= ${MAX_CHANGELOG_BYTES} ORDER BY last_activity_at DESC, id DESC`,
    { ideaBankId, version },
  );

type RevocationRow = [seq: number, panelistId: string, revokedAt: number, recordedAt: number];

const toRevocation = ([seq, panelistId, revokedAt, recordedAt]: RevocationRow): ListedRevocation => ({
  ...{ seq, panelistId, revokedAt },
  recordedAt: recordedAt % KEPT_FOR_GOOD,
});

const toEntry = (row: EntryRow): ChangelogEntry => ({
  id: row.id,
  title: row.title,
  description: row.description,
  lastActivityAt: row.last_activity_at,
  publishedAt: row.published_at,
});

const toIdeaBankState = (row: StateRow): IdeaBankState => ({
  accountId: row.account_id,
  panelistSalt: row.panelist_salt,
  accountSuspended: row.account_status === "suspended",
  name: row.name,
  url: row.url,
  status: row.status,
  internal: row.internal === 1,
  changelogEnabled: row.changelog_enabled === 1,
  submissionsEnabled: row.submissions_enabled === 1,
  votingEnabled: row.voting_enabled === 1,
  commentsEnabled: row.comments_enabled === 1,
  surveysEnabled: row.surveys_enabled === 1,
  description: row.description,
  publicPage: row.public_page === 1,
  hiddenFromSearch: row.hidden_from_search === 1,
  emailSignIn: row.email_sign_in === 1,
  signInUrl: row.sign_in_url,
  changelogVersion: row.changelog_version,
  visitorTokensEndedAt: row.visitor_tokens_ended_at,
  tokensEndedAt: row.tokens_ended_at,
  ...toEpochs(row),
});
