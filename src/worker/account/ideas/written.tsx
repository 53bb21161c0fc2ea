/** What a person has written, in a list away from its idea: on the person's page, and where comments were searched for. */
import type { Contribution } from "../../database/panelists/people.ts";
import { Confirm } from "../frame/confirm.tsx";
import { useMay } from "../frame/frame.ts";
import { Time } from "../frame/times.tsx";
import { IDEA_STATUSES, IDEA_VISIBILITIES } from "../frame/words.ts";

type Props = {
  readonly item: Contribution & { readonly author?: string | null };
  /** The page with the list. */
  readonly here: string;
  readonly canDelete: boolean;
};

/** Its forms are those of the idea's page, which lead back here. */
export const Written = ({ item, here, canDelete }: Props) => {
  const { ideaBankId, proposalId, title, status, visibility, isMerged, commentId, body, createdAt, author } = item;
  const idea = `/account/idea-banks/${ideaBankId}/ideas/${proposalId}?back=${encodeURIComponent(here)}`;
  return (
    <li>
      <p>
        <a href={idea}>
          <bdi>{title}</bdi>
        </a>
        {visibility !== "public" && <span class="pill warn">{IDEA_VISIBILITIES[visibility][0]}</span>}
      </p>
      {body && (
        <p dir="auto" class="pending-text">
          {body}
        </p>
      )}
      <p class="hint">
        {author !== undefined && <bdi>{author ?? "Your team"}</bdi>}
        {author !== undefined && " · "}
        {/* Under a comment, the idea's status reads like the comment's. */}
        {commentId === null && `${isMerged ? "Merged" : IDEA_STATUSES[status]} · `}
        <Time at={createdAt} />
      </p>
      {canDelete && useMay("member") && <Delete action={idea} commentId={commentId} />}
    </li>
  );
};

const Delete = ({ action, commentId }: { readonly action: string; readonly commentId: string | null }) => (
  <div class="actions small">
    {commentId === null ? (
      <Confirm
        action={action}
        says="Its votes, comments and ideas that were merged into it go with it. You can’t undo this."
        buttons={[["delete", "Delete this idea"]]}
      />
    ) : (
      <form method="post" action={action}>
        <input type="hidden" name="commentId" value={commentId} />
        <input type="hidden" name="then" value="list" />
        <button type="submit" name="do" value="delete-comment" class="danger">
          Delete
        </button>
      </form>
    )}
  </div>
);
