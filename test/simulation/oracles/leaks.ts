import type { Committed, History, Row } from "../history.ts";
import { isAdmitted } from "./key-revocation.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, callsOf, succeeded, text } from "./seen/calls.ts";
import { callsByKey, databaseOf, keyOf } from "./seen/credentials.ts";
import { DEADLINE_MS, faulty, gateEnds, stepped } from "./seen/faults.ts";
import { type Rows, rowsOf } from "./seen/rows.ts";

const THANKS = "/leaks/thanks";
const SHOWS = ["createApiKey", "rotateApiKey"];

/** A key that was pasted: its identifier, and the call whose answer showed it; undefined for a forged one. */
type Report = {
  readonly call: Call;
  readonly secret: string;
  readonly keyId: string;
  readonly shownBy: number | undefined;
};

const reportsOf = (history: History): readonly Report[] => {
  const shown = new Map(
    callsOf(history).flatMap((call) => {
      const secret = text(call.answer?.body, "key");
      return SHOWS.includes(call.operation) && succeeded(call) && secret !== undefined ? [[secret, call.call]] : [];
    }),
  );
  return callsOf(history).flatMap((call) => {
    const secret = call.path === "/leaks/reports" ? text(call.body, "key") : undefined;
    return secret === undefined ? [] : [{ call, secret, keyId: secret.slice(4, 16), shownBy: shown.get(secret) }];
  });
};

const isThanked = ({ answer }: Call): boolean => answer?.headers.location === THANKS;

/** What the owner had chosen from `from` to `to`; undefined when that changed. */
const choiceOf = (rows: Rows, keyId: string, from: number, to: number): "mark" | "end" | undefined => {
  const account = rows.versions("api_keys", keyId).find(({ row }) => row !== null)?.row?.account_id;
  const [first, last] = [rows.momentAt(from - 1), rows.momentAt(to)];
  const choices = new Set<unknown>();
  for (let moment = first; moment <= last; moment++)
    choices.add(rows.row("accounts", String(account), moment)?.marks_leaked_keys);
  return choices.size > 1 ? undefined : choices.has(1) ? "mark" : "end";
};

/** The call that wrote the secret that a key has at a moment. */
const writerOf = (rows: Rows, keyId: string, moment: number): number | undefined => {
  const versions = rows.versions("api_keys", keyId).filter((version) => version.moment <= moment);
  const written = versions.findLast(({ row }, at) => row?.secret_hash !== versions[at - 1]?.row?.secret_hash);
  return rows.commits[written?.moment ?? -1]?.call;
};

/** What a report did to the key. */
function* done(rows: Rows, { call, keyId, shownBy }: Report, commit: Committed): Iterable<Finding> {
  const moment = rows.commits.indexOf(commit);
  const change = commit.changes.find(({ table, after }) => table === "api_keys" && after?.id === keyId);
  if (change === undefined) return;
  const began = (column: string) => change.before?.[column] == null && change.after?.[column] != null;
  const found = (what: string): Finding => ({
    at: commit.at,
    found: `a report of key ${keyId} ${what}`,
    calls: [call.call],
  });
  if (began("revoked_at") && writerOf(rows, keyId, moment - 1) !== shownBy)
    yield found("was of an older secret, and did not end that alone");
  const marks = rows.row("accounts", String(change.after?.account_id), moment - 1)?.marks_leaked_keys === 1;
  if (marks && began("revoked_at")) yield found("ended it, and its owner has such keys marked");
  if (!marks && began("leaked_at") && change.after?.revoked_at == null)
    yield found("marked it, and its owner has such keys ended");
}

/** From the answer on it is ended, or marked. */
function* promised(history: History, { call, secret, keyId, shownBy }: Report): Iterable<Finding> {
  const rows = rowsOf(history);
  const choice = choiceOf(rows, keyId, call.at, call.answeredAt);
  if (choice === "end") {
    for (const later of callsByKey(history).get(keyId) ?? []) {
      if (keyOf(later) !== secret || later.at <= call.answeredAt || !isAdmitted(later, call.answeredAt)) continue;
      yield {
        at: later.answeredAt,
        found: `key ${keyId} was reported at ${call.answeredAt}; a request sent at ${later.at} was answered ${later.status}`,
        calls: [call.call, later.call],
      };
    }
  }
  const [before, after] = [call.at - 1, call.answeredAt].map((at) => rows.momentAt(at)) as [number, number];
  const isCurrent = [before, after].every((moment) => writerOf(rows, keyId, moment) === shownBy);
  const row: Row | null = rows.row("api_keys", keyId, after);
  if (
    choice === "mark" &&
    isCurrent &&
    row !== null &&
    row.revoked_at === null &&
    row.leaked_at === null &&
    !isOver(row, history, call)
  )
    yield { at: call.answeredAt, found: `key ${keyId} was reported, and is not marked`, calls: [call.call] };
}

const isOver = ({ expires_at: end }: Row, { epoch = 0 }: History, { answeredAt }: Call): boolean =>
  end !== null && end !== undefined && Number(end) <= epoch + answeredAt;

/** Reported before, by whichever clock, and nothing has changed that a report depends on. */
const isAgain = (rows: Rows, clocksMs: number, report: Report, earlier: Report): boolean =>
  earlier.secret === report.secret &&
  isThanked(earlier.call) &&
  earlier.call.answeredAt + clocksMs < report.call.at &&
  choiceOf(rows, report.keyId, earlier.call.at, report.call.answeredAt) !== undefined &&
  writerOf(rows, report.keyId, rows.momentAt(earlier.call.at - 1)) ===
    writerOf(rows, report.keyId, rows.momentAt(report.call.answeredAt));

/** Every answer is the same, unless a store that it needs was down: then it says to come again. */
function* learned(history: History, reports: readonly Report[]): Iterable<Finding> {
  let first: string | undefined;
  for (const { call, keyId, shownBy } of reports) {
    if (call.answer === undefined) continue;
    const found = (what: string): Finding => ({
      at: call.answeredAt,
      found: `a report of key ${keyId} was answered ${call.status} ${call.answer?.headers.location}: ${what}`,
      calls: [call.call],
    });
    if (!isThanked(call)) {
      const [from, to] = [call.at - DEADLINE_MS, call.answeredAt];
      const isDown =
        faulty(history, "d1", databaseOf(keyId), from, to) ||
        faulty(history, "gate", keyId, from, to) ||
        gateEnds(history, keyId, from, to) > 0;
      if (!isDown || shownBy === undefined) yield found("nothing was down that it needs");
      continue;
    }
    const { "x-request-id": _, date: __, ...headers } = call.answer.headers;
    const shown = JSON.stringify([call.status, Object.entries(headers).toSorted(), call.answer.body]);
    first ??= shown;
    if (shown !== first) yield found("another answer than others get");
    if (shownBy === undefined && call.stores.length > 0) yield found("it is forged, and a store was asked");
  }
}

export const leaks = oracle(
  {
    name: "leaks",
    promise: "Found in public",
    words:
      "When a report of a public key is answered, the key is revoked or marked, as its owner chose, and the answer does not say which.",
  },
  function* (history: History): Iterable<Finding> {
    const rows = rowsOf(history);
    const reports = reportsOf(history);
    const clocksMs = stepped(history, 0, Infinity);
    yield* learned(history, reports);
    for (const report of reports) {
      for (const commit of report.call.commits) {
        yield* done(rows, report, commit);
        const earlier = reports.find((one) => isAgain(rows, clocksMs, report, one));
        if (earlier !== undefined)
          yield {
            at: commit.at,
            found: `key ${report.keyId} was reported again, and something changed`,
            calls: [earlier.call.call, report.call.call],
          };
      }
      if (report.shownBy !== undefined && isThanked(report.call)) yield* promised(history, report);
    }
  },
);
