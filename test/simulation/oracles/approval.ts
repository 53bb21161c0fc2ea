import type { History, Row } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, callsOf, field, pathOf, queryOf, segmentAfter, text } from "./seen/calls.ts";
import { type Rows, rowsOf } from "./seen/rows.ts";

const LIST = "/account/ideas";
const SHOWN = /name="ids" value="[0-9A-Za-z]{12}-([0-9A-Za-z]{12})-\w+"/g;
const TOO_LATE = "is no longer waiting for approval";
const VISIBILITIES: Readonly<Record<string, string>> = { approve: "public", hide: "hidden" };

/** It is pending, in an idea bank that there is, and was not merged. */
const waits = (rows: Rows, id: string, moment: number): boolean => {
  const row = rows.row("proposals", id, moment);
  return row?.visibility === "pending" && row.duplicate_of === null && isIn(rows, row, moment);
};
const isIn = (rows: Rows, row: Row, moment: number): boolean =>
  rows.row("idea_banks", String(row.idea_bank_id), moment) !== null;

/** The moments from the request to the answer. */
const momentsOf = (rows: Rows, call: Call): readonly number[] => {
  const first = rows.momentAt(call.at - 1);
  return Array.from({ length: rows.momentAt(call.answeredAt) - first + 1 }, (_, index) => first + index);
};

/** The one account of which somebody has been a member all the time until the answer; undefined when there is no such. */
const accountOf = (rows: Rows, call: Call): string | undefined => {
  const person = /^owner (.+)$/.exec(call.client)?.[1] ?? "";
  const last = rows.momentAt(call.answeredAt);
  const added = rows.having("members", "email", person).length > 0;
  const [id, another] = rows.having("accounts", "owner_email", person);
  if (id === undefined || another !== undefined || added) return undefined;
  const versions = rows.versions("accounts", id).filter(({ moment }) => moment <= last);
  return versions.every(({ row }) => row?.owner_email === person && row.status === "active") ? id : undefined;
};

function* page(rows: Rows, call: Call): Iterable<Finding> {
  const account = accountOf(rows, call);
  if (call.status !== 200 || account === undefined) return;
  const html = String(call.answer?.body);
  const shown = new Set(Array.from(html.matchAll(SHOWN), ([, id]) => id ?? ""));
  const moments = momentsOf(rows, call);
  const found = (what: string): Finding => ({ at: call.answeredAt, found: `the page ${what}`, calls: [call.call] });
  for (const id of shown) {
    const isOwn = rows.having("proposals", "account_id", account).includes(id);
    if (!isOwn || !moments.some((moment) => waits(rows, id, moment)))
      yield found(`of account ${account} has ${id}, which does not wait there`);
  }
  if (queryOf(call).has("cursor") || html.includes("cursor=")) return;
  for (const id of rows.having("proposals", "account_id", account)) {
    if (!shown.has(id) && moments.every((moment) => waits(rows, id, moment)))
      yield found(`of account ${account} has no ${id}, which waits`);
  }
}

/** Any request of the account moves on what merges have still to move: that is no decision. */
const isOnlyCounted = (before: Row, after: Row | null): boolean =>
  after !== null && ["visibility", "duplicate_of", "response", "status"].every((name) => after[name] === before[name]);

/** What a form asks for. A response is written without what surrounds it. */
const isAsAsked = (call: Call, row: Row | null): boolean => {
  const [into, what, response] = ["into", "do", "response"].map((name) => text(call.body, name));
  return into === undefined
    ? row?.visibility === VISIBILITIES[what ?? ""] && (!response?.trim() || row?.response === response.trim())
    : row?.duplicate_of === into;
};

function* decision(rows: Rows, call: Call): Iterable<Finding> {
  const id = segmentAfter(call, "ideas") ?? "";
  const found = (what: string): Finding => ({
    at: call.answeredAt,
    found: `a decision about ${id} was answered ${call.status}, and ${what}`,
    calls: [call.call],
  });
  const isForeign = call.headers["sec-fetch-site"] === "cross-site";
  if (isForeign && call.status !== 403 && call.status !== 503 && call.answer !== undefined)
    yield found("it came from another site");
  let made = 0;
  for (const commit of call.commits) {
    const change = commit.changes.find(
      ({ table, before, after }) => table === "proposals" && before?.id === id && !isOnlyCounted(before, after),
    );
    if (change === undefined) continue;
    made += 1;
    if (isForeign) yield found("it came from another site, and was made");
    if (!waits(rows, id, rows.commits.indexOf(commit) - 1)) yield found("it was made of what did not wait");
    if (!isAsAsked(call, change.after)) yield found("another one was made");
    const logged = commit.changes.filter(({ table, after }) => table === "change_log" && after?.proposal_id === id);
    if (!logged.some(({ after }) => after?.actor === "tenant"))
      yield found("the log does not say that the tenant made it");
  }
  if (call.status === 303 && made !== 1) yield found(`it was made ${made} times`);
  const isRefused = call.status === 404 || String(call.answer?.body).includes(TOO_LATE);
  if (!isRefused || accountOf(rows, call) !== rows.row("proposals", id, rows.momentAt(call.at))?.account_id) return;
  const into = field(call.body, "into");
  const canBe = (moment: number): boolean => {
    if (!waits(rows, id, moment) || into === undefined) return waits(rows, id, moment);
    const target = rows.row("proposals", String(into), moment);
    const bank = rows.row("proposals", id, moment)?.idea_bank_id;
    return (
      into !== id && target?.idea_bank_id === bank && target?.visibility === "public" && target.duplicate_of === null
    );
  };
  if (momentsOf(rows, call).every(canBe)) yield found("it waited all the time");
}

export const approval = oracle(
  {
    name: "approval",
    promise: "Decisions",
    words:
      "The list of pending proposals shows all of the account and no others, and of several decisions about one proposal one is made.",
  },
  function* (history: History): Iterable<Finding> {
    const rows = rowsOf(history);
    for (const call of callsOf(history)) {
      if (pathOf(call) === LIST && queryOf(call).get("visibility") === "pending") yield* page(rows, call);
      if (call.operation === "decide") yield* decision(rows, call);
    }
  },
);
