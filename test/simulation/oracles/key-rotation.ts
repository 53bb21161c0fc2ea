import type { History } from "../history.ts";
import { isAdmitted } from "./key-revocation.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, callsOf, field, segmentAfter, succeeded, text } from "./seen/calls.ts";
import { callsByKey, keyOf } from "./seen/credentials.ts";
import { stepped } from "./seen/faults.ts";
import { isTroubled } from "./seen/key-requests.ts";

const DEFAULT_GRACE_SECONDS = 86_400;
/** Unix times of a grace may be cut to whole seconds. */
const ROUNDING_MS = 1_000;

type Secret = { readonly from: Call; readonly generation: number; readonly key: string };

/**
 * A secret's generation is the number of rotations that were committed before the answer that showed it. After a rotation is answered
 * the one before works for its grace, and an older one not at all if one that came after it was used. A secret that no answer showed may be the one before. An answer with
 * a `warning` (the gate was not reached) starts no more than the minute of a revocation that was not confirmed: it is left out.
 */
function* find(history: History): Iterable<Finding> {
  const byKey = callsByKey(history);
  const generations = new Map<string, number>();
  const secrets = new Map<string, Secret[]>();
  const committedAt = ({ commits, answeredAt }: Call) => commits.at(-1)?.at ?? answeredAt;
  for (const call of callsOf(history).toSorted((one, other) => committedAt(one) - committedAt(other))) {
    const shown = text(call.answer?.body, "key");
    const keyId =
      call.operation === "rotateApiKey" ? segmentAfter(call, "keys") : text(field(call.answer?.body, "apiKey"), "id");
    if (keyId === undefined || !["rotateApiKey", "createApiKey"].includes(call.operation)) continue;
    const rotated = call.operation === "rotateApiKey" && (call.commits.length > 0 || succeeded(call));
    const generation = (generations.get(keyId) ?? 0) + (rotated ? 1 : 0);
    generations.set(keyId, generation);
    if (!succeeded(call) || shown === undefined) continue;
    const known = secrets.get(keyId) ?? [];
    secrets.set(keyId, [...known, { from: call, generation, key: shown }]);
    if (!rotated || field(call.answer?.body, "warning") != null) continue;
    const grace = field(call.body, "graceSeconds");
    const graceMs = (typeof grace === "number" ? grace : DEFAULT_GRACE_SECONDS) * 1000;
    // As the key's gate knew when the rotation began: until a newer secret was used, an older one is in use.
    const wasUsed = (key: string): boolean =>
      (byKey.get(keyId) ?? []).some(
        (each) =>
          keyOf(each) === key &&
          succeeded(each) &&
          each.answeredAt < call.at &&
          !isTroubled(history, keyId, each.at, call.answeredAt),
      );
    for (const later of byKey.get(keyId) ?? []) {
      const used = keyOf(later);
      if (used === shown || later.at <= call.answeredAt || bornLater(history, keyId, used, call)) continue;
      const older = known.some(
        (one) =>
          one.key === used &&
          one.generation < generation - 1 &&
          isFollowedBy(
            one,
            known.filter(({ key }) => wasUsed(key)),
          ),
      );
      const slack =
        graceMs === 0 || older ? 0 : ROUNDING_MS + history.settings.leaseMs + stepped(history, 0, later.answeredAt);
      const endedAt = call.answeredAt + (older ? 0 : graceMs) + slack;
      if (later.at <= endedAt || !isAdmitted(later, endedAt)) continue;
      yield {
        at: later.answeredAt,
        found: `key ${keyId} was rotated by an answer at ${call.answeredAt}; ${older ? "an older" : "the previous"} secret was answered ${later.status} at ${later.answeredAt}`,
        calls: [call.call, later.call],
      };
    }
  }
}

/** Whether one of these is newer. */
const isFollowedBy = ({ generation }: Secret, used: readonly Secret[]): boolean =>
  used.some((each) => each.generation > generation);

/** Whether an answer to a request that was under way with this rotation, or sent after it, showed the secret. */
const bornLater = (history: History, keyId: string, key: string | undefined, rotation: Call): boolean =>
  callsOf(history).some(
    (call) =>
      call.operation === "rotateApiKey" &&
      segmentAfter(call, "keys") === keyId &&
      call !== rotation &&
      call.answeredAt > rotation.at &&
      text(call.answer?.body, "key") === key,
  );

export const rotation = oracle(
  {
    name: "rotation",
    promise: "Safe rotation",
    words:
      "After a rotation the secret before it works for its grace, and an older one stops when a newer one was used.",
  },
  find,
);
