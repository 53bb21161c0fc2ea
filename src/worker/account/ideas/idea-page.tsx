/** `/account/idea-banks/{id}/ideas/{id}`: one idea: its text, the decisions about it, and its comments. */
import type { FieldError } from "../../http/invalid-request.ts";
import type { Comment } from "../../model/comment.ts";
import type { Panelist } from "../../model/panelist.ts";
import { PROPOSAL_STATUSES, type Proposal, VISIBILITIES } from "../../model/proposal.ts";
import type { TagCount } from "../../model/tag.ts";
import { Done, type JustDone } from "../frame/done.tsx";
import { described, ErrorSummary, Field, messageFor } from "../frame/field.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { OpenedWith } from "../frame/opened-form.tsx";
import { Time } from "../frame/times.tsx";
import { counted, IDEA_STATUSES, IDEA_VISIBILITIES } from "../frame/words.ts";

type People = ReadonlyMap<string, Panelist>;

type Props = {
  readonly frame: Frame;
  readonly ideaBankId: string;
  readonly idea: Proposal;
  /** All tags of the idea bank. */
  readonly tags: readonly TagCount[];
  readonly comments: readonly Comment[];
  readonly more: string | undefined;
  readonly people: People;
  /** The values with which the forms open. */
  readonly fields: { readonly decide: URLSearchParams; readonly edit: URLSearchParams };
  /** The refused form; empty when the page opens. */
  readonly sent: URLSearchParams;
  readonly errors: readonly FieldError[];
  readonly now: number;
  readonly back: string | undefined;
  readonly done: JustDone | undefined;
};

const LABELS = {
  status: "Status",
  visibility: "Visibility",
  tags: "Tags",
  response: "Official response",
  title: "Title",
  description: "Description",
  body: "Comment",
};
const HINTS = {
  response: "People see it above the comments. Empty for none.",
  tags: "At most 5, with commas between them. People see them.",
};

export const IdeaPage = (props: Props) => {
  const { frame, ideaBankId, idea, people, errors, now, back, done } = props;
  const bank = `/account/idea-banks/${ideaBankId}`;
  const action = `${bank}/ideas/${idea.id}${back ? `?back=${encodeURIComponent(back)}` : ""}`;
  return (
    <Layout title={idea.title} current="idea-banks" {...frame}>
      <p>
        <a href={`${back ?? bank}#idea-${idea.id}`}>Back to the list</a>
      </p>
      <Done done={done} />
      {errors.length > 0 && <ErrorSummary title="Nothing was changed." errors={errors} labels={LABELS} />}
      {idea.duplicateOf && (
        <p class="notice">
          It is merged into <a href={`${bank}/ideas/${idea.duplicateOf}`}>another idea</a>, which has its votes.
        </p>
      )}
      {idea.visibility === "pending" && idea.duplicateOf === null && (
        <p class="notice">
          It waits for approval. <a href={`/account/approval/${idea.id}`}>Approve or hide it</a>
        </p>
      )}
      <p dir="auto" class="pending-text">
        {idea.description}
      </p>
      <p class="hint">
        <Author id={idea.panelistId} people={people} none="By your team" />
        {`, ${counted(idea.votes, "vote")}, `}
        <Time at={idea.createdAt} now={now} />
      </p>
      <Decision {...props} action={action} />
      <div class="actions">
        {idea.duplicateOf === null && (
          <a class="button" href={action.replace(/\?|$/, (mark) => `/merge${mark}`)}>
            Merge…
          </a>
        )}
        <EditText {...props} action={action} />
        <details>
          <summary class="danger">Delete…</summary>
          <form method="post" action={action} class="actions">
            <p>Its votes and comments are deleted with it. It cannot be undone. Hidden, it stays for your team.</p>
            <button type="submit" name="do" value="delete" class="danger">
              Delete this idea
            </button>
          </form>
        </details>
      </div>
      <Comments {...props} action={action} />
    </Layout>
  );
};

type FormProps = Props & { readonly action: string };

/** The author, as a link. */
export const Author = ({ id, people, none }: { id: string | null; people: People; none: string }) => {
  if (id === null) return none;
  const { displayName, externalId } = people.get(id) ?? { displayName: null, externalId: null };
  return (
    <a href={`/account/people/${id}`}>
      <bdi>{displayName ?? externalId ?? "Somebody without a name"}</bdi>
    </a>
  );
};

/** A waiting idea is approved on a page of its own, which knows whether its author has edited it since. */
const Decision = ({ idea, tags, fields: { decide: fields }, sent, errors, action }: FormProps) => {
  const [response, wrongTags] = [messageFor(errors, "response"), messageFor(errors, "tags")];
  const isPending = idea.visibility === "pending";
  return (
    <form method="post" action={action} class="create">
      <OpenedWith fields={fields} />
      <div class="columns">
        <Field name="status" label={LABELS.status} message={undefined}>
          <select id="status" name="status">
            {PROPOSAL_STATUSES.map((each) => (
              <option value={each} selected={each === fields.get("status")}>
                {IDEA_STATUSES[each]}
              </option>
            ))}
          </select>
        </Field>
        <Field name="visibility" label={LABELS.visibility} message={undefined}>
          <select id="visibility" name="visibility">
            {VISIBILITIES.filter((each) => (isPending ? each !== "public" : each !== "pending")).map((each) => (
              <option value={each} selected={each === fields.get("visibility")}>
                {IDEA_VISIBILITIES[each].join(": ")}
              </option>
            ))}
          </select>
        </Field>
      </div>
      <Field name="tags" label={LABELS.tags} hint={HINTS.tags} message={wrongTags}>
        <input
          id="tags"
          name="tags"
          value={fields.get("tags") ?? ""}
          list="known-tags"
          autocomplete="off"
          dir="auto"
          {...described("tags", wrongTags, HINTS.tags)}
        />
        <datalist id="known-tags">
          {tags.map(({ tag }) => (
            <option value={tag}>{tag}</option>
          ))}
        </datalist>
      </Field>
      <Field name="response" label={LABELS.response} hint={HINTS.response} message={response}>
        <textarea
          id="response"
          name="response"
          rows={4}
          dir="auto"
          {...described("response", response, HINTS.response)}
        >
          {fields.get("response")}
        </textarea>
      </Field>
      <Correction idea={idea} sent={sent} what="decide" />
      <button type="submit" name="do" value="decide" class="primary">
        Save
      </button>
    </form>
  );
};

type CorrectionProps = Pick<Props, "idea" | "sent"> & { readonly what: "decide" | "edit" };

/** Only an entry of the changelog has a date and a place that readers notice. */
const Correction = ({ idea, sent, what }: CorrectionProps) =>
  idea.status === "implemented" && (
    <label class="choice">
      <input type="checkbox" name="minor" checked={sent.get("do") === what && sent.has("minor")} />
      Correction: keep its date and place in the changelog
    </label>
  );

const EditText = ({ idea, fields: { edit: fields }, sent, errors, action }: FormProps) => {
  const [wrongTitle, wrongText] = [messageFor(errors, "title"), messageFor(errors, "description")];
  return (
    <details open={sent.get("do") === "edit"}>
      <summary>Edit the text…</summary>
      <form method="post" action={action} class="create">
        <OpenedWith fields={fields} />
        <Field name="title" label={LABELS.title} message={wrongTitle}>
          <input
            id="title"
            name="title"
            value={fields.get("title") ?? ""}
            required
            maxlength={200}
            autocomplete="off"
            dir="auto"
            {...described("title", wrongTitle)}
          />
        </Field>
        <Field name="description" label={LABELS.description} message={wrongText}>
          <textarea id="description" name="description" rows={6} dir="auto" {...described("description", wrongText)}>
            {fields.get("description")}
          </textarea>
        </Field>
        <Correction idea={idea} sent={sent} what="edit" />
        <button type="submit" name="do" value="edit">
          Save the text
        </button>
      </form>
    </details>
  );
};

const Comments = ({ ideaBankId, idea, comments, more, people, sent, errors, now, back, action }: FormProps) => {
  const message = messageFor(errors, "body");
  const older = new URLSearchParams({ ...(back && { back }), cursor: more ?? "" });
  return (
    <section aria-labelledby="comments">
      <h2 id="comments">{counted(idea.comments, "comment")}</h2>
      <form method="post" action={action} class="create">
        <Field name="body" label={LABELS.body} hint="As your team. People see it." message={message}>
          <textarea id="body" name="body" rows={3} dir="auto" required {...described("body", message, "As your team.")}>
            {sent.get("do") === "comment" && sent.get("body")}
          </textarea>
        </Field>
        <button type="submit" name="do" value="comment">
          Comment
        </button>
      </form>
      <ol class="events">
        {comments.map((comment) => (
          <OneComment comment={comment} people={people} now={now} action={action} />
        ))}
      </ol>
      {more && (
        <p>
          <a href={`/account/idea-banks/${ideaBankId}/ideas/${idea.id}?${older}#comments`}>Older</a>
        </p>
      )}
    </section>
  );
};

type CommentProps = {
  readonly comment: Comment;
  readonly people: People;
  readonly now: number;
  readonly action: string;
};

const OneComment = ({ comment: { id, by, panelistId, body, createdAt }, people, now, action }: CommentProps) => (
  <li>
    <p dir="auto" class="pending-text">
      {body}
    </p>
    <p class="hint">
      {by === "tenant" ? "Your team" : <Author id={panelistId} people={people} none="Somebody who was deleted" />}
      {", "}
      <Time at={createdAt} now={now} />
    </p>
    <div class="actions">
      {by === "tenant" && (
        <details>
          <summary>Edit…</summary>
          <form method="post" action={action} class="narrow">
            <input type="hidden" name="commentId" value={id} />
            <textarea name="body" rows={3} dir="auto" required aria-label="Comment">
              {body}
            </textarea>
            <button type="submit" name="do" value="edit-comment">
              Save the comment
            </button>
          </form>
        </details>
      )}
      <details>
        <summary class="danger">Delete…</summary>
        <form method="post" action={action}>
          <input type="hidden" name="commentId" value={id} />
          <button type="submit" name="do" value="delete-comment" class="danger">
            Delete this comment
          </button>
        </form>
      </details>
    </div>
  </li>
);
