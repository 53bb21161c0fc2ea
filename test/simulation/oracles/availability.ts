import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, callsOf, groupBy, succeeded } from "./seen/calls.ts";
import { databaseOf, ideaBankIdOf, issuedTokens, keyIdOf, tokenOf } from "./seen/credentials.ts";
import { isDatabaseFaulty } from "./seen/database-faults.ts";
import { mayBeDoubted } from "./seen/doubts.ts";
import { DEADLINE_MS, faulty, gateEnds, isBehind, isolateEnded, REMEMBERED_MS, stepped } from "./seen/faults.ts";
import { rowsOf } from "./seen/rows.ts";

const isUnavailable = (call: Call): boolean => call.status === 503;
const isView = (call: Call): boolean => call.operation === "getChangelog" || call.operation === "getCapabilities";

/**
 * The stores that a request may need, by the table "When a store fails": a panelist's request its database, a key's request its
 * database and its own gate. The other databases, other keys' gates, KV and the rate-limiting binding excuse nothing. Owners and the
 * operator: any database, any gate. A fault counts from ten seconds before the request, for what it left hanging or remembered.
 * Sessions that hang count until the isolate uses the binding.
 */
const excused = (history: History, call: Call): boolean => {
  const from = call.at - DEADLINE_MS;
  const token = tokenOf(call);
  if (token !== undefined) return isDatabaseFaulty(history, call, databaseOf(ideaBankIdOf(token)), from);
  const keyId = call.path.startsWith("/tenant/") ? keyIdOf(call) : undefined;
  const database = keyId === undefined ? undefined : databaseOf(keyId);
  const ended = history.events.some(
    (event) =>
      event.kind === "gate-ended" &&
      (keyId === undefined || event.key === keyId) &&
      event.at >= from &&
      event.at <= call.answeredAt,
  );
  return (
    ended || isDatabaseFaulty(history, call, database, from) || faulty(history, "gate", keyId, from, call.answeredAt)
  );
};

/** Whoever made the account was removed meanwhile: what others have begun for it is to be sent again. */
const losesItsFounder = (history: History, call: Call): boolean =>
  call.path.startsWith("/account/") &&
  rowsOf(history).commits.some(
    ({ at, changes }) =>
      at >= call.at &&
      at <= call.answeredAt &&
      changes.some(
        ({ table, before, after }) =>
          table === "accounts" && before !== null && after !== null && before.owner_email !== after.owner_email,
      ),
  );

export const available = oracle(
  {
    name: "available",
    promise: "Served in an outage",
    words: "No request is answered 503 while the stores that it needs answer.",
  },
  function* (history: History): Iterable<Finding> {
    for (const call of callsOf(history)) {
      if (!isUnavailable(call) || call.operation === "getHealth") continue;
      if (excused(history, call) || losesItsFounder(history, call)) continue;
      yield {
        at: call.answeredAt,
        found: `${call.operation} was answered 503, and no store that it needs was down`,
        calls: [call.call],
      };
    }
  },
);

/** A 500 is a defect, whatever is down. A refusal to be repeated says when. */
export const statedRefusals = oracle(
  {
    name: "stated-refusals",
    promise: "Served in an outage",
    words: "No answer is 500 or above but 503, and 429 and 503 have `Retry-After`.",
  },
  function* (history: History): Iterable<Finding> {
    for (const call of callsOf(history)) {
      const status = call.status ?? 200;
      const after = call.answer?.headers["retry-after"];
      if (status >= 500 && status !== 503)
        yield { at: call.answeredAt, found: `${call.operation} was answered ${status}`, calls: [call.call] };
      else if (
        (status === 503 || status === 429) &&
        call.operation !== "getHealth" &&
        !/^[1-9]\d*$/.test(after ?? "")
      ) {
        yield {
          at: call.answeredAt,
          found: `${call.operation} was answered ${status} with Retry-After ${after}`,
          calls: [call.call],
        };
      }
    }
  },
);

const OLDEST_MS = 300_000;
/** A gate reads its record again at least every minute. */
const RECORD_MS = 60_000;

/**
 * The view that answered while D1 was well is at most 11 seconds old then: it answers until it is 5 minutes old. The same of a gate's
 * record and whoami: at most a minute old. Excused: the isolate or the gate ended, the key's gate was down, the key or its account was
 * changed, a request that asks for a write with `Consistency-Token`, an idea bank that was deleted, a new token whose refusal is
 * doubted, a clock that has stepped back and has not come to that time again. What a clock steps is taken for time.
 */
export const outlasts = oracle(
  {
    name: "memory-outlasts-d1",
    promise: "Served in an outage",
    words:
      "While D1 does not answer, a changelog in memory and a key that its Durable Object knows work for 5 minutes.",
  },
  function* (history: History): Iterable<Finding> {
    const age = history.settings.freshnessMs + history.settings.anchorMs;
    const issued = issuedTokens(history);
    const groups = groupBy(callsOf(history), (call) => {
      const token = tokenOf(call);
      if (token !== undefined) return isView(call) ? `${call.isolate} ${ideaBankIdOf(token)}` : undefined;
      return call.operation === "whoami" ? keyIdOf(call) : undefined;
    });
    for (const calls of groups.values()) {
      let good: Call | undefined;
      for (const call of calls) {
        const token = tokenOf(call);
        const keyId = keyIdOf(call) ?? "";
        const own = token === undefined ? RECORD_MS : age;
        const database = databaseOf(token === undefined ? keyId : ideaBankIdOf(token));
        if (
          (succeeded(call) || call.status === 304) &&
          !faulty(history, "d1", database, call.at - own - REMEMBERED_MS, call.answeredAt)
        )
          good = call;
        if (
          good === undefined ||
          !isUnavailable(call) ||
          call.at < good.answeredAt ||
          call.answeredAt > good.at + OLDEST_MS - own - stepped(history, good.at - own, call.answeredAt)
        )
          continue;
        if (isBehind(history, token === undefined ? keyId : call.isolate, good.at - own, call.at)) continue;
        if (call.headers["consistency-token"] !== undefined) continue;
        if (token !== undefined && mayBeDoubted(history, call, issued.get(token), good.at - own)) continue;
        if (token !== undefined && isGoneAt(history, ideaBankIdOf(token), call.at)) continue;
        if (
          token !== undefined
            ? isolateEnded(history, call.isolate, good.at, call.answeredAt)
            : disturbed(history, keyId, good, call)
        )
          continue;
        yield {
          at: call.answeredAt,
          found: `${call.operation} was answered 503 at ${call.answeredAt}; it was ${good.status} at ${good.answeredAt}, and that may be used for 5 minutes`,
          calls: [good.call, call.call],
        };
      }
    }
  },
);

const isGoneAt = (history: History, ideaBank: string, at: number): boolean =>
  rowsOf(history).row("idea_banks", ideaBank, rowsOf(history).momentAt(at)) === null;

const disturbed = (history: History, keyId: string, from: Call, to: Call): boolean =>
  gateEnds(history, keyId, from.at, to.answeredAt) > 0 ||
  faulty(history, "gate", keyId, from.at - REMEMBERED_MS, to.answeredAt) ||
  rowsOf(history).commits.some(
    (commit) =>
      commit.at >= from.at - RECORD_MS &&
      commit.at <= to.answeredAt &&
      commit.changes.some(
        ({ table, before, after }) => table === "accounts" || (table === "api_keys" && (after ?? before)?.id === keyId),
      ),
  );
