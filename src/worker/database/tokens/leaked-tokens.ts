/** Compound tokens that were found in public: those of their person, or of the idea bank's visitors, end or are recorded. */
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { countRecent, UNCOUNTED_A_DAY } from "../activity/audit-events.ts";
import type { TokenRevocation } from "../idea-banks/idea-bank-view.ts";
import { issuedAfter, lastEnd, PANELIST_ENDED_NOW, VISITORS_ENDED_NOW } from "./token-dates.ts";

/** `eventId` is the id for its audit event. */
export type Leak = { readonly eventId: string; readonly foundAt: string };
export type Report<Found extends Leak> = {
  readonly found: readonly Found[];
  readonly reporter: string;
  /** Unix milliseconds. */
  readonly now: number;
};

/**
 * `issuedAt` is in Unix milliseconds. `panelistId` is null for a visitor's. `externalId`: the tenant's server has signed it, and the
 * panelist may have no row yet.
 */
export type LeakedToken = Leak & {
  readonly secret: "token" | "visitor-token" | "signed-token";
  readonly ideaBankId: string;
  readonly panelistId: string | null;
  readonly externalId: string | null;
  readonly issuedAt: number;
  /** Otherwise it is only recorded. */
  readonly ends: boolean;
};

const DAY_MS = 86_400_000;
const TOKEN = "json_each(:found) r";
const value = (name: string) => `r.value ->> '$.${name}'`;

/**
 * SQL: the details of a leak's event. `ended` is SQL, and NULL where the account `a` only has leaks marked. `about`
 * is SQL for the members of a JSON object.
 */
export const leakedEvent = (secret: string, ended: string, about: string): string =>
  `json_object('before', json_object('secret', NULL, 'foundAt', NULL, 'ended', NULL), 'after', json_object('secret', ${secret},
     'foundAt', ${value("foundAt")}, 'ended', iif(a.marks_leaked_keys, NULL, ${ended}), ${about}))`;

/** SQL: an account that only marks leaks gets one event a day for each secret. `member` of the details names its subject. */
export const isNews = (secret: string, member: string, id: string): string =>
  `(NOT a.marks_leaked_keys OR NOT EXISTS (SELECT 1 FROM audit_events e WHERE e.account_id = a.id AND e.created_at > :now - ${DAY_MS}
     AND e.event = 'leaked' AND e.changes ->> '$.after.secret' = ${secret} AND e.changes ->> '$.after.${member}' = ${id}))`;

/** SQL: who may make such secrets can report them, too, so an account's day has at most 100 of these events. */
export const leaksOfToday = (accountId: string): string =>
  countRecent("event = 'leaked' AND api_key_id IS NULL", { accountId, now: ":now" });

export const EVENT_OF_LEAK =
  "INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, webhook_id, actor, created_at, changes)";

/** A token that is no longer valid changes nothing. Returns the revocations, so that this isolate knows them at once. */
export async function recordLeakedTokens(
  session: Session,
  { found, reporter, now }: Report<LeakedToken>,
): Promise<readonly TokenRevocation[]> {
  const values = { found: JSON.stringify(found), reporter, now, clock: now };
  const event = (secret: string, ended: string, about: string, from: string) =>
    prepare(
      `${EVENT_OF_LEAK} SELECT id, account_id, 'leaked', NULL, '', NULL, :reporter, :now, changes FROM (
         SELECT ${value("eventId")} AS id, a.id AS account_id, row_number() OVER (PARTITION BY a.id ORDER BY r.key) AS place,
           ${leakedEvent(secret, ended, about)} AS changes ${from}) l
       WHERE place <= ${UNCOUNTED_A_DAY} - ${leaksOfToday("l.account_id")} ON CONFLICT DO NOTHING`,
      values,
    );
  // With all of the account's, a signed token ends by its secret, which was good when the caller asked.
  const isValid = (...ends: readonly string[]) =>
    `iif(${value("externalId")} IS NULL, ${issuedAfter(value("issuedAt"), lastEnd(...ends, "a.tokens_ended_at"))},
       ${issuedAfter(value("issuedAt"), lastEnd(...ends))})`;
  /** A token in use: of a person, or of an idea bank's visitors. */
  const isPersons = (p: string) =>
    `${p}.deleted_at IS NULL AND ${p}.active = 1 AND (${value("externalId")} IS NULL OR ${p}.external_id = ${value("externalId")})
         AND ${isValid(`${p}.tokens_revoked_at`)}`;
  const isVisitors = (b: string) => `${value("panelistId")} IS NULL AND ${isValid(`${b}.visitor_tokens_ended_at`)}`;
  const { revoked, ended } = await session.batch({
    signedFor: prepare(
      `INSERT INTO panelists (id, account_id, external_id, created_at, tokens_issued)
       SELECT ${value("panelistId")}, b.account_id, ${value("externalId")}, :now, 1
       FROM ${TOKEN} CROSS JOIN idea_banks b ON b.id = ${value("ideaBankId")} CROSS JOIN accounts a ON a.id = b.account_id
       WHERE ${value("externalId")} IS NOT NULL AND NOT a.marks_leaked_keys ON CONFLICT DO NOTHING`,
      values,
    ),
    persons: event(
      value("secret"),
      "'tokens'",
      "'panelistId', p.id",
      `FROM ${TOKEN} CROSS JOIN panelists p ON p.id = ${value("panelistId")} CROSS JOIN accounts a ON a.id = p.account_id
       WHERE ${isPersons("p")} AND ${isNews(value("secret"), "panelistId", "p.id")}`,
    ),
    visitors: event(
      value("secret"),
      `iif(${value("ends")}, 'visitor tokens', NULL)`,
      "'ideaBankId', b.id",
      `FROM ${TOKEN} CROSS JOIN idea_banks b ON b.id = ${value("ideaBankId")} CROSS JOIN accounts a ON a.id = b.account_id
       WHERE ${isVisitors("b")} AND ${isNews(value("secret"), "ideaBankId", "b.id")}`,
    ),
    tokens: prepare(
      `UPDATE panelists SET tokens_revoked_at = ${PANELIST_ENDED_NOW} FROM ${TOKEN} CROSS JOIN accounts a
       WHERE panelists.id = ${value("panelistId")} AND a.id = panelists.account_id AND NOT a.marks_leaked_keys AND ${isPersons("panelists")}`,
      values,
    ),
    visitorTokens: prepare(
      `UPDATE idea_banks SET visitor_tokens_ended_at = ${VISITORS_ENDED_NOW} FROM ${TOKEN} CROSS JOIN accounts a
       WHERE idea_banks.id = ${value("ideaBankId")} AND a.id = idea_banks.account_id
         AND NOT a.marks_leaked_keys AND ${value("ends")} AND ${isVisitors("idea_banks")}`,
      values,
    ),
    revoked: prepare<TokenRevocation>(
      `SELECT seq, t.panelist_id AS panelistId, t.revoked_at AS revokedAt
       FROM ${TOKEN} CROSS JOIN token_revocations t ON t.panelist_id = ${value("panelistId")}`,
      values,
    ),
    ended: prepare<TokenRevocation>(
      `SELECT b.visitor_tokens_ended_at AS seq, b.visitor_tokens_ended_at AS revokedAt, b.id AS panelistId
       FROM ${TOKEN} CROSS JOIN idea_banks b ON b.id = ${value("ideaBankId")}
       WHERE ${value("panelistId")} IS NULL AND b.visitor_tokens_ended_at IS NOT NULL`,
      values,
    ),
  });
  return [...revoked, ...ended];
}
