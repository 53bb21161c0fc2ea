import type { Committed, History, Row, RowChange } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, callsOf, field, pathOf, queryOf, segmentAfter, succeeded, text } from "./seen/calls.ts";
import { accountOfIdeaBank } from "./seen/expected.ts";
import { type Rows, rowsOf } from "./seen/rows.ts";

/** Composed, as it is stored. */
const idAskedBy = (call: Call): string | undefined => {
  const named = segmentAfter(call, "by-external-id");
  const id =
    named === undefined
      ? (queryOf(call).get("externalId") ?? text(call.body, "externalId"))
      : decodeURIComponent(named);
  return id?.normalize("NFC");
};

/** The proposals that have an id in an idea bank at a moment. A deleted one is in no idea bank. */
const holders = (rows: Rows, bank: string, externalId: string, moment: number): readonly Row[] =>
  rows
    .having("proposals", "external_id", externalId)
    .map((id) => rows.row("proposals", id, moment))
    .filter((row) => row !== null && row.idea_bank_id === bank && row.external_id === externalId)
    .filter((row) => row !== null);

/** Whether it was merged into what is gone: it goes, too, and keeps its id until then. */
const isBeingDeleted = (rows: Rows, { duplicate_of }: Row, moment: number): boolean => {
  if (typeof duplicate_of !== "string") return false;
  const target = rows.row("proposals", duplicate_of, moment);
  return target === null || target.idea_bank_id === target.id;
};

/** By column, what a request asks for. An object's names have no order. */
const FIELDS: Readonly<Record<string, (asked: unknown, row: Row) => boolean>> = {
  title: (asked, row) => row.title === asked,
  description: (asked, row) => row.description === asked,
  status: (asked, row) => row.status === asked,
  visibility: (asked, row) => row.visibility === asked,
  response: (asked, row) => row.response === (text(asked, "text") ?? null),
  tags: (asked, row) => (row.tags ?? "[]") === JSON.stringify(asked),
  metadata: (asked, row) => pairsOf(JSON.parse(String(row.metadata ?? "{}"))) === pairsOf(asked),
};
const pairsOf = (pairs: unknown): string => JSON.stringify(Object.entries(pairs as object).toSorted());

const askedOf = (call: Call): readonly string[] =>
  Object.keys(FIELDS).filter((name) => field(call.body, name) !== undefined);
const isAsAsked = (call: Call, row: Row): boolean =>
  askedOf(call).every((name) => FIELDS[name]?.(field(call.body, name), row));

/** One proposal for each id of each idea bank, at every commit. */
function* unique(rows: Rows): Iterable<Finding> {
  for (const [moment, commit] of rows.commits.entries()) {
    for (const { table, after } of commit.changes) {
      if (table !== "proposals" || typeof after?.external_id !== "string") continue;
      const { external_id: externalId } = after;
      const found = (what: string): Finding => ({
        at: commit.at,
        found: `${externalId} of idea bank ${after.idea_bank_id} ${what}`,
        calls: commit.call === undefined ? [] : [commit.call],
      });
      const all = holders(rows, String(after.idea_bank_id), externalId, moment);
      if (all.length > 1) yield found(`is the id of ${all.map(({ id }) => id).join(", ")}`);
      if (externalId !== externalId.normalize("NFC")) yield found("is not composed");
    }
  }
}

/**
 * How the words of a title are stored nobody is shown. What waits to be delivered is delivered after an answer. Which key acts is
 * forgotten at the end of its transaction.
 */
const isSeen = ({ table, before, after }: RowChange): boolean =>
  table !== "webhooks" &&
  table !== "acting_keys" &&
  (before === null ||
    after === null ||
    Object.entries(after).some(([column, value]) => column !== "words" && before[column] !== value));

/** A `PUT` writes what it is asked for, and nothing when that is what is there. */
function* written(rows: Rows, call: Call, bank: string, externalId: string): Iterable<Finding> {
  const found = (commit: Committed, what: string): Finding => ({
    at: commit.at,
    found: `${call.operation} of ${externalId} ${what}`,
    calls: [call.call],
  });
  for (const commit of call.commits) {
    const before = holders(rows, bank, externalId, rows.commits.indexOf(commit) - 1)[0];
    if (before === undefined) continue;
    if (isAsAsked(call, before) && commit.changes.some(isSeen))
      yield found(commit, `is what proposal ${before.id} was, and changed something`);
    const after = commit.changes.find(
      (change) => change.table === "proposals" && change.after?.id === before.id,
    )?.after;
    const kept = [...Object.keys(FIELDS), "external_id", "author_id", "created_at", "idea_bank_id", "duplicate_of"];
    const wrong = kept.filter((name) => after && after[name] !== before[name] && field(call.body, name) === undefined);
    if (wrong.length > 0) yield found(commit, `changed ${wrong.join(", ")}, which it does not name`);
  }
}

const isConflict = (call: Call): boolean =>
  call.status === 409 &&
  field(call.answer?.body, "error") === "conflict" &&
  call.answer?.headers["idempotency-replayed"] !== "true";

/** What an answer says was so at some moment between the request and the answer. */
function* answered(history: History, call: Call, bank: string, externalId: string): Iterable<Finding> {
  const rows = rowsOf(history);
  const moments = rows.span(accountOfIdeaBank(rows, bank) ?? "", call.at, call.answeredAt);
  const some = (holds: (row: Row, moment: number) => boolean): boolean =>
    moments.some((moment) => holders(rows, bank, externalId, moment).some((row) => holds(row, moment)));
  const found = (what: string): Finding => ({
    at: call.answeredAt,
    found: `${call.operation} of ${externalId} was answered ${call.status}, and ${what}`,
    calls: [call.call],
  });
  const id = text(call.answer?.body, "id");
  const isPut = call.operation === "upsertProposal";
  if (isPut && succeeded(call)) {
    if (!some((row) => row.id === id && isAsAsked(call, row))) yield found(`proposal ${id} is not what was asked for`);
    const made = call.commits.flatMap(({ changes }) =>
      changes.filter(({ table, before }) => table === "proposals" && before === null),
    );
    if ((call.status === 201) !== made.some(({ after }) => after?.id === id))
      yield found(`it made ${made.length} proposals`);
  }
  if (call.operation === "listProposals" && succeeded(call)) {
    const items = field(call.answer?.body, "items");
    const ids = Array.isArray(items) ? items.map((item) => field(item, "externalId")) : [];
    if (ids.length > 1 || ids.some((each) => each !== externalId)) yield found(`shows ${ids.join(", ")}`);
  }
  if (isPut && isConflict(call) && !some((row, moment) => isBeingDeleted(rows, row, moment)))
    yield found("nothing that has the id is being deleted");
  const own = pathOf(call).split("/proposals/")[1];
  if (!isPut && isConflict(call) && !some((row) => row.id !== own)) yield found("no other proposal has the id");
}

export const externalIds = oracle(
  {
    name: "external-ids",
    promise: "Nothing acknowledged is lost",
    words: "An idea bank has one proposal of each `externalId`, and sending the same again changes nothing.",
  },
  function* (history: History): Iterable<Finding> {
    const rows = rowsOf(history);
    yield* unique(rows);
    for (const call of callsOf(history)) {
      const bank = segmentAfter(call, "ideabanks");
      const externalId = idAskedBy(call);
      if (bank === undefined || externalId === undefined || !pathOf(call).includes("/proposals")) continue;
      if (call.operation === "upsertProposal") yield* written(rows, call, bank, externalId);
      if (call.answer !== undefined) yield* answered(history, call, bank, externalId);
    }
  },
);
