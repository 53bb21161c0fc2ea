/** What is decided on an idea's page: its response, status, visibility and tags, and its text. */
import { PROPOSAL_STATUSES, VISIBILITIES } from "../../model/proposal.ts";
import { described, Field, messageFor } from "../frame/field.tsx";
import { FORMATS, Formatted } from "../frame/formatted.tsx";
import { useMay } from "../frame/frame.ts";
import { OpenedWith } from "../frame/opened-form.tsx";
import { counted, IDEA_STATUSES, IDEA_VISIBILITIES } from "../frame/words.ts";
import { Approval, isUndecided } from "./approval.tsx";
import { LABEL, Preview } from "./comments.tsx";
import { DECISION_LABELS } from "./decide.ts";
import type { IdeaProps } from "./idea-facts.tsx";
import { DECIDED_LABELS } from "./opened-idea.ts";
import { TEAM_LABELS } from "./team-boxes.tsx";
import { TellBox, ToldOf, tellsIn } from "./tell-people.tsx";
import { TEXT_LABELS, TextFields } from "./text-fields.tsx";
import { WritingLine } from "./writing.tsx";

export const LABELS = {
  ...DECISION_LABELS,
  status: "Status",
  ...DECIDED_LABELS,
  ...TEXT_LABELS,
  body: LABEL,
  ...TEAM_LABELS,
};
const HINTS = {
  status: "“Done” adds it to your changelog.",
  response: `Visible to everyone who can see the idea. Leave empty for no response. ${FORMATS}`,
  tags: "Up to 5, separated by commas",
};

/** Each form of the page saves the box that it stands in. */
type BoxProps = IdeaProps & { readonly action: string };

export const Response = (props: BoxProps) => {
  const { idea, toldCount, told } = props;
  return (
    <>
      {idea.response && (
        <blockquote class="response">
          <strong>{LABELS.response}</strong>
          <Formatted text={idea.response.text} />
        </blockquote>
      )}
      {idea.duplicateOf === null && useMay("member") && <Respond {...props} />}
      <ToldOf told={told} count={toldCount} />
    </>
  );
};

/** The status is here, too, because answering and deciding are one act. */
const Respond = ({
  ideaBank,
  idea,
  edits,
  fields: { respond: fields },
  sent,
  errors,
  toldCount,
  writing,
  action,
}: BoxProps) => {
  const isPreview = sent.get("do") === "preview-response";
  const isCanceled = sent.get("do") === "cancel" && sent.has("response");
  const message = messageFor(errors, "response");
  const isWaiting = isUndecided(idea);
  return (
    <form method="post" action={action} class="answer">
      <OpenedWith fields={fields} />
      <input type="hidden" name="asks" value="publish" />
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
        <WritingLine path={{ ideaBankId: ideaBank.id, proposalId: idea.id }} others={writing} />
        {isPreview && <Preview text={fields.get("response") ?? ""} />}
        <TellBox
          name="tell"
          count={toldCount}
          isTicked={tellsIn(sent).response ?? idea.response === null}
          about="the response"
          isBeside
        />
        <Correction idea={idea} sent={sent} what="decide" />
        <div class="buttons">
          <select name="status" aria-label="Status with the response">
            <StatusOptions chosen={fields.get("status")} />
          </select>
          <button type="submit" name="do" value="decide" class={isWaiting ? undefined : "primary"}>
            {isWaiting ? "Save, keep waiting" : idea.response ? "Save response" : "Post response"}
          </button>
          <button type="submit" name="do" value="preview-response">
            Preview
          </button>
        </div>
      </details>
      {isWaiting && (
        <div class="buttons">
          <Approval idea={{ title: idea.title, edits, isCut: false }} />
        </div>
      )}
    </form>
  );
};

const StatusOptions = ({ chosen }: { readonly chosen: string | null }) =>
  PROPOSAL_STATUSES.map((each) => (
    <option value={each} selected={each === chosen}>
      {IDEA_STATUSES[each]}
    </option>
  ));

export const Decision = ({ idea, tags, fields: { decide: fields }, sent, errors, toldCount, action }: BoxProps) => {
  const wrongTags = messageFor(errors, "tags");
  const isWaiting = isUndecided(idea);
  const isSent = !sent.has("response");
  const choices = VISIBILITIES.filter((each) => each !== "pending");
  // A phone cuts a long option, so the options are names.
  const effects = choices
    .filter((each) => each !== "public")
    .map((each) => IDEA_VISIBILITIES[each][1])
    .join(" ");
  return (
    <form method="post" action={action}>
      <OpenedWith fields={fields} />
      <input type="hidden" name="asks" value="publish" />
      <Field name="status" label={LABELS.status} hint={HINTS.status} message={undefined}>
        <select id="status" name="status" {...described("status", undefined, HINTS.status)}>
          <StatusOptions chosen={fields.get("status")} />
        </select>
      </Field>
      <TellBox
        name="tellStatus"
        count={toldCount}
        isTicked={(isSent ? tellsIn(sent).status : undefined) ?? true}
        about="a new status"
        isBeside
      />
      {!isWaiting && (
        <Field name="visibility" label={LABELS.visibility} hint={effects} message={undefined}>
          <select id="visibility" name="visibility" {...described("visibility", undefined, effects)}>
            {choices.map((each) => (
              <option value={each} selected={each === fields.get("visibility")}>
                {IDEA_VISIBILITIES[each][0]}
              </option>
            ))}
          </select>
        </Field>
      )}
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
      <button type="submit" name="do" value="decide">
        Save
      </button>
    </form>
  );
};

type CorrectionProps = Pick<IdeaProps, "idea" | "sent"> & { readonly what: "decide" | "edit" };

/** Only an entry of the changelog has a date and a place that readers notice. */
const Correction = ({ idea, sent, what }: CorrectionProps) =>
  idea.status === "implemented" && (
    <label class="choice">
      <input type="checkbox" name="minor" checked={sent.get("do") === what && sent.has("minor")} />
      Correction: keep its date and place in the changelog
    </label>
  );

export const EditText = ({ idea, fields: { edit: fields }, sent, errors, action }: BoxProps) => (
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

/** What a waiting idea may repeat. Its text was seen here, so it can be merged here. */
export const Similar = ({ similar, edits, action }: BoxProps) => (
  <form method="post" action={action} class="create">
    <fieldset id="into">
      <legend>Already suggested? Merge this idea and its votes into another. You can’t undo this.</legend>
      {similar.map(({ id, title, votes }) => (
        <label class="choice">
          <input type="radio" name="into" value={id} required />
          <span>
            <bdi>{title}</bdi>
            <span class="hint">{` ${counted(votes, "vote")}`}</span>
          </span>
        </label>
      ))}
    </fieldset>
    <input type="hidden" name="edits" value={edits} />
    <button type="submit" name="do" value="merge">
      Merge
    </button>
  </form>
);
