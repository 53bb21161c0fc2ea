import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { callsOf, queryOf, succeeded } from "./seen/calls.ts";
import { type Rows, rowsOf } from "./seen/rows.ts";

/** The addresses of an account's members at a moment: who has made it, unless removed since, and who was added. */
const membersAt = (rows: Rows, account: string, moment: number): readonly string[] => {
  const owner = rows.row("accounts", account, moment)?.owner_email;
  const added = rows
    .having("members", "account_id", account)
    .flatMap((id) => rows.row("members", id, moment)?.email ?? []);
  return [...(owner === undefined || owner === account ? [] : [owner]), ...added].map(String);
};

/** Requests that name the account. Who was a member, or was none, from the request to its answer: what is in between proves nothing. */
function* find(history: History): Iterable<Finding> {
  const rows = rowsOf(history);
  for (const call of callsOf(history)) {
    const account = queryOf(call).get("account");
    const person = /^owner (.+)$/.exec(call.client)?.[1];
    if (account === null || person === undefined || call.answer === undefined) continue;
    const moments = rows.span(account, call.at, call.answeredAt);
    const were = moments.map((moment) => membersAt(rows, account, moment).includes(person));
    const isActive = moments.every((moment) => rows.row("accounts", account, moment)?.status === "active");
    const found = (what: string): Finding => ({
      at: call.answeredAt,
      found: `${person} ${what} of ${account}, and ${call.operation} was answered ${call.status}`,
      calls: [call.call],
    });
    if (!were.includes(true) && succeeded(call)) yield found("was no member");
    if (!were.includes(false) && isActive && call.status === 403) yield found("was a member");
  }
  for (const [moment, commit] of rows.commits.entries()) {
    for (const { table, before, after } of commit.changes) {
      const row = after ?? before;
      const account = table === "members" ? row?.account_id : table === "accounts" ? after?.id : undefined;
      if (typeof account !== "string" || rows.row("accounts", account, moment) === null) continue;
      if (membersAt(rows, account, moment).length > 0) continue;
      const calls = commit.call === undefined ? [] : [commit.call];
      yield { at: commit.at, found: `account ${account} has no member`, calls };
    }
  }
}

export const members = oracle(
  {
    name: "members",
    promise: "Members",
    words: "A person who is a member can do everything for the account, and nothing from the answer to the removal on.",
  },
  find,
);
