import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, callsOf, groupBy } from "./seen/calls.ts";
import { databaseOf, ideaBankIdOf, tokenOf } from "./seen/credentials.ts";
import { type FaultSpan, faultsOf, faulty, isolateEnded, REMEMBERED_MS, stepped, steppedAt } from "./seen/faults.ts";

/** What a request and its answer may take on the network, on top of what the service takes. */
const NETWORK_MS = 500;
const SECOND_MS = 1_000;
/** Memory is used for so long. */
const OLDEST_MS = 300_000;
/** A request's calls to stores share 10 s, and what follows a change may take two more. */
const REQUEST_MS = 12_000;
/** Whoever ends a key or changes it waits for the longest lease after that. */
const LONGEST_LEASE_MS = 5_000;

export const deadlines = oracle(
  {
    name: "deadlines",
    promise: "Served in an outage",
    words: "No answer comes later than 12 seconds, however many stores it needs.",
  },
  function* (history: History): Iterable<Finding> {
    for (const call of callsOf(history)) {
      if (call.answer === undefined) continue;
      const isOfKeys = tokenOf(call) === undefined && !call.path.startsWith("/tenant/");
      const longest = REQUEST_MS + (isOfKeys ? LONGEST_LEASE_MS : 0);
      const took = call.answeredAt - call.at;
      // What memory holds from before a step back is no fallback until the clock has come to that time again.
      const steppedMs = steppedAt(history, [call.isolate], call.at - OLDEST_MS, call.answeredAt);
      if (took <= longest + NETWORK_MS + steppedMs) continue;
      yield {
        at: call.answeredAt,
        found: `${call.operation} took ${took} ms; its deadlines allow ${longest}`,
        calls: [call.call],
      };
    }
  },
);

/** The longest that a slow store takes in a history. */
const SLOWEST_MS = 25_000;
/** A ping is waited for so long, and another one at a replica. */
const PING_MS = 500;

/** Another store may have made it wait: that says nothing of the database. */
const metAnother = (history: History, call: Call): boolean =>
  (["gate", "kv", "limiter"] as const).some((store) =>
    faulty(history, store, undefined, call.at - REMEMBERED_MS, call.answeredAt),
  );

/** A replica that answers, and has not come as far as the request must see: the primary alone hangs. */
const waitedForReplica = ({ part }: FaultSpan, { stores }: Call): boolean =>
  part === "primary" && stores.some(({ store, to }) => store === "d1" && to === "replica");

/** An answer that comes while it hangs, to a call from before, says that it answers: then the next missed deadline decides. */
const hasAnswered = (history: History, group: string, fault: FaultSpan, call: Call): boolean =>
  history.events.some(
    (event) =>
      event.kind === "store-answered" &&
      `${event.name} ${event.isolate}` === group &&
      event.at > fault.at &&
      event.at <= call.answeredAt,
  );

/**
 * A database is known to hang in an isolate after the first answer there that took two seconds or was 503 while it hung. From then on a
 * panelist's request waits for two pings at most, unless something was answered meanwhile. (A key's gate finds out by itself, as "deadlines"
 * says.)
 */
export const nobodyWaitsInLine = oracle(
  {
    name: "nobody-waits-in-line",
    promise: "Served in an outage",
    words:
      "After the first missed deadline in an isolate, no panelist's request waits longer than for a ping while the database hangs.",
  },
  function* (history: History): Iterable<Finding> {
    const groups = groupBy(callsOf(history), (call) => {
      const token = tokenOf(call);
      return token === undefined ? undefined : `${databaseOf(ideaBankIdOf(token))} ${call.isolate}`;
    });
    for (const fault of faultsOf(history)) {
      if (fault.store !== "d1" || fault.how !== "hangs" || fault.part === "replica") continue;
      for (const [name, calls] of groups) {
        if (fault.name !== undefined && !name.startsWith(fault.name)) continue;
        // Until another fault is over, it may fail, or be slow, in place of hanging. What is slow may be answered after that.
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
        const known = Math.min(Infinity, ...missed.map((call) => call.answeredAt));
        for (const call of during) {
          const tookMs = call.answeredAt - call.at;
          if (call.at <= known || tookMs <= 2 * PING_MS + NETWORK_MS) continue;
          if (metAnother(history, call) || waitedForReplica(fault, call) || hasAnswered(history, name, fault, call))
            continue;
          // A clock that has stepped back makes an old answer seem new.
          if (isolateEnded(history, call.isolate, fault.at, call.at) || stepped(history, 0, call.at) > 0) continue;
          yield {
            at: call.answeredAt,
            found: `database ${name[0]} was known to hang since ${known}; a request sent at ${call.at} waited ${tookMs} ms`,
            calls: [call.call],
          };
        }
      }
    }
  },
);
