/** The comments of an idea, oldest first, and the field for another one at their end; and what their forms do. */
import type { Context } from "hono";
import { createComment, deleteComment, loadStoredComment, updateComment } from "../../database/comments/comments.ts";
import { type FieldError, parseOrThrow } from "../../http/invalid-request.ts";
import { type Comment, NewComment } from "../../model/comment.ts";
import type { Panelist } from "../../model/panelist.ts";
import { Visibility } from "../../model/proposal.ts";
import { NotAsOpened, Problem } from "../../problem.ts";
import { openOwn } from "../account-databases.ts";
import { ClearPerson } from "../frame/clear-person.tsx";
import { decide, idsOf, orNotFound, requireDone } from "../frame/decide.ts";
import { described, Field, messageFor } from "../frame/field.tsx";
import { FORMATS, Formatted } from "../frame/formatted.tsx";
import { useMay } from "../frame/frame.ts";
import { OpenedWith, saveOpened } from "../frame/opened-form.tsx";
import { Pager } from "../frame/pager.tsx";
import { Time } from "../frame/times.tsx";
import { backTo } from "../frame/visit.ts";
import { counted, IDEA_VISIBILITIES } from "../frame/words.ts";
import type { OwnerEnv } from "../owner-env.ts";
import type { IdeaPath } from "./decide.ts";
import { textOf } from "./opened-idea.ts";

const ACTS = ["comment", "edit-comment", "delete-comment", "approve-comment", "hide-comment"] as const;
type Act = (typeof ACTS)[number];
export const isOfComments = (what: string): what is Act => ACTS.some((each) => each === what);

/** Posts, edits, approves, hides or deletes a comment, and returns the event's id. Throws `invalid-request`, `not-found` and `conflict`. */
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
  if (what !== "edit-comment") {
    const [visibility, was] = what === "hide-comment" ? ["hidden" as const] : ["public" as const, seenIn(fields)];
    const { answer, eventId } = await decide(c, { ...subject, id }, ({ session, accountId }) =>
      updateComment(session, { accountId, path, commentId: id, comment: { visibility }, was }),
    );
    if (answer === null) await whyNotChanged(c, path, id);
    return eventId;
  }
  return editComment(c, { path, id, fields });
}

/** Throws `not-found` for what is gone, and `conflict` for what is not as it was read. */
async function whyNotChanged(c: Context<OwnerEnv>, path: IdeaPath, commentId: string): Promise<never> {
  const { session, accountId } = await openOwn(c);
  orNotFound(await loadStoredComment(session, { accountId, path, commentId }));
  throw new Problem("conflict", { detail: "This comment was changed in the meantime. Look at it again." });
}

type Edited = { readonly path: IdeaPath; readonly id: string; readonly fields: URLSearchParams };

function editComment(c: Context<OwnerEnv>, { path, id, fields }: Edited): Promise<string> {
  const toSettings = (each: URLSearchParams) => ({ body: textOf(each, "body") });
  const load = async () => {
    const { session, accountId } = await openOwn(c);
    const { resource } = orNotFound(await loadStoredComment(session, { accountId, path, commentId: id }));
    return { body: "", ...resource };
  };
  const toFields = ({ body }: { readonly body: string }) => new URLSearchParams({ body });
  const comment = parseOrThrow(NewComment, toSettings(fields));
  return saveOpened({ id, fields, toSettings, load, toFields }, async (_, opened) => {
    const subject = { kind: "comment", ideaBankId: path.ideaBankId, id } as const;
    const { answer, eventId } = await decide(c, subject, ({ session, accountId }) =>
      updateComment(session, { accountId, path, commentId: id, comment, was: opened }),
    );
    if (answer === null && opened) throw new NotAsOpened();
    if (orNotFound(answer) === "panelists")
      throw new Problem("conflict", { detail: "Only your team's comments can be edited." });
    return eventId;
  });
}

/** What the form's user saw of the comment. Forms send a line break as two characters. */
const seenIn = (fields: URLSearchParams) => ({
  body: (fields.get("seen") ?? "").replaceAll("\r", ""),
  visibility: parseOrThrow(Visibility, fields.get("was")),
});

type ApprovalProps = {
  /** `seen`: the whole text as it is shown; undefined where only a part is, so that it can only be hidden. */
  readonly comment: Pick<Comment, "visibility"> & { readonly seen: string | undefined };
  /** The form of the buttons, which are not inside it. */
  readonly form?: string;
};

/** The buttons of a comment's form that approve or hide it. */
export const CommentApproval = ({ comment: { visibility, seen }, form }: ApprovalProps) => (
  <>
    {visibility !== "public" && seen !== undefined && (
      <>
        <input type="hidden" name="was" value={visibility} form={form} />
        <input type="hidden" name="seen" value={seen} form={form} />
        <button type="submit" form={form} name="do" value="approve-comment">
          {visibility === "pending" ? "Approve" : "Make public"}
        </button>
      </>
    )}
    {visibility !== "hidden" && (
      <button type="submit" form={form} name="do" value="hide-comment">
        Hide
      </button>
    )}
  </>
);

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
  /** The page after everything that this person wrote was deleted. */
  readonly backOf: (panelistId: string) => string;
};

export const LABEL = "Comment";
const HINT = `Posted as your team, visible to everyone. ${FORMATS}`;

export const Comments = ({ count, isClosed, comments, older, people, sent, errors, action, here, backOf }: Props) => {
  const message = messageFor(errors, "body");
  const written = ["comment", "preview-comment"].includes(sent.get("do") ?? "") ? sent.get("body") : null;
  return (
    <section aria-labelledby="comments" class="comments">
      <h2 id="comments">{count === 0 ? "Comments" : counted(count, "comment")}</h2>
      <Pager next={older} label="Older comments" />
      <ol class="events">
        {comments.toReversed().map((comment) => (
          <OneComment {...{ comment, people, action, here, backOf }} />
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

type CommentProps = Pick<Props, "people" | "action" | "here" | "backOf"> & { readonly comment: Comment };

const OneComment = ({ comment, people, action, here, backOf }: CommentProps) => {
  const { id, by, panelistId, body, visibility, createdAt } = comment;
  return (
    <li>
      <p class="hint">
        {by === "tenant" ? (
          <strong>Your team</strong>
        ) : (
          <Author id={panelistId} people={people} none="Deleted person" here={here} />
        )}
        {" · "}
        <Time at={createdAt} />
        {visibility !== "public" && <span class="pill warn">{IDEA_VISIBILITIES[visibility][0]}</span>}
      </p>
      <Formatted text={body} />
      {useMay("member") && (
        <div class="actions small">
          {by === "tenant" && (
            <details>
              <summary>Edit</summary>
              <form method="post" action={action} class="narrow">
                <OpenedWith fields={new URLSearchParams({ body })} />
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
            <CommentApproval comment={{ visibility, seen: body }} />
            <button type="submit" name="do" value="delete-comment" class="danger">
              Delete
            </button>
          </form>
          {panelistId !== null && (
            <ClearPerson panelistId={panelistId} back={backOf(panelistId)} label="Block author…" />
          )}
        </div>
      )}
    </li>
  );
};
