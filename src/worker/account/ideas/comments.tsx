/** The comments of an idea, oldest first, and the field for another one at their end. */
import type { FieldError } from "../../http/invalid-request.ts";
import type { Comment } from "../../model/comment.ts";
import type { Panelist } from "../../model/panelist.ts";
import { described, Field, messageFor } from "../frame/field.tsx";
import { FORMATS, Formatted } from "../frame/formatted.tsx";
import { Time } from "../frame/times.tsx";
import { backTo } from "../frame/visit.ts";
import { counted } from "../frame/words.ts";

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
  readonly now: number;
  readonly action: string;
  readonly here: string;
};

export const LABEL = "Comment";
const HINT = `Posted as your team, visible to everyone. ${FORMATS}`;

export const Comments = ({ count, isClosed, comments, older, people, sent, errors, now, action, here }: Props) => {
  const message = messageFor(errors, "body");
  const written = ["comment", "preview-comment"].includes(sent.get("do") ?? "") ? sent.get("body") : null;
  return (
    <section aria-labelledby="comments" class="comments">
      <h2 id="comments">{count === 0 ? "Comments" : counted(count, "comment")}</h2>
      {older && (
        <p>
          <a href={older}>Older comments</a>
        </p>
      )}
      <ol class="events">
        {comments.toReversed().map((comment) => (
          <OneComment {...{ comment, people, now, action, here }} />
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

type CommentProps = Pick<Props, "people" | "now" | "action" | "here"> & { readonly comment: Comment };

const OneComment = ({ comment: { id, by, panelistId, body, createdAt }, people, now, action, here }: CommentProps) => (
  <li>
    <p class="hint">
      {by === "tenant" ? (
        <strong>Your team</strong>
      ) : (
        <Author id={panelistId} people={people} none="Deleted person" here={here} />
      )}
      {" · "}
      <Time at={createdAt} now={now} />
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
