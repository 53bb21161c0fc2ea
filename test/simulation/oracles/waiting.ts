import type { History } from "../history.ts";
import { type Found, oracle } from "./oracle.ts";
import { type Call, callsOf, groupBy, mayHaveWritten, succeeded } from "./seen/calls.ts";
import { databaseOf, ideaBankIdOf, issuedTokens, keyIdOf, panelistIdOf, tokenOf } from "./seen/credentials.ts";
import { hasJustGone, wasDoubted } from "./seen/doubts.ts";
import { DEADLINE_MS, type FaultSpan, faultsOf, faulty, isolateEnded, REMEMBERED_MS, stepped } from "./seen/faults.ts";
import { rowsOf } from "./seen/rows.ts";

/** What a request and its answer may take on the network, on top of what the service takes. */
const NETWORK_MS = 500;
const SECOND_MS = 1_000;
/** D1 10 s after an older replica's 2 s; KV beside it. */
const PANELIST_MS = 12_000;
/** The gate twice 2 s, then D1. */
const TENANT_MS = 14_000;
/**
 * D1 decides on the key in the place of a gate that does not answer, also for waiting for D1 itself, within 10 s of being asked; then it
 * has 10 s for the request.
 */
const WITHOUT_GATE_MS = 20_000;
/** The directory, the account's database, and the gate: 10 s each; a lease's longest length and what follows a crash. */
const OWNER_MS = 39_000;

export const deadlines = oracle(
  "deadlines",
  "D1: 2 seconds when an older record or view can be used instead, 10 seconds otherwise. A key's Durable Object: 2 seconds, and 10 for a revocation. KV and the rate-limiting binding: 1 second.",
  function* (history: History): Iterable<Found> {
    for (const call of callsOf(history)) {
      if (call.answer === undefined) continue;
      const longest =
        tokenOf(call) !== undefined
          ? PANELIST_MS
          : call.path.startsWith("/tenant/")
            ? tenantsDeadline(history, call)
            : OWNER_MS;
      const took = call.answeredAt - call.at;
      if (took <= longest + NETWORK_MS) continue;
      yield {
        at: call.answeredAt,
        found: `${call.operation} took ${took} ms; its deadlines allow ${longest}`,
        calls: [call.call],
      };
    }
  },
);

const tenantsDeadline = (history: History, call: Call): number =>
  call.operation !== "whoami" &&
  (faulty(history, "gate", keyIdOf(call), call.at, call.answeredAt) ||
    faulty(history, "d1", databaseOf(keyIdOf(call) ?? ""), call.at, call.answeredAt))
    ? WITHOUT_GATE_MS
    : TENANT_MS;

/** The longest that a slow store takes in a history. */
const SLOWEST_MS = 25_000;
const AT_ONCE_MS = 50;
const SIGN_OF_LIFE_MS = 500;

/** Another store may have made it wait: that says nothing of the database. */
const metAnother = (history: History, call: Call): boolean =>
  (["gate", "kv", "limiter"] as const).some((store) =>
    faulty(history, store, undefined, call.at - REMEMBERED_MS, call.answeredAt),
  );

/** A replica that answers, and has not come as far as the request must see: the primary alone hangs. */
const waitedForReplica = ({ part }: FaultSpan, { stores }: Call): boolean =>
  part === "primary" && stores.some(({ store, to }) => store === "d1" && to === "replica");

/**
 * "When it was asked for none in two seconds, because nobody needed it, it may have returned: who comes in the next half second waits for
 * one, too." One that nobody asked for in the second and a half before it begins that half second.
 */
const mayHaveReturned = (calls: readonly Call[], call: Call): boolean => {
  // The replica and the primary, one after the other.
  if (call.answeredAt - call.at > 2 * SIGN_OF_LIFE_MS + AT_ONCE_MS + NETWORK_MS) return false;
  const asked = calls.flatMap(({ stores }) => stores.filter(({ store }) => store === "d1").map(({ at }) => at));
  return asked.some(
    (first) =>
      Math.abs(first - call.at) <= SIGN_OF_LIFE_MS &&
      !asked.some((at) => at < first && at >= first - SECOND_MS - SIGN_OF_LIFE_MS),
  );
};

/**
 * "An answer that comes while it hangs, to a call from before, says that it answers: then the next missed deadline decides."
 */
const hasAnswered = (history: History, group: string, fault: FaultSpan, call: Call, missed: readonly Call[]): boolean =>
  history.events.some(
    (event) =>
      event.kind === "store-answered" &&
      `${event.name} ${event.isolate}` === group &&
      event.since <= fault.at &&
      event.at > fault.at &&
      event.at <= call.answeredAt &&
      !missed.some(
        ({ at, answeredAt }) =>
          at >= event.at && answeredAt - at >= 2 * SECOND_MS && answeredAt + SIGN_OF_LIFE_MS <= call.at,
      ),
  );

/**
 * A database is known to hang in an isolate half a second after the first answer there that took two seconds or was 503 while it hung: so
 * long a sign of life is waited for ("When a store fails"). From then on,
 * of the requests that need nothing else that is down, one a second may ask; the others are answered within 50 ms. Two slow ones that
 * were sent less than half a second apart (the network may bring two seconds' askers so near) are one too many.
 */
export const nobodyWaitsInLine = oracle(
  "nobody-waits-in-line",
  "After the first missed deadline a database is asked by one request a second in an isolate, and the others are answered at once from what memory holds, or refused at once with 503 and `Retry-After`.",
  function* (history: History): Iterable<Found> {
    const groups = groupBy(callsOf(history), (call) => {
      const token = tokenOf(call);
      const id =
        token === undefined ? (call.path.startsWith("/tenant/") ? keyIdOf(call) : undefined) : ideaBankIdOf(token);
      return id === undefined ? undefined : `${databaseOf(id)} ${call.isolate}`;
    });
    for (const fault of faultsOf(history)) {
      if (fault.store !== "d1" || fault.how !== "hangs" || fault.part === "replica") continue;
      for (const [name, calls] of groups) {
        if (fault.name !== undefined && !name.startsWith(fault.name)) continue;
        // Until another fault is over, it may fail, or be slow, in place of hanging; a failure is told again for a while, and what is
        // slow may be answered after that: any answer ends what is known.
        const begins = Math.max(
          fault.at,
          ...faultsOf(history)
            .filter((other) => other !== fault && other.store === "d1" && other.at < fault.until)
            .map(({ until, how }) => until + (how === "slow" ? SLOWEST_MS : 2 * SECOND_MS)),
        );
        const during = calls.filter((call) => call.at > begins && call.answeredAt < fault.until);
        const missed = during.filter(
          (call) => (call.answeredAt - call.at >= 2 * SECOND_MS || call.status === 503) && !metAnother(history, call),
        );
        const known = Math.min(Infinity, ...missed.map((call) => call.answeredAt)) + SIGN_OF_LIFE_MS;
        let slow: Call | undefined;
        for (const call of during) {
          if (call.at <= known || call.answeredAt - call.at <= AT_ONCE_MS + NETWORK_MS) continue;
          if (metAnother(history, call) || waitedForReplica(fault, call) || mayHaveReturned(calls, call)) continue;
          if (hasAnswered(history, name, fault, call, missed)) continue;
          if (
            slow !== undefined &&
            call.at - slow.at < SECOND_MS - NETWORK_MS &&
            !isolateEnded(history, call.isolate, fault.at, call.at)
          ) {
            yield {
              at: call.answeredAt,
              found: `database ${name[0]} was known to hang since ${known}; requests sent at ${slow.at} and ${call.at} both waited for it`,
              calls: [slow.call, call.call],
            };
          }
          slow = call;
        }
      }
    }
  },
);

/** The reads of an idea bank's view: a request with `Consistency-Token` has its own. */
const viewOf = (call: Call): string | undefined => {
  const token = tokenOf(call);
  const view = call.operation === "getChangelog" || call.operation === "getCapabilities";
  return token === undefined || !view || call.headers["consistency-token"] !== undefined
    ? undefined
    : `${call.isolate} ${ideaBankIdOf(token)}`;
};

/** Whom a read at that time is for. */
const readerOf = (history: History, call: Call, at: number): string => {
  const token = tokenOf(call) ?? "";
  const rows = rowsOf(history);
  const exists = rows.row("idea_banks", ideaBankIdOf(token), rows.momentAt(at)) !== null;
  return exists ? "all" : panelistIdOf(token);
};

/** An asker for the anchor, one for a replica that lags, one for a refusal that is doubted. */
const PRIMARY_READS = 3;

/**
 * Replicas and the primary counted apart, for a replica that lags costs a read at the primary, too. Where there is no idea bank (any
 * more), each panelist counted alone. Left out: `FRESHNESS_SECONDS` 0, an isolate that ended, a database that fails or hangs ("however
 * slow" is promised), a second in which the isolate wrote to it or a clock was stepped.
 */
export const oneReadASecond = oracle(
  "one-read-a-second",
  "An isolate reads an idea bank at most once a second, however slow D1 is and however many ask; for each panelist, where there is no idea bank.",
  function* (history: History): Iterable<Found> {
    if (history.settings.freshnessMs === 0) return;
    const writes = groupBy(callsOf(history).filter(mayHaveWritten), (call) => call.isolate);
    for (const [, calls] of groupBy(callsOf(history), viewOf)) {
      const reads = calls
        .flatMap((call) =>
          call.stores
            .filter((one) => one.store === "d1")
            .map((one) => ({ ...one, call, reader: readerOf(history, call, one.at) })),
        )
        .toSorted((a, b) => a.at - b.at);
      for (const some of groupBy(reads, ({ to, reader }) => `${to} ${reader}`).values()) {
        for (const [index, read] of some.entries()) {
          // One that is slow may miss a deadline, and is asked for a sign of life: that is no read of an idea bank. Where there is no
          // replica, the primary is the nearest, too, and is asked for both signs.
          const isDoubted = faulty(history, "d1", read.name, read.at - DEADLINE_MS, read.at);
          const signs = isDoubted ? (read.to === "primary" ? 2 : 1) : 0;
          const more = hasJustGone(history, tokenOf(read.call) ?? "", read.at) ? 1 : 0;
          const allowed = (read.to === "primary" ? PRIMARY_READS : 1) + more + signs;
          const before = some[index - allowed];
          // A clock shows whole milliseconds: a second by it may be almost a millisecond shorter.
          if (before === undefined || read.at - before.at > SECOND_MS - 1) continue;
          const { isolate } = read.call;
          if (isolateEnded(history, isolate, before.at, read.at) || stepped(history, before.at, read.at) > 0) continue;
          if (isBroken(history, read.name, before.at - REMEMBERED_MS, read.at)) continue;
          if (
            (writes.get(isolate) ?? []).some(
              (write) => write.answeredAt >= before.at - SECOND_MS && write.at <= read.at,
            )
          )
            continue;
          yield {
            at: read.at,
            found: `more than ${allowed} reads of one idea bank in a second, in isolate ${isolate}`,
            calls: [before.call.call, read.call.call],
          };
        }
      }
    }
  },
);

/** It fails, hangs, or its answers are lost. One that is slow is promised to be asked as seldom. */
const isBroken = (history: History, database: string, from: number, to: number): boolean =>
  faultsOf(history).some(
    ({ store, name, how, at, until }) =>
      store === "d1" &&
      (name ?? database) === database &&
      how !== "slow" &&
      how !== "stopped" &&
      at <= to &&
      from <= until,
  );

/**
 * Who made no read waits for the first one: the answer of one that began later ends all waiting; a request that ends early costs a
 * second. Where there is no idea bank (any more), each panelist counted alone. Whose new token is refused waits for the primary.
 */
export const nobodyWaitsLonger = oracle(
  "nobody-waits-longer-than-the-read",
  "All are answered when the first read is. A request that ends early delays others by at most a second.",
  function* (history: History): Iterable<Found> {
    const issued = issuedTokens(history);
    for (const calls of groupBy(callsOf(history), viewOf).values()) {
      const leaders = calls
        .filter((call) => succeeded(call) && call.stores.some((one) => one.store === "d1" && one.at <= call.answeredAt))
        .toSorted((a, b) => a.answeredAt - b.answeredAt);
      for (const call of calls) {
        const token = tokenOf(call) ?? "";
        if (call.answer === undefined || call.stores.some((one) => one.store === "d1")) continue;
        const first = leaders.find(
          (leader) =>
            leader.at > call.at &&
            leader.answeredAt < call.answeredAt &&
            readerOf(history, leader, leader.answeredAt) === readerOf(history, call, leader.answeredAt),
        );
        if (first === undefined || call.answeredAt <= first.answeredAt + SECOND_MS + NETWORK_MS) continue;
        if (wasDoubted(history, call, issued.get(token))) continue;
        if (isBroken(history, databaseOf(ideaBankIdOf(token)), call.at - REMEMBERED_MS, call.answeredAt)) continue;
        yield {
          at: call.answeredAt,
          found: `${call.operation} waited until ${call.answeredAt}; a read that began later was answered at ${first.answeredAt}`,
          calls: [first.call, call.call],
        };
      }
    }
  },
);
