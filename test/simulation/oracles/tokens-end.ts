import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, callsOf, field, groupBy, succeeded } from "./seen/calls.ts";
import { databaseOf, issuedTokens, panelistIdOf, tokenOf } from "./seen/credentials.ts";
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
const endsOf = (versions: readonly Version[]): readonly Version[] =>
  versions.filter((version, index) => {
    const before = versions[index - 1]?.row;
    if (before == null) return false;
    if (version.row === null) return true;
    return (
      version.row.tokens_revoked_at !== before.tokens_revoked_at || (before.active === 1 && version.row.active === 0)
    );
  });

function* find(history: History): Iterable<Finding> {
  const rows = rowsOf(history);
  const issued = issuedTokens(history);
  const byId = new Map(callsOf(history).map((call) => [call.call, call]));
  const age = history.settings.freshnessMs + history.settings.anchorMs;
  for (const [panelist, calls] of groupBy(callsOf(history), (call) => panelistIdOf(tokenOf(call) ?? "") || undefined)) {
    for (const end of endsOf(rows.versions("panelists", panelist))) {
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
  "tokens-end",
  "A revoked token is refused at once in the isolate that revoked it, and everywhere else within the freshness above (11 seconds).",
  find,
);
