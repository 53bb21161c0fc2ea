import type { History } from "../history.ts";
import { oracle } from "./oracle.ts";
import { type Call, callsOf, field, groupBy, segmentAfter, succeeded } from "./seen/calls.ts";
import { admissionOf, callsByKey } from "./seen/credentials.ts";

/** One way to narrow a key: what a change says, and what a request must not be any more. */
type Narrowing = {
  readonly setting: "paused" | "allowedAddresses" | "scopes";
  readonly narrows: (value: unknown) => boolean;
  readonly isForbidden: (call: Call) => boolean;
};

/** Of a refused request the activity tells, which counts the account's events. */
const OF_ACTIVITY: readonly string[] = ["api_keys", "audit_events", "kept_events", "accounts"];
const wrote = (call: Call): boolean =>
  call.commits.some((commit) => commit.changes.some(({ table }) => !OF_ACTIVITY.includes(table)));
const holds = (value: unknown, word: string): boolean => Array.isArray(value) && value.includes(word);

/** Everybody comes from an address that is in none of the lists. */
const NARROWINGS: readonly Narrowing[] = [
  { setting: "paused", narrows: (value) => value === true, isForbidden: (call) => admissionOf(call) === "admitted" },
  {
    setting: "allowedAddresses",
    narrows: (value) => value !== null,
    isForbidden: (call) => admissionOf(call) === "admitted",
  },
  {
    setting: "scopes",
    narrows: (value) => !holds(value, "ideabanks:write"),
    isForbidden: wrote,
  },
];

export const narrowing = oracle(
  {
    name: "narrowing",
    promise: "Revoked at once",
    words: "When the owner's change of a key is answered, no request is admitted that the change forbids.",
  },
  function* (history: History) {
    const changes = callsOf(history).filter((call) => call.operation === "changeApiKey");
    const ofKey = groupBy(changes, (call) => segmentAfter(call, "keys"));
    const byKey = callsByKey(history);
    for (const change of changes.filter(succeeded)) {
      const keyId = segmentAfter(change, "keys") ?? "";
      for (const { setting, narrows, isForbidden } of NARROWINGS) {
        const value = field(change.body, setting);
        if (value === undefined || !narrows(value)) continue;
        // Until somebody asks to widen it. One that was under way at the same time makes it uncertain.
        const others = (ofKey.get(keyId) ?? []).filter((other) => {
          const next = field(other.body, setting);
          return other !== change && next !== undefined && !narrows(next) && other.answeredAt > change.at;
        });
        const until = Math.min(Number.POSITIVE_INFINITY, ...others.map((other) => other.at));
        for (const call of byKey.get(keyId) ?? []) {
          if (call.at <= change.answeredAt || call.answeredAt >= until || !isForbidden(call)) continue;
          yield {
            at: call.answeredAt,
            found: `key ${keyId} was narrowed (${setting}) by an answer at ${change.answeredAt}; a request sent at ${call.at} was answered ${call.status}`,
            calls: [change.call, call.call],
          };
        }
      }
    }
  },
);
