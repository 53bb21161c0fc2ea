import type { History, Row, RowChange } from "../../history.ts";
import { accountIdOf } from "./rows.ts";

/** What an account's log has to show of one commit, as `type id`: in any order. */
export type LoggedCommit = { readonly at: number; readonly changes: readonly string[] };

/** What the tenant API shows of each, but counts: these change with others. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  idea_banks: [
    "name",
    "status",
    "internal",
    "changelog_enabled",
    "changelog_max_entries",
    "submissions_enabled",
    "voting_enabled",
    "comments_enabled",
    "approval_required",
    "surveys_enabled",
    "url",
    "description",
    "public_page",
    "hidden_from_search",
    "email_sign_in",
    "sign_in_url",
  ],
  proposals: [
    "title",
    "description",
    "status",
    "visibility",
    "response",
    "responded_at",
    "author_id",
    "duplicate_of",
    "external_id",
    "metadata",
    "tags",
  ],
  comments: ["body", "panelist_id"],
  panelists: ["external_id", "display_name", "active"],
  surveys: [
    "idea_bank_id",
    "title",
    "description",
    "thanks",
    "status",
    "url",
    "external_id",
    "questions",
    "voters_of",
    "anonymous",
    "editable",
    "closes_at",
    "max_responses",
  ],
};
const NOUNS: Readonly<Record<string, string>> = {
  idea_banks: "ideabank",
  proposals: "proposal",
  comments: "comment",
  panelists: "panelist",
};

/** A deleted proposal is in an idea bank that there is not, and a deleted panelist has a time. */
const isDeleted = (row: Row | null): boolean => row === null || row.deleted_at != null || row.idea_bank_id === row.id;

/** The commits of an account that its log shows, in order. */
export function loggedOf(history: History, account: string): readonly LoggedCommit[] {
  const now: Now = {
    banks: new Set(),
    proposals: new Map(),
    surveys: new Map(),
    leavers: new Set(),
    gone: new Set(),
  };
  const commits: LoggedCommit[] = [];
  for (const event of history.events) {
    if (event.kind !== "committed") continue;
    // What contains others is deleted before them, in whatever order a commit lists its rows.
    const ordered = event.changes.toSorted((left, right) => depthOf(left) - depthOf(right));
    const changes = ordered.flatMap((change) => {
      const row = change.after ?? change.before;
      return row !== null && accountIdOf(change.table, row) === account ? toLogged(now, change) : [];
    });
    if (changes.length > 0) commits.push({ at: event.at, changes });
  }
  return commits;
}

const depthOf = ({ table }: RowChange): number =>
  ({ idea_banks: 0, proposals: 1, surveys: 1, survey_responses: 3 })[table] ?? 2;

/** `leavers`: the panelists that are deleted, whether they are still stored or not. */
type Now = {
  readonly banks: Set<unknown>;
  readonly proposals: Map<unknown, Row>;
  readonly surveys: Map<unknown, Row>;
  readonly leavers: Set<unknown>;
  readonly gone: Set<string>;
};

/** Of an anonymous one, each step is logged as a response of nobody. */
function toLoggedSurvey(now: Now, { before, after }: RowChange): readonly string[] {
  const row = after ?? before;
  if (row === null) return [];
  if (after === null) now.surveys.delete(row.id);
  else now.surveys.set(row.id, after);
  if (before === null) return [`survey.created ${row.id}`];
  if (after === null)
    return row.idea_bank_id === null || now.banks.has(row.idea_bank_id) ? [`survey.deleted ${row.id}`] : [];
  const isShown = (SHOWN.surveys ?? []).some((column) => before[column] !== after[column]);
  return [
    ...(isShown ? [`survey.updated ${row.id}`] : []),
    ...(Number(after.step) > Number(before.step) ? [`survey-response.created ${row.id}/undefined`] : []),
  ];
}

/** What goes with a deleted survey or panelist is not logged, nor is what nobody may know of an anonymous survey. */
function toLoggedResponse(now: Now, { before, after }: RowChange): readonly string[] {
  const row = after ?? before;
  const survey = now.surveys.get(row?.survey_id);
  if (row === null || survey === undefined || survey.anonymous === 1) return [];
  const name = (type: string) => [`survey-response.${type} ${row.survey_id}/${row.respondent}`];
  if (before === null) return name("created");
  if (after === null) return now.leavers.has(row.respondent) ? [] : name("deleted");
  return before.answers !== after.answers || before.counted !== after.counted ? name("updated") : [];
}

function toLogged(now: Now, change: RowChange): readonly string[] {
  const { table, before, after } = change;
  if (table === "surveys") return toLoggedSurvey(now, change);
  if (table === "survey_responses") return toLoggedResponse(now, change);
  if (table === "panelists") {
    if (after?.deleted_at != null) now.leavers.add(after.id);
    else if (after !== null) now.leavers.delete(after.id);
  }
  const noun = NOUNS[table];
  const row = after ?? before;
  if (noun === undefined || row === null) return [];
  const name = (type: string) => [`${noun}.${type} ${row.id}`];
  const key = `${noun} ${row.id}`;
  if (table === "idea_banks") {
    if (after === null) now.banks.delete(row.id);
    else now.banks.add(row.id);
  }
  if (table === "proposals") now.proposals.set(row.id, after ?? { ...row, idea_bank_id: row.id ?? null });
  if (before === null) {
    // A person who comes back has the identifier from before.
    now.gone.delete(key);
    return name("created");
  }
  if (now.gone.has(key)) return [];
  // Also what was merged into a deleted proposal, which leaves its idea bank.
  const hasLeft = table === "proposals" && after !== null && before.idea_bank_id !== after.idea_bank_id;
  // What is in a deleted idea bank or proposal is gone for everybody, and is not shown again.
  const proposal =
    table === "comments" ? now.proposals.get(row.proposal_id) : table === "proposals" ? before : undefined;
  const isShown = proposal === undefined || now.banks.has(proposal.idea_bank_id);
  if (isDeleted(after) || hasLeft) {
    now.gone.add(key);
    return isShown ? name("deleted") : [];
  }
  if (!isShown) return [];
  const differs = (column: string) => before[column] !== after?.[column];
  if (!(SHOWN[table] ?? []).some(differs)) return [];
  if (table === "proposals" && before.duplicate_of === null && after?.duplicate_of !== null) return name("merged");
  return name(table === "proposals" && differs("status") ? "status-changed" : "updated");
}
