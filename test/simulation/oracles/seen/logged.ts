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
  const now = { banks: new Set<unknown>(), proposals: new Map<unknown, Row>(), gone: new Set<string>() };
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

const depthOf = ({ table }: RowChange): number => ({ idea_banks: 0, proposals: 1 })[table] ?? 2;

type Now = { readonly banks: Set<unknown>; readonly proposals: Map<unknown, Row>; readonly gone: Set<string> };

function toLogged(now: Now, { table, before, after }: RowChange): readonly string[] {
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
