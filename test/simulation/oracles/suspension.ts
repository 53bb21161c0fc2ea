import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, callsOf, field, groupBy, succeeded, text } from "./seen/calls.ts";
import { admissionOf, callsByKey } from "./seen/credentials.ts";
import { faulty } from "./seen/faults.ts";
import { rowsOf } from "./seen/rows.ts";

type Change = { readonly call: Call; readonly to: string; readonly from: number; readonly until: number };

/**
 * A confirmed status holds from its answer until a request for the other one is sent, or D1 is written by somebody else. One that was
 * under way at the same time makes the status uncertain: it counts for nothing.
 */
function* confirmed(history: History): Iterable<readonly [string, Change]> {
  const changes = callsOf(history).filter((call) => call.operation === "setAccountStatus");
  for (const call of changes) {
    const account = text(call.answer?.body, "accountId");
    const to = text(call.body, "status");
    if (!succeeded(call) || account === undefined || to === undefined) continue;
    const others = changes.filter(
      (other) => other !== call && field(other.body, "status") !== to && other.answeredAt > call.at,
    );
    const written = rowsOf(history)
      .versions("accounts", account)
      .filter((version) => version.at > call.at && version.row?.status !== to)
      .map((version) => version.at);
    const until = Math.min(Infinity, ...others.map((other) => other.at), ...written);
    if (until > call.answeredAt) yield [account, { call, to, from: call.answeredAt, until }];
  }
}

function* withStatus(history: History, status: string): Iterable<readonly [Change, Call]> {
  const accountOf = (keyId: string): string | undefined => {
    const account = rowsOf(history)
      .versions("api_keys", keyId)
      .find((version) => version.row !== null)?.row?.account_id;
    return typeof account === "string" ? account : undefined;
  };
  const byAccount = groupBy(callsByKey(history), ([keyId]) => accountOf(keyId));
  for (const [account, change] of confirmed(history)) {
    if (change.to !== status) continue;
    for (const [, calls] of byAccount.get(account) ?? []) {
      for (const call of calls) if (call.at > change.from && call.answeredAt < change.until) yield [change, call];
    }
  }
}

export const suspension = oracle(
  {
    name: "suspension",
    promise: "Revoked at once",
    words: "When `npm run suspend` has ended, every request with a key of the account is refused.",
  },
  function* (history: History): Iterable<Finding> {
    for (const [change, call] of withStatus(history, "suspended")) {
      if (admissionOf(call) !== "admitted") continue;
      yield {
        at: call.answeredAt,
        found: `the account was suspended by an answer at ${change.from}; a request sent at ${call.at} was answered ${call.status}`,
        calls: [change.call.call, call.call],
      };
    }
  },
);

/** whoami needs no scope: its 403 has no other cause but those that it names. While the key's gate is down the key is checked against D1, which may be one that answers later. */
export const resumption = oracle(
  {
    name: "resumption",
    promise: "Revoked at once",
    words:
      "When `npm run suspend -- --resume` has ended, every request with a valid key of the account is admitted again.",
  },
  function* (history: History): Iterable<Finding> {
    for (const [change, call] of withStatus(history, "active")) {
      if (call.operation !== "whoami" || call.status !== 403) continue;
      if (["paused", "address"].includes(text(call.answer?.body, "reason") ?? "")) continue;
      if (faulty(history, "gate", undefined, change.from, call.answeredAt)) continue;
      yield {
        at: call.answeredAt,
        found: `the account was resumed by an answer at ${change.from}; a whoami sent at ${call.at} was answered 403`,
        calls: [change.call.call, call.call],
      };
    }
  },
);
