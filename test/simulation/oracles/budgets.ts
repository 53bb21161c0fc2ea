import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, callsOf, groupBy, mayHaveWritten, segmentAfter, succeeded } from "./seen/calls.ts";
import {
  callsByKey,
  databaseOf,
  ideaBankIdOf,
  isForged,
  issuedTokens,
  keyIdOf,
  keyOf,
  signedOf,
  tokenOf,
} from "./seen/credentials.ts";
import { hasJustGone, isNew } from "./seen/doubts.ts";
import { accountOfIdeaBank } from "./seen/expected.ts";
import { faultsOf, faulty, gateEnds, isolateEnded, REMEMBERED_MS, stepped } from "./seen/faults.ts";
import { rowsOf } from "./seen/rows.ts";

const found = (call: Call, what: string): Finding => ({
  at: call.answeredAt,
  found: `${call.operation} ${what}`,
  calls: [call.call],
});

/** Calls to a store by this request's isolate, until the answer: what a gate or a later refresh does is not the request's. */
const asked = (call: Call, store: string): number =>
  call.stores.filter((one) => one.store === store && one.isolate !== undefined && one.at <= call.answeredAt).length;

/** The gate is asked before D1: what it is told later is a report of a lease that has ended, and nobody waits for it. */
const askedGate = (call: Call): number => {
  const last = Math.min(call.answeredAt, ...call.stores.filter(({ store }) => store === "d1").map(({ at }) => at));
  return call.stores.filter((one) => one.store === "gate" && one.isolate !== undefined && one.at <= last).length;
};

/** A request's round trips to D1. "One a second after an answer": what begins a second after the first is the next one. */
const readsOf = (call: Call): Call["stores"] => {
  const reads = call.stores.filter((one) => one.store === "d1" && one.at <= call.answeredAt);
  const first = Math.min(...reads.map(({ at }) => at));
  const isView = call.operation === "getChangelog" || call.operation === "getCapabilities";
  const next = isView ? reads.findIndex((one) => one.to === "replica" && one.at - first >= SECOND_MS) : -1;
  return reads.filter((_, index) => index !== next);
};

/** Forged: of another shape than a credential, or with a body that an answer issued and another tag. */
export const forged = oracle(
  {
    name: "forged-costs-nothing",
    promise: "Bounded",
    words: "A forged credential is refused with 401 and without a call to a store.",
  },
  function* (history: History): Iterable<Finding> {
    const genuine = new Set<string>();
    for (const call of callsOf(history)) {
      for (const secret of JSON.stringify(call.answer?.body ?? null).match(/ib[ktv]_[0-9A-Za-z]+/g) ?? [])
        genuine.add(secret);
    }
    const bodies = new Set(Array.from(genuine, bodyOf));
    for (const call of callsOf(history)) {
      const credential = call.path.startsWith("/tenant/")
        ? (keyOf(call) ?? "")
        : isPanelists(call)
          ? (tokenOf(call) ?? "")
          : undefined;
      if (credential === undefined) continue;
      if (signedOf(credential) !== undefined && !isForged(history, credential)) continue;
      const shape = /^(ibk_[0-9A-Za-z]{47}|ibt_[0-9A-Za-z]{51}|ibv_[0-9A-Za-z]{40})$/.test(credential);
      if (shape && (genuine.has(credential) || !bodies.has(bodyOf(credential)))) continue;
      if (call.stores.length > 0)
        yield found(call, `with a forged credential called ${call.stores.map((one) => one.store).join(", ")}`);
      if (call.status !== undefined && call.status !== 401)
        yield found(call, `with a forged credential was answered ${call.status}`);
    }
  },
);

const isPanelists = (call: Call): boolean => /^\/(ideabank|public\/|surveys)/.test(call.path);
const bodyOf = (credential: string): string => credential.slice(0, credential.startsWith("ibk_") ? -8 : -17);

/**
 * Whether a part of the database was not asked by this isolate since it did not answer: then for a sign of life, once a second. Account
 * Settings, the operator's calls, reports of leaked keys and the health check ask past what an isolate remembers: they are no sign. Nor
 * is what was asked in the last second, which may not have been answered.
 */
const mayHang = (history: History, call: Call, database: string, part: "primary" | "replica"): boolean => {
  const ends = faultsOf(history)
    .filter(({ store, name, until }) => store === "d1" && (name ?? database) === database && until < call.at)
    .map(({ until }) => until);
  if (ends.length === 0) return false;
  const since = Math.max(...ends);
  if (part === "replica" && !hasReplica(history, call, database)) return signsOf(history, call, database, since) < 2;
  const others = new Set(
    callsOf(history).flatMap(({ path, call: id }) => (/^\/(account|operator|leaks|health)\b/.test(path) ? [id] : [])),
  );
  return !history.events.some(
    (event) =>
      event.kind === "store-called" &&
      event.store === "d1" &&
      event.to === part &&
      event.name === database &&
      event.isolate === call.isolate &&
      !(event.call !== undefined && others.has(event.call)) &&
      event.at > since &&
      event.at < call.at - SECOND_MS,
  );
};

/**
 * The signs of life that panelists' reads have asked for since. Where there is no replica the primary is the nearest, too, and is asked
 * for both signs, by the same read or by two.
 */
const signsOf = (history: History, { isolate, at }: Call, database: string, since: number): number =>
  callsOf(history)
    .filter((call) => call.isolate === isolate && call.at > since && call.at < at && call.method === "GET")
    .filter(isPanelists)
    .map((call) => call.stores.filter(({ store, name }) => store === "d1" && name === database).length - 1)
    .reduce((sum, signs) => sum + Math.max(0, signs), 0);

/** What waits for a receiver is sent when a change has been answered: the network may bring that answer later. */
const hasWebhook = (history: History, ideaBankId: string): boolean =>
  rowsOf(history).having("webhooks", "account_id", accountOfIdeaBank(rowsOf(history), ideaBankId) ?? "").length > 0;

/**
 * A call that has not been answered for two seconds makes an isolate ask the database by a session and without one, and so does every
 * tenth second while sessions hang. That is at the primary, and nobody waits for it.
 */
const checksOfSessions = (history: History, database: string, before: number): number =>
  faulty(history, "d1", database, 0, before) ? 2 : 0;

/** An isolate knows a survey for so long. */
const KNOWN_MS = 60_000;

/**
 * "An answer is one round trip where the survey is known, and two where it is not": one more where it has changed since it was read, and
 * where the person's hash for an anonymous one needs its salt first.
 */
function tripsOfSurvey(history: History, call: Call): number {
  if (!call.path.startsWith("/surveys")) return 0;
  const rows = rowsOf(history);
  const isAnonymous = rows
    .having("surveys", "idea_bank_id", ideaBankIdOf(tokenOf(call) ?? ""))
    .some((id) => rows.versions("surveys", id).some(({ row }) => row?.anonymous === 1));
  if (call.method === "GET") return Number(isAnonymous);
  const revisions = rows
    .versions("surveys", segmentAfter(call, "surveys") ?? "")
    .filter(({ at, row }) => row !== null && at <= call.answeredAt)
    .map(({ at, row }) => ({ at, revision: row?.revision }));
  const hasChanged = revisions.some(
    ({ at, revision }, index) => at >= call.at - KNOWN_MS && revision !== revisions[index - 1]?.revision,
  );
  return 1 + Number(hasChanged) + Number(isAnonymous);
}

/** Whether this isolate is near one. */
const hasReplica = (history: History, { isolate }: Call, database: string): boolean =>
  history.events.some(
    (event) =>
      event.kind === "store-called" &&
      event.store === "d1" &&
      event.name === database &&
      event.isolate === isolate &&
      event.to === "replica",
  );

/**
 * A gate that failed or ended explains a second call to it, and a call to D1 instead. Panelists: one call to a replica, and one to the
 * primary when the replica is late; with a new token, which is refused only when the primary says so, one more to the primary. (Where
 * there is no replica, all calls go to the primary.) KV is read and written once for a changelog, else never.
 */
export const budgets = oracle(
  {
    name: "budgets",
    promise: "Bounded",
    words:
      "No request calls the stores more often than its budget: `GET /tenant/whoami` once, a tenant's operation twice, a fresh changelog never.",
  },
  function* (history: History): Iterable<Finding> {
    const issued = issuedTokens(history);
    const writes = callsOf(history).filter(mayHaveWritten);
    for (const call of callsOf(history)) {
      // Of what has no answer nobody can say what came before it.
      if (call.answer === undefined) continue;
      const [d1, kv, gate] = [asked(call, "d1"), asked(call, "kv"), asked(call, "gate")];
      const token = tokenOf(call);
      const keyId = keyIdOf(call);
      if (token !== undefined) {
        if (faulty(history, "d1", databaseOf(ideaBankIdOf(token)), call.at - REMEMBERED_MS, call.answeredAt)) continue;
        // By a clock that steps meanwhile a read may be late that is not.
        if (stepped(history, call.at, call.answeredAt) > 0) continue;
        const reads = readsOf(call);
        const primary = reads.filter(({ to }) => to === "primary").length;
        if (gate > 0) yield found(call, "called a gate");
        if (kv > (call.operation === "getChangelog" ? 2 : 0)) yield found(call, `called KV ${kv} times`);
        const doubted = isNew(history, call, issued.get(token)) ? 1 : 0;
        const [primarySign, replicaSign] = (["primary", "replica"] as const).map((part) =>
          mayHang(history, call, databaseOf(ideaBankIdOf(token)), part) ? 1 : 0,
        ) as [number, number];
        if (call.method !== "GET" && hasWebhook(history, ideaBankIdOf(token))) continue;
        // What was read before a write through this isolate is read again.
        if (
          writes.some((one) => one.isolate === call.isolate && one.answeredAt >= call.at && one.at <= call.answeredAt)
        )
          continue;
        const nearest = replicaSign > 0 && !hasReplica(history, call, databaseOf(ideaBankIdOf(token))) ? 1 : 0;
        const gone = hasJustGone(history, token, call.answeredAt) ? 1 : 0;
        const checks = checksOfSessions(history, databaseOf(ideaBankIdOf(token)), call.answeredAt);
        const survey = tripsOfSurvey(history, call);
        if (
          primary > 1 + survey + doubted + gone + primarySign + nearest + checks ||
          reads.length - primary > 1 + survey + gone + replicaSign
        )
          yield found(call, `made ${reads.length} round trips to D1, ${primary} at the primary`);
      } else if (keyId !== undefined && call.path.startsWith("/tenant/")) {
        const broken =
          faulty(history, "gate", keyId, call.at - REMEMBERED_MS, call.answeredAt) ||
          gateEnds(history, keyId, call.at, call.answeredAt) > 0;
        const down = faulty(history, "d1", databaseOf(keyId), call.at - REMEMBERED_MS, call.answeredAt);
        if (broken || down) continue;
        // A database that is back after it was known to hang: a sign of life, and the gate is asked anew.
        const sign = mayHang(history, call, databaseOf(keyId), "primary") ? 1 : 0;
        const gates = askedGate(call);
        if (gates > 1 + sign) yield found(call, `called gates ${gates} times`);
        if (kv > 0) yield found(call, "called KV");
        const checks = checksOfSessions(history, databaseOf(keyId), call.answeredAt);
        if (call.operation === "whoami" && d1 > 2 * sign + checks) yield found(call, "called D1");
        // The hash of a secret that is handed out is stored after the answer, which the network may bring later.
        const soon = call.operation === "getSigningSecret" ? 1 : 0;
        if (call.method === "GET" && d1 > 1 + soon + 2 * sign + checks)
          yield found(call, `made ${d1} round trips to D1`);
      }
    }
  },
);

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/**
 * One isolate, after a 429 until its Retry-After, or for a minute after a 401: no calls. For a second where only the secret is wrong: its
 * gate may not have heard of a rotation yet. Retry-After is rounded up to a second, and counts from some moment of the request. A change of the key's row, a fault or an end of its gate is left out.
 */
export const refusedAgain = oracle(
  {
    name: "refused-again-costs-nothing",
    promise: "Bounded",
    words:
      "A refused key is refused again without a call to a store: until `Retry-After` for its limit, else for a minute.",
  },
  function* (history: History): Iterable<Finding> {
    for (const [keyId, calls] of callsByKey(history)) {
      for (const mine of groupBy(calls, (call) => `${call.isolate} ${keyOf(call)}`).values()) {
        let until = -Infinity;
        let by: Call | undefined;
        for (const call of mine) {
          const cost = asked(call, "gate") + asked(call, "d1") + asked(call, "kv") > 0;
          if (
            by !== undefined &&
            call.at > by.answeredAt &&
            call.answeredAt < until &&
            cost &&
            quiet(history, keyId, by, call)
          ) {
            yield {
              ...found(call, `with a key that was refused ${by.status} called ${call.stores[0]?.store}`),
              calls: [by.call, call.call],
            };
          }
          const seconds =
            call.status === 401
              ? (isAlive(history, keyId, call.at) ? SECOND_MS : MINUTE_MS) / 1000
              : call.status === 429
                ? Number(call.answer?.headers["retry-after"]) - 1
                : 0;
          // A 401 from memory prolongs nothing.
          if ((call.status === 401 && !cost) || succeeded(call) || call.at + seconds * 1000 <= until) continue;
          if (call.status !== 401 && call.status !== 429) continue;
          until = call.at + seconds * 1000;
          by = call;
        }
      }
    }
  },
);

/** The key is neither revoked nor expired: its secret is wrong. While D1 fails, its gate may know it as it was five minutes ago. */
const isAlive = (history: History, keyId: string, at: number): boolean => {
  const versions = rowsOf(history)
    .versions("api_keys", keyId)
    .filter((version) => version.at <= at);
  const isDown = faulty(history, "d1", databaseOf(keyId), at - MINUTE_MS, at);
  const known = versions.filter((_, index) => (versions[index + 1]?.at ?? at) >= at - (isDown ? 5 * MINUTE_MS : 0));
  return known.some(
    ({ row }) =>
      row != null &&
      row.revoked_at == null &&
      (row.expires_at == null || Number(row.expires_at) > (history.epoch ?? 0) + at),
  );
};

const quiet = (history: History, keyId: string, from: Call, to: Call): boolean =>
  !isolateEnded(history, to.isolate, from.at, to.answeredAt) &&
  gateEnds(history, keyId, from.at, to.answeredAt) === 0 &&
  !faulty(history, "gate", keyId, from.at - REMEMBERED_MS, to.answeredAt) &&
  stepped(history, 0, to.answeredAt) === 0 &&
  !rowsOf(history)
    .versions("api_keys", keyId)
    .some((version) => version.at >= from.at - 2 * MINUTE_MS && version.at <= to.answeredAt);
