import { createHash } from "node:crypto";
import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, callsOf, field, text } from "./seen/calls.ts";
import { callsByKey, keyOf } from "./seen/credentials.ts";
import { stepped } from "./seen/faults.ts";
import { rowsOf } from "./seen/rows.ts";

/** The oldest record that decides: what has changed since says nothing yet. */
const OLDEST_RECORD_MS = 300_000;

/**
 * A key whose row has allowed everything for five minutes, or since it was made or rotated, is not 401, and whoami with it not 403: a store that
 * is down is 503.
 */
function* find(history: History): Iterable<Finding> {
  const rows = rowsOf(history);
  const epoch = history.epoch ?? 0;
  // From the answer on, when it says that its gate was told: of what was so when it was sent.
  const rotations = new Map(
    callsOf(history).flatMap(({ operation, at, answer, answeredAt, status }) => {
      const shown = text(answer?.body, "key");
      const isTold = operation === "rotateApiKey" && status === 201 && field(answer?.body, "warning") == null;
      return isTold && shown !== undefined ? [[shown, { at, answeredAt }] as const] : [];
    }),
  );
  const unwritten = callsOf(history).filter(
    ({ operation, status }) => /^revoke(?:ApiKey|KeyAsOperator)$/.test(operation ?? "") && status !== 200,
  );
  for (const [keyId, calls] of callsByKey(history)) {
    const versions = rows.versions("api_keys", keyId);
    for (const call of calls) {
      if (call.status !== 401 && !(call.status === 403 && call.operation === "whoami")) continue;
      // Its gate refuses a key whose revocation a full database did not take: the answer said so.
      if (unwritten.some(({ path, at }) => path.includes(keyId) && at <= call.answeredAt)) continue;
      const hash = createHash("sha256")
        .update(keyOf(call) ?? "")
        .digest("hex");
      const shown = rotations.get(keyOf(call) ?? "");
      const isShown = shown !== undefined && shown.answeredAt < call.at;
      const oldest = call.at - OLDEST_RECORD_MS - history.settings.leaseMs;
      const from = isShown ? Math.max(shown.at, oldest) : oldest;
      const since = seenBy(versions, call, isShown ? Math.max(shown.answeredAt, oldest) : oldest);
      const end = epoch + call.answeredAt + stepped(history, 0, call.answeredAt) + 1_000;
      const isGood =
        since.length > 0 &&
        since.every(
          ({ row, at }, index) =>
            (index === 0 && at > 0 && row === null) ||
            (row !== null &&
              row.secret_hash === hash &&
              row.revoked_at === null &&
              (row.expires_at === null || Number(row.expires_at) > end) &&
              (call.status === 401 || isActive(history, row.account_id, from, call))),
        ) &&
        (call.status === 401 || seenBy(versions, call, from).every(({ row }) => row === null || allowsAll(row)));
      if (!isGood) continue;
      yield {
        at: call.answeredAt,
        found: `key ${keyId} is valid, and ${call.operation} was answered ${call.status} ${text(call.answer?.body, "reason") ?? field(call.answer?.body, "detail")}`,
        calls: [call.call],
      };
    }
  }
}

type Version = ReturnType<ReturnType<typeof rowsOf>["versions"]>[number];

/** The versions of a row that a record may be that was read from `from` on. */
const seenBy = (versions: readonly Version[], call: Call, from: number): readonly Version[] =>
  versions.filter(({ at }, index) => at <= call.answeredAt && (versions[index + 1]?.at ?? Infinity) >= from);

const allowsAll = (row: NonNullable<Version["row"]>): boolean =>
  row.paused_at === null && row.allowed_addresses === null;

const isActive = (history: History, account: unknown, from: number, call: Call): boolean =>
  seenBy(rowsOf(history).versions("accounts", String(account)), call, from).every(
    ({ row }) => row === null || row.status === "active",
  );

export const validKeys = oracle(
  {
    name: "valid-key-works",
    promise: "Served in an outage",
    words: "A key that is valid for 5 minutes is not answered 401 or 403, whichever store is down.",
  },
  find,
);
