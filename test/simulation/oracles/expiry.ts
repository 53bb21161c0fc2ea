import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { callsOf, field, succeeded, text } from "./seen/calls.ts";
import { admissionOf, issuedTokens, keyIdOf, tokenOf } from "./seen/credentials.ts";
import { stepped } from "./seen/faults.ts";

/** Times in credentials are whole seconds. */
const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const PASSED_AUTHENTICATION = new Set([304, 400, 403, 404, 409, 413, 415, 422]);

/**
 * Lifetimes are measured from the answer that issued the credential: no clock of an isolate is compared with another. Every step of a
 * clock is slack. A key's lease may outlast its end: its length is slack, too.
 */
function* find(history: History): Iterable<Finding> {
  const tokens = issuedTokens(history);
  const keys = new Map<string, number>();
  for (const call of callsOf(history)) {
    const days = field(call.body, "expiresInDays");
    const id = text(field(call.answer?.body, "apiKey"), "id");
    if (call.operation === "createApiKey" && succeeded(call) && id !== undefined && typeof days === "number") {
      keys.set(id, call.answeredAt + days * DAY_MS);
    }
  }
  for (const call of callsOf(history)) {
    const slack = SECOND_MS + stepped(history, 0, call.answeredAt);
    const token = tokens.get(tokenOf(call) ?? "");
    const endOfToken = (token?.call.answeredAt ?? Infinity) + (token?.lifetimeMs ?? 0);
    const endOfKey = (keys.get(keyIdOf(call) ?? "") ?? Infinity) + history.settings.leaseMs;
    const tokenPassed = succeeded(call) || PASSED_AUTHENTICATION.has(call.status ?? 0);
    if (call.at > endOfToken + slack && tokenPassed && isPanelistPath(call.path)) {
      yield {
        at: call.answeredAt,
        found: `a token expired at ${endOfToken}; ${call.status} at ${call.answeredAt}`,
        calls: [call.call],
      };
    }
    if (call.at > endOfKey + slack && call.path.startsWith("/tenant/") && admissionOf(call) === "admitted") {
      yield {
        at: call.answeredAt,
        found: `a key expired before ${endOfKey}; ${call.status} at ${call.answeredAt}`,
        calls: [call.call],
      };
    }
  }
}

const isPanelistPath = (path: string): boolean =>
  /^\/(ideabank(\/proposals.*)?|public\/ideabank\/changelog)([/?].*)?$/.test(path);

export const expiry = oracle(
  {
    name: "expiry",
    promise: "Tokens stop",
    words:
      "An expired token is refused from the second in which it expires, and an expired key when its last lease has ended.",
  },
  find,
);
