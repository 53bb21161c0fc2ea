import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, callsOf, segmentAfter, succeeded } from "./seen/calls.ts";
import { admissionOf, callsByKey } from "./seen/credentials.ts";
import { rowsOf } from "./seen/rows.ts";

const MINUTE_MS = 60_000;
const OLDEST_RECORD_MS = 300_000;

/** What an ended key may still be answered: 401; 403, 404, 405 and 5xx say nothing of it; 429 for up to a minute. */
export const isAdmitted = (call: Call, endedAt: number): boolean =>
  admissionOf(call) === "admitted" || (call.status === 429 && call.at > endedAt + MINUTE_MS);

/** Only what was sent after the owner, or the operator, had the answer: a request under way when it came may have been decided before. */
function* revoked(history: History): Iterable<Finding> {
  const byKey = callsByKey(history);
  for (const owner of callsOf(history)) {
    const isRevocation = owner.operation === "revokeApiKey" || owner.operation === "revokeKeyAsOperator";
    const keyId = isRevocation ? segmentAfter(owner, "keys") : undefined;
    if (keyId === undefined || !succeeded(owner)) continue;
    for (const call of byKey.get(keyId) ?? []) {
      if (call.at <= owner.answeredAt || !isAdmitted(call, owner.answeredAt)) continue;
      yield {
        at: call.answeredAt,
        found: `key ${keyId} was revoked by an answer at ${owner.answeredAt}; a request sent at ${call.at} was answered ${call.status}`,
        calls: [owner.call, call.call],
      };
    }
  }
}

/**
 * From the commit, whatever the owner was answered: a 503, nothing, or a revocation by somebody who writes to D1. A lease may be
 * granted in the last moment of the five minutes.
 */
function* unconfirmed(history: History): Iterable<Finding> {
  const rows = rowsOf(history);
  const answers = new Map(callsOf(history).map((call) => [call.call, call.answeredAt]));
  for (const [keyId, calls] of callsByKey(history)) {
    const version = rows.versions("api_keys", keyId).find((one) => one.row === null || one.row.revoked_at != null);
    if (version === undefined) continue;
    const by = rows.commits[version.moment]?.call;
    const answeredAt = by === undefined ? undefined : answers.get(by);
    // A commit may come after its answer, when that was a 503.
    const endedAt = Math.max(version.at, answeredAt === undefined || answeredAt === Infinity ? 0 : answeredAt);
    for (const call of calls) {
      const allowed = OLDEST_RECORD_MS + history.settings.leaseMs;
      if (call.at <= endedAt + allowed || !isAdmitted(call, endedAt + allowed)) continue;
      yield {
        at: call.answeredAt,
        found: `the revocation of key ${keyId} was committed at ${version.at}; a request sent ${call.at - endedAt} ms later was answered ${call.status}`,
        calls: by === undefined ? [call.call] : [by, call.call],
      };
    }
  }
}

export const revocation = oracle(
  {
    name: "revocation",
    promise: "Revoked at once",
    words:
      "When a request of the owner or of the operator to revoke a key is answered, no request with that key is admitted.",
  },
  revoked,
);

export const unconfirmedRevocation = oracle(
  {
    name: "revocation-unconfirmed",
    promise: "Revoked at once",
    words:
      "A key that was revoked works for 5 minutes at most, also when the request that revoked it got 503 or no answer.",
  },
  unconfirmed,
);
