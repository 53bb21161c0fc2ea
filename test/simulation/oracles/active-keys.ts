import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { callsOf, field } from "./seen/calls.ts";
import { rowsOf } from "./seen/rows.ts";

const MAXIMUM = 4;

/**
 * At every commit. A key that can expire may have done so: it is not counted against the maximum, and counts for a refusal. (A row's
 * times are Unix times, and a history's are not.)
 */
function* find(history: History): Iterable<Finding> {
  const rows = rowsOf(history);
  const active = (account: string, moment: number, expiring: boolean): number =>
    rows
      .having("api_keys", "account_id", account)
      .map((id) => rows.row("api_keys", id, moment))
      .filter((row) => row !== null && row.revoked_at === null && (expiring || row.expires_at === null)).length;
  for (const [moment, commit] of rows.commits.entries()) {
    const accounts = new Set(
      commit.changes.flatMap(({ table, after }) => (table === "api_keys" && after ? [String(after.account_id)] : [])),
    );
    for (const account of accounts) {
      const count = active(account, moment, false);
      if (count <= MAXIMUM) continue;
      yield {
        at: commit.at,
        found: `account ${account} has ${count} active keys`,
        calls: commit.call === undefined ? [] : [commit.call],
      };
    }
  }
  const accountOf = ownersAccounts(history);
  for (const call of callsOf(history)) {
    if (call.status !== 409 || field(call.answer?.body, "error") !== "api-key-limit-reached") continue;
    const account = accountOf.get(call.client);
    if (account === undefined) continue;
    const most = Math.max(
      ...rows.span(account, call.at, call.answeredAt).map((moment) => active(account, moment, true)),
    );
    if (most < MAXIMUM) {
      yield { at: call.answeredAt, found: `a key was refused with ${most} active keys`, calls: [call.call] };
    }
  }
}

/** The account of each client that made a key. */
const ownersAccounts = (history: History): Map<string, string> => {
  const accounts = new Map<string, string>();
  for (const call of callsOf(history)) {
    for (const commit of call.operation === "createApiKey" ? call.commits : []) {
      for (const { table, after } of commit.changes)
        if (table === "api_keys" && after) accounts.set(call.client, String(after.account_id));
    }
  }
  return accounts;
};

export const activeKeys = oracle(
  {
    name: "four-active-keys",
    promise: "At most four",
    words: "An account never has more than four active keys, and a new one is refused only while it has four.",
  },
  find,
);
