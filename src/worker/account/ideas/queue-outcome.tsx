/** What the queue says of several ideas at once, where the notice of a decision (frame/done.tsx) does not. */
import type { QueuedIdea } from "../../database/proposals/queue.ts";
import { Outcome } from "../frame/done.tsx";
import { backTo, type Told } from "../frame/visit.ts";
import { counted, IDEA_STATUSES } from "../frame/words.ts";
import { WAITING } from "./approval.tsx";
import { addressOf } from "./opened-idea.ts";

/** The parameters that say it, besides `told`. */
export const QUEUE_NOTICES = ["tells", "left", "tagged", "changed", "given"];

type Props = {
  readonly told: Told | undefined;
  readonly filled: URLSearchParams;
  /** Those that got no status, because somebody else had given them one. */
  readonly meanwhile: readonly QueuedIdea[];
  /** The ideas of the list. */
  readonly listed: readonly QueuedIdea[];
  /** The list is that of what waits. */
  readonly isWaiting: boolean;
  readonly board: string | undefined;
  /** Where the forms of the list are sent. */
  readonly path: string;
  readonly here: string;
};

export const QueueOutcome = ({ told, filled, meanwhile, listed, isWaiting, board, path, here }: Props) => {
  const tagged = filled.get("tagged");
  if (told === "status-changed" && meanwhile.length > 0) return <StatusChanged {...{ meanwhile, listed, here }} />;
  if (told === "waiting-left-out")
    return <LeftOut count={Number(filled.get("left")) || undefined} isWaiting={isWaiting} board={board} />;
  if (told === "private-tags-saved" && tagged !== null)
    return <Tagged tagged={tagged} changed={filled.get("changed") ?? ""} path={path} here={here} />;
  if (told === "several-assigned") return <Assigned {...{ filled, path, here }} />;
  return <Outcome told={told} />;
};

const NAMED_AT_MOST = 5;

/** The ideas that were left out, with the status that they have now. Those that the list still shows stay chosen. */
const StatusChanged = ({ meanwhile, listed, here }: Pick<Props, "meanwhile" | "listed" | "here">) => {
  const stay = meanwhile.filter((each) => listed.some(({ id }) => id === each.id)).length;
  const others = meanwhile.length - NAMED_AT_MOST;
  return (
    <p class="notice bad" role="alert" tabindex={-1} autofocus>
      {`Somebody else changed ${counted(meanwhile.length, "idea")} while your list was open: `}
      {meanwhile.slice(0, NAMED_AT_MOST).map(({ ideaBankId, id, title, status }, index) => (
        <>
          {index > 0 && ", "}
          <a href={backTo(addressOf({ ideaBankId, proposalId: id }), here)}>
            <bdi>{title}</bdi>
          </a>
          {` is now ${IDEA_STATUSES[status]}`}
        </>
      ))}
      {others > 0 && `, and ${counted(others, "other")}`}.
      {stay > 0 && ` ${stay === 1 ? "It stays" : "They stay"} selected.`}
    </p>
  );
};

type LeftOutProps = Pick<Props, "isWaiting" | "board"> & { readonly count: number | undefined };

const LeftOut = ({ count, isWaiting, board }: LeftOutProps) => {
  const isOne = count === 1;
  const which = count === undefined ? "Ideas" : counted(count, "idea");
  return (
    <p class="notice bad" role="alert" tabindex={-1} autofocus>
      {`${which} ${isOne ? "was" : "were"} left out: `}
      {isWaiting ? (
        `${isOne ? "its text is" : "their texts are"} longer than shown here, or changed in the meantime. Open ${isOne ? "it" : "each"} to approve it.`
      ) : (
        <>
          {isOne ? "it’s waiting for approval. " : "they’re waiting for approval. "}
          <a href={board === undefined ? WAITING : `${WAITING}&board=${board}`}>
            {isOne ? "Read and approve it" : "Read and approve them"}
          </a>
        </>
      )}
    </p>
  );
};

/** An assignee is no decision that the activity learns of, either: Undo sends whom each idea was taken from. */
const Assigned = ({ filled, path, here }: Pick<Props, "filled" | "path" | "here">) => {
  const changed = filled.get("changed") ?? "";
  if (changed === "") return <Outcome told="several-assigned" says="These ideas already had this assignee." />;
  return (
    <form method="post" action={path} class="notice good done" data-done>
      <p role="status" tabindex={-1} autofocus>
        {`Assignee of ${counted(changed.split(",").length, "idea")} saved.`}
      </p>
      <input type="hidden" name="back" value={here} />
      <input type="hidden" name="given" value={filled.get("given") ?? ""} />
      <input type="hidden" name="changed" value={changed} />
      <button type="submit" name="do" value="assign-back">
        Undo
      </button>
    </form>
  );
};

type TaggedProps = Pick<Props, "path" | "here"> & {
  /** The private tag, after `+` if it was added, and after `-` if it was removed. */
  readonly tagged: string;
  /** The ideas that have changed. */
  readonly changed: string;
};

/** Private tags are no decision that people, webhooks or the activity learn of: Undo sends the other button of the bar, with the ideas that have changed. */
const Tagged = ({ tagged, changed, path, here }: TaggedProps) => {
  const [removes, tag] = [tagged.startsWith("-"), tagged.slice(1)];
  const ids = changed.split(",").filter(Boolean);
  return (
    <form method="post" action={path} class="notice good done" data-done>
      <p role="status" tabindex={-1} autofocus>
        {ids.length === 0 ? (
          <>
            {removes ? "None of these ideas had “" : "All of these ideas had “"}
            <bdi>{tag}</bdi>”.
          </>
        ) : (
          <>
            “<bdi>{tag}</bdi>
            {`” ${removes ? "taken off" : "added to"} ${counted(ids.length, "idea")}.`}
          </>
        )}
      </p>
      {ids.length > 0 && (
        <>
          <input type="hidden" name="back" value={here} />
          <input type="hidden" name="privateTag" value={tag} />
          {ids.map((id) => (
            <input type="hidden" name="ids" value={id} />
          ))}
          <button type="submit" name="do" value={removes ? "private-tag" : "private-untag"}>
            Undo
          </button>
        </>
      )}
    </form>
  );
};
