import type { History, Row } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { callsOf, field, succeeded } from "./seen/calls.ts";
import { crashes, faulty, stepped } from "./seen/faults.ts";
import { type Look, looksByKey } from "./seen/key-looks.ts";
import { behindMs, type Facts, isTold, type KeyRequest, REFUSED_MS, requestsByKey } from "./seen/key-requests.ts";
import { rowsOf } from "./seen/rows.ts";

const MINUTE_MS = 60_000;

/**
 * What the page says of the last use, the last refusal and the last use with the old secret is of such a request, with its facts. It is
 * not older than the newest that was answered so long ago that its owner must see it.
 */
function* find(history: History): Iterable<Finding> {
  const requests = requestsByKey(history);
  for (const [keyId, looks] of looksByKey(history)) {
    const all = requests.get(keyId) ?? [];
    for (const look of looks) {
      // What was sent while the page was made may be on it.
      const sent = all.filter(({ call }) => call.at <= look.call.answeredAt);
      yield* uses(history, look, sent);
      yield* previousUses(history, look, sent);
      yield* refusals(history, look, sent);
    }
  }
}

function* uses(history: History, look: Look, sent: readonly KeyRequest[]): Iterable<Finding> {
  const { lastUse } = look.shown;
  const may = sent.filter(({ is }) => is === "use" || is === "either");
  if (lastUse !== null && !may.some((request) => isOf(lastUse, request))) yield notReal(look, "last use", lastUse);
  const must = newest(history, look, sent.filter(isUse));
  if (isOlder(history, lastUse, must)) yield notNew(look, "last use", lastUse, must);
}

/** The old secret is the one before the last rotation; which that is, D1 knows. */
function* previousUses(history: History, look: Look, sent: readonly KeyRequest[]): Iterable<Finding> {
  const { previousLastUse } = look.shown;
  const now = (history.epoch ?? 0) + look.call.at;
  const works = (row: Row | null) =>
    row?.revoked_at === null && Number(row.expires_at ?? Infinity) > now && Number(row.previous_expires_at ?? 0) > now;
  const states = keyRows(history, look, look.call.at);
  const hashes = states.flatMap((row) => (works(row) ? [row?.previous_secret_hash] : []));
  const may = sent.filter(({ is, hash }) => is !== "refusal" && is !== "none" && hashes.includes(hash));
  if (previousLastUse !== null && !may.some((request) => isOf(previousLastUse, request)))
    yield notReal(look, "last use of the old secret", previousLastUse);
  const after = sent.filter(
    (request) =>
      isUse(request) &&
      request.call.at > rotatedAt(history, look, request.hash) &&
      keyRows(history, look, request.call.at).every((row) => works(row) && row?.previous_secret_hash === request.hash),
  );
  const must = newest(history, look, after);
  if (isOlder(history, previousLastUse, must)) yield notNew(look, "last use of the old secret", previousLastUse, must);
}

/**
 * When the answer came that made this secret the old one, by whichever clock: a use meanwhile may be of either. A gate that was not told,
 * as the answer says, knows it a minute later.
 */
const rotatedAt = (history: History, { keyId }: Look, hash: string): number => {
  const rows = rowsOf(history);
  const version = rows.versions("api_keys", keyId).find(({ row }) => row?.previous_secret_hash === hash);
  const id = rows.commits[version?.moment ?? -1]?.call;
  const rotation = callsOf(history).find(({ call }) => call === id);
  const isTold = rotation === undefined || (succeeded(rotation) && field(rotation.answer?.body, "warning") == null);
  const from = (rotation?.answeredAt ?? version?.at ?? Infinity) + (isTold ? 0 : MINUTE_MS + history.settings.leaseMs);
  return from + stepped(history, 0, Infinity);
};

/**
 * Of a key that is only refused, one refusal in an hour is kept: then there is one. Of another, and of one over its limit, the last one
 * is known like the last use; but an isolate that has refused a secret does so by itself for a minute.
 */
function* refusals(history: History, look: Look, sent: readonly KeyRequest[]): Iterable<Finding> {
  const { lastRefusal } = look.shown;
  const isRefusal = (request: KeyRequest) =>
    lastRefusal !== null &&
    isOf(lastRefusal, request) &&
    (request.is === "either" || request.reasons.includes(lastRefusal.reason));
  const may = sent.filter(({ is }) => is === "refusal" || is === "either");
  if (lastRefusal !== null && !may.some(isRefusal))
    yield notReal(look, `last refusal (${lastRefusal.reason})`, lastRefusal);
  const refused = sent.filter(({ is }) => is === "refusal");
  const one = newest(history, look, refused);
  const lastUse = newest(history, look, sent.filter(isUse));
  const limited = newest(history, look, refused.filter(isLimited));
  const isInUse = ({ call }: KeyRequest) => lastUse !== undefined && lastUse.call.at > call.answeredAt;
  const other = newest(history, look, refused.filter(isInUse));
  if (lastRefusal === null && one !== undefined) yield notNew(look, "last refusal", lastRefusal, one);
  else if (isOlder(history, lastRefusal, limited)) yield notNew(look, "last refusal", lastRefusal, limited);
  else if (isOlder(history, lastRefusal, other, REFUSED_MS)) yield notNew(look, "last refusal", lastRefusal, other);
}

const isUse = ({ is }: KeyRequest): boolean => is === "use";
const isLimited = ({ reasons }: KeyRequest): boolean => reasons.includes("limited");

/** The states of a key's row from a moment on, until its owner had the page. */
const keyRows = (history: History, { keyId, call }: Look, from: number): readonly (Row | null)[] => {
  const versions = rowsOf(history).versions("api_keys", keyId);
  return versions
    .filter((version, index) => version.at <= call.answeredAt && (versions[index + 1]?.at ?? Infinity) >= from)
    .map(({ row }) => row);
};

const isOf = (shown: Facts, { facts, from, until }: KeyRequest): boolean => {
  const at = Date.parse(shown.at);
  const names = ["network", "country", "userAgent", "operation"] as const;
  return at >= from && at <= until && names.every((name) => shown[name] === facts[name]);
};

/** Of those that an owner must see by now, the one that was sent last. A gate that does not answer shows none of them. */
const newest = (history: History, look: Look, requests: readonly KeyRequest[]): KeyRequest | undefined =>
  requests.findLast(
    (request) =>
      isAnswering(history, look) &&
      request.call.answeredAt + behindMs(history) <= look.call.at &&
      isTold(history, look.keyId, request, look.call.answeredAt),
  );

const isAnswering = (history: History, { keyId, call }: Look): boolean =>
  !faulty(history, "gate", keyId, call.at, call.answeredAt) && crashes(history, keyId, call.at, call.answeredAt) === 0;

/** Clocks that differ say differently which of two requests was the last. */
const isOlder = (history: History, shown: Facts | null, must: KeyRequest | undefined, mayMs = 0): must is KeyRequest =>
  must !== undefined && (shown === null || Date.parse(shown.at) + mayMs + stepped(history, 0, Infinity) < must.from);

const notReal = ({ call, keyId }: Look, what: string, shown: Facts): Finding => ({
  at: call.answeredAt,
  found: `the ${what} of key ${keyId} is ${JSON.stringify(shown)}: no such request was one`,
  calls: [call.call],
});
const notNew = ({ call, keyId }: Look, what: string, shown: Facts | null, { call: newer }: KeyRequest): Finding => ({
  at: call.answeredAt,
  found: `the ${what} of key ${keyId} is ${shown?.at ?? "unknown"} in an answer at ${call.answeredAt}; one was sent at ${newer.at}`,
  calls: [call.call, newer.call],
});

export const lastUse = oracle(
  {
    name: "last-use-true",
    promise: "True counts",
    words:
      "The page of a key shows its last use and its last refusal in all isolates, ten seconds late at most, while its Durable Object answers.",
  },
  find,
);
