import type { History, Row } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, callsOf, field, groupBy, pathOf, segmentAfter, succeeded, text } from "./seen/calls.ts";
import { ideaBankIdOf, keyIdOf, panelistIdOf, tokenOf } from "./seen/credentials.ts";
import { type Rows, rowKey, rowsOf } from "./seen/rows.ts";
import { votesFor } from "./seen/votes.ts";

/** The table that each creating operation adds one row to. */
const CREATES: Readonly<Record<string, string>> = {
  createSurvey: "surveys",
  createPanelist: "panelists",
  createIdeaBank: "idea_banks",
  createProposal: "proposals",
  submitProposal: "proposals",
  createComment: "comments",
  addComment: "comments",
};
const CHANGES: Readonly<Record<string, readonly [table: string, segment: string]>> = {
  updateSurvey: ["surveys", "surveys"],
  updateIdeaBank: ["idea_banks", "ideabanks"],
  updateProposal: ["proposals", "proposals"],
  editProposal: ["proposals", "proposals"],
  updatePanelist: ["panelists", "panelists"],
};
const REMOVES: Readonly<Record<string, readonly [table: string, segment: string]>> = {
  deleteSurvey: ["surveys", "surveys"],
  deleteIdeaBank: ["idea_banks", "ideabanks"],
  deleteProposal: ["proposals", "proposals"],
  withdrawProposal: ["proposals", "proposals"],
  deletePanelist: ["panelists", "panelists"],
  deleteComment: ["comments", "comments"],
  removeComment: ["comments", "comments"],
};

/** The operations on a vote, a panelist's own and on behalf of one: whether there is one afterwards. */
const VOTES: Readonly<Record<string, boolean>> = {
  vote: true,
  unvote: false,
  voteFor: true,
  putVote: true,
  deleteVote: false,
};

/** The column of what a body asks for. */
const COLUMNS: Readonly<Record<string, string>> = {
  title: "title",
  description: "description",
  status: "status",
  visibility: "visibility",
  name: "name",
  body: "body",
  externalId: "external_id",
  internal: "internal",
  changelogEnabled: "changelog_enabled",
  changelogMaxEntries: "changelog_max_entries",
  submissionsEnabled: "submissions_enabled",
  votingEnabled: "voting_enabled",
  commentsEnabled: "comments_enabled",
  approvalRequired: "approval_required",
  displayName: "display_name",
  active: "active",
};
const toColumn = (value: unknown): unknown => (typeof value === "boolean" ? Number(value) : value);

/** Everything that a body asks for, as far as one column holds it. */
const hasAll = (row: Row | null, body: unknown): boolean =>
  Object.entries(COLUMNS).every(([name, column]) => {
    const asked = field(body, name);
    return (
      asked === undefined || row?.[column] === toColumn(typeof asked === "string" ? asked.normalize("NFC") : asked)
    );
  });

/** What was created is as it was asked for; for a panelist it is the panelist's, and has the tags that were asked for. */
const isAsAsked = (row: Row, body: unknown): boolean => {
  const [panelist, tags] = [text(body, "panelistId"), field(body, "tags")];
  return (
    hasAll(row, body) &&
    (panelist === undefined || row.author_id === panelist || row.panelist_id === panelist) &&
    (tags === undefined || hasTags(row, tags))
  );
};
const hasTags = (row: Row | null, tags: unknown): boolean => (row?.tags ?? "[]") === JSON.stringify(tags);

/** Nobody can access what is deleted, though it may be stored for a while: a proposal is then in no idea bank that there is. */
const isGone = (row: Row | null): boolean => row === null || row.idea_bank_id === row.id || row.deleted_at != null;

/** Whether what a success says was true at some moment between `sent` and `answered`. Undefined for what rows do not tell. */
const wasDone = (rows: Rows, call: Call): boolean | undefined => {
  const some = (holds: (moment: number) => boolean): boolean => {
    const last = rows.momentAt(call.answeredAt);
    for (let moment = last; moment >= rows.momentAt(call.at - 1); moment--) if (holds(moment)) return true;
    return false;
  };
  const created = CREATES[call.operation];
  if (created !== undefined) {
    const id = text(call.answer?.body, "id") ?? "";
    // A replay may answer long after the row was made, and even removed.
    return rows
      .versions(created, id)
      .some(({ row, at }) => row !== null && at <= call.answeredAt && isAsAsked(row, call.body));
  }
  const change = CHANGES[call.operation];
  if (change !== undefined) {
    const id = segmentAfter(call, change[1]) ?? "";
    const tags = field(call.body, "tags");
    return some((moment) => {
      const row = rows.row(change[0], id, moment);
      return hasAll(row, call.body) && (tags === undefined || hasTags(row, tags));
    });
  }
  const removal = REMOVES[call.operation];
  if (removal !== undefined)
    return some((moment) => isGone(rows.row(removal[0], segmentAfter(call, removal[1]) ?? "", moment)));
  const vote = VOTES[call.operation];
  if (vote !== undefined) {
    const proposal = segmentAfter(call, "proposals") ?? "";
    const panelist = text(call.body, "panelistId") ?? segmentAfter(call, "votes") ?? panelistIdOf(tokenOf(call) ?? "");
    return some(
      (moment) =>
        votesFor(rows, proposal, panelist, moment) > 0 === vote &&
        rows.row("proposals", proposal, moment)?.votes === field(call.answer?.body, "votes"),
    );
  }
  if (call.operation === "mergeProposal") {
    const id = segmentAfter(call, "proposals") ?? "";
    return some((moment) => rows.row("proposals", id, moment)?.duplicate_of === text(call.body, "into"));
  }
  if (call.operation === "revokeTokens")
    return some(
      (moment) => rows.row("panelists", segmentAfter(call, "panelists") ?? "", moment)?.tokens_revoked_at != null,
    );
  if (call.operation === "changeApiKey" || call.operation === "limitKeyAsOperator") {
    const id = segmentAfter(call, "keys") ?? "";
    const [paused, limit, name] = ["paused", "limit", "name"].map((each) => field(call.body, each));
    return some((moment) => {
      const row = rows.row("api_keys", id, moment);
      return (
        row !== null &&
        (paused === undefined || (row.paused_at !== null) === paused) &&
        (limit === undefined || row.rate_limit === limit) &&
        (name === undefined || row.name === name)
      );
    });
  }
  if (call.operation === "revokeApiKey" || call.operation === "revokeKeyAsOperator")
    return some((moment) => rows.row("api_keys", segmentAfter(call, "keys") ?? "", moment)?.revoked_at != null);
  if (call.operation === "setAccountStatus") {
    const id = text(call.answer?.body, "accountId") ?? "";
    return some((moment) => rows.row("accounts", id, moment)?.status === field(call.body, "status"));
  }
  return undefined;
};

export const acknowledged = oracle(
  {
    name: "acknowledged-is-written",
    promise: "Nothing acknowledged is lost",
    words: "Each write that was acknowledged has been committed.",
  },
  function* (history: History): Iterable<Finding> {
    const rows = rowsOf(history);
    for (const call of callsOf(history)) {
      if (!succeeded(call) || wasDone(rows, call) !== false) continue;
      yield {
        at: call.answeredAt,
        found: `${call.operation} was answered ${call.status}, and no commit says so`,
        calls: [call.call],
      };
    }
  },
);

/** The settled tables are what the commits left: nothing disappears or changes without a commit. */
export const nothingLost = oracle(
  {
    name: "nothing-lost",
    promise: "Nothing acknowledged is lost",
    words: "At the end of a history the databases have what was committed, whatever has crashed.",
  },
  function* (history: History): Iterable<Finding> {
    const rows = rowsOf(history);
    const last = rows.commits.length - 1;
    const tables = new Map<string, Map<string, Row>>();
    for (const database of Object.values(history.settled)) {
      for (const [table, settled] of Object.entries(database)) {
        const known = tables.get(table) ?? new Map<string, Row>();
        tables.set(table, known);
        for (const row of settled) known.set(rowKey(table, row), row);
      }
    }
    // The directory's rows are in more than one database, so that an address alone does not name one.
    tables.delete("owners");
    for (const [table, settled] of tables) {
      for (const key of rows.keys(table)) {
        const expected = rows.row(table, key, last);
        const found = settled.get(key);
        if (key === "" || (expected === null ? found === undefined : found !== undefined && agree(found, expected)))
          continue;
        yield {
          at: Infinity,
          found: `settled: ${table} ${key} is ${shown(found)}; commits say ${shown(expected)}`,
          calls: [],
        };
      }
    }
  },
);

const shown = (row: Row | null | undefined): string => (row == null ? "gone" : JSON.stringify(row));
/** In the columns that both have: a generated column may be in one alone. */
const agree = (a: Row, b: Row): boolean =>
  Object.entries(a).every(([column, value]) => !(column in b) || b[column] === value);

const INSERTED = new Set(Object.values(CREATES));

const withoutAuthor = (name: string, value: unknown): unknown => (name === "author" ? undefined : value);

/**
 * An `Idempotency-Key` belongs to an API key, or to a panelist and its idea bank. Of all requests with one: at most one row of a kind
 * is made; answers to the same request are equal and all but one say that they are replayed; another request is never done. Equal but for
 * an author's name: it is as it is now.
 */
export const retriesAreSafe = oracle(
  {
    name: "retries-are-safe",
    promise: "Nothing acknowledged is lost",
    words: "Requests with one `Idempotency-Key` do their work once, and get the same answer.",
  },
  function* (history: History): Iterable<Finding> {
    const groups = groupBy(callsOf(history), (call) => {
      const token = tokenOf(call);
      const whose = token === undefined ? keyIdOf(call) : `${ideaBankIdOf(token)} ${panelistIdOf(token)}`;
      const key = call.headers["idempotency-key"];
      return call.method !== "POST" || key === undefined || whose === undefined ? undefined : `${whose} ${key}`;
    });
    for (const calls of groups.values()) {
      const report = (found: string, some: readonly Call[]): Finding => ({
        at: Math.max(...some.map((call) => call.at)),
        found,
        calls: some.map((call) => call.call),
      });
      const made = calls
        .flatMap((call) => call.commits.flatMap((commit) => commit.changes))
        .filter(({ table, before }) => before === null && INSERTED.has(table));
      for (const [table, rows] of groupBy(made, (one) => one.table)) {
        if (rows.length > 1) yield report(`one Idempotency-Key made ${rows.length} rows of ${table}`, calls);
      }
      const done = calls.filter(succeeded);
      const first = done.filter((call) => call.answer?.headers["idempotency-replayed"] !== "true");
      if (first.length > 1) yield report("one Idempotency-Key, and more than one answer that is no replay", first);
      if (new Set(done.map((call) => JSON.stringify([call.method, pathOf(call), call.body]))).size > 1) {
        yield report("one Idempotency-Key did two different requests", done);
      } else if (
        new Set(done.map((call) => JSON.stringify([call.status, call.answer?.body], withoutAuthor))).size > 1
      ) {
        yield report("a replay is not the first answer", done);
      }
    }
  },
);
