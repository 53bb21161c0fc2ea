/**
 * How much somebody may write in the first hour after signing in on a page for the first time. It is counted by mailbox, so `+tags` give
 * nobody more. The people of tenants, whom somebody vouches for, have no such limit.
 */
import { prepare } from "../../store/statement.ts";
import { type TokenClaims, tokenValues } from "../panelists/panelist-access.ts";

const NEW_MS = 3_600_000;

/** In the first hour: docs/security.md. */
export const FIRST_HOUR = { proposals: 5, comments: 20 } as const;
export type Written = keyof typeof FIRST_HOUR;

const columnOf = (what: Written): string => `first_hour_${what}`;

const IS_NEW = `w.email_verified = 1 AND w.external_id IS NULL AND w.created_at > :now - ${NEW_MS}`;

/** SQL: the panelist `w` may write one more at `:now`. For others it reads nothing more than the row; for somebody new the mailbox's new people. */
export const mayWriteMore = (what: Written): string =>
  `NOT (${IS_NEW} AND ${FIRST_HOUR[what]} <= (SELECT sum(m.${columnOf(what)}) FROM panelists m
     WHERE m.account_id = w.account_id AND m.mailbox = w.mailbox AND m.created_at > :now - ${NEW_MS}))`;

/**
 * For the batch of the write, behind it: counts what was written as `id`, so that deleting it gives nothing back. Undefined for a token that
 * nobody new has, because a token is no older than its panelist.
 */
export const countWritten = (token: TokenClaims, what: Written, { id, now }: { id: string; now: number }) =>
  token.signed === undefined && token.issuedAt * 1000 > now - NEW_MS
    ? prepare(
        `UPDATE panelists AS w SET ${columnOf(what)} = ${columnOf(what)} + 1
         WHERE w.id = :panelistId AND ${IS_NEW} AND EXISTS (SELECT 1 FROM ${what} WHERE id = :id)`,
        { ...tokenValues(token), id, now },
      )
    : undefined;

/** For the batch of the write: a row if the panelist may write no more for now, with the seconds until then. */
export const selectWait = (token: TokenClaims, what: Written, now: number) =>
  prepare<{ seconds: number }>(
    `SELECT (w.created_at + ${NEW_MS} - :now) / 1000.0 AS seconds FROM panelists w WHERE w.id = :panelistId AND NOT (${mayWriteMore(what)})`,
    { ...tokenValues(token), now },
  );
