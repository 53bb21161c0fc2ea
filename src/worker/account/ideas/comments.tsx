/** The comments of an idea, oldest first, and the field for another one at their end; and what their forms do. */
import type { Context } from "hono";
import { createComment, deleteComment, updateComment } from "../../database/comments/comments.ts";
import { type FieldError, parseOrThrow } from "../../http/invalid-request.ts";
import { type Comment, NewComment } from "../../model/comment.ts";
import type { Panelist } from "../../model/panelist.ts";
import { Problem } from "../../problem.ts";
import { decide, idsOf, orNotFound, requireDone } from "../frame/decide.ts";
import { described, Field, messageFor } from "../frame/field.tsx";
import { FORMATS, Formatted } from "../frame/formatted.tsx";
import { Pager } from "../frame/pager.tsx";
import { Time } from "../frame/times.tsx";
import { backTo } from "../frame/visit.ts";
import { counted } from "../frame/words.ts";
import type { OwnerEnv } from "../owner-env.ts";
import type { IdeaPath } from "./decide.ts";
import { textOf } from "./opened-idea.ts";

const ACTS = ["comment", "edit-comment", "delete-comment"] as const;
type Act = (typeof ACTS)[number];
export const isOfComments = (what: string): what is Act => ACTS.some((each) => each === what);

/** Posts, edits or deletes a comment, and returns the event's id. Throws `invalid-request`, `not-found` and `conflict`. */
export async function changeComments(
  c: Context<OwnerEnv>,
  { path, what, fields }: { readonly path: IdeaPath; readonly what: Act; readonly fields: URLSearchParams },
): Promise<string> {
  const subject = { kind: "comment" as const, ideaBankId: path.ideaBankId };
  const written = () => parseOrThrow(NewComment, { body: textOf(fields, "body") });
  if (what === "comment") {
    const comment = written();
    const { answer, eventId } = await decide(c, subject, ({ session, accountId, id, now }) =>
      createComment(session, { accountId, path, id, comment, now, idempotencyKey: undefined }),
    );
    requireDone(answer.result);
    return eventId;
  }
  const { commentId: id } = idsOf({ commentId: fields.get("commentId") ?? "" });
  if (what === "delete-comment") {
    const { answer, eventId } = await decide(c, { ...subject, id }, ({ session, accountId }) =>
      deleteComment(session, { accountId, path, commentId: id }),
    );
    requireDone(answer);
    return eventId;
  }
  const comment = written();
  const { answer, eventId } = await decide(c, { ...subject, id }, ({ session, accountId }) =>
    updateComment(session, { accountId, path, commentId: id, comment }),
  );
  if (orNotFound(answer) === "panelists")
    throw new Problem("conflict", { detail: "Only your team's comments can be edited." });
  return eventId;
}

export type People = ReadonlyMap<string, Panelist>;

export const NAMELESS = "Unnamed person";

type AuthorProps = {
  readonly id: string | null;
  readonly people: People;
  readonly none: string;
  /** The page, to which the author's leads back. */
  readonly here: string;
};

/** The author, as a link. */
export const Author = ({ id, people, none, here }: AuthorProps) => {
  if (id === null) return none;
  const { displayName, externalId } = people.get(id) ?? { displayName: null, externalId: null };
  return (
    <a href={backTo(`/account/people/${id}`, here)}>
      <bdi>{displayName ?? externalId ?? NAMELESS}</bdi>
    </a>
  );
};

type Props = {
  readonly count: number;
  /** No comment is added here. */
  readonly isClosed: boolean;
  /** A page of them, the newest first. */
  readonly comments: readonly Comment[];
  /** The page before it. */
  readonly older: string | undefined;
  readonly people: People;
  readonly sent: URLSearchParams;
  readonly errors: readonly FieldError[];
  readonly action: string;
  readonly here: string;
};

export const LABEL = "Comment";
const HINT = `Posted as your team, visible to everyone. ${FORMATS}`;

export const Comments = ({ count, isClosed, comments, older, people, sent, errors, action, here }: Props) => {
  const message = messageFor(errors, "body");
  const written = ["comment", "preview-comment"].includes(sent.get("do") ?? "") ? sent.get("body") : null;
  return (
    <section aria-labelledby="comments" class="comments">
      <h2 id="comments">{count === 0 ? "Comments" : counted(count, "comment")}</h2>
      <Pager next={older} label="Older comments" />
      <ol class="events">
        {comments.toReversed().map((comment) => (
          <OneComment {...{ comment, people, action, here }} />
        ))}
      </ol>
      {!isClosed && (
        <form method="post" action={action} class="narrow">
          <Field name="body" label={LABEL} hint={HINT} message={message}>
            <textarea
              id="body"
              name="body"
              data-draft=""
              rows={3}
              dir="auto"
              required
              {...described("body", message, HINT)}
            >
              {written}
            </textarea>
          </Field>
          {sent.get("do") === "preview-comment" && <Preview text={written ?? ""} />}
          <div class="buttons">
            <button type="submit" name="do" value="comment">
              Post comment
            </button>
            <button type="submit" name="do" value="preview-comment">
              Preview
            </button>
          </div>
        </form>
      )}
    </section>
  );
};

/** The text that is being written, as people will see it. */
export const Preview = ({ text }: { readonly text: string }) => (
  <div class="written" role="status" tabindex={-1} autofocus>
    <p class="hint">Preview</p>
    <Formatted text={text} />
  </div>
);

type CommentProps = Pick<Props, "people" | "action" | "here"> & { readonly comment: Comment };

const OneComment = ({ comment: { id, by, panelistId, body, createdAt }, people, action, here }: CommentProps) => (
  <li>
    <p class="hint">
      {by === "tenant" ? (
        <strong>Your team</strong>
      ) : (
        <Author id={panelistId} people={people} none="Deleted person" here={here} />
      )}
      {" · "}
      <Time at={createdAt} />
    </p>
    <Formatted text={body} />
    <div class="actions small">
      {by === "tenant" && (
        <details>
          <summary>Edit</summary>
          <form method="post" action={action} class="narrow">
            <input type="hidden" name="commentId" value={id} />
            <textarea name="body" rows={3} dir="auto" required aria-label="Comment">
              {body}
            </textarea>
            <button type="submit" name="do" value="edit-comment">
              Save comment
            </button>
          </form>
        </details>
      )}
      <form method="post" action={action}>
        <input type="hidden" name="commentId" value={id} />
        <button type="submit" name="do" value="delete-comment" class="danger">
          Delete
        </button>
      </form>
    </div>
  </li>
);
