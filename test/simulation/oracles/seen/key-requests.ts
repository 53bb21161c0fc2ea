import { createHash } from "node:crypto";
import type { History } from "../../history.ts";
import { type Call, text } from "./calls.ts";
import { admissionOf, callsByKey, databaseOf, keyOf } from "./credentials.ts";
import { crashes, faulty, isolateEnded, stepped } from "./faults.ts";
import { rowsOf } from "./rows.ts";

/** What an owner's page says of one request. */
export type Facts = {
  readonly at: string;
  readonly network: string | null;
  readonly country: string | null;
  readonly userAgent: string | null;
  readonly operation: string;
};

/**
 * `use`: it was admitted; `refusal`: it was not, for `reasons`; `either`: the answer does not tell (it was lost, or is 5xx, or says
 * that the account is suspended, or a store was at fault). `none`: a forged key.
 */
export type KeyRequest = {
  readonly call: Call;
  readonly is: "use" | "refusal" | "either" | "none";
  readonly reasons: readonly string[];
  /** Of the secret that it was sent with: as the key's row has it. */
  readonly hash: string;
  readonly facts: Omit<Facts, "at">;
  /** How often it may count at most: twice when it was to ask its gate, and a fault of that made it ask again. */
  readonly times: 1 | 2;
  /** Unix milliseconds: it was sent between the two, by the clock of its isolate, its gate, or the true one. */
  readonly from: number;
  readonly until: number;
};

/**
 * "A few seconds behind": the longest lease, and the report after it. D1 hears of a key's first use as late, by an alarm, and before that
 * no gate is asked.
 */
export const behindMs = (history: History): number =>
  10_000 + history.settings.leaseMs + 5_000 + stepped(history, 0, Infinity);
/** A gate that has not answered by then counts as down. */
const GATE_MS = 2_000;
/** How long a request may be on its way to its isolate. */
const WAY_MS = 1_000;

const known = new WeakMap<History, ReadonlyMap<string, readonly KeyRequest[]>>();

/** The requests with each key, in the order of sending. */
export function requestsByKey(history: History): ReadonlyMap<string, readonly KeyRequest[]> {
  const before = known.get(history);
  if (before !== undefined) return before;
  const clocks = stepped(history, 0, Infinity) + 1;
  const hashes = new Map<string, string>();
  const byKey = new Map<string, KeyRequest[]>();
  for (const [keyId, calls] of callsByKey(history)) {
    const secrets = secretsOf(history, keyId);
    const toRequest = (call: Call): KeyRequest => {
      const secret = keyOf(call) ?? "";
      const hash = hashes.get(secret) ?? createHash("sha256").update(secret).digest("hex");
      hashes.set(secret, hash);
      const isFaulty = hasMetFault(history, keyId, call);
      const end = Math.min(call.answeredAt, call.at + WAY_MS);
      const epoch = history.epoch ?? 0;
      return {
        call,
        hash,
        ...(secrets.has(hash) ? (isFaulty ? EITHER : decisionOf(call)) : NONE),
        facts: factsOf(call),
        times: isFaulty && call.stores.some(({ store }) => store === "gate") ? 2 : 1,
        from: epoch + call.at - clocks,
        until: epoch + end + clocks,
      };
    };
    byKey.set(keyId, calls.map(toRequest));
  }
  known.set(history, byKey);
  return byKey;
}

/** The hashes of the secrets that a key ever had. */
const secretsOf = (history: History, keyId: string): ReadonlySet<unknown> =>
  new Set(
    rowsOf(history)
      .versions("api_keys", keyId)
      .flatMap(({ row }) => [row?.secret_hash, row?.previous_secret_hash]),
  );

const EITHER = { is: "either", reasons: [] } as const;
const NONE = { is: "none", reasons: [] } as const;

/** Only who has the right secret of a key is told the reason: who is told none had another one, or the key has ended as well. */
function decisionOf(call: Call): Pick<KeyRequest, "is" | "reasons"> {
  const refused = (...reasons: readonly string[]) => ({ is: "refusal", reasons }) as const;
  const reason = text(call.answer?.body, "reason");
  const admission = admissionOf(call);
  if (admission === "limited") return refused("limited");
  if (reason === "suspended") return EITHER;
  if (reason !== undefined) return refused(reason);
  if (admission === "refused") return refused("wrong-secret", "revoked", "expired");
  // Over the limit comes before scopes and resources.
  const isUse = admission === "admitted" || call.status === 403;
  return isUse ? { is: "use", reasons: [] } : EITHER;
}

/** What met a fault of its gate may have been decided twice, by the gate and by D1: the answer tells of one. */
const hasMetFault = (history: History, keyId: string, { at, answeredAt }: Call): boolean =>
  faulty(history, "gate", keyId, at, answeredAt) ||
  crashes(history, keyId, at, answeredAt) > 0 ||
  (answeredAt - at >= GATE_MS && faulty(history, "d1", databaseOf(keyId), at, answeredAt));

/** What its client sent, as the page shows it. */
function factsOf({ headers, operation }: Call): Omit<Facts, "at"> {
  return {
    network: networkOf(headers["cf-connecting-ip"]),
    country: headers["cf-ipcountry"] ?? null,
    userAgent: headers["user-agent"]?.slice(0, 100) ?? null,
    operation,
  };
}

/** The first 24 bits of an IPv4 address, also when it is written as IPv6; 48 of an IPv6 one, whose groups are all given. */
function networkOf(address: string | undefined): string | null {
  if (address === undefined) return null;
  const four = /(\d+\.\d+\.\d+)\.\d+$/.exec(address)?.[1];
  if (four !== undefined) return `${four}.0/24`;
  return `${address.split(":", 3).join(":")}::/48`;
}

/** An isolate refuses by itself what it knows to be refused for so long: the gate was told of the first. */
export const REFUSED_MS = 60_000;
/** What failed is tried again some time later. */
const BEFORE_MS = 30_000;

/**
 * Nothing has hindered what is known of a request on its way to its owner: its isolate and its key's gate have not ended, and no
 * store of its account was at fault. An eviction is no excuse. What D1 decided without the gate has no `RateLimit`.
 */
export function isTold(history: History, keyId: string, { call, is, reasons }: KeyRequest, to: number): boolean {
  if (is === "use" && call.answer?.headers.ratelimit === undefined) return false;
  const from = is === "refusal" && !reasons.includes("limited") ? call.at - REFUSED_MS : call.at;
  // By then its owner could see it: what breaks later is no excuse.
  const until = Math.min(to, call.answeredAt + behindMs(history));
  return !isolateEnded(history, call.isolate, call.at, until) && !isTroubled(history, keyId, from, until);
}

/** A gate crashed or was deployed anew, or a store of this key was at fault. */
export const isTroubled = (history: History, keyId: string, from: number, to: number): boolean =>
  faulty(history, "gate", keyId, from - BEFORE_MS, to) ||
  faulty(history, "d1", databaseOf(keyId), from - BEFORE_MS, to) ||
  crashes(history, keyId, from, to) > 0;
