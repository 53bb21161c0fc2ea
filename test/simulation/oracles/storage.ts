import type { History, Row } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { callsOf, field } from "./seen/calls.ts";
import { ideaBankIdOf, keyIdOf, tokenOf } from "./seen/credentials.ts";
import { accountOfIdeaBank } from "./seen/expected.ts";
import { accountIdOf, rowsOf } from "./seen/rows.ts";

const COUNTED = new Set(["surveys", "panelists", "idea_banks", "proposals", "comments", "idempotency_keys"]);
/** What an owner's Idempotency-Key keeps is no part of the quota, so that rotating always works. A panelist's and a tenant's is. */
const isOwners = (table: string, row: Row): boolean =>
  table === "idempotency_keys" && String(row.key).startsWith("account ");
/** A body has at most 64 KiB; what is stored for it is at most so much with its rows' estimates. */
const ONE_WRITE_BYTES = 200_000;

/**
 * Never below zero, never grown past the maximum, more after a commit that only adds, not more after one that only removes. A refusal
 * needs an account that one write could fill; reading, deleting and what owners do in Account Settings are never refused.
 */
function* find(history: History): Iterable<Finding> {
  const rows = rowsOf(history);
  for (const [moment, commit] of rows.commits.entries()) {
    const accounts = new Set(
      commit.changes.flatMap(({ table, before, after }) => accountIdOf(table, after ?? before ?? {}) ?? []),
    );
    for (const account of accounts) {
      const now = rows.row("accounts", account, moment);
      const before = rows.row("accounts", account, moment - 1);
      if (now === null || before === null) continue;
      const grown = Number(now.stored_bytes) - Number(before.stored_bytes);
      const changes = commit.changes.filter(({ table, before, after }) => {
        const row = after ?? before ?? {};
        return COUNTED.has(table) && row.account_id === account && !isOwners(table, row);
      });
      const adds = changes.some(({ before }) => before === null);
      const removes = changes.some(({ after }) => after === null);
      const edits = changes.some(({ before, after }) => before !== null && after !== null);
      const wrong =
        Number(now.stored_bytes) < 0 ||
        (grown > 0 && Number(now.stored_bytes) > Number(now.max_bytes)) ||
        (adds && !removes && !edits && grown <= 0) ||
        (removes && !adds && !edits && grown >= 0);
      if (!wrong) continue;
      yield {
        at: commit.at,
        found: `stored_bytes of ${account} went from ${before.stored_bytes} to ${now.stored_bytes}`,
        calls: commit.call === undefined ? [] : [commit.call],
      };
    }
  }
  for (const call of callsOf(history)) {
    if (call.status !== 409 || field(call.answer?.body, "error") !== "quota-exceeded") continue;
    if (call.method === "GET" || call.method === "DELETE" || call.path.startsWith("/account/")) {
      yield { at: call.answeredAt, found: `${call.operation} was refused for the quota`, calls: [call.call] };
    }
    const token = tokenOf(call);
    const keyId = keyIdOf(call);
    const account =
      token === undefined
        ? rows.versions("api_keys", keyId ?? "").at(0)?.row?.account_id
        : accountOfIdeaBank(rows, ideaBankIdOf(token));
    if (typeof account !== "string") continue;
    const free = rows.span(account, call.at, call.answeredAt).map((moment) => {
      const row = rows.row("accounts", account, moment);
      return row === null ? 0 : Number(row.max_bytes) - Number(row.stored_bytes);
    });
    if (Math.min(...free) > ONE_WRITE_BYTES) {
      yield {
        at: call.answeredAt,
        found: `${call.operation} was refused for the quota with ${Math.min(...free)} bytes free`,
        calls: [call.call],
      };
    }
  }
}

export const storage = oracle(
  {
    name: "storage-bounded",
    promise: "Bounded",
    words: "Only an account that has reached its quota is refused for it, and only in a write that adds something.",
  },
  find,
);
