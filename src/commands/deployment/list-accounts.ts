/** The operator's list of accounts, and the activity of one account: as text, or as JSON for a program. */
import { STORED_BYTES } from "../../worker/database/quota.ts";
import type { EveryDatabase, Row } from "./every-database.ts";
import { quote } from "./sql.ts";

const DAY_MS = 86_400_000;
const MEBIBYTE = 1_048_576;
/** So many events are read at once. */
const PAGE = 1_000;

/** Every account of every database, oldest first: its active keys, members, storage, and the requests of the last day. */
export async function listAccounts({ bindings, query }: EveryDatabase, now: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const binding of bindings)
    rows.push(
      ...(await query(
        binding,
        `SELECT id, owner_email AS owner, status, ${STORED_BYTES} AS storedBytes, max_bytes AS maxBytes, created_at AS createdAt,
          (SELECT count(*) FROM api_keys WHERE account_id = a.id AND revoked_at IS NULL AND coalesce(expires_at, ${now} + 1) > ${now}) AS apiKeys,
          (SELECT count(*) FROM members WHERE account_id = a.id) AS members,
          (SELECT coalesce(sum(u.admitted + u.limited), 0) FROM api_keys k JOIN api_key_usage u ON u.api_key_id = k.id
            WHERE k.account_id = a.id AND u.hour > ${now - DAY_MS}) AS requestsOfLastDay
         FROM accounts a ORDER BY created_at, id`,
      )),
    );
  return rows;
}

export function describeAccount(row: Row): string {
  const { id, owner, status, storedBytes, maxBytes, apiKeys, members, requestsOfLastDay } = row;
  const mebibytes = (bytes: unknown) => (Number(bytes) / MEBIBYTE).toFixed(1);
  const of = (count: unknown, noun: string) => `${count} ${noun}${Number(count) === 1 ? "" : "s"}`;
  return `${id}  ${owner}: ${status}, ${of(apiKeys, "API key")}, ${of(members, "more member")}, ${mebibytes(storedBytes)} of ${mebibytes(maxBytes)} MiB, ${of(requestsOfLastDay, "request")} in the last day`;
}

/** The activity of an account, oldest first. */
export async function* readEvents({ query }: EveryDatabase, binding: string, accountId: string): AsyncGenerator<Row> {
  for (let last = { at: -1, id: "" }; ; ) {
    const rows = await query(
      binding,
      `SELECT id, event, api_key_id AS apiKeyId, api_key_name AS apiKeyName, webhook_id AS webhookId, subject_id AS subjectId, actor, address, created_at AS createdAt, changes
       FROM audit_events WHERE account_id = ${quote(accountId)} AND (created_at, id) > (${last.at}, ${quote(last.id)})
       ORDER BY created_at, id LIMIT ${PAGE}`,
    );
    yield* rows;
    const end = rows.at(-1);
    if (end === undefined || rows.length < PAGE) return;
    last = { at: Number(end.createdAt), id: String(end.id) };
  }
}

export function describeEvent({ event, createdAt, actor, changes, ...of }: Row): string {
  const what = [of.apiKeyId, of.webhookId, of.subjectId, of.apiKeyName].filter(Boolean).join(" ");
  return [new Date(Number(createdAt)).toISOString(), event, what, actor && `by ${actor}`, changes]
    .filter(Boolean)
    .join("  ");
}

/** A line of JSON for a row of these lists. */
export function jsonLine({ changes, ...row }: Row): string {
  const times = Object.entries(row).map(([name, value]) => [
    name,
    name === "createdAt" ? new Date(Number(value)).toISOString() : value,
  ]);
  const whole = {
    ...Object.fromEntries(times),
    ...(changes !== undefined && { changes: JSON.parse(String(changes)) }),
  };
  return toJson(whole);
}

/** A line of JSON. What a terminal would obey is escaped, so that it stays JSON on a screen, too. */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\u009f]|\p{Bidi_Control}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
