/** The last decision, and the button that takes it back. */
import type { LoadedDecision } from "../../database/activity/audit-events.ts";
import { type IdeaBank, isPageOpen } from "../../model/idea-bank.ts";
import { partPathOf } from "../../model/page-path.ts";
import type { ProposalStatus } from "../../model/proposal.ts";
import { changesInWords, personInWords, statusInWords } from "./changes-in-words.ts";
import type { Told } from "./visit.ts";
import { IDEA_STATUSES } from "./words.ts";

/** `each`: what the decision has changed of each proposal. */
export type JustDone = LoadedDecision & {
  /** The page to return to. */
  readonly here: string;
  readonly isUndoable: boolean;
  /** The decision was an undo. */
  readonly isUndo: boolean;
  /** The title of the idea into which the decision has merged another one. */
  readonly mergedInto: string | undefined;
};

type DoneProps = {
  readonly done: JustDone | undefined;
  /** Another element of the page takes the focus, and is described by this one. */
  readonly isQuiet?: boolean;
  /** The name of the page's person. Events name no panelist. */
  readonly person?: string;
  /** The boards that the page has loaded. */
  readonly boards?: readonly IdeaBank[];
};

export const Done = ({ done, isQuiet = false, person, boards = [] }: DoneProps) => {
  if (done === undefined) return null;
  const published = publishedOn(done);
  return (
    <form method="post" action="/account/undo" class="notice good done" data-done>
      <p id="done" role="status" tabindex={-1} autofocus={!isQuiet}>
        {done.isUndo && "Undone. "}
        {done.mergedInto === undefined ? inWords(done, person) : <Merged done={done} into={done.mergedInto} />}
        {isUnpublished(done, boards) && " Removed from the changelog."}
        {published !== undefined && <Changelog id={published} isOne={!done.event.proposals} boards={boards} />}
      </p>
      {done.isUndoable && <input type="hidden" name="event" value={done.event.id} />}
      {done.isUndoable && <input type="hidden" name="back" value={done.here} />}
      {done.isUndoable && done.isUndo && <input type="hidden" name="redo" value="" />}
      {done.isUndoable && <button type="submit">{done.isUndo ? "Redo" : "Undo"}</button>}
    </form>
  );
};

/** The idea that was kept is a link, unless this is its page. */
const Merged = ({ done, into }: { readonly done: JustDone; readonly into: string }) => {
  const { subject, changes } = done.event;
  const href = `/account/idea-banks/${subject?.ideaBankId}/ideas/${changes?.after.duplicateOf}`;
  if (done.here.split("?")[0] === href) return <>{`Merged “${subject?.name}” into this idea.`}</>;
  return (
    <>
      {`Merged “${subject?.name}” into “`}
      <a href={href}>
        <bdi>{into}</bdi>
      </a>
      ”.
    </>
  );
};

type ChangelogProps = { readonly id: string; readonly isOne: boolean; readonly boards: readonly IdeaBank[] };

/** Leads to where people read the changelog: the board's own page, or the site that shows it; else to the preview of the elements. */
const Changelog = ({ id, isOne, boards }: ChangelogProps) => {
  const board = boards.find((each) => each.id === id);
  const shown = board?.changelogEnabled ? board : undefined;
  const page = shown && isPageOpen(shown) ? partPathOf(shown, "changelog") : undefined;
  const site = page ?? shown?.url;
  return (
    <>
      {" "}
      <a href={site ?? `/account/idea-banks/${id}/embed`} {...(site && { target: "_blank", rel: "noopener" })}>
        {site ? "See the changelog" : `Preview ${isOne ? "it" : "them"} on Embed`}
      </a>
    </>
  );
};

const REFUSED: Partial<Record<Told, string>> = {
  "text-changed": "Left out: the text was changed in the meantime. Read it again.",
  "nothing-chosen": "Choose at least one idea.",
  "status-changed": "Somebody else changed the status of these ideas while your list was open.",
  "status-not-chosen": "Choose a status.",
  "assignee-not-chosen": "Choose an assignee.",
  "comments-not-chosen": "Choose at least one comment.",
  "merge-needs-two": "Choose at least two ideas to merge, or open one and choose “Merge into another…”.",
  "merge-needs-one-board": "Only ideas on the same board can be merged.",
  "decided-before": "Nothing was changed: these ideas are no longer waiting for approval.",
  "webhook-created-before": "This webhook was already created. If you didn’t copy its secret, rotate it.",
  "secret-rotated-before": "The secret was already rotated. If you didn’t copy it, rotate again.",
};

/** What has no button that takes it back. */
const DONE: Partial<Record<Told, string>> = {
  "several-merged": "Ideas merged.",
  "several-deleted": "Ideas deleted.",
  "change-skipped": "Failed change skipped.",
  "changes-skipped": "Waiting changes skipped.",
  "webhook-deleted": "Webhook deleted.",
  left: "You’ve left this account.",
  "emails-saved": "Your emails are saved.",
  assigned: "Assignee saved.",
  "several-assigned": "Ideas assigned.",
  "assigned-back": "Undone. Ideas that somebody has reassigned since stay as they are.",
  "private-tags-saved": "Private tags saved.",
  "approvals-undone": "Undone. The comments wait for approval again.",
  "note-added": "Note added.",
  "note-saved": "Note saved.",
  "note-deleted": "Note deleted.",
};

type OutcomeProps = {
  readonly told: Told | undefined;
  /** Where the page knows more of it. */
  readonly says?: string;
};

/** What a button has done, or why it has not done, or not done for all, what it says. */
export const Outcome = ({ told, says }: OutcomeProps) =>
  told && (
    <p
      class={DONE[told] ? "notice good" : "notice bad"}
      role={DONE[told] ? "status" : "alert"}
      tabindex={-1}
      autofocus
      data-done={DONE[told] && ""}
    >
      {says ?? DONE[told] ?? REFUSED[told]}
    </p>
  );

const COMMENTS: Record<string, string> = {
  created: "Comment posted.",
  changed: "Comment updated.",
  deleted: "Comment deleted.",
};

function commentShownInWords({ before, after }: NonNullable<JustDone["event"]["changes"]>): string {
  if (after.visibility === "hidden") return "Comment hidden.";
  if (after.visibility === "pending") return "Comment waits for approval again.";
  return before?.visibility === "pending" ? "Comment approved." : "Comment made public.";
}

const isPublication = ({ event, changes }: JustDone["event"]): boolean =>
  event === "proposal-changed" &&
  changes?.after.status === "implemented" &&
  changes.before.status !== "implemented" &&
  !changes.after.duplicateOf;

/** The board on which the decision has published ideas, if it is one. */
function publishedOn({ event, each }: JustDone): string | undefined {
  if (isPublication(event)) return event.subject?.ideaBankId ?? undefined;
  const [one, ...others] = event.proposals && event.changes?.after.status === "implemented" ? each : [];
  return others.every(({ ideaBankId }) => ideaBankId === one?.ideaBankId) ? one?.ideaBankId : undefined;
}

/** The decision about one idea has taken it out of a changelog that people see. */
function isUnpublished({ event: { subject, changes }, present }: JustDone, boards: readonly IdeaBank[]): boolean {
  const isPublished = (side: object) => {
    const { status, visibility } = { ...present, ...side };
    return status === "implemented" && visibility === "public";
  };
  const board = boards.find(({ id }) => id === subject?.ideaBankId);
  return (
    board?.changelogEnabled === true && changes !== null && isPublished(changes.before) && !isPublished(changes.after)
  );
}

/** What was done to several ideas; `changes`: what is the same for all of them. */
function severalInWords(changes: JustDone["event"]["changes"]): string {
  const { before, after } = { before: changes?.before ?? {}, after: changes?.after ?? {} };
  const [name, another] = Object.keys(after);
  if (another !== undefined) return "updated";
  if (name === "status") return `set to ${IDEA_STATUSES[after.status as ProposalStatus]}`;
  if (name !== "visibility" || after.visibility === "pending") return "updated";
  if (after.visibility === "hidden") return "hidden";
  return before.visibility === "pending" ? "approved" : "made public";
}

/** Texts are on the page, so a notice does not repeat them. */
const TEXTS = ["title", "description"];

function inWords({ event: first, isUndo }: Pick<JustDone, "event" | "isUndo">, person: string | undefined): string {
  if (first.proposals) return `${first.proposals.count} ideas ${severalInWords(first.changes)}.`;
  const name = first.subject?.name ? `“${first.subject.name}”` : (person ?? "This person");
  const [kind = "", what = ""] = first.event.split("-");
  if (kind === "panelist" && first.changes && what === "changed")
    return `${name} ${personInWords(first.changes.after)}.${first.changes.after.active ? " They need to sign in again." : ""}`;
  if (kind === "survey" && first.changes?.after.status !== undefined && what === "changed")
    return `${name} is ${first.changes.after.status === "OPEN" ? "open" : "closed"}.`;
  if (kind === "survey" && what !== "deleted") return `${name} is saved.`;
  if (kind === "comment" && what === "changed" && first.changes?.after.visibility !== undefined)
    return commentShownInWords(first.changes);
  if (kind === "comment") return isUndo && what === "created" ? "Comment restored." : (COMMENTS[what] ?? "");
  if (kind === "proposal" && what === "created") return person ? `Idea added for ${person}.` : "Idea added.";
  if (first.changes?.after.duplicateOf) return `${name} was merged.`;
  if (isPublication(first)) {
    const response = first.changes?.after.response;
    return `${name} is published.${response ? ` Response ${first.changes?.before.response ? "updated" : "posted"}.` : ""}`;
  }
  if (what === "changed" && kind === "proposal" && first.changes) {
    const { before, after } = first.changes;
    const changed = Object.keys(after).filter((each) => each !== "lastActivityAt");
    const status = statusInWords(first.changes);
    if (status !== undefined) return `${name} is ${status}.`;
    if (after.votes !== undefined)
      return `Vote ${Number(after.votes) > Number(before.votes) ? "added" : "removed"}${person ? `: ${person}` : ""}.`;
    if ("response" in after) {
      const { response: was, ...otherBefore } = before;
      const { response: is, ...otherAfter } = after;
      const others = changesInWords({ before: otherBefore, after: otherAfter });
      return `Response ${is ? (was ? "updated" : "posted") : "removed"}: ${name}. ${others}`.trim();
    }
    if (changed.length > 0 && changed.every((each) => TEXTS.includes(each))) return `${name}: text saved.`;
  }
  const words = first.changes && what === "changed" && kind === "proposal" ? changesInWords(first.changes) : "";
  return words ? `${name}: ${words}` : `${name} was ${what === "changed" ? "updated" : what}.`;
}
