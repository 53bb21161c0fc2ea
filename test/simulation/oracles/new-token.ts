import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, callsOf } from "./seen/calls.ts";
import { type Issued, issuedTokens, isVisitors, type Signed, signedOf, tokenOf } from "./seen/credentials.ts";
import { accountOfIdeaBank, capabilitiesAt } from "./seen/expected.ts";
import { stepped } from "./seen/faults.ts";
import { rowsOf } from "./seen/rows.ts";

/**
 * No fault excuses a 401 or 404: while the primary cannot be asked the answer is 503. A token of the history whose panelist was active,
 * with the same last revocation, at every moment since the token was asked for, is never 401. One that is at most 11 seconds old is
 * not 404 either, where the idea bank allowed the read at every moment from `sent` to `answered`. (Older ones: `changelog-fresh`.)
 */
function* find(history: History): Iterable<Finding> {
  const rows = rowsOf(history);
  const issued = issuedTokens(history);
  const age = history.settings.freshnessMs + history.settings.anchorMs;
  for (const call of callsOf(history)) {
    const token = issued.get(tokenOf(call) ?? "");
    if (token === undefined || call.at < token.call.answeredAt || (call.status !== 401 && call.status !== 404))
      continue;
    if (call.answeredAt >= token.askedAt + token.lifetimeMs - 1_000 || stepped(history, 0, call.answeredAt) > 0)
      continue;
    if (call.status === 401 && !valid(history, token, call)) continue;
    if (call.status === 404) {
      const needs = call.operation === "getChangelog" ? "canViewChangelog" : "canViewProposals";
      const error = (call.answer?.body as { error?: unknown } | undefined)?.error;
      if (error !== "idea-bank-not-found" || call.answeredAt > token.askedAt + age) continue;
      const account = accountOfIdeaBank(rows, token.ideaBank) ?? "";
      const open = rows
        .span(account, call.at, call.answeredAt)
        .every((moment) => capabilitiesAt(rows, token.ideaBank, moment)[needs]);
      if (!open) continue;
    }
    yield {
      at: call.answeredAt,
      found: `a valid token, answered at ${token.call.answeredAt}, was refused: ${call.operation} ${call.status}`,
      calls: [token.call.call, call.call],
    };
  }
}

const valid = (history: History, token: Issued, call: Call): boolean => {
  const signed = signedOf(token.token);
  if (signed !== undefined) return isSignedValid(history, token, signed, call);
  if (isVisitors(token.token))
    return isUnchanged(history, token, call, "idea_banks", token.ideaBank, "visitor_tokens_ended_at");
  const versions = rowsOf(history).versions("panelists", token.panelist);
  const atIssue = versions.filter((version) => version.at < token.call.answeredAt).at(-1)?.row;
  if (atIssue == null) return false;
  const before = versions.filter((version) => version.at < token.askedAt && version.row !== null).at(-1);
  const since = versions.filter((version) => version.at >= token.askedAt && version.at <= call.answeredAt);
  return (
    [...(before ? [before] : []), ...since].every(
      ({ row }) => row !== null && row.active === 1 && row.tokens_revoked_at === atIssue.tokens_revoked_at,
    ) && atIssue.active === 1
  );
};

/** So long before a token's second a revocation may still mean it: two within a second count for the next one, too. */
const REVOKED_MS = 2_000;

/** The row was there, with the same value, from shortly before the token was asked for until the answer. */
const isUnchanged = (history: History, token: Issued, call: Call, table: string, key: string, column: string) => {
  const versions = rowsOf(history).versions(table, key);
  const from = token.askedAt - REVOKED_MS;
  const before = versions.filter(({ at }) => at < from).at(-1);
  const since = versions.filter(({ at }) => at >= from && at <= call.answeredAt);
  const rows = [...(before ? [before] : []), ...since].map(({ row }) => row);
  return rows.length > 0 && rows.every((row) => row !== null && row[column] === rows[0]?.[column]);
};

/** Its secret was the newest one all the time; and its panelist is active and not revoked, or is not stored yet. */
const isSignedValid = (history: History, token: Issued, signed: Signed, call: Call): boolean => {
  if (!isUnchanged(history, token, call, "idea_banks", token.ideaBank, "signing_epoch")) return false;
  const bank = rowsOf(history)
    .versions("idea_banks", token.ideaBank)
    .filter(({ at }) => at <= call.answeredAt);
  if (bank.at(-1)?.row?.signing_epoch !== signed.epoch) return false;
  const versions = rowsOf(history).versions("panelists", token.panelist);
  const from = token.askedAt - REVOKED_MS;
  const before = versions.filter(({ at }) => at < from).at(-1)?.row ?? null;
  const since = versions.filter(({ at }) => at >= from && at <= call.answeredAt);
  return [...(before ? [before] : []), ...since.map(({ row }) => row)].every(
    (row) => row?.active === 1 && row.tokens_revoked_at === (before?.tokens_revoked_at ?? null),
  );
};

export const newToken = oracle(
  {
    name: "new-token-works",
    promise: "A new token works at once",
    words: "A valid token is accepted in every isolate from the moment of its issue.",
  },
  find,
);
