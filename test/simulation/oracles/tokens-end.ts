import type { Committed, History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, callsOf, field, groupBy, succeeded } from "./seen/calls.ts";
import {
  databaseOf,
  ideaBankIdOf,
  issuedTokens,
  isVisitors,
  panelistIdOf,
  signedOf,
  tokenOf,
} from "./seen/credentials.ts";
import { isPrimaryFaulty } from "./seen/database-faults.ts";
import { ageWithSteps, isolateEnded } from "./seen/faults.ts";
import { rowsOf, type Version } from "./seen/rows.ts";

const OLDEST_VIEW_MS = 300_000;
/** What comes before authentication, or says that nothing can be decided. */
const UNDECIDED = new Set([401, 404, 405, 429, 500, 503]);

/** The answer of a closed idea bank is that of a missing one, which has no account to know revocations of: it says nothing. */
export const authenticated = (call: Call): boolean => {
  const error = field(call.answer?.body, "error");
  if (call.operation === "getCapabilities" && field(call.answer?.body, "name") === null) return false;
  if (call.status === 404) return error === "proposal-not-found" || error === "comment-not-found";
  return call.status !== undefined && !UNDECIDED.has(call.status);
};

/** The commits that ended the tokens of a panelist: its tokens were revoked, it was deactivated or deleted. */
const endsOf = (history: History, versions: readonly Version[]): readonly Version[] =>
  versions.filter((version, index) => {
    const [last, former] = [versions[index - 1], versions[index - 2]];
    const before = last?.row;
    // The row was made, and a trigger wrote it once more.
    if (before == null || (last?.moment === version.moment && former?.row == null))
      return isMadeRevoked(history, version, versions.slice(0, index));
    if (version.row === null) return true;
    return (
      version.row.tokens_revoked_at !== before.tokens_revoked_at || (before.active === 1 && version.row.active === 0)
    );
  });

/** By the tenant's own id, of a person who had no row. A person who comes back after a deletion has the time of that. */
const isMadeRevoked = ({ epoch = 0 }: History, { row, at }: Version, before: readonly Version[]): boolean =>
  typeof row?.tokens_revoked_at === "number" &&
  Math.abs(row.tokens_revoked_at - epoch - at) < 1_000 &&
  before.every((version) => version.row?.tokens_revoked_at !== row.tokens_revoked_at);

/** When visitors' tokens of an idea bank ended, and each epoch of its secret. */
type BankEnd = { readonly at: number; readonly by: Committed | undefined; readonly ends: (token: string) => boolean };

const endsOfBank = (history: History, ideaBank: string): readonly BankEnd[] => {
  const { versions, commits } = rowsOf(history);
  return versions("idea_banks", ideaBank).flatMap(({ row, at, moment }, index, all): readonly BankEnd[] => {
    const before = all[index - 1]?.row;
    if (row == null || before == null) return [];
    const by = commits[moment];
    const visitors = { at, by, ends: isVisitors };
    // Each earlier secret that a rotation leaves its grace ends with that; every other one ends at once.
    const kept = [
      [Number(row.signing_epoch) - 1, Number(row.signing_previous_until)] as const,
      ...(JSON.parse(String(row.signing_older ?? "[]")) as [epoch: number, until: number][]),
    ];
    const epochOf = (token: string) => signedOf(token)?.epoch ?? Infinity;
    const inGrace = kept.map(([epoch, until]) => ({
      at: Math.max(at, until - (history.epoch ?? 0)),
      by: undefined,
      ends: (token: string) => epochOf(token) === epoch,
    }));
    const isOther = (token: string) =>
      epochOf(token) < Number(row.signing_epoch) && kept.every(([epoch]) => epoch !== epochOf(token));
    return [
      ...(row.visitor_tokens_ended_at !== before.visitor_tokens_ended_at ? [visitors] : []),
      ...(row.signing_epoch !== before.signing_epoch ? [...inGrace, { at, by: undefined, ends: isOther }] : []),
    ];
  });
};

/** Those that end together: visitors' tokens, and what a secret has signed. */
function* findTogether(history: History): Iterable<Finding> {
  const rows = rowsOf(history);
  const issued = issuedTokens(history);
  const byId = new Map(callsOf(history).map((call) => [call.call, call]));
  const age = history.settings.freshnessMs + history.settings.anchorMs;
  for (const [ideaBank, calls] of groupBy(callsOf(history), (call) => ideaBankIdOf(tokenOf(call) ?? "") || undefined)) {
    for (const { at, by, ends } of endsOfBank(history, ideaBank)) {
      const request = byId.get(by?.call ?? -1);
      for (const call of calls) {
        const token = tokenOf(call) ?? "";
        if (call.at <= at || !ends(token) || !authenticated(call)) continue;
        // With the idea bank the end is gone, too: nothing is left to read or to write.
        if (rows.versions("idea_banks", ideaBank).some(({ row, at: gone }) => row === null && gone <= call.answeredAt))
          continue;
        if (isVisitors(token) && (issued.get(token)?.call.answeredAt ?? -Infinity) >= at) continue;
        const here = request !== undefined && succeeded(request) && request.isolate === call.isolate;
        const atOnce =
          here && call.at > request.answeredAt && !isolateEnded(history, call.isolate, request.at, call.answeredAt);
        const down = isPrimaryFaulty(history, call, databaseOf(ideaBank));
        const allowed = ageWithSteps(history, call.isolate, down ? OLDEST_VIEW_MS : age, call.at);
        if (!atOnce && call.at <= at + allowed) continue;
        const found = `tokens of idea bank ${ideaBank} ended at ${at}; ${call.operation} at ${call.at} was answered ${call.status}`;
        yield { at: call.answeredAt, found, calls: [call.call] };
      }
    }
  }
}

function* findAll(history: History): Iterable<Finding> {
  yield* find(history);
  yield* findTogether(history);
}

function* find(history: History): Iterable<Finding> {
  const rows = rowsOf(history);
  const issued = issuedTokens(history);
  const byId = new Map(callsOf(history).map((call) => [call.call, call]));
  const age = history.settings.freshnessMs + history.settings.anchorMs;
  for (const [panelist, calls] of groupBy(callsOf(history), (call) => panelistIdOf(tokenOf(call) ?? "") || undefined)) {
    for (const end of endsOf(history, rows.versions("panelists", panelist))) {
      const by = byId.get(rows.commits[end.moment]?.call ?? -1);
      for (const call of calls) {
        if (call.at <= end.at || !authenticated(call)) continue;
        // A token that no answer of this history issued is older than the history.
        if ((issued.get(tokenOf(call) ?? "")?.call.answeredAt ?? -Infinity) >= end.at) continue;
        const here = by !== undefined && succeeded(by) && by.isolate === call.isolate && call.at > by.answeredAt;
        const atOnce = here && !isolateEnded(history, call.isolate, by.at, call.answeredAt);
        const down = isPrimaryFaulty(history, call, databaseOf(panelist));
        const allowed = ageWithSteps(history, call.isolate, down ? OLDEST_VIEW_MS : age, call.at);
        if (!atOnce && call.at <= end.at + allowed) continue;
        yield {
          at: call.answeredAt,
          found: `the tokens of panelist ${panelist} ended at ${end.at}; ${call.operation} sent at ${call.at} ${atOnce ? "to the isolate that ended them " : ""}was answered ${call.status}`,
          calls: by === undefined ? [call.call] : [by.call, call.call],
        };
      }
    }
  }
}

/** D1 up or down: in the isolate that revoked it, from the answer on. Elsewhere from the commit on: 11 seconds, 5 minutes while D1 does not answer. */
export const tokensEnd = oracle(
  {
    name: "tokens-end",
    promise: "Tokens stop",
    words: "A revoked token is refused within 11 seconds everywhere, and at once in the isolate that revoked it.",
  },
  findAll,
);
