/**
 * The one rule by which tokens are dated, ended and judged, as SQL. Whoever issues, ends or judges tokens uses it.
 *
 * A token's date is in whole seconds. A token that we have issued is valid while its date is later than every end that covers it: the last
 * end of its holder (a panelist, or the visitors of an idea bank), and the account's. D1's clock dates both, because the clocks of Workers
 * differ.
 *
 * - A token is dated now, or in the second after the last end that covers it. None is dated further ahead than the next second.
 * - An end is dated now. But if another end may have brought tokens into the next second, it is dated there, and ends them, too.
 *
 * So a token that was issued before an end is never dated later than it, in whatever order ends and tokens come. Ends never run ahead of
 * the clock by more than a second: where the next token would, none is issued until the second is over.
 *
 * A token that a tenant's server has signed has the date that the server wrote. It ends with its panelist's tokens, by that date, and
 * with its secret's epoch (panelist-access.ts).
 */
import { CLOCKS_APART_SECONDS } from "../../credentials/compound-token.ts";

/** A time in SQL is in Unix milliseconds, and NULL where nothing was ended. */
const NEVER = 0;

/** The last of these ends. */
export const lastEnd = (...ends: readonly string[]): string =>
  `max(${[...ends.map((end) => `coalesce(${end}, ${NEVER})`), NEVER].join(", ")})`;

export const endOfAccount = (id: string) => `(SELECT tokens_ended_at FROM accounts WHERE id = ${id})`;

/** The last end that covers the tokens of this row. */
export const LAST_END_OF = {
  panelists: lastEnd("panelists.tokens_revoked_at", endOfAccount("panelists.account_id")),
  idea_banks: lastEnd("idea_banks.visitor_tokens_ended_at", endOfAccount("idea_banks.account_id")),
} as const;

/** The condition that a token with this date (Unix milliseconds) was issued after the end. `isIssuedAfter` is the same. */
export const issuedAfter = (date: string, end: string): string => `${date} > ${end}`;

const NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
const THIS_SECOND = "unixepoch() * 1000";
const NEXT_SECOND = "(unixepoch() + 1) * 1000";

/** The date of a token that is issued now, after the last end that covers it: Unix seconds. */
export const dateAfter = (last: string): string => `max(unixepoch(), ${last} / 1000 + 1)`;
/** Whether one can be issued. */
export const canBeDated = (last: string): string => `${dateAfter(last)} <= unixepoch() + 1`;

/** The time of an end that is made now. `last` is the last end of all that cover one of the tokens which it ends. */
const endAfter = (last: string, now = NOW): string =>
  `max(${now}, ${last}, iif(${last} >= ${THIS_SECOND}, ${NEXT_SECOND}, ${NEVER}))`;

/**
 * The Worker's clock (`:clock`, Unix milliseconds) counts for a panelist's tokens if it is ahead, because it has judged the dates of
 * signed tokens. But only so far that a wrong clock keeps nobody out.
 */
const CLOCK = `min(:clock, ${NOW} + ${CLOCKS_APART_SECONDS * 1000})`;

/** The new `tokens_revoked_at`. */
export const PANELIST_ENDED_NOW = endAfter(LAST_END_OF.panelists, `max(${NOW}, ${CLOCK})`);

const BEFORE_SWITCHED_OFF = lastEnd(LAST_END_OF.panelists, `iif(${CLOCK} >= ${NEXT_SECOND}, ${CLOCK}, ${NEVER})`);
/**
 * The same for a statement that makes the panelist inactive. The trigger `panelist_switched_off` then ends the tokens after this time,
 * and knows nothing of the account's end, nor of the Worker's clock.
 */
export const PANELIST_SWITCHED_OFF = `iif(active = 0 OR ${BEFORE_SWITCHED_OFF} < ${THIS_SECOND}, tokens_revoked_at, ${BEFORE_SWITCHED_OFF})`;

/** The new `visitor_tokens_ended_at`. */
export const VISITORS_ENDED_NOW = endAfter(LAST_END_OF.idea_banks);

/** `recorded_at` of a panelist who is inactive is this much later (schema.sql), in milliseconds. */
export const KEPT_FOR_GOOD = 2 ** 52;
/** A revocation that was recorded this long ago may be dated in this second. */
const DATED_AHEAD_SECONDS = CLOCKS_APART_SECONDS + 1;
/** So many idea banks are looked at. In an account with more, some may have ended visitors' tokens in this second. */
const IDEA_BANKS_SEEN = 100;

/** The newest revocation is the last row. In the account that the statement updates, as below. */
const REVOKED_LATELY = `(SELECT iif(recorded_at % ${KEPT_FOR_GOOD} >= (unixepoch() - ${DATED_AHEAD_SECONDS}) * 1000, ${THIS_SECOND}, ${NEVER})
    FROM token_revocations WHERE account_id = accounts.id ORDER BY seq DESC LIMIT 1)`;
const VISITORS_ENDED_LATELY = `(SELECT iif(count(*) > ${IDEA_BANKS_SEEN}, ${THIS_SECOND}, max(visitor_tokens_ended_at))
    FROM (SELECT visitor_tokens_ended_at FROM idea_banks WHERE account_id = accounts.id LIMIT ${IDEA_BANKS_SEEN + 1}))`;

/** The new `tokens_ended_at` of an account: it covers the tokens of everybody. It reads a bounded number of rows. */
export const ACCOUNT_ENDED_NOW = endAfter(lastEnd("tokens_ended_at", REVOKED_LATELY, VISITORS_ENDED_LATELY));
