/** Accounts, their parts and their activity as the operator reads them: as text, or as JSON for a program. */
import type {
  FoundAccount,
  ListedAccount,
  ShownKey,
  ShownWebhook,
} from "../../../worker/database/accounts/found-accounts.ts";
import type { StoredEvent } from "../../../worker/database/activity/whole-activity.ts";
import { toTimestamp } from "../../../worker/model/text.ts";

const MEBIBYTE = 1_048_576;
const mebibytes = (bytes: number): string => (bytes / MEBIBYTE).toFixed(1);

export const describeAccount = ({ id, owner, status, storedBytes, maxBytes }: FoundAccount): string =>
  `${owner} (account ${id}) is ${status}. It stores ${mebibytes(storedBytes)} of ${mebibytes(maxBytes)} MiB.`;

export function describeListed({ id, owner, status, storedBytes, maxBytes, ...counts }: ListedAccount): string {
  const of = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
  return `${id}  ${owner}: ${[
    status,
    of(counts.apiKeys, "API key"),
    of(counts.members, "more member"),
    `${mebibytes(storedBytes)} of ${mebibytes(maxBytes)} MiB`,
    `${of(counts.requestsOfLastDay, "request")} in the last day`,
  ].join(", ")}`;
}

export function describeKey(key: ShownKey, now: number): string {
  const { id, name, limit, windowSeconds, revokedAt, expiresAt, pausedAt } = key;
  const states = [
    revokedAt && `revoked ${toTimestamp(revokedAt)}`,
    !revokedAt && expiresAt && `${expiresAt <= now ? "expired" : "expires"} ${toTimestamp(expiresAt)}`,
    !revokedAt && pausedAt && `paused since ${toTimestamp(pausedAt)}`,
  ];
  return [`  ${id}  ${name}: ${limit} requests in ${windowSeconds} s`, ...states].filter(Boolean).join(", ");
}

/** One that fails has its next attempt; one that does not has at most something to deliver now. */
export function describeWebhook({ id, url, state, failingSince, dueAt, attempts }: ShownWebhook): string {
  const states = [
    failingSince && `failing since ${toTimestamp(failingSince)}`,
    failingSince && dueAt && `next attempt ${toTimestamp(dueAt)}`,
    !failingSince && dueAt && !attempts && `waiting for the scheduled job since ${toTimestamp(dueAt)}`,
  ];
  return [`  ${id}  webhook ${url}: ${state}`, ...states].filter(Boolean).join(", ");
}

export function describeEvent({ event, createdAt, actor, changes, ...of }: StoredEvent): string {
  const what = [of.apiKeyId, of.webhookId, of.subjectId, of.apiKeyName].filter(Boolean).join(" ");
  return [toTimestamp(createdAt), event, what, actor && `by ${actor}`, changes].filter(Boolean).join("  ");
}

export const accountJson = (account: ListedAccount): string =>
  toJson({ ...account, createdAt: toTimestamp(account.createdAt) });

export const eventJson = (event: StoredEvent): string =>
  toJson({ ...event, createdAt: toTimestamp(event.createdAt), changes: JSON.parse(String(event.changes)) });

/** A line of JSON. What a terminal would obey is escaped, so that it stays JSON on a screen, too. */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\u009f]|\p{Bidi_Control}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
