/** `/account/idea-banks/{id}/ideas/{id}`: one idea: its text, response and comments, and beside them the decisions about it. */
import type { Child } from "hono/jsx";
import type { Named, Submitted } from "../../database/proposals.ts";
import type { FieldError } from "../../http/invalid-request.ts";
import type { Comment } from "../../model/comment.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { PROPOSAL_STATUSES, type Proposal, VISIBILITIES } from "../../model/proposal.ts";
import type { TagCount } from "../../model/tag.ts";
import type { Voter } from "../../model/voter.ts";
import { Done, type JustDone } from "../frame/done.tsx";
import { described, ErrorSummary, Field, messageFor } from "../frame/field.tsx";
import { FORMATS, Formatted } from "../frame/formatted.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { OpenedWith } from "../frame/opened-form.tsx";
import { Time } from "../frame/times.tsx";
import { backTo } from "../frame/visit.ts";
import { IDEA_STATUSES, IDEA_VISIBILITIES, nameOf } from "../frame/words.ts";
import { AsSubmitted } from "./as-submitted.tsx";
import { Author, Comments, LABEL, NAMELESS, type People, Preview } from "./comments.tsx";
import { TEXT_LABELS, TextFields } from "./text-fields.tsx";

type Props = {
  readonly frame: Frame;
  readonly ideaBank: IdeaBank;
  readonly idea: Proposal;
  /** The idea into which this one was merged. */
  readonly mergedInto: Named | null;
  /** Those that were merged into this one. */
  readonly merged: readonly Named[];
  readonly submitted: Submitted | null;
  /** All tags of the board. */
  readonly tags: readonly TagCount[];
  readonly comments: readonly Comment[];
  readonly more: string | undefined;
  readonly people: People;
  /** The first of those who vote for it. */
  readonly voters: readonly Voter[];
  /** The values with which the forms open. */
  readonly fields: { readonly decide: URLSearchParams; readonly edit: URLSearchParams };
  /** The refused form; empty when the page opens. */
  readonly sent: URLSearchParams;
  readonly errors: readonly FieldError[];
  readonly now: number;
  readonly back: string | undefined;
  readonly done: JustDone | undefined;
};

export const DECIDED_LABELS = { visibility: "Visibility", tags: "Tags", response: "Official response" };
const LABELS = {
  status: "Status",
  ...DECIDED_LABELS,
  ...TEXT_LABELS,
  body: LABEL,
};
const HINTS = {
  status: "Done publishes it to the changelog.",
  response: `Visible to everyone who can see the idea. Leave empty for no response. ${FORMATS}`,
  tags: "Up to 5, separated by commas",
};

export const IdeaPage = (props: Props) => {
  const {
    frame,
    ideaBank,
    idea,
    mergedInto,
    merged,
    submitted,
    people,
    comments,
    more,
    sent,
    errors,
    now,
    back,
    done,
  } = props;
  const bank = `/account/idea-banks/${ideaBank.id}`;
  const path = `${bank}/ideas/${idea.id}`;
  const action = `${path}${back ? `?back=${encodeURIComponent(back)}` : ""}`;
  const author = people.get(idea.panelistId ?? "");
  // A chain of people and ideas would make the link longer and longer.
  const isOfPerson = back?.startsWith("/account/people/");
  const here = backTo(path, isOfPerson ? undefined : back);
  const isMerged = idea.duplicateOf !== null;
  const older = more && `${path}?${new URLSearchParams({ ...(back && { back }), cursor: more })}#comments`;
  return (
    <Layout title={idea.title} current="ideas" {...frame}>
      <p>
        <a href={`${back ?? bank}#idea-${idea.id}`}>{isOfPerson ? "Back to the person" : "Back to the list"}</a>
      </p>
      <Done done={done} boards={[ideaBank]} {...(author && { person: nameOf(author) })} />
      {errors.length > 0 && <ErrorSummary title="Nothing was changed." errors={errors} labels={LABELS} />}
      {sent.get("do") === "cancel" && (
        <p class="notice" role="status" tabindex={-1} autofocus>
          Nothing was published or saved. What you wrote is still here.
        </p>
      )}
      {mergedInto && (
        <p class="notice">
          Merged into{" "}
          <a href={`${bank}/ideas/${mergedInto.id}`}>
            <bdi>{mergedInto.title}</bdi>
          </a>
          , which has its votes.
        </p>
      )}
      {idea.visibility === "pending" && !isMerged && (
        <p class="notice">
          Waiting for approval. <a href={`/account/approval/${idea.id}`}>Approve or hide</a>
        </p>
      )}
      <div class="idea">
        <Decide {...props} action={action}>
          <div class="text">
            <Formatted text={idea.description} />
            <p class="hint">
              <Author id={idea.panelistId} people={people} none="Your team" here={here} />
              {" · "}
              <Time at={idea.createdAt} now={now} />
            </p>
            {submitted && (submitted.title !== idea.title || submitted.description !== idea.description) && (
              <details>
                <summary>As submitted</summary>
                <AsSubmitted submitted={submitted} />
              </details>
            )}
            <Response {...props} />
            {merged.length > 0 && (
              <section aria-labelledby="merged">
                <h2 id="merged">Merged into this idea</h2>
                <ul>
                  {merged.map(({ id, title }) => (
                    <li>
                      <a href={`${bank}/ideas/${id}`}>
                        <bdi>{title}</bdi>
                      </a>
                    </li>
                  ))}
                </ul>
              </section>
            )}
          </div>
          <aside aria-label="Details">
            {!isMerged && <Decision {...props} />}
            <Facts {...props} path={path} here={here} />
          </aside>
        </Decide>
        <div class="rest">
          <div class="actions">
            {!isMerged && <EditText {...props} action={action} />}
            {!isMerged && (
              <a class="button" href={action.replace(/\?|$/, (mark) => `/merge${mark}`)}>
                Merge…
              </a>
            )}
            <details>
              <summary class="danger">Delete…</summary>
              <form method="post" action={action} class="actions">
                <p>Its votes and comments go with it. You can’t undo this. To keep it for your team, hide it.</p>
                <button type="submit" name="do" value="delete" class="danger">
                  Delete this idea
                </button>
              </form>
            </details>
          </div>
          <Comments
            count={idea.comments}
            isClosed={isMerged}
            {...{ comments, older, people, sent, errors, now, action, here }}
          />
        </div>
      </div>
    </Layout>
  );
};

type DecideProps = Props & { readonly action: string; readonly children?: Child };

/** The form around what is decided. A merged idea has none. */
const Decide = ({ idea, fields, action, children }: DecideProps) =>
  idea.duplicateOf !== null ? (
    children
  ) : (
    <form method="post" action={action}>
      <OpenedWith fields={fields.decide} />
      <input type="hidden" name="asks" value="publish" />
      {children}
    </form>
  );

const Response = ({ idea, fields: { decide: fields }, sent, errors }: Props) => {
  const isPreview = sent.get("do") === "preview-response";
  const isCanceled = sent.get("do") === "cancel";
  const message = messageFor(errors, "response");
  return (
    <>
      {idea.response && (
        <blockquote class="response">
          <strong>{LABELS.response}</strong>
          <Formatted text={idea.response.text} />
        </blockquote>
      )}
      {idea.duplicateOf === null && (
        <details open={idea.response === null || message !== undefined || isPreview || isCanceled}>
          <summary>{idea.response ? "Edit the official response" : "Write an official response"}</summary>
          <Field name="response" label={LABELS.response} hint={HINTS.response} message={message}>
            <textarea
              id="response"
              name="response"
              data-draft={idea.response?.text ?? ""}
              rows={4}
              dir="auto"
              {...described("response", message, HINTS.response)}
            >
              {fields.get("response")}
            </textarea>
          </Field>
          {isPreview && <Preview text={fields.get("response") ?? ""} />}
          <div class="buttons">
            <button type="submit" name="do" value="decide">
              {idea.response ? "Save response" : "Post response"}
            </button>
            <button type="submit" name="do" value="preview-response">
              Preview
            </button>
          </div>
        </details>
      )}
    </>
  );
};

/** A waiting idea is approved on a page of its own, which knows whether its author has edited it since. */
const Decision = ({ idea, tags, fields: { decide: fields }, sent, errors }: Props) => {
  const wrongTags = messageFor(errors, "tags");
  const choices = VISIBILITIES.filter((each) => each !== (idea.visibility === "pending" ? "public" : "pending"));
  // A phone cuts a long option, so the options are names.
  const effects = choices
    .filter((each) => each !== "public")
    .map((each) => IDEA_VISIBILITIES[each].join(": "))
    .join(" ");
  return (
    <>
      <Field name="status" label={LABELS.status} hint={HINTS.status} message={undefined}>
        <select id="status" name="status" {...described("status", undefined, HINTS.status)}>
          {PROPOSAL_STATUSES.map((each) => (
            <option value={each} selected={each === fields.get("status")}>
              {IDEA_STATUSES[each]}
            </option>
          ))}
        </select>
      </Field>
      <Field name="visibility" label={LABELS.visibility} hint={effects} message={undefined}>
        <select id="visibility" name="visibility" {...described("visibility", undefined, effects)}>
          {choices.map((each) => (
            <option value={each} selected={each === fields.get("visibility")}>
              {IDEA_VISIBILITIES[each][0]}
            </option>
          ))}
        </select>
      </Field>
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
      <Correction idea={idea} sent={sent} what="decide" />
      <button type="submit" name="do" value="decide" class="primary">
        Save
      </button>
    </>
  );
};

type FactsProps = Props & { readonly path: string; readonly here: string };

const Facts = ({ ideaBank, idea, voters, path, here, now }: FactsProps) => (
  <>
    <dl>
      <div>
        <dt>Votes</dt>
        <dd>{idea.votes.toLocaleString("en")}</dd>
      </div>
      <div>
        <dt>Board</dt>
        <dd>
          <a href={`/account/idea-banks/${ideaBank.id}`}>
            <bdi>{ideaBank.name}</bdi>
          </a>
        </dd>
      </div>
      <div>
        <dt>Last activity</dt>
        <dd>
          <Time at={idea.lastActivityAt} now={now} />
        </dd>
      </div>
    </dl>
    {voters.length > 0 && (
      <details>
        <summary>Who voted</summary>
        <ul class="voters">
          {voters.map((voter) => (
            <li>
              <a href={backTo(`/account/people/${voter.panelistId}`, here)}>
                <bdi>{voter.displayName ?? voter.externalId ?? NAMELESS}</bdi>
              </a>
            </li>
          ))}
        </ul>
        {idea.votes > voters.length && <a href={`${path}/voters`}>All voters</a>}
      </details>
    )}
    {idea.duplicateOf === null && (
      <p>
        <a href={`${path}/voters#add`}>Add or remove voters</a>
      </p>
    )}
    {idea.status === "implemented" && (
      <p>
        <a href={`${path}/publish`}>Edit the changelog entry</a>
      </p>
    )}
    {ideaBank.url !== null && idea.visibility === "public" && idea.duplicateOf === null && (
      <p>
        <a id="on-board" href={onBoard(ideaBank.url, idea.id)} target="_blank" rel="noopener">
          See it on the board
        </a>{" "}
        <button type="button" class="link" data-copy="on-board" hidden>
          Copy link
        </button>
      </p>
    )}
  </>
);

/** The page that carries the board, with this idea opened. */
export function onBoard(url: string, id: string): string {
  const page = new URL(url);
  page.searchParams.set("idea", id);
  return page.href;
}

type CorrectionProps = Pick<Props, "idea" | "sent"> & { readonly what: "decide" | "edit" };

/** Only an entry of the changelog has a date and a place that readers notice. */
const Correction = ({ idea, sent, what }: CorrectionProps) =>
  idea.status === "implemented" && (
    <label class="choice">
      <input type="checkbox" name="minor" checked={sent.get("do") === what && sent.has("minor")} />
      Correction: keep its date and place in the changelog
    </label>
  );

const EditText = ({ idea, fields: { edit: fields }, sent, errors, action }: Props & { readonly action: string }) => (
  <details open={sent.get("do") === "edit"}>
    <summary>Edit text…</summary>
    <form method="post" action={action} class="create">
      <OpenedWith fields={fields} />
      <TextFields fields={fields} errors={errors} rows={6} />
      <Correction idea={idea} sent={sent} what="edit" />
      <button type="submit" name="do" value="edit">
        Save text
      </button>
    </form>
  </details>
);
